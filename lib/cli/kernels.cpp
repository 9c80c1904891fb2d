#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "kernel_task.hpp"
#include "readers.hpp"

namespace tamis::cli {

namespace {

struct KernelOutcome : FamilyOutcome {
  KernelCounts kept;                   // without constant kernels
  std::optional<KeptExpansion> model;  // where all kernels are functions
  std::optional<RademacherBound<double>> bound;
};

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
    if (a.precision == "float") b = double{static_cast<float>(b)};
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
  describe(out, a, task);
  out.model = *outcome.model;
  out.loss = name(LossKind::squared_hinge);
  out.penalty = "mixed-norm";
  out.p = task.p;
  out.q = task.q;
  out.r = task.r;
  return out;
}

KernelOutcome outcome_of(const KernelArguments& a, const KernelTask& task, KernelFit& found) {
  const auto alpha = found.view(task);
  KernelOutcome outcome;
  outcome.kept = count(task, alpha);
  if (!task.has_matrices() && task.train.features) outcome.model = kept(a, task, alpha);
  const auto z = outcome.model ? scores(task.train, outcome.model->view()) : training_scores(task, alpha);
  found.report.objective = objective_of(task, alpha, z);
  outcome.evaluate(task, z, task.test ? scores(*task.test, outcome.model->view()) : std::vector<double>());
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
  return outcome;
}

/// Coefficients of a kernel's samples that are not all zero.
std::size_t samples_of(const KernelCoefficients<double>& alpha, Index kernel) {
  std::size_t count = 0;
  for (Index l = 0; l < alpha.samples; ++l) count += alpha.uses(l, kernel);
  return count;
}

Json in_json(const KernelArguments& a, const KernelTask& task, const RademacherBound<double>& bound) {
  return {{"draws", a.bound.draws},
          {"delta", a.bound.probability()},
          {"radius", bound.radius},
          {"complexity", bound.complexity},
          {"standard_error", bound.standard_error},
          {"clipped_loss", bound.clipped_loss},
          {"deviation", bound.deviation},
          {"bound", bound.value()},
          {"rate_proved", has_proved_rate(MixedNorm<double>{task.p, task.q, task.r})}};
}

std::string to_json(const KernelArguments& a, const KernelTask& task, const KernelFit& fit,
                    const KernelOutcome& outcome) {
  const auto alpha = fit.view(task);
  Json kernels = Json::array(), of_kernels = Json::array(), of_samples = Json::array(), values = Json::array();
  for (Index t = 0; t < alpha.kernels; ++t) {
    kernels.push_back({{"kernel", task.kernels[t].text}, {"samples", samples_of(alpha, t)}});
    for (Index l = 0; l < alpha.samples; ++l) {
      if (!alpha.uses(l, t)) continue;
      of_kernels.push_back(t);
      of_samples.push_back(l);
      Json& row = values.emplace_back(Json::array());
      for (Index k = 0; k < alpha.outputs; ++k) row.push_back(alpha(l, t, k));
    }
  }
  Json out{{"status", name(fit.report.status)},
           {"loss", name(LossKind::squared_hinge)},
           {"form", task.binary ? "binary" : "multiclass"},
           {"penalty", "mixed-norm"},
           {"p", task.p},
           {"q", task.q},
           {"r", task.r}};
  add_problem(out, a, task, name(task.solver));
  add_certificate(out, fit.report, fit.run.seconds);
  out["kernel_seconds"] = fit.kernel_seconds;
  add_counts(out, fit.report);
  out["kept_samples"] = outcome.kept.samples;
  out["kept_kernels"] = outcome.kept.kernels;
  out["kernel_values"] = outcome.kept.terms;
  out["prediction_steps"] = outcome.model ? Json(outcome.model->view().steps()) : Json(nullptr);
  out["model_bytes"] = outcome.model ? Json(outcome.model->view().bytes()) : Json(nullptr);
  add_memory(out, fit.report, fit.data_bytes);
  add_no_constraint(out);
  add_judgement(out, outcome);
  add_standardisation(out, task, outcome);
  out["class_names"] = task.classes;
  out["kernels"] = kernels;
  out["intercepts"] = fit.intercepts;
  out["coefficients"] = {{"kernels", of_kernels}, {"samples", of_samples}, {"values", values}};
  add_selection(out, a, fit);
  out["rademacher"] = outcome.bound ? in_json(a, task, *outcome.bound) : Json(nullptr);
  return finish(out, fit, outcome);
}

std::string summary(const KernelArguments& a, const KernelTask& task, const KernelFit& fit,
                    const KernelOutcome& outcome) {
  const auto& r = fit.report;
  const auto alpha = fit.view(task);
  std::string out = summary_of_run(a, fit);
  out += "kept: " + std::to_string(outcome.kept.samples) + " of " + in_words(task.train.samples, "sample");
  if (std::isfinite(r.lambda_max))
    out += format(" (lambda %.3g; none from %.3g on)", task.options.lambda, r.lambda_max);
  out += "; a prediction takes " + in_words(outcome.kept.terms, "kernel value");
  if (outcome.model) out += ", the model " + in_words(outcome.model->view().bytes(), "byte");
  out += summary_of_classes(outcome);
  if (const auto& bound = outcome.bound)
    out += format("\nbound of the error: %.3g = %.3g clipped loss + 16 * (%.3g +- %.2g) + %.3g%s", bound->value(),
                  bound->clipped_loss, bound->complexity, bound->standard_error, bound->deviation,
                  bound->value() < 1 ? "" : ": 1 or more, it says nothing");
  out += format("\narena: %zu bytes, kernel matrices: %zu bytes\n\n", r.arena_bytes, fit.data_bytes);
  std::size_t width = 0;
  for (const auto& kernel : task.kernels) width = std::max(width, kernel.text.size());
  for (Index t = 0; t < alpha.kernels; ++t) {
    double size = 0;
    for (Index l = 0; l < alpha.samples; ++l)
      for (Index k = 0; k < alpha.outputs; ++k) size += std::abs(alpha(l, t, k));
    out += "  " + task.kernels[t].text + std::string(width + 2 - task.kernels[t].text.size(), ' ');
    out += samples_of(alpha, t) ? in_words(samples_of(alpha, t), "sample") + format(", sum of |alpha| %.4g\n", size)
                                : "not used\n";
  }
  return out + summary_of_notes(outcome);
}

}  // namespace

void declare_kernels(const Command& app) {
  auto a = std::make_shared<KernelArguments>();
  const Command command = app.add_subcommand(
      "kernels",
      "compare with training samples by several kernels, positive or not, choose among both, and certify it:\n"
      "(1/n) sum_i loss(f(x_i), y_i) + (lambda/q) ||alpha||^q_{pq;r}, f(x) = b + sum_lt alpha_lt k_t(x_l, x)");
  a->declare_samples(command, "samples: CSV or LIBSVM text, gzipped or not; not needed for matrices alone");
  command
      .add_option(
          "--kernel", a->kernels,
          "linear | polynomial:DEGREE,C | gaussian:WIDTH | laplacian:WIDTH | sigmoid:A,B | distance | chi2 | kl | "
          "constant; may be given several times")
      ->one_value_each();  // DATA may follow
  command
      .add_option("--kernel-matrix", a->matrices,
                  "a CSV of numbers alone: row l, column i is k(x_l, x_i); may be given several times")
      ->type_name(input_type)
      ->one_value_each();  // DATA may follow
  command.add_option("--p", a->p, "1 | 2: the norm within a group")->required();
  command.add_option("--q", a->q, "1 | 2: the norm of the groups")->required();
  command.add_option("--r", a->r, "1: a group is a sample, of all kernels | 2: a kernel, of all samples")->required();
  const Option lambda = a->declare_lambda(command);
  a->grid.declare(command, lambda, "0.001, of q = 2 0.00001");
  a->bound.declare(command);
  command
      .add_option("--form", a->form,
                  "binary: one score, whose sign decides | multiclass: a score for each class | auto: binary for two "
                  "classes")
      ->capture_default_str();
  a->declare_solver(command);
  command.add_flag("--standardise", a->standardise, "compare features of mean 0 and variance 1");
  command.add_flag("--intercept,!--no-intercept", a->intercept,
                   "with a free constant; --kernel constant is one that is penalised");
  a->declare_outputs(command, "of the folds, and of the signs of --rademacher; nothing else is drawn at random",
                     "coefficients");
  command.callback([a] { run_family(*a, outcome_of); });
}

}  // namespace tamis::cli
