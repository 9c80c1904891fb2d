// `tamis interactions` where it chooses lambda, by cross-validation or on samples held out once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace {

using nlohmann::json;
using tamis::testing::Folder;
using tamis::testing::run;
using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Samples on a grid of whole numbers: y = a − 2 a b + c and some noise, or its sign.
Words lines(int count, bool classes = false) {
  Words out;
  for (int i = 0; i < count; ++i) {
    const int a = (i * 7) % 11 - 5, b = (i * 5) % 9 - 4, c = (i * 3) % 7 - 3;
    const int y = a - 2 * a * b + c + (i * 13) % 8 - 3;
    out.push_back((classes ? std::string(y < 0 ? "low" : "high") : std::to_string(y)) + "," + std::to_string(a) + "," +
                  std::to_string(b) + "," + std::to_string(c) + "\n");
  }
  return out;
}
std::string file_of(const Words& rows) {
  std::string out = "y,a,b,c\n";
  for (const auto& row : rows) out += row;
  return out;
}
json report_of(const Folder& folder, const Words& more) {
  const auto outcome = run(Words{"interactions", "--report", folder.path("r.json"), "--quiet"} + more);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output + outcome.error, "");
  return json::parse(folder.read("r.json"));
}
const Words strong{"--hierarchy", "strong"}, hinge{"--loss", "squared-hinge"};

TEST(InteractionSelection, ReportsLikeCvAndTrainsWithTheChosenLambda) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(60)));
  const Words choose = Words{data} + strong + Words{"--lambdas", "8"};
  const json r = report_of(folder, choose);
  const json& s = r["selection"];
  EXPECT_EQ(s["measure"], "error");
  EXPECT_EQ(s["folds"], 5);
  ASSERT_EQ(s["points"].size(), 8u);
  for (const json& point : s["points"]) {
    for (const char* key : {"lambda", "mean", "standard_error", "mean_error", "error_standard_error", "mean_loss",
                            "loss_standard_error", "status", "nonzeros", "nonzero_rows"})
      EXPECT_TRUE(point.contains(key)) << key;
    EXPECT_EQ(point["status"], "converged");
    EXPECT_NEAR(point["mean_error"].get<double>(), 2 * point["mean_loss"].get<double>(), 1e-9);  // squares and halves
  }
  EXPECT_EQ(s["points"][0]["nonzeros"], 0);
  EXPECT_NEAR(s["points"][7]["lambda"], 0.01 * s["points"][0]["lambda"].get<double>(), 1e-9);
  EXPECT_EQ(s["lambda"], s["lambda_1se"]);
  EXPECT_EQ(r["lambda"], s["lambda"]);
  EXPECT_EQ(r["lambda2"].get<double>(), r["lambda"].get<double>() / 2);
  EXPECT_LT(s["points"][7]["mean"], 0.5 * s["points"][0]["mean"].get<double>());

  const json alone = report_of(folder, Words{data} + strong + Words{"--lambda", r["lambda"].dump()});
  EXPECT_EQ(alone["objective"], r["objective"]);
  EXPECT_EQ(alone["terms"], r["terms"]);
  EXPECT_TRUE(alone["selection"].is_null());

  const json least = report_of(folder, choose + Words{"--choose", "min"});
  EXPECT_EQ(least["lambda"], s["lambda_min"]);
  const json other = report_of(folder, choose + Words{"--seed", "5"});
  EXPECT_NE(other["selection"]["points"], s["points"]);
  const auto shown = run(Words{"interactions"} + choose);
  EXPECT_EQ(shown.output.substr(0, 15), "held-out error ") << shown.output;
}

// Hold-out validation of Jiu et al. (2020): what is held out is predicted by a model of the file without these lines.
TEST(InteractionSelection, LeavesOutWhatItMeasures) {
  for (const bool classes : {false, true}) {
    const Folder folder;
    const Words rows = lines(24, classes);
    const auto data = folder.write("d.csv", file_of(rows));
    const Words how = (classes ? hinge + Words{"--unstratified"} : Words{}) + Words{"--tolerance", "1e-9"} + strong;
    const Words loss = classes ? hinge : Words{};
    const json r = report_of(folder, Words{data} + how + Words{"--lambda-values", "1,1/10", "--folds", "24"});
    for (int point = 0; point < 2; ++point) {
      double error = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        Words others = rows;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const auto train = folder.write("train.csv", file_of(others)), test = folder.write("t.csv", file_of({rows[i]}));
        const json one = report_of(folder, Words{train, "--test", test, "--tolerance", "1e-9"} + strong + loss +
                                               Words{"--lambda", point ? "1/10" : "1"});
        error += classes ? 1 - one["test_accuracy"].get<double>() : one["test_mse"].get<double>();
      }
      const double mean = r["selection"]["points"][point]["mean_error"];
      EXPECT_NEAR(mean, error / 24, 1e-4 * (1 + mean));
    }
  }
}

TEST(InteractionSelection, HoldsOutOnce) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(60, true)));
  const Words how = Words{data, "--lambdas", "5", "--validation", "1/4", "--measure", "loss"} + hinge;
  for (const std::string hierarchy : {"weak", "strong", "full", "main"})
    for (const std::string precision : {"float", "double"}) {
      const json r = report_of(folder, how + Words{"--hierarchy", hierarchy, "--precision", precision});
      const json& s = r["selection"];
      EXPECT_EQ(s["folds"], 1);
      EXPECT_EQ(s["lambda"], s["lambda_min"]) << "a single fold has no standard error";
      for (const json& point : s["points"]) {
        EXPECT_EQ(point["standard_error"], 0);
        EXPECT_NEAR(std::fmod(15 * point["mean_error"].get<double>() + 1e-5, 1), 0, 1e-4);  // 15 of 60 samples
      }
    }
}

TEST(InteractionSelection, TakesTheSecondWeightAsGivenOrInProportion) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(40)));
  const Words choose = Words{data} + strong + Words{"--lambda-values", "4,1"};
  const json given = report_of(folder, choose + Words{"--lambda2", "0.7"}),
             ratio = report_of(folder, choose + Words{"--lambda2-ratio", "0.25"});
  EXPECT_EQ(given["lambda2"], 0.7);
  EXPECT_EQ(ratio["lambda2"].get<double>(), ratio["lambda"].get<double>() / 4);
  EXPECT_NE(given["selection"]["points"], ratio["selection"]["points"]);
  const json alone = report_of(folder, Words{data} + strong + Words{"--lambda", "1", "--lambda2-ratio", "0.25"});
  EXPECT_EQ(alone["lambda2"], 0.25);
  const json norms = report_of(folder, Words{data, "--hierarchy", "full", "--norm", "ridge", "--lambdas", "4"});
  EXPECT_EQ(norms["lambda2"], norms["lambda"]);
  EXPECT_TRUE(norms["lambda_max"].is_null());
}

TEST(InteractionSelection, RefusesInOneSentence) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(20)));
  const auto rare = folder.write("rare.csv", "y,a\n0,1\n0,2\n0,3\n1,4\n1,5\n");
  const auto lonely = folder.write("lonely.csv", "y,a\n0,1\n0,2\n0,3\n0,5\n1,4\n");
  const auto files = folder.files();
  const auto refused_of = [&](const std::string& file, const Words& more, int code, const std::string& says) {
    const auto outcome = run(Words{"interactions", file, "--report", folder.path("r.json")} + strong + more);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
    EXPECT_EQ(folder.files(), files);
  };
  const auto refused = [&](const Words& more, const std::string& says, int code = 2) {
    refused_of(data, more, code, says);
  };
  refused({}, "--lambda is missing: give one, or --lambdas or --lambda-values");
  refused({"--lambda", "0.1", "--lambdas", "5"}, "--lambda excludes --lambdas");
  for (const Words& only : {Words{"--folds", "4"}, {"--validation", "1/4"}, {"--choose", "min"}, {"--measure", "loss"}})
    refused(Words{"--lambda", "0.1"} + only, " is for choosing lambda: give --lambdas or --lambda-values");
  refused({"--lambda-values", "0.1,0.2"}, "do not descend");
  refused({"--lambdas", "5", "--validation", "0.7"}, "--validation: the fraction must lie between 0 and 1/2");
  refused({"--lambdas", "5", "--folds", "21"}, "there must be two at least, and no more than samples");
  refused({"--lambdas", "5", "--stratified"}, "--stratified is for classes: numbers have none");
  refused({"--lambdas", "5", "--lambda2", "1", "--lambda2-ratio", "1"}, "excludes");
  refused({"--lambdas", "5", "--lambda2-ratio", "-1"}, "--lambda2-ratio: -1 is negative");
  refused({"--lambdas", "5", "--solver", "strong-admm-as-printed", "--no-intercept"}, "chooses no lambda");
  refused({"--lambdas", "5", "--memory-limit", "2000"}, "more than --memory-limit", 4);
  refused_of(rare, hinge + Words{"--lambdas", "5", "--folds", "3"}, 2,
             "--folds: 3 folds need as many samples of every class: class '1' has 2; take fewer folds");
  refused_of(lonely, hinge + Words{"--lambdas", "5", "--folds", "2", "--unstratified"}, 3,
             "class '1': all its samples are in fold");
}

}  // namespace
