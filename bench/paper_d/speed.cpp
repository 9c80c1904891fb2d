// How long certified solutions take, without intercepts: the reference sets, the Titanic, digits of ten classes; beside
// the printed forward–backward algorithm, and, in speed.csv, Fista and the splitting without Newton's methods.
#include <algorithm>
#include <cmath>

#include "experiments.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_fista.hpp"
#include "text_file.hpp"

namespace tamis::paper_d {

namespace {

using Printed = as_printed::KernelForwardBackward<double>;
constexpr double gap = 1e-6;

/// A data set, and how long a solution may take.
struct Workload {
  const char* data;
  KernelValues values;
  std::vector<Label> labels;
  Index classes;
  std::vector<double> lambdas;  ///< in the paper's units
  double asked;                 ///< seconds
};

struct Timed {
  double seconds = 0;
  Report<double> report;
};

template <class Solver>
Timed solve_once(const Workload& work, const Norm& norm, double lambda, double limit, std::uint32_t iterations) {
  const auto design = work.values.design();
  const Index outputs = work.classes == 2 ? 1 : work.classes;
  const ArenaMemory memory(Solver::requirement({work.values.trained, design.features(), outputs}).bytes);
  Solver solver(
      design, work.labels, work.values.kernels, outputs, MixedNorm<double>{norm.p, norm.q, norm.r},
      {.lambda = lambda / work.values.trained, .tolerance = gap, .max_iterations = iterations, .intercept = false});
  const double before = cpu_seconds();
  for (bool more = solver.start(memory.span()); more && cpu_seconds() - before < limit;) more = solver.step();
  return {cpu_seconds() - before, solver.report()};
}

/// Of solves that take less than 0.1 s the median of several.
Timed solve(const Workload& work, const Norm& norm, double lambda, int runs) {
  const auto once = [&] {
    return solve_once<KernelAdmm<double>>(work, norm, lambda, std::numeric_limits<double>::infinity(), 1000000);
  };
  std::vector<Timed> all = {once()};
  while (all.front().seconds < 0.1 && static_cast<int>(all.size()) < runs) all.push_back(once());
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end(),
                   [](const Timed& one, const Timed& other) { return one.seconds < other.seconds; });
  return *middle;
}

cli::Table read_numbers_of(const std::string& file, const std::string& labels) {
  cli::ReadOptions options;
  options.labels_file = std::string(TAMIS_REFERENCE_DATA "/data/") + labels;
  return cli::read_table(std::string(TAMIS_REFERENCE_DATA "/data/") + file, options);
}

Workload reference(const char* data, std::vector<double> lambdas, double asked) {
  Workload out{data, {}, {}, 2, std::move(lambdas), asked};
  for (const char* number : {"1", "2", "3"}) {
    const cli::Table table = read_numbers_of(std::string(data) + "_K" + number + ".csv", std::string(data) + "_y.csv");
    const std::size_t n = table.samples;
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t i = 0; i < n; ++i) out.values.values.push_back(table.values[l + i * n]);
    out.values.samples = out.values.trained = static_cast<Index>(n);
    out.labels = cli::encode(table, cli::class_names(table.labels));
    ++out.values.kernels;
  }
  return out;
}

Workload titanic_of(const Run& run) {
  Parts parts = read_parts(run, "titanic");
  if (parts.train.count == 0) parts = split(passengers(), 150, 2051, first_seed);
  const Kernels kernels = {{KernelKind::linear}, {KernelKind::gaussian, 0.1}, {KernelKind::gaussian, 100}};
  return {"Titanic", compare(kernels, parts.train, parts.train), parts.train.labels, 2, {100, 10, 1}, 0.015};
}

/// Five kernels of histograms.
Workload digits_of(Index count) {
  const Samples samples = split(histograms(read_digits()), count, 0, first_seed).train;
  const Kernels kernels = {{KernelKind::linear},
                           {KernelKind::gaussian, histogram_width},
                           {KernelKind::gaussian, histogram_width / 3},
                           {KernelKind::chi2},
                           {KernelKind::kl}};
  return {"digits", compare(kernels, samples, samples), samples.labels, 10, {100, 10, 1}, 1};
}

/// The certified optimum of a reference problem, of sums over samples; NaN where there is none.
double optimum_of(const Workload& work, const Norm& norm, double lambda) {
  cli::TextFile file(TAMIS_REFERENCE_DATA "/kernel_cases.csv");
  std::string line;
  file.next_line(line);
  while (file.next_line(line)) {
    char data[32];
    int p, q, r;
    double its_lambda, optimum;
    if (std::sscanf(line.c_str(), "%*[^,],%31[^,],%d,%d,%d,%lf,%lf", data, &p, &q, &r, &its_lambda, &optimum) != 6)
      file.fail_at_line("", "it is not a case");
    if (std::string(data) == work.data && p == norm.p && q == norm.q && (p == q || r == norm.r) && its_lambda == lambda)
      return optimum;
  }
  return not_a_number<double>;
}

class Experiment {
 public:
  explicit Experiment(Run& run)
      : run_(run),
        csv_(run, "speed.csv", "data,samples,kernels,norm,lambda,solver,status,iterations,seconds,relative_gap,asked") {
  }

  /// `printed`: λ at which the printed algorithm runs too.
  void operator()(const Workload& work, const std::vector<double>& printed) {
    for (const double lambda : work.lambdas)
      for (const Norm& norm : norms) {
        const Timed ours = solve(work, norm, lambda, run_.quick ? 1 : 7);
        write(work, norm, lambda, "ours", ours);
        if (!run_.quick) {
          write(work, norm, lambda, "fista",
                solve_once<KernelFista<double>>(work, norm, lambda, run_.limit(), 1000000000u));
          write(work, norm, lambda, "admm-without-newton",
                solve_once<KernelAdmm<double, false>>(work, norm, lambda, run_.limit(), 1000000000u));
        }
        std::printf("  %-8s %-5s lambda %-5g %9.3f ms (%u iterations, gap %.1e)%s", work.data, norm.name, lambda,
                    1000 * ours.seconds, ours.report.iterations, ours.report.relative_gap,
                    run_.quick || ours.seconds <= work.asked ? "" : " over what is asked");
        const double n = work.values.trained, optimum = optimum_of(work, norm, lambda);
        expect(ours.report.status == Status::converged, "it has not converged");
        if (optimum == optimum)
          expect(ours.report.objective * n <= optimum * (1 + gap) && ours.report.dual_objective * n <= optimum + 1e-9,
                 "its certificate does not hold the certified optimum");
        if (std::find(printed.begin(), printed.end(), lambda) != printed.end()) compare_with(work, norm, lambda, ours);
        std::printf("\n");
        std::fflush(stdout);
      }
  }

 private:
  void write(const Workload& work, const Norm& norm, double lambda, const char* solver, const Timed& timed) {
    csv_.line("%s,%u,%u,%s,%g,%s,%s,%u,%.7f,%.3g,%g", work.data, work.values.trained, work.values.kernels, norm.name,
              lambda, solver, name(timed.report.status), timed.report.iterations, timed.seconds,
              timed.report.relative_gap, work.asked);
  }
  void expect(bool holds, const char* otherwise) {
    if (holds) return;
    std::printf("  %s", otherwise);
    run_.agreed = false;
  }
  /// The printed algorithm, for long enough to see whether it takes 50 times as long where that is at most minutes.
  void compare_with(const Workload& work, const Norm& norm, double lambda, const Timed& ours) {
    const double enough = std::min(60 * ours.seconds, run_.full ? 600.0 : 60.0);
    const Timed theirs =
        solve_once<Printed>(work, norm, lambda, std::max(run_.limit(), enough), run_.quick ? 4000u : 1000000000u);
    write(work, norm, lambda, "forward-backward-as-printed", theirs);
    const bool reached = theirs.report.status == Status::converged;
    std::printf("; as printed %s%.3f s, %s%.0f times ours", reached ? "" : "not in ", theirs.seconds,
                reached ? "" : "over ", theirs.seconds / ours.seconds);
    const double rounding = 1e-12 * ours.report.objective;
    expect(theirs.report.dual_objective <= ours.report.objective + rounding &&
               ours.report.dual_objective <= theirs.report.objective + rounding,
           "their certificates exclude each other");
  }

  Run& run_;
  Csv csv_;
};

}  // namespace

void speed(Run& run) {
  std::printf("speed: CPU time of solutions certified to a relative gap of %g, kernel matrices given\n", gap);
  Experiment experiment(run);
  experiment(reference("ker21", {2, 0.5}, 0.001), {2, 0.5});
  experiment(reference("keriris", {10, 1}, 0.005), {10, 1});
  if (run.quick) return experiment(digits_of(60), {});
  const Workload people = titanic_of(run);
  experiment(people, people.lambdas);
  const Workload ten = digits_of(500);
  experiment(ten, run.full ? ten.lambdas : std::vector<double>{10});
}

}  // namespace tamis::paper_d
