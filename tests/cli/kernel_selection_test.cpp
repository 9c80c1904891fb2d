// `tamis kernels` where it chooses lambda by cross-validation, and says what its bound is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "support/command.hpp"

namespace {

using nlohmann::json;
using tamis::testing::Folder;
using tamis::testing::run;
using Words = std::vector<std::string>;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";

Words operator+(Words a, const Words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
/// Samples on a grid of whole numbers, some of them of the wrong class.
Words lines(int count) {
  Words out;
  for (int i = 0; i < count; ++i) {
    const int a = (i * 7) % 11 - 5, b = (i * 5) % 9 - 4;
    const bool outside = a * a + b * b > 18, wrong = i % 13 == 5;
    out.push_back((outside != wrong ? "out," : "in,") + std::to_string(a) + "," + std::to_string(b) + "\n");
  }
  return out;
}
std::string file_of(const Words& rows) {
  std::string out = "y,a,b\n";
  for (const auto& row : rows) out += row;
  return out;
}

json report_of(const Folder& folder, const Words& more) {
  const auto outcome = run(Words{"kernels", "--report", folder.path("r.json"), "--quiet"} + more);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output + outcome.error, "");
  return json::parse(folder.read("r.json"));
}

const Words kernels{"--kernel", "gaussian:2", "--kernel", "linear"}, few{"--p", "2", "--q", "1", "--r", "1"};

TEST(KernelSelection, ReportsLikeCvAndTrainsWithTheChosenLambda) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(50)));
  const Words choose = Words{data} + kernels + few + Words{"--lambdas", "8", "--lambda-ratio", "0.01"};
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
    EXPECT_EQ(point["mean"], point["mean_error"]);
    EXPECT_EQ(point["standard_error"], point["error_standard_error"]);
    EXPECT_NEAR(std::fmod(50 * point["mean"].get<double>() + 1e-9, 1), 0, 1e-8);  // each sample is held out once
  }
  EXPECT_EQ(s["points"][0]["nonzeros"], 0);
  EXPECT_NEAR(s["points"][7]["lambda"], 0.01 * s["points"][0]["lambda"].get<double>(), 1e-9);
  EXPECT_GE(s["lambda_1se"], s["lambda_min"]);
  EXPECT_EQ(s["lambda"], s["lambda_1se"]);
  EXPECT_EQ(r["lambda"], s["lambda"]);
  const auto least = std::min_element(s["points"].begin(), s["points"].end(), [](const json& a, const json& b) {
    return std::pair(a["mean_error"], a["mean_loss"]) < std::pair(b["mean_error"], b["mean_loss"]);
  });
  EXPECT_EQ(s["lambda_min"], (*least)["lambda"]);
  EXPECT_LT((*least)["mean"], 0.3);

  const json alone = report_of(folder, Words{data} + kernels + few + Words{"--lambda", r["lambda"].dump()});
  EXPECT_EQ(alone["objective"], r["objective"]);
  EXPECT_EQ(alone["coefficients"], r["coefficients"]);
  EXPECT_TRUE(alone["selection"].is_null());
  EXPECT_TRUE(alone["rademacher"].is_null());

  const json by_loss = report_of(folder, choose + Words{"--choose", "min", "--measure", "loss"});
  EXPECT_EQ(by_loss["selection"]["points"][3]["mean"], s["points"][3]["mean_loss"]);
  EXPECT_EQ(by_loss["lambda"], by_loss["selection"]["lambda_min"]);
  const json again = report_of(folder, choose), other = report_of(folder, choose + Words{"--seed", "5"});
  EXPECT_EQ(again["selection"]["points"], s["points"]);
  EXPECT_NE(other["selection"]["points"], s["points"]);
  const auto shown = run(Words{"kernels"} + choose);
  EXPECT_EQ(shown.output.substr(0, 15), "held-out error ") << shown.output;
}

// Every sample its own fold: what is said of it is what a model trained on the file without its line says.
TEST(KernelSelection, LeavesOutWhatItMeasures) {
  const Folder folder;
  const Words rows = lines(14);
  const auto data = folder.write("d.csv", file_of(rows));
  const Words exact{"--tolerance", "1e-9", "--intercept"};
  const json r = report_of(folder, Words{data} + kernels + few + exact +
                                       Words{"--lambda-values", "1/10,1/40", "--folds", "14", "--unstratified"});
  for (int point = 0; point < 2; ++point) {
    double wrong = 0, loss = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      Words others = rows;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const auto train = folder.write("train.csv", file_of(others)),
                 test = folder.write("test.csv", file_of({rows[i]}));
      report_of(folder, Words{train} + kernels + few + exact +
                            Words{"--lambda", point ? "1/40" : "1/10", "--model", folder.path("m.json")});
      const auto scores = run({"predict", folder.path("m.json"), test, "--scores"}).output;  // label, in, out
      const double f = std::stod(scores.substr(scores.rfind(',') + 1));
      const double margin = rows[i][0] == 'o' ? f : -f;
      wrong += margin <= 0;
      loss += std::pow(std::max(1 - margin, 0.0), 2);
    }
    const json& held = r["selection"]["points"][point];
    EXPECT_NEAR(held["mean_error"], wrong / 14, 1e-12);
    EXPECT_NEAR(held["mean_loss"], loss / 14, 1e-4 * loss);
  }
}

TEST(KernelSelection, TakesMatricesAndSeveralClasses) {
  const Folder folder;
  const Words rows = lines(30);
  const auto data = folder.write("d.csv", file_of(rows));
  std::vector<std::array<int, 2>> x;
  std::string labels, matrix;
  for (const auto& row : rows) {
    const auto first = row.find(','), second = row.find(',', first + 1);
    labels += row.substr(0, first) + "\n";
    x.push_back({std::stoi(row.substr(first + 1)), std::stoi(row.substr(second + 1))});
  }
  for (const auto& a : x)
    for (const auto& b : x) matrix += std::to_string(a[0] * b[0] + a[1] * b[1]) + (&b == &x.back() ? "\n" : ",");
  const auto y = folder.write("y.csv", labels), k = folder.write("k.csv", matrix);
  const Words how = few + Words{"--lambdas", "5", "--folds", "3"};
  const json function = report_of(folder, Words{data, "--kernel", "linear"} + how);
  const json given = report_of(folder, Words{"--labels", y, "--kernel-matrix", k} + how);
  EXPECT_EQ(function["selection"]["points"], given["selection"]["points"]);
  EXPECT_EQ(function["lambda"], given["lambda"]);
  for (const std::string precision : {"float", "double"})
    for (const std::string q : {"1", "2"}) {
      const json r = report_of(
          folder, Words{iris, "--kernel", "gaussian:1", "--intercept", "--standardise", "--p", "2", "--q", q, "--r",
                        "2", "--lambdas", "6", "--folds", "3", "--precision", precision, "--choose", "min"});
      EXPECT_LT(r["selection"]["points"].back()["mean"], 0.1);
      EXPECT_GT(r["train_accuracy"], 0.9);
      EXPECT_EQ(r["status"], "converged");
    }
}

TEST(KernelSelection, KeepsSubjectsTogether) {
  const Folder folder;
  std::string rows = "y,who,a,b\n";
  int i = 0;  // the class of a subject is its own: only who has seen the subject knows it
  for (int who = 0; who < 12; ++who)
    for (int time = 0; time < 4; ++time, ++i)
      rows += std::string(who % 2 ? "in" : "out") + ",s" + std::to_string(who) + "," + std::to_string(7 * who % 12) +
              "," + std::to_string(0.01 * time) + "\n";
  const auto data = folder.write("d.csv", rows);
  const Words how = Words{data, "--kernel", "gaussian:0.3"} + few +
                    Words{"--lambda-values", "0.001", "--subject-column", "who", "--folds"};
  EXPECT_GT(report_of(folder, how + Words{"4"})["selection"]["points"][0]["mean"], 0.4);
  const auto seen = folder.write("seen.csv", std::regex_replace(rows, std::regex(",s[0-9]*,"), ",0,"));
  const Words without =
      Words{seen, "--kernel", "gaussian:0.3"} + few + Words{"--lambda-values", "0.001", "--folds", "4"};
  EXPECT_EQ(report_of(folder, without)["selection"]["points"][0]["mean"], 0);
  const auto outcome = run(Words{"kernels"} + how + Words{"13"});
  EXPECT_EQ(outcome.error, "tamis: --folds: 13 folds of whole subjects need as many subjects, there are 12\n");
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(run(Words{"kernels"} + how + Words{"4", "--unstratified"}).error.find("whole subjects"), std::string::npos);
}

TEST(KernelSelection, BoundsTheError) {
  const Folder folder;
  const auto labels = folder.write("y.csv", "1\n-1\n1\n-1\n"),
             identity = folder.write("k.csv", "1,0,0,0\n0,1,0,0\n0,0,1,0\n0,0,0,1\n");
  const Words given{"--labels", labels, "--kernel-matrix", identity, "--p", "1", "--q", "1", "--r", "1"};
  const json r = report_of(
      folder, given + Words{"--lambda", "0.25", "--rademacher", "7", "--delta", "0.1", "--tolerance", "1e-12"});
  // alpha = y/2: the loss of each sample is (1 - a)^2/4 with a penalty of a/4.
  const json& b = r["rademacher"];
  EXPECT_EQ(b["draws"], 7);
  EXPECT_EQ(b["delta"], 0.1);
  EXPECT_NEAR(b["radius"], 2, 1e-5);
  EXPECT_NEAR(b["complexity"], b["radius"].get<double>() / 4, 1e-12);
  EXPECT_EQ(b["standard_error"], 0);
  EXPECT_NEAR(b["clipped_loss"], 0.25, 1e-5);
  EXPECT_NEAR(b["deviation"], std::sqrt(std::log(10) / 8), 1e-12);
  EXPECT_NEAR(b["bound"], 0.25 + 16 * 0.5 + std::sqrt(std::log(10) / 8), 1e-4);

  const auto data = folder.write("d.csv", file_of(lines(40)));
  const Words usual = Words{data} + kernels + few + Words{"--lambdas", "4", "--rademacher", "100"};
  const json one = report_of(folder, usual + Words{"--seed", "1"}),
             two = report_of(folder, usual + Words{"--seed", "1"});
  EXPECT_EQ(one["rademacher"], two["rademacher"]);
  EXPECT_GT(one["rademacher"]["standard_error"], 0);
  EXPECT_NE(one["rademacher"]["complexity"],
            report_of(folder, usual + Words{"--seed", "2"})["rademacher"]["complexity"]);
  const auto shown = run(Words{"kernels"} + usual);
  EXPECT_NE(shown.output.find("bound of the error: "), std::string::npos) << shown.output;
  EXPECT_NE(shown.output.find("it is an estimate"), std::string::npos) << shown.output;
}

TEST(KernelSelection, SaysWhereTheBoundIsNotProvedToFall) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(20)));
  for (const std::string norm : {"111", "112", "211", "212", "121", "122", "221", "222"}) {
    const bool proved = norm == "111" || norm == "112" || norm == "211" || norm == "122";
    const Words how = Words{data} + kernels + Words{"--p",          norm.substr(0, 1), "--q", norm.substr(1, 1), "--r",
                                                    norm.substr(2), "--lambda",        "0.1", "--rademacher",    "10"};
    EXPECT_EQ(report_of(folder, how)["rademacher"]["rate_proved"], proved) << norm;
    const auto shown = run(Words{"kernels"} + how).output;
    EXPECT_EQ(shown.find("is not proved to fall with the number of samples") == std::string::npos, proved) << shown;
  }
}

TEST(KernelSelection, RefusesInOneSentence) {
  const Folder folder;
  const auto data = folder.write("d.csv", file_of(lines(20)));
  const auto rare = folder.write("rare.csv", "y,a\n0,1\n0,2\n0,3\n1,4\n1,5\n");
  const auto lonely = folder.write("lonely.csv", "y,a\n0,1\n0,2\n0,3\n0,5\n1,4\n");
  const auto files = folder.files();
  const auto refused_of = [&](const std::string& file, const Words& more, int code, const std::string& says) {
    const auto outcome =
        run(Words{"kernels", file, "--kernel", "linear", "--report", folder.path("r.json")} + few + more);
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
  refused({"--lambda", "0.1", "--lambda-values", "0.1,0.01"}, "--lambda excludes --lambda-values");
  refused({"--lambdas", "5", "--lambda-values", "0.1,0.01"}, "--lambdas excludes --lambda-values");
  for (const Words& only : {Words{"--folds", "4"},
                            {"--choose", "min"},
                            {"--measure", "loss"},
                            {"--unstratified"},
                            {"--validation", "1/4"},
                            {"--lambda-ratio", "0.1"}})
    refused(Words{"--lambda", "0.1"} + only, " is for choosing lambda: give --lambdas or --lambda-values");
  refused({"--lambdas", "0"}, "--lambdas");
  refused({"--lambda-values", "0.1,0.2"}, "do not descend");
  refused({"--lambda-values", "0.1,0"}, "not positive");
  refused({"--lambda-values", "0.1,x"}, "'x'");
  refused({"--lambda-values", "0.1,0.099999999999", "--precision", "float"}, "do not descend in --precision float");
  refused({"--lambdas", "5", "--lambda-ratio", "2"}, "--lambda-ratio: 2 does not lie between 0 and 1");
  refused({"--lambdas", "5", "--validation", "0.7"}, "--validation: the fraction must lie between 0 and 1/2");
  refused({"--lambdas", "5", "--validation", "1/4", "--folds", "3"}, "excludes");
  refused({"--lambdas", "5", "--choose", "max"}, "is not one of min, 1se");
  refused({"--lambdas", "5", "--measure", "luck"}, "is not one of error, loss");
  for (const std::string folds : {"0", "1", "21"})
    refused({"--lambdas", "5", "--folds", folds}, "there must be two at least, and no more than samples");
  refused_of(rare, {"--lambdas", "5", "--folds", "3"}, 2,
             "--folds: 3 folds need as many samples of every class: class '1' has 2; take fewer folds");
  refused_of(lonely, {"--lambdas", "5", "--folds", "2", "--unstratified"}, 3, "class '1': all its samples are in fold");
  refused({"--lambdas", "5", "--solver", "forward-backward-as-printed"}, "chooses no lambda");
  refused({"--lambdas", "5", "--memory-limit", "20000"}, "more than --memory-limit", 4);
  refused({"--lambda", "0.1", "--rademacher", "0"}, "--rademacher: 0 draws have no standard error: take 2 or more");
  refused({"--lambda", "0.1", "--rademacher", "1"}, "--rademacher: 1 draw has no standard error");
  refused({"--lambda", "0.1", "--rademacher", "-3"}, "--rademacher");
  refused({"--lambda", "0.1", "--delta", "0.1"}, "--delta is for --rademacher");
  for (const std::string delta : {"0", "1", "-1"})
    refused({"--lambda", "0.1", "--rademacher", "10", "--delta", delta}, "does not lie between 0 and 1");
  refused({"--lambda", "0.1", "--rademacher", "10", "--intercept"}, "take --kernel constant in place of --intercept");
  refused({"--lambda", "0.1", "--rademacher", "10", "--form", "multiclass"}, "one score: take --form binary");
  refused_of(iris, {"--lambda", "0.1", "--rademacher", "10"}, 2, "and there are 3 classes");
}

}  // namespace
