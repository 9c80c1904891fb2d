// `tamis kernels`: what it prints, reports, stores and refuses, and that its models predict as they were reported and
// exported.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace {

using nlohmann::json;
using tamis::testing::Folder;
using tamis::testing::run;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";
const std::string digits = std::string(TAMIS_TEST_DATA) + "/digits.csv";
const std::string reference = std::string(TAMIS_TEST_REFERENCE) + "/data/";

/// Two classes of samples of two features: within a circle, and around it.
std::string rings(int first, int count) {
  std::string out = "y,a,b\n";
  for (int i = first; i < first + count; ++i) {
    const double radius = i % 2 ? 2 + 0.3 * std::sin(3.1 * i) : 0.7 * std::abs(std::sin(1.7 * i));
    out += (i % 2 ? "out," : "in,") + std::to_string(radius * std::cos(2.3 * i)) + "," +
           std::to_string(radius * std::sin(2.3 * i)) + "\n";
  }
  return out;
}

json trained(const Folder& folder, std::vector<std::string> more, bool model = true) {
  more.insert(more.begin(), {"kernels", "--report", folder.path("r.json"), "--quiet"});
  if (model) more.insert(more.end(), {"--model", folder.path("m.json")});
  const auto outcome = run(more);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output + outcome.error, "");
  return json::parse(folder.read("r.json"));
}

std::vector<std::string> norm(const char* p, const char* q, const char* r, const char* lambda) {
  return {"--p", p, "--q", q, "--r", r, "--lambda", lambda};
}
std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<double> numbers(std::string text) {
  std::replace(text.begin(), text.end(), ',', ' ');
  std::istringstream in(text);
  std::vector<double> out;
  for (double value; in >> value;) out.push_back(value);
  return out;
}

/// Of the rows of a CSV of predictions, the entries after the label.
std::vector<std::vector<double>> scores_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  std::vector<std::vector<double>> out;
  while (std::getline(lines, line)) out.push_back(numbers(line.substr(line.find(',') + 1)));
  return out;
}

// Optima that were certified elsewhere; the files of matrices are row-major, and K3 is not symmetric.
TEST(KernelsCommand, FindsTheOptimaOfGivenMatrices) {
  std::ifstream cases(std::string(TAMIS_TEST_REFERENCE) + "/kernel_cases.csv");
  std::string line;
  std::getline(cases, line);
  int seen = 0;
  while (std::getline(cases, line)) {
    std::vector<std::string> f;  // id, data, p, q, r, lambda, optimum
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) f.push_back(field);
    const int samples = f[1] == "ker21" ? 24 : 60;
    for (const std::string precision : {"double", "float"}) {
      const Folder folder;
      std::vector<std::string> all{"--labels", reference + f[1] + "_y.csv"};
      for (const char* kernel : {"1", "2", "3"})
        all = all + std::vector<std::string>{"--kernel-matrix", reference + f[1] + "_K" + kernel + ".csv"};
      const bool single = precision == "float";
      const std::string lambda = f[5] + "/" + std::to_string(samples);
      const json r =
          trained(folder,
                  all + norm(f[2].c_str(), f[3].c_str(), f[4].c_str(), lambda.c_str()) +
                      std::vector<std::string>{"--precision", precision, "--tolerance", single ? "1e-4" : "1e-8"},
                  false);
      const double optimum = std::stod(f[6]) / samples;
      EXPECT_NEAR(r["objective"], optimum, (single ? 1e-4 : 1e-6) * optimum) << line;
      EXPECT_LE(r["dual_objective"], optimum * (1 + (single ? 1e-4 : 1e-9)));
      EXPECT_EQ(r["form"], "binary");
      EXPECT_TRUE(r["features"].is_null());
      EXPECT_EQ(r["samples"], samples);
      EXPECT_EQ(r["kernel_values"], r["coefficients"]["samples"].size());
    }
    ++seen;
  }
  EXPECT_EQ(seen, 18);
}

TEST(KernelsCommand, LearnsAndSaysWhatItKept) {
  const Folder folder;
  const auto data = folder.write("rings.csv", rings(0, 60)), test = folder.write("test.csv", rings(60, 40));
  const auto outcome = run(std::vector<std::string>{"kernels", data, "--kernel", "linear", "--kernel", "gaussian:1",
                                                    "--kernel", "constant", "--test", test} +
                           norm("2", "1", "2", "0.01"));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  for (const char* words : {"converged", "train: 60 of 60 right; test: 40 of 40 right", "gaussian:1", "not used"})
    EXPECT_NE(outcome.output.find(words), std::string::npos) << words << outcome.output;
  const json few =
      trained(folder, std::vector<std::string>{data, "--kernel", "gaussian:1"} + norm("1", "1", "1", "0.03"));
  EXPECT_EQ(few["status"], "converged");
  EXPECT_LT(few["kept_samples"], 20);
  EXPECT_EQ(few["kept_kernels"], 1);
  EXPECT_GT(few["kernel_seconds"], 0);
  EXPECT_EQ(few["prediction_steps"], 3 * few["kept_samples"].get<int>());
  EXPECT_EQ(few["train_accuracy"], 1);
  EXPECT_EQ(few["class_names"], json::array({"in", "out"}));
  const json model = json::parse(folder.read("m.json"));
  EXPECT_EQ(model["kind"], "kernels");
  EXPECT_EQ(model["form"], "binary");
  EXPECT_EQ(model["kernels"], json::parse(R"([{"kind": "gaussian", "parameters": [1.0]}])"));
  EXPECT_EQ(model["coefficients"]["samples"]["indices"].size(), few["kept_samples"]);
  EXPECT_EQ(model["coefficients"]["samples"]["indices"], few["coefficients"]["samples"]);
  const json none =
      trained(folder, std::vector<std::string>{data, "--kernel", "gaussian:1"} + norm("1", "1", "1", "99"));
  EXPECT_EQ(none["kernel_values"], 0);
  EXPECT_GT(99, none["lambda_max"]);
  EXPECT_EQ(run({"predict", folder.path("m.json"), data}).output.substr(0, 3), "in\n");
  EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "c"}).code, 0);
}

/// Scores by the definition, from the report's coefficients, of Gaussian and sigmoid kernels and a constant.
double score_of(const json& report, const std::vector<std::vector<double>>& training, const std::vector<double>& x,
                std::size_t output) {
  double score = report["intercepts"][output];
  for (std::size_t e = 0; e < report["coefficients"]["values"].size(); ++e) {
    const auto& z = training[report["coefficients"]["samples"][e].get<std::size_t>()];
    double square = 0, product = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      square += (x[j] - z[j]) * (x[j] - z[j]);
      product += x[j] * z[j];
    }
    const int kernel = report["coefficients"]["kernels"][e];
    const double value = kernel == 0   ? std::exp(-square / 2 / 1.5 / 1.5)
                         : kernel == 1 ? std::tanh(0.1 * product - 0.5)
                                       : 1;
    score += report["coefficients"]["values"][e][output].get<double>() * value;
  }
  return score;
}

// The same model in a fraction of the memory, since the matrices are never stored.
TEST(KernelsCommand, DoesWithoutMatrices) {
  const Folder folder;
  const auto data = folder.write("a.csv", rings(0, 80));
  for (const char* r : {"1", "2"}) {
    const auto usual = std::vector<std::string>{data,           "--kernel",    "gaussian:1",  "--kernel",
                                                "sigmoid:1,-1", "--intercept", "--tolerance", "1e-5"} +
                       norm("2", "1", r, "0.05");
    const json stored = trained(folder, usual);
    const auto short_of = usual + std::vector<std::string>{"--memory-limit", "90000"};
    const auto outcome = run(std::vector<std::string>{"kernels"} + short_of);
    EXPECT_EQ(outcome.code, 4);
    EXPECT_NE(outcome.error.find("or --solver fista"), std::string::npos) << outcome.error;
    const json report = trained(folder, short_of + std::vector<std::string>{"--solver", "fista"});
    EXPECT_EQ(report["solver"], "fista");
    EXPECT_NEAR(report["objective"].get<double>(), stored["objective"].get<double>(),
                2e-5 * stored["objective"].get<double>());
    EXPECT_EQ(report["train_accuracy"], 1);
  }
}

TEST(KernelsCommand, PredictsWhatWasReported) {
  for (const std::string precision : {"double", "float"})
    for (const std::string form : {"binary", "multiclass"})
      for (const bool standardised : {false, true}) {
        const Folder folder;
        const auto data = folder.write("train.csv", rings(0, 40)), test = folder.write("test.csv", rings(40, 30));
        std::vector<std::string> more{data,
                                      "--test",
                                      test,
                                      "--kernel",
                                      "gaussian:1.5",
                                      "--kernel",
                                      "sigmoid:0.1,-0.5",
                                      "--kernel",
                                      "constant",
                                      "--intercept",
                                      "--form",
                                      form,
                                      "--precision",
                                      precision,
                                      "--scale",
                                      "2",
                                      "--max-iterations",
                                      "20000"};
        if (standardised) more.push_back("--standardise");
        const json report = trained(folder, more + norm("2", "1", "1", "0.02"));
        EXPECT_EQ(report["form"], form);
        EXPECT_EQ(report["precision"], precision);
        const auto predicted = run({"predict", folder.path("m.json"), test});
        ASSERT_EQ(predicted.code, 0) << predicted.error;
        std::istringstream labels(predicted.output);
        double right = 0;
        std::string label;
        for (int i = 40; std::getline(labels, label); ++i) right += label == (i % 2 ? "out" : "in");
        EXPECT_EQ(right / 30, report["test_accuracy"]);
        const auto scores = scores_of(run({"predict", folder.path("m.json"), test, "--scores"}).output);
        ASSERT_EQ(scores.size(), 30u);
        const auto samples = [&](const std::string& text) {
          std::vector<std::vector<double>> out;
          std::istringstream lines(text);
          std::string line;
          std::getline(lines, line);
          while (std::getline(lines, line)) {
            auto& row = out.emplace_back(numbers(line.substr(line.find(',') + 1)));
            for (std::size_t j = 0; j < 2; ++j) {
              row[j] /= 2;
              if (!standardised) continue;
              const json& by = report["standardisation"][j];
              row[j] = (row[j] - by["mean"].get<double>()) / by["scale"].get<double>();
            }
          }
          return out;
        };
        const auto train = samples(rings(0, 40)), other = samples(rings(40, 30));
        const double slack = precision == "float" ? 1e-6 : 1e-12;  // constants are part of a float
        for (std::size_t i = 0; i < 30; ++i) {
          const double first = score_of(report, train, other[i], 0);
          if (form == "binary") {
            EXPECT_NEAR(scores[i][1], first, slack);
            EXPECT_EQ(scores[i][0], -scores[i][1]);
          } else {
            EXPECT_NEAR(scores[i][0], first, slack);
            EXPECT_NEAR(scores[i][1], score_of(report, train, other[i], 1), slack);
          }
        }
        EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "json"}).output, folder.read("m.json"));
      }
}

TEST(KernelsCommand, GoesToC) {
  const Folder folder;
  const std::string compiler = TAMIS_TEST_COMPILER;
  trained(folder, std::vector<std::string>{iris, "--kernel", "chi2", "--kernel", "gaussian:2", "--kernel", "kl",
                                           "--scale", "2"} +
                      norm("2", "1", "1", "0.02"));
  for (const std::string precision : {"float", "double"}) {
    ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--precision", precision,
                   "--output", folder.path("exported.h")})
                  .code,
              0);
    folder.write("use.c", "#include <stdio.h>\n#include \"exported.h\"\nint main(void) {\n  " + precision +
                              " x[4];\n  double number;\n  int j = 0;\n"
                              "  if (exported_self_test() != 0) return 10;\n"
                              "  while (scanf(\"%lf%*c\", &number) == 1) {\n"
                              "    x[j++] = number;\n    if (j < 4) continue;\n    j = 0;\n"
                              "    puts(exported_labels[exported_predict(x)]);\n  }\n  return 0;\n}\n");
    ASSERT_EQ(std::system((compiler + " -x c -std=c99 -Wall -Wextra -pedantic -Werror " + folder.path("use.c") +
                           " -o " + folder.path("use") + " -lm")
                              .c_str()),
              0);
    std::ifstream file(iris);
    std::string line, plain;
    std::getline(file, line);
    const bool first = line.find("species") == 0 || !std::isdigit(static_cast<unsigned char>(line[0]));
    EXPECT_TRUE(first) << "a header, then the label in front";
    while (std::getline(file, line)) plain += line.substr(line.find(',') + 1) + "\n";
    folder.write("in", plain);
    ASSERT_EQ(std::system((folder.path("use") + " < " + folder.path("in") + " > " + folder.path("out")).c_str()), 0);
    EXPECT_EQ(folder.read("out"), run({"predict", folder.path("m.json"), iris}).output);
  }
  const auto sketch = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "board"}).output;
  EXPECT_NE(sketch.find("board_sample[BOARD_FEATURES"), std::string::npos);
  EXPECT_NE(sketch.find("board_labels[board_predict(board_sample)]"), std::string::npos);
}

TEST(KernelsCommand, TakesDuplicatesAndMatricesBesideSamples) {
  const Folder folder;
  const auto twice = folder.write("twice.csv", "0,0,1\n0,0,1\n1,1,0\n1,1,0\n1,1,1\n");
  const json r = trained(folder, std::vector<std::string>{twice, "--kernel", "gaussian:1", "--kernel", "gaussian:1"} +
                                     norm("1", "1", "1", "0.01"));
  EXPECT_EQ(r["status"], "converged");
  EXPECT_EQ(r["train_accuracy"], 1);
  const auto last = run(std::vector<std::string>{"kernels", "--kernel", "gaussian:1", "--kernel", "linear", twice} +
                        norm("2", "1", "1", "0.01"));
  EXPECT_EQ(last.code, 0) << last.error;  // options take one kernel each
  EXPECT_NE(last.output.find("  linear "), std::string::npos) << last.output;
  const auto matrix = folder.write("k.csv", "1,0,0,0,0\n0,1,0,0,0\n0,0,1,0,0\n0,0,0,1,0\n0,0,0,0,1\n");
  const json both = trained(folder,
                            std::vector<std::string>{twice, "--kernel", "gaussian:1", "--kernel-matrix", matrix} +
                                norm("2", "2", "1", "0.01"),
                            false);
  EXPECT_EQ(both["kernels"].size(), 2u);
  EXPECT_EQ(both["kernels"][1]["kernel"], matrix);
  EXPECT_NEAR(both["gap"], double(both["objective"]) - double(both["dual_objective"]), 1e-15);
  EXPECT_TRUE(both["model_bytes"].is_null());
}

TEST(KernelsCommand, IsSolvedByThePrintedAlgorithmToo) {
  const Folder folder;
  const auto data = folder.write("rings.csv", rings(0, 20));
  const auto problem =
      std::vector<std::string>{data, "--kernel", "gaussian:1", "--kernel", "linear", "--tolerance", "1e-6"} +
      norm("2", "1", "1", "0.05");
  const json ours = trained(folder, problem);
  const json printed = trained(folder, problem + std::vector<std::string>{"--solver", "forward-backward-as-printed"});
  EXPECT_EQ(ours["solver"], "admm");
  EXPECT_EQ(printed["solver"], "forward-backward-as-printed");
  EXPECT_EQ(printed["status"], "converged");
  EXPECT_NEAR(printed["objective"], ours["objective"], 2e-6 * double(ours["objective"]));
  EXPECT_GT(printed["iterations"], ours["iterations"]);
}

TEST(KernelsCommand, RefusesInOneSentence) {
  const Folder folder;
  const auto data = folder.write("rings.csv", rings(0, 20));
  const auto labels = folder.write("labels.csv", "1\n-1\n1\n"),
             good = folder.write("good.csv", "1,2,3\n4,5,6\n7,8,9\n");
  const auto narrow = folder.write("narrow.csv", "1,2\n4,5\n7,8\n"),
             shallow = folder.write("short.csv", "1,2,3\n4,5,6\n");
  const auto tall = folder.write("tall.csv", "1,2,3\n4,5,6\n7,8,9\n1,1,1\n");
  const auto nan = folder.write("nan.csv", "1,2,3\n4,nan,6\n7,8,9\n"),
             word = folder.write("word.csv", "a,b,c\n4,5,6\n");
  const auto zero = folder.write("zero.csv", "0,0,0\n0,0,0\n0,0,0\n"), same = folder.write("same.csv", "2\n2\n2\n");
  const auto large = folder.write("large.csv", "1,2,1e300\n4,5,6\n7,8,9\n");
  const auto files = folder.files();
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& says) {
    more.insert(more.begin(), {"kernels", "--report", folder.path("r.json")});
    const auto outcome = run(more);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1);
    EXPECT_EQ(folder.files(), files);
  };
  const auto usual = norm("2", "1", "1", "0.1");
  const auto of = [&](const std::string& kernel) { return std::vector<std::string>{data, "--kernel", kernel} + usual; };
  refused(of("cubic"), 2, "'cubic' is not one of linear, polynomial");
  refused(of("gaussian"), 2, "gaussian takes one number, its width, as in gaussian:0.5, and 'gaussian' has 0");
  refused(of("linear:2"), 2, "linear takes no number");
  refused(of("sigmoid:1"), 2, "sigmoid:0.1,-1");
  refused(of("gaussian:wide"), 2, "'wide' is not a finite number");
  refused(of("gaussian:0"), 2, "the width of a kernel must be positive");
  refused(of("polynomial:1.5,1"), 2, "whole number from 1 to 64");
  refused(of("kl"), 3, "kernel kl: its value of samples 1 (");
  refused(of("chi2"), 3, "histograms, whose entries are not negative");
  refused(of("polynomial:64,1e30"), 3, "is not finite");
  refused(std::vector<std::string>{data} + usual, 2, "at least one kernel");
  for (const auto& [p, q, r] : {std::array{"3", "1", "1"}, {"1", "0", "1"}, {"1", "1", "7"}})
    refused(std::vector<std::string>{data, "--kernel", "linear"} + norm(p, q, r, "0.1"), 2, "is neither 1 nor 2");
  refused(std::vector<std::string>{data, "--kernel", "linear"} + norm("1", "1", "1", "0"), 2, "not positive");
  refused(std::vector<std::string>{iris, "--kernel", "linear", "--form", "binary"} + usual, 3,
          "3 different labels, and --form binary is for two");
  refused(of("linear") + std::vector<std::string>{"--form", "ternary"}, 2, "auto, binary, multiclass");
  refused(of("linear") + std::vector<std::string>{"--solver", "simplex"}, 2, "forward-backward-as-printed");
  refused(of("linear") + std::vector<std::string>{"--solver", "forward-backward-as-printed", "--intercept"}, 2,
          "no intercept");
  refused(of("linear") + std::vector<std::string>{"--precision", "half"}, 2, "float, double");
  refused(of("linear") + std::vector<std::string>{"--memory-limit", "2000"}, 4, "20 samples need");
  refused(std::vector<std::string>{"--kernel", "linear"} + usual, 2, "DATA is missing");
  const auto matrix = [&](const std::string& file) {
    return std::vector<std::string>{"--labels", labels, "--kernel-matrix", file} + usual;
  };
  refused(matrix(narrow), 3, "narrow.csv, line 1: 2 values found, 3 expected, one per sample");
  refused(matrix(shallow), 3, "short.csv: 2 rows found, 3 expected");
  refused(matrix(tall), 3, "tall.csv, line 4: more rows than the 3 samples");
  refused(matrix(nan), 3, "nan.csv, line 2, column 2");
  refused(matrix(word), 3, "word.csv, line 1, column 1: 'a' is not a number");
  refused(matrix(zero), 3, "zero.csv is zero for every pair");
  refused(matrix(large) + std::vector<std::string>{"--precision", "float"}, 3, "samples 1 (");
  refused(matrix(good) + std::vector<std::string>{"--kernel", "linear"}, 2, "DATA is missing: --kernel linear");
  refused(matrix(good) + std::vector<std::string>{"--standardise"}, 2, "no features");
  refused(matrix(good) + std::vector<std::string>{"--model", folder.path("m.json")}, 2, "no value for new samples");
  refused(matrix(good) + std::vector<std::string>{"--test", data}, 2, "--test");
  refused(std::vector<std::string>{"--kernel-matrix", good} + usual, 2, "--labels is missing");
  refused(std::vector<std::string>{"--labels", same, "--kernel-matrix", good} + usual, 3, "at least two");
}

TEST(KernelsCommand, RefusesDamagedModels) {
  const Folder folder;
  const auto data = folder.write("rings.csv", rings(0, 20));
  trained(folder,
          std::vector<std::string>{data, "--kernel", "gaussian:1", "--kernel", "linear"} + norm("2", "1", "1", "0.05"));
  const json good = json::parse(folder.read("m.json"));
  const auto refused = [&](const std::function<void(json&)>& damage, const std::string& says) {
    json bad = good;
    damage(bad);
    const auto path = folder.write("bad.json", bad.dump());
    for (const std::string command : {"predict", "export"}) {
      const auto outcome = command == "predict" ? run({"predict", path, data}) : run({"export", path, "--format", "c"});
      EXPECT_EQ(outcome.code, 3) << says;
      EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
      EXPECT_EQ(outcome.output, "");
    }
  };
  refused([](json& m) { m.erase("kernels"); }, "lacks a part");
  refused([](json& m) { m["kernels"][0]["kind"] = "cubic"; }, "a kernel that this command does not know");
  refused([](json& m) { m["kernels"][0]["parameters"] = {0.0}; }, "impossible parameters");
  refused([](json& m) { m["kernels"][0]["parameters"] = {1.0, 2.0}; }, "different lengths");
  refused([](json& m) { m["coefficients"]["terms"]["samples"][0] = 999; }, "out of range");
  refused([](json& m) { m["coefficients"]["terms"]["kernels"][0] = -1; }, "out of range");
  refused(
      [](json& m) { std::swap(m["coefficients"]["terms"]["samples"][0], m["coefficients"]["terms"]["samples"][1]); },
      "out of order");
  refused([](json& m) { m["coefficients"]["samples"]["values"][0].push_back(1); }, "different lengths");
  refused([](json& m) { m["coefficients"]["samples"]["indices"][1] = 0; }, "out of order");
  refused([](json& m) { m["classes"].push_back("third"); }, "impossible number of classes");
  refused([](json& m) { m["form"] = "ternary"; }, "unknown form");
  refused([](json& m) { m["scale"] = 0; }, "impossible scale");
  refused([](json& m) { m["intercept"].push_back(1); }, "different lengths");
  refused([](json& m) { m["feature_count"] = 0; }, "impossible shape");
  const auto histogram = folder.write("h.csv", "y,a,b\n0,1,2\n1,2,0\n"),
             negative = folder.write("n.csv", "a,b\n1,-1\n");
  trained(folder, std::vector<std::string>{histogram, "--kernel", "kl"} + norm("1", "1", "1", "0.01"));
  const auto outcome = run({"predict", folder.path("m.json"), negative});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.error.find("n.csv, line 2: a kernel"), std::string::npos) << outcome.error;
  EXPECT_EQ(run({"predict", folder.path("m.json"), histogram, "--probabilities"}).code, 2);
}

TEST(KernelsCommand, IsListedWithItsSolvers) {
  EXPECT_NE(run({"solvers"}).output.find("forward-backward-as-printed"), std::string::npos);
}

}  // namespace
