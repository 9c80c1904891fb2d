#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "kernel_problem.hpp"
#include "support/problems.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis/solver/kernel_fista.hpp"

namespace tamis::verifier {

namespace {

struct KernelOutcome {
  const char* solver = "";
  double lambda = 0;
  bool goes_on = false;  ///< from where the run with another λ has ended
  Status status = Status::running;
  Real objective = 0, dual = 0, gap = 0, relative = 0, lambda_max = 0;
  std::uint32_t iterations = 0;
  Index nonzeros = 0, nonzero_rows = 0;
  bool intact = false, untouched = false;
  KernelPoint model;
};

/// How to run it: as the problem says, or in double as exactly as may be, for a bound of the optimum.
struct KernelManner {
  double tolerance;
  std::uint32_t max_iterations;
};

/// One run for each λ.
template <class T, class Solver>
void run_kernels(const KernelProblem& p, const char* name, std::initializer_list<double> lambdas,
                 const KernelManner& manner, std::vector<KernelOutcome>& out) {
  const std::vector<T> values(p.values.begin(), p.values.end());
  const Shape shape{p.samples, static_cast<Index>(p.features()), p.outputs};
  Options<T> options;
  options.lambda = T(*lambdas.begin());
  options.tolerance = T(manner.tolerance);
  options.max_iterations = manner.max_iterations;
  options.intercept = p.intercept;
  Solver solver(DenseDesign<T>(values.data(), p.samples, shape.features), p.labels, p.kernels, p.outputs,
                MixedNorm<T>{p.p, p.q, p.r}, options);
  testing::GuardedMemory memory(Solver::requirement(shape).bytes);
  for (const double& lambda : lambdas) {
    const bool goes_on = &lambda != lambdas.begin();
    bool running = false;
    if (!goes_on) running = solver.start(memory.span());
    else if constexpr (requires { solver.warm_start(T(lambda)); }) running = solver.warm_start(T(lambda));
    else return;
    while (running) running = solver.step();
    const Report<T>& r = solver.report();
    KernelOutcome o{name,
                    lambda,
                    goes_on,
                    r.status,
                    Real(r.objective),
                    Real(r.dual_objective),
                    Real(r.gap),
                    Real(r.relative_gap),
                    Real(r.lambda_max),
                    r.iterations,
                    r.nonzeros,
                    r.nonzero_rows,
                    memory.surroundings_intact(),
                    memory.untouched(),
                    {}};
    if (has_model(r.status)) {
      const KernelCoefficients<T> model = solver.model();
      for (Index t = 0; t < p.kernels; ++t)
        for (Index l = 0; l < p.samples; ++l)
          for (Index k = 0; k < p.outputs; ++k) o.model.w.push_back(Real(model(l, t, k)));
      for (Index k = 0; k < p.outputs; ++k) o.model.b.push_back(Real(model.intercept(k)));
    }
    out.push_back(o);
    if (!has_model(r.status)) return;
  }
}

template <class T>
std::vector<KernelOutcome> run_all(const KernelProblem& p) {
  std::vector<KernelOutcome> out;
  const KernelManner manner{p.tolerance, p.max_iterations};
  const auto lambdas = {p.lambda, p.next_lambda};
  run_kernels<T, KernelAdmm<T>>(p, "kernel-admm", lambdas, manner, out);
  run_kernels<T, KernelFista<T>>(p, "kernel-fista", lambdas, manner, out);
  if (!p.intercept) run_kernels<T, as_printed::KernelForwardBackward<T>>(p, "as-printed", {p.lambda}, manner, out);
  return out;
}

bool finite_point(const KernelPoint& at) {
  const auto finite = [](Real x) { return std::isfinite(x); };
  return std::all_of(at.w.begin(), at.w.end(), finite) && std::all_of(at.b.begin(), at.b.end(), finite);
}

/// The lowest point known for one λ.
struct Lowest {
  KernelPoint at;
  Real value;

  Lowest(const KernelProblem& p, const KernelTruth& truth, double lambda, const std::vector<KernelOutcome>& outcomes)
      : at(truth.zero()), value(truth.objective(at)) {
    std::vector<KernelOutcome> runs = outcomes;
    run_kernels<double, KernelAdmm<double>>(p, "", {lambda}, {1e-9, 2000}, runs);
    run_kernels<double, KernelFista<double>>(p, "", {lambda}, {1e-9, 1000}, runs);
    for (const KernelOutcome& o : runs) offer(truth, o.model);
    offer(truth, truth.descend(truth.zero(), 60));
    offer(truth, truth.descend(at, 60));
  }
  void offer(const KernelTruth& truth, const KernelPoint& other) {
    if (other.w.empty() || !finite_point(other)) return;
    const Real there = truth.objective(other);
    if (!(there < value)) return;
    at = other;
    value = there;
  }
};

/// The rules for one outcome.
class KernelJudge {
 public:
  KernelJudge(const KernelProblem& p, const KernelTruth& truth, const Lowest& lowest, const KernelOutcome& o,
              Findings& out)
      : p_(p), truth_(truth), lowest_(lowest), o_(o), out_(out), unit_(p.epsilon_of_type()) {}

  void check_convergence() {
    ++out_.cases;
    if (!o_.intact) find("wrote beyond its arena");
    if (o_.iterations > p_.max_iterations) find("iterations", o_.iterations, p_.max_iterations);
    if (!has_model(o_.status)) return judge_refusal();
    judge_claims({o_.status, o_.objective, o_.dual, o_.gap, o_.relative, Real(p_.tolerance), unit_, p_.least_of_type()},
                 [&](const char* rule, Real says) { find(rule, says); });
    if (!std::isfinite(o_.objective) || !std::isfinite(o_.dual) || !std::isfinite(o_.gap)) return;
    if (!finite_point(o_.model)) return find("model not finite");
    judge_counts();
    const Real value = truth_.objective(o_.model), off = truth_.rounding(o_.model);
    if (!(std::abs(value - o_.objective) <= off)) find("objective", o_.objective, value, off);
    const Real dual_off = truth_.dual_rounding(o_.model, lowest_.at);
    if (o_.dual > lowest_.value + dual_off) find("dual objective", o_.dual, lowest_.value, dual_off);
    judge_lambda_max();
    if (o_.status != Status::converged) return;
    ++out_.converged;
    if (value - lowest_.value > o_.gap + off + dual_off) find("gap", o_.gap, value - lowest_.value, off + dual_off);
  }

 private:
  void judge_refusal() {
    ++out_.refused;
    if (p_.benign) find("refused for no reason");
    if (o_.status != Status::invalid_scale && !o_.untouched) find("a refusal wrote to the arena");
  }
  void judge_counts() {
    Index nonzeros = 0, rows = 0;
    for (std::size_t j = 0; j < p_.features(); ++j) {
      const Index before = nonzeros;
      for (Index k = 0; k < p_.outputs; ++k) nonzeros += o_.model.w[j * p_.outputs + k] != 0;
      rows += nonzeros != before;
    }
    if (nonzeros != o_.nonzeros || rows != o_.nonzero_rows) find("counts", o_.nonzeros, nonzeros);
    if (!p_.intercept)
      for (const Real b : o_.model.b)
        if (b != 0) return find("an intercept without intercepts", b);
  }
  /// No point is below the best model without coefficients when λ is above lambda_max.
  void judge_lambda_max() {
    if (std::isnan(o_.lambda_max) || !(Real(o_.lambda) > o_.lambda_max * (1 + 1000 * unit_))) return;
    const Real null = truth_.null_objective();
    if (!std::isfinite(null)) return;
    const Real off = truth_.dual_rounding(truth_.zero(), lowest_.at);
    if (lowest_.value < null - off) find("lambda_max", o_.lambda_max, lowest_.value, off);
  }
  void find(const char* rule, Real says = 0, Real is = 0, Real off = 0) {
    char text[700];
    std::snprintf(
        text, sizeof text,
        "FALSE kernels %s (%s%s %s, lambda %.6g: says %.12Lg, is %.12Lg, rounding %.3Lg) %s\n  verifier --kernels %llu",
        rule, o_.solver, o_.goes_on ? " goes on" : "", name(o_.status), o_.lambda, says, is, off, p_.describe().c_str(),
        static_cast<unsigned long long>(p_.seed));
    out_.lines.push_back(text);
  }

  const KernelProblem& p_;
  const KernelTruth& truth_;
  const Lowest& lowest_;
  const KernelOutcome& o_;
  Findings& out_;
  Real unit_;
};

}  // namespace

void examine_kernels(std::uint64_t seed, Findings& out) {
  const KernelProblem p = make_kernel_problem(seed);
  const std::vector<KernelOutcome> outcomes = p.single ? run_all<float>(p) : run_all<double>(p);
  for (const double lambda : {p.lambda, p.next_lambda}) {
    const KernelTruth truth(p, lambda);
    std::optional<Lowest> lowest;
    for (const KernelOutcome& o : outcomes) {
      if (o.lambda != lambda) continue;
      if (!lowest) {
        std::vector<KernelOutcome> same;
        std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(same),
                     [=](const KernelOutcome& other) { return other.lambda == lambda; });
        lowest.emplace(p, truth, lambda, same);
      }
      KernelJudge(p, truth, *lowest, o, out).check_convergence();
    }
    if (p.lambda == p.next_lambda) break;
  }
}

}  // namespace tamis::verifier
