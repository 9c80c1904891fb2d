// The subcommand stability: known features among noise, what it bounds, prints and refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "support/command.hpp"

namespace {

using Json = nlohmann::json;
using tamis::testing::CommandOutcome;
using tamis::testing::Folder;
using tamis::testing::run;

/// 240 samples of three classes that follow six of sixty features, each class two of them; the others are noise.
std::string planted(const Folder& folder) {
  std::string text = "class";
  for (int j = 0; j < 60; ++j) text += j % 10 == 3 ? ",signal" + std::to_string(j) : ",noise" + std::to_string(j);
  text += "\n";
  std::uint64_t state = 7;
  const auto draw = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / (1 << 23) - 1;
  };
  for (int i = 0; i < 240; ++i) {
    double score[3] = {};
    std::string row;
    for (int j = 0; j < 60; ++j) {
      const double x = draw();
      if (j % 10 == 3) score[j / 10 % 3] += x;
      row += "," + std::to_string(x);
    }
    text += "abc"[std::max_element(score, score + 3) - score] + row + "\n";
  }
  return folder.write("planted.csv", text);
}

CommandOutcome stability(const std::string& file, const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"stability", file,        "--loss", "squared-hinge", "--penalty",
                                     "group-l2",  "--lambdas", "25",     "--tolerance",   "1e-3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}
std::set<std::string> selected(const Json& report) {
  std::set<std::string> out;
  for (const Json& unit : report["ranked"])
    if (unit["selected"]) out.insert(unit["name"]);
  return out;
}

TEST(StabilityCommand, FindsPlantedFeatures) {
  const Folder folder;
  const std::string file = planted(folder);
  const std::set<std::string> signals{"signal3", "signal13", "signal23", "signal33", "signal43", "signal53"};
  for (const std::string precision : {"double", "float"}) {
    const auto outcome = stability(file, {"--subsamples", "40", "--threshold", "0.8", "--precision", precision,
                                          "--report", folder.path("r.json")});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const Json report = Json::parse(folder.read("r.json"));
    EXPECT_EQ(selected(report), signals);
    EXPECT_EQ(report["subsamples"], 40);
    EXPECT_EQ(report["units"], 60);
    // Six features of sixty and a threshold of 0.8: at most 36/(0.6 · 60) = one false one.
    EXPECT_EQ(report["max_features"], 6);
    const double q = report["selected_by_half"];
    EXPECT_GT(q, 4);
    EXPECT_NEAR(report["expected_false_selections"], q * q / (0.6 * 60), 1e-12);
    EXPECT_EQ(report["lambdas"].size(), 25u);
    double before = 1;
    for (const Json& unit : report["ranked"]) {
      double most = 0;
      EXPECT_EQ(unit["frequencies"].size(), 25u);
      for (const Json& share : unit["frequencies"]) most = std::max(most, share.get<double>());
      EXPECT_EQ(unit["frequency"], most);
      EXPECT_LE(most, before);
      EXPECT_GT(most, 0);
      EXPECT_NEAR(40 * most, std::round(40 * most), 1e-5);
      before = most;
    }
    EXPECT_EQ(outcome.output.find("6 of 60 features: in at least 80 % of 40 halves"), 0u) << outcome.output;
    for (const auto& name : signals) {
      EXPECT_NE(outcome.output.find(" %  " + name + "\n"), std::string::npos);
      EXPECT_LT(outcome.output.find(name), outcome.output.find("below:")) << outcome.output;
    }
  }
}

TEST(StabilityCommand, DrawsByTheSeed) {
  const Folder folder;
  const std::string file = planted(folder);
  const auto with_seed = [&](const std::string& seed) {
    const auto outcome = stability(file, {"--subsamples", "10", "--max-features", "20", "--seed", seed});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return outcome.output;
  };
  const std::string first = with_seed("4");
  EXPECT_EQ(with_seed("4"), first);
  EXPECT_NE(with_seed("5"), first);
  EXPECT_EQ(stability(file, {"--subsamples", "2", "--quiet"}).output, "");
}

TEST(StabilityCommand, TwoLimitsSayTheThird) {
  const Folder folder;
  const std::string file = planted(folder);
  const auto report = [&](const std::vector<std::string>& more) {
    auto all = more;
    all.insert(all.end(), {"--subsamples", "10", "--quiet", "--report", folder.path("r.json")});
    const auto outcome = stability(file, all);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return Json::parse(folder.read("r.json"));
  };
  const Json none = report({});
  EXPECT_EQ(none["threshold"], 0.9);
  EXPECT_EQ(none["max_features"], 6) << "√(0.8 · 60) = 6.9";
  const Json more = report({"--false-selections", "4"});
  EXPECT_EQ(more["threshold"], 0.9);
  EXPECT_EQ(more["max_features"], 13) << "√(0.8 · 60 · 4) = 13.9";
  const Json threshold = report({"--false-selections", "2", "--max-features", "9"});
  const double q = threshold["selected_by_half"];
  EXPECT_NEAR(threshold["threshold"], 0.5 + q * q / (2 * 2 * 60), 1e-12);
  EXPECT_NEAR(threshold["expected_false_selections"], 2, 1e-9);
  const Json all = report({"--threshold", "0.6", "--max-features", "60"});
  EXPECT_EQ(all["threshold"], 0.6);
  EXPECT_GT(all["selected_by_half"], 30);
}

TEST(StabilityCommand, CountsGroups) {
  const Folder folder;
  const std::string file = planted(folder);
  std::string groups;
  for (int j = 0; j < 60; ++j) groups += std::to_string(j / 2) + "\n";  // a signal and a noise each
  const auto outcome = stability(
      file, {"--subsamples", "20", "--groups", folder.write("groups.txt", groups), "--report", folder.path("r.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json report = Json::parse(folder.read("r.json"));
  EXPECT_EQ(report["units"], 30);
  EXPECT_EQ(report["max_features"], 9) << "√(0.8 · 30) = 4.9 groups of two";
  ASSERT_GE(report["ranked"].size(), 4u);
  for (int r = 0; r < 4; ++r) {
    EXPECT_EQ(report["ranked"][r]["indices"][1].get<int>() % 10, 3) << r;
    EXPECT_NE(report["ranked"][r]["name"].get<std::string>().find(" and 1 more"), std::string::npos);
  }
  EXPECT_NE(outcome.output.find(" of 30 groups: "), std::string::npos) << outcome.output;
}

TEST(StabilityCommand, TakesLambdasAsGiven) {
  const Folder folder;
  const auto outcome = run({"stability", std::string(TAMIS_TEST_DATA) + "/wine.csv", "--standardise", "--loss", "hinge",
                            "--penalty", "l1", "--lambda-values", "1e6,0.1", "--max-features", "13", "--subsamples",
                            "6", "--report", folder.path("r.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json report = Json::parse(folder.read("r.json"));
  EXPECT_EQ(report["lambdas"], Json::array({1e6, 0.1}));
  for (const Json& unit : report["ranked"]) EXPECT_EQ(unit["frequencies"][0], 0);
  EXPECT_EQ(report["ranked"][0]["frequencies"][1], 1);
}

TEST(StabilityCommand, RefusesWhatMakesNoSense) {
  const Folder folder;
  const std::string file = planted(folder), one = folder.write("one.csv", "a,1\na,2\na,3\nb,4\n");
  const std::string several = folder.write("several.svm", "1,2 1:1\n2 1:2\n1 1:3\n1 1:4\n2 1:5\n");
  const auto expect = [&](const std::vector<std::string>& more, int code, const std::string& sentence,
                          const std::string& with = "") {
    auto all = more;
    all.insert(all.end(), {"--report", folder.path("r.json")});
    const auto outcome = stability(with.empty() ? file : with, all);
    EXPECT_EQ(outcome.code, code) << sentence;
    EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.output, "");
  };
  expect({"--subsamples", "7"}, 2, "--subsamples: 7 is odd");
  expect({"--subsamples", "0"}, 2, "--subsamples");
  expect({"--threshold", "0.5"}, 2, "--threshold: 0.5 does not lie above 1/2");
  expect({"--threshold", "1.01"}, 2, "--threshold: 1.01");
  expect({"--threshold", "x"}, 2, "--threshold: 'x'");
  expect({"--false-selections", "0"}, 2, "--false-selections: 0 is not positive");
  expect({"--threshold", "0.9", "--false-selections", "1", "--max-features", "4"}, 2, "leave one out");
  expect({"--false-selections", "0.1", "--max-features", "50", "--subsamples", "4"}, 2, "lower --max-features");
  expect({"--hold-out", "1/3"}, 2, "--hold-out is for models that are judged");
  expect({"--memory-limit", "1000"}, 4, "--memory-limit");
  expect({"--solver", "fista-constant-step-as-printed"}, 2, "is a baseline");
  expect({}, 3, "class 'b': it has one sample, and halves need one each", one);
  const auto run_of = [](const std::string& data, const std::string& loss, const std::string& penalty) {
    return run({"stability", data, "--loss", loss, "--penalty", penalty}).error;
  };
  EXPECT_NE(run_of(file, "hinge", "ridge").find("keeps every feature"), std::string::npos);
  EXPECT_NE(run_of(several, "ranking-squared-hinge", "l1").find("several labels"), std::string::npos);
  EXPECT_EQ(folder.files(), 3u);
}

}  // namespace
