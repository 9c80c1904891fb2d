#pragma once
/// A model that compares a sample with a few training samples: those, and the kernels, that have coefficients.

#include <type_traits>

#include "../arena.hpp"
#include "../features/kernels.hpp"
#include "kernel_coefficients.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// k_kernel(x_sample, ·), both by their position in an expansion.
struct KernelTerm {
  Index kernel, sample;
};

/// score_k(x) = b_k + Σ α_k k_t(x_l, x) over the terms, in their order. A view: of the kernels that are kept, the
/// samples that are kept, the terms (by kernel, then by sample), terms × outputs coefficients, and the intercepts.
/// `outputs` is 1 where the sign of the score decides between two classes, otherwise K. A score costs `steps()`.
template <class T, class Function = Kernel<T>>
struct KernelExpansion {
  std::span<const Function> kernels;
  SampleTable<T> samples;
  std::span<const KernelTerm> terms;
  const T* coefficients = nullptr;
  const T* intercepts = nullptr;
  Index outputs = 0;
  const Index* origins = nullptr;  ///< the numbers of the samples in training; null: forgotten

  Index classes() const { return outputs == 1 ? 2 : outputs; }

  /// Writes the scores of one sample, one per output.
  void scores(SampleView<T> x, T* out) const { scores(x, out, 0, outputs); }
  /// Writes `count` of them, from `first` on.
  void scores(SampleView<T> x, T* out, Index first, Index count) const {
    for (Index k = 0; k < count; ++k) out[k] = intercepts[first + k];
    const T* row = coefficients + first;
    for (const KernelTerm& term : terms) {
      const T value = kernels[term.kernel](samples[term.sample], x);
      for (Index k = 0; k < count; ++k) out[k] += row[k] * value;
      row += outputs;
    }
  }
  /// Writes the scores, and returns the class: 1 for a positive score, or argmax, the first of equals. A sample with
  /// NaN gives class 0, a model without outputs `no_label`.
  Label predict(SampleView<T> x, T* scores_out) const {
    scores(x, scores_out);
    Choice choice(outputs);
    choice.look(scores_out, 0, outputs);
    return choice.best;
  }
  /// The class alone, without room for scores: kernels are computed once for every eight outputs.
  Label predict(SampleView<T> x) const {
    constexpr Index together = 8;
    T part[together];
    Choice choice(outputs);
    for (Index first = 0; first < outputs; first += together) {
      const Index count = smallest(together, outputs - first);
      scores(x, part, first, count);
      choice.look(part, first, count);
    }
    return choice.best;
  }

  /// Features visited and coefficients added for one sample.
  std::size_t steps() const { return terms.size() * (std::size_t{samples.features} + outputs); }
  /// Of everything that a prediction reads.
  std::size_t bytes() const {
    return kernels.size_bytes() + terms.size_bytes() +
           (std::size_t{samples.samples} * samples.features + (terms.size() + 1) * outputs) * sizeof(T);
  }

 private:
  struct Choice {
    explicit Choice(Index outputs)
        : best(outputs > 0 ? Label(0) : no_label), positive(outputs == 1), top(positive ? T(0) : -infinity<T>) {}

    void look(const T* z, Index first, Index count) {
      for (Index k = 0; k < count; ++k)
        if (z[k] > top) {
          top = z[k];
          best = static_cast<Label>(positive ? 1 : first + k);
        }
    }

    Label best;
    bool positive;
    T top;
  };
};

/// How much of the coefficients is kept.
struct KernelCounts {
  Index kernels = 0;
  Index samples = 0;
  std::size_t terms = 0;

  friend constexpr bool operator==(const KernelCounts&, const KernelCounts&) = default;
};

namespace detail {

/// Terms of a constant kernel are part of the intercept, and keep no samples.
template <class Function>
bool is_constant(const Function& kernel) {
  if constexpr (requires { kernel.kind; }) return kernel.kind == KernelKind::constant;
  else return false;
}

template <class T, class Function>
bool keeps(const KernelCoefficients<T>& alpha, std::span<const Function> kernels, Index sample) {
  for (Index t = 0; t < alpha.kernels; ++t)
    if (!is_constant(kernels[t]) && alpha.uses(sample, t)) return true;
  return false;
}

/// The memory of an expansion.
template <class T, class Function>
struct KernelExpansionMemory {
  Function* kernels;
  T* samples;
  KernelTerm* terms;
  T* coefficients;
  T* intercepts;
  Index* origins;

  static constexpr KernelExpansionMemory lay_out(Arena& arena, const KernelCounts& counts, Index features,
                                                 Index outputs) {
    KernelExpansionMemory m{};
    m.kernels = arena.take<Function>(counts.kernels);
    m.samples = arena.take<T>(detail::saturating_multiply(counts.samples, features));
    m.terms = arena.take<KernelTerm>(counts.terms);
    m.coefficients = arena.take<T>(detail::saturating_multiply(counts.terms, outputs));
    m.intercepts = arena.take<T>(outputs);
    m.origins = arena.take<Index>(counts.samples);
    return m;
  }
};

}  // namespace detail

/// `kernels` are as many as the coefficients are of. Cost: all coefficients are looked at.
template <class T, class Function = Kernel<T>>
KernelCounts count_kept(const KernelCoefficients<T>& alpha, std::type_identity_t<std::span<const Function>> kernels) {
  KernelCounts counts;
  for (Index l = 0; l < alpha.samples; ++l) counts.samples += detail::keeps(alpha, kernels, l);
  for (Index t = 0; t < alpha.kernels; ++t) {
    if (detail::is_constant(kernels[t])) continue;
    const std::size_t before = counts.terms;
    for (Index l = 0; l < alpha.samples; ++l) counts.terms += alpha.uses(l, t);
    counts.kernels += counts.terms != before;
  }
  return counts;
}

/// Bytes that `take_kept` needs, all of which the expansion goes on using.
template <class T, class Function = Kernel<T>>
constexpr Requirement kept_requirement(const KernelCounts& counts, Index features, Index outputs) {
  return count_bytes<detail::KernelExpansionMemory<T, Function>>(counts, features, outputs);
}

/// Copies what is kept of the coefficients into `memory`, which the expansion then is a view of: kernels, samples and
/// coefficients that are not zero. What constant kernels add goes into the intercepts. False, with nothing written,
/// when `memory` is less than `kept_requirement` or not aligned.
template <class T, class Function = Kernel<T>>
bool take_kept(const KernelCoefficients<T>& alpha, std::type_identity_t<std::span<const Function>> kernels,
               const SampleTable<T>& training, std::span<std::byte> memory, KernelExpansion<T, Function>& out) {
  static_assert(std::is_trivially_copyable_v<Function>, "a kernel that is kept is copied byte by byte");
  const KernelCounts counts = count_kept<T, Function>(alpha, kernels);
  const std::size_t needed = kept_requirement<T, Function>(counts, training.features, alpha.outputs).bytes;
  if (!Arena::aligned(memory) || memory.size() < needed) return false;
  Arena arena(memory);
  const auto m = detail::KernelExpansionMemory<T, Function>::lay_out(arena, counts, training.features, alpha.outputs);
  Index kept = 0;
  for (Index l = 0; l < alpha.samples; ++l) {
    if (!detail::keeps(alpha, kernels, l)) continue;
    for (Index j = 0; j < training.features; ++j) m.samples[std::size_t{kept} * training.features + j] = training[l][j];
    m.origins[kept++] = l;
  }
  for (Index k = 0; k < alpha.outputs; ++k) {
    Sum<T> total;
    if (alpha.intercepts) total.add(alpha.intercept(k));
    for (Index t = 0; t < alpha.kernels; ++t)
      for (Index l = 0; detail::is_constant(kernels[t]) && l < alpha.samples; ++l) total.add(alpha(l, t, k));
    m.intercepts[k] = total.value();
  }
  Index kernel = 0;
  std::size_t next = 0;
  for (Index t = 0; t < alpha.kernels; ++t) {
    const std::size_t before = next;
    for (Index s = 0; !detail::is_constant(kernels[t]) && s < kept; ++s) {
      if (!alpha.uses(m.origins[s], t)) continue;
      for (Index k = 0; k < alpha.outputs; ++k) m.coefficients[next * alpha.outputs + k] = alpha(m.origins[s], t, k);
      m.terms[next++] = {kernel, s};
    }
    if (next != before) __builtin_memcpy(static_cast<void*>(m.kernels + kernel++), &kernels[t], sizeof(Function));
  }
  out = {{m.kernels, counts.kernels},
         {m.samples, counts.samples, training.features, training.features, 1},
         {m.terms, counts.terms},
         m.coefficients,
         m.intercepts,
         alpha.outputs,
         m.origins};
  return true;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
