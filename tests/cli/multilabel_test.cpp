// The command with samples that have several labels: reading, training, judging, predicting, refusing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/command.hpp"
#include "support/label_sets.hpp"

namespace {

using nlohmann::json;
using tamis::testing::CommandOutcome;
using tamis::testing::Folder;
using tamis::testing::MadeSets;
using tamis::testing::run;

const std::string shipped = std::string(TAMIS_TEST_DATA) + "/ranking.libsvm";

CommandOutcome with(const std::string& command, const std::string& data, std::vector<std::string> more) {
  std::vector<std::string> all{command, data, "--loss", "ranking-squared-hinge", "--penalty", "l1"};
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}
json report_of(const Folder& folder, const std::string& data, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--lambda", "0.1", "--quiet", "--report", folder.path("r.json")});
  const auto outcome = with("train", data, more);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error, "");
  return json::parse(folder.read("r.json"));
}
/// Training refused with that exit code; returns the sentence, without the folder, and nothing has been written.
std::string refusal(int code, const std::string& data, std::vector<std::string> more = {},
                    const std::string& command = "train") {
  const Folder folder;
  const std::string path = folder.write("a.svm", data);
  if (command == "train") more.insert(more.end(), {"--lambda", "0.1"});
  more.insert(more.end(), {"--model", folder.path("m.json")});
  const auto outcome = with(command, path, more);
  EXPECT_EQ(outcome.code, code);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(folder.files(), 1u);
  std::string text = outcome.error.substr(outcome.error.rfind("tamis: ") + 7);
  if (const auto at = text.find(path); at != std::string::npos) text.replace(at, path.size(), "a.svm");
  return text.substr(0, text.find('\n'));
}
std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}
MadeSets<double> made() { return {120, 8, 6, 4}; }

/// The samples with other words for their classes and another way to write them.
std::string as_text(const MadeSets<double>& m, const std::vector<std::string>& names, bool csv) {
  std::string out;
  for (tamis::Index i = 0; i < m.samples; ++i) {
    for (std::size_t e = 0; e < m.of[i].size(); ++e) out += (e ? csv ? ";" : "," : "") + names[m.of[i][e]];
    for (tamis::Index j = 0; j < m.features; ++j) {
      char text[40];
      if (csv) std::snprintf(text, sizeof text, ",%.17g", m.values[i + j * m.samples]);
      else std::snprintf(text, sizeof text, " %u:%.17g", j + 1, m.values[i + j * m.samples]);
      out += text;
    }
    out += '\n';
  }
  return out;
}

TEST(Multilabel, TheShippedFileIsTheOneOfTheGenerator) {
  std::stringstream text;
  text << std::ifstream(shipped).rdbuf();
  EXPECT_EQ(text.str(), made().text());
}

TEST(Multilabel, TrainsAsTheLibraryDoes) {
  const Folder folder;
  const auto m = made();
  for (const bool intercept : {true, false}) {
    std::vector<std::string> more{"--tolerance", "1e-8"};
    if (!intercept) more.push_back("--no-intercept");
    const json r = report_of(folder, shipped, more);
    const auto direct = tamis::testing::run<tamis::Fista<double, tamis::RankingSquaredHinge, tamis::L1>, double>(
        m.design(), m.targets(), m.loss(), tamis::L1{}, {.lambda = 0.1, .tolerance = 1e-8, .intercept = intercept});
    EXPECT_EQ(r["status"], "converged");
    EXPECT_EQ(r["solver"], "fista");
    EXPECT_NEAR(r["objective"].get<double>(), direct.fit.objective, 2e-8 * direct.fit.objective);
    EXPECT_NEAR(r["lambda_max"].get<double>(), direct.fit.lambda_max, 1e-6 * direct.fit.lambda_max);
  }
}

TEST(Multilabel, SaysWhatIsNotRanked) {
  const auto outcome = with("train", shipped, {"--lambda", "0.1"});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("11 of 120 training samples have all labels or none"), std::string::npos);
  EXPECT_NE(outcome.output.find("train: the best class is a label of "), std::string::npos);
}

TEST(Multilabel, JudgesByTheOrderOfTheScores) {
  const Folder folder;
  const auto m = made();
  for (const std::string precision : {"double", "float"}) {
    const json r =
        report_of(folder, shipped, {"--model", folder.path("m.json"), "--test", shipped, "--precision", precision});
    const auto printed = run({"predict", folder.path("m.json"), shipped, "--scores"});
    const auto rows = lines(printed.output);
    ASSERT_EQ(rows.size(), 121u);
    EXPECT_EQ(rows[0], "label,0,1,2,3,4,5");
    double wrong = 0, right = 0, judged = 0;
    for (std::size_t i = 0; i < 120; ++i) {
      std::istringstream fields(rows[i + 1]);
      std::string field;
      std::getline(fields, field, ',');
      const auto label = std::stoul(field);
      std::vector<double> z;
      while (std::getline(fields, field, ',')) z.push_back(std::stod(field));
      const auto& set = m.of[i];
      if (set.empty() || set.size() == 6) continue;
      const auto inside = [&](std::size_t k) { return std::find(set.begin(), set.end(), k) != set.end(); };
      double pairs = 0, bad = 0;
      for (std::size_t a = 0; a < 6; ++a)
        for (std::size_t b = 0; b < 6; ++b)
          if (inside(a) && !inside(b)) {
            ++pairs;
            bad += z[a] <= z[b];
          }
      wrong += bad / pairs;
      right += inside(label);
      ++judged;
    }
    for (const std::string where : {"train", "test"}) {
      EXPECT_NEAR(r[where + "_ranking_loss"].get<double>(), wrong / judged, 1e-12);
      EXPECT_NEAR(r[where + "_top_accuracy"].get<double>(), right / judged, 1e-12);
      EXPECT_EQ(r[where + "_accuracy"], r[where + "_top_accuracy"]);
      EXPECT_EQ(r[where + "_without_pairs"], 11);
      EXPECT_TRUE(r[where + "_macro_f1"].is_null());
    }
    EXPECT_TRUE(r["confusion"].is_null());
    EXPECT_EQ(r["test_unseen"], 0);
  }
}

TEST(Multilabel, OtherLossesHaveNoRanking) {
  const Folder folder;
  ASSERT_EQ(run({"train", std::string(TAMIS_TEST_DATA) + "/iris.csv", "--loss", "squared-hinge", "--penalty", "l1",
                 "--lambda", "0.05", "--quiet", "--report", folder.path("r.json")})
                .code,
            0);
  const json r = json::parse(folder.read("r.json"));
  for (const char* key : {"train_ranking_loss", "train_top_accuracy", "train_without_pairs", "test_ranking_loss"})
    EXPECT_TRUE(r.contains(key) && r[key].is_null()) << key;
}

TEST(Multilabel, CsvAndLabelsOfAnyKindAreTheSameProblem) {
  const Folder folder;
  const auto m = made();
  const double objective = report_of(folder, shipped, {"--tolerance", "1e-7"})["objective"];
  const std::vector<std::string> numbers{"-3", "7", "20", "100", "101", "5000"};
  const std::vector<std::string> words{"ant", "bee", "cow", "dog", "eel", "fox"};
  for (const auto& names : {numbers, words})
    for (const bool csv : {false, true}) {
      const auto path = folder.write(csv ? "a.csv" : "a.svm", as_text(m, names, csv));
      std::vector<std::string> more{"--tolerance", "1e-7", "--model", folder.path("m.json")};
      if (csv) more.push_back("--no-header");
      EXPECT_NEAR(report_of(folder, path, more)["objective"].get<double>(), objective, 2e-7 * objective);
      EXPECT_EQ(json::parse(folder.read("m.json"))["classes"], json(names));
      EXPECT_EQ(json::parse(folder.read("m.json"))["loss"], "ranking-squared-hinge");
    }
}

TEST(Multilabel, SingleLabelsAreTheSquaredHinge) {
  const Folder folder;
  const std::string wine = std::string(TAMIS_TEST_DATA) + "/wine.csv";
  const json ranked = report_of(folder, wine, {"--standardise", "--tolerance", "1e-7"});
  ASSERT_EQ(run({"train", wine, "--loss", "squared-hinge", "--penalty", "l1", "--lambda", "0.1", "--standardise",
                 "--tolerance", "1e-7", "--quiet", "--report", folder.path("s.json")})
                .code,
            0);
  const json squared = json::parse(folder.read("s.json"));
  const double objective = squared["objective"];
  EXPECT_NEAR(ranked["objective"].get<double>(), objective, 2e-7 * objective);
  EXPECT_EQ(ranked["train_accuracy"], squared["train_accuracy"]);
}

TEST(Multilabel, RowsWithoutFeaturesAndColumnsOfZerosDoNoHarm) {
  const Folder folder;
  const auto path = folder.write("a.svm", "1,2 1:1 2:0\n2,3 1:-1\n1\n3 2:0 3:0.5 4:0\n2\n");
  const json r = report_of(folder, path, {"--model", folder.path("m.json")});
  EXPECT_EQ(r["status"], "converged");
  EXPECT_EQ(r["samples"], 5);
  EXPECT_EQ(r["features"], 4);
  const json model = json::parse(folder.read("m.json"));
  for (const auto& kept : model["coefficients"]["indices"]) EXPECT_TRUE(kept != 1 && kept != 3);
}

TEST(Multilabel, PredictsTheBestOrTheBestFew) {
  const Folder folder;
  report_of(folder, shipped, {"--model", folder.path("m.json")});
  const auto model = folder.path("m.json");
  const auto best = lines(run({"predict", model, shipped}).output);
  const auto three = lines(run({"predict", model, shipped, "--top", "3"}).output);
  const auto scores = lines(run({"predict", model, shipped, "--scores"}).output);
  ASSERT_EQ(best.size(), 120u);
  ASSERT_EQ(three.size(), 120u);
  for (std::size_t i = 0; i < 120; ++i) {
    EXPECT_EQ(three[i].size(), 5u);
    EXPECT_EQ(three[i].substr(0, 1), best[i]);
    std::vector<double> z;
    std::istringstream fields(scores[i + 1]);
    std::string field;
    std::getline(fields, field, ',');
    while (std::getline(fields, field, ',')) z.push_back(std::stod(field));
    EXPECT_GE(z[three[i][0] - '0'], z[three[i][2] - '0']);
    EXPECT_GE(z[three[i][2] - '0'], z[three[i][4] - '0']);
    EXPECT_EQ(std::count_if(z.begin(), z.end(), [&](double x) { return x > z[three[i][4] - '0']; }), 2);
  }
  // Lines without labels are samples too.
  const auto bare = folder.write("bare.svm", "1:0.5 3:1\n2:1\n");
  EXPECT_EQ(lines(run({"predict", model, bare}).output).size(), 2u);
  const auto refused = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"predict", model, shipped};
    all.insert(all.end(), more.begin(), more.end());
    const auto outcome = run(all);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.output, "");
    return outcome.error;
  };
  EXPECT_NE(refused({"--top", "7"}).find("--top: the model has no more than 6 classes"), std::string::npos);
  EXPECT_NE(refused({"--top", "2", "--scores"}).find("give one"), std::string::npos);
  refused({"--top", "0"});
  // Of a model for one label each: several labels in the data are refused, the best few are not.
  const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";
  ASSERT_EQ(run({"train", iris, "--loss", "hinge", "--penalty", "l1", "--lambda", "0.05", "--quiet", "--model",
                 folder.path("iris.json")})
                .code,
            0);
  EXPECT_EQ(lines(run({"predict", folder.path("iris.json"), iris, "--top", "3"}).output).size(), 150u);
  const auto several = run({"predict", folder.path("iris.json"), folder.write("s.svm", "0 1:1\n0,1 1:2\n")});
  EXPECT_EQ(several.code, 3);
  EXPECT_NE(several.error.find("s.svm, line 2: '0,1' are several labels"), std::string::npos);
}

TEST(Multilabel, NamesWithCommasAreQuotedAmongTheBest) {
  const Folder folder;
  const auto path = folder.write("a.csv", "\"red, dark\";blue,1\nblue,2\n\"green\",-1\nblue;green,0\n");
  EXPECT_EQ(with("train", path, {"--lambda", "0.1"}).code, 3) << "text follows the closing quote";
  const auto quoted = folder.write("b.csv", "\"red, dark;blue\",1\nblue,2\ngreen,-1\nblue;green,0\n");
  report_of(folder, quoted, {"--no-header", "--model", folder.path("m.json")});
  EXPECT_NE(run({"predict", folder.path("m.json"), quoted, "--no-header", "--top", "3"}).output.find("\"red, dark\""),
            std::string::npos);
}

TEST(Multilabel, UnseenLabelsCountAsRankedLast) {
  const Folder folder;
  const auto train = folder.write("a.svm", "1 1:1\n2 1:-1\n3 2:1\n1,3 1:1 2:1\n");
  // 9 was not trained on. Of {1, 9} and {2, 3} of {1, 2, 3} each: one of two rows of pairs is wrong, then whatever the
  // scores say; {9} alone is wrong throughout; a sample without labels is not judged.
  const auto test = folder.write("t.svm", "1,9 1:1\n9 2:1\n1:1\n");
  const auto outcome = with("train", train, {"--lambda", "0.01", "--test", test, "--report", folder.path("r.json")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.error.find("2 of 3 test samples have labels that were not trained on: counted as ranked last"),
            std::string::npos);
  const json r = json::parse(folder.read("r.json"));
  EXPECT_EQ(r["test_unseen"], 2);
  EXPECT_EQ(r["test_without_pairs"], 1);
  EXPECT_EQ(r["train_ranking_loss"], 0);
  EXPECT_DOUBLE_EQ(r["test_ranking_loss"].get<double>(), (0.5 + 1) / 2);
  EXPECT_DOUBLE_EQ(r["test_top_accuracy"].get<double>(), 0.5);
}

TEST(Multilabel, HoldsOutAndWeighs) {
  const Folder folder;
  const json held = report_of(folder, shipped, {"--hold-out", "1/4"});
  EXPECT_NEAR(held["samples"].get<double>(), 90, 6);
  EXPECT_FALSE(held["test_ranking_loss"].is_null());
  std::string ones, halves;
  for (int i = 0; i < 120; ++i) {
    ones += "1\n";
    halves += i % 2 ? "1\n" : "3\n";
  }
  const double objective = report_of(folder, shipped)["objective"];
  const auto weighted = [&](const std::string& text) {
    return report_of(folder, shipped, {"--sample-weights", folder.write("w", text)})["objective"].get<double>();
  };
  EXPECT_EQ(weighted(ones), objective);
  EXPECT_NE(weighted(halves), objective);
  EXPECT_NE(report_of(folder, shipped, {"--margin", "0.5"})["objective"], objective);
}

TEST(Multilabel, OtherLossesRefuseIt) {
  for (const char* loss : {"hinge", "squared-hinge", "logistic", "one-vs-rest-squared-hinge"}) {
    const auto outcome = run({"train", shipped, "--loss", loss, "--penalty", "l1", "--lambda", "0.1"});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.error.find("ranking.libsvm, line 1: '0,2' are several labels, which are for the loss "
                                 "ranking-squared-hinge alone"),
              std::string::npos)
        << outcome.error;
  }
}

TEST(Multilabel, RefusesWhatMakesNoSense) {
  const std::string good = "1,2 1:1\n2,3 1:-1\n3 2:1\n1 2:-1\n";
  EXPECT_EQ(refusal(2, good, {"--class-weights", "balanced"}),
            "--class-weights: samples with several labels have no one class to take the weight of");
  EXPECT_EQ(refusal(2, good, {"--plot-confusion", "c.svg"}),
            "--plot-confusion: with several labels per sample there is no confusion matrix");
  for (const char* solver : {"primal-dual", "two-phase", "crammer-singer-dual", "primal-dual-as-printed"})
    EXPECT_TRUE(
        refusal(2, good, {"--solver", solver})
            .starts_with(std::string("--solver ") + solver + " with --loss ranking-squared-hinge: this solver"));
  EXPECT_EQ(refusal(3, "1:1\n2:1\n"), "a.svm: no sample has a label");
  EXPECT_EQ(refusal(3, "1 1:1\n2:1\n"), "a.svm: all 1 samples have the label '1': training needs at least two classes");
  EXPECT_EQ(refusal(3, "1,2 1:1\n2:1\n"),
            "a.svm: every sample has all labels or none, so that there is nothing to rank");
  EXPECT_EQ(refusal(3, "1,2 1:1\n2,1,1 2:1\n"), "a.svm, line 2: label '1' is given twice");
  const std::string diverges =
      "': no sample of positive weight ranks it above another, or none below: its intercept would diverge; leave the "
      "label out, or use --no-intercept";
  EXPECT_EQ(refusal(3, "1,2 1:1\n2,3 1:-1\n2 2:1\n1,2 1:0.5\n"), "a.svm, label '2" + diverges) << "all have it";
  EXPECT_EQ(refusal(3, "1,2 1:1\n2 1:-1\n1 2:1\n1,2,3 1:0.5\n"), "a.svm, label '3" + diverges)
      << "only one that ranks nothing has it";
  const Folder folder;
  EXPECT_EQ(
      report_of(folder, folder.write("a.svm", "1,2 1:1\n2,3 1:-1\n2 2:1\n1,2 1:0.5\n"), {"--no-intercept"})["status"],
      "converged");
}

TEST(Multilabel, RefusesMoreSetsThanNumbers) {
  std::string text;
  for (int a = 0, lines = 0; lines <= 65536; ++a)
    for (int b = 0; b < a && lines <= 65536; ++b, ++lines)
      text += std::to_string(b) + "," + std::to_string(a) + " 1:1\n";
  EXPECT_EQ(refusal(3, text),
            "a.svm: more than 65536 different sets of labels, which is the most that the loss can number");
}

TEST(Multilabel, HasPathsAndFolds) {
  const Folder folder;
  const auto path = with("path", shipped, {"--lambdas", "5", "--model", folder.path("m.json"), "--tolerance", "1e-6"});
  ASSERT_EQ(path.code, 0) << path.error;
  const auto points = lines(path.output);
  ASSERT_EQ(points.size(), 5u);
  const json last = json::parse(points[4]);
  EXPECT_EQ(last["status"], "converged");
  const auto alone =
      with("train", shipped,
           {"--lambda", last["lambda"].dump(), "--tolerance", "1e-6", "--report", folder.path("r.json"), "--quiet"});
  ASSERT_EQ(alone.code, 0);
  const double objective = json::parse(folder.read("r.json"))["objective"];
  EXPECT_NEAR(last["objective"].get<double>(), objective, 2e-6 * objective);
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--refit"}, {"--unstratified", "--precision", "float"}, {"--measure", "loss"}}) {
    auto all = more;
    all.insert(all.end(), {"--lambdas", "4", "--folds", "3"});
    const auto cv = with("cv", shipped, all);
    ASSERT_EQ(cv.code, 0) << cv.error;
    const json chosen = json::parse(cv.output);
    EXPECT_LT(chosen["points"][3]["mean_error"], chosen["points"][0]["mean_error"]);
    EXPECT_TRUE(chosen["model"]["test_macro_f1"].is_null());
  }
  std::string subjects;
  for (int i = 0; i < 120; ++i) subjects += "s" + std::to_string(i / 6) + "\n";
  EXPECT_EQ(with("cv", shipped, {"--lambdas", "3", "--subjects", folder.write("s", subjects)}).code, 0);
  EXPECT_EQ(with("path", shipped, {"--solver", "forward-backward"}).code, 2);
}

TEST(Multilabel, FoldsKeepRareLabelsApart) {
  // Of each rare label there are two samples among many: dealt at random, one pair would be together half the time.
  auto m = made();
  for (const auto& [i, k] : {std::pair<int, int>{3, 6}, {50, 6}, {51, 7}, {52, 7}, {90, 8}, {91, 8}, {7, 9}, {100, 9}})
    m.of[i] = {0, static_cast<tamis::Label>(k)};
  const Folder folder;
  const auto rare = folder.write("rare.svm", m.text());
  for (const char* seed : {"0", "1", "2", "3", "4"})
    EXPECT_EQ(with("cv", rare, {"--lambdas", "2", "--folds", "2", "--seed", seed, "--quiet"}).code, 0) << seed;
  m.of[3] = {0};
  const auto single = with("cv", folder.write("one.svm", m.text()), {"--lambdas", "2", "--folds", "2", "--quiet"});
  EXPECT_EQ(single.code, 3);
  EXPECT_NE(single.error.find("label '6': without the samples of fold "), std::string::npos) << single.error;
  EXPECT_EQ(with("cv", folder.path("one.svm"), {"--lambdas", "2", "--folds", "2", "--quiet", "--no-intercept"}).code,
            0);
}

// ---- sets

TEST(LabelSets, ThresholdsMakeSetsOfScores) {
  const Folder folder;
  for (const char* kind : {"linear", "per-class"}) {
    const json r = report_of(folder, shipped, {"--thresholds", kind, "--model", folder.path("m.json")});
    const auto plain = run({"predict", folder.path("m.json"), shipped, "--scores"});
    const auto sets = run({"predict", folder.path("m.json"), shipped, "--sets"});
    ASSERT_EQ(sets.code, 0) << sets.error;
    const json model = json::parse(folder.read("m.json"));
    EXPECT_EQ(model["thresholds"]["kind"], kind);
    EXPECT_EQ(r["thresholds"], model["thresholds"]);
    const auto scored = lines(plain.output), predicted = lines(sets.output),
               given = lines([&] {
                 std::ifstream file(shipped);
                 return std::string(std::istreambuf_iterator<char>(file), {});
               }());
    ASSERT_EQ(scored.size(), predicted.size() + 1);
    const auto names = model["classes"].get<std::vector<std::string>>();
    const auto slopes = model["thresholds"]["slopes"].get<std::vector<double>>();
    const auto offsets = model["thresholds"]["offsets"].get<std::vector<double>>();
    std::size_t exact = 0, wrong = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      std::istringstream row(scored[i + 1]);
      std::string cell;
      std::getline(row, cell, ',');
      std::vector<double> z;
      while (std::getline(row, cell, ',')) z.push_back(std::stod(cell));
      double shift = 0;
      for (std::size_t k = 0; k < z.size(); ++k) shift += slopes[k] * z[k];
      std::string set;
      const std::string labels = "," + given[i].substr(0, given[i].find(' ')) + ",";
      std::size_t off = 0;
      for (std::size_t k = 0; k < z.size(); ++k) {
        const bool inside = z[k] > shift + offsets[k];
        if (inside) set += (set.empty() ? "" : ",") + names[k];
        off += inside != (labels.find("," + names[k] + ",") != std::string::npos);
      }
      EXPECT_EQ(predicted[i], set);
      wrong += off;
      exact += off == 0;
    }
    EXPECT_EQ(r["train_sets_right"], exact);
    EXPECT_NEAR(r["train_hamming_loss"].get<double>(),
                static_cast<double>(wrong) / static_cast<double>(predicted.size() * names.size()), 1e-12);
    EXPECT_LT(r["train_hamming_loss"], 0.35);
    EXPECT_GT(r["train_micro_f1"], 0.5);
  }
}

TEST(LabelSets, ThresholdsAreRefusedWhereTheyMeanNothing) {
  const Folder folder;
  report_of(folder, shipped, {"--model", folder.path("m.json")});
  const auto outcome = run({"predict", folder.path("m.json"), shipped, "--sets"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.error.find("--sets: the model has no thresholds"), std::string::npos) << outcome.error;
  report_of(folder, shipped, {"--thresholds", "linear", "--model", folder.path("t.json")});
  const auto both = run({"predict", folder.path("t.json"), shipped, "--sets", "--scores"});
  EXPECT_EQ(both.code, 2);
  EXPECT_NE(both.error.find("give one"), std::string::npos);
  const auto other = run(
      {"train", shipped, "--loss", "squared-hinge", "--penalty", "l1", "--lambda", "0.1", "--thresholds", "linear"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.error.find("it is for ranking-squared-hinge"), std::string::npos) << other.error;
  const auto unknown = with("train", shipped, {"--lambda", "0.1", "--thresholds", "soft"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.error.find("'soft' is not one of"), std::string::npos) << unknown.error;
}

}  // namespace
