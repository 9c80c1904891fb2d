// The command as scripts meet it: what it prints and writes, its exit codes, its sentences.
#include "support/command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace {

using nlohmann::json;
using tamis::testing::Folder;
using tamis::testing::run;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";
const std::string wine = std::string(TAMIS_TEST_DATA) + "/wine.csv";
const std::string digits = std::string(TAMIS_TEST_DATA) + "/digits.csv";

std::vector<std::string> train(const std::string& data, std::vector<std::string> more = {}) {
  std::vector<std::string> out{"train", data, "--loss", "hinge", "--penalty", "l1", "--lambda", "0.05"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// ---- train
// -------------------------------------------------------------------------------------------------------------

TEST(Train, PrintsASummaryAndWritesModelAndReport) {
  const Folder folder;
  const auto outcome =
      run(train(wine, {"--standardise", "--model", folder.path("m.json"), "--report", folder.path("r.json")}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.output.find("converged: objective"), std::string::npos);
  EXPECT_EQ(outcome.error, "");
  const json report = json::parse(folder.read("r.json"));
  for (const char* key : {"status",
                          "loss",
                          "penalty",
                          "solver",
                          "precision",
                          "samples",
                          "features",
                          "classes",
                          "lambda",
                          "lambda_max",
                          "objective",
                          "dual_objective",
                          "gap",
                          "relative_gap",
                          "kkt_residual",
                          "iterations",
                          "epochs",
                          "seconds",
                          "nonzeros",
                          "nonzero_rows",
                          "arena_bytes",
                          "arena_used_bytes",
                          "data_bytes",
                          "eta",
                          "constraint_value",
                          "multiplier",
                          "train_accuracy",
                          "test_accuracy",
                          "train_macro_f1",
                          "test_macro_f1",
                          "train_log_loss",
                          "test_log_loss",
                          "test_unseen",
                          "confusion",
                          "trace",
                          "version"})
    EXPECT_TRUE(report.contains(key)) << key;
  EXPECT_EQ(report["status"], "converged");
  EXPECT_TRUE(report["eta"].is_null());
  for (const char* key : {"test_accuracy", "test_macro_f1", "train_log_loss", "test_log_loss", "test_unseen"})
    EXPECT_TRUE(report[key].is_null()) << key;
  EXPECT_NEAR(report["gap"].get<double>(), report["objective"].get<double>() - report["dual_objective"].get<double>(),
              1e-12);
  EXPECT_LE(report["relative_gap"].get<double>(), 1.001e-4);
  EXPECT_FALSE(report["trace"].empty());
  for (const char* key : {"iteration", "seconds", "objective", "gap", "nonzeros"})
    EXPECT_TRUE(report["trace"][0].contains(key)) << key;

  const json model = json::parse(folder.read("m.json"));
  EXPECT_EQ(model["format"], "tamis-model");
  EXPECT_EQ(model["version"], 1);
  EXPECT_EQ(model["kind"], "linear");
  EXPECT_EQ(model["classes"], json::array({"0", "1", "2"}));
  EXPECT_EQ(model["features"].size(), report["nonzero_rows"].get<std::size_t>());
  EXPECT_EQ(model["coefficients"]["indices"].size(), model["features"].size());
  EXPECT_EQ(model["standardisation"]["mean"].size(), model["features"].size());
}

TEST(Train, QuietPrintsNothing) {
  const auto outcome = run(train(iris, {"--quiet"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output + outcome.error, "");
}

TEST(Train, HoldsOutAFractionOfEachClass) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, {"--hold-out", "1/5", "--report", folder.path("r.json")})).code, 0);
  const json report = json::parse(folder.read("r.json"));
  EXPECT_EQ(report["samples"], 120);
  for (const auto& row : report["confusion"]) EXPECT_EQ(row[0].get<int>() + row[1].get<int>() + row[2].get<int>(), 10);
}

TEST(Train, StandardisedCoefficientsActOnTheDataAsTheyStand) {
  // The same problem, standardised by the command and by hand, predicts the same.
  const Folder folder;
  ASSERT_EQ(run(train(wine, {"--standardise", "--tolerance", "1e-8", "--model", folder.path("m.json"), "--report",
                             folder.path("r.json")}))
                .code,
            0);
  const std::string made = std::string(TAMIS_TEST_REFERENCE) + "/data/wine_";
  ASSERT_EQ(run(train(made + "X.csv", {"--no-header", "--labels", made + "y.csv", "--tolerance", "1e-8", "--model",
                                       folder.path("s.json"), "--report", folder.path("t.json")}))
                .code,
            0);
  const json a = json::parse(folder.read("r.json")), b = json::parse(folder.read("t.json"));
  EXPECT_NEAR(a["objective"].get<double>(), b["objective"].get<double>(), 1e-7);
  EXPECT_NEAR(a["lambda_max"].get<double>(), b["lambda_max"].get<double>(), 1e-9);
  EXPECT_EQ(run({"predict", folder.path("m.json"), wine}).output,
            run({"predict", folder.path("s.json"), made + "X.csv", "--no-header"}).output);
}

TEST(Train, SparseDataStandardisedAreTheSameProblem) {
  const Folder folder;
  std::string svm, csv = "y,a,b,c\n";
  for (int i = 0; i < 40; ++i) {
    const int a = i * 7 % 5, b = i * 3 % 4 == 0 ? i % 9 : 0, c = i % 3 == 0 ? 2 + i % 2 : 0, y = (a + b + 2 * c) % 3;
    svm += std::to_string(y) + (a ? " 1:" + std::to_string(a) : "") + (b ? " 2:" + std::to_string(b) : "") +
           (c ? " 3:" + std::to_string(c) : "") + "\n";
    csv += std::to_string(y) + "," + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "\n";
  }
  const auto arguments = [&](const std::string& data, const std::string& name) {
    return train(data, {"--standardise", "--lambda", "0.02", "--tolerance", "1e-7", "--report", folder.path(name),
                        "--model", folder.path(name + ".model")});
  };
  auto sparse = arguments(folder.write("d.svm", svm), "s"), dense = arguments(folder.write("d.csv", csv), "d");
  for (auto* a : {&sparse, &dense}) a->erase(a->begin() + 6, a->begin() + 8);  // the first --lambda
  ASSERT_EQ(run(sparse).code, 0);
  ASSERT_EQ(run(dense).code, 0);
  EXPECT_NEAR(json::parse(folder.read("s"))["objective"].get<double>(),
              json::parse(folder.read("d"))["objective"].get<double>(), 1e-6);
  EXPECT_EQ(run({"predict", folder.path("s.model"), folder.path("d.svm")}).output,
            run({"predict", folder.path("d.model"), folder.path("d.csv")}).output);
}

TEST(Train, ClassWeightsBalanceTheClasses) {
  const Folder folder;
  const auto weights = folder.write("w.csv", "0,1\n1,2.5\n2,0.5\n");
  std::string per_sample;
  for (int i = 0; i < 150; ++i) per_sample += i < 50 ? "1\n" : i < 100 ? "2.5\n" : "0.5\n";
  ASSERT_EQ(run(train(iris, {"--class-weights", weights, "--model", folder.path("a")})).code, 0);
  ASSERT_EQ(run(train(iris, {"--sample-weights", folder.write("s", per_sample), "--model", folder.path("b")})).code, 0);
  EXPECT_EQ(folder.read("a"), folder.read("b"));
  ASSERT_EQ(run(train(iris, {"--class-weights", "balanced", "--model", folder.path("c")})).code, 0);
  ASSERT_EQ(run(train(iris, {"--model", folder.path("d")})).code, 0);
  EXPECT_EQ(folder.read("c"), folder.read("d")) << "iris is balanced already";
}

TEST(Train, WeightMapShowsEachClass) {
  const auto outcome = run({"train", digits, "--scale", "16", "--loss", "squared-hinge", "--penalty", "group-l2",
                            "--lambda", "0.3", "--weight-map", "8x8"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_GE(lines(outcome.output), 4u + 18u);
  EXPECT_NE(outcome.output.find('#'), std::string::npos);
}

TEST(Train, PenaltiesMeetAtTheirEnds) {
  const Folder folder;
  const auto objective = [&](const std::string& loss, const std::string& penalty, std::vector<std::string> more) {
    std::vector<std::string> arguments{"train",     wine,      "--standardise", "--loss",        loss,
                                       "--penalty", penalty,   "--lambda",      "0.05",          "--tolerance",
                                       "1e-7",      "--quiet", "--report",      folder.path("r")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    const json report = json::parse(folder.read("r"));
    EXPECT_EQ(report["status"], "converged") << penalty;
    EXPECT_EQ(report["penalty"], penalty);
    EXPECT_LE(report["relative_gap"].get<double>(), 1.001e-7) << "the objective is that of the certificate";
    return report["objective"].get<double>();
  };
  const auto own = folder.write("own", "0\n9\n8\n7\n6\n5\n4\n3\n2\n1\n12\n11\n4000000000\n");
  const auto pairs = folder.write("pairs", "3\n3\n3\n1\n1\n1\n0\n0\n0\n2\n2\n2\n2\n");
  for (const std::string loss : {"hinge", "squared-hinge"}) {
    const auto expect_equal = [](double a, double b) { EXPECT_NEAR(a, b, 1e-6 * a); };
    expect_equal(objective(loss, "elastic-net", {"--l1-ratio", "1"}), objective(loss, "l1", {}));
    expect_equal(objective(loss, "elastic-net", {"--l1-ratio", "0"}), objective(loss, "ridge", {}));
    expect_equal(objective(loss, "elastic-net", {}), objective(loss, "elastic-net", {"--l1-ratio", "1/2"}));
    expect_equal(objective(loss, "sparse-group", {"--l1-ratio", "1"}), objective(loss, "l1", {}));
    expect_equal(objective(loss, "sparse-group", {"--l1-ratio", "0", "--groups", pairs}),
                 objective(loss, "group-l2", {"--groups", pairs}));
    expect_equal(objective(loss, "group-linf", {"--groups", own}), objective(loss, "group-linf", {}));
    EXPECT_GT(objective(loss, "reweighted-l1", {}), 0);
    EXPECT_EQ(json::parse(folder.read("r"))["epsilon"], 0.1);
  }
}

TEST(Train, SameInputSameBits) {
  const Folder folder;
  ASSERT_EQ(run(train(wine, {"--precision", "float", "--standardise", "--model", folder.path("a")})).code, 0);
  ASSERT_EQ(run(train(wine, {"--precision", "float", "--standardise", "--model", folder.path("b")})).code, 0);
  EXPECT_EQ(folder.read("a"), folder.read("b"));
}

// ---- predict, export, size, solvers
// ------------------------------------------------------------------------------------

// A gap of nothing, or below nothing, is rounding: what is said is what rounding may hide.
TEST(Train, PromisesNoMoreThanThePrecisionHolds) {
  const Folder folder;
  for (const auto& [precision, least] :
       {std::pair{"float", "certified within 0.00019 %"}, {"double", "certified within 3.6e-13 %"}}) {
    const auto [code, output, error] =
        run({"train", iris, "--loss", "squared-hinge", "--penalty", "l1", "--lambda", "1e6", "--precision", precision,
             "--no-intercept", "--report", folder.path("r.json")});
    ASSERT_EQ(code, 0) << error;
    EXPECT_NE(output.find(least), std::string::npos) << output;
    const auto report = json::parse(folder.read("r.json"));
    EXPECT_EQ(report["status"], "converged");
    EXPECT_GE(report["gap"].get<double>(), 0);
    EXPECT_LT(report["gap"].get<double>(), 1e-5);
  }
}

// In float a certificate between a step of Newton's method and the epochs after it uses the list of these.
TEST(Train, DescentOfViolationsEndsInFloat) {
  for (const char* loss : {"squared-hinge", "one-vs-rest-squared-hinge"})
    for (const char* penalty : {"ridge", "l1", "group-l2", "elastic-net"})
      for (const char* lambda : {"2e-2", "1.74e-3", "2e-4"}) {
        const auto outcome =
            run({"train", iris, "--standardise", "--loss", loss, "--penalty", penalty, "--lambda", lambda,
                 "--precision", "float", "--solver", "block-coordinate-descent", "--max-iterations", "1000"});
        EXPECT_EQ(outcome.output.find("converged"), 0u) << loss << " " << penalty << " " << lambda << outcome.output;
      }
}

TEST(Predict, OneLabelALineOrScoresAsCsv) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, {"--model", folder.path("m.json")})).code, 0);
  const auto labels = run({"predict", folder.path("m.json"), iris});
  ASSERT_EQ(labels.code, 0) << labels.error;
  EXPECT_EQ(lines(labels.output), 150u);
  EXPECT_EQ(labels.output.substr(0, 4), "0\n0\n");
  const auto scores = run({"predict", folder.path("m.json"), iris, "--scores"});
  EXPECT_EQ(lines(scores.output), 151u);
  EXPECT_EQ(scores.output.substr(0, 12), "label,0,1,2\n");
}

TEST(Predict, UsesTheScaleOfTheModelUnlessToldOtherwise) {
  const Folder folder;
  ASSERT_EQ(run({"train", digits, "--scale", "16", "--loss", "squared-hinge", "--penalty", "l1", "--lambda", "0.05",
                 "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  const auto implied = run({"predict", folder.path("m.json"), digits});
  EXPECT_EQ(implied.output, run({"predict", folder.path("m.json"), digits, "--scale", "16"}).output);
  EXPECT_NE(implied.output, run({"predict", folder.path("m.json"), digits, "--scale", "1000"}).output);
}

TEST(Predict, TakesSamplesWithoutLabels) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, {"--model", folder.path("m.json")})).code, 0);
  const auto outcome =
      run({"predict", folder.path("m.json"), folder.write("new.csv", "5.1,3.5,1.4,0.2\n6.3,3.3,6.0,2.5\n")});
  EXPECT_EQ(outcome.output, "0\n2\n");
}

TEST(Export, JsonIsTheModel) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, {"--model", folder.path("m.json")})).code, 0);
  EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "json"}).output, folder.read("m.json"));
  ASSERT_EQ(run(train(iris, {"--precision", "float", "--model", folder.path("f.json")})).code, 0);
  EXPECT_EQ(run({"export", folder.path("f.json"), "--format", "json"}).output, folder.read("f.json"));
}

TEST(Export, ArduinoSketchHoldsTheModelAndItsSelfTest) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, {"--model", folder.path("m.json")})).code, 0);
  const auto sketch = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "iris"}).output;
  for (const char* part : {"void setup()", "void loop()", "iris_self_test()", "iris_weights"})
    EXPECT_NE(sketch.find(part), std::string::npos) << part;
}

TEST(Size, EqualsWhatTrainingUses) {
  const Folder folder;
  for (const std::string precision : {"float", "double"})
    for (const auto& [loss, solver] : {std::pair<std::string, std::string>{"hinge", "auto"},
                                       {"hinge", "primal-dual-as-printed"},
                                       {"hinge", "constrained-primal-dual"},
                                       {"hinge", "constrained-primal-dual-as-printed"},
                                       {"hinge", "linear-constraints-primal-dual-as-printed"},
                                       {"squared-hinge", "auto"},
                                       {"logistic", "auto"},
                                       {"one-vs-rest-squared-hinge", "fista-constant-step-as-printed"},
                                       {"squared-hinge", "fista-constant-step"},
                                       {"squared-hinge", "forward-backward"},
                                       {"squared-hinge", "bcd-line-search-as-printed"},
                                       {"logistic", "bcd-constant-step-as-printed"},
                                       {"logistic", "fista-line-search-as-printed"},
                                       {"squared-hinge", "sparsa-as-printed"}})
      for (const std::string penalty : {"l1", "elastic-net", "reweighted-l1"}) {
        const bool with_eta = solver.find("constrain") != std::string::npos;
        ASSERT_EQ(run({"train", wine, "--loss", loss, "--penalty", penalty, with_eta ? "--eta" : "--lambda", "0.5",
                       "--solver", solver, "--precision", precision, "--max-iterations", "5", "--report",
                       folder.path("r"), "--quiet"})
                      .code,
                  0);
        const json report = json::parse(folder.read("r"));
        const auto outcome = run({"size", "--samples", "178", "--features", "13", "--classes", "3", "--loss", loss,
                                  "--penalty", penalty, "--solver", solver, "--precision", precision});
        // The least comes first; where more makes it faster, that much is on the second line, and training takes it.
        const bool faster = outcome.output.find("make it faster") != std::string::npos;
        auto bytes = std::stoul(faster ? outcome.output.substr(outcome.output.find('\n') + 1) : outcome.output);
        const std::string instead = " bytes of arena instead where lambda is small, with two-phase, and ";
        const auto other = outcome.output.find(instead);
        EXPECT_EQ(other != std::string::npos, loss == "hinge" && penalty == "elastic-net" && solver == "auto");
        if (other != std::string::npos && report["solver"] == "two-phase")
          bytes = std::stoul(outcome.output.substr(other + instead.size()));
        EXPECT_EQ(bytes, report["arena_bytes"]) << solver;
        EXPECT_EQ(bytes, report["arena_used_bytes"]) << solver;
        EXPECT_GE(bytes, std::stoul(outcome.output));
      }
}

TEST(Size, IsThatOfTheSolverOfItsPrecision) {
  const auto first_line_has = [](const char* precision, const char* solver) {
    const auto output = run({"size", "--samples", "300", "--features", "64", "--classes", "10", "--loss",
                             "squared-hinge", "--penalty", "l1", "--precision", precision})
                            .output;
    return output.substr(0, output.find('\n')).find(solver) != std::string::npos;
  };
  EXPECT_TRUE(first_line_has("double", "two-phase"));
  EXPECT_TRUE(first_line_has("float", "block-coordinate-descent"));
}

TEST(Size, IsThatOfTheSolverThatGroupsOverSeveralFeaturesMean) {
  // Descent over features crawls where groups share their largest entry: thousands of epochs in place of these steps.
  Folder folder;
  folder.write("groups", "0\n0\n0\n0\n0\n1\n1\n1\n1\n1\n1\n2\n2\n");
  struct Case {
    std::string loss, groups, solver;
  };
  for (const auto& [loss, groups, solver] :
       {Case{"squared-hinge", "rows", "block-coordinate-descent"},
        Case{"squared-hinge", "blocks:1", "block-coordinate-descent"}, Case{"squared-hinge", "blocks:5", "two-phase"},
        Case{"squared-hinge", folder.path("groups"), "two-phase"}, Case{"logistic", "blocks:5", "fista"}}) {
    ASSERT_EQ(run({"train", wine, "--standardise", "--loss", loss, "--penalty", "group-linf", "--groups", groups,
                   "--lambda", "0.05", "--max-iterations", "2000", "--report", folder.path("r"), "--quiet"})
                  .code,
              0);
    const json report = json::parse(folder.read("r"));
    EXPECT_EQ(report["solver"], solver) << groups;
    EXPECT_EQ(report["status"], "converged") << groups;
    const auto output = run({"size", "--samples", "178", "--features", "13", "--classes", "3", "--loss", loss,
                             "--penalty", "group-linf", "--groups", groups})
                            .output;
    EXPECT_NE(output.find("to train with " + solver + ","), std::string::npos) << output;
  }
}

TEST(Size, IsThatOfTwoPhaseWhereASquaredHingeHasFewUnknowns) {
  const Folder folder;
  std::string wide = "label";
  for (int j = 0; j < 40; ++j) wide += ",x" + std::to_string(j);
  for (int i = 0; i < 12; ++i) {
    wide += "\n" + std::to_string(i % 3);
    for (int j = 0; j < 40; ++j) wide += "," + std::to_string((i * 7 + j * j * 3 + (j % 3 == i % 3 ? 5 : 0)) % 11);
  }
  folder.write("wide.csv", wide + "\n");
  struct Case {
    std::string data, samples, features, penalty, solver;
  };
  for (const Case& c : {Case{wine, "178", "13", "l1", "block-coordinate-descent"},
                        Case{wine, "178", "13", "group-l2", "block-coordinate-descent"},
                        Case{folder.path("wide.csv"), "12", "40", "l1", "two-phase"},
                        Case{folder.path("wide.csv"), "12", "40", "group-l2", "two-phase"},
                        Case{folder.path("wide.csv"), "12", "40", "ridge", "two-phase"}}) {
    const std::vector<std::string> problem{"--loss", "squared-hinge", "--penalty", c.penalty};
    std::vector<std::string> train{"train", c.data,    "--standardise", "--lambda",
                                   "1e-3",  "--quiet", "--report",      folder.path("r")};
    train.insert(train.end(), problem.begin(), problem.end());
    const auto trained = run(train);
    ASSERT_EQ(trained.code, 0) << trained.error;
    const json report = json::parse(folder.read("r"));
    EXPECT_EQ(report["solver"], c.solver) << c.penalty;
    EXPECT_EQ(report["status"], "converged") << c.penalty;
    std::vector<std::string> size{"size", "--samples", c.samples, "--features", c.features, "--classes", "3"};
    size.insert(size.end(), problem.begin(), problem.end());
    EXPECT_NE(run(size).output.find("to train with " + c.solver + ","), std::string::npos) << c.penalty;
  }
}

TEST(Size, TellsFlashAndStackOfABoard) {
  const auto output = [](const std::string& penalty, const std::string& precision) {
    return run({"size", "--samples", "150", "--features", "4", "--classes", "3", "--loss", "hinge", "--solver",
                "primal-dual", "--penalty", penalty, "--precision", precision})
        .output;
  };
  EXPECT_NE(output("l1", "float").find(" bytes of flash for training and prediction on a Cortex-M4F"),
            std::string::npos);
  EXPECT_EQ(output("l1", "double").find("flash"), std::string::npos);
  EXPECT_EQ(output("reweighted-l1", "float").find("flash"), std::string::npos);  // not measured
}

TEST(Train, MarginsOfTheLosses) {
  // The margin left out, said, and said for each sample are the same problem; another is another.
  const Folder folder;
  std::vector<std::string> penalty;
  const auto objective = [&](const std::string& loss, std::vector<std::string> more) {
    std::vector<std::string> a{"train",   iris,       "--loss",        loss, "--lambda", "0.05",
                               "--quiet", "--report", folder.path("r")};
    a.insert(a.end(), penalty.begin(), penalty.end());
    a.insert(a.end(), more.begin(), more.end());
    const auto outcome = run(a);
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    const json report = json::parse(folder.read("r"));
    EXPECT_EQ(report["loss"], loss);
    EXPECT_EQ(report["status"], "converged");
    EXPECT_NEAR(report["relative_gap"].get<double>(), 0, 1.1e-4);
    return report["objective"].get<double>();
  };
  for (const auto& [loss, margin, wide] : {std::tuple<std::string, std::string, std::string>{"hinge", "1", "1/2"},
                                           {"squared-hinge", "1", "2"},
                                           {"logistic", "0", "1"},
                                           {"one-vs-rest-squared-hinge", "1", "2"}}) {
    penalty = {"--penalty", "group-l2"};
    std::string lines_of;
    for (int i = 0; i < 150; ++i) lines_of += margin + "\n";
    const double plain = objective(loss, {});
    EXPECT_EQ(objective(loss, {"--margin", margin}), plain) << loss;
    EXPECT_EQ(objective(loss, {"--margins", folder.write("m", lines_of)}), plain) << loss;
    EXPECT_GT(std::abs(objective(loss, {"--margin", wide}) - plain), 1e-3) << loss;
    EXPECT_NEAR(objective(loss, {"--precision", "float"}), plain, 1e-4) << loss;
    penalty = {"--penalty", "elastic-net", "--l1-ratio", "0.3"};
    const double elastic = objective(loss, {"--margin", wide});
    EXPECT_GT(std::abs(objective(loss, {}) - elastic), 1e-3) << loss;
    penalty = {"--penalty", "sparse-group", "--l1-ratio", "0.3", "--groups", folder.write("g", "1\n0\n1\n0\n")};
    EXPECT_GT(std::abs(objective(loss, {"--margin", wide}) - elastic), 1e-3) << loss;
  }
}

std::vector<std::string> printed(const std::string& solver, std::vector<std::string> more = {}) {
  std::vector<std::string> out{"train",    iris,       "--loss", "squared-hinge", "--penalty",
                               "group-l2", "--lambda", "0.05",   "--solver",      solver};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Baselines, EndByTheirOwnCriteria) {
  const Folder folder;
  const auto report = [&](const std::string& solver, std::vector<std::string> more) {
    more.insert(more.end(), {"--report", folder.path("r.json"), "--quiet"});
    const auto outcome = run(printed(solver, more));
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    return json::parse(folder.read("r.json"));
  };
  for (const char* precision : {"float", "double"})
    for (const auto& [solver, rule] :
         {std::pair<std::string, std::string>{"bcd-line-search-as-printed", "violation-sum:1/10"},
          {"bcd-constant-step-as-printed", "violation-max:0.1"},
          {"sparsa-as-printed", "iterates:0.1"}}) {
      const json r = report(solver, {"--stopping", rule, "--precision", precision});
      EXPECT_EQ(r["status"], "stopped") << solver;
      EXPECT_EQ(r["trace"].size(), 1u) << "one certificate, at the end";
      EXPECT_TRUE(r["lambda_max"].is_null());
      EXPECT_GT(r["relative_gap"], 1e-4);
      EXPECT_EQ(report(solver, {"--stopping", rule, "--tolerance", "0.999"})["status"], "converged");
      EXPECT_EQ(report(solver, {"--stopping", "gap"})["status"], "converged");
    }
  for (const char* solver : {"constrained-primal-dual-as-printed", "linear-constraints-primal-dual-as-printed"}) {
    const auto outcome = run({"train", iris, "--loss", "hinge", "--penalty", "l1", "--eta", "0.5", "--solver", solver,
                              "--stopping", "iterates:1e-3", "--report", folder.path("r.json"), "--quiet"});
    EXPECT_EQ(outcome.code, 0) << outcome.error;
    const json r = json::parse(folder.read("r.json"));
    EXPECT_EQ(r["status"], "stopped") << solver;
    EXPECT_EQ(r["trace"].size(), 1u) << solver;
  }
  const json r = report("bcd-line-search-as-printed", {"--stopping", "violation-sum:1e-9", "--max-iterations", "3"});
  EXPECT_EQ(r["status"], "iteration_limit");
  EXPECT_EQ(r["iterations"], 3);
}

TEST(Baselines, SeedsAndShrinking) {
  const Folder folder;
  const auto model = [&](const std::string& seed) {
    const auto outcome = run(printed("bcd-constant-step-as-printed",
                                     {"--seed", seed, "--max-iterations", "9", "--model", folder.path("m.json")}));
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.error, "");
    return folder.read("m.json");
  };
  EXPECT_EQ(model("1"), model("1"));
  EXPECT_NE(model("1"), model("2"));
  const auto unused = run(printed("fista", {"--seed", "1"}));
  EXPECT_EQ(unused.code, 0);
  EXPECT_EQ(unused.error, "--seed is not used: fista draws nothing at random\n");
  EXPECT_EQ(run(printed("fista", {"--seed", "1", "--quiet"})).error, "");
  EXPECT_EQ(run(printed("fista", {"--seed", "1", "--hold-out", "1/3"})).error, "") << "the split is drawn";
  const auto shrunk = run(printed("bcd-line-search-as-printed", {"--shrinking"}));
  EXPECT_EQ(shrunk.code, 0);
  EXPECT_EQ(shrunk.output.rfind("converged", 0), 0u) << shrunk.output;
}

TEST(Solvers, ListsEveryCombination) {
  const auto outcome = run({"solvers"});
  EXPECT_NE(outcome.output.find("primal-dual-as-printed"), std::string::npos);
  for (const char* name : {"fista", "fista-constant-step-as-printed", "fista-constant-step", "forward-backward",
                           "bcd-line-search-as-printed", "bcd-constant-step-as-printed", "fista-line-search-as-printed",
                           "sparsa-as-printed", "logistic", "one-vs-rest-squared-hinge"})
    EXPECT_NE(outcome.output.find(name), std::string::npos) << name;
  EXPECT_NE(outcome.output.find("elastic-net sparse-group reweighted-l1"), std::string::npos);
}

// ---- what is wrong
// -----------------------------------------------------------------------------------------------------

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& sentence,
                    const Folder* folder = nullptr, std::size_t files = 0) {
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.code, code);
  EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  EXPECT_EQ(lines(outcome.error), 1u) << "one sentence: " << outcome.error;
  EXPECT_EQ(outcome.output, "");
  if (folder) {
    EXPECT_EQ(folder->files(), files) << "nothing is written";
  }
}

std::vector<std::string> constrained(const std::string& eta, std::vector<std::string> more = {}) {
  std::vector<std::string> out{"train", iris, "--loss", "hinge", "--penalty", "l1", "--eta", eta};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(Constrained, ReportsTheConstraintAndKeepsTheModel) {
  const Folder folder;
  for (const char* precision : {"float", "double"}) {
    const auto outcome = run(constrained(
        "15/150", {"--precision", precision, "--model", folder.path("m.json"), "--report", folder.path("r.json")}));
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_NE(outcome.output.find("mean loss 0.1 of at most 0.1"), std::string::npos) << outcome.output;
    const json r = json::parse(folder.read("r.json"));
    EXPECT_EQ(r["status"], "converged");
    EXPECT_EQ(r["solver"], "constrained-primal-dual");
    EXPECT_TRUE(r["lambda"].is_null() && r["lambda_max"].is_null() && r["constraint_bound"].is_null());
    EXPECT_EQ(r["eta"], 0.1);
    EXPECT_LE(r["constraint_value"], 0.1 * (1 + 1e-4));
    EXPECT_NEAR(r["objective"].get<double>(), 5.269736842, 1e-4 * 5.27);
    EXPECT_NEAR(r["multiplier"].get<double>(), 39.47, 0.5);
    const auto labels = run({"predict", folder.path("m.json"), iris});
    EXPECT_EQ(lines(labels.output), 150u) << labels.error;
    EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "json"}).code, 0);
  }
}

TEST(Constrained, InfeasibleIsSaidPlainlyAndLeavesNoModel) {
  const Folder folder;
  const auto outcome = run(constrained("0.02", {"--model", folder.path("m.json"), "--report", folder.path("r.json")}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output.rfind("infeasible: no model has a mean loss of 0.02 or less", 0), 0u) << outcome.output;
  EXPECT_EQ(folder.files(), 1u) << "the report alone";
  const json r = json::parse(folder.read("r.json"));
  EXPECT_EQ(r["status"], "infeasible");
  EXPECT_TRUE(r["objective"].is_null() && r["gap"].is_null());
  EXPECT_NEAR(r["constraint_value"].get<double>(), 5.6 / 150, 1e-6);
  EXPECT_NEAR(r["constraint_bound"].get<double>(), 5.6 / 150, 1e-6);
}

TEST(Wrong, Arguments) {
  expect_refused({}, 2, "subcommand");
  expect_refused({"fly"}, 2, "fly");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "l1"}, 2, "--lambda");
  expect_refused(train(iris, {"--eta", "3"}), 2, "either --lambda, the weight of the penalty, or --eta");
  expect_refused(constrained("0"), 2, "--eta: 0 is not positive");
  expect_refused(constrained("-1"), 2, "--eta: -1 is not positive");
  expect_refused(constrained("nan"), 2, "--eta: 'nan' is not a finite number");
  expect_refused(constrained("0.1", {"--solver", "primal-dual"}), 2, "primal-dual has no constraint: give --lambda");
  expect_refused(train(iris, {"--solver", "constrained-primal-dual"}), 2, "give --eta instead of --lambda");
  expect_refused({"train", iris, "--loss", "squared-hinge", "--penalty", "l1", "--eta", "1"}, 2,
                 "projects onto the level sets of the mean loss");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "l1", "--lambda", "-1"}, 2,
                 "--lambda: -1 is negative");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "l1", "--lambda", "nan"}, 2,
                 "--lambda: 'nan' is not a finite number");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "l1", "--lambda", "1/0"}, 2, "--lambda: '1/0'");
  expect_refused({"train", iris, "--loss", "hing", "--penalty", "l1", "--lambda", "1"}, 2,
                 "'hing' is not one of hinge, squared-hinge");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "l3", "--lambda", "1"}, 2,
                 "'l3' is not one of ridge, l1");
  expect_refused(train(iris, {"--solver", "fista"}), 2, "needs a smooth loss");
  expect_refused(train(iris, {"--solver", "simplex"}), 2, "'simplex' is not one of auto");
  expect_refused(train(iris, {"--precision", "half"}), 2, "'half' is not one of float, double");
  expect_refused(train(iris, {"--groups", "blocks:2"}), 2,
                 "--groups is for group-l2, group-linf, sparse-group, not for l1");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "group-l2", "--lambda", "1", "--groups", "blocks:0"},
                 2, "--groups");
  expect_refused(train(iris, {"--tolerance", "0"}), 2, "--tolerance");
  expect_refused(train(iris, {"--margin", "0"}), 2, "--margin: a margin is not positive");
  expect_refused(train(iris, {"--margin", "wide"}), 2, "--margin: 'wide' is not a finite number");
  expect_refused(train(iris, {"--margin", "1", "--margins", "file"}), 2, "--margin and --margins both");
  expect_refused({"train", iris, "--loss", "logistic", "--penalty", "l1", "--lambda", "1", "--margin", "-1"}, 2,
                 "--margin: a margin is not positive (for logistic: negative)");
  expect_refused({"train", iris, "--loss", "logistic", "--penalty", "l1", "--lambda", "1", "--solver", "primal-dual"},
                 2, "it needs a loss with dual_prox");
  expect_refused(train(iris, {"--max-iterations", "0"}), 2, "--max-iterations");
  expect_refused(train(iris, {"--scale", "0"}), 2, "--scale");
  expect_refused(train(iris, {"--hold-out", "2"}), 2, "--hold-out");
  expect_refused(train(iris, {"--weight-map", "3x3"}), 2, "--weight-map");
  expect_refused(train(iris, {"--model", "/no/such/folder/m.json"}), 2, "/no/such/folder/m.json: cannot be written");
}

TEST(Wrong, BaselineOptions) {
  const Folder folder;
  const std::string bcd = "bcd-line-search-as-printed", model = folder.path("m.json");
  const auto refused = [&](const std::string& solver, std::vector<std::string> more, const std::string& sentence,
                           std::size_t files = 0) {
    more.insert(more.end(), {"--model", model});
    expect_refused(printed(solver, more), 2, sentence, &folder, files);
  };
  refused(bcd, {"--stopping", "soon"},
          "--stopping: 'soon' is not one of gap, iterates:T, violation-sum:T, violation-max:T");
  refused(bcd, {"--stopping", "violation-sum"},
          "--stopping: violation-sum needs a threshold, such as violation-sum:1e-3");
  refused(bcd, {"--stopping", "violation-sum:0"}, "--stopping: the threshold of violation-sum must be positive");
  refused(bcd, {"--stopping", "violation-max:-1"}, "--stopping: the threshold of violation-max must be positive");
  refused(bcd, {"--stopping", "violation-max:x"}, "--stopping: 'x' is not a finite number");
  refused(bcd, {"--stopping", "gap:1e-3"}, "--stopping: gap takes no threshold");
  refused(bcd, {"--stopping", "iterates:1e-3"}, "--stopping iterates is for primal-dual-as-printed, ");
  refused("fista", {"--stopping", "violation-sum:1e-3"},
          "--stopping violation-sum is for bcd-line-search-as-printed, bcd-constant-step-as-printed, not for fista");
  refused("auto", {"--stopping", "iterates:1e-3"}, "not for block-coordinate-descent");
  expect_refused(constrained("0.5", {"--stopping", "iterates:1e-3"}), 2, "not for constrained-primal-dual\n");
  refused("sparsa-as-printed", {"--shrinking"}, "--shrinking is for bcd-line-search-as-printed, ");
  refused(bcd, {"--groups", "blocks:2"}, "it needs groups that are rows");
  refused(bcd, {"--groups", folder.write("g", "0\n0\n1\n1\n")}, "it needs groups that are rows", 1);
  const auto with = [&](const std::string& loss, const std::string& penalty, std::vector<std::string> more) {
    std::vector<std::string> out{"train", iris,       "--loss", loss,       "--penalty",
                                 penalty, "--lambda", "0.05",   "--solver", bcd};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  expect_refused(with("hinge", "l1", {}), 2, "needs a smooth loss of one class per sample");
  expect_refused({"train", iris, "--loss", "hinge", "--penalty", "elastic-net", "--l1-ratio", "1", "--lambda", "0.05",
                  "--solver", "crammer-singer-dual"},
                 2, "--solver crammer-singer-dual with --l1-ratio 1: ");
  expect_refused(with("logistic", "ridge", {"--shrinking"}), 2, "this penalty, ridge, makes none");
  expect_refused(with("logistic", "elastic-net", {"--l1-ratio", "0", "--shrinking"}), 2, "elastic-net, makes none");
  expect_refused(with("logistic", "reweighted-l1", {"--stopping", "violation-sum:1e-3"}), 2,
                 "not for reweighted-l1, whose rounds end by the gap");
  expect_refused({"path", iris, "--loss", "logistic", "--penalty", "l1", "--solver", bcd}, 2, "it is a baseline");
}

TEST(Wrong, PenaltyOptions) {
  const Folder folder;
  const auto with = [&](const std::string& penalty, std::vector<std::string> more) {
    std::vector<std::string> out{"train", iris,       "--loss", "hinge",   "--penalty",
                                 penalty, "--lambda", "0.05",   "--model", folder.path("m.json")};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& sentence,
                           std::size_t files = 0) { expect_refused(arguments, code, sentence, &folder, files); };
  refused(with("elastic-net", {"--l1-ratio", "1.5"}), 2, "--l1-ratio: 1.5 does not lie between 0 and 1");
  refused(with("sparse-group", {"--l1-ratio=-0.1"}), 2, "--l1-ratio: -0.1 does not lie between 0 and 1");
  refused(with("sparse-group", {"--l1-ratio", "half"}), 2, "--l1-ratio: 'half' is not a finite number");
  refused(with("l1", {"--l1-ratio", "0.5"}), 2, "--l1-ratio is for elastic-net, sparse-group, not for l1");
  refused(with("l1", {"--epsilon", "0.1"}), 2, "--epsilon is for reweighted-l1, not for l1");
  refused(with("reweighted-l1", {"--epsilon", "0"}), 2, "--epsilon: 0 is not positive");
  refused(with("elastic-net", {"--groups", "blocks:2"}), 2, "--groups is for group-l2");
  refused(with("group-l2", {"--groups", folder.path("none")}), 3, "none: cannot be read");
  const auto groups = [&](const std::string& text, const std::string& sentence) {
    const auto file = folder.write("groups", text);
    refused(with("group-l2", {"--groups", file}), 3, "groups, " + sentence, 1);
    refused({"size", "--samples", "150", "--features", "4", "--classes", "3", "--loss", "hinge", "--penalty",
             "group-l2", "--groups", file},
            3, "groups, " + sentence, 1);
  };
  groups("0\n1\n1\n", "line 3: the file ends after 3 group numbers, 4 expected");
  groups("0\n1\n1\n0\n2\n", "line 5: more group numbers than the 4 features");
  groups("0\n1.5\n1\n0\n", "line 2: '1.5' is not a group number");
  groups("0\n1\n-1\n0\n", "line 3: '-1' is not a group number");
  groups("0\na\n1\n0\n", "line 2: 'a' is not a group number");
}

TEST(Wrong, Memory) {
  expect_refused(train(iris, {"--memory-limit", "1000"}), 4, "training needs an arena of");
  expect_refused({"size", "--samples", "4294967295", "--features", "4294967295", "--classes", "65536", "--loss",
                  "hinge", "--penalty", "l1"},
                 4, "no memory of this machine");
}

TEST(Wrong, Data) {
  const Folder folder;
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    folder.write("d.csv", text);
    expect_refused(train(folder.path("d.csv"), {"--model", folder.path("m.json"), "--report", folder.path("r.json")}),
                   3, sentence, &folder, 1);
  };
  refused("", "d.csv");
  refused("y,a\n", "no samples");
  refused("y,a,b\n0,1,2\n1,3\n", "line 3");
  refused("y,a,b\n0,1,2\n1,3,x\n", "line 3, column 3 (b): 'x' is not a number");
  refused("y,a,b\n0,1,nan\n1,3,1\n", "line 2, column 3 (b)");
  refused("y,a,b\n0,1,\n1,3,1\n", "line 2, column 3 (b)");
  refused("y,a\n0,1\n0,2\n", "all 2 samples have the label '0'");
  expect_refused(train(folder.path("missing.csv")), 3, "missing.csv");
  expect_refused(train(iris, {"--label", "colour"}), 3, "colour");
  expect_refused(train(iris, {"--margins", folder.write("few", "1\n2\n")}), 3, "few");
  std::string weights = "1\n-1\n";
  for (int i = 2; i < 150; ++i) weights += "1\n";
  expect_refused(train(iris, {"--sample-weights", folder.write("w", weights)}), 3,
                 "sample 2: a sample weight is negative");
  const auto all = [&](const std::string& weight) {
    std::string lines;
    for (int i = 0; i < 150; ++i) lines += weight + "\n";
    return folder.write("w", lines);
  };
  const std::string sentence = "a sample weight is negative or not finite, or too large or too small beside the others";
  for (const char* weight : {"1e308", "1e-320"})
    expect_refused(train(iris, {"--sample-weights", all(weight)}), 3, "sample 1: " + sentence);
  for (const char* weight : {"1e38", "1e-41"})
    expect_refused(train(iris, {"--sample-weights", all(weight), "--precision", "float"}), 3, "sample 1: " + sentence);
  const std::string uneven = "1\n1e-310\n" + weights.substr(5);
  expect_refused(train(iris, {"--sample-weights", folder.write("w", uneven)}), 3, "sample 2: " + sentence);
  expect_refused(train(iris, {"--margins", folder.write("w", weights)}), 3, "sample 2: a margin is not positive");
  expect_refused(train(iris, {"--class-weights", folder.write("k.csv", "0,1\n1,1\n2,1\n7,1\n")}), 3,
                 "k.csv, line 4: label '7' is none of the classes");
  expect_refused(train(iris, {"--test", wine}), 3, "13");
  expect_refused(train(folder.write("big.csv", "y,a\n0,1\n1,1e300\n"), {"--precision", "float"}), 3,
                 "line 3: feature 1 does not fit in single precision");
}

TEST(Wrong, Models) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, {"--model", folder.path("m.json")})).code, 0);
  const std::string good = folder.read("m.json");
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    expect_refused({"predict", folder.write("x.json", text), iris}, 3, sentence);
  };
  refused("", "x.json: is not a JSON model");
  refused("{}", "not a tamis model");
  for (std::size_t length = 0; length < good.size(); length += 11) {
    const auto outcome = run({"predict", folder.write("x.json", good.substr(0, length)), iris});
    EXPECT_EQ(outcome.code, length + 2 >= good.size() ? 0 : 3);
  }
  for (const char* key : {"classes", "feature_count", "features", "coefficients", "intercept", "scale"}) {
    json broken = json::parse(good);
    broken.erase(key);
    refused(broken.dump(), "x.json: lacks a part of a model");
    broken[key] = "?";
    EXPECT_EQ(run({"predict", folder.write("x.json", broken.dump()), iris}).code, 3) << key;
  }
  json broken = json::parse(good);
  broken["coefficients"]["indices"][0] = 99;
  refused(broken.dump(), "has an index out of range");
  broken = json::parse(good);
  ASSERT_GE(broken["coefficients"]["indices"].size(), 2u);
  broken["coefficients"]["indices"][0] = broken["coefficients"]["indices"][1];
  refused(broken.dump(), "feature indices out of order");
  // Counts that are whole numbers, and fit: nothing is converted that has no value in another type.
  for (const json& count : {json(4e20), json(-1), json(4.5), json(18446744073709551615u)}) {
    broken = json::parse(good);
    broken["feature_count"] = count;
    refused(broken.dump(), "has an impossible shape");
    broken = json::parse(good);
    broken["samples"] = count;
    refused(broken.dump(), "has an impossible number of samples");
    broken = json::parse(good);
    broken["coefficients"]["indices"][0] = count;
    refused(broken.dump(), "has an index out of range");
  }
  broken = json::parse(good);
  broken["precision"] = "float";
  broken["coefficients"]["values"][0][0] = 1e60;
  refused(broken.dump(), "is a model in float, and has a number that is too large for it");
  broken = json::parse(good);
  broken["version"] = 2;
  refused(broken.dump(), "later version");
  expect_refused({"predict", folder.path("m.json"), wine}, 3, "14 columns found, 4 expected");
  expect_refused({"export", folder.path("m.json"), "--format", "pdf"}, 2, "'pdf' is not one of c, json, arduino");
  expect_refused({"export", folder.path("m.json"), "--format", "c", "--name", "2x"}, 2, "'2x' is not a C identifier");
}

}  // namespace
