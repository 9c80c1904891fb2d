#include "runs.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "support/problems.hpp"
#include "training.hpp"

namespace tamis::verifier {

namespace {

template <class T>
std::vector<T> in(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

template <class T>
Outcome run_in(const Problem& p, SolverKind solver, const Manner& manner) {
  const std::vector<T> values = in<T>(p.values), weights = in<T>(p.weights), margins = in<T>(p.margins);
  std::vector<T> entries;
  std::vector<Index> rows, columns{0};
  for (Index j = 0; j < p.features && p.sparse; ++j) {
    for (Index i = 0; i < p.samples; ++i)
      if (values[i + std::size_t(j) * p.samples] != T(0)) {
        entries.push_back(values[i + std::size_t(j) * p.samples]);
        rows.push_back(i);
      }
    columns.push_back(static_cast<Index>(entries.size()));
  }
  const DenseDesign<T> dense(values.data(), p.samples, p.features);
  const SparseDesign<T> sparse(entries.data(), rows.data(), columns.data(), p.samples, p.features);
  const AnyDesign<T> design = p.sparse ? AnyDesign<T>(sparse) : AnyDesign<T>(dense);

  std::map<std::vector<Label>, Label> numbers;
  std::vector<Label> labels = p.labels, members;
  std::vector<Index> starts{0};
  if (!p.sets.empty()) {
    for (const auto& set : p.sets) numbers[set] = 0;
    Label next = 0;
    for (auto& [set, number] : numbers) {
      number = next++;
      members.insert(members.end(), set.begin(), set.end());
      starts.push_back(static_cast<Index>(members.size()));
    }
    for (Index i = 0; i < p.samples; ++i) labels[i] = numbers[p.sets[i]];
  }
  const LabelSets sets{starts.data(), members.data(), static_cast<Index>(starts.size() - 1)};

  const Targets<T> targets{labels, p.classes, weights.empty() ? nullptr : weights.data(),
                           margins.empty() ? nullptr : margins.data()};
  const Groups groups = p.listed()
                            ? Groups::listed(p.order.data(), p.starts.data(), static_cast<Index>(p.starts.size() - 1))
                            : Groups::blocks(p.block);
  const Shape shape{p.samples, p.features, p.classes};
  const ProblemSpec choice = ProblemSpec{p.loss, p.penalty, groups, solver, p.constrained()}.of_sizes(
      shape, T(p.lambda), false, T(p.l1_ratio));
  Options<T> options;
  options.lambda = T(manner.before > 0 ? manner.before : p.lambda);
  options.eta = T(p.eta);
  options.tolerance = T(manner.tolerance);
  options.max_iterations = manner.max_iterations;
  options.intercept = p.intercept;
  if (!p.default_margin && p.margins.empty()) options.margin = T(p.margin);
  using Training = cli::CommandTraining<T>;
  Training training(choice, design, targets, options, {.l1_ratio = T(p.l1_ratio), .epsilon = T(p.epsilon)},
                    AnyMultilabelLoss<T>(p.loss, sets), StochasticOptions<T>{.seed = p.seed});
  const auto requirement = manner.hinted ? Training::requirement(choice, shape, {p.values.size(), 200})
                                        : Training::requirement(choice, shape);
  testing::GuardedMemory memory(requirement.bytes);
  std::uint32_t steps = 0;
  const auto finish = [&](bool running) {
    for (; running; running = training.step())
      if (manner.steps > 0 && ++steps > manner.steps) training.stop();
  };
  finish(training.start(memory.span()));
  const bool goes_on = manner.before > 0 && tamis::has_model(training.report().status);
  if (goes_on) finish(training.warm_start(T(p.lambda)));

  const Report<T>& r = training.report();
  Outcome out;
  out.solver = solver;
  out.single = sizeof(T) == 4;
  out.went_on = goes_on;
  out.was_stopped = manner.steps > 0;
  out.status = r.status;
  out.objective = Real(r.objective);
  out.dual_objective = Real(r.dual_objective);
  out.gap = Real(r.gap);
  out.relative_gap = Real(r.relative_gap);
  out.kkt_residual = Real(r.kkt_residual);
  out.lambda_max = Real(r.lambda_max);
  out.constraint_value = Real(r.constraint_value);
  out.constraint_bound = Real(r.constraint_bound);
  out.multiplier = Real(r.multiplier);
  out.iterations = r.iterations;
  out.max_iterations = manner.max_iterations;
  out.nonzeros = r.nonzeros;
  out.nonzero_rows = r.nonzero_rows;
  out.tolerance = Real(options.tolerance);
  out.effects = {memory.untouched(), memory.surroundings_intact()};
  if (!out.has_model()) return out;
  const LinearModel<T> model = training.model();
  for (Index j = 0; j < p.features; ++j)
    for (Index k = 0; k < p.classes; ++k) out.model.w.push_back(Real(model(j, k)));
  for (Index k = 0; k < p.classes; ++k) out.model.b.push_back(Real(model.intercept(k)));
  if (const T* of = training.weights())
    for (Index j = 0; j < p.features; ++j)
      for (Index k = 0; k < p.classes; ++k) out.l1_weights.push_back(Real(of[j * model.stride() + k]));
  return out;
}

}  // namespace

std::vector<Manner> manners_of(const Problem& problem, SolverKind solver) {
  Draw draw(problem.seed ^ (std::uint64_t(solver) << 56));
  const Manner plain{problem.single, draw.chance(0.6), problem.tolerance,
                     is_stochastic(solver) ? std::min(problem.max_iterations, 20u) : problem.max_iterations};
  std::vector<Manner> out{plain};
  if (draw.chance(0.1)) {
    out.push_back(plain);
    out.back().steps = static_cast<std::uint32_t>(draw.magnitude(0, 2));
  }
  const ProblemSpec choice{problem.loss, problem.penalty, Groups::blocks(problem.block), solver};
  if (draw.chance(0.2) && !problem.constrained() && problem.lambda > 0 && cli::CommandTraining<double>::has_path(choice)) {
    out.push_back(plain);
    const double before = problem.lambda * draw.magnitude(-0.3, 1), most = problem.single ? 3e38 : 1e308;
    out.back().before = problem.single ? double(float(std::min(before, most))) : std::min(before, most);
  }
  return out;
}

Outcome run(const Problem& problem, SolverKind solver, const Manner& manner) {
  return manner.single ? run_in<float>(problem, solver, manner) : run_in<double>(problem, solver, manner);
}

}  // namespace tamis::verifier
