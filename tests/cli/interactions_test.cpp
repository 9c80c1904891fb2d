// `tamis interactions`: what it prints and reports, and what it refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/command.hpp"
#include "tamis/catalogue.hpp"

namespace {

using nlohmann::json;
using tamis::testing::Folder;
using tamis::testing::run;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";
const char* const exclusive_or = "y,a,b\n0,0,0\n1,0,1\n1,1,0\n0,1,1\n";

std::vector<std::string> command(const std::string& data, const std::vector<std::string>& more) {
  std::vector<std::string> all{"interactions", data};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

json report_of(const Folder& folder, const std::string& data, std::vector<std::string> more) {
  more.insert(more.end(), {"--report", folder.path("r.json"), "--quiet"});
  const auto outcome = run(command(data, more));
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output, "");
  return json::parse(folder.read("r.json"));
}

TEST(Interactions, LearnExclusiveOr) {
  const Folder folder;
  const auto path = folder.write("xor.csv", exclusive_or);
  for (const std::string hierarchy : {"weak", "strong", "full"}) {
    const auto outcome = run(command(path, {"--loss", "squared-hinge", "--hierarchy", hierarchy, "--lambda", "0.01"}));
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.output.find("4 of 4 right"), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(" a·b\n"), std::string::npos);
  }
  const json alone = report_of(folder, path, {"--loss", "squared-hinge", "--hierarchy", "main", "--lambda", "0.01"});
  EXPECT_LE(alone["train_accuracy"], 0.75);  // which no linear model does
  EXPECT_EQ(alone["interactions"], 0);
  EXPECT_TRUE(alone["lambda2"].is_null());
  const json squares = report_of(folder, path, {"--hierarchy", "strong", "--lambda", "1/10000"});
  EXPECT_EQ(squares["status"], "converged");
  EXPECT_TRUE(squares["classes"].is_null());
  EXPECT_EQ(squares["lambda2"], 0.00005);
  EXPECT_LT(squares["train_mse"], 1e-4);
  EXPECT_EQ(squares["terms"][0]["features"], json::array({"a", "b"}));
  EXPECT_NEAR(squares["terms"][0]["coefficient"], -2, 0.05);
}

// The terms and the intercepts are the model: they give the errors that are reported.
TEST(Interactions, ReportWhatTheyPredict) {
  const Folder folder;
  std::ofstream train(folder.path("train.csv")), test(folder.path("test.csv"));
  std::vector<std::array<double, 3>> samples;
  for (int i = 0; i < 60; ++i) {
    const double a = std::sin(1.3 * i), b = std::cos(2.1 * i), c = std::sin(0.7 * i + 1);
    const double y = 1 + a - 2 * a * b + 0.05 * std::sin(9.0 * i);
    (i < 40 ? train : test) << y << ',' << a << ',' << b << ',' << c << '\n';
    samples.push_back({a, b, c});
  }
  train.close();
  test.close();
  const json r = report_of(folder, folder.path("train.csv"),
                           {"--hierarchy", "weak", "--norm", "linf", "--lambda", "0.005", "--test",
                            folder.path("test.csv"), "--precision", "float"});
  EXPECT_EQ(r["precision"], "float");
  EXPECT_EQ(r["norm"], "linf");
  EXPECT_LT(r["test_mse"], 0.05);
  double total = 0;
  std::ifstream again(folder.path("test.csv"));
  std::string line;
  for (int i = 40; std::getline(again, line); ++i) {
    double z = r["intercepts"][0];
    for (const auto& term : r["terms"]) {
      double product = term["coefficient"];
      for (const auto& feature : term["features"]) product *= samples[i][feature.get<std::string>()[1] - '0'];
      z += product;
    }
    total += std::pow(std::stod(line) - z, 2) / 20;
  }
  EXPECT_NEAR(total, r["test_mse"], 1e-4 * total + 1e-6);
  EXPECT_GT(r["trace"].size(), 1u);
  EXPECT_EQ(r["arena_bytes"], r["arena_used_bytes"]);
}

TEST(Interactions, TakeSparseAndStandardisedSamples) {
  const Folder folder;
  const auto sparse = folder.write("a.svm", "1 1:1 2:1\n2 2:1\n2 1:1\n1\n");
  const json r = report_of(folder, sparse, {"--hierarchy", "strong", "--loss", "squared-hinge", "--lambda", "0.01"});
  EXPECT_EQ(r["train_accuracy"], 1);
  const json plain = report_of(folder, iris, {"--hierarchy", "strong", "--loss", "squared-hinge", "--lambda", "0.02"});
  EXPECT_EQ(plain["notes"].size(), 0u);
  const json standardised = report_of(
      folder, iris,
      {"--hierarchy", "strong", "--loss", "squared-hinge", "--lambda", "0.02", "--standardise", "--test", iris});
  EXPECT_EQ(standardised["notes"].size(), 1u);
  EXPECT_EQ(standardised["test_accuracy"], standardised["train_accuracy"]);
  EXPECT_GT(standardised["test_accuracy"], 0.9);
  const auto wild = folder.write("wild.csv", "1,0.001,5000\n2,0.002,-3000\n3,0.004,1000\n");
  EXPECT_EQ(
      report_of(folder, wild, {"--hierarchy", "weak", "--lambda", "1", "--max-iterations", "500"})["notes"].size(), 1u);
}

// The main effects of a balanced design vanish, and its products have to be found all the same.
TEST(Interactions, FindProductsWhoseMainEffectsVanish) {
  const Folder folder;
  const auto path = folder.write("design.csv", "y,a,b\n+1,-1,-1\n-1,-1,1\n-1,1,-1\n+1,1,1\n");
  for (const std::string hierarchy : {"weak", "strong", "full"})
    for (const std::string norm : {"l1", "linf"}) {
      const json r = report_of(folder, path, {"--hierarchy", hierarchy, "--norm", norm, "--lambda", "0.01"});
      EXPECT_EQ(r["status"], "converged");
      EXPECT_LT(r["train_mse"], 0.01);
      for (const auto& term : r["terms"])
        if (term["features"] == json::array({"a", "b"})) {
          EXPECT_GT(term["coefficient"], 0.9);
        }
      if (hierarchy == "strong") {
        EXPECT_GE(r["main_effects"], 2);  // of rounding size
      }
    }
}

// A constant far above the differences that are to be learned.
TEST(Interactions, AreThoseOfTargetsWithoutTheirMean) {
  const Folder folder;
  const auto near = folder.write("near.csv", "y,x\n0,0\n1,1\n1,1\n0.5,2\n");
  const auto far = folder.write("far.csv", "y,x\n1000000000,0\n1000000001,1\n1000000001,1\n1000000000.5,2\n");
  for (const std::string hierarchy : {"main", "strong"}) {
    const json a = report_of(folder, near, {"--hierarchy", hierarchy, "--lambda", "0.01", "--tolerance", "1e-6"});
    const json b = report_of(folder, far, {"--hierarchy", hierarchy, "--lambda", "0.01", "--tolerance", "1e-6"});
    ASSERT_EQ(a["terms"].size(), b["terms"].size());
    for (std::size_t t = 0; t < a["terms"].size(); ++t)
      EXPECT_NEAR(a["terms"][t]["coefficient"], b["terms"][t]["coefficient"], 1e-5);
    EXPECT_NEAR(a["dual_objective"], b["dual_objective"], 1e-5);
    EXPECT_NEAR(b["intercepts"][0].get<double>() - 1e9, a["intercepts"][0], 1e-5);
  }
}

// The printed algorithms are slower ways to the same optimum.
TEST(Interactions, AreSolvedByThePrintedAlgorithmsToo) {
  const Folder folder;
  std::string data = "y,a,b,c\n";
  for (int i = 0; i < 12; ++i) {
    const int a = i % 3 - 1, b = i % 4 - 1, c = i % 5 - 2;
    data += std::to_string(2 * a * b - c + a) + "," + std::to_string(a) + "," + std::to_string(b) + "," +
            std::to_string(c) + "\n";
  }
  const auto path = folder.write("table.csv", data);
  const auto problem = [&](const char* hierarchy, const char* norm, const char* solver) {
    return std::vector<std::string>{
        "--hierarchy", hierarchy,        "--norm",      norm,   "--lambda",         "0.3",   "--solver",
        solver,        "--no-intercept", "--tolerance", "1e-6", "--max-iterations", "400000"};
  };
  for (const std::array<const char*, 3>& way :
       {std::array{"weak", "l1", "weak-primal-dual-as-printed"},
        std::array{"weak", "linf", "weak-primal-dual-as-printed"},
        std::array{"strong", "l1", "strong-primal-dual-as-printed"},
        std::array{"strong", "linf", "strong-primal-dual-as-printed"},
        std::array{"weak", "linf", "weak-fista-as-printed"}, std::array{"weak", "l2", "weak-fista-as-printed"},
        std::array{"full", "l1", "weak-fista-as-printed"}, std::array{"strong", "l1", "strong-fista-dykstra"},
        std::array{"strong", "l1", "strong-admm-as-printed"}}) {
    const json ours = report_of(folder, path, problem(way[0], way[1], "auto"));
    const json printed = report_of(folder, path, problem(way[0], way[1], way[2]));
    EXPECT_EQ(ours["solver"], "admm");
    EXPECT_EQ(printed["solver"], way[2]);
    EXPECT_EQ(printed["norm"], way[1]);
    EXPECT_EQ(printed["status"], "converged") << way[0] << way[1] << way[2];
    EXPECT_NEAR(printed["objective"], ours["objective"], 2e-6 * double(ours["objective"]));
  }
  const auto refused = [&](std::vector<std::string> more, const char* words) {
    const auto outcome = run(command(path, more));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
  };
  refused(problem("weak", "l1", "strong-primal-dual-as-printed"), "not for --hierarchy weak");
  refused(problem("strong", "linf", "strong-admm-as-printed"), "for the norm l1");
  refused(problem("weak", "l2", "weak-primal-dual-as-printed"), "norms l1 and linf");
  for (const char* hierarchy : {"weak", "strong"})
    refused(problem(hierarchy, "ridge", "auto"), "--norm ridge makes nothing zero");
  refused(problem("weak", "l1", "simplex"), "'simplex' is not one of auto, admm");
  refused({"--hierarchy", "weak", "--lambda", "1", "--solver", "weak-fista-as-printed"}, "--no-intercept");
}

// The catalogue says what each solver takes as "hierarchies (norms)", more than once: no more and no less is taken.
TEST(Interactions, SolversTakeWhatTheCatalogueSays) {
  const Folder folder;
  const auto path = folder.write("xor.csv", exclusive_or);
  const auto each_word = [](const std::string& text, const auto& visit) {
    std::istringstream words(text);
    for (std::string word; words >> word;) visit(word);
  };
  const auto check = [&](const std::string& solver, const std::string& losses, const std::string& takes) {
    if (solver == "auto") return;
    std::set<std::string> listed;
    each_word(losses, [&](const std::string& loss) {
      for (std::size_t at = 0, end; (end = takes.find(')', at)) != std::string::npos; at = end + 1) {
        const std::size_t open = takes.find('(', at);
        each_word(takes.substr(at, open - at), [&](const std::string& hierarchy) {
          each_word(takes.substr(open + 1, end - open - 1),
                    [&](const std::string& norm) { listed.insert(loss + ' ' + hierarchy + ' ' + norm); });
        });
      }
    });
    for (const std::string loss : {"least-squares", "squared-hinge"})
      for (const std::string hierarchy : {"weak", "strong", "full", "main"})
        for (const std::string norm : {"l1", "linf", "l2", "ridge"}) {
          const auto problem = loss + ' ' + hierarchy + ' ' + norm;
          const auto outcome = run(command(path, {"--loss", loss, "--hierarchy", hierarchy, "--norm", norm, "--solver",
                                                  solver, "--lambda", "0.1", "--no-intercept"}));
          EXPECT_EQ(outcome.code != 2, listed.count(problem) == 1) << solver << ' ' << problem << ": " << outcome.error;
        }
  };
#define TAMIS_CHECK(number, kind, ...) check(__VA_ARGS__);
  TAMIS_INTERACTION_SOLVERS(TAMIS_CHECK)
#undef TAMIS_CHECK
}

TEST(Interactions, RefuseInOneSentence) {
  const Folder folder;
  const auto path = folder.write("xor.csv", exclusive_or);
  const auto words = folder.write("words.csv", "y,a\n1,2\nred,3\n");
  const auto one = folder.write("one.csv", "y,a\n1,2\n1,3\n");
  const auto other = folder.write("other.csv", "y,b,a\n0,0,1\n"),
             large = folder.write("large.csv", "y,a\n1,1e39\n2,1\n");
  const auto files = folder.files();
  const auto refused = [&](const std::string& data, std::vector<std::string> more, int code, const std::string& says) {
    more.insert(more.end(), {"--report", folder.path("r.json")});
    const auto outcome = run(command(data, more));
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_EQ(outcome.output, "");
    EXPECT_NE(outcome.error.find(says), std::string::npos) << outcome.error;
    EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1);
    EXPECT_EQ(folder.files(), files);
  };
  refused(path, {"--hierarchy", "weak"}, 2, "--lambda");
  refused(path, {"--hierarchy", "stark", "--lambda", "1"}, 2, "weak, strong, full, main");
  refused(path, {"--hierarchy", "weak", "--norm", "l3", "--lambda", "1"}, 2, "l1, linf, l2");
  refused(path, {"--hierarchy", "weak", "--loss", "hinge", "--lambda", "1"}, 2, "least-squares, squared-hinge");
  refused(path, {"--hierarchy", "weak", "--lambda", "0"}, 2, "not positive");
  refused(path, {"--hierarchy", "weak", "--lambda", "1", "--lambda2", "-1"}, 2, "negative");
  refused(path, {"--hierarchy", "main", "--lambda", "1", "--lambda2", "1"}, 2, "main has none");
  refused(path, {"--hierarchy", "main", "--lambda", "1", "--precision", "half"}, 2, "float, double");
  refused(path, {"--hierarchy", "full", "--lambda", "1", "--lambda2", "0"}, 2, "without a penalty");
  refused(path, {"--hierarchy", "weak", "--lambda", "1e-50", "--precision", "float"}, 2, "--lambda");
  refused(path, {"--hierarchy", "weak", "--lambda", "1", "--test", other}, 3, "other.csv");
  refused(large, {"--hierarchy", "weak", "--lambda", "1", "--precision", "float"}, 3,
          "line 2: feature 0 is not finite");
  refused(words, {"--hierarchy", "weak", "--lambda", "1"}, 3, "line 3: 'red' is not a number; for classes");
  refused(one, {"--hierarchy", "weak", "--lambda", "1", "--loss", "squared-hinge"}, 3, "at least two");
  refused(iris, {"--hierarchy", "weak", "--lambda", "1", "--loss", "squared-hinge", "--memory-limit", "410000"}, 4,
          "3 features would fit");
}

}  // namespace
