// Figure 5 and table 2: three objectives along ten values of λ, accuracy against rows of coefficients, and times.
#include <cmath>

#include "experiments.hpp"

namespace tamis::paper_b {

namespace {

/// An objective and the algorithm that the paper has for it; `beside`: another one that it compares with that, section
/// 5.3.1.
struct Objective {
  const char* name;
  LossKind loss;
  SolverKind printed;
  bool beside = false;
};

constexpr Objective objectives[] = {
    {"multiclass squared hinge", LossKind::squared_hinge, SolverKind::bcd_line_search_as_printed},
    {"multitask squared hinge", LossKind::one_vs_rest_squared_hinge, SolverKind::bcd_line_search_as_printed},
    {"multiclass logistic", LossKind::logistic, SolverKind::bcd_constant_step_as_printed},
    {"multiclass logistic", LossKind::logistic, SolverKind::bcd_line_search_as_printed, true}};

constexpr std::uint32_t most_passes = 200;
constexpr double tau = 1e-3;

/// Ten values, evenly apart in the logarithm, from the highest to a hundredth of it.
std::vector<double> lambdas_of(const DataSet& data) {
  std::vector<double> lambdas;
  for (int i = 0; i < 10; ++i) lambdas.push_back(data.highest_lambda * std::pow(10.0, -2.0 * i / 9));
  return lambdas;
}

struct Result {
  std::string status;  ///< `rule`: of equation (10); `converged`: a gap of 1e-3 is certified; or the limit
  Point last;
  double relative_gap;
};

Result solve(const Problem& problem, const Objective& what, SolverKind solver, double lambda, double seconds) {
  const bool printed = solver == what.printed;
  Ending ending{.threshold = tau, .gap = tau};
  if (printed) ending.passes = most_passes;
  const auto algorithm = make_algorithm(solver, what.loss, problem, lambda, ending);
  Result out{};
  out.status = run_algorithm(*algorithm, {.seconds = seconds, .later = std::numeric_limits<double>::infinity()},
                             [&](const Point& point) {
                               out.last = point;
                               return false;
                             });
  out.relative_gap =
      algorithm->report().status == Status::running ? not_a_number<double> : algorithm->report().relative_gap;
  if (printed && (out.status == name(Status::converged) || out.status == name(Status::stopped))) out.status = "rule";
  return out;
}

constexpr const char* header =
    "data,seed,objective,solver,lambda,status,passes,seconds,relative_gap,accuracy,nonzero_row_percentage,limit_"
    "seconds";

void write(Csv& csv, const DataSet& data, std::uint64_t seed, const Objective& what, SolverKind solver, double lambda,
           const Result& result, const Split& split, double limit) {
  csv.line("%s,%llu,%s,%s,%.6g,%s,%g,%.6f,%.4g,%.4f,%.4f,%g", data.name.c_str(), static_cast<unsigned long long>(seed),
           what.name, name(solver), lambda, result.status.c_str(), result.last.passes, result.last.seconds,
           result.relative_gap, 100 - split.test->error_percentage(result.last.model),
           nonzero_row_percentage(result.last.model), limit);
}

/// All objectives and λ of all data sets, with the paper's algorithms too or with ours alone.
void sweep(Run& run, const std::string& file, bool with_printed) {
  const double limit = run.limit();
  Csv csv(run, file, header);
  for_each_data_set(run, [&](const DataSet& data) {
    for (std::size_t s = 0; s < run.splits(); ++s) {
      const std::uint64_t seed = first_seed + s;
      const Split split(data, seed);
      for (const Objective& what : objectives)
        for (const SolverKind solver : {what.printed, SolverKind::block_coordinate_descent}) {
          if (solver == what.printed ? !with_printed : what.beside) continue;
          double seconds = 0;
          std::size_t unfinished = 0;
          const std::vector<double> lambdas = lambdas_of(data);
          for (std::size_t l = 0; l < lambdas.size(); ++l) {
            if (run.quick && l % 3 != 0) continue;
            const Result result = solve(*split.train, what, solver, lambdas[l], limit);
            write(csv, data, seed, what, solver, lambdas[l], result, split, limit);
            seconds += result.last.seconds;
            unfinished += result.status != "rule" && result.status != name(Status::converged);
            if (solver == SolverKind::block_coordinate_descent && run.quick && !(result.relative_gap <= tau)) {
              std::printf("%s, lambda %g: no gap of %g was certified\n", what.name, lambdas[l], tau);
              run.agreed = false;
            }
          }
          std::printf("%s, split %llu, %-25s %-29s %9.3f s, %zu not at their tolerance\n", data.name.c_str(),
                      static_cast<unsigned long long>(seed), what.name, name(solver), seconds, unfinished);
          std::fflush(stdout);
        }
    }
  });
}

}  // namespace

void figure5(Run& run) {
  std::printf(
      "figure 5: test accuracy against rows of coefficients, 10 values of lambda, %zu splits (paper: 3) of seeds from\n"
      "%llu on; our solver at a certified relative gap of %g.\n",
      run.splits(), static_cast<unsigned long long>(first_seed), tau);
  sweep(run, "figure5.csv", false);
}

void table2(Run& run) {
  std::printf(
      "table 2: times of 10 values of lambda, %zu splits (paper: 3) of seeds from %llu on. The paper's algorithms end\n"
      "by equation (10) with tau = %g or after %u passes (their last step includes a certificate), ours at a\n"
      "certified relative gap of %g. CPU time of one thread.\n",
      run.splits(), static_cast<unsigned long long>(first_seed), tau, most_passes, tau);
  sweep(run, "table2.csv", true);
}

}  // namespace tamis::paper_b
