// Probabilities in the command: cv --calibrate, and what the other subcommands make of calibrated models.
#include "calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "support/command.hpp"

namespace {

using Json = nlohmann::json;
using tamis::testing::CommandOutcome;
using tamis::testing::Folder;
using tamis::testing::run;

const std::string data = TAMIS_TEST_DATA;
const std::string wine = data + "/wine.csv";

CommandOutcome run_with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}
void expect_refused(const CommandOutcome& outcome, int code, const std::string& sentence) {
  EXPECT_EQ(outcome.code, code) << sentence;
  EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.output, "");
}

/// What predict prints with --scores or --probabilities.
struct Predicted {
  std::vector<std::string> classes, labels;
  std::vector<std::vector<double>> numbers;
  explicit Predicted(const CommandOutcome& outcome) {
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    std::istringstream lines(outcome.output);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string field;
      std::getline(fields, field, ',');
      if (!classes.empty()) labels.push_back(field);
      if (!classes.empty()) numbers.emplace_back();
      while (std::getline(fields, field, ','))
        if (labels.empty()) classes.push_back(field);
        else numbers.back().push_back(std::stod(field));
    }
  }
};
std::vector<std::string> labels_of(const std::string& csv) {
  std::vector<std::string> out;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) out.push_back(line.substr(0, line.find(',')));
  return out;
}

/// Every third row of a file with a header, and the others.
struct Parts {
  Folder folder;
  std::string train, test;
  explicit Parts(const std::string& name) {
    std::ifstream in(data + "/" + name);
    std::string header, line, parts[2];
    std::getline(in, header);
    parts[0] = parts[1] = header + "\n";
    for (int i = 0; std::getline(in, line); ++i) parts[i % 3 == 2] += line + "\n";
    train = folder.write("train.csv", parts[0]);
    test = folder.write("test.csv", parts[1]);
  }
};

/// −mean log p of the label, and the expected calibration error in ten bins, by their definitions.
std::pair<double, double> worth(const Predicted& predicted, const std::vector<std::string>& truth) {
  double loss = 0, confidence[10] = {}, right[10] = {};
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const auto& p = predicted.numbers[i];
    std::size_t best = 0, label = 0;
    for (std::size_t k = 0; k < p.size(); ++k) {
      if (p[k] > p[best]) best = k;
      if (predicted.classes[k] == truth[i]) label = k;
    }
    loss -= std::log(p[label]);
    const int bin = std::min(9, static_cast<int>(10 * p[best]));
    confidence[bin] += p[best];
    right[bin] += best == label;
  }
  double error = 0;
  for (int b = 0; b < 10; ++b) error += std::abs(confidence[b] - right[b]);
  const double n = static_cast<double>(truth.size());
  return {loss / n, error / n};
}

TEST(Calibrate, HasDigitsAlmostAsLikelyAsTheLogisticModel) {
  const Parts digits("digits.csv");
  const auto on = [&](const std::string& loss, const std::vector<std::string>& more) {
    const std::string report = digits.folder.path(loss + ".json");
    const auto outcome =
        run_with({"cv",          digits.train, "--test",    digits.test, "--scale",         "16",
                  "--loss",      loss,         "--penalty", "group-l2",  "--lambda-values", "0.02,0.005,0.001",
                  "--measure",   "loss",       "--choose",  "min",       "--folds",         "3",
                  "--tolerance", "1e-3",       "--report",  report},
                 more);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return std::pair(Json::parse(digits.folder.read(loss + ".json")), outcome.error);
  };
  const double logistic = on("logistic", {}).first["test_log_loss"];
  EXPECT_LT(logistic, 0.25);
  for (const std::string loss : {"squared-hinge", "hinge"}) {
    const auto [report, text] = on(loss, {"--calibrate", "--model", digits.folder.path("m.json")});
    const Json& calibration = report["calibration"];
    EXPECT_EQ(calibration["kind"], "softmax");
    EXPECT_EQ(calibration["status"], "converged");
    EXPECT_EQ(calibration["slopes"].size(), 10u);
    EXPECT_TRUE(calibration["held_out_before"].is_null()) << "scores of the " << loss << " are no probabilities";
    for (const char* where : {"held_out", "test"}) {
      EXPECT_LE(calibration[where]["log_loss"], 1.2 * logistic) << loss << ", " << where;
      EXPECT_LT(calibration[where]["calibration_error"], 0.03) << loss << ", " << where;
    }
    EXPECT_NE(text.find("calibrated by softmax: held-out log-loss "), std::string::npos) << text;
    // The report says of the test samples what their probabilities are worth.
    const Predicted p(run({"predict", digits.folder.path("m.json"), digits.test, "--scale", "16", "--probabilities"}));
    const auto [log_loss, error] = worth(p, labels_of(digits.folder.read("test.csv")));
    EXPECT_NEAR(log_loss, calibration["test"]["log_loss"], 1e-9);
    EXPECT_NEAR(error, calibration["test"]["calibration_error"], 1e-9);
    double share = 0, off = 0;
    for (const Json& bin : calibration["test"]["bins"]) {
      share += bin["weight"].get<double>();
      EXPECT_EQ(bin["accuracy"].is_null(), bin["weight"] == 0);
      if (bin["weight"] > 0)
        off += bin["weight"].get<double>() * std::abs(bin["accuracy"].get<double>() - bin["confidence"].get<double>());
    }
    EXPECT_NEAR(share, 1, 1e-12);
    EXPECT_NEAR(off, calibration["test"]["calibration_error"], 1e-12);
  }
}

std::vector<std::string> wine_cv(const std::string& loss) {
  return {"cv",      wine, "--standardise",   "--loss",        loss,          "--penalty", "group-l2",
          "--folds", "4",  "--lambda-values", "0.2,0.05,0.01", "--tolerance", "1e-7",      "--choose",
          "min"};
}

TEST(Calibrate, IsPartOfTheModel) {
  for (const std::string kind : {"softmax", "sigmoid"})
    for (const std::string precision : {"double", "float"}) {
      const Folder folder;
      const auto outcome =
          run_with(wine_cv("squared-hinge"), {"--calibrate", kind, "--model", folder.path("m.json"), "--report",
                                              folder.path("r.json"), "--precision", precision, "--hold-out", "1/4"});
      ASSERT_EQ(outcome.code, 0) << outcome.error;
      const Json model = Json::parse(folder.read("m.json")), report = Json::parse(folder.read("r.json"));
      const Json& c = model["calibration"];
      EXPECT_EQ(c["kind"], kind);
      EXPECT_EQ(c["slopes"], report["calibration"]["slopes"]);
      EXPECT_EQ(c["offsets"], report["calibration"]["offsets"]);
      EXPECT_EQ(report["calibration"], Json::parse(outcome.output)["calibration"]);
      // As the formula has them from the scores.
      const Predicted s(run({"predict", folder.path("m.json"), wine, "--scores"}));
      const Predicted p(run({"predict", folder.path("m.json"), wine, "--probabilities"}));
      EXPECT_EQ(p.classes, s.classes);
      ASSERT_EQ(p.numbers.size(), 178u);
      for (std::size_t i = 0; i < 178; ++i) {
        double q[3], total = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          const double z = c["slopes"][k].get<double>() * s.numbers[i][k] + c["offsets"][k].get<double>();
          total += q[k] = kind == "softmax" ? std::exp(z) : 1 / (1 + std::exp(-z));
        }
        std::size_t best = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_NEAR(p.numbers[i][k], q[k] / total, precision == "float" ? 1e-7 : 1e-12);
          if (q[k] > q[best]) best = k;
        }
        EXPECT_EQ(p.labels[i], p.classes[best]);
      }
      // Written once more it is the same; without it there are no probabilities, as in files of old.
      ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "json", "--output", folder.path("again.json")}).code,
                0);
      EXPECT_EQ(folder.read("again.json"), folder.read("m.json"));
      for (const bool absent : {false, true}) {
        Json old = model;
        old["calibration"] = nullptr;
        if (absent) old.erase("calibration");
        folder.write("old.json", old.dump());
        EXPECT_EQ(run({"predict", folder.path("old.json"), wine, "--scores"}).output,
                  run({"predict", folder.path("m.json"), wine, "--scores"}).output);
        expect_refused(run({"predict", folder.path("old.json"), wine, "--probabilities"}), 2, "--calibrate");
      }
    }
}

TEST(Calibrate, SaysWhatTheLogisticModelWasWorthBefore) {
  const auto outcome = run_with(wine_cv("logistic"), {"--calibrate", "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output + outcome.error, "");
  const Json out = Json::parse(run_with(wine_cv("logistic"), {"--calibrate"}).output);
  Json chosen;
  for (const Json& point : out["points"])
    if (point["lambda"] == out["lambda"]) chosen = point;
  EXPECT_NEAR(chosen["mean_loss"], out["calibration"]["held_out_before"]["log_loss"], 1e-4);
  EXPECT_GT(out["calibration"]["held_out"]["log_loss"], 0);
  EXPECT_TRUE(out["calibration"]["test"].is_null());
}

TEST(Calibrate, IsMeasuredOnFoldsThatItHasNotSeen) {
  // Two folds of one sample per class: what is fitted to one of them says what it is worth on the other.
  using namespace tamis;
  const std::vector<double> scores{2, 0, 0, 1, 1, 0, 0, 3};  // four samples, two classes
  const std::vector<Label> labels{0, 1, 0, 1};
  const std::vector<Index> folds{0, 0, 1, 1};
  const Targets<double> targets{labels, 2};
  const auto report = cli::fit_calibration(CalibrationKind::softmax, scores, targets, folds, 2);
  double loss = 0;
  for (Index fold = 0; fold < 2; ++fold) {
    const std::vector<double> weights{fold ? 1.0 : 0, fold ? 1.0 : 0, fold ? 0 : 1.0, fold ? 0 : 1.0};
    Targets<double> others = targets;
    others.weights = weights.data();
    const auto of_others = cli::fit_calibration(CalibrationKind::softmax, scores, others, {2, 2, 2, 2}, 0).calibration;
    for (const std::size_t i : {2 * fold, 2 * fold + 1})
      loss -= of_others.view().log_probability(scores.data() + 2 * i, labels[i]) / 4;
  }
  EXPECT_NEAR(report.held_out.means.log_loss, loss, 1e-12);
  EXPECT_NE(report.held_out.means.log_loss,
            cli::measure_probabilities(report.calibration.view(), scores, targets)->means.log_loss);
}

TEST(Calibrate, GoesWithARefit) {
  const Folder folder;
  const auto outcome = run_with(wine_cv("hinge"), {"--refit", "--calibrate", "--hold-out", "1/3", "--model",
                                                   folder.path("m.json"), "--plot-reliability", folder.path("p.svg")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json out = Json::parse(outcome.output);
  EXPECT_LT(out["calibration"]["test"]["log_loss"], 0.25);
  EXPECT_LT(out["calibration"]["held_out"]["log_loss"], 0.25);
  EXPECT_EQ(Json::parse(folder.read("m.json"))["penalty"], "ridge");
  EXPECT_EQ(Json::parse(folder.read("m.json"))["calibration"]["slopes"], out["calibration"]["slopes"]);
  EXPECT_NE(folder.read("p.svg").find("hinge, ridge, softmax: test samples"), std::string::npos);
}

TEST(Calibrate, WithoutFeaturesGivesTheSharesOfTheClasses) {
  const Folder folder;
  const auto outcome = run({"cv", wine, "--loss", "squared-hinge", "--penalty", "l1", "--lambda-values", "1e6",
                            "--calibrate", "--model", folder.path("m.json"), "--quiet"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Predicted p(run({"predict", folder.path("m.json"), wine, "--probabilities"}));
  const double shares[] = {59.0 / 178, 71.0 / 178, 48.0 / 178};
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(p.numbers[0][k], shares[k], 0.01);
}

TEST(Calibrate, LeavesOutTestSamplesOfUnknownClasses) {
  const Folder folder;
  const std::string train = folder.write("train.csv", "y,x\na,1\nb,3\na,1.2\nb,2.8\na,0.9\nb,3.3\na,2.1\nb,1.9\n");
  const std::string test = folder.write("test.csv", "y,x\na,1\nnew,3\n");
  const auto outcome = run({"cv", train, "--test", test, "--loss", "squared-hinge", "--penalty", "l1",
                            "--lambda-values", "0.01", "--folds", "2", "--calibrate"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_TRUE(Json::parse(outcome.output)["calibration"]["test"].is_null());
}

TEST(Calibrate, RefusesWhatMakesNoSense) {
  const Folder folder;
  const std::string rare = folder.write("rare.csv", "a,1\na,2\na,3\na,2\nb,5\nb,6\nc,9\nc,8\nc,7\nc,9\n");
  const std::string apart = folder.write("apart.txt", "1\n1\n2\n2\n3\n3\n4\n4\n4\n4\n");
  const std::string several = folder.write("several.svm", "1,2 1:1\n2 1:2\n1 1:3\n1 1:4\n2 1:5\n");
  const std::string model = folder.path("m.json");
  const auto rare_cv = [&](const std::vector<std::string>& more) {
    return run_with({"cv", rare, "--loss", "hinge", "--penalty", "l1", "--lambdas", "3", "--model", model}, more);
  };
  expect_refused(rare_cv({"--calibrate", "--folds", "3"}), 2, "class 'b' has 2");
  expect_refused(rare_cv({"--calibrate", "--folds", "4", "--subjects", apart}), 3, "all its samples are in fold");
  expect_refused(rare_cv({"--calibrate", "isotonic", "--folds", "2"}), 2,
                 "--calibrate: 'isotonic' is not one of softmax, sigmoid");
  expect_refused(rare_cv({"--calibrate", "--validation", "1/3"}), 2, "give --folds instead of --validation");
  expect_refused(rare_cv({"--plot-reliability", folder.path("p.svg"), "--folds", "2"}), 2,
                 "--plot-reliability is for --calibrate");
  expect_refused(run({"cv", several, "--loss", "ranking-squared-hinge", "--penalty", "l1", "--calibrate"}), 2,
                 "several labels");
  const std::vector<std::string> of_kernels{"kernels", rare, "--kernel", "linear", "--p", "2", "--q", "1", "--r", "1"};
  expect_refused(run_with(of_kernels, {"--lambdas", "3", "--calibrate"}), 2, "--calibrate");
  expect_refused(
      run({"interactions", rare, "--loss", "squared-hinge", "--hierarchy", "weak", "--lambda", "1", "--calibrate"}), 2,
      "--calibrate");
  ASSERT_EQ(run_with(of_kernels, {"--lambda", "0.1", "--quiet", "--model", model}).code, 0);
  expect_refused(run({"predict", model, rare, "--probabilities"}), 2, "only logistic gives probabilities");
  EXPECT_EQ(folder.files(), 4u);
}

TEST(Calibrate, RefusesMangledModels) {
  const Folder folder;
  ASSERT_EQ(run_with(wine_cv("hinge"), {"--calibrate", "--quiet", "--model", folder.path("m.json")}).code, 0);
  const auto with = [&](const std::string& calibration) {
    Json model = Json::parse(folder.read("m.json"));
    model["calibration"] = Json::parse(calibration);
    return run({"predict", folder.write("bad.json", model.dump()), wine});
  };
  expect_refused(with(R"({"kind": "isotonic", "slopes": [1, 1, 1], "offsets": [0, 0, 0]})"), 3,
                 "bad.json: has a calibration 'isotonic' that this command does not know");
  expect_refused(with(R"({"kind": "softmax", "slopes": [1, 1], "offsets": [0, 0, 0]})"), 3, "different lengths");
  for (const char* bad :
       {R"({"kind": "softmax", "slopes": [1, 1, 1]})", R"({"slopes": [1, 1, 1], "offsets": [0, 0, 0]})",
        R"({"kind": "softmax", "slopes": [1, null, 1], "offsets": [0, 0, 0]})", "7", R"("softmax")", "[]"})
    expect_refused(with(bad), 3, "bad.json: lacks a part of a model, or has one of the wrong type");
}

TEST(Calibrate, DoesNotOutliveAnUpdate) {
  const Folder folder;
  ASSERT_EQ(run_with(wine_cv("squared-hinge"), {"--calibrate", "--quiet", "--model", folder.path("m.json")}).code, 0);
  const auto outcome = run({"update", folder.path("m.json"), wine, "--model", folder.path("n.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("the new model has no probabilities"), std::string::npos) << outcome.error;
  EXPECT_TRUE(Json::parse(folder.read("n.json"))["calibration"].is_null());
  EXPECT_EQ(run({"update", folder.path("n.json"), wine, "--model", folder.path("o.json")}).error, "");
}

// ---- exported ------------------------------------------------------------------------------------------------------

const char* const use_of_header = R"(#include <stdio.h>
#include "exported.h"
#include "exported.h"
int main(int argc, char **argv) {
  SCALAR x[13], p[3];
  int j, c;
  if (exported_self_test() != 0) return 10;
  if (exported_probabilities_self_test() != 0) return 20;
  if (argc < 2) return 0;
  { FILE *in = fopen(argv[1], "r");
    while ((c = fgetc(in)) != '\n') {}
    puts("label,1,2,3");
    while (fscanf(in, "%*[^,]") != EOF) {
      for (j = 0; j < 13; ++j) { double v; if (fscanf(in, ",%lf", &v) != 1) return 1; x[j] = (SCALAR)v; }
      if (fscanf(in, "%*[\r\n]") == EOF) {}
      exported_probabilities(x, p);
      printf("%s,%.9g,%.9g,%.9g\n", exported_labels[exported_top(p)], (double)p[0], (double)p[1], (double)p[2]);
    } }
  return 0;
}
)";

TEST(Calibrate, IsExported) {
  const std::string compiler = TAMIS_TEST_COMPILER;
  const std::tuple<std::string, std::string, bool> cases[] = {{"softmax", "float", false},
                                                              {"softmax", "double", true},
                                                              {"sigmoid", "float", true},
                                                              {"sigmoid", "double", false},
                                                              {"none", "float", false}};
  for (const auto& [kind, precision, prepared] : cases) {
    SCOPED_TRACE(kind + " " + precision);
    const Folder folder;
    auto arguments = wine_cv(kind == "none" ? "logistic" : "squared-hinge");
    arguments.insert(arguments.end(), {"--quiet", "--model", folder.path("m.json")});
    if (kind != "none") arguments.insert(arguments.end(), {"--calibrate", kind});
    if (prepared) arguments.insert(arguments.end(), {"--log", "0.01:10000"});
    ASSERT_EQ(run(arguments).code, 0);
    ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--precision", precision,
                   "--output", folder.path("exported.h")})
                  .code,
              0);
    std::string program = use_of_header;
    for (std::size_t at; (at = program.find("SCALAR")) != std::string::npos;) program.replace(at, 6, precision);
    folder.write("use.c", program);
    const auto compile = [&](const std::string& language) {
      return std::system((compiler + " -x " + language + " -O1 -Wall -Wextra -Werror -pedantic " +
                          folder.path("use.c") + " -o " + folder.path("use") + " -lm")
                             .c_str());
    };
    const Predicted expected(run({"predict", folder.path("m.json"), wine, "--probabilities"}));
    for (const std::string language : {"c -std=c99", "c++ -std=c++17"}) {
      ASSERT_EQ(compile(language), 0) << language;
      ASSERT_EQ(std::system((folder.path("use") + " " + wine + " > " + folder.path("out")).c_str()), 0) << language;
      const Predicted here({0, folder.read("out"), ""});
      ASSERT_EQ(here.numbers.size(), expected.numbers.size());
      for (std::size_t i = 0; i < here.numbers.size(); ++i)
        for (std::size_t k = 0; k < 3; ++k)
          EXPECT_NEAR(here.numbers[i][k], expected.numbers[i][k], precision == "float" ? 2e-4 : 1e-8);
      EXPECT_EQ(here.labels, expected.labels);
    }
    // The self-test bites: another 1/ln 2 in the exponential.
    std::string header = folder.read("exported.h");
    const auto digit = header.find("0x1", header.find("shifted = x * "));
    header.replace(digit, 3, "0x0");
    folder.write("exported.h", header);
    ASSERT_EQ(compile("c -std=c99"), 0);
    EXPECT_EQ(std::system(folder.path("use").c_str()) >> 8, 20);
  }
}

}  // namespace
