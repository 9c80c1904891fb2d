#pragma once
/// Repairs a dual point of ranked label sets for the free intercept: its columns must sum to zero.

#include "../label_sets.hpp"
#include "../linalg/rows.hpp"
#include "../linalg/scalar.hpp"
#include "../targets.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// The passes of make_label_sets_feasible over one dual point.
template <class T>
class LabelSetBalance {
 public:
  LabelSetBalance(const LabelSets& sets, const Targets<T>& targets, T* u, Index stride, T* surplus, T* share)
      : sets_(sets), targets_(targets), u_(u), stride_(stride), surplus_(surplus), share_(share) {}

  /// How an entry is moved: by the share of its room that its column needs, or by its column's part of what the row
  /// moves otherwise.
  enum class Pass { lower_by_share, raise_by_share, both_by_share, pass_on };

  /// Whether the columns do not sum to zero yet.
  bool measure() {
    column_sums(u_, targets_.samples(), stride_, surplus_);
    excess_ = T(0);
    T mass = 0, missing = 0;
    for (Index k = 0; k < targets_.classes; ++k) {
      excess_ += largest(surplus_[k], T(0));
      missing += largest(-surplus_[k], T(0));
    }
    for (Index i = 0; i < targets_.samples(); ++i)
      for (Index k = 0; k < targets_.classes; ++k) mass += largest(row_of(u_, i, stride_)[k], T(0));
    noise_ = epsilon<T> * mass / T(targets_.classes);
    return largest(excess_, missing) > T(4) * epsilon<T> * mass;
  }
  T excess() const { return excess_; }

  [[gnu::noinline]] void run(Pass pass) {
    pass_ = pass;
    deficit_ = T(0);
    for (Index k = 0; k < targets_.classes; ++k)
      if (takes(k)) deficit_ += absolute(surplus_[k]);
    fill(share_, stride_, T(0));
    for_each_row([&](Index i, const Row& row) {
      for_each_room(i, [&](Index k, T room, bool lower, bool) {
        if (by_share(lower)) share_[k] += row.part * room;
      });
    });
    for (Index k = 0; k < targets_.classes; ++k) {
      if (!(share_[k] > T(0))) continue;
      share_[k] = pass == Pass::pass_on && !gives(k) ? T(1) : smallest(absolute(surplus_[k]) / share_[k], T(1));
    }
    for_each_row([&](Index i, const Row& row) {
      T moved[2] = {T(0), T(0)};  // raised, lowered
      for_each_room(i, [&](Index k, T room, bool lower, bool) {
        if (by_share(lower)) moved[lower] += share_[k] * row.part * room;
      });
      const bool both = by_share(true) && by_share(false);
      const T least = both ? smallest(moved[0], moved[1]) : largest(moved[0], moved[1]);
      if (!(least > T(0))) return;
      for_each_room(i, [&](Index k, T room, bool lower, bool limited) {
        const T step = by_share(lower) ? share_[k] * row.part * room * (least / moved[lower])
                                       : least * (absolute(surplus_[k]) / (lower ? excess_ : deficit_));
        T& entry = row_of(u_, i, stride_)[k];
        const T next = lower ? entry - step : entry + step;
        entry = limited && (lower ? next < T(0) : next > T(0)) ? T(0) : next;  // past zero by rounding alone
      });
    });
  }

 private:
  /// What a row can do in a pass: the part of its rooms that it may use.
  struct Row {
    T part;
  };

  bool gives(Index k) const { return surplus_[k] > noise_; }
  bool takes(Index k) const { return pass_ == Pass::pass_on ? absolute(surplus_[k]) <= noise_ : surplus_[k] < -noise_; }
  bool by_share(bool lower) const { return pass_ != (lower ? Pass::raise_by_share : Pass::lower_by_share); }

  /// Visits the entries of a row that may be lowered or raised, as (k, by how much, whether lowered, whether no more
  /// than that).
  template <class Visit>
  void for_each_room(Index i, Visit visit) const {
    const T* row = row_of(u_, i, stride_);
    const T unit = targets_.weight(i) * targets_.margin(i);
    sets_.for_each_class(targets_.labels[i], targets_.classes, [&](Index k, bool inside) {
      if (gives(k)) visit(k, inside ? unit : row[k], true, !inside);
      else if (takes(k)) visit(k, inside ? -row[k] : unit, false, inside);
    });
  }

  /// Visits the rows that can both lower and raise, as (i, Row).
  template <class Visit>
  void for_each_row(Visit visit) const {
    for (Index i = 0; i < targets_.samples(); ++i) {
      if (!(targets_.weight(i) > T(0)) || !sets_.has_pairs(targets_.labels[i], targets_.classes)) continue;
      T room_of[2] = {T(0), T(0)};
      for_each_room(i, [&](Index, T room, bool lower, bool) { room_of[lower] += room; });
      if (!(room_of[0] > T(0) && room_of[1] > T(0))) continue;
      T part = 1;
      for_each_room(i, [&](Index k, T room, bool lower, bool limited) {
        if (by_share(lower) || !limited) return;
        const T most = room * ((lower ? excess_ : deficit_) / absolute(surplus_[k]));
        part = smallest(part, most / room_of[!lower]);
      });
      if (part > T(0)) visit(i, Row{part});
    }
  }

  const LabelSets& sets_;
  const Targets<T>& targets_;
  T* u_;
  Index stride_;
  T* surplus_;
  T* share_;
  Pass pass_ = Pass::both_by_share;
  T excess_ = 0;   ///< Σ of the positive column sums
  T deficit_ = 0;  ///< of those that are raised
  T noise_ = 0;    ///< a column sum that is as good as zero
};

}  // namespace detail

/// Moves mass within the rows of u (samples × stride) until its columns sum to zero up to rounding. Rows sum to zero,
/// with entries ≤ 0 in the set of the sample and ≥ 0 outside, and stay so; zero columns stay as they are.
///
/// Each pass lowers entries of columns with a positive sum and raises as much in columns with a negative one, within
/// what the entry can give: what it is on its side of zero, on the other side a number that suits the row. Passes in
/// turn lower by shares and raise in proportion to the columns' needs, the other way round, and do both by shares: when
/// little is to be moved, and for single labels always, the first is all it takes. Where no row can both lower and
/// raise, columns with a positive sum pass it on to columns that are balanced. u becomes zero if that does not help.
/// `surplus` and `share` are scratch of `stride` entries. Cost O(samples·classes) per pass, mostly 2 to 10 passes.
template <class T>
[[gnu::noinline]] void make_label_sets_feasible(const LabelSets& sets, const Targets<T>& targets, T* u, Index stride,
                                                T* surplus, T* share) {
  using Balancing = detail::LabelSetBalance<T>;
  using Pass = typename Balancing::Pass;
  Balancing balancing(sets, targets, u, stride, surplus, share);
  T before = infinity<T>;
  for (int pass = 0; pass < 240; ++pass) {
    if (!balancing.measure()) return;
    switch (pass % 3) {
      case 0: balancing.run(Pass::lower_by_share); break;
      case 1: balancing.run(Pass::raise_by_share); break;
      default:
        balancing.run(balancing.excess() > T(0.9) * before ? Pass::pass_on : Pass::both_by_share);
        before = balancing.excess();
    }
  }
  fill(u, static_cast<std::size_t>(targets.samples()) * stride, T(0));
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
