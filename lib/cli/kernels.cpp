#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "commands.hpp"
#include "errors.hpp"
#include "interrupt.hpp"
#include "kernel_task.hpp"
#include "model_file.hpp"
#include "output_file.hpp"
#include "readers.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

/// What has coefficients, constant kernels aside.
KernelCounts count(const KernelTask& task, const KernelCoefficients<double>& alpha) {
  KernelCounts out;
  std::vector<bool> kept(alpha.samples);
  for (Index t = 0; t < alpha.kernels; ++t) {
    if (task.kernels[t].is_constant()) continue;
    const std::size_t before = out.terms;
    for (Index l = 0; l < alpha.samples; ++l) {
      if (!alpha.uses(l, t)) continue;
      ++out.terms;
      kept[l] = true;
    }
    out.kernels += out.terms != before;
  }
  out.samples = static_cast<Index>(std::count(kept.begin(), kept.end(), true));
  return out;
}

KeptExpansion kept(const KernelArguments& a, const KernelTask& task, const KernelCoefficients<double>& alpha) {
  std::vector<Kernel<double>> functions;
  for (const auto& kernel : task.kernels) functions.push_back(*kernel.function);
  const auto rows = task.rows();
  const auto p = static_cast<Index>(task.train.features);
  const SampleTable<double> samples{rows.data(), task.samples(), p, p, 1};
  const ArenaMemory memory(kept_requirement<double>(count_kept<double>(alpha, functions), p, alpha.outputs).bytes);
  KernelExpansion<double> view;
  take_kept<double>(alpha, functions, samples, memory.span(), view);
  KeptExpansion out(view);
  for (double& b : out.intercepts)  // a sum of floats, which is stored as one
    if (a.precision == "float") b = static_cast<float>(b);
  return out;
}

/// Scores of the training samples where some kernels are matrices: what the functions add, and they.
std::vector<double> training_scores(const KernelTask& task, const KernelCoefficients<double>& alpha) {
  const Index n = alpha.samples;
  const auto rows = task.rows();
  const auto p = static_cast<Index>(task.train.features);
  const SampleTable<double> samples{rows.data(), n, p, p, 1};
  std::vector<double> out, score(alpha.outputs);
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < alpha.outputs; ++k) score[k] = alpha.intercept(k);
    for (Index t = 0; t < alpha.kernels; ++t)
      for (Index l = 0; l < n; ++l) {
        if (!alpha.uses(l, t)) continue;
        const TaskKernel& kernel = task.kernels[t];
        const double value =
            kernel.function ? (*kernel.function)(samples[l], samples[i]) : kernel.matrix[std::size_t{l} * n + i];
        for (Index k = 0; k < alpha.outputs; ++k) score[k] += alpha(l, t, k) * value;
      }
    if (alpha.outputs == 1) out.push_back(-score[0]);
    out.insert(out.end(), score.begin(), score.end());
  }
  return out;
}

/// F in double, of the coefficients as they are kept.
double objective_of(const KernelTask& task, const KernelCoefficients<double>& alpha,
                    const std::vector<double>& scores) {
  const std::size_t classes = task.classes.size();
  Sum<double> loss;
  for (std::size_t i = 0; i < task.train.samples; ++i) {
    const double* z = scores.data() + i * classes;
    if (task.binary) loss.add(std::pow(std::max(1 - z[task.labels[i]], 0.0), 2));
    else loss.add(SquaredHinge{}.value(z, alpha.outputs, task.labels[i], 1.0));
  }
  const MixedNorm<double> penalty{task.p, task.q, task.r, task.options.lambda};
  return loss.value() / static_cast<double>(task.train.samples) +
         penalty.value({alpha.coefficients, alpha.samples * alpha.kernels, alpha.outputs, alpha.stride()},
                       alpha.kernels);
}

RademacherBound<double> bound_of(const KernelArguments& a, const KernelTask& task,
                                 const KernelCoefficients<double>& alpha, const std::vector<double>& scores,
                                 const DrawnMean<double>& signs) {
  Sum<double> clipped;
  for (std::size_t i = 0; i < task.train.samples; ++i)
    clipped.add(clipped_squared_hinge(scores[2 * i + task.labels[i]]));
  const double radius = norm_of<double>(
      {task.p, task.q, task.r}, {alpha.coefficients, alpha.samples * alpha.kernels, 1, alpha.stride()}, alpha.kernels);
  return rademacher_bound(radius, signs, clipped.value() / static_cast<double>(task.train.samples), task.samples(),
                          a.bound.probability());
}

StoredKernels stored(const KernelArguments& a, const KernelTask& task, const KernelOutcome& outcome) {
  StoredKernels out;
  out.classes = task.classes;
  out.feature_names = task.train.feature_names;
  out.model = *outcome.model;
  out.scale = a.reading.read_options().scale;
  if (task.standardisation) out.standardisation = task.standardisation->columns;
  out.p = task.p;
  out.q = task.q;
  out.r = task.r;
  out.lambda = task.options.lambda;
  out.precision = a.precision;
  out.samples = task.samples();
  out.self_test = task.self_test;
  return out;
}

void run(const KernelArguments& a) {
  KernelTask task = read_task(a);
  if (a.seeded && !a.quiet && !a.grid.given() && !a.bound.given())
    std::cerr << "--seed is not used: " << name(task.solver) << " draws nothing at random\n";
  KernelFit found = fit(a, task);
  task.options.lambda = found.lambda;
  const auto alpha = found.view(task);
  KernelOutcome outcome;
  outcome.kept = count(task, alpha);
  if (!task.has_matrices() && task.train.features) outcome.model = kept(a, task, alpha);
  const auto z = outcome.model ? scores(task.train, outcome.model->view()) : training_scores(task, alpha);
  auto& r = found.report;
  r.objective = objective_of(task, alpha, z);
  GapMonitor<double>::take_gap(r, rounding_of(a.precision));
  const std::size_t classes = task.classes.size();
  outcome.train = evaluate(task.labels, decide(z, classes), classes);
  if (task.test) {
    outcome.test = evaluate(task.test_labels, decide(scores(*task.test, outcome.model->view()), classes), classes);
    if (outcome.test->unseen)
      outcome.notes.push_back(in_words(outcome.test->unseen, "test sample") +
                              " with labels that were not trained on: counted as wrong");
  }
  if (found.signs) {
    outcome.bound = bound_of(a, task, alpha, z, *found.signs);
    outcome.notes.push_back(
        "the bound takes the training samples for a supremum over all samples, and the norm of the model for one "
        "chosen beforehand: it is an estimate, for comparisons");
    if (!has_proved_rate(MixedNorm<double>{task.p, task.q, task.r}))
      outcome.notes.push_back(
          "of this norm the bound is not proved to fall with the number of samples (it is for p = q = 1, for p = 2, q "
          "= "
          "1, r = 1 and for p = 1, q = 2, r = 2): with a constant kernel it does not");
  }
  if (task.standardisation)
    outcome.notes.push_back("kernels compare features of mean 0 and variance 1, in the model too");
  if (!a.model.empty()) write_file(a.model, to_json(stored(a, task, outcome)));
  if (!a.report.empty()) write_file(a.report, to_json(a, task, found, outcome));
  if (!a.quiet) beside({a.model, a.report}) << summary(a, task, found, outcome);
  end_if_stopped(found.report.status);
}

}  // namespace

void declare_kernels(CLI::App& app) {
  auto a = std::make_shared<KernelArguments>();
  CLI::App& command = *app.add_subcommand(
      "kernels",
      "compare with training samples by several kernels, positive or not, choose among both, and certify it:\n"
      "(1/n) sum_i loss(f(x_i), y_i) + (lambda/q) ||alpha||^q_{pq;r}, f(x) = b + sum_lt alpha_lt k_t(x_l, x)");
  command.add_option("data", a->data, "samples: CSV or LIBSVM text, gzipped or not; not needed for matrices alone")
      ->type_name(input_type);
  command.add_option("--test", a->test, "samples to test on")->type_name(input_type);
  a->reading.declare(command);
  command
      .add_option(
          "--kernel", a->kernels,
          "linear | polynomial:DEGREE,C | gaussian:WIDTH | laplacian:WIDTH | sigmoid:A,B | distance | chi2 | kl | "
          "constant; may be given several times")
      ->allow_extra_args(false);  // DATA may follow
  command
      .add_option("--kernel-matrix", a->matrices,
                  "a CSV of numbers alone: row l, column i is k(x_l, x_i); may be given several times")
      ->type_name(input_type)
      ->allow_extra_args(false);  // DATA may follow
  command.add_option("--p", a->p, "1 | 2: the norm within a group")->required();
  command.add_option("--q", a->q, "1 | 2: the norm of the groups")->required();
  command.add_option("--r", a->r, "1: a group is a sample, of all kernels | 2: a kernel, of all samples")->required();
  auto* lambda = command.add_option("--lambda", a->lambda,
                                    "weight of the penalty: a number or a fraction such as 1/100; this, --lambdas or "
                                    "--lambda-values is needed");
  a->grid.declare(command, lambda, "0.001, of q = 2 0.00001");
  a->bound.declare(command);
  command
      .add_option("--form", a->form,
                  "binary: one score, whose sign decides | multiclass: a score for each class | auto: binary for two "
                  "classes")
      ->capture_default_str();
  command.add_option("--solver", a->solver, "see 'tamis solvers'")->capture_default_str();
  command.add_option("--precision", a->precision, "float | double")->capture_default_str();
  command.add_flag("--standardise", a->standardise, "compare features of mean 0 and variance 1");
  command.add_flag("--intercept,!--no-intercept", a->intercept,
                   "with a free constant; --kernel constant is one that is penalised");
  a->effort.declare(command);
  const auto* seed = command.add_option(
      "--seed", a->seed, "of the folds, and of the signs of --rademacher; nothing else is drawn at random");
  command.add_option("--model", a->model, "write the model as JSON")->type_name(output_type);
  command.add_option("--report", a->report, "write the report, with all coefficients, as JSON")->type_name(output_type);
  command.add_flag("--quiet", a->quiet, "print nothing");
  command.callback([a, seed] {
    a->seeded = seed->count() > 0;
    run(*a);
  });
}

}  // namespace tamis::cli
