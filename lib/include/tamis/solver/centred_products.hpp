#pragma once
/// Products of the active features with the design, centred where there are intercepts.

#include "working_set.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// With an intercept the design is centred implicitly: scores are (X − 1m̄ᵀ)W + s·1v with m̄ the column means and s·v the
/// shifted intercepts. The objective is the same, the norm of the operator is that of the centred design, and s is
/// chosen so that the intercept column has that norm too. The third layer of Workbench; it counts epochs, and ends the
/// run when samples cannot be read.
template <class T, class Loss, class Penalty, class Design>
class CentredProducts : public WorkingSet<T, Loss, Penalty, Design> {
  using Base = WorkingSet<T, Loss, Penalty, Design>;

 public:
  const Report<T>& report() const { return report_; }
  bool running() const { return report_.status == Status::running; }
  /// That of the centred design, as far as it is known: what steps are taken from.
  T norm() const { return norm_; }

 protected:
  using Base::active_count_, Base::design_, Base::for_each_active_row, Base::memory_, Base::options_, Base::report_,
      Base::shape_, Base::for_each_listed_group, Base::is_scaled_, Base::precondition, Base::scale_rows,
      Base::squared_distance_of_rows, Base::stride_;
  using Base::Base;

  void centre() {
    if (!options_.intercept) return;
    if constexpr (requires { design_.column_sums(memory_.means, memory_.score); }) {
      design_.column_sums(memory_.means, memory_.score);
      fill(memory_.score, shape_.features, T(0));
      for (Index j = 0; j < shape_.features; ++j) memory_.means[j] /= T(shape_.samples);
      notice_failure();
    } else {
      for (Index j = 0; j < shape_.features; ++j) memory_.means[j] = design_.column_sum(j) / T(shape_.samples);
    }
    add_epochs(design_.entries(nullptr, shape_.features), T(0.5));
  }

  /// Gives features their scales: the root of Σᵢ (x_ij − m̄_j)² beside that of others, the largest of a group; all are
  /// 1 where columns differ little. `scratch` has an entry per sample.
  [[gnu::noinline]] void measure_scales(T* scratch) {
    T* const squares = memory_.score;
    if constexpr (requires { design_.column_squares(memory_.means, squares); }) {
      design_.column_squares(memory_.means, squares);
      notice_failure();
    } else {
      for (Index j = 0; j < shape_.features; ++j) squares[j] = column_squares(j, scratch);
    }
    std::int8_t* const exponents = memory_.exponents;
    if constexpr (Base::groups_features)
      for_each_listed_group(nullptr, shape_.features, [&](FeatureGroup group) {
        T top = 0;
        for (Index r = 0; r < group.count; ++r) top = largest(top, squares[group.feature(r)]);
        for (Index r = 0; r < group.count; ++r) squares[group.feature(r)] = top;
      });
    int low = most_measured, high = -most_measured, total = 0, count = 0;
    for (Index j = 0; j < shape_.features; ++j) {
      int exponent = unmeasured;
      if (squares[j] > T(0)) {
        exponent = clamped(exponent_of(squares[j]) >> 1, most_measured);
        low = smallest(low, exponent);
        high = largest(high, exponent);
        total += exponent;
        ++count;
      }
      exponents[j] = static_cast<std::int8_t>(exponent);
    }
    is_scaled_ = high - low > alike;
    const int mean = count > 0 ? total / count : 0;
    for (Index j = 0; j < shape_.features; ++j) {
      const bool is_one = !is_scaled_ || exponents[j] == unmeasured;
      exponents[j] = static_cast<std::int8_t>(is_one ? 0 : clamped(exponents[j] - mean, most_used));
    }
  }
  static constexpr int clamped(int x, int most) { return smallest(largest(x, -most), most); }
  static constexpr int alike = 8;       ///< difference of exponents that needs no scales
  static constexpr int most_used = 60;  ///< squares of scales are in the range of float
  static constexpr int most_measured = 120;
  static constexpr int unmeasured = 127;  ///< of constant columns

  /// Σᵢ (x_ij − m̄_j)².
  T column_squares(Index j, T* scratch) const {
    const T mean = memory_.means[j];
    const auto over = [mean](const T* values, Index count) {
      T sum = 0;
      for (Index e = 0; e < count; ++e) sum += (values[e] - mean) * (values[e] - mean);
      return sum;
    };
    if constexpr (HasColumns<Design, T>) {
      if (has_columns(design_)) {
        const Column<T> x = design_.column(j);
        return over(x.values, x.count) + T(shape_.samples - x.count) * (mean * mean);
      }
    }
    design_.gather(j, nullptr, shape_.samples, scratch, 1);
    return over(scratch, shape_.samples);
  }

  /// z = scores of w (row `features` scaled by the intercept scale).
  void multiply(const T* w, T* z) { multiply(design_, w, z); }
  /// The same for the samples of another design with these features.
  [[gnu::noinline]] void multiply(const Design& design, const T* w, T* z) {
    T* base = memory_.row[0];
    shifted_intercepts(w, base);
    design.multiply(memory_.list, active_count_, w, stride_, base, z);
    count_product(design, memory_.list, active_count_);
  }

  /// g = gradient of ⟨u, scores⟩ with respect to the coefficients (active rows and the intercept row).
  void transposed_multiply(const T* u, T* g) { transposed_multiply(design_, u, g); }
  /// The same for duals that are zero on all but the samples of another design with these features.
  [[gnu::noinline]] void transposed_multiply(const Design& design, const T* u, T* g) {
    transposed_multiply(design, memory_.list, active_count_, u, g);
  }

  /// base = s·v − m̄ᵀW: the intercepts in the units of the caller.
  [[gnu::noinline]] void shifted_intercepts(const T* w, T* base) const {
    const T* v = row_of(w, shape_.features, stride_);
    for (Index k = 0; k < stride_; k += SimdOrScalar<T>::width) {
      auto total = SimdOrScalar<T>::zero();  // without intercepts their row is never written, so it must not be read
      if (options_.intercept) total = SimdOrScalar<T>::fill(intercept_scale_) * SimdOrScalar<T>::load(v + k);
      for (Index c = 0; c < active_count_; ++c) {
        const Index j = memory_.list[c];
        total = total - SimdOrScalar<T>::fill(memory_.means[j]) * SimdOrScalar<T>::load(row_of(w, j, stride_) + k);
      }
      total.store(base + k);
    }
  }

  [[gnu::noinline]] void transposed_multiply(const Design& design, const Index* list, Index count, const T* u, T* g) {
    design.transposed_multiply(list, count, u, stride_, g);
    count_product(design, list, count);
    if (!options_.intercept) return;
    T* sums = row_of(g, shape_.features, stride_);
    block_sums(u, design.samples(), stride_, sums);
    for (Index c = 0; c < count && !is_centred(design); ++c) {
      const Index j = list ? list[c] : c;
      T* out = row_of(g, j, stride_);
      add_scaled_row(out, -memory_.means[j], static_cast<const T*>(sums), stride_, out);
    }
    scale_row(sums, stride_, intercept_scale_);
  }

  /// Whether the columns themselves are about the means that there are.
  static bool is_centred(const Design& design) {
    if constexpr (requires { design.is_moved(); }) return design.is_moved();
    else return false;
  }

  /// As transposed_multiply, over all features.
  void whole_transposed_multiply(const T* u, T* g) { transposed_multiply(design_, nullptr, shape_.features, u, g); }

  void add_epochs(std::size_t entries, T share) {
    const std::size_t all = design_.entries(nullptr, shape_.features);
    if (all > 0) report_.epochs += share * T(entries) / T(all);
  }

  void count_product(const Design& design, const Index* list, Index count) {
    notice_failure();
    add_epochs(design.entries(list, count), T(0.5));
  }

  /// Ends the run when the design could not be read: what follows from it is of no use any more.
  void notice_failure() {
    Index sample = 0;
    const Status failure = failure_of(design_, sample);
    if (failure == Status::running || !running()) return;
    report_.status = failure;
    report_.row = sample;
  }
  bool has_failed() const {
    Index sample = 0;
    return failure_of(design_, sample) != Status::running;
  }

  // ---- the norm of the centred design

  [[gnu::noinline]] void start_power_iteration(T* v) {
    for (Index j = 0; j <= shape_.features; ++j)
      for (Index k = 0; k < stride_; ++k) *v++ = scattered<T>(j * 2654435761u + k * 40503u);
    norm_ = T(0);
    power_iterations_ = 0;
  }

  /// How closely a power iteration is watched before its estimate is taken. One that has hardly grown may still be that
  /// of another singular vector, when the largest has a small share in the first v: `rough` is for solvers that find
  /// out by their own steps, `close` for those that trust it.
  struct PowerAccuracy {
    T growth;             ///< relative, of one iteration, at which it ends
    std::uint16_t least;  ///< number of iterations
    std::uint16_t most;
  };
  static constexpr PowerAccuracy rough{T(5e-4), 6, 200}, close{T(1e-6), 30, 1000};

  /// One iteration of v ← AᵀNAv/‖AᵀNAv‖ on all columns of v at once, N the map that `normal` applies to the scores in
  /// place (none: the identity); true when norm_ = ‖AᵀNA‖^½ is known, a lower bound and one percent. A has the present
  /// intercept scale.
  template <class Normal>
  [[gnu::noinline]] bool advance_power_iteration(T* v, T* z, Normal normal, const PowerAccuracy& accuracy = close) {
    multiply(v, z);
    normal(z);
    transposed_multiply(z, v);
    precondition(v);
    const T length = square_root(squared_distance_of_rows(v, nullptr));
    if (!(length > T(0))) {  // nothing varies: any positive norm will do
      norm_ = T(1);
      return true;
    }
    const T before = norm_;
    if (power_iterations_ > 0) norm_ = largest(before, square_root(length));  // v has had length one before
    ++power_iterations_;
    const bool settled = power_iterations_ >= accuracy.least && norm_ <= before * (T(1) + accuracy.growth);
    if (settled || power_iterations_ >= accuracy.most) {
      norm_ *= T(1.01);
      return true;
    }
    scale_rows(v, T(1) / length, false);
    return false;
  }
  bool advance_power_iteration(T* v, T* z, const PowerAccuracy& accuracy = close) {
    return advance_power_iteration(
        v, z, [](T*) {}, accuracy);
  }

  /// Gives the intercept column the norm of the centred design, to which it is orthogonal; the intercepts of w keep
  /// their value.
  void rescale_intercept(T* w, T old_scale) {
    if (!options_.intercept) return;
    intercept_scale_ = norm_ / square_root(T(shape_.samples));
    scale_row(row_of(w, shape_.features, stride_), stride_, old_scale / intercept_scale_);
  }

  std::uint16_t power_iterations_ = 0;
  T intercept_scale_ = T(0);
  T norm_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
