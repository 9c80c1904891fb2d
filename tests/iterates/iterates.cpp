// Runs a printed algorithm on the problem of standard input and prints its iterates, which tests in Python compare with
// transcriptions of the papers. Input and output are lines of a name, a number of entries, and the entries.
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "support/problems.hpp"
#include "tamis/any.hpp"
#include "tamis/solver/as_printed/constrained_primal_dual.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"
#include "tamis/solver/as_printed/linear_constraints_primal_dual.hpp"
#include "tamis/solver/as_printed/primal_dual.hpp"
#include "tamis/solver/as_printed/proximal_gradient.hpp"

namespace {

using namespace tamis;
using Numbers = std::vector<double>;

void print(const char* name, const Numbers& numbers) {
  std::printf("%s %zu", name, numbers.size());
  for (const double number : numbers) std::printf(" %.17g", number);
  std::printf("\n");
}

/// What standard input says.
struct Problem {
  std::string algorithm;
  std::map<std::string, Numbers> entries;
  std::vector<Label> labels;

  Problem() {
    std::cin >> algorithm;
    std::size_t count = 0;
    for (std::string name; std::cin >> name >> count;)
      for (double number; entries[name].size() < count && std::cin >> number;) entries[name].push_back(number);
    for (const double label : entries["labels"]) labels.push_back(static_cast<Label>(label));
  }
  double number(const char* name) const { return entries.at(name).at(0); }
  Index count(const char* name) const { return static_cast<Index>(number(name)); }
  const double* list(const char* name) const {
    const auto found = entries.find(name);
    return found == entries.end() ? nullptr : found->second.data();
  }
  Shape shape() const { return {count("samples"), count("features"), count("classes")}; }
  DenseDesign<double> design() const { return {list("columns"), count("samples"), count("features")}; }
  Targets<double> targets() const { return {labels, count("classes"), list("weights"), list("margins")}; }
  Options<double> options() const {
    return {.lambda = number("lambda"),
            .tolerance = 1e-300,
            .max_iterations = count("iterations"),
            .intercept = number("intercept") != 0,
            .eta = number("eta")};
  }
  AnyPenalty<double> penalty() const {
    return AnyPenalty<double>(static_cast<PenaltyKind>(count("penalty")), Groups::blocks(count("block")));
  }
};

/// What a design was multiplied with since it was cleared, padding left out.
struct Products {
  Index classes;
  bool intercept;
  std::vector<Numbers> coefficients, duals;
};

/// A dense design that remembers its products: they show the iterates of solvers that keep theirs to themselves.
struct WatchedDesign : DenseDesign<double> {
  Products* products;

  void multiply(const Index* list, Index count, const double* w, Index stride, const double* base, double* z) const {
    Numbers& to = products->coefficients.emplace_back();
    for (Index j = 0; j < features(); ++j)
      to.insert(to.end(), row_of(w, j, stride), row_of(w, j, stride) + products->classes);
    if (products->intercept) to.insert(to.end(), base, base + products->classes);
    DenseDesign::multiply(list, count, w, stride, base, z);
  }
  void transposed_multiply(const Index* list, Index count, const double* u, Index stride, double* g) const {
    Numbers& to = products->duals.emplace_back();
    for (Index i = 0; i < samples(); ++i)
      to.insert(to.end(), row_of(u, i, stride), row_of(u, i, stride) + products->classes);
    DenseDesign::transposed_multiply(list, count, u, stride, g);
  }
};

/// A solver of linear scores by its products: in an iteration Tᵀy and then T(2x⁺ − x) of the primal–dual ones, the
/// scores of where the gradient is taken of the others, and then the certificate's; after the last the scores of x.
template <template <class, class, class, class> class Solver>
int run_linear(const Problem& problem, LossKind loss) {
  using Watched = Solver<double, AnyLoss<double>, AnyPenalty<double>, WatchedDesign>;
  Products products{problem.shape().classes, problem.options().intercept, {}, {}};
  testing::GuardedMemory memory(Watched::requirement(problem.shape()).bytes);
  Watched solver(WatchedDesign{problem.design(), &products}, problem.targets(), AnyLoss<double>(loss), problem.penalty(),
               problem.options());
  solver.set_stopping({StoppingRule::iterates, 1e-300});
  bool going = solver.start(memory.span());
  while (going) {
    const auto before = solver.report().iterations;
    products.coefficients.clear();
    products.duals.clear();
    going = solver.step();
    if (solver.report().iterations == before) continue;
    if (before == 0) print("norm", {solver.norm()});
    print("dual", products.duals.at(0));
    print("point", products.coefficients.at(0));
    if (!going) print("last", products.coefficients.at(1));
  }
  return solver.report().status == Status::iteration_limit ? 0 : 1;
}

/// A solver of Jiu et al. (2020) by what it shows of its iterates: the rows (Θ_j, v_j) of each output.
template <class Solver, class Set>
int run_interactions(const Problem& problem, Set set) {
  struct Shown : Solver {
    using Solver::Solver;
    double curvature() { return this->measure_curvature(1.0); }
  };
  InteractionTargets<double> targets;
  if (problem.labels.empty()) targets.values = problem.list("values");
  else targets.labels = problem.labels, targets.classes = problem.shape().classes;
  testing::GuardedMemory memory(Solver::requirement(problem.shape()).bytes);
  Shown solver(problem.design(), targets, problem.number("strong") ? Hierarchy::strong : Hierarchy::weak,
               problem.number("linf") ? HierarchyNorm::linf : HierarchyNorm::l1, problem.number("lambda2"),
               problem.options());
  set(solver);
  bool going = solver.start(memory.span());
  if (going) print("norm", {solver.curvature()});
  while (going) {
    going = solver.step();
    Numbers rows;
    const auto iterate = solver.iterate();
    for (Index k = 0; k < iterate.outputs; ++k)
      for (Index j = 0; j < iterate.features; ++j)
        rows.insert(rows.end(), iterate.row(k, j), iterate.row(k, j) + iterate.features + 1);
    print("rows", rows);
  }
  return solver.report().status == Status::iteration_limit ? 0 : 1;
}

}  // namespace

int main() {
  using namespace as_printed;
  const Problem problem;
  const std::string& name = problem.algorithm;
  const auto rounds = [&]() -> InnerLoop<double> { return {0, problem.count("rounds")}; };
  if (name == "primal-dual") return run_linear<as_printed::PrimalDual>(problem, LossKind::hinge);
  if (name == "constrained") return run_linear<as_printed::ConstrainedPrimalDual>(problem, LossKind::hinge);
  if (name == "linear-constraints") return run_linear<LinearConstraintsPrimalDual>(problem, LossKind::hinge);
  if (name == "fista") return run_linear<FistaConstantStep>(problem, static_cast<LossKind>(problem.count("loss")));
  if (name == "forward-backward")
    return run_linear<ForwardBackward>(problem, static_cast<LossKind>(problem.count("loss")));
  if (name == "interaction-primal-dual") return run_interactions<InteractionPrimalDual<double>>(problem, [](auto&) {});
  if (name == "interaction-fista") return run_interactions<InteractionFista<double>>(problem, [](auto&) {});
  if (name == "interaction-dykstra")
    return run_interactions<InteractionFistaDykstra<double>>(problem,
                                                             [&](auto& solver) { solver.set_inner(rounds()); });
  if (name == "interaction-admm")
    return run_interactions<as_printed::InteractionAdmm<double>>(
        problem, [&](auto& solver) { solver.set_splitting(problem.number("rho"), rounds()); });
  std::fprintf(stderr, "iterates: '%s' is no algorithm that it knows\n", name.c_str());
  return 2;
}
