#pragma once
/// The terms that a model with interactions keeps, and its scores from them alone.

#include <span>

#include "../features/sample_view.hpp"
#include "interactions.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

inline constexpr Index no_feature = Index(-1);

/// coefficient·x_first, where `second` is no_feature, or coefficient·x_first·x_second, first ≤ second: of one output's
/// score.
template <class T>
struct InteractionTerm {
  Index output, first, second;
  T coefficient;

  bool is_product() const { return second != no_feature; }
};

/// A view of the terms, the outputs one after the other, within each main effects by feature and then products by both
/// features; and of K intercepts. No scratch; a score costs as many steps as there are terms, whatever `features` is.
template <class T>
struct InteractionTerms {
  std::span<const InteractionTerm<T>> terms;
  const T* intercepts = nullptr;
  Index features = 0;
  Index outputs = 0;  ///< K: 1 for a regression

  T intercept(Index output = 0) const { return intercepts[output]; }

  /// The terms of one output.
  std::span<const InteractionTerm<T>> of(Index output) const {
    const std::size_t first = before(output);
    return terms.subspan(first, before(output + 1) - first);
  }

  /// b_k + Σ coefficient·x_first[·x_second], added in the order of the terms. `step` is the distance between the
  /// entries of x.
  T score(const T* x, std::size_t step = 1, Index output = 0) const {
    return sum(SampleView<T>{x, features, step}, output, before(output)).score;
  }
  /// Writes the K scores of one sample.
  void scores(const T* x, T* out, std::size_t step = 1) const {
    for_each_score(SampleView<T>{x, features, step}, [=](Index k, T score) { out[k] = score; });
  }
  /// argmax of the scores, the first of equals. A sample with NaN gives class 0, a model without outputs `no_label`.
  Label predict(const T* x, std::size_t step = 1) const {
    Label best = outputs > 0 ? Label(0) : no_label;
    T top = -infinity<T>;
    for_each_score(SampleView<T>{x, features, step}, [&](Index k, T score) {
      if (score > top) {
        top = score;
        best = static_cast<Label>(k);
      }
    });
    return best;
  }
  /// Calls visit(k, score_k) for the outputs in their order; x[j] is feature j of the sample.
  template <class Entries, class Visit>
  [[gnu::always_inline]] void for_each_score(const Entries& x, Visit visit) const {
    std::size_t next = 0;
    for (Index k = 0; k < outputs; ++k) {
      const auto [score, end] = sum(x, k, next);
      next = end;
      visit(k, score);
    }
  }

 private:
  struct Partial {
    T score;
    std::size_t end;
  };

  /// The score of an output whose terms start at `next`, and where they end.
  template <class Entries>
  Partial sum(const Entries& x, Index output, std::size_t next) const {
    T total = intercepts[output];
    for (; next < terms.size() && terms[next].output == output; ++next) {
      const InteractionTerm<T>& term = terms[next];
      T value = term.coefficient * x[term.first];
      if (term.is_product()) value *= x[term.second];
      total += value;
    }
    return {total, next};
  }
  /// How many terms are of outputs before this one.
  std::size_t before(Index output) const {
    std::size_t low = 0, high = terms.size();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (terms[middle].output < output) low = middle + 1;
      else high = middle;
    }
    return low;
  }
};

/// Calls `visit(term)` for each main effect v_j and each product Θ_jl + Θ_lj (j < l) or Θ_jj that is not zero, in the
/// order of InteractionTerms. Cost: outputs·features².
template <class T, class Visit>
void for_each_term(const InteractionModel<T>& model, Visit visit) {
  for (Index k = 0; k < model.outputs; ++k) {
    for (Index j = 0; j < model.features; ++j)
      if (const T v = model.main_effect(j, k); v != T(0)) visit(InteractionTerm<T>{k, j, no_feature, v});
    for (Index j = 0; j < model.features; ++j)
      for (Index l = j; l < model.features; ++l)
        if (const T theta = model.pair(j, l, k); theta != T(0)) visit(InteractionTerm<T>{k, j, l, theta});
  }
}

template <class T>
std::size_t count_terms(const InteractionModel<T>& model) {
  std::size_t count = 0;
  for_each_term(model, [&](const InteractionTerm<T>&) { ++count; });
  return count;
}

/// Writes the terms into `out` and returns how many there are. If that is more than `out.size()`, the last are missing:
/// call again with that much.
template <class T>
std::size_t take_terms(const InteractionModel<T>& model, std::span<InteractionTerm<T>> out) {
  std::size_t count = 0;
  for_each_term(model, [&](const InteractionTerm<T>& term) {
    if (count < out.size()) out[count] = term;
    ++count;
  });
  return count;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
