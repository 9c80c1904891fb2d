#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "experiments.hpp"
#include "tamis/solver/as_printed/block_coordinate_descent.hpp"
#include "tamis/solver/as_printed/line_search.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"
#include "tamis/solver/block_coordinate_descent.hpp"
#include "tamis/solver/stochastic.hpp"
#include "training.hpp"

namespace tamis::paper_b {

namespace {

using AnyColumns = AnyDesign<double>;

class Memory {
 public:
  explicit Memory(std::size_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(std::aligned_alloc(Arena::alignment, bytes)), std::free) {
    if (!data_) throw std::runtime_error("no memory for the arena: " + std::to_string(bytes) + " bytes");
  }
  std::span<std::byte> span() const { return {data_.get(), bytes_}; }
  void copy_from(const Memory& other) { std::memcpy(data_.get(), other.data_.get(), bytes_); }

 private:
  std::size_t bytes_;
  std::unique_ptr<std::byte, decltype(&std::free)> data_;
};

Targets<double> targets_of(const Problem& problem) { return {problem.labels, problem.classes}; }

std::size_t nonzeros(const Problem& problem) {
  return static_cast<std::size_t>(
      std::count_if(problem.table.values.begin(), problem.table.values.end(), [](double x) { return x != 0; }));
}

template <class Solver>
std::size_t bytes_for(const Problem& problem) {
  const Shape shape{static_cast<Index>(problem.table.samples), static_cast<Index>(problem.table.features),
                    problem.classes};
  const WorkspaceHint hint{.entries = nonzeros(problem), .active_limit = cli::usual_active_limit};
  if constexpr (requires { Solver::requirement(shape, hint); }) return Solver::requirement(shape, hint).bytes;
  else return Solver::requirement(shape).bytes;
}

void demand_start(const Report<double>& report, const char* what) {
  if (!has_model(report.status)) throw std::runtime_error(std::string(what) + ": " + describe(report.status));
}

/// A solver of the library. One that has rules of its own computes no certificate before its end; its model is found
/// out by ending a run whose state is put back afterwards. Of others the model is the best that was certified.
template <class Solver>
class SolverRun final : public Algorithm {
  static constexpr bool has_rules = requires(Solver solver) { solver.set_stopping({}); };

 public:
  template <class Loss>
  SolverRun(const Problem& problem, const Loss& loss, const Options<double>& options, const Stopping<double>& stopping,
            bool shrinking)
      : solver_(problem.samples.design(), targets_of(problem), loss, GroupL2{}, options),
        memory_(bytes_for<Solver>(problem)),
        saved_(has_rules ? bytes_for<Solver>(problem) : Arena::alignment) {
    if constexpr (has_rules) solver_.set_stopping(stopping);
    if constexpr (is_blockwise(Solver::kind)) solver_.set_shrinking(shrinking);
  }

  bool start() override {
    const bool running = solver_.start(memory_.span());
    demand_start(solver_.report(), name(Solver::kind));
    return running;
  }
  bool step() override { return solver_.step(); }
  bool has_news() const override { return has_rules || solver_.certificates() != seen_; }
  Coefficients model() override {
    seen_ = solver_.certificates();
    if constexpr (has_rules) {
      if (solver_.running()) {
        const Solver at_hand = solver_;
        saved_.copy_from(memory_);
        solver_.stop();
        Coefficients found = copy_of(solver_.model());
        memory_.copy_from(saved_);
        solver_ = at_hand;
        return found;
      }
    }
    return copy_of(solver_.model());
  }
  double passes() const override { return solver_.report().iterations; }
  Report<double> report() const override { return solver_.report(); }

 private:
  Solver solver_;
  Memory memory_, saved_;
  std::uint32_t seen_ = 0;
};

/// FOBOS without the certificates that the solver of that name computes, but with its learning rate and its order of
/// the samples. A step is a sixteenth of a pass.
class FobosRun final : public Algorithm {
  using Learner = FobosLearner<double, SquaredHinge, GroupL2>;
  using Rows = SampleRows<double, AnyColumns>;

 public:
  FobosRun(const Problem& problem, double lambda)
      : problem_(problem),
        learner_(static_cast<Index>(problem.table.features), problem.classes,
                 {.lambda = lambda, .learning_rate = choose_rate(problem, lambda), .intercept = false}),
        memory_(Learner::bytes(learner_.features(), problem.classes)),
        rows_(problem.samples.design()),
        row_memory_(row_bytes(problem)) {
    Arena arena(row_memory_.span());
    rows_.bind(Rows::Memory::lay_out(arena, samples(), entries(problem)), entries(problem));
    rows_.load(0, samples());
    for (Index i = 0; i < samples(); ++i) order_.push_back(i);
  }

  bool start() override { return learner_.begin(memory_.span()) == Status::running; }
  bool step() override {
    const Index count = std::max<Index>(1, samples() / 16);
    for (Index c = 0; c < count; ++c) {
      if (next_ == 0)
        for (Index left = samples(); left > 1; --left) std::swap(order_[draws_.next(left)], order_[left - 1]);
      const Index i = order_[next_];
      (void)learner_.update({rows_.row(i), problem_.labels[i]});
      next_ = (next_ + 1) % samples();
    }
    shown_ += count;
    return true;
  }
  bool has_news() const override { return true; }
  Coefficients model() override { return copy_of(learner_.model()); }
  double passes() const override { return static_cast<double>(shown_) / samples(); }
  Report<double> report() const override { return {}; }

 private:
  Index samples() const { return static_cast<Index>(problem_.labels.size()); }
  static std::size_t entries(const Problem& problem) {
    const auto features = static_cast<Index>(problem.table.features);
    return std::max<std::size_t>(problem.samples.design().entries(nullptr, features), features);
  }
  static std::size_t row_bytes(const Problem& problem) {
    Arena counter;
    (void)Rows::Memory::lay_out(counter, static_cast<Index>(problem.labels.size()), entries(problem));
    return counter.used();
  }
  /// That of the solver, on a quarter of the samples held out.
  static double choose_rate(const Problem& problem, double lambda) {
    using Solver = as_printed::Fobos<double, SquaredHinge, GroupL2, AnyColumns>;
    Solver solver(problem.samples.design(), targets_of(problem), {}, {}, {.lambda = lambda, .intercept = false});
    const Memory memory(bytes_for<Solver>(problem));
    bool running = solver.start(memory.span());
    demand_start(solver.report(), name(Solver::kind));
    while (running && !(solver.learning_rate() == solver.learning_rate())) running = solver.step();
    return running ? solver.learning_rate() : 1;
  }

  const Problem& problem_;
  Learner learner_;
  Memory memory_;
  Rows rows_;
  Memory row_memory_;
  std::vector<Index> order_;
  Draws draws_{0};
  Index next_ = 0;
  std::uint64_t shown_ = 0;
};

template <template <class, class, class, class> class Solver, class Loss>
std::unique_ptr<Algorithm> make(const Problem& problem, const Loss& loss, const Options<double>& options,
                                const Stopping<double>& stopping, bool shrinking = false) {
  return std::make_unique<SolverRun<Solver<double, Loss, GroupL2, AnyColumns>>>(problem, loss, options, stopping,
                                                                                shrinking);
}

}  // namespace

std::unique_ptr<Algorithm> make_algorithm(SolverKind solver, LossKind kind, const Problem& problem, double lambda,
                                          const Ending& ending) {
  Options<double> options;
  options.lambda = lambda;
  options.intercept = false;
  options.tolerance = ending.gap;
  options.max_iterations = ending.passes;
  const auto by = [&](StoppingRule rule) { return Stopping<double>{rule, ending.threshold}; };
  const auto descent = [&](const auto& loss) -> std::unique_ptr<Algorithm> {
    switch (solver) {
      case SolverKind::bcd_line_search_as_printed:
        return make<as_printed::BcdLineSearch>(problem, loss, options, by(StoppingRule::violation_sum),
                                               ending.shrinking);
      case SolverKind::bcd_constant_step_as_printed:
        return make<as_printed::BcdConstantStep>(problem, loss, options, by(StoppingRule::violation_max),
                                                 ending.shrinking);
      case SolverKind::block_coordinate_descent: return make<BlockCoordinateDescent>(problem, loss, options, {});
      default: return nullptr;
    }
  };
  std::unique_ptr<Algorithm> out;
  if (kind == LossKind::logistic) {
    out = descent(Logistic{});
  } else if (kind == LossKind::one_vs_rest_squared_hinge) {
    out = descent(OneVsRestSquaredHinge{});
  } else if (kind == LossKind::squared_hinge) {
    const SquaredHinge loss;
    const auto rule = by(StoppingRule::iterates);
    switch (solver) {
      case SolverKind::fista_line_search_as_printed:
        return make<as_printed::FistaLineSearch>(problem, loss, options, rule);
      case SolverKind::fista_constant_step_as_printed:
        return make<as_printed::FistaPrintedStep>(problem, loss, options, rule);
      case SolverKind::sparsa_as_printed: return make<as_printed::Sparsa>(problem, loss, options, rule);
      case SolverKind::fobos_as_printed: return std::make_unique<FobosRun>(problem, lambda);
      default: out = descent(loss);
    }
  }
  if (!out) throw std::logic_error(std::string("no experiment has ") + name(solver) + " with this loss");
  return out;
}

Optimum find_optimum(const Problem& problem, LossKind loss, double lambda, double seconds) {
  const auto ours = make_algorithm(SolverKind::block_coordinate_descent, loss, problem, lambda, {.gap = 1e-7});
  double best = std::numeric_limits<double>::infinity();
  run_algorithm(*ours, {.seconds = seconds}, [&](const Point& point) {
    best = std::min(best, objective(problem, loss, lambda, point.model));
    return false;
  });
  return {best, ours->report().dual_objective};
}

std::string run_algorithm(Algorithm& algorithm, const Limits& limits, const std::function<bool(const Point&)>& watch) {
  double spent = 0, next = std::isinf(limits.later) ? limits.later : 0;
  const auto timed = [&](auto part) {
    const double before = cpu_seconds();
    const bool more = part();
    spent += cpu_seconds() - before;
    return more;
  };
  bool more = timed([&] { return algorithm.start(); });
  for (;; more = timed([&] { return algorithm.step(); })) {
    const bool late = spent >= limits.seconds, far = algorithm.passes() >= limits.passes;
    if (!more || late || far || (spent >= next && algorithm.has_news())) {
      next = limits.later * spent;
      const bool enough = watch({spent, algorithm.passes(), algorithm.model()});
      if (!more) return name(algorithm.report().status);
      if (enough) return "enough";
    }
    if (late) return "time_limit";
    if (far) return "pass_limit";
  }
}

}  // namespace tamis::paper_b
