#include <cmath>
#include <nlohmann/json.hpp>

#include "kernel_task.hpp"
#include "readers.hpp"
#include "tamis/version.hpp"
#include "terminal.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string to_json(const KernelArguments& a, const KernelTask& task, const KernelFit& fit,
                    const KernelOutcome& outcome) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto& r = fit.report;
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
  Json out{{"status", name(r.status)},
           {"loss", "squared-hinge"},
           {"form", task.binary ? "binary" : "multiclass"},
           {"penalty", "mixed-norm"},
           {"p", task.p},
           {"q", task.q},
           {"r", task.r},
           {"solver", name(task.solver)},
           {"precision", a.precision},
           {"samples", task.train.samples},
           {"features", a.data.empty() ? Json(nullptr) : Json(task.train.features)},
           {"classes", task.classes.size()},
           {"lambda", task.options.lambda},
           {"lambda_max", number(r.lambda_max)},
           {"objective", number(r.objective)},
           {"dual_objective", number(r.dual_objective)},
           {"gap", number(r.gap)},
           {"relative_gap", number(r.relative_gap)},
           {"kkt_residual", nullptr},
           {"iterations", r.iterations},
           {"epochs", number(r.epochs)},
           {"seconds", fit.seconds},
           {"kernel_seconds", fit.kernel_seconds},
           {"nonzeros", r.nonzeros},
           {"nonzero_rows", r.nonzero_rows},
           {"kept_samples", outcome.kept.samples},
           {"kept_kernels", outcome.kept.kernels},
           {"kernel_values", outcome.kept.terms},
           {"prediction_steps", outcome.model ? Json(outcome.model->view().steps()) : Json(nullptr)},
           {"model_bytes", outcome.model ? Json(outcome.model->view().bytes()) : Json(nullptr)},
           {"arena_bytes", r.arena_bytes},
           {"arena_used_bytes", r.arena_used_bytes},
           {"data_bytes", fit.data_bytes}};
  for (const char* none : {"eta", "constraint_value", "multiplier"}) out[none] = nullptr;
  out["train_accuracy"] = outcome.train.accuracy();
  out["test_accuracy"] = outcome.test ? Json(outcome.test->accuracy()) : Json(nullptr);
  out["confusion"] = (outcome.test ? *outcome.test : outcome.train).confusion;
  out["test_unseen"] = outcome.test ? Json(outcome.test->unseen) : Json(nullptr);
  out["standardisation"] = nullptr;
  if (task.standardisation) {
    out["standardisation"] = Json::array();
    for (const auto& column : task.standardisation->columns)
      out["standardisation"].push_back({{"mean", column.mean}, {"scale", column.scale}});
  }
  out["class_names"] = task.classes;
  out["kernels"] = kernels;
  out["intercepts"] = fit.intercepts;
  out["coefficients"] = {{"kernels", of_kernels}, {"samples", of_samples}, {"values", values}};
  out["selection"] = fit.selection ? in_json(a.grid, *fit.selection) : Json(nullptr);
  out["rademacher"] = outcome.bound ? in_json(a, task, *outcome.bound) : Json(nullptr);
  out["notes"] = outcome.notes;
  out["trace"] = in_json(fit.trace);
  out["version"] = tamis::version;
  return out.dump(2) + "\n";
}

std::string summary(const KernelArguments& a, const KernelTask& task, const KernelFit& fit,
                    const KernelOutcome& outcome) {
  const auto format = [](const char* pattern, auto... values) {
    char line[400];
    std::snprintf(line, sizeof line, pattern, values...);
    return std::string(line);
  };
  const auto& r = fit.report;
  const auto alpha = fit.view(task);
  std::string out;
  if (fit.selection) out += summary(a.grid, *fit.selection);
  out += format("%s: objective %.6g, %s in %.0f ms (%u iterations)\n", name(r.status), r.objective,
                certified(r.relative_gap, a.precision).c_str(), 1000 * fit.seconds, r.iterations);
  out += "kept: " + std::to_string(outcome.kept.samples) + " of " + in_words(task.train.samples, "sample");
  if (std::isfinite(r.lambda_max))
    out += format(" (lambda %.3g; none from %.3g on)", task.options.lambda, r.lambda_max);
  out += "; a prediction takes " + in_words(outcome.kept.terms, "kernel value");
  if (outcome.model) out += ", the model " + in_words(outcome.model->view().bytes(), "byte");
  out += format("\ntrain: %zu of %zu right", outcome.train.right, outcome.train.total);
  if (outcome.test) out += format("; test: %zu of %zu right", outcome.test->right, outcome.test->total);
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
  for (const auto& note : outcome.notes) out += "note: " + note + "\n";
  return out;
}

}  // namespace tamis::cli
