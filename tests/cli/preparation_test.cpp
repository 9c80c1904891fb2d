// What train does to samples before it solves, and that a model does the same to the samples it meets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/command.hpp"

namespace {

using nlohmann::json;
using tamis::testing::Folder;
using tamis::testing::run;

const std::string iris = std::string(TAMIS_TEST_DATA) + "/iris.csv";
const std::string wine = std::string(TAMIS_TEST_DATA) + "/wine.csv";

/// A labelled CSV as text, the label first.
struct Sheet {
  std::string head = "y,a,b,c";
  std::vector<std::vector<std::string>> rows;

  std::string text(std::size_t first = 0, std::size_t last = 1000) const {
    std::string out = head + "\n";
    for (std::size_t i = first; i < std::min(last, rows.size()); ++i)
      for (std::size_t j = 0; j < rows[i].size(); ++j) out += rows[i][j] + (j + 1 < rows[i].size() ? "," : "\n");
    return out;
  }
};

std::string shown(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

/// Three classes, positive features over two decades.
Sheet sheet(std::size_t samples = 60) {
  Sheet out;
  for (std::size_t i = 0; i < samples; ++i) {
    const auto t = static_cast<double>(i * 37 % 101) / 101;
    const std::size_t y = i % 3;
    out.rows.push_back({std::to_string(y), shown(std::pow(10.0, t + 0.3 * static_cast<double>(y))),
                        shown(1 + t + (y == 1 ? 0.9 : 0)), shown(40 * t * t + (y == 2 ? 25 : 1))});
  }
  return out;
}

std::vector<std::string> train(const std::string& data, const Folder& folder, std::vector<std::string> more,
                               const std::string& loss = "squared-hinge", const std::string& lambda = "0.01") {
  const bool single = std::find(more.begin(), more.end(), "float") != more.end();
  std::vector<std::string> out{"train",       data,
                               "--loss",      loss,
                               "--penalty",   "l1",
                               "--lambda",    lambda,
                               "--tolerance", single ? "1e-4" : "1e-7",
                               "--model",     folder.path("m.json"),
                               "--report",    folder.path("r.json")};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

json report(const Folder& folder) { return json::parse(folder.read("r.json")); }
json model(const Folder& folder) { return json::parse(folder.read("m.json")); }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// The share of predictions that are the labels of the sheet.
double accuracy(const std::string& predictions, const Sheet& truth, std::size_t first = 0) {
  const auto predicted = lines_of(predictions);
  double right = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) right += predicted[i] == truth.rows[first + i][0];
  return right / static_cast<double>(predicted.size());
}

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& sentence) {
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.code, code);
  EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  EXPECT_EQ(lines_of(outcome.error).size(), 1u) << "one sentence: " << outcome.error;
  EXPECT_EQ(outcome.output, "");
}

// ---- each step ----

/// Two tables of numbers below one line of heads.
void expect_near(const std::string& a, const std::string& b, double tolerance) {
  const auto rows = lines_of(a), others = lines_of(b);
  ASSERT_EQ(rows.size(), others.size());
  ASSERT_GT(rows.size(), 1u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::stringstream x(rows[i]), y(others[i]);
    for (std::string u, v; std::getline(x, u, ',') && std::getline(y, v, ',');)
      EXPECT_NEAR(std::stod(u), std::stod(v), tolerance) << rows[i] << " | " << others[i];
  }
}

/// A table of scores less their mean in each line: what all classes have in common is nothing to the loss, and with
/// samples of sum 1 to the penalty either.
std::string centred(const std::string& table) {
  const auto rows = lines_of(table);
  std::string out = rows.at(0);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    std::stringstream fields(rows[i]);
    std::string field;
    std::getline(fields, field, ',');
    out += "\n" + field;
    std::vector<double> scores;
    double mean = 0;
    while (std::getline(fields, field, ',')) scores.push_back(std::stod(field));
    for (const double score : scores) mean += score / static_cast<double>(scores.size());
    for (const double score : scores) out += "," + shown(score - mean);
  }
  return out;
}

/// Scores of `arguments` on raw data equal those of plain training on data prepared here.
void expect_same_as_by_hand(const Sheet& raw, const Sheet& by_hand, const std::vector<std::string>& arguments) {
  const Folder folder, other;
  ASSERT_EQ(run(train(folder.write("d.csv", raw.text()), folder, arguments)).code, 0);
  ASSERT_EQ(run(train(other.write("d.csv", by_hand.text()), other, {})).code, 0);
  EXPECT_NEAR(report(folder)["objective"].get<double>(), report(other)["objective"].get<double>(), 1e-6);
  expect_near(centred(run({"predict", folder.path("m.json"), folder.path("d.csv"), "--scores"}).output),
              centred(run({"predict", other.path("m.json"), other.path("d.csv"), "--scores"}).output), 1e-3);
}

template <class Step>
Sheet each_sample(Sheet sheet, const Step& step) {
  for (auto& row : sheet.rows) {
    std::vector<double> x;
    for (std::size_t j = 1; j < row.size(); ++j) x.push_back(std::stod(row[j]));
    step(x);
    for (std::size_t j = 1; j < row.size(); ++j) row[j] = shown(x[j - 1]);
  }
  return sheet;
}

TEST(Preparation, LogarithmsBetweenBounds) {
  const auto by_hand = each_sample(sheet(), [](std::vector<double>& x) {
    for (double& v : x) v = std::log10(std::min(std::max(v, 1.5), 30.0));
  });
  expect_same_as_by_hand(sheet(), by_hand, {"--log", "1.5:30"});
}

TEST(Preparation, NormsOfSamples) {
  for (const std::string norm : {"l1", "l2", "max"}) {
    const auto by_hand = each_sample(sheet(), [&](std::vector<double>& x) {
      double size = 0;
      for (const double v : x)
        size = norm == "l1" ? size + std::abs(v) : norm == "l2" ? std::hypot(size, v) : std::max(size, std::abs(v));
      for (double& v : x) v /= size;
    });
    expect_same_as_by_hand(sheet(), by_hand, {"--normalise", norm});
  }
}

TEST(Preparation, MinMaxIsFoldedIntoTheCoefficients) {
  Sheet raw = sheet();
  raw.head += ",constant";
  for (auto& row : raw.rows) row.push_back("7.5");
  double least[4] = {1e9, 1e9, 1e9, 7.5}, most[4] = {-1e9, -1e9, -1e9, 8.5};
  for (const auto& row : raw.rows)
    for (std::size_t j = 0; j < 3; ++j) {
      least[j] = std::min(least[j], std::stod(row[j + 1]));
      most[j] = std::max(most[j], std::stod(row[j + 1]));
    }
  const auto by_hand = each_sample(raw, [&](std::vector<double>& x) {
    for (std::size_t j = 0; j < 4; ++j) x[j] = (x[j] - least[j]) / (most[j] - least[j]);
  });
  expect_same_as_by_hand(raw, by_hand, {"--min-max"});

  const Folder folder;
  ASSERT_EQ(run(train(folder.write("d.csv", raw.text()), folder, {"--min-max"})).code, 0);
  const json m = model(folder);
  EXPECT_TRUE(m["standardisation"].is_null());
  for (const char* key : {"missing_means", "log", "normalise"}) EXPECT_TRUE(m["preparation"][key].is_null()) << key;
  for (std::size_t r = 0; r < m["features"].size(); ++r) {
    const auto j = m["coefficients"]["indices"][r].get<std::size_t>();
    EXPECT_EQ(m["preparation"]["min_max"]["min"][r], least[j]);
    EXPECT_EQ(m["preparation"]["min_max"]["scale"][r], most[j] - least[j]);
  }
}

TEST(Preparation, StepsInTheOrderOfTheirDescription) {
  const auto by_hand = each_sample(sheet(), [](std::vector<double>& x) {
    double size = 0;
    for (double& v : x) size += v = std::log10(std::min(std::max(v / 0.5, 1.5), 30.0));
    for (double& v : x) v /= size;
  });
  expect_same_as_by_hand(sheet(), by_hand, {"--normalise", "l1", "--log", "1.5:30", "--scale", "0.5"});
}

TEST(Preparation, MissingValuesGetTheMeanOfTheTrainingSamples) {
  Sheet raw = sheet(100), by_hand = sheet(100);
  const char* texts[] = {"", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "null", "NULL", "None", "-", "?"};
  double total = 0, count = 0;
  for (std::size_t i = 0; i < raw.rows.size(); ++i)
    if (i % 7 != 3) {
      total += std::stod(raw.rows[i][3]);
      ++count;
    }
  for (std::size_t i = 3; i < raw.rows.size(); i += 7) {
    raw.rows[i][3] = texts[i / 7 % 12];
    by_hand.rows[i][3] = shown(total / count);
  }
  expect_same_as_by_hand(raw, by_hand, {"--missing", "mean"});

  const Folder folder;
  ASSERT_EQ(run(train(folder.write("d.csv", raw.text()), folder, {"--missing", "mean"})).code, 0);
  const json m = model(folder);
  const auto& indices = m["coefficients"]["indices"];
  const auto r = static_cast<std::size_t>(std::find(indices.begin(), indices.end(), 2) - indices.begin());
  EXPECT_NEAR(m["preparation"]["missing_means"][r].get<double>(), total / count, 1e-13);
}

TEST(Preparation, WhatIsMissingAmongNumbersIsALabelAmongLabels) {
  Sheet raw = sheet();
  for (auto& row : raw.rows) row[0] = row[0] == "0" ? "null" : "-";
  const Folder folder;
  ASSERT_EQ(run(train(folder.write("d.csv", raw.text()), folder, {"--missing", "mean"})).code, 0);
  EXPECT_EQ(model(folder)["classes"], (json{"-", "null"}));
}

TEST(Preparation, NothingIsLearnedFromTestSamples) {
  Sheet raw = sheet();
  raw.rows[4][2] = "?";
  const Folder folder, other;
  const std::vector<std::string> steps{"--missing", "mean", "--log", "1:30", "--normalise", "l2", "--min-max"};
  auto with_test = steps;
  with_test.insert(with_test.end(), {"--test", folder.write("t.csv", raw.text(45) + "1,1e9,-1e9,?\n")});
  ASSERT_EQ(run(train(folder.write("d.csv", raw.text(0, 45)), folder, with_test)).code, 0);
  ASSERT_EQ(run(train(folder.path("d.csv"), other, steps)).code, 0);
  EXPECT_EQ(folder.read("m.json"), other.read("m.json"));
}

// ---- from training to prediction ----

TEST(Preparation, AModelPredictsAsItDidInTraining) {
  Sheet raw = sheet(90);
  raw.head += ",constant";
  for (auto& row : raw.rows) row.push_back("5");
  for (std::size_t i = 0; i < 90; i += 11) raw.rows[i][1 + i % 3] = "NA";
  const std::vector<std::vector<std::string>> choices{
      {"--missing", "mean"},
      {"--missing", "mean", "--standardise"},
      {"--missing", "mean", "--min-max"},
      {"--missing", "mean", "--log", "1:40"},
      {"--missing", "mean", "--normalise", "l2"},
      {"--missing", "mean", "--log", "2:40", "--normalise", "max", "--standardise", "--scale", "0.25"},
      {"--missing", "mean", "--log", "1:40", "--normalise", "l1", "--min-max", "--precision", "float"}};
  for (const auto& more : choices) {
    const Folder folder;
    const auto data = folder.write("d.csv", raw.text(0, 60)), test = folder.write("t.csv", raw.text(60));
    auto arguments = train(data, folder, more);
    arguments.insert(arguments.end(), {"--test", test, "--quiet"});
    const auto outcome = run(arguments);
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const json r = report(folder);
    EXPECT_GT(r["train_accuracy"], 0.7);
    const auto own = run({"predict", folder.path("m.json"), data}),
               unseen = run({"predict", folder.path("m.json"), test});
    ASSERT_EQ(own.code, 0) << own.error;
    EXPECT_DOUBLE_EQ(accuracy(own.output, raw), r["train_accuracy"].get<double>());
    EXPECT_DOUBLE_EQ(accuracy(unseen.output, raw, 60), r["test_accuracy"].get<double>());
    EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "json"}).output, folder.read("m.json"));
  }
}

TEST(Preparation, OffsetsAndUnitsDoNoHarmOnceColumnsAreScaled) {
  const Sheet raw = sheet();
  Sheet moved = raw;
  for (auto& row : moved.rows) {
    row[1] = shown(100 + std::stod(row[1]));
    row[2] = shown(1e4 * std::stod(row[2]));
    row[3] = shown(100 + 1e-4 * std::stod(row[3]));
  }
  for (const std::string step : {"--standardise", "--min-max"}) {
    const Folder a, b;
    ASSERT_EQ(run(train(a.write("d.csv", raw.text()), a, {step})).code, 0);
    ASSERT_EQ(run(train(b.write("d.csv", moved.text()), b, {step})).code, 0);
    EXPECT_NEAR(report(a)["objective"].get<double>(), report(b)["objective"].get<double>(), 1e-8);
    expect_near(run({"predict", a.path("m.json"), a.path("d.csv"), "--scores"}).output,
                run({"predict", b.path("m.json"), b.path("d.csv"), "--scores"}).output, 1e-5);
  }
}

TEST(Preparation, NormsOfSparseSamplesAreThoseOfDenseOnes) {
  std::string svm, csv = "y,a,b,c\n";
  for (int i = 0; i < 40; ++i) {
    const int a = i * 7 % 5, b = i * 3 % 4 == 0 ? i % 9 : 0, c = i % 3 == 0 ? 2 + i % 2 : 0, y = (a + b + 2 * c) % 3;
    svm += std::to_string(y) + (a ? " 1:" + std::to_string(a) : "") + (b ? " 2:" + std::to_string(b) : "") +
           (c ? " 3:" + std::to_string(c) : "") + "\n";
    csv += std::to_string(y) + "," + std::to_string(a) + "," + std::to_string(b) + "," + std::to_string(c) + "\n";
  }
  const std::vector<std::vector<std::string>> choices{{"--normalise", "l1"},
                                                      {"--normalise", "l2"},
                                                      {"--normalise", "max"},
                                                      {"--min-max"},
                                                      {"--normalise", "l2", "--min-max"}};
  for (const auto& more : choices) {
    const Folder s, d;
    ASSERT_EQ(run(train(s.write("d.svm", svm), s, more)).code, 0);
    ASSERT_EQ(run(train(d.write("d.csv", csv), d, more)).code, 0);
    EXPECT_NEAR(report(s)["objective"].get<double>(), report(d)["objective"].get<double>(), 1e-6);
    EXPECT_EQ(run({"predict", s.path("m.json"), s.path("d.svm")}).output,
              run({"predict", d.path("m.json"), d.path("d.csv")}).output);
    EXPECT_EQ(run({"predict", s.path("m.json"), d.path("d.csv")}).output,
              run({"predict", d.path("m.json"), d.path("d.csv")}).output);
  }
}

// ---- what is refused ----

TEST(Preparation, RefusesOptionsThatMakeNoSense) {
  const Folder folder;
  const auto refused = [&](std::vector<std::string> more, const std::string& sentence, const std::string& data = iris) {
    expect_refused(train(data, folder, more), 2, sentence);
  };
  refused({"--missing", "median"}, "--missing: 'median' is not one of refuse, mean");
  refused({"--normalise", "l3"}, "--normalise: 'l3' is not one of l1, l2, max");
  refused({"--log", "5"}, "--log: '5' is not of the form LOW:HIGH");
  refused({"--log", "0:5"}, "--log: '0:5' is not LOW:HIGH with 0 < LOW < HIGH");
  refused({"--log", "5:5"}, "0 < LOW < HIGH");
  refused({"--log", "1:many"}, "--log: 'many' is not a finite number");
  refused({"--standardise", "--min-max"}, "--standardise and --min-max both scale the columns: give one");
  const auto svm = folder.write("d.svm", "0 1:1\n1 2:1\n");
  refused({"--missing", "mean"}, "--missing mean would fill the zeros of sparse data", svm);
  refused({"--log", "1:2"}, "--log would fill the zeros of sparse data", svm);
  refused({"--min-max", "--no-intercept"}, "--min-max with --no-intercept would fill the zeros", svm);
  EXPECT_EQ(folder.files(), 1u) << "nothing is written";
}

TEST(Preparation, MissingValuesAreAcceptedOnlyWithAMean) {
  const Folder folder;
  const auto data = folder.write("d.csv", "y,a,b\n0,1,2\n1,,3\n0,1,4\n1,5,6\n");
  expect_refused(train(data, folder, {}), 3, "d.csv, line 3, column 2 (a): missing value, remove the row");
  ASSERT_EQ(run(train(data, folder, {"--missing", "mean"})).code, 0);
  EXPECT_EQ(run({"predict", folder.path("m.json"), data}).code, 0);
  ASSERT_EQ(run(train(iris, folder, {})).code, 0);
  expect_refused({"predict", folder.path("m.json"), folder.write("p.csv", "1,2,3,4\n1,?,3,4\n")}, 3,
                 "p.csv, line 2, column 2: missing value '?'");

  expect_refused(train(folder.write("e.csv", "y,a,b\n0,1,?\n1,2,NA\n"), folder, {"--missing", "mean"}), 3,
                 "e.csv, feature 2 (b): no training sample has a value");
  expect_refused(train(folder.write("l.csv", "y,a\n0,1\n,2\n"), folder, {"--missing", "mean"}), 3,
                 "l.csv, line 3, column 1 (y): missing label");
  expect_refused(train(folder.write("w.csv", "y,a\n0,1\n1,inf\n"), folder, {"--missing", "mean"}), 3,
                 "w.csv, line 3, column 2 (a): 'inf' is not finite");
}

TEST(Preparation, SparseSamplesOfAModelWithLogarithmsAreRefused) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, folder, {"--log", "1:10"})).code, 0);
  const auto svm = folder.write("d.svm", "0 1:1\n1 2:1\n");
  expect_refused({"predict", folder.path("m.json"), svm}, 3, "d.svm: the samples are sparse, but --log would fill");
  ASSERT_EQ(run(train(iris, folder, {"--missing", "mean"})).code, 0);
  expect_refused({"predict", folder.path("m.json"), svm}, 3, "but --missing mean would fill");
}

TEST(Preparation, OtherColumnsThanThoseOfTheTrainingDataAreRefused) {
  const Folder folder;
  const auto data = folder.write("d.csv", sheet().text());
  const auto refused = [&](const std::string& head, const std::string& sentence) {
    Sheet test = sheet(9);
    const auto columns = static_cast<std::size_t>(std::count(head.begin(), head.end(), ',')) + 1;
    test.head = head;
    for (auto& row : test.rows) row.resize(columns, "1");
    const auto file = folder.write("t.csv", test.text());
    expect_refused(train(data, folder, {"--test", file}), 3, sentence);
  };
  const std::string rule = "the features must be those of the training data in their order";
  refused("y,a,c,b", "t.csv, line 1, column 3 (c): 'b' is expected here, " + rule + "\n");
  refused("y,a,b,d", "t.csv, line 1, column 4 (d): 'c' is expected here");
  refused("y,b,c", "column 2 (b): 'a' is expected here, " + rule + ": 2 features found, 3 expected");
  refused("y,a,b", "t.csv, line 1: 'c' is missing, " + rule + ": 2 features found");
  refused("y,a,b,c,d", "column 5 (d): not trained on, " + rule + ": 4 features found");

  ASSERT_EQ(run(train(data, folder, {})).code, 0);
  Sheet permuted = sheet(9);
  permuted.head = "y,b,a,c";
  EXPECT_EQ(run({"predict", folder.path("m.json"), data}).code, 0);
  expect_refused({"predict", folder.path("m.json"), folder.write("p.csv", permuted.text())}, 3, "is expected here");
  permuted.head = "who,a,b,c";
  EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write("p.csv", permuted.text())}).code, 0);
}

TEST(Preparation, DamagedModelsAreRefused) {
  const Folder folder;
  Sheet raw = sheet();
  raw.rows[0][1] = "?";
  const auto data = folder.write("d.csv", raw.text());
  ASSERT_EQ(run(train(data, folder, {"--missing", "mean", "--log", "1:40", "--normalise", "l1", "--min-max"})).code, 0);
  const json good = model(folder);
  const auto predict = [&](const json& model) {
    return std::vector<std::string>{"predict", folder.write("x.json", model.dump()), data};
  };
  ASSERT_EQ(run(predict(good)).code, 0);
  const auto refused = [&](const std::string& at, const json& value, const std::string& sentence) {
    json broken = good;
    broken[json::json_pointer(at)] = value;
    expect_refused(predict(broken), 3, "x.json: " + sentence);
  };
  const std::string type = "lacks a part of a model, or has one of the wrong type",
                    lengths = "has parts of different lengths";
  refused("/preparation", "log", type);
  refused("/preparation", json::object(), type);
  refused("/preparation", 3, type);
  refused("/preparation/missing_means", {1}, lengths);
  refused("/preparation/missing_means", {1, nullptr, 2}, type);
  refused("/preparation/missing_means", "none", type);
  refused("/preparation/log", {1}, lengths);
  refused("/preparation/log", {0, 1}, "has impossible bounds of the logarithm");
  refused("/preparation/log", {3, 2}, "has impossible bounds of the logarithm");
  refused("/preparation/normalise", "l7", "has an unknown norm");
  refused("/preparation/normalise", 1, type);
  refused("/preparation/min_max", {{"min", {1}}}, lengths);
  refused("/preparation/whiten", true, "has a preparation 'whiten' that this command does not know");
  refused("/self_test/0", {1, 2}, lengths);

  json old = good;  // of before there was a preparation
  ASSERT_EQ(run(train(iris, folder, {"--standardise"})).code, 0);
  old = model(folder);
  const auto expected = run({"predict", folder.path("m.json"), iris}).output;
  EXPECT_TRUE(old["preparation"].is_null());
  old.erase("preparation");
  EXPECT_EQ(run({"predict", folder.write("x.json", old.dump()), iris}).output, expected);
}

// ---- what is said about test samples ----

TEST(Evaluation, LabelsThatWereNotTrainedOnCountAsWrong) {
  const Folder folder;
  const auto data = folder.write("d.csv", sheet().text());
  Sheet test = sheet(12);
  test.rows[4][0] = "cat";
  test.rows[7][0] = "dog";
  const auto file = folder.write("t.csv", test.text());
  const auto outcome = run(train(data, folder, {"--test", file}));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.error,
            "2 of 12 test samples have labels that were not trained on (first: 'cat', line 6): counted as wrong\n");
  const json r = report(folder);
  EXPECT_EQ(r["test_unseen"], 2);
  int known = 0, right = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      known += r["confusion"][i][k].get<int>();
      right += i == k ? r["confusion"][i][k].get<int>() : 0;
    }
  EXPECT_EQ(known, 10);
  EXPECT_DOUBLE_EQ(r["test_accuracy"].get<double>(), right / 12.0);
  EXPECT_EQ(run(train(data, folder, {"--test", file, "--quiet"})).error, "");
  ASSERT_EQ(run(train(data, folder, {"--test", file}, "logistic")).code, 0);
  EXPECT_TRUE(report(folder)["test_log_loss"].is_null()) << "infinite";
  ASSERT_EQ(run(train(data, folder, {"--test", data})).code, 0);
  EXPECT_EQ(report(folder)["test_unseen"], 0);
}

/// The mean of the classes' F1 by its definition.
double macro_f1(const json& confusion) {
  double total = 0;
  for (std::size_t k = 0; k < confusion.size(); ++k) {
    double hits = confusion[k][k], row = 0, column = 0;
    for (std::size_t i = 0; i < confusion.size(); ++i) {
      row += confusion[k][i].get<double>();
      column += confusion[i][k].get<double>();
    }
    const double precision = hits / column, recall = hits / row;
    total += 2 * precision * recall / (precision + recall);
  }
  return total / static_cast<double>(confusion.size());
}

TEST(Evaluation, MacroF1IsTheMeanOverClasses) {
  const Folder folder;
  ASSERT_EQ(run(train(wine, folder, {}, "squared-hinge", "0.2")).code, 0);
  json r = report(folder);
  EXPECT_NEAR(r["train_macro_f1"].get<double>(), macro_f1(r["confusion"]), 1e-12);
  EXPECT_LT(r["train_macro_f1"], 1);
  EXPECT_NE(r["train_macro_f1"], r["train_accuracy"]);
  EXPECT_TRUE(r["test_macro_f1"].is_null());
  ASSERT_EQ(run(train(wine, folder, {"--hold-out", "1/3"}, "squared-hinge", "0.2")).code, 0);
  r = report(folder);
  EXPECT_NEAR(r["test_macro_f1"].get<double>(), macro_f1(r["confusion"]), 1e-12);
  EXPECT_TRUE(r["test_log_loss"].is_null()) << "of logistic models alone";
}

TEST(Evaluation, ProbabilitiesAndTheirLogLoss) {
  const Folder folder;
  const auto data = folder.write("d.csv", sheet().text());
  ASSERT_EQ(run(train(data, folder, {"--test", data}, "logistic")).code, 0);
  const auto scores = lines_of(run({"predict", folder.path("m.json"), data, "--scores"}).output);
  const auto probabilities = lines_of(run({"predict", folder.path("m.json"), data, "--probabilities"}).output);
  ASSERT_EQ(probabilities.size(), 61u);
  EXPECT_EQ(probabilities[0], "label,0,1,2");
  double loss = 0;
  for (std::size_t i = 1; i < 61; ++i) {
    double z[4], p[4];
    ASSERT_EQ(std::sscanf(scores[i].c_str(), "%lf,%lf,%lf,%lf", z, z + 1, z + 2, z + 3), 4);
    ASSERT_EQ(std::sscanf(probabilities[i].c_str(), "%lf,%lf,%lf,%lf", p, p + 1, p + 2, p + 3), 4);
    EXPECT_EQ(p[0], z[0]) << "the label";
    const double total = std::exp(z[1]) + std::exp(z[2]) + std::exp(z[3]);
    for (int k = 1; k < 4; ++k) EXPECT_NEAR(p[k], std::exp(z[k]) / total, 1e-12);
    loss -= std::log(p[1 + (i - 1) % 3]) / 60;
  }
  EXPECT_NEAR(report(folder)["train_log_loss"].get<double>(), loss, 1e-10);
  EXPECT_NEAR(report(folder)["test_log_loss"].get<double>(), loss, 1e-10);

  expect_refused({"predict", folder.path("m.json"), data, "--probabilities", "--scores"}, 2, "give one");
  ASSERT_EQ(run(train(data, folder, {})).code, 0);
  expect_refused({"predict", folder.path("m.json"), data, "--probabilities"}, 2,
                 "trained with the loss squared-hinge, and only logistic gives probabilities");
}

TEST(Evaluation, CoefficientsAsATable) {
  const Folder folder;
  Sheet raw = sheet();
  raw.head = "y,\"a,1\",noise,c";
  for (std::size_t i = 0; i < raw.rows.size(); ++i) raw.rows[i][2] = "3";
  const auto data = folder.write("d.csv", raw.text());
  for (const std::string precision : {"double", "float"}) {
    ASSERT_EQ(run(train(data, folder, {"--coefficients", folder.path("c.csv"), "--precision", precision})).code, 0);
    const json m = model(folder);
    const auto table = lines_of(folder.read("c.csv"));
    ASSERT_EQ(table.size(), 4u);
    EXPECT_EQ(table[0], "feature,0,1,2");
    const auto expect_line = [&](std::size_t i, const std::string& name, const json& numbers) {
      ASSERT_EQ(table[i].substr(0, name.size() + 1), name + ",");
      std::stringstream rest(table[i].substr(name.size() + 1));
      for (const auto& expected : numbers) {
        std::string number;
        ASSERT_TRUE(std::getline(rest, number, ','));
        EXPECT_EQ(std::stod(number), expected.get<double>());
      }
      EXPECT_TRUE(rest.eof());
    };
    expect_line(1, "\"a,1\"", m["coefficients"]["values"][0]);
    expect_line(2, "c", m["coefficients"]["values"][1]);
    expect_line(3, "(intercept)", m["intercept"]);
  }
  ASSERT_EQ(
      run(train(folder.write("n.csv", "0,1\n1,2\n0,1\n1,3\n"), folder, {"--coefficients", folder.path("c.csv")})).code,
      0);
  EXPECT_EQ(lines_of(folder.read("c.csv"))[1].substr(0, 2), "0,") << "its index without names";
}

// ---- the exported header ----

/// Predictions of the exported header on the rows of a sheet.
std::string exported_predictions(const Folder& folder, const Sheet& data, const std::string& precision,
                                 const std::string& language) {
  EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--precision", precision,
                 "--output", folder.path("exported.h")})
                .code,
            0);
  std::string program = "#include <stdio.h>\n#include <math.h>\n#include \"exported.h\"\nstatic const " + precision +
                        " x[" + std::to_string(data.rows.size()) + "][EXPORTED_FEATURES] = {\n";
  for (const auto& row : data.rows) {
    program += "{";
    for (std::size_t j = 1; j < row.size(); ++j)
      program += (row[j] == "?" ? "NAN" : "(" + precision + ")" + row[j]) + ",";
    program += "},\n";
  }
  program += "};\nint main(void) { int i; if (exported_self_test()) return 1;\n  for (i = 0; i < " +
             std::to_string(data.rows.size()) +
             "; ++i) puts(exported_labels[exported_predict(x[i])]);\n  return 0; }\n";
  folder.write("use.c", program);
  const std::string binary = folder.path("use");
  EXPECT_EQ(std::system((std::string(TAMIS_TEST_COMPILER) + " -x " + language +
                         " -O1 -Wall -Wextra -Werror -pedantic " + folder.path("use.c") + " -o " + binary + " -lm")
                            .c_str()),
            0);
  EXPECT_EQ(std::system((binary + " > " + folder.path("out")).c_str()), 0) << "the self-test passes";
  return folder.read("out");
}

TEST(PreparedHeader, PredictsRawSamplesAsTheCommandDoes) {
  Sheet raw = sheet(90);
  raw.head += ",noise";
  for (std::size_t i = 0; i < 90; ++i) raw.rows[i].push_back(shown(static_cast<double>(i % 2) / 1e4 + 0.001));
  for (std::size_t i = 0; i < 90; i += 11) raw.rows[i][1 + i % 4] = "?";
  const std::vector<std::vector<std::string>> choices{
      {"--missing", "mean", "--scale", "4"},
      {"--missing", "mean", "--log", "1:40", "--standardise"},
      {"--missing", "mean", "--normalise", "l1", "--scale", "4"},
      {"--missing", "mean", "--normalise", "l2", "--min-max"},
      {"--missing", "mean", "--normalise", "max"},
      {"--missing", "mean", "--log", "1:10", "--scale", "4", "--normalise", "l2", "--standardise"}};
  for (auto more : choices) {
    const Folder folder;
    const auto data = folder.write("d.csv", raw.text());
    more.insert(more.end(), {"--max-iterations", "300"});  // any model will do
    ASSERT_EQ(run(train(data, folder, more)).code, 0);
    ASSERT_LT(model(folder)["features"].size(), 5u);
    const auto expected = run({"predict", folder.path("m.json"), data}).output;
    EXPECT_EQ(exported_predictions(folder, raw, "float", "c -std=c99"), expected) << more[2] << more[3];
    EXPECT_EQ(exported_predictions(folder, raw, "double", "c++ -std=c++17"), expected) << more[2] << more[3];

    std::string header = folder.read("exported.h");  // the self-test bites
    const auto body = header.find("exported_prepared(double x, int j) {");
    ASSERT_NE(body, std::string::npos);
    header.insert(header.find("return x;", body), "x = -x + 1; ");
    folder.write("exported.h", header);
    ASSERT_EQ(std::system((std::string(TAMIS_TEST_COMPILER) + " -x c " + folder.path("use.c") + " -o " +
                           folder.path("use") + " -lm")
                              .c_str()),
              0);
    EXPECT_NE(std::system((folder.path("use") + " > /dev/null").c_str()), 0);
  }
}

TEST(PreparedHeader, TheSketchReadsWhatTheNormNeeds) {
  const Folder folder;
  ASSERT_EQ(run(train(iris, folder, {"--normalise", "l2"})).code, 0);
  const auto whole = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "m"}).output;
  EXPECT_NE(whole.find("j < M_FEATURES"), std::string::npos);
  EXPECT_EQ(whole.find("predict_kept"), std::string::npos);
  ASSERT_EQ(run(train(iris, folder, {"--log", "1:10"})).code, 0);
  const auto kept = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "m"}).output;
  EXPECT_NE(kept.find("m_labels[m_predict_kept(m_sample)]"), std::string::npos);
  EXPECT_NE(kept.find("log10f"), std::string::npos);
  ASSERT_EQ(run(train(iris, folder, {"--standardise"})).code, 0);
  EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "c"}).output.find("prepared"), std::string::npos);
}

TEST(Preparation, ColumnsOfVeryDifferentScaleAreNamedOnce) {
  const Folder folder;
  Sheet data = sheet();
  EXPECT_EQ(run(train(folder.write("a.csv", data.text()), folder, {})).error, "");
  for (auto& row : data.rows) row[1] = shown(1e7 * std::stod(row[1]));
  const std::string file = folder.write("b.csv", data.text());
  const std::string said = run(train(file, folder, {})).error;
  EXPECT_NE(said.find("by a factor of about 1e"), std::string::npos) << said;
  EXPECT_NE(said.find("--standardise"), std::string::npos) << said;
  EXPECT_EQ(run(train(file, folder, {"--standardise"})).error, "");
  EXPECT_EQ(run(train(file, folder, {"--quiet"})).error, "");
}

TEST(Preparation, ColumnsOfVeryDifferentScaleAreNamedInSparseData) {
  const Folder folder;
  std::string even, uneven, rare;  // columns of one size, of two, and of another size in few samples alone
  const auto rows = sheet().rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string start = rows[i][0] + " 1:" + rows[i][1] + " 2:";
    even += start + rows[i][2] + "\n";
    uneven += start + shown(1e7 * std::stod(rows[i][2])) + "\n";
    rare += start + (i % 30 == 0 ? "1e7\n" : "0\n");
  }
  EXPECT_EQ(run(train(folder.write("even.svm", even), folder, {})).error, "");
  EXPECT_EQ(run(train(folder.write("rare.svm", rare), folder, {})).error, "");
  const std::string file = folder.write("uneven.svm", uneven);
  const std::string said = run(train(file, folder, {})).error;
  EXPECT_NE(said.find("by a factor of about 1e"), std::string::npos) << said;
  EXPECT_EQ(run(train(file, folder, {"--standardise"})).error, "");
}

}  // namespace
