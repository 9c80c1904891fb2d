#pragma once
/// Learners from a stream as solvers: samples of a design in random order, with certificates.

#include "../catalogue.hpp"
#include "../design/dense.hpp"
#include "../design/sample_rows.hpp"
#include "../linalg/random.hpp"
#include "../streaming/dual_averaging.hpp"
#include "../streaming/fobos.hpp"
#include "../streaming/run.hpp"
#include "workbench.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Shows a `Learner` all samples in passes, each in an order drawn anew; an iteration is a pass. Certificates come
/// after each of the first five passes and every fifth, and are not part of the method: the reported model is the best
/// that they saw. Nothing else ends a run than the gap, which the noise of single samples keeps open as a rule, and the
/// limit of iterations. λ_max is reported without an intercept only; there is no `kkt_residual`.
///
/// Without a learning rate, each of 10⁻³ … 10³ first makes one pass over three quarters of the samples, and the one
/// with the least mean loss on the quarter that is held out is taken (Blondel et al. (2013), section 5.2); then it
/// begins with all samples.
///
/// Memory: that of the learner, (p+1) + n rows of padded classes, 3n + 4p entries, and room for one sample; more memory
/// holds all samples at once. Cost per pass: 4·entries·K flops, and as many for a certificate.
template <class T, class Loss, class Penalty, class Design, template <class, class, class> class Learner,
          SolverKind solver>
class StochasticSolver : public Workbench<T, Loss, Penalty, SampleRows<T, Design>> {
  static_assert(tamis::Penalty<Penalty, T>, TAMIS_NEEDS_PENALTY);
  static_assert(tamis::Design<Design, T>, TAMIS_NEEDS_DESIGN);
  using Base = Workbench<T, Loss, Penalty, SampleRows<T, Design>>;
  using Base::add_epochs, Base::bind, Base::certify_null_model, Base::count_iteration, Base::design_,
      Base::end_at_limit, Base::has_zeros, Base::intercept_scale_, Base::loss_, Base::memory_, Base::multiply,
      Base::offer_primal, Base::options_, Base::penalty_, Base::report_, Base::shape_, Base::stride_, Base::targets_,
      Base::validate;

 public:
  using Base::certificates, Base::running;
  static constexpr SolverKind kind = solver;

  StochasticSolver(const Design& design, const Targets<T>& targets, const Loss& loss, const Penalty& penalty,
                   const Options<T>& options, const StochasticOptions<T>& stochastic = {})
      : Base(SampleRows<T, Design>(design), targets, loss, penalty, options),
        stochastic_(stochastic),
        draws_(stochastic.seed),
        learner_(0, 0, {}, loss, penalty) {}

  /// Bytes that `start` needs, aligned to Arena::alignment; the memory of the data is not in it.
  static constexpr Requirement requirement(Shape shape) { return requirement(shape, WorkspaceHint{}); }
  /// Bytes with which all samples fit at once, for a design with that many values that are not zero.
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    return count_bytes<Memory>(shape, largest<std::size_t>(hint.entries, shape.features));
  }

  /// Checks the problem and certifies the model without coefficients. False: it has ended.
  bool start(std::span<std::byte> memory) {
    if (!validate(memory, requirement(shape_))) return false;
    const T rate = stochastic_.learning_rate;
    if (rate == rate && !(rate > T(0) && finite(rate))) {
      report_.status = Status::invalid_option;
      return false;
    }
    lay_out(memory);
    design_.bind(own_.rows, entries_);
    whole_ = design_.block_from(0) == shape_.samples;
    if (whole_) design_.load(0, shape_.samples);
    Sum<T> total;
    for (Index i = 0; i < shape_.samples; ++i) {
      own_.order[i] = i;
      total.add(targets_.raw_weight(i));
    }
    mean_weight_ = total.value() / T(shape_.samples);
    intercept_scale_ = T(1);
    report_.kkt_residual = not_a_number<T>;
    begin(rate);
    certify(true);
    if (options_.intercept || !has_zeros()) report_.lambda_max = not_a_number<T>;
    if (rate == rate) return running();
    shuffle();
    least_ = infinity<T>;
    tried_ = 0;
    return running();
  }

  /// One pass, or the trial of one learning rate, certificates included; false when the run has ended.
  bool step() {
    if (!running()) return false;
    if (tried_ < rates) {
      try_rate();
      return true;
    }
    const bool last = !count_iteration();
    shuffle();
    learn(0, shape_.samples);
    add_epochs(design_.entries(nullptr, shape_.features), T(1));
    if (last || report_.iterations <= 5 || report_.iterations % 5 == 0) certify(last);
    if (last) end_at_limit();
    return running();
  }

  /// η₀; NaN before it is chosen.
  T learning_rate() const { return tried_ < rates ? not_a_number<T> : learner_.learning_rate(); }

 private:
  using Learns = Learner<T, Loss, Penalty>;
  static constexpr Index rates = static_cast<Index>(sizeof(learning_rates<T>) / sizeof(T));

  struct Memory {
    CommonMemory<T> common;
    T* v;          ///< gradients
    T* z;          ///< scores, gradients of the loss
    Index* order;  ///< of the samples in a pass
    std::byte* learner;
    typename SampleRows<T, Design>::Memory rows;

    static constexpr Memory lay_out(Arena& arena, Shape shape, std::size_t entries) {
      Memory m{};
      m.common = CommonMemory<T>::lay_out(arena, shape);
      m.v = arena.take<T>(CommonMemory<T>::coefficients(shape));
      m.z = arena.take<T>(CommonMemory<T>::duals(shape));
      m.order = arena.take<Index>(shape.samples);
      m.learner = arena.take<std::byte>(learner_bytes(shape));
      m.rows = SampleRows<T, Design>::Memory::lay_out(arena, shape.samples, entries);
      return m;
    }
  };
  static constexpr std::size_t learner_bytes(Shape shape) { return Learns::bytes(shape.features, shape.classes, true); }

  /// Room for as many entries as fit, and as there are.
  [[gnu::noinline]] void lay_out(std::span<std::byte> memory) {
    const std::size_t least = shape_.features;
    const std::size_t spare = memory.size() - requirement(shape_).bytes;
    const std::size_t room = smallest(least + spare / (sizeof(T) + sizeof(Index)), std::size_t{~Index(0)});
    entries_ = smallest(room, largest(least, design_.entries(nullptr, shape_.features)));
    while (entries_ > least && requirement(shape_, {entries_, 0}).bytes > memory.size()) --entries_;
    Arena arena(memory);
    own_ = Memory::lay_out(arena, shape_, entries_);
    bind(own_.common, arena.used());
  }

  void begin(T rate) {
    const StreamOptions<T> options{.lambda = options_.lambda,
                                   .learning_rate = rate == rate ? rate : T(1),
                                   .intercept = options_.intercept};
    learner_ = Learns(shape_.features, shape_.classes, options, loss_, penalty_);
    learner_.begin({own_.learner, learner_bytes(shape_)});
  }

  void shuffle() {
    for (Index left = shape_.samples; left > 1; --left) {
      const Index drawn = draws_.next(left), last = own_.order[left - 1];
      own_.order[left - 1] = own_.order[drawn];
      own_.order[drawn] = last;
    }
  }

  StreamSample<T> sample(Index i) {
    if (!whole_) design_.load(i, 1);
    return {design_.row(i), targets_.labels[i], targets_.raw_weight(i) / mean_weight_,
            targets_.margin(i)};
  }

  /// Shows the learner the samples at these places of the order.
  void learn(Index first, Index last) {
    for (Index e = first; e < last; ++e) learner_.update(sample(own_.order[e]));
  }

  [[gnu::noinline]] void try_rate() {
    const Index held_out = largest(shape_.samples / 4, Index(1));
    const Index kept = shape_.samples - held_out;
    begin(learning_rates<T>[tried_]);
    learn(0, kept);
    Sum<T> total;
    for (Index e = kept; e < shape_.samples; ++e) {
      const StreamSample<T> x = sample(own_.order[e]);
      total.add(x.weight * learner_.loss(x));
    }
    add_epochs(design_.entries(nullptr, shape_.features), T(1));
    if (learner_.report().overflowed == 0 && total.value() < least_) {
      least_ = total.value();
      best_ = tried_;
    }
    if (++tried_ == rates) begin(learning_rates<T>[best_]);
  }

  void certify(bool last) {
    const T* w = learner_.model().coefficients;
    multiply(w, own_.z);
    offer_primal(w, own_.z);
    T* gradient = memory_.row[1];
    for (Index i = 0; i < shape_.samples; ++i) {
      T* row = row_of(own_.z, i, stride_);
      detail::stream_gradient(loss_, row, shape_.classes, targets_.labels[i],
                              targets_.margin(i), targets_.weight(i), gradient);
      fill(row, stride_, T(0));
      copy(gradient, shape_.classes, row);
    }
    if (certificates() == 0) certify_null_model(own_.z, own_.v);
    else Base::certify(own_.z, own_.v, last);
  }

  StochasticOptions<T> stochastic_;
  Draws draws_;
  Learns learner_;
  Memory own_{};
  std::size_t entries_ = 0;
  bool whole_ = false;  ///< all samples are loaded
  Index tried_ = rates;
  Index best_ = 0;
  T least_ = infinity<T>;  ///< held-out loss of the best rate
  T mean_weight_ = T(1);
};

namespace as_printed {

/// FOBOS: see FobosLearner.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class Fobos : public StochasticSolver<T, Loss, Penalty, Design, FobosLearner, SolverKind::fobos_as_printed> {
 public:
  using StochasticSolver<T, Loss, Penalty, Design, FobosLearner, SolverKind::fobos_as_printed>::StochasticSolver;
};

}  // namespace as_printed

/// See DualAveragingLearner.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class AdaptiveDualAveraging
    : public StochasticSolver<T, Loss, Penalty, Design, DualAveragingLearner, SolverKind::adaptive_dual_averaging> {
 public:
  using StochasticSolver<T, Loss, Penalty, Design, DualAveragingLearner,
                         SolverKind::adaptive_dual_averaging>::StochasticSolver;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
