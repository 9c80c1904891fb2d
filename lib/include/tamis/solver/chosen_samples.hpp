#pragma once
/// The samples that a solver works on while the others do not matter: some of them in a dense copy, or all.

#include <concepts>

#include "../arena.hpp"
#include "../design/dense.hpp"
#include "../linalg/rows.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Samples of a design by their place among those that are chosen. Matrices of samples × stride have rows for these
/// alone from `compress` to `expand`. Before the first choice it is all.
template <class T, class Design>
class ChosenSamples {
 public:
  /// Whether there can be a design of copied samples; otherwise it is always all.
  static constexpr bool possible = std::constructible_from<Design, const DenseDesign<T>&>;

  struct Memory {
    Index* numbers;  ///< of the chosen samples, ascending
    T* values;       ///< of theirs: columns, those of active features filled

    constexpr void take(Arena& arena, Shape shape, std::size_t most_values) {
      numbers = arena.take<Index>(shape.samples);
      values = arena.take<T>(most_values);
    }
  };

  explicit ChosenSamples(const Design& all) : here_(all) {}
  Memory& memory() { return m_; }

  const Design& design() const { return here_; }
  Index count() const { return here_.samples(); }
  [[gnu::always_inline]] Index number(Index place) const { return some_ ? m_.numbers[place] : place; }
  bool leaves_out() const { return some_; }

  void take_all(const Design& all) {
    some_ = false;
    here_ = all;
  }
  /// Chooses the `count` samples for which matters(number) is true.
  template <class Matters>
  void choose(Index count, Shape shape, Matters matters) {
    Index place = 0;
    for (Index i = 0; i < shape.samples; ++i)
      if (matters(i)) m_.numbers[place++] = i;
    copy_ = DenseDesign<T>(m_.values, count, shape.features);
    here_ = Design(copy_);
    some_ = true;
  }
  /// Whether a sample is the one at a place, which then moves on.
  bool is_next(Index i, Index& place) const {
    const bool here = place < count() && number(place) == i;
    place += here;
    return here;
  }
  /// Copies a feature of the chosen samples.
  void copy_column(const Design& all, Index feature) {
    all.gather(feature, m_.numbers, count(), m_.values + std::size_t(feature) * count(), 1);
  }

  /// Removes the rows that are left out.
  [[gnu::noinline]] void compress(T* matrix, Index stride) const {
    if (!some_) return;
    for (Index place = 0; place < count(); ++place)
      copy(static_cast<const T*>(row_of(matrix, m_.numbers[place], stride)), stride, row_of(matrix, place, stride));
  }
  /// Puts them back: those of another matrix, or zeros.
  void expand(T* matrix, const T* others, Index samples, Index stride) const {
    if (!some_) return;
    Index place = count();
    for (Index i = samples; i-- > 0;) {
      const bool here = place > 0 && m_.numbers[place - 1] == i;
      T* row = row_of(matrix, i, stride);
      if (here) --place;
      if (!here && !others) fill(row, stride, T(0));
      else if (!here || place != i) copy(row_of(here ? matrix : others, here ? place : i, stride), stride, row);
    }
  }

 private:
  Memory m_;
  DenseDesign<T> copy_;
  Design here_;  ///< all samples, or `copy_`
  bool some_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
