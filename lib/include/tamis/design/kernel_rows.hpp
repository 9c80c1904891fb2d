#pragma once
/// Kernels' values that are never stored: each product computes the rows of the matrices that it needs.

#include <span>

#include "../features/kernels.hpp"
#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The design of KernelAdmm's problems, feature t·n + l of sample i being k_t(x_l, x_i), without its matrices: what
/// DenseDesign takes τ·n² entries for. `kernels` are Kernels, or functions of two SampleViews, that outlive it.
///
/// Cost of a product: n kernel values for each feature that it is about, unless its coefficients are zero, and 2n·K
/// flops.
template <class T, class Function = Kernel<T>>
class KernelRows {
 public:
  KernelRows(const SampleTable<T>& samples, std::span<const Function> kernels) : samples_(samples), kernels_(kernels) {}

  Index samples() const { return samples_.samples; }
  Index features() const { return static_cast<Index>(samples_.samples * kernels_.size()); }
  T operator()(Index sample, Index feature) const {
    return kernels_[feature / samples()](samples_[feature % samples()], samples_[sample]);
  }

  /// Z = 1 baseᵀ + X_F W_F over the listed features (all of them when `list` is null).
  [[gnu::noinline]] void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    for (Index i = 0; i < samples(); ++i) copy(base, stride, row_of(z, i, stride));
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      const T* row = row_of(w, feature, stride);
      bool any = false;
      for (Index k = 0; k < stride && !any; ++k) any = row[k] != T(0);
      if (any)
        for_each_value(feature, [&](Index i, T value) {
          T* to = row_of(z, i, stride);
          for (Index k = 0; k < stride; ++k) to[k] += value * row[k];
        });
    }
  }
  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  [[gnu::noinline]] void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    for (Index c = 0; c < count; ++c) {
      const Index feature = list ? list[c] : c;
      T* row = row_of(g, feature, stride);
      fill(row, stride, T(0));
      for_each_value(feature, [&](Index i, T value) {
        const T* from = row_of(u, i, stride);
        for (Index k = 0; k < stride; ++k) row[k] += value * from[k];
      });
    }
  }

  /// Σᵢ x(i, j), compensated.
  [[gnu::noinline]] T column_sum(Index feature) const {
    Sum<T> total;
    for_each_value(feature, [&](Index, T value) { total.add(value); });
    return total.value();
  }
  /// out[s·stride] = x(list[s], feature) for the listed samples (all when null).
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    for (Index s = 0; s < count; ++s) out[static_cast<std::size_t>(s) * stride] = (*this)(list ? list[s] : s, feature);
  }
  /// The work of a product with so many features.
  std::size_t entries(const Index*, Index count) const { return static_cast<std::size_t>(samples()) * count; }

  /// The first value that is not finite: its sample and feature.
  [[gnu::noinline]] bool find_bad_value(Index& sample, Index& feature) const {
    for (Index j = 0; j < features(); ++j) {
      bool bad = false;
      for_each_value(j, [&](Index i, T value) {
        if (bad || finite(value)) return;
        bad = true;
        sample = i;
        feature = j;
      });
      if (bad) return true;
    }
    return false;
  }

 private:
  template <class Visit>
  void for_each_value(Index feature, Visit visit) const {
    const Function& kernel = kernels_[feature / samples()];
    const SampleView<T> own = samples_[feature % samples()];
    for (Index i = 0; i < samples(); ++i) visit(i, kernel(own, samples_[i]));
  }

  SampleTable<T> samples_;
  std::span<const Function> kernels_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
