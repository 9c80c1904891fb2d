// Signals become features of windows, in training and in models: against values worked out independently with numpy.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "data.hpp"
#include "errors.hpp"
#include "support/command.hpp"
#include "windows_step.hpp"

namespace {

using nlohmann::json;
using tamis::cli::parse_windows;
using tamis::cli::Table;
using tamis::cli::WindowsStep;
using tamis::testing::Folder;
using tamis::testing::run;

using Row = std::vector<double>;

std::string shown(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

/// A table of samples, given row by row.
Table table_of(const std::vector<Row>& rows) {
  Table out;
  out.path = "rows";
  out.samples = rows.size();
  out.features = rows.at(0).size();
  for (std::size_t j = 0; j < out.features; ++j)
    for (const auto& row : rows) out.values.push_back(row[j]);
  for (std::size_t i = 0; i < rows.size(); ++i) out.lines.push_back(i + 1);
  return out;
}

std::vector<Row> rows_of(const Table& table) {
  std::vector<Row> out(table.samples);
  for (std::size_t j = 0; j < table.features; ++j)
    for (std::size_t i = 0; i < table.samples; ++i) out[i].push_back(table.values[j * table.samples + i]);
  return out;
}

/// Reading i of two channels: the numbers of the unit test.
double made(std::size_t i, std::size_t channel) {
  return channel == 0 ? static_cast<double>(i * 37 % 101) / 32 - 1.5 + static_cast<double>(i % 5) * 0.25
                      : static_cast<double>(i * i * 13 % 97) / 64 - 0.75;
}

/// Signals of two channels that differ in how fast and how far they swing, not in any one reading; by classes 0 to 2.
std::string swings(std::size_t samples, bool by_channel, std::size_t seed = 0) {
  std::string out = "y";
  for (int j = 0; j < 96; ++j) out += ",r" + std::to_string(j);
  out += '\n';
  for (std::size_t i = 0; i < samples; ++i) {
    const std::size_t k = i % 3;
    const double phase = static_cast<double>(i * 37 % 101 + seed), size = k == 2 ? 3 : 1, speed = k == 0 ? 0.3 : 1.1;
    const auto at = [&](std::size_t t, std::size_t c) {
      const double noise = static_cast<double>((i * 71 + t * 53 + c * 29 + seed) % 97) / 97 - 0.5;
      return (c == 0 ? size : 1) * std::sin(speed * static_cast<double>(t) + phase) + noise;
    };
    out += std::to_string(k);
    for (std::size_t e = 0; e < 96; ++e) out += "," + shown(by_channel ? at(e % 48, e / 48) : at(e / 2, e % 2));
    out += '\n';
  }
  return out;
}

std::vector<std::string> train(const Folder& folder, const std::string& data, const std::vector<std::string>& more) {
  std::vector<std::string> out{
      "train", data,          "--loss", "squared-hinge", "--penalty",           "l1",       "--lambda",
      "0.01",  "--tolerance", "1e-5",   "--model",       folder.path("m.json"), "--report", folder.path("r.json")};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& sentence) {
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.error;
  EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  EXPECT_EQ(lines_of(outcome.error).size(), 1u) << "one sentence: " << outcome.error;
  EXPECT_EQ(outcome.output, "");
}

TEST(SensorWindowsStep, FeaturesOfNumpy) {
  Row interleaved, by_channel(80);
  for (std::size_t t = 0; t < 40; ++t)
    for (std::size_t c = 0; c < 2; ++c) {
      interleaved.push_back(made(t, c));
      by_channel[c * 40 + t] = made(t, c);
    }
  WindowsStep step = parse_windows("12,hop=5,channels=2,bands=3");
  Table table = table_of({interleaved, interleaved});
  step.fit(table);
  EXPECT_EQ(step.inputs(), 80u);
  EXPECT_EQ(step.features(), 6u * 14u);
  step.apply(table);
  const auto rows = rows_of(table);
  EXPECT_EQ(rows[0], rows[1]);
  const Row first{0.299479166667,  1.03953884236,  1.17032877604,  6, 0.58766551088,   0.434760199653,  0.0582152942415,
                  -0.141927083333, 0.399964309796, 0.180114746094, 4, 0.0999672729558, 0.0486958821615, 0.011308293993},
      fifth{0.541666666667, 0.994068781853, 1.28157552083,  8, 0.205077006342,  0.722439236111, 0.0606565006025,
            0.125,          0.421633804508, 0.193400065104, 6, 0.0114705724813, 0.104271782769, 0.0620327098537};
  for (std::size_t e = 0; e < 14; ++e) {
    EXPECT_NEAR(rows[0][e], first[e], 6e-12) << e;
    EXPECT_NEAR(rows[0][4 * 14 + e], fifth[e], 6e-12) << e;
  }
  EXPECT_EQ(table.feature_names[0], "t0/c0/mean");
  EXPECT_EQ(table.feature_names[4 * 14 + 8], "t20/c1/deviation");
  EXPECT_EQ(table.feature_names.back(), "t25/c1/band2");

  WindowsStep other = parse_windows("12,by-channel,bands=3,channels=2,hop=5");
  Table turned = table_of({by_channel});
  other.fit(turned);
  other.apply(turned);
  EXPECT_EQ(rows_of(turned)[0], rows[0]);
}

TEST(SensorWindowsStep, HopsAreWindowsLongUnlessGiven) {
  WindowsStep step = parse_windows("4");
  Table table = table_of({{1, 2, 3, 4, 5, 6, 7, 9, 100}});
  step.fit(table);
  step.apply(table);
  EXPECT_EQ(table.features, 8u) << "what is left over has no window";
  EXPECT_EQ(rows_of(table)[0][0], 2.5);
  EXPECT_EQ(rows_of(table)[0][4], 6.75);
}

TEST(SensorWindowsStep, ModelsTakeSignals) {
  for (const bool by_channel : {false, true}) {
    const Folder folder;
    const auto data = folder.write("t.csv", swings(120, by_channel)),
               others = folder.write("u.csv", swings(60, by_channel, 5));
    const std::string windows = std::string("24,hop=12,channels=2,bands=4") + (by_channel ? ",by-channel" : "");
    ASSERT_EQ(run(train(folder, data, {"--windows", windows, "--standardise", "--test", others, "--quiet"})).code, 0);
    const double accuracy = json::parse(folder.read("r.json"))["test_accuracy"];
    EXPECT_GT(accuracy, 0.9);
    const auto predicted = run({"predict", folder.path("m.json"), others});
    ASSERT_EQ(predicted.code, 0) << predicted.error;
    const auto labels = lines_of(predicted.output), truth = lines_of(folder.read("u.csv"));
    int right = 0;
    for (std::size_t i = 0; i < 60; ++i) right += labels.at(i)[0] == truth.at(i + 1)[0];
    EXPECT_EQ(right / 60.0, accuracy) << "predict makes the windows that train made";
    const json m = json::parse(folder.read("m.json"));
    EXPECT_EQ(m["feature_count"], 3 * 16);
    EXPECT_EQ(m["preparation"]["windows"]["readings"], 48);
    EXPECT_EQ(m["preparation"]["windows"]["columns"].size(), 96u);
    ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "json", "--output", folder.path("n.json")}).code, 0);
    EXPECT_EQ(folder.read("n.json"), folder.read("m.json")) << "read and written again";

    ASSERT_EQ(run(train(folder, data, {"--test", others, "--quiet"})).code, 0);
    EXPECT_LT(json::parse(folder.read("r.json"))["test_accuracy"].get<double>(), 0.7) << "no reading tells by itself";
  }
}

TEST(SensorWindowsStep, AfterTheStepsThatAreDoneToReadings) {
  const Folder folder;
  const auto data = folder.write("t.csv", swings(60, false));
  ASSERT_EQ(run(train(folder, data,
                      {"--windows", "16,channels=2", "--scale", "0.5", "--normalise", "max", "--min-max", "--precision",
                       "float", "--quiet"}))
                .code,
            0);
  EXPECT_EQ(lines_of(run({"predict", folder.path("m.json"), data}).output).size(), 60u);
  auto text = folder.read("t.csv");
  text.replace(text.find("\n0,") + 3, 1, "NA,0");
  const auto missing =
      folder.write("u.csv", text.substr(0, text.find(",r95")) + ",r95,r96" + text.substr(text.find(",r95") + 4));
  expect_refused(train(folder, missing, {"--windows", "16", "--missing", "mean"}), 3, "fields found");
}

TEST(SensorWindowsStep, UpdatesPathsAndFolds) {
  const Folder folder;
  const auto data = folder.write("t.csv", swings(90, false));
  for (const std::string command : {"path", "cv"}) {
    const auto outcome =
        run({command, data, "--windows", "24,hop=12,channels=2,bands=4", "--standardise", "--loss", "squared-hinge",
             "--penalty", "l1", "--lambdas", "5", "--model", folder.path("m.json"), "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
  }
  const auto updated = run(
      {"update", folder.path("m.json"), folder.write("u.csv", swings(60, false, 3)), "--model", folder.path("v.json")});
  ASSERT_EQ(updated.code, 0) << updated.error;
  EXPECT_EQ(json::parse(folder.read("v.json"))["preparation"]["windows"],
            json::parse(folder.read("m.json"))["preparation"]["windows"]);
  EXPECT_EQ(run({"predict", folder.path("v.json"), data}).code, 0);
}

TEST(SensorWindowsStep, HeadersTakeTheFeatures) {
  const Folder folder;
  const auto data = folder.write("t.csv", swings(90, false));
  ASSERT_EQ(run(train(folder, data, {"--windows", "24,channels=2,bands=4", "--standardise", "--quiet"})).code, 0);
  const auto m = folder.path("m.json");
  expect_refused({"export", m, "--format", "arduino"}, 2,
                 "the model takes window features, which the sketch cannot make of signals of 48 readings");
  const auto outcome = run({"export", m, "--format", "c", "--output", folder.path("m.h")});
  ASSERT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("the header takes 32 window features"), std::string::npos) << outcome.error;
  EXPECT_NE(
      folder.read("m.h").find("tamis::SensorWindows with the options\n   {.length = 24, .hop = 24, .channels = 2, "
                              ".bands = 4},\n   of signals of 48 readings with 2 channels"),
      std::string::npos);
  folder.write("main.c", "#include \"m.h\"\nint main(void) { return m_self_test(); }\n");
  EXPECT_EQ(std::system((std::string(TAMIS_TEST_COMPILER) + " -x c -std=c99 -o " + folder.path("main") + " " +
                         folder.path("main.c") + " -lm && " + folder.path("main"))
                            .c_str()),
            0)
      << "the self-test has features of training samples";
}

// ---- refusals ----

TEST(SensorWindowsStep, WhatIsRefused) {
  const Folder folder;
  const auto data = folder.write("t.csv", swings(30, false));
  const auto refused = [&](const std::string& windows, const std::string& sentence,
                           const std::vector<std::string>& more = {}) {
    auto arguments = train(folder, data, {"--windows", windows});
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_refused(arguments, 2, sentence);
    EXPECT_FALSE(std::filesystem::exists(folder.path("m.json"))) << "nothing written";
  };
  refused("64,channels=2", "--windows: a window of 64 readings is longer than the 48 of a sample");
  refused("8,channels=5", "the 96 features of " + data + " are not whole readings of 5 channels");
  refused("8,hop=0", "--windows: the hop is 0");
  refused("0", "--windows: a window has 1 to 2^24 readings");
  refused("8,bands=5", "--windows: there are more bands than frequencies");
  refused("8,channels=0", "--windows: a reading has 1 to 65536 channels");
  refused("x", "--windows: 'x' is not a number of readings");
  refused("-8", "--windows: '-8' is not a number of readings");
  refused("8,hop", "'hop' is not one of hop=N, channels=N, bands=N, by-channel");
  refused("8,hop=2,hop=3", "--windows: hop is given twice");
  refused("8,hop=99999999999", "'hop=99999999999' is not one of");
  refused("8", "--windows and --scattering both make features", {"--scattering", "96"});
  refused("8", "--windows is for numbers", {"--text", "tf-idf"});
  const auto sparse = folder.write("t.svm", "0 1:1 2:1\n1 1:2\n");
  expect_refused(train(folder, sparse, {"--windows", "1"}), 2, "--windows would fill the zeros of sparse data");
  const auto large = folder.write("l.csv", "y,a,b\n0,1,2\n1,1e200,3\n");
  expect_refused(train(folder, large, {"--windows", "2"}), 3, "line 3: numbers are too large for windows");
}

TEST(SensorWindowsStep, ModelsRefuseOtherSignalsAndDamage) {
  const Folder folder;
  const auto data = folder.write("t.csv", swings(30, false));
  ASSERT_EQ(run(train(folder, data, {"--windows", "8,channels=2", "--quiet"})).code, 0);
  const auto m = folder.path("m.json");
  expect_refused({"predict", m, folder.write("n.csv", "1,2,3\n4,5,6\n")}, 3, "96 expected");
  std::string named = folder.read("t.csv");
  named.replace(named.find("r7"), 2, "r_");
  expect_refused({"predict", m, folder.write("n.csv", named)}, 3, "'r7' is expected here");
  const json good = json::parse(folder.read("m.json"));
  const auto refused = [&](const char* part, const json& value, const std::string& sentence) {
    json bad = good;
    bad["preparation"]["windows"][part] = value;
    expect_refused({"predict", folder.write("bad.json", bad.dump()), data}, 3, sentence);
  };
  refused("hop", 0, "has impossible windows: the hop is 0");
  refused("hop", 4, "has not as many features as its windows give");
  refused("length", 64, "has impossible windows: a window is longer than the signal");
  refused("bands", -1, "has impossible windows: bands is not a whole number");
  refused("readings", 47, "has parts of different lengths");
  refused("taper", 1, "has options of windows that this command does not know");
  refused("by_channel", 3, "lacks a part of a model, or has one of the wrong type");
}

}  // namespace
