#pragma once
/// Some samples and some features of a design, copied for many products: dense, in blocks of samples that caches hold.

#include "dense.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// samples × features; block b holds samples b·block … by columns of `block` entries. Entries are T(0) unless set.
template <class T>
class BlockedColumns {
 public:
  static constexpr Index block = 16;

  BlockedColumns() = default;
  BlockedColumns(T* values, Index samples, Index features) : values_(values), samples_(samples), features_(features) {}

  /// Values that it takes.
  static constexpr std::size_t size(Index samples, Index features) {
    return (static_cast<std::size_t>(samples) + block - 1) / block * block * features;
  }

  Index samples() const { return samples_; }
  [[gnu::always_inline]] T& at(Index sample, Index feature) const {
    return values_[(static_cast<std::size_t>(sample / block) * features_ + feature) * block + sample % block];
  }
  void clear() const { fill(values_, size(samples_, features_), T(0)); }

  /// Z = 1 baseᵀ + XW.
  void multiply(const T* w, Index stride, const T* base, T* z) const {
    for_each_block([&](const DenseDesign<T>& x, Index first) {
      x.multiply(nullptr, features_, w, stride, base, row_of(z, first, stride));
    });
  }
  /// G = XᵀU.
  void transposed_multiply(const T* u, Index stride, T* g) const {
    fill(g, static_cast<std::size_t>(features_) * stride, T(0));
    for_each_block([&](const DenseDesign<T>& x, Index first) {
      x.add_transposed(nullptr, features_, row_of(u, first, stride), stride, g);
    });
  }

 private:
  template <class Visit>
  void for_each_block(Visit visit) const {
    for (Index first = 0; first < samples_; first += block)
      visit(DenseDesign<T>(values_ + static_cast<std::size_t>(first) * features_, smallest(block, samples_ - first),
                           features_, block),
            first);
  }

  T* values_ = nullptr;
  Index samples_ = 0;
  Index features_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
