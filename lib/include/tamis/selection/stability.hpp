#pragma once
/// Which features a solver keeps whichever half of the samples it sees, and how many of them are kept by chance.

#include "../arena.hpp"
#include "../penalty/groups.hpp"
#include "folds.hpp"
#include "path.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

struct StabilityOptions {
  Index pairs = 50;                ///< of complementary halves, ≥ 1
  std::uint64_t seed = 0;          ///< of the halves
  Index max_features = ~Index(0);  ///< a half's path ends before models with more, and keeps its last selection on
  Groups groups{};  ///< what is counted: features, or blocks or listed groups, kept with any feature of theirs
};

/// At most this many units of a selection are false on average: q²/((2π − 1)p) for p units, of which a half keeps q
/// on average, and threshold π; infinite for π ≤ ½. Source: Meinshausen and Bühlmann (2010), Theorem 1.
template <class T>
constexpr T expected_false_selections(T selected, Index units, T threshold) {
  if (!(threshold > T(0.5))) return infinity<T>;
  return selected * selected / ((T(2) * threshold - T(1)) * T(units));
}

/// How often halves keep each unit: all figures are of the halves that were counted to their end.
template <class T>
struct KeptCounts {
  Index* kept = nullptr;  ///< points × units: halves that keep the unit, and the bit `pending`
  Index units = 0, points = 0;
  Index halves = 0;
  Sum<T> selected{};  ///< units that each half keeps at any λ
  static constexpr Index pending = Index(1) << 31;  ///< the half at hand keeps the unit

  static constexpr KeptCounts lay_out(Arena& arena, Index units, Index points) {
    KeptCounts m{};
    m.kept = arena.take<Index>(detail::saturating_multiply(points, units));
    m.units = units, m.points = points;
    return m;
  }
  void clear() {
    fill(kept, std::size_t(units) * points, Index(0));
    halves = 0;
    selected = Sum<T>{};
  }
  /// Counts the half at hand.
  void end_half(T units_kept) {
    for (std::size_t e = 0; e < std::size_t(units) * points; ++e)
      if (kept[e] & pending) kept[e] += pending + 1;  // the bit falls out
    selected.add(units_kept);
    ++halves;
  }
  /// Adds halves that were counted elsewhere: pairs may be solved side by side, each in an arena of its own.
  void add(const KeptCounts& other) {
    for (std::size_t e = 0; e < std::size_t(units) * points; ++e) kept[e] += other.kept[e] & ~pending;
    halves += other.halves;
    selected.add(other.selected.value());
  }

  /// The share of halves that keep a unit at a λ, and the largest of these shares.
  T frequency(Index unit, Index point) const {
    return halves == 0 ? T(0) : T(kept[std::size_t(point) * units + unit] & ~pending) / T(halves);
  }
  T frequency(Index unit) const {
    T most = 0;
    for (Index l = 0; l < points; ++l) most = largest(most, frequency(unit, l));
    return most;
  }
  /// q: units that a half keeps at any λ, on average.
  T selected_by_half() const { return halves == 0 ? T(0) : selected.value() / T(halves); }
  /// The bound of the expected number of false selections with this threshold.
  T false_selections(T threshold) const { return expected_false_selections(selected_by_half(), units, threshold); }
  /// The least threshold with at most `most` expected false selections by the bound; above 1: there is none.
  T threshold(T most) const {
    const T q = selected_by_half();
    return T(0.5) + q * q / (T(2) * most * T(units));
  }
};

/// Solves the path for both halves of random pairs, and counts how often each feature (or group: see the options) is
/// kept. Complementary halves have no sample in common and all samples together; each class is halved, up to one
/// sample. The grid must not be open: all halves share it; one λ is enough. With `make` as for Path; features are
/// scaled beforehand, with all samples. A sample outside a half has weight zero: no sample is copied.
///
/// The selection is that of the units whose `frequency()`, the largest over the λs of the share of halves that keep
/// them, is at least a threshold π in (½, 1], 0.6 … 0.9 as a rule. Of p units, at most q²/((2π − 1)p) expected ones in
/// it are false, where a half keeps q on average. Either false units are exchangeable, and kept no more often than by
/// guessing: Meinshausen and Bühlmann (2010), Theorem 1. Or, without any assumption, those count as false that a half
/// keeps at some λ with a probability of at most q/p: Shah and Samworth (2013), Theorem 1, by the pairs. Here q is
/// estimated by the halves.
///
/// Memory: `requirement(…)`: that of a path, and 3n + points·units numbers and 2·units bytes. Cost: 2·pairs paths.
template <class T, class Make>
class StabilitySelection {
 public:
  StabilitySelection(const Make& make, Index features, const Targets<T>& targets, const Grid<T>& grid,
                     const StabilityOptions& options)
      : make_(make), features_(features), targets_(targets), grid_(grid), options_(options) {}
  StabilitySelection(const StabilitySelection&) = delete;
  StabilitySelection& operator=(const StabilitySelection&) = delete;
  ~StabilitySelection() { clear(); }

  static constexpr Requirement requirement(Shape shape, const Groups& groups, Index points, Requirement solver) {
    Arena counter;
    (void)Memory::lay_out(counter, shape.samples, units_of(groups, shape.features), points);
    return Requirement{counter.used()} & Halves::requirement(shape, solver);
  }

  /// Begins with the first half. False: refused. `missing_class` names a class (report().column) with fewer than
  /// two samples, or without a sample of positive weight in half().
  bool start(std::span<std::byte> memory) { return start_pairs(memory, 0, options_.pairs); }
  /// With this pair alone, in the memory of all: counts() of pairs that are solved apart, added up, are those of one
  /// run.
  bool start(std::span<std::byte> memory, Index pair) { return start_pairs(memory, pair, pair + 1); }
  /// One step of a solver, or the start of the next half; false when all are done, or the run has ended otherwise.
  bool step() {
    if (!running()) return false;
    if (next_ > half_) {
      half_ = next_;
      return start_half();
    }
    path().step();
    return advance_fold();
  }

  void stop() {
    if (running()) status_ = Status::stopped;
  }

  bool running() const { return status_ == Status::running; }
  Status status() const { return status_; }
  /// Halves that are done: all figures are of these.
  Index halves() const { return own_.counts.halves; }
  /// The half at hand, or that of a refusal. Halves 2b and 2b + 1 complement one another.
  Index half() const { return half_; }
  bool in_half(Index sample) const { return own_.side[sample] == half_ % 2; }
  bool has_solver() const { return made_ && path().has_solver(); }
  /// The λ at hand, while it runs.
  T lambda() const { return path().lambda(); }
  Report<T> report() const {
    if (has_solver()) return path().report();
    Report<T> out;
    out.status = status_;
    out.row = row_;
    out.column = column_;
    return out;
  }

  /// Features, or groups of the options in their order.
  Index units() const { return own_.counts.units; }
  const Grid<T>& grid() const { return grid_; }

  /// What all figures come from; they have the names that they have there.
  const KeptCounts<T>& counts() const { return own_.counts; }
  T frequency(Index unit, Index point) const { return counts().frequency(unit, point); }
  T frequency(Index unit) const { return counts().frequency(unit); }
  T selected_by_half() const { return counts().selected_by_half(); }
  T false_selections(T threshold) const { return counts().false_selections(threshold); }
  T threshold(T most) const { return counts().threshold(most); }

 private:
  using Halves = Path<T, Make>;

  struct Memory {
    T* weight;     ///< of the samples, zero outside the half at hand
    Index* side;   ///< of the pair at hand: 0 or 1 per sample
    Index* order;  ///< scratch, one per sample
    KeptCounts<T> counts;
    std::uint8_t* last;  ///< units: kept at the last point
    std::uint8_t* ever;  ///< units: kept at any point of this half

    static constexpr Memory lay_out(Arena& arena, Index samples, Index units, Index points) {
      Memory m{};
      m.weight = arena.take<T>(samples);
      m.side = arena.take<Index>(samples);
      m.order = arena.take<Index>(samples);
      m.counts = KeptCounts<T>::lay_out(arena, units, points);
      m.last = arena.take<std::uint8_t>(units);
      m.ever = arena.take<std::uint8_t>(units);
      return m;
    }
  };

  static constexpr Index units_of(const Groups& groups, Index features) {
    if (groups.is_listed) return groups.count;
    const Index together = groups.features_together();
    return features / together + (features % together != 0);
  }

  Halves& path() const { return *std::launder(reinterpret_cast<Halves*>(storage_)); }
  void clear() {
    if (made_) path().~Halves();
    made_ = false;
  }
  bool end(Status status) {
    status_ = status;
    return false;
  }

  bool start_pairs(std::span<std::byte> memory, Index first, Index past) {
    clear();
    own_ = {};
    half_ = next_ = 2 * first;
    past_ = 2 * past;
    row_ = column_ = 0;
    const Index samples = targets_.samples();
    if (samples == 0 || features_ == 0 || targets_.classes < 2 || targets_.classes > 65536)
      return end(Status::invalid_shape);
    for (Index i = 0; i < samples; ++i)
      if (targets_.labels[i] >= targets_.classes) {
        row_ = i;
        return end(Status::invalid_label);
      }
    if (grid_.open() || !grid_.valid()) return end(Status::invalid_lambda);
    const Groups& groups = options_.groups;
    if (options_.pairs == 0 || options_.pairs >= KeptCounts<T>::pending / 2 || first >= options_.pairs)
      return end(Status::invalid_option);
    if (groups.is_listed && !groups.cover(features_, column_)) return end(Status::invalid_groups);
    if (!Arena::aligned(memory)) return end(Status::invalid_arena);
    Arena arena(memory);
    own_ = Memory::lay_out(arena, samples, units_of(groups, features_), grid_.points);
    if (arena.exhausted()) return end(Status::arena_too_small);
    rest_ = memory.subspan(arena.used());
    own_.counts.clear();
    seeds_ = Draws(options_.seed);
    for (Index skipped = 0; skipped < 2 * first; ++skipped) seeds_.next(~Index(0));
    status_ = Status::running;
    return start_half();
  }

  bool start_half() {
    clear();
    const Index samples = targets_.samples();
    if (half_ % 2 == 0) {
      const std::uint64_t high = seeds_.next(~Index(0)), low = seeds_.next(~Index(0));
      Index rare = 0;
      if (!deal_folds(targets_.labels, targets_.classes, 2, true, high << 32 | low, own_.side, own_.order, rare)) {
        column_ = rare;
        return end(Status::missing_class);
      }
    }
    for (Index i = 0; i < samples; ++i) own_.weight[i] = in_half(i) ? targets_.raw_weight(i) : T(0);
    fill(own_.last, units(), std::uint8_t(0));
    fill(own_.ever, units(), std::uint8_t(0));
    Targets<T> targets = targets_;
    targets.weights = own_.weight;
    ::new (static_cast<void*>(storage_)) Halves(make_, features_, targets, grid_, options_.max_features);
    made_ = true;
    path().start(rest_);
    return advance_fold();
  }

  /// Counts a new point, and goes on to the next half after the last one.
  bool advance_fold() {
    if (path().at_point()) {
      look();
      count(path().points() - 1);
    }
    if (path().running()) return true;
    if (path().status() != Status::converged) return end(path().status());
    for (Index l = path().points(); l < grid_.points; ++l) count(l);
    Index selected = 0;
    for (Index g = 0; g < units(); ++g) selected += own_.ever[g];
    own_.counts.end_half(T(selected));
    next_ = half_ + 1;
    return next_ < past_ || end(Status::converged);
  }

  void look() {
    const auto model = path().model();
    Index unit = 0;
    options_.groups.for_each(features_, [&](FeatureGroup group) {
      std::uint8_t kept = 0;
      for (Index r = 0; r < group.count && !kept; ++r) kept = model.uses(group.feature(r));
      own_.last[unit] = kept;
      own_.ever[unit] = own_.ever[unit] || kept;
      ++unit;
    });
  }
  void count(Index point) {
    Index* row = own_.counts.kept + std::size_t(point) * units();
    for (Index g = 0; g < units(); ++g) row[g] |= own_.last[g] ? KeptCounts<T>::pending : 0;
  }

  Make make_;
  Index features_;
  Targets<T> targets_;
  Grid<T> grid_;
  StabilityOptions options_;
  Memory own_{};
  std::span<std::byte> rest_{};
  alignas(Halves) mutable std::byte storage_[sizeof(Halves)];
  bool made_ = false;
  Index half_ = 0, next_ = 0, past_ = 0;
  Index row_ = 0, column_ = 0;
  Draws seeds_{0};
  Status status_ = Status::running;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
