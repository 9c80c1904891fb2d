#pragma once
/// The result of training: K linear scores.

#include "../linalg/register_tile.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A view of coefficients (features × stride, row-major, padded) followed by one row of intercepts. It points into the
/// arena and lives as long as that memory is left alone.
template <class T>
struct LinearModel {
  const T* coefficients = nullptr;
  Index features = 0;
  Index classes = 0;

  Index stride() const { return padded<T>(classes); }
  T operator()(Index feature, Index label) const { return row_of(coefficients, feature, stride())[label]; }
  T intercept(Index label) const { return (*this)(features, label); }

  /// score_k = b_k + Σ_j x_j w_jk, added in the order of j, for the classes of one piece. `step` is the distance
  /// between the entries of x.
  [[gnu::noinline]] SimdOrScalar<T> scores(const T* x, std::size_t step, Index first_class) const {
    auto total = SimdOrScalar<T>::load(row_of(coefficients, features, stride()) + first_class);
    for (Index j = 0; j < features; ++j)
      total = total + SimdOrScalar<T>::fill(x[j * step]) *
                          SimdOrScalar<T>::load(row_of(coefficients, j, stride()) + first_class);
    return total;
  }

  /// Writes the K scores of one sample, a model without coefficients none. No scratch; cost 2·features·classes flops.
  void scores(const T* x, T* out, std::size_t step = 1) const {
    for_each_score(x, step, [=](Index k, T score) TAMIS_INLINED { out[k] = score; });
  }

  /// argmax_k score_k, the first of equals. A sample with NaN gives class 0, a model without coefficients `no_label`.
  Label predict(const T* x, std::size_t step = 1) const {
    Label best = coefficients ? Label(0) : no_label;
    T top = -infinity<T>;
    for_each_score(x, step, [&](Index k, T score) TAMIS_INLINED {
      if (score > top) {
        top = score;
        best = static_cast<Label>(k);
      }
    });
    return best;
  }

  bool uses(Index feature) const {
    for (Index k = 0; k < classes; ++k)
      if ((*this)(feature, k) != T(0)) return true;
    return false;
  }

 private:
  /// Calls visit(k, score_k) for the classes in their order.
  template <class Visit>
  [[gnu::always_inline]] void for_each_score(const T* x, std::size_t step, Visit visit) const {
    if (!coefficients) return;
    if constexpr (profile.every_width) {
      detail::for_each_wide_strip<T>(stride(), [&]<int V>(Index first) TAMIS_INLINED {
        T part[V * lanes<T>];
        strip_scores<V>(x, step, first, part);
        for (Index k = first; k < smallest(classes, first + V * lanes<T>); ++k) visit(k, part[k - first]);
      });
    } else {
      constexpr Index width = SimdOrScalar<T>::width;
      for (Index first = 0; first < classes; first += width) {
        const auto part = scores(x, step, first);
        for (Index k = first; k < smallest(classes, first + width); ++k) visit(k, part.entry[k - first]);
      }
    }
  }

  /// The scores of V vectors of classes at once: their sums do not wait for each other.
  template <int V>
  [[gnu::noinline]] void strip_scores(const T* x, std::size_t step, Index first_class, T* out) const {
    Simd<T> total[std::size_t{V}];
    const T* row = row_of(coefficients, features, stride()) + first_class;
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) total[v] = Simd<T>::load(row + v * lanes<T>);
    row = coefficients + first_class;
    for (Index j = 0; j < features; ++j, row += stride()) {
      const auto value = Simd<T>::fill(x[j * step]);
      TAMIS_UNROLL
      for (Index v = 0; v < V; ++v) total[v] = total[v] + value * Simd<T>::load(row + v * lanes<T>);
    }
    TAMIS_UNROLL
    for (Index v = 0; v < V; ++v) total[v].store(out + v * lanes<T>);
  }
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
