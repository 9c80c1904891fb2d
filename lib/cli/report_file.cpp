#include "report_file.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tamis/version.hpp"

namespace tamis::cli {

using Json = nlohmann::ordered_json;

Evaluation evaluate(const std::vector<Label>& truth, const std::vector<Label>& predicted, std::size_t classes) {
  Evaluation out;
  out.confusion.assign(classes, std::vector<std::size_t>(classes));
  out.total = truth.size();
  for (std::size_t i = 0; i < truth.size(); ++i) {
    ++out.confusion[truth[i]][predicted[i]];
    out.right += truth[i] == predicted[i];
  }
  return out;
}

std::string to_json(const RunReport& r) {
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  Json trace = Json::array();
  for (const auto& entry : r.trace)
    trace.push_back({{"iteration", entry.iteration},
                     {"seconds", entry.seconds},
                     {"objective", number(entry.objective)},
                     {"gap", number(entry.gap)},
                     {"nonzeros", entry.nonzeros}});
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
  json["lambda_max"] = number(r.solver.lambda_max);
  json["objective"] = number(r.solver.objective);
  json["dual_objective"] = number(r.solver.dual_objective);
  json["gap"] = number(r.solver.gap);
  json["relative_gap"] = number(r.solver.relative_gap);
  json["kkt_residual"] = number(r.solver.kkt_residual);
  json["iterations"] = r.solver.iterations;
  json["epochs"] = number(r.solver.epochs);
  json["seconds"] = r.seconds;
  json["nonzeros"] = r.solver.nonzeros;
  json["nonzero_rows"] = r.solver.nonzero_rows;
  json["arena_bytes"] = r.solver.arena_bytes;
  json["arena_used_bytes"] = r.solver.arena_used_bytes;
  json["data_bytes"] = r.data_bytes;
  json["eta"] = number(r.eta);
  json["constraint_value"] = number(r.solver.constraint_value);
  json["constraint_bound"] = number(r.solver.constraint_bound);
  json["multiplier"] = number(r.solver.multiplier);
  json["train_accuracy"] = r.train.total ? Json(r.train.accuracy()) : Json(nullptr);
  json["test_accuracy"] = r.test ? Json(r.test->accuracy()) : Json(nullptr);
  json["confusion"] = r.train.total ? Json((r.test ? *r.test : r.train).confusion) : Json(nullptr);
  json["trace"] = trace;
  json["version"] = tamis::version;
  return json.dump(2) + "\n";
}

}  // namespace tamis::cli
