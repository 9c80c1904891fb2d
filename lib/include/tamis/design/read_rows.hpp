#pragma once
/// A design whose rows are fetched for every pass: from flash, a card, a sensor's log, or memory of another layout.

#include <span>

#include "../status.hpp"
#include "dense.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What a source answers instead of a number of values when it fails.
inline constexpr Index row_failed = ~Index(0);

/// Rows by number: `row(sample, out)` writes the values of all features to `out` and returns how many it wrote, or
/// row_failed. Anything but out.size() is a row out of step. It must give the same values in every pass.
template <class S, class T>
concept RowSource = requires(S source, Index sample, std::span<T> out) {
  { source.row(sample, out) } -> std::convertible_to<Index>;
};

template <class T, class Reader>
class RowDesign;

/// Fetches the rows of a source into `room`, as many at a time as fit: one for `features` entries, r for (r + 1)
/// `features`. Where all fit they are fetched once. Outlives the designs that it gives and what trains on them.
///
/// Each product, of which the iterations of most solvers have two, fetches all rows. The sums of a product are added up
/// to its total room by room, so that their bits depend on the size of `room` as they do on that of the arena; where
/// all rows fit, they are those of a DenseDesign.
template <class T, RowSource<T> Source>
class RowReader {
 public:
  RowReader(Source& source, Index samples, Index features, std::span<T> room)
      : source_(&source), room_(room), samples_(samples), features_(features) {
    const std::size_t rows = features ? room.size() / features : 0;
    together_ =
        static_cast<Index>(rows < 3 ? smallest<std::size_t>(rows, 1) : smallest<std::size_t>(rows - 1, samples));
  }
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  /// Entries of `room` for `rows` rows at a time.
  static constexpr std::size_t room_for(Index rows, Index features) {
    return (static_cast<std::size_t>(rows) + (rows > 1)) * features;
  }

  RowDesign<T, RowReader> design() { return RowDesign<T, RowReader>(*this); }

  Index samples() const { return samples_; }
  Index features() const { return features_; }
  /// Rows that are fetched together; 0 where the room is too small for one.
  Index together() const { return together_; }

  /// How reading failed, and at which sample; running: it did not. A failure lasts until `begin`.
  Status failure(Index& sample) const {
    if (failure_ != Status::running) sample = failed_at_;
    return failure_;
  }
  /// Forgets a failure and the rows that are loaded.
  void begin() {
    failure_ = together_ > 0 ? Status::running : Status::invalid_shape;
    failed_at_ = first_ = loaded_ = 0;
  }

  /// Fetches the rows from `first` on, `most` at most, unless they are there; false: one failed, now or before.
  [[gnu::noinline]] bool load(Index first, Index most = ~Index(0)) {
    if (failure_ != Status::running || together_ == 0) return false;
    const Index count = smallest(smallest(together_, samples_ - first), most);
    shown_ = count;
    shown_from_ = first;
    if (first >= first_ && first + count <= first_ + loaded_) return true;
    first_ = loaded_ = 0;
    T* const row = together_ > 1 ? room_.data() + static_cast<std::size_t>(together_) * features_ : room_.data();
    for (Index r = 0; r < count; ++r) {
      const Index got = source_->row(first + r, std::span<T>(row, features_));
      if (got != features_) {
        failure_ = got == row_failed ? Status::source_failed : Status::short_row;
        failed_at_ = first + r;
        return false;
      }
      if (together_ > 1)
        for (Index j = 0; j < features_; ++j) room_[r + static_cast<std::size_t>(j) * together_] = row[j];
    }
    first_ = first;
    loaded_ = count;
    return true;
  }
  /// The rows that the last `load` was about.
  DenseDesign<T> rows() const { return {room_.data() + (shown_from_ - first_), shown_, features_, together_}; }

 private:
  Source* source_;
  std::span<T> room_;
  Index samples_, features_;
  Index together_ = 0;
  Index first_ = 0, loaded_ = 0;
  Index shown_from_ = 0, shown_ = 0;
  Status failure_ = Status::running;
  Index failed_at_ = 0;
};

/// The design of a RowReader, a view that solvers may copy. After a failure products do nothing, and a run ends with
/// `source_failed` or `short_row`; its best model so far stays.
///
/// For solvers of products and of samples: PrimalDual, Fista, ConstrainedPrimalDual, CrammerSingerDual. `gather` of a
/// feature costs a pass, which makes the second phase of TwoPhase slow; descent over features does not take it.
template <class T, class Reader>
class RowDesign {
 public:
  explicit RowDesign(Reader& reader) : reader_(&reader) {}

  Index samples() const { return reader_->samples(); }
  Index features() const { return reader_->features(); }
  Status failure(Index& sample) const { return reader_->failure(sample); }

  /// Z = 1 baseᵀ + X_F W_F over the listed features (all of them when `list` is null).
  void multiply(const Index* list, Index count, const T* w, Index stride, const T* base, T* z) const {
    const Index read = for_each_load([&](const DenseDesign<T>& x, Index first) {
      x.multiply(list, count, w, stride, base, row_of(z, first, stride));
    });
    for (Index i = read; i < samples(); ++i) copy(base, stride, row_of(z, i, stride));
  }
  /// G(j, :) = Σᵢ x(i, j) U(i, :) for the listed features (all of them when `list` is null); other rows untouched.
  void transposed_multiply(const Index* list, Index count, const T* u, Index stride, T* g) const {
    for (Index c = 0; c < count; ++c) fill(row_of(g, list ? list[c] : c, stride), stride, T(0));
    for_each_load([&](const DenseDesign<T>& x, Index first) {
      x.add_transposed(list, count, row_of(u, first, stride), stride, g);
    });
  }

  /// sums[j] = Σᵢ x(i, j), compensated, in one pass. Scratch: one number per feature.
  void column_sums(T* sums, T* scratch) const {
    fill(sums, features(), T(0));
    fill(scratch, features(), T(0));
    for_each_load([&](const DenseDesign<T>& x, Index) {
      for (Index j = 0; j < features(); ++j) {
        Sum<T> total(sums[j], scratch[j]);
        for (Index i = 0; i < x.samples(); ++i) total.add(x(i, j));
        sums[j] = total.total();
        scratch[j] = total.error();
      }
    });
    for (Index j = 0; j < features(); ++j) sums[j] = Sum<T>(sums[j], scratch[j]).value();
  }
  /// squares[j] = Σᵢ (x(i, j) − means[j])², in one pass.
  void column_squares(const T* means, T* squares) const {
    fill(squares, features(), T(0));
    for_each_load([&](const DenseDesign<T>& x, Index) {
      for (Index j = 0; j < features(); ++j)
        for (Index i = 0; i < x.samples(); ++i) squares[j] += (x(i, j) - means[j]) * (x(i, j) - means[j]);
    });
  }
  T column_sum(Index feature) const {
    Sum<T> total;
    for_each_load([&](const DenseDesign<T>& x, Index) {
      for (Index i = 0; i < x.samples(); ++i) total.add(x(i, feature));
    });
    return total.value();
  }

  /// out[s·stride] = x(list[s], feature) for the listed samples, ascending (all when null). Cost: a pass.
  void gather(Index feature, const Index* list, Index count, T* out, Index stride) const {
    Index s = 0;
    for_each_load([&](const DenseDesign<T>& x, Index first) {
      for (; s < count && (list ? list[s] : s) < first + x.samples(); ++s)
        out[static_cast<std::size_t>(s) * stride] = x((list ? list[s] : s) - first, feature);
    });
    for (; s < count; ++s) out[static_cast<std::size_t>(s) * stride] = T(0);
  }

  std::size_t entries(const Index*, Index count) const { return static_cast<std::size_t>(samples()) * count; }

  /// length[i] = features: zeros are kept, so that a source that changes its mind writes nowhere else.
  void count_entries(Index* length) const {
    for (Index i = 0; i < samples(); ++i) length[i] = features();
  }
  /// Appends the values of each sample i, first ≤ i < last, to its row: position[i] is where the next one goes.
  void gather(Index first_sample, Index last_sample, Index* position, Index* features_out, T* values) const {
    Index read = first_sample;
    while (read < last_sample && reader_->load(read, last_sample - read)) {
      const DenseDesign<T> x = reader_->rows();
      for (Index i = 0; i < x.samples(); ++i, ++read)
        append(position[read], features_out, values, [&](Index j) { return x(i, j); });
    }
    for (; read < last_sample; ++read) append(position[read], features_out, values, [](Index) { return T(0); });
  }

  /// Begins anew after a failure. The first value that is NaN or infinite, by samples; or a failure, at `row`.
  bool find_bad_value(Index& row, Index& column) const {
    reader_->begin();
    bool bad = false;
    for_each_load([&](const DenseDesign<T>& x, Index first) {
      for (Index i = 0; i < x.samples() && !bad; ++i)
        for (Index j = 0; j < features() && !bad; ++j)
          if (!finite(x(i, j))) {
            row = first + i;
            column = j;
            bad = true;
          }
    });
    return bad || reader_->failure(row) != Status::running;
  }

 private:
  /// Visits all rows; returns how many were read.
  template <class Visit>
  Index for_each_load(Visit visit) const {
    Index first = 0;
    while (first < samples() && reader_->load(first)) {
      const DenseDesign<T> x = reader_->rows();
      visit(x, first);
      first += x.samples();
    }
    return first;
  }
  template <class Value>
  void append(Index& position, Index* features_out, T* values, Value value) const {
    for (Index j = 0; j < features(); ++j, ++position) {
      features_out[position] = j;
      values[position] = value(j);
    }
  }

  Reader* reader_;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
