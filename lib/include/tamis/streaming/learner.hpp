#pragma once
/// What learners from a stream share: the checked sample, scores, progressive validation, groups of features.

#include <span>

#include "../arena.hpp"
#include "../concepts.hpp"
#include "../model/linear.hpp"
#include "options.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A loss that a stream can be learned with: it has a gradient, or a subgradient.
template <class L, class T>
concept StreamLoss = requires(const L loss, const T* z, Index classes, Label y, T margin, T weight, T* u) {
  { loss.subgradient(z, classes, y, margin, weight, u) } -> std::convertible_to<T>;
}
|| requires(const L loss, const T* z, Index classes, Label y, T margin, T weight, T* u) {
  { loss.gradient(z, classes, y, margin, weight, u) } -> std::convertible_to<T>;
};

namespace detail {

/// u ← the gradient of cℓ at z, or a subgradient; returns ℓ(z).
template <class T, class Loss>
T stream_gradient(const Loss& loss, const T* z, Index classes, Label y, T margin, T weight, T* u) {
  if constexpr (requires { loss.subgradient(z, classes, y, margin, weight, u); })
    return loss.subgradient(z, classes, y, margin, weight, u);
  else return loss.gradient(z, classes, y, margin, weight, u);
}

}  // namespace detail

/// Base of the learners; not for use on its own. `Derived` has `lay_out_own`, `begin_own`, `bring_up(group)`, which
/// makes the rows of a group those of the present model, `take_step(x, weight, square)`, one step with the gradient x
/// uᵀ where ‖u‖² = square, `make_room(weight, size)`, before it: false where such a step with entries of the gradient
/// up to `size` might leave the numbers of T, and `step_length()`.
///
/// Memory: one matrix of p+1 rows of padded classes, two rows, p numbers when groups are listed, and what the learner
/// adds; whatever the number of samples. Cost of a sample: that of its values that are not zero, K flops each, and of
/// the groups they are in.
template <class Derived, class Own, class T, class Loss, class Penalty>
class StreamLearner {
  static_assert(StreamLoss<Loss, T>, "learning from a stream needs a loss with gradient or subgradient");
  static_assert(tamis::Penalty<Penalty, T>, "a penalty needs value(Rows<const T>) and prox(Rows<T>, step)");

 public:
  static constexpr std::size_t alignment = Arena::alignment;

  StreamLearner(Index features, Index classes, const StreamOptions<T>& options, const Loss& loss,
                const Penalty& penalty)
      : loss_(loss),
        penalty_(penalty),
        options_(options),
        features_(features),
        classes_(classes),
        stride_(padded<T>(classes)),
        groups_(groups_of(penalty)) {}

  /// Exact bytes that `begin` needs; `listed`: the groups of the penalty are listed.
  static constexpr Requirement requirement(Index features, Index classes, bool listed = false) {
    return count_bytes<Memory>(features, classes, listed);
  }
  static constexpr std::size_t bytes(Index features, Index classes, bool listed = false) {
    return requirement(features, classes, listed).bytes;
  }

  using Scalar = T;
  using Sample = StreamSample<T>;

  Index features() const { return features_; }
  Index classes() const { return classes_; }
  T learning_rate() const { return options_.learning_rate; }
  /// Before `begin`.
  void set_learning_rate(T rate) { options_.learning_rate = rate; }

  /// Checks everything, and starts from zero, or from a model that has learned from `seen` samples. The model must have
  /// this shape and entries up to `largest_entry()`, and stay where it is, outside `memory`, for as long as the learner
  /// is used. Running, or a refusal that has not touched the memory.
  [[gnu::noinline]] Status begin(std::span<std::byte> memory, const LinearModel<T>& from = {}, std::uint32_t seen = 0) {
    report_ = {};
    const Requirement needed = requirement(features_, classes_, groups_.is_listed);
    report_.arena_bytes = needed.bytes;
    report_.status = check(memory, needed, from);
    if (report_.status != Status::running) return report_.status;
    Arena arena(memory);
    memory_ = Memory::lay_out(arena, features_, classes_, groups_.is_listed);
    const std::size_t count = (static_cast<std::size_t>(features_) + 1) * stride_;
    fill(memory_.w, count, T(0));
    if (from.coefficients)
      for (Index j = 0; j <= features_; ++j)
        copy(row_of(from.coefficients, j, stride_), classes_, row_of(memory_.w, j, stride_));
    fill(memory_.u, stride_, T(0));
    for (Index g = 0; groups_.is_listed && g < groups_.count; ++g)
      for (Index e = groups_.starts[g]; e < groups_.starts[g + 1]; ++e) memory_.group_of[groups_.order[e]] = g;
    report_.samples = seen;
    loss_total_ = error_total_ = weight_total_ = {};
    derived().begin_own(from, seen);
    return Status::running;
  }

  /// Learns from one sample. Running; or why it was refused, which is counted and leaves the model as it was:
  /// invalid_shape (a row without indices that does not hold all features), invalid_label, invalid_weight (or one whose
  /// sum with those before is not finite), invalid_margin, invalid_data (a value that is not finite or too large to be
  /// multiplied, indices not ascending or out of range, scores or a step that overflow). After a refusal of `begin`:
  /// that.
  [[gnu::noinline]] Status update(const StreamSample<T>& sample) {
    if (report_.status != Status::running) return report_.status;
    const Status status = learn_from(sample);
    if (status != Status::running) {
      report_.last_refusal = status;
      report_.refused += report_.refused < ~std::uint32_t(0);
    }
    return status;
  }
  /// All features, zeros included.
  Status update(const T* values, Label label, T weight = T(1)) {
    return update(StreamSample<T>{{values, nullptr, features_}, label, weight});
  }
  /// The values at `indices`, ascending; all others are zero.
  Status update(const Index* indices, const T* values, Index count, Label label, T weight = T(1)) {
    const SampleRow<T> given{values, indices, count}, none{nullptr, nullptr, count};
    return update(StreamSample<T>{indices && count > 0 ? given : none, label, weight});
  }

  /// The loss of a sample that is not learned from; NaN where it would be refused.
  [[gnu::noinline]] T loss(const StreamSample<T>& sample) {
    if (report_.status != Status::running || check(sample) != Status::running) return not_a_number<T>;
    take_scores(sample.x);
    return loss_.value(memory_.z, classes_, sample.label, margin_of(sample));
  }

  /// The model so far, all rows brought up to date: a view that lives until the next update. Cost O(features·classes).
  [[gnu::noinline]] LinearModel<T> model() {
    if (report_.status != Status::running) return {};
    groups_.for_each(features_, [&](FeatureGroup group) { derived().bring_up(group); });
    return {memory_.w, features_, classes_};
  }

  /// Coefficients stay below: sums of as many as there are classes and features can be taken of them.
  static constexpr T largest_entry() { return epsilon<T> / least_normal<T>; }

  StreamReport<T> report() const {
    StreamReport<T> out = report_;
    if (report_.status != Status::running) return out;
    out.learning_rate = derived().step_length();
    const T weight = weight_total_.value();
    if (weight > T(0)) {
      const T mean = loss_total_.value() / weight;
      out.mean_loss = mean == mean ? mean : infinity<T>;  // sums that overflow are no numbers
      out.mean_error = error_total_.value() / weight;
    }
    return out;
  }

 protected:
  struct Memory {
    T* w;             ///< coefficients, (features + 1) × stride; the last row holds intercepts
    T* z;             ///< scores of the sample
    T* u;             ///< gradient with respect to them
    Index* group_of;  ///< the number of each feature's group, when groups are listed
    Own own;

    static constexpr Memory lay_out(Arena& arena, Index features, Index classes, bool listed) {
      Memory m{};
      m.w = arena.take<T>(coefficients(features, classes));
      for (T** row : {&m.z, &m.u}) *row = arena.take<T>(padded<T>(classes));
      m.group_of = arena.take<Index>(listed ? features : 0);
      m.own = Own::lay_out(arena, features, classes);
      return m;
    }
  };
  static constexpr std::size_t coefficients(Index features, Index classes) {
    return detail::saturating_multiply(detail::saturating_add(features, 1), padded<T>(classes));
  }

  /// Visits the values of a sample that are not zero as (feature, value).
  template <class Visit>
  [[gnu::always_inline]] void for_each_value(const SampleRow<T>& x, Visit visit) const {
    for (Index e = 0; e < x.count; ++e)
      if (x.values[e] != T(0)) visit(x.features ? x.features[e] : e, x.values[e]);
  }

  FeatureGroup group_with(Index feature) const {
    if (groups_.is_listed) {
      const Index g = memory_.group_of[feature], start = groups_.starts[g];
      return {groups_.order[start], groups_.starts[g + 1] - start, groups_.order + start};
    }
    const Index together = groups_.features_together();
    const Index first = together == 1 ? feature : feature / together * together;
    return {first, smallest(together, features_ - first)};
  }

  /// W += x vᵀ in the rows of a matrix.
  void add_outer(const SampleRow<T>& x, const T* v, T* matrix) const {
    for_each_value(x, [&](Index j, T value) { add_multiple(value, v, row_of(matrix, j, stride_)); });
  }
  void add_multiple(T by, const T* v, T* row) const {
    const auto factor = SimdOrScalar<T>::fill(by);
    for (Index k = 0; k < stride_; k += SimdOrScalar<T>::width)
      (SimdOrScalar<T>::load(row + k) + factor * SimdOrScalar<T>::load(v + k)).store(row + k);
  }

  Loss loss_;
  Penalty penalty_;
  StreamOptions<T> options_;
  Index features_;
  Index classes_;
  Index stride_;
  Groups groups_;
  Memory memory_{};
  T reach_ = T(
      0);  ///< no coefficient of the model that was begun from is larger, nor, where a learner adds to it, of this one
  StreamReport<T> report_{.status = Status::invalid_arena};

 private:
  Derived& derived() { return static_cast<Derived&>(*this); }
  const Derived& derived() const { return static_cast<const Derived&>(*this); }

  bool valid_margin(T margin) const {
    return finite(margin) && (margin > T(0) || (margin == T(0) && default_margin<T>(loss_) == T(0)));
  }
  T margin_of(const StreamSample<T>& sample) const {
    if (sample.margin == sample.margin) return sample.margin;
    return options_.margin == options_.margin ? options_.margin : default_margin<T>(loss_);
  }

  Status check(std::span<std::byte> memory, Requirement needed, const LinearModel<T>& from) {
    if (features_ == 0 || classes_ < 2 || classes_ > 65536) return Status::invalid_shape;
    if (!(options_.lambda >= T(0)) || !finite(options_.lambda)) return Status::invalid_lambda;
    // With it, a step divided by the root of the smallest square is still a number.
    const T rate = options_.learning_rate;
    if (!(rate > T(0)) || !finite(rate * rate / epsilon<T>)) return Status::invalid_option;
    if constexpr (requires { penalty_.valid(); })
      if (!penalty_.valid()) return Status::invalid_option;
    if (groups_.is_listed && !groups_.cover(features_, report_.column)) return Status::invalid_groups;
    if (options_.margin == options_.margin && !valid_margin(options_.margin)) return Status::invalid_margin;
    reach_ = T(0);
    if (from.coefficients) {
      if (from.features != features_ || from.classes != classes_) return Status::invalid_shape;
      for (Index j = 0; j <= features_; ++j)
        for (Index k = 0; k < classes_; ++k)
          if (const T entry = absolute(from(j, k)); entry <= largest_entry()) {
            reach_ = largest(reach_, entry);
          } else {
            report_.column = j;
            return Status::invalid_data;
          }
    }
    if (!Arena::aligned(memory)) return Status::invalid_arena;
    if (memory.size() < needed.bytes) return Status::arena_too_small;
    const auto begins = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto old = reinterpret_cast<std::uintptr_t>(from.coefficients);
    const std::size_t length = coefficients(features_, classes_) * sizeof(T);
    if (from.coefficients && old < begins + needed.bytes && begins < old + length) return Status::invalid_arena;
    return Status::running;
  }

  Status check(const StreamSample<T>& sample) {
    const SampleRow<T>& x = sample.x;
    const bool zeros = !x.values && x.count == 0;
    if (!zeros && (!x.values || (!x.features && x.count != features_))) return Status::invalid_shape;
    if (sample.label >= classes_) return Status::invalid_label;
    if (!(sample.weight >= T(0)) || !finite(sample.weight)) return Status::invalid_weight;
    if (!valid_margin(margin_of(sample))) return Status::invalid_margin;
    for (Index e = 0; e < x.count; ++e) {
      const Index j = x.features ? x.features[e] : e;
      if (finite(x.values[e]) && j < features_ && (e == 0 || !x.features || j > x.features[e - 1])) continue;
      report_.column = j;
      return Status::invalid_data;
    }
    return Status::running;
  }

  /// z ← Wᵀx + b, the rows of x brought up to date before.
  void take_scores(const SampleRow<T>& x) {
    Index last = features_;
    for_each_value(x, [&](Index j, T) {
      const FeatureGroup group = group_with(j);
      if (group.first != last) derived().bring_up(group);
      last = group.first;
    });
    const T* intercepts = row_of(memory_.w, features_, stride_);
    detail::for_each_wide_strip<T>(stride_, [&]<int V>(Index k) {
      constexpr Index width = SimdOrScalar<T>::width;
      SimdOrScalar<T> total[std::size_t{V}];
      TAMIS_UNROLL
      for (Index v = 0; v < V; ++v) total[v] = SimdOrScalar<T>::load(intercepts + k + v * width);
      for_each_value(x, [&](Index j, T value) {
        const T* row = row_of(memory_.w, j, stride_) + k;
        TAMIS_UNROLL
        for (Index v = 0; v < V; ++v)
          total[v] = total[v] + SimdOrScalar<T>::fill(value) * SimdOrScalar<T>::load(row + v * width);
      });
      TAMIS_UNROLL
      for (Index v = 0; v < V; ++v) total[v].store(memory_.z + k + v * width);
    });
  }

  Status learn_from(const StreamSample<T>& sample) {
    const Status status = check(sample);
    if (status != Status::running) return status;
    take_scores(sample.x);
    const T loss =
        detail::stream_gradient(loss_, memory_.z, classes_, sample.label, margin_of(sample), sample.weight, memory_.u);
    T square = 0;
    for (Index k = 0; k < classes_; ++k) square += memory_.u[k] * memory_.u[k];
    T top = T(1);
    for (Index e = 0; e < sample.x.count; ++e) top = largest(top, absolute(sample.x.values[e]));
    if (!finite(weight_total_.value() + sample.weight)) return Status::invalid_weight;
    if (!finite(loss) || !finite(T(256) * (top * top) * square) ||
        !derived().make_room(sample.weight, top * square_root(square))) {
      report_.column = 0;
      report_.overflowed += report_.overflowed < ~std::uint32_t(0);
      return Status::invalid_data;
    }

    Index best = 0;
    for (Index k = 1; k < classes_; ++k)
      if (memory_.z[k] > memory_.z[best]) best = k;
    loss_total_.add(sample.weight * loss);
    error_total_.add(is_right(loss_, best, sample.label) ? T(0) : sample.weight);
    weight_total_.add(sample.weight);
    report_.samples += report_.samples < ~std::uint32_t(0);
    if (sample.weight > T(0)) derived().take_step(sample.x, sample.weight, square);
    return Status::running;
  }

  Sum<T> loss_total_{}, error_total_{}, weight_total_{};
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
