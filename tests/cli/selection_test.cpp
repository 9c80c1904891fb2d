// The subcommands path and cv: what they print, keep and refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.hpp"

namespace {

using Json = nlohmann::json;
using tamis::testing::CommandOutcome;
using tamis::testing::Folder;
using tamis::testing::run;
using Words = std::vector<std::string>;

const std::string data = TAMIS_TEST_DATA;
const std::string wine = data + "/wine.csv", iris = data + "/iris.csv";

CommandOutcome run_with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}
CommandOutcome path(const std::vector<std::string>& more) {
  return run_with({"path", wine, "--standardise", "--loss", "squared-hinge", "--penalty", "group-l2"}, more);
}
CommandOutcome cv(const std::vector<std::string>& more) {
  return run_with({"cv", wine, "--standardise", "--loss", "squared-hinge", "--penalty", "group-l2"}, more);
}
std::vector<Json> lines(const std::string& text) {
  std::vector<Json> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(Json::parse(line));
  return out;
}

TEST(CvCommand, SolvesByWhatTrainSolvesBy) {
  const Folder folder;
  const auto solver = [&](Words words) {
    words.insert(words.end(), {"--loss", "hinge", "--penalty", "ridge", "--report", folder.path("r.json"), "--quiet"});
    const auto outcome = run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return Json::parse(folder.read("r.json"))["solver"].get<std::string>();
  };
  EXPECT_EQ(solver({"train", wine, "--lambda", "1e-3"}), "two-phase");
  EXPECT_EQ(solver({"cv", wine, "--folds", "2", "--lambda-values", "1e-2,1e-3"}), "two-phase");
  EXPECT_EQ(solver({"cv", wine, "--folds", "2", "--lambdas", "3", "--lambda-ratio", "1e-8"}), "two-phase");
  EXPECT_EQ(solver({"path", wine, "--lambdas", "3", "--lambda-ratio", "1e-8"}), "two-phase");
  EXPECT_EQ(solver({"train", wine, "--lambda", "100"}), "crammer-singer-dual");
  EXPECT_EQ(solver({"cv", wine, "--folds", "2", "--lambdas", "2", "--lambda-ratio", "1e-3"}), "crammer-singer-dual");
}

TEST(PathCommand, PrintsALineForEachLambda) {
  const Folder folder;
  const auto outcome = path({"--lambdas", "12", "--lambda-ratio", "0.01", "--hold-out", "1/3", "--model",
                             folder.path("m.json"), "--plot", folder.path("p.svg"), "--tolerance", "1e-6"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto points = lines(outcome.output);
  ASSERT_EQ(points.size(), 12u);
  EXPECT_EQ(points[0]["nonzero_rows"], 0);
  EXPECT_NEAR(points[11]["lambda"].get<double>(), 0.01 * points[0]["lambda"].get<double>(), 1e-9);
  for (const Json& point : points) {
    for (const char* key : {"lambda", "status", "objective", "relative_gap", "nonzeros", "nonzero_rows",
                            "train_accuracy", "test_accuracy", "seconds"})
      EXPECT_TRUE(point.contains(key)) << key;
    EXPECT_EQ(point["status"], "converged");
  }
  // Training at one of the lambdas gives the same.
  const auto alone = run({"train", wine, "--standardise", "--loss", "squared-hinge", "--penalty", "group-l2",
                          "--lambda", points[7]["lambda"].dump(), "--hold-out", "1/3", "--tolerance", "1e-6", "--quiet",
                          "--report", folder.path("r.json")});
  ASSERT_EQ(alone.code, 0) << alone.error;
  const Json report = Json::parse(folder.read("r.json"));
  const double objective = report["objective"];
  EXPECT_NEAR(points[7]["objective"].get<double>(), objective, 2e-6 * objective);
  EXPECT_EQ(points[7]["nonzero_rows"], report["nonzero_rows"]);
  EXPECT_EQ(points[7]["test_accuracy"], report["test_accuracy"]);
  EXPECT_NE(folder.read("p.svg").find("</svg>"), std::string::npos);
  EXPECT_EQ(run({"predict", folder.path("m.json"), wine}).code, 0);
}

TEST(PathCommand, EndsBeforeTooManyFeatures) {
  const auto outcome = path({"--max-features", "4"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto points = lines(outcome.output);
  EXPECT_LT(points.size(), 100u);
  EXPECT_LE(points.back()["nonzero_rows"], 4);
  EXPECT_GE(points.back()["nonzero_rows"], 2);
}

TEST(PathCommand, TakesLambdasAsGiven) {
  const auto outcome = path({"--lambda-values", "0.5,1/10,0.02"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto points = lines(outcome.output);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1]["lambda"], 0.1);
}

TEST(PathCommand, TakesOneLambdaAndLambdasWithoutFeatures) {
  for (const Words& lambdas : {Words{"--lambdas", "1"}, Words{"--lambda-values", "1e6"}}) {
    const auto outcome = path(lambdas);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const auto points = lines(outcome.output);
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0]["nonzero_rows"], 0);
    EXPECT_EQ(points[0]["status"], "converged");
  }
  const auto outcome = path({"--lambda-values", "1e6,1e5,0.1"});  // far above the largest, then below
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const auto points = lines(outcome.output), alone = lines(path({"--lambda-values", "0.1"}).output);
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(points[1]["nonzero_rows"], 0);
  EXPECT_GT(points[2]["nonzero_rows"], 0);
  EXPECT_NEAR(points[2]["objective"].get<double>(), alone[0]["objective"].get<double>(),
              1e-4 * alone[0]["objective"].get<double>());
}

TEST(PathCommand, SolvesRidgeAndTheHinge) {
  for (const std::string loss : {"hinge", "logistic"})
    for (const std::string penalty : {"ridge", "l1"})
      for (const std::string precision : {"float", "double"}) {
        const auto outcome = run({"path", iris, "--standardise", "--loss", loss, "--penalty", penalty, "--lambdas", "6",
                                  "--tolerance", "1e-3", "--precision", precision});
        ASSERT_EQ(outcome.code, 0) << outcome.error;
        const auto points = lines(outcome.output);
        ASSERT_EQ(points.size(), 6u);
        for (const Json& point : points) EXPECT_EQ(point["status"], "converged") << loss << penalty << precision;
        EXPECT_GT(points.back()["train_accuracy"], 0.9);
      }
}

TEST(PathCommand, RefusesWhatMakesNoSense) {
  for (const auto& [arguments, sentence] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"--lambda-values", "0.1,0.2"}, "--lambda-values: 0.1,0.2 do not descend"},
           {{"--lambda-values", "0.1,0.1"}, "--lambda-values: 0.1,0.1 do not descend"},
           {{"--lambda-values", "0.1,-1"}, "or one is negative"},
           {{"--lambda-values", "0.1,x"}, "--lambda-values: 'x'"},
           {{"--lambda-ratio", "2"}, "--lambda-ratio: 2"},
           {{"--lambdas", "0"}, "--lambdas"},
           {{"--lambdas", "5", "--lambda-values", "1"}, "excludes"},
           {{"--lambda-ratio", "0.1", "--lambda-values", "1"}, "excludes"},
           {{"--solver", "fista-constant-step-as-printed"}, "is a baseline"},
           {{"--memory-limit", "1000"}, "--memory-limit"},
           {{"--tolerance", "0"}, "--tolerance"}}) {
    const Folder folder;
    auto all = arguments;
    all.insert(all.end(), {"--model", folder.path("m.json")});
    const auto outcome = path(all);
    EXPECT_TRUE(outcome.code == 2 || outcome.code == 4) << sentence;
    EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
    EXPECT_EQ(folder.files(), 0u);
  }
}

TEST(TrainCommand, PlotsWeightsAndConfusion) {
  const Folder folder;
  const std::vector<std::string> train{"train",
                                       data + "/digits.csv",
                                       "--scale",
                                       "16",
                                       "--loss",
                                       "squared-hinge",
                                       "--penalty",
                                       "group-l2",
                                       "--lambda",
                                       "0.5",
                                       "--quiet",
                                       "--hold-out",
                                       "1/3",
                                       "--plot-weights",
                                       folder.path("w.svg"),
                                       "--plot-confusion",
                                       folder.path("c.svg")};
  const auto refused = run(train);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.error.find("--plot-weights needs --weight-map"), std::string::npos) << refused.error;
  EXPECT_EQ(folder.files(), 0u);
  const auto done = run_with(train, {"--weight-map", "8x8"});
  ASSERT_EQ(done.code, 0) << done.error;
  EXPECT_NE(folder.read("w.svg").find("weights of each class"), std::string::npos);
  EXPECT_NE(folder.read("c.svg").find("test samples"), std::string::npos);
}

TEST(CvCommand, ChoosesAndRefits) {
  const Folder folder;
  const auto outcome = cv({"--lambdas", "15", "--refit", "--hold-out", "1/3", "--model", folder.path("m.json"),
                           "--report", folder.path("r.json"), "--plot", folder.path("p.svg")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json out = Json::parse(outcome.output);
  ASSERT_EQ(out["points"].size(), 15u);
  EXPECT_EQ(out["folds"], 5);
  const double least = out["lambda_min"], one_se = out["lambda_1se"];
  EXPECT_GE(one_se, least);
  EXPECT_EQ(out["lambda"], one_se);
  const Json *at_least = nullptr, *at_one_se = nullptr;
  for (const Json& point : out["points"]) {
    EXPECT_GE(point["mean"], 0);
    EXPECT_LE(point["mean"], 1);
    if (point["lambda"] == least) at_least = &point;
    if (point["lambda"] == one_se) at_one_se = &point;
  }
  ASSERT_TRUE(at_least && at_one_se);
  for (const Json& point : out["points"]) EXPECT_LE((*at_least)["mean"], point["mean"]);
  EXPECT_LE((*at_one_se)["mean"].get<double>(),
            (*at_least)["mean"].get<double>() + (*at_least)["standard_error"].get<double>());
  EXPECT_GT(out["model"]["test_accuracy"], 0.9);
  EXPECT_GT(out["refit"]["test_accuracy"], 0.9);
  EXPECT_EQ(out["refit"]["nonzero_rows"], out["model"]["nonzero_rows"]);
  const Json model = Json::parse(folder.read("m.json"));
  EXPECT_EQ(model["features"].size(), out["refit"]["nonzero_rows"].get<std::size_t>());
  EXPECT_EQ(Json::parse(folder.read("r.json"))["penalty"], "ridge");
  EXPECT_NE(folder.read("p.svg").find("lambda_1se"), std::string::npos);
  EXPECT_EQ(run({"predict", folder.path("m.json"), wine}).code, 0);
}

TEST(CvCommand, KeepsSubjectsTogether) {
  // Two features: one tells the class, the other the subject, which tells the class too, but not of other subjects.
  const Folder folder;
  std::string rows = "class,who,signal,subject\n", users = "user\n";
  for (int subject = 0; subject < 8; ++subject)
    for (int i = 0; i < 6; ++i) {
      const int y = subject % 2;
      rows += std::to_string(y) + ",s" + std::to_string(subject) + "," + std::to_string(y + 0.3 * std::sin(7 * i)) +
              "," + std::to_string(subject) + "\n";
      users += "s" + std::to_string(subject) + "\n";
    }
  const std::string file = folder.write("d.csv", rows), list = folder.write("u.csv", users);
  const std::vector<std::string> common{"cv",     file,     "--subject-column", "who", "--standardise",
                                        "--loss", "hinge",  "--penalty",        "l1",  "--lambdas",
                                        "5",      "--folds"};
  const auto by_column = run_with(common, {"4"});
  ASSERT_EQ(by_column.code, 0) << by_column.error;
  EXPECT_EQ(Json::parse(by_column.output)["points"].size(), 5u);
  const auto by_file = run_with(common, {"4", "--subjects", list});
  ASSERT_EQ(by_file.code, 0) << by_file.error;
  EXPECT_EQ(by_file.output, by_column.output);
  const auto refused = run_with(common, {"9"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.error.find("9 folds of whole subjects need as many subjects, there are 8"), std::string::npos)
      << refused.error;
}

TEST(CvCommand, TakesOneLambdaAndLambdasWithoutFeatures) {
  for (const std::string value : {"1e6", "0.1"}) {
    const auto outcome = cv({"--lambda-values", value, "--refit", "--choose", "min"});
    EXPECT_EQ(outcome.code, value == "0.1" ? 0 : 2) << outcome.error;
    if (outcome.code != 0) {
      EXPECT_NE(outcome.error.find("--refit: the chosen model keeps no feature"), std::string::npos) << outcome.error;
      continue;
    }
    const Json out = Json::parse(outcome.output);
    ASSERT_EQ(out["points"].size(), 1u);
    EXPECT_EQ(out["lambda"], 0.1);
  }
  const auto outcome = cv({"--lambda-values", "1e6,0.1", "--choose", "min"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json out = Json::parse(outcome.output);
  EXPECT_EQ(out["points"][0]["nonzero_rows"], 0);
  EXPECT_EQ(out["lambda"], 0.1);
}

TEST(CvCommand, HoldsOutOnce) {
  const auto outcome = cv({"--validation", "1/4", "--lambdas", "6", "--measure", "loss", "--choose", "min"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  const Json out = Json::parse(outcome.output);
  EXPECT_EQ(out["folds"], 1);
  EXPECT_EQ(out["lambda"], out["lambda_min"]);
}

TEST(CvCommand, RefusesWhatMakesNoSense) {
  const Folder folder;
  const std::string rare = folder.write("rare.csv", "a,1\na,2\na,3\na,2\nb,5\nb,6\nc,9\nc,8\nc,7\nc,9\n");
  const std::string subjects = folder.write("s.txt", "1\n1\n2\n2\n3\n3\n4\n4\n4\n4\n");
  const std::string few = folder.write("few.txt", "1\n2\n");
  const auto rare_cv = [&](std::vector<std::string> more) {
    return run_with({"cv", rare, "--loss", "hinge", "--penalty", "l1"}, more);
  };
  const auto expect = [](const CommandOutcome& outcome, int code, const std::string& sentence) {
    EXPECT_EQ(outcome.code, code) << sentence;
    EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.output, "");
  };
  expect(rare_cv({"--folds", "3"}), 2, "class 'b' has 2");
  expect(rare_cv({"--folds", "11", "--unstratified"}), 2, "11 folds of 10 samples");
  expect(rare_cv({"--folds", "1"}), 2, "1 folds");
  expect(rare_cv({"--folds", "4", "--subjects", subjects}), 3, "all its samples are in fold");
  expect(rare_cv({"--folds", "2", "--subjects", few}), 3, "2 subjects found, 10 expected");
  expect(rare_cv({"--folds", "2", "--validation", "1/3"}), 2, "excludes");
  expect(rare_cv({"--folds", "2", "--subjects", subjects, "--unstratified"}), 2,
         "--unstratified is for folds of samples");
  expect(rare_cv({"--folds", "2", "--lambda-values", "0.1,0.2"}), 2, "do not descend");
  expect(rare_cv({"--validation", "0.9"}), 2, "--validation");
  expect(rare_cv({"--folds", "2", "--choose", "best"}), 2, "--choose: 'best'");
  expect(rare_cv({"--folds", "2", "--measure", "auc"}), 2, "--measure: 'auc'");
  expect(rare_cv({"--folds", "2", "--refit-lambda", "1"}), 2, "--refit-lambda is for --refit");
  expect(cv({"--subject-column", "who"}), 3, "no column of subjects 'who'");
}

// ---- on real data ---------------------------------------------------------------------------------------------------

/// Runs cv on a training and a test file of TAMIS_DATA, as quietly as may be; what it prints.
Json cv_on(const std::string& train, const std::string& test, const std::vector<std::string>& more) {
  const std::string folder = std::string(std::getenv("TAMIS_DATA")) + "/";
  const auto outcome =
      run_with({"cv", folder + train, "--test", folder + test, "--penalty", "group-l2", "--refit"}, more);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  return outcome.code == 0 ? Json::parse(outcome.output) : Json();
}
#define TAMIS_NEEDS_DATA \
  if (!std::getenv("TAMIS_DATA")) GTEST_SKIP() << "skipped: set TAMIS_DATA to the folder of the real data sets"

TEST(CvOnRealData, ChoosesAModelOfLeukemia) {
  TAMIS_NEEDS_DATA;
  const Json out =
      cv_on("golub/golub_train.csv.gz", "golub/golub_test.csv.gz",
            {"--log", "100:16000", "--standardise", "--loss", "hinge", "--groups", "blocks:5", "--lambdas", "50"});
  EXPECT_LE(out["refit"]["test_errors"], 1) << "of 34";
}

TEST(CvOnRealData, ChoosesFewFeaturesOfGestures) {
  TAMIS_NEEDS_DATA;
  const Json out = cv_on("wand/wand_train.csv.gz", "wand/wand_test.csv.gz",
                         {"--standardise", "--loss", "squared-hinge", "--lambdas", "20", "--folds", "3",
                          "--max-features", "19", "--choose", "min"});
  EXPECT_LE(out["model"]["nonzero_rows"], 19) << "of 64";
  EXPECT_GE(out["refit"]["test_accuracy"], 0.885) << "ridge on all features has 0.905";
}

}  // namespace
