#include "report_file.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tamis/version.hpp"

namespace tamis::cli {

using Json = nlohmann::ordered_json;

Evaluation evaluate(const std::vector<Label>& truth, const std::vector<Label>& predicted, std::size_t classes) {
  Evaluation out;
  out.confusion.assign(classes, std::vector<std::size_t>(classes));
  out.total = truth.size();
  std::vector<std::size_t> samples(classes + 1), predictions(classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ++samples[truth[i]];
    ++predictions[predicted[i]];
    if (truth[i] < classes) ++out.confusion[truth[i]][predicted[i]];
    out.right += truth[i] == predicted[i];
  }
  out.unseen = samples[classes];
  std::size_t occurring = 0;
  for (std::size_t k = 0; k < classes; ++k) {
    if (samples[k] + predictions[k] == 0) continue;
    ++occurring;
    out.macro_f1 += 2 * static_cast<double>(out.confusion[k][k]) / static_cast<double>(samples[k] + predictions[k]);
  }
  if (occurring) out.macro_f1 /= static_cast<double>(occurring);
  return out;
}

Evaluation evaluate_ranking(const std::vector<LabelSet>& truth, const std::vector<double>& scores,
                            std::size_t classes) {
  Evaluation out;
  RankingEvaluation& ranking = out.ranking.emplace();
  const auto best = decide(scores, classes);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto& [labels, unknown] = truth[i];
    out.unseen += unknown > 0;
    const std::size_t others = classes - labels.size();
    if (labels.size() + unknown == 0 || others == 0) {
      ++ranking.without_pairs;
      continue;
    }
    ++out.total;
    std::vector<bool> relevant(classes);
    for (const Label r : labels) relevant[r] = true;
    out.right += relevant[best[i]];
    const double* z = scores.data() + i * classes;
    std::size_t wrong = unknown * others;
    for (const Label r : labels)
      for (std::size_t k = 0; k < classes; ++k) wrong += !relevant[k] && !(z[r] > z[k]);
    ranking.loss += static_cast<double>(wrong) / static_cast<double>((labels.size() + unknown) * others);
  }
  if (out.total) ranking.loss /= static_cast<double>(out.total);
  return out;
}

double log_loss(const std::vector<Label>& truth, const std::vector<double>& scores, std::size_t classes) {
  if (std::any_of(truth.begin(), truth.end(), [=](Label y) { return y >= classes; }))
    return std::numeric_limits<double>::infinity();
  Targets<double> targets{truth, static_cast<Index>(classes)};
  targets.normalise();
  targets.common_margin = 0;
  return logistic_loss(targets, scores);
}

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

void add_certificate(Json& out, const Report<double>& report, double seconds) {
  out["lambda_max"] = number(report.lambda_max);
  out["objective"] = number(report.objective);
  out["dual_objective"] = number(report.dual_objective);
  out["gap"] = number(report.gap);
  out["relative_gap"] = number(report.relative_gap);
  out["kkt_residual"] = number(report.kkt_residual);
  out["iterations"] = report.iterations;
  out["epochs"] = number(report.epochs);
  out["seconds"] = seconds;
}

void add_counts(Json& out, const Report<double>& report) {
  out["nonzeros"] = report.nonzeros;
  out["nonzero_rows"] = report.nonzero_rows;
}

void add_memory(Json& out, const Report<double>& report, std::size_t data_bytes) {
  out["arena_bytes"] = report.arena_bytes;
  out["arena_used_bytes"] = report.arena_used_bytes;
  out["data_bytes"] = data_bytes;
}

Json in_json(const std::vector<TraceEntry>& trace) {
  Json out = Json::array();
  for (const auto& entry : trace)
    out.push_back({{"iteration", entry.iteration},
                   {"seconds", entry.seconds},
                   {"objective", number(entry.objective)},
                   {"gap", number(entry.gap)},
                   {"nonzeros", entry.nonzeros}});
  return out;
}

std::string to_json(const RunReport& r) {
  Json json;
  json["status"] = name(r.solver.status);
  json["loss"] = r.loss;
  json["penalty"] = r.penalty;
  json["solver"] = r.solver_name;
  json["precision"] = r.precision;
  json["samples"] = r.shape.samples;
  json["features"] = r.shape.features;
  json["classes"] = r.shape.classes;
  json["lambda"] = number(r.lambda);
  json["l1_ratio"] = r.l1_ratio ? Json(*r.l1_ratio) : Json(nullptr);
  json["epsilon"] = r.epsilon ? Json(*r.epsilon) : Json(nullptr);
  json["learning_rate"] = number(r.learning_rate);
  add_certificate(json, r.solver, r.seconds);
  add_counts(json, r.solver);
  add_memory(json, r.solver, r.data_bytes);
  json["eta"] = number(r.eta);
  json["constraint_value"] = number(r.solver.constraint_value);
  json["constraint_bound"] = number(r.solver.constraint_bound);
  json["multiplier"] = number(r.solver.multiplier);
  json["train_accuracy"] = r.train.total ? Json(r.train.accuracy()) : Json(nullptr);
  json["test_accuracy"] = r.test ? Json(r.test->accuracy()) : Json(nullptr);
  json["train_macro_f1"] = r.train.total && !r.train.ranking ? Json(r.train.macro_f1) : Json(nullptr);
  json["test_macro_f1"] = r.test && !r.test->ranking ? Json(r.test->macro_f1) : Json(nullptr);
  json["train_log_loss"] = number(r.train.log_loss);
  json["test_log_loss"] = r.test ? number(r.test->log_loss) : Json(nullptr);
  json["test_unseen"] = r.test ? Json(r.test->unseen) : Json(nullptr);
  const auto add_ranking = [&](const std::string& where, const Evaluation* e) {
    const bool ranks = e && e->ranking;
    json[where + "_ranking_loss"] = ranks && e->total ? Json(e->ranking->loss) : Json(nullptr);
    json[where + "_top_accuracy"] = ranks && e->total ? Json(e->accuracy()) : Json(nullptr);
    json[where + "_without_pairs"] = ranks ? Json(e->ranking->without_pairs) : Json(nullptr);
    if (!r.thresholds || !e) return;
    json[where + "_sets_right"] = e->sets->exact;
    json[where + "_hamming_loss"] = e->sets->hamming_loss;
    json[where + "_micro_f1"] = e->sets->micro_f1;
  };
  add_ranking("train", &r.train);
  add_ranking("test", r.test ? &*r.test : nullptr);
  json["confusion"] = r.train.total && !r.train.ranking ? Json((r.test ? *r.test : r.train).confusion) : Json(nullptr);
  json["calibration"] = r.calibration ? to_json(*r.calibration) : Json(nullptr);
  if (r.thresholds) json["thresholds"] = to_json(*r.thresholds);
  json["trace"] = in_json(r.trace);
  json["version"] = tamis::version;
  return json.dump(2) + "\n";
}

}  // namespace tamis::cli
