// --scattering: what the command makes of images and signals, that models do it again by themselves, and what is
// refused.
#include "tamis/features/scattering.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "tamis/features/signal_scattering.hpp"

namespace {

using nlohmann::json;
using tamis::Index;
using tamis::testing::Folder;
using tamis::testing::run;

/// Samples with their labels, and what the columns are called.
struct Sheet {
  std::vector<std::string> labels, names;
  std::vector<std::vector<double>> rows;

  std::string text(std::size_t first = 0, std::size_t last = ~std::size_t(0)) const {
    std::string out;
    if (!names.empty()) {
      out = "label";
      for (const auto& name : names) out += "," + name;
      out += "\n";
    }
    for (std::size_t i = first; i < std::min(last, rows.size()); ++i) {
      out += labels[i];
      for (const double x : rows[i]) {
        char number[40];
        std::snprintf(number, sizeof number, ",%.17g", x);
        out += number;
      }
      out += "\n";
    }
    return out;
  }
};

/// The first 8×8 digits, those of the first three classes.
Sheet digits(std::size_t samples = 60) {
  Sheet out;
  std::ifstream in(std::string(TAMIS_TEST_DATA) + "/digits.csv");
  std::string line, field;
  for (std::getline(in, line); std::getline(in, line) && out.rows.size() < samples;) {
    std::stringstream fields(line);
    std::getline(fields, field, ',');
    if (field > "2") continue;
    out.labels.push_back(field);
    auto& row = out.rows.emplace_back();
    while (std::getline(fields, field, ',')) row.push_back(std::stod(field));
  }
  for (int p = 0; p < 64; ++p) out.names.push_back("p" + std::to_string(p));
  return out;
}

/// Three kinds of oscillations of 40 entries.
Sheet oscillations(std::size_t samples = 45) {
  Sheet out;
  for (std::size_t i = 0; i < samples; ++i) {
    out.labels.push_back(std::to_string(i % 3));
    auto& row = out.rows.emplace_back();
    for (int t = 0; t < 40; ++t)
      row.push_back(std::cos(0.25 * t * static_cast<double>(1 + i % 3) + static_cast<double>(i)) +
                    0.3 * std::cos(1.7 * static_cast<double>(i * i) + t * t));
  }
  return out;
}

template <class Transform, class Options>
Sheet scattered(Sheet sheet, Options options) {
  options.by_position = true;
  struct alignas(tamis::Arena::alignment) Line {
    std::byte bytes[tamis::Arena::alignment];
  };
  Transform transform(options);
  std::vector<Line> memory(Transform::requirement(options).bytes / sizeof(Line) + 1);
  EXPECT_TRUE(transform.start({memory.data()->bytes, memory.size() * sizeof(Line)}));
  for (auto& row : sheet.rows) {
    std::vector<double> out(options.coefficients());
    EXPECT_TRUE(transform.transform(row, out));
    row = out;
  }
  sheet.names.clear();
  return sheet;
}
Sheet scattered(const Sheet& sheet, const tamis::ScatteringOptions& options) {
  return scattered<tamis::ScatteringTransform<double>>(sheet, options);
}
Sheet scattered(const Sheet& sheet, const tamis::SignalScatteringOptions& options) {
  return scattered<tamis::SignalScatteringTransform<double>>(sheet, options);
}

std::vector<std::string> train(const std::string& data, const Folder& folder, const std::vector<std::string>& more,
                               const std::string& penalty = "l1", const std::string& tolerance = "1e-2") {
  std::vector<std::string> out{
      "train", data,          "--loss",  "squared-hinge", "--penalty",           penalty,    "--lambda",
      "0.05",  "--tolerance", tolerance, "--model",       folder.path("m.json"), "--report", folder.path("r.json")};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}
json report(const Folder& folder) { return json::parse(folder.read("r.json")); }
json model(const Folder& folder) { return json::parse(folder.read("m.json")); }

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& sentence) {
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.code, code) << outcome.error;
  EXPECT_NE(outcome.error.find(sentence), std::string::npos) << outcome.error;
  EXPECT_EQ(outcome.error.find('\n') + 1, outcome.error.size()) << "one sentence: " << outcome.error;
  EXPECT_EQ(outcome.output, "");
}

/// Raw data with `step` give the very coefficients that features made here give without.
void expect_same_as_by_hand(const Sheet& raw, const Sheet& by_hand, std::vector<std::string> step,
                            const std::vector<std::string>& both, const std::string& penalty = "l1") {
  const Folder folder, other;
  step.insert(step.end(), both.begin(), both.end());
  const auto outcome = run(train(folder.write("d.csv", raw.text()), folder, step, penalty));
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  ASSERT_EQ(run(train(other.write("d.csv", by_hand.text()), other, both, penalty)).code, 0);
  const json with = model(folder), without = model(other);
  EXPECT_EQ(with["feature_count"], without["feature_count"]);
  for (const char* part : {"coefficients", "intercept", "standardisation"})
    EXPECT_EQ(with[part], without[part]) << part;
  for (const char* part : {"objective", "features", "nonzeros", "train_accuracy", "data_bytes"})
    EXPECT_EQ(report(folder)[part], report(other)[part]) << part;
  const auto own = run({"predict", folder.path("m.json"), folder.path("d.csv"), "--scores"});
  ASSERT_EQ(own.code, 0) << own.error;
  EXPECT_EQ(own.output, run({"predict", other.path("m.json"), other.path("d.csv"), "--scores"}).output);
}

// ---- features -------------------------------------------------------------------------------------------------------

TEST(ScatteringStep, ImagesBecomeTheirCoefficientsPositionByPosition) {
  expect_same_as_by_hand(digits(), scattered(digits(), tamis::ScatteringOptions{.height = 8, .width = 8}),
                         {"--scattering", "8x8"}, {"--groups", "blocks:81", "--solver", "fista"}, "group-linf");
  expect_same_as_by_hand(
      digits(),
      scattered(digits(),
                tamis::ScatteringOptions{
                    .height = 4, .width = 16, .scales = 1, .orientations = 6, .order = 1, .oversampling = 1}),
      {"--scattering", "4x16,orientations=6,scales=1,order=1,oversampling=1"}, {"--standardise"});
}

TEST(ScatteringStep, SignalsBecomeTheirCoefficients) {
  expect_same_as_by_hand(oscillations(), scattered(oscillations(), tamis::SignalScatteringOptions{.length = 40}),
                         {"--scattering", "40"}, {});
  expect_same_as_by_hand(
      oscillations(),
      scattered(
          oscillations(),
          tamis::SignalScatteringOptions{.length = 40, .scales = 3, .per_octave = 4, .order = 1, .oversampling = 2}),
      {"--scattering", "40,scales=3,per-octave=4,order=1,oversampling=2"}, {"--min-max", "--precision", "float"});
}

TEST(ScatteringStep, StepsGoInTheOrderOfTheirDescription) {
  Sheet by_hand = digits();
  for (auto& row : by_hand.rows) {
    double most = 0;
    for (double& x : row) {
      x = std::log10(std::min(std::max(x / 4, 1.0), 3.0));
      most = std::max(most, x);
    }
    for (double& x : row) x /= most;
  }
  const Folder folder, other;
  ASSERT_EQ(run(train(folder.write("d.csv", digits().text()), folder,
                      {"--standardise", "--scattering", "8x8,scales=1", "--normalise", "max", "--log", "1:3", "--scale",
                       "4"},
                      "l1", "1e-9"))
                .code,
            0);
  by_hand = scattered(by_hand, tamis::ScatteringOptions{.height = 8, .width = 8, .scales = 1});
  ASSERT_EQ(run(train(other.write("d.csv", by_hand.text()), other, {"--standardise"}, "l1", "1e-9")).code, 0);
  EXPECT_NEAR(report(folder)["objective"].get<double>(), report(other)["objective"].get<double>(), 1e-7);
}

TEST(ScatteringStep, FeaturesAreCalledByPositionAndPath) {
  const Folder folder;
  ASSERT_EQ(
      run(train(folder.write("d.csv", digits().text()), folder, {"--scattering", "8x8,oversampling=1"}, "ridge")).code,
      0);
  json names = model(folder)["features"];
  ASSERT_EQ(names.size(), 16u * 81u);
  EXPECT_EQ(names[0], "y0x0");
  EXPECT_EQ(names[1], "y0x0/j0l0");
  EXPECT_EQ(names[16], "y0x0/j1l7");
  EXPECT_EQ(names[17], "y0x0/j0l0/j1l0");
  EXPECT_EQ(names[80], "y0x0/j0l7/j1l7");
  EXPECT_EQ(names[81], "y0x2");
  EXPECT_EQ(names[81 * 4 + 5], "y2x0/j0l4");
  EXPECT_EQ(names[81 * 15 + 17 + 8 * 3 + 2], "y6x6/j0l3/j1l2");

  ASSERT_EQ(
      run(train(folder.write("s.csv", oscillations().text()), folder, {"--scattering", "40,scales=3"}, "ridge")).code,
      0);
  const tamis::SignalScatteringOptions options{.length = 40, .scales = 3};
  names = model(folder)["features"];
  ASSERT_EQ(names.size(), options.coefficients());
  EXPECT_EQ(names[0], "t0");
  EXPECT_EQ(names[options.lines() + 2], "t8/w1");
  const auto last = options.path(options.lines() - 1);
  EXPECT_EQ(names.back(), "t32/w" + std::to_string(last.wavelet) + "/v" + std::to_string(last.second_wavelet));
}

// ---- models ---------------------------------------------------------------------------------------------------------

TEST(ScatteringStep, ModelsDoItByThemselves) {
  for (const std::string precision : {"double", "float"}) {
    const Folder folder;
    const Sheet all = digits(90);
    const auto data = folder.write("d.csv", all.text(0, 60)), test = folder.write("t.csv", all.text(60));
    const auto outcome = run(train(data, folder,
                                   {"--scattering", "8x8", "--scale", "16", "--standardise", "--groups", "blocks:81",
                                    "--precision", precision, "--test", test, "--solver", "fista"},
                                   "group-linf"));
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    const json r = report(folder), m = model(folder);
    EXPECT_EQ(r["features"], 4 * 81);
    EXPECT_EQ(r["data_bytes"], 60 * 4 * 81 * (precision == "float" ? 4 : 8));
    EXPECT_GT(r["train_accuracy"], 0.9);
    EXPECT_EQ(m["preparation"]["scattering"]["columns"].size(), 64u);
    EXPECT_EQ(m["self_test"][0].size(), 64u) << "images, as they come";
    const auto predicted = run({"predict", folder.path("m.json"), test});
    ASSERT_EQ(predicted.code, 0) << predicted.error;
    std::stringstream lines(predicted.output);
    double right = 0;
    std::size_t i = 60;
    for (std::string line; std::getline(lines, line); ++i) right += line == all.labels[i];
    EXPECT_EQ(i, 90u);
    EXPECT_DOUBLE_EQ(right / 30, r["test_accuracy"].get<double>());
    EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "json"}).output, folder.read("m.json"));

    // Rows without labels, many of them: a prediction depends on its row alone.
    std::string many, expected;
    for (int times = 0; times < 9; ++times)
      for (std::size_t row = 60; row < 90; ++row) {
        Sheet one{{}, {}, {all.rows[row]}};
        one.labels = {"0"};
        many += one.text().substr(2);
      }
    for (int times = 0; times < 9; ++times) expected += predicted.output;
    EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write("many.csv", many)}).output, expected);

    const auto updated = run({"update", folder.path("m.json"), test, "--model", folder.path("u.json"), "--groups",
                              "blocks:81", "--passes", "5"});
    ASSERT_EQ(updated.code, 0) << updated.error;
    const json u = json::parse(folder.read("u.json"));
    EXPECT_EQ(u["preparation"], m["preparation"]);
    EXPECT_EQ(u["samples"], 60 + 5 * 30);
    for (std::size_t f = 0; f < u["features"].size(); ++f) {
      const auto at = u["coefficients"]["indices"][f].get<int>();
      const std::string place = "y" + std::to_string(at / 162 * 4) + "x" + std::to_string(at / 81 % 2 * 4);
      EXPECT_EQ(u["features"][f].get<std::string>().substr(0, 4), place);
    }
    EXPECT_EQ(run({"predict", folder.path("u.json"), test}).code, 0);
  }
}

TEST(ScatteringStep, PathsAndCrossValidationHaveItToo) {
  const Folder folder;
  const auto data = folder.write("d.csv", digits().text());
  for (const std::string command : {"path", "cv"}) {
    const auto outcome = run({command, data, "--scattering", "8x8,scales=1", "--loss", "squared-hinge", "--penalty",
                              "group-l2", "--lambdas", "5", "--model", folder.path("m.json"), "--quiet"});
    ASSERT_EQ(outcome.code, 0) << outcome.error;
    EXPECT_EQ(model(folder)["feature_count"], 16 * 9);
    EXPECT_EQ(model(folder)["preparation"]["scattering"]["scales"], 1);
    EXPECT_EQ(run({"predict", folder.path("m.json"), data}).code, 0);
  }
}

TEST(ScatteringStep, HeadersTakeFeaturesAndSaySo) {
  const Folder folder;
  const Sheet raw = digits();
  Sheet scaled = raw;
  for (auto& row : scaled.rows)
    for (double& x : row) x /= 16;
  const Sheet features = scattered(scaled, tamis::ScatteringOptions{.height = 8, .width = 8, .scales = 1});
  const auto data = folder.write("d.csv", raw.text());
  ASSERT_EQ(run(train(data, folder, {"--scattering", "8x8,scales=1", "--scale", "16"})).code, 0);
  const auto exported = run({"export", folder.path("m.json"), "--format", "c", "--name", "m"});
  ASSERT_EQ(exported.code, 0);
  EXPECT_NE(exported.error.find("the header takes 144 scattering features, not 8x8 images"), std::string::npos);
  EXPECT_EQ(exported.output.find("/* The features are scattering coefficients"), 0u);
  for (const char* part :
       {"tamis::ScatteringTransform",
        "{.height = 8, .width = 8, .scales = 1, .orientations = 8, .order = 2, .oversampling = 0, .by_position = true}",
        "divided by 16"})
    EXPECT_NE(exported.output.find(part), std::string::npos) << part;
  folder.write("m.h", exported.output);
  std::string program = "#include <stdio.h>\n#include \"m.h\"\nstatic const float x[60][144] = {\n";
  for (const auto& row : features.rows) {
    program += "{";
    for (const double x : row) program += "(float)" + std::to_string(x) + ",";
    program += "},\n";
  }
  folder.write("use.c", program +
                            "};\nint main(void) { int i; if (m_self_test()) return 1;\n"
                            "  for (i = 0; i < 60; ++i) puts(m_labels[m_predict(x[i])]);\n  return 0; }\n");
  const std::string binary = folder.path("use");
  ASSERT_EQ(std::system((std::string(TAMIS_TEST_COMPILER) + " -x c -std=c99 -Wall -Wextra -Werror -pedantic " +
                         folder.path("use.c") + " -o " + binary + " -lm")
                            .c_str()),
            0);
  EXPECT_EQ(std::system((binary + " > " + folder.path("out")).c_str()), 0);
  EXPECT_EQ(folder.read("out"), run({"predict", folder.path("m.json"), data}).output);
  expect_refused({"export", folder.path("m.json"), "--format", "arduino"}, 2,
                 "--format arduino: the model takes scattering features");
}

// ---- what is refused ------------------------------------------------------------------------------------------------

TEST(ScatteringStep, RefusesWhatMakesNoSense) {
  const Folder folder;
  const auto data = folder.write("d.csv", digits(20).text());
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    expect_refused(train(data, folder, {"--scattering", text}), 2, "--scattering: " + sentence);
  };
  refused("8x", "'8x' is neither HEIGHTxWIDTH of images nor LENGTH of signals, such as 28x28 or 512");
  refused("8x8x1", "'8x8x1' is neither");
  refused("-8x8", "'-8x8' is neither");
  refused("99999999999", "'99999999999' is neither");
  refused("8x8,scale=1", "'scale=1' is not one of scales=N, orientations=N, order=N, oversampling=N");
  refused("64,orientations=3", "'orientations=3' is not one of scales=N, per-octave=N, order=N, oversampling=N");
  refused("8x8,scales", "'scales' is not one of");
  refused("8x8,scales=two", "'scales=two' is not one of");
  refused("8x8,", "'' is not one of");
  refused("8x8,order=1,order=2", "order is given twice");
  refused("8x8,order=3", "the order of scattering is 0, 1 or 2");
  refused("8x8,oversampling=3", "scattering cannot be oversampled");
  refused("8x8,scales=4", "the image is smaller than 2^scales pixels");
  refused("6x10", "the sides of the image must be multiples of 2^scales pixels: crop or pad it");
  refused("8,scales=4", "the signal is shorter than 2^scales entries");
  refused("16384x16384,oversampling=2", "there would be more than 4294967295 features");
  refused("8x16", "8x16 images have 128 features, " + data + " has 64");
  refused("60", "signals of 60 entries have 60 features");
  const auto svm = folder.write("d.svm", "0 1:1 64:1\n1 2:1\n");
  expect_refused(train(svm, folder, {"--scattering", "8x8"}), 2, "--scattering would fill the zeros of sparse data");
  auto large = digits(20);
  large.rows[4][30] = 1e200;
  expect_refused(train(folder.write("l.csv", large.text()), folder, {"--scattering", "8x8"}), 3,
                 "l.csv, line 6: numbers are too large for scattering, divide them with --scale");
  EXPECT_EQ(folder.files(), 3u) << "nothing is written";

  ASSERT_EQ(run(train(data, folder, {"--scattering", "8x8"})).code, 0);
  const auto predict = [&](const std::string& file) {
    return std::vector<std::string>{"predict", folder.path("m.json"), file};
  };
  expect_refused(predict(svm), 3, "d.svm: the samples are sparse, but --scattering would fill their zeros");
  Sheet other = digits(3);
  for (auto& row : other.rows) row.resize(32);
  other.names.clear();
  expect_refused(predict(folder.write("w.csv", other.text())), 3, "64 expected");
  other = digits(3);
  std::swap(other.names[2], other.names[3]);
  expect_refused(predict(folder.write("n.csv", other.text())), 3, "'p2' is expected here");
  expect_refused(predict(folder.path("l.csv")), 3, "l.csv, line 6: numbers are too large");
}

TEST(ScatteringStep, DamagedModelsAreRefused) {
  const Folder folder;
  const auto data = folder.write("d.csv", digits().text());
  ASSERT_EQ(run(train(data, folder, {"--scattering", "8x8,scales=1"})).code, 0);
  const json good = model(folder);
  const auto predict = [&](const json& model) {
    return std::vector<std::string>{"predict", folder.write("x.json", model.dump()), data};
  };
  ASSERT_EQ(run(predict(good)).code, 0);
  const auto refused = [&](const std::string& at, const json& value, const std::string& sentence) {
    json broken = good;
    broken[json::json_pointer("/preparation/scattering" + at)] = value;
    expect_refused(predict(broken), 3, "x.json: " + sentence);
  };
  const std::string type = "lacks a part of a model, or has one of the wrong type";
  refused("", 3, type);
  refused("", json::object(), type);
  refused("", "8x8", type);
  refused("/height", 0, "has an impossible scattering: images for scattering have 1 to 16384 pixels each way");
  refused("/height", 7, "has an impossible scattering: the sides of the image must be multiples");
  refused("/height", 16, "has parts of different lengths");
  refused("/orientations", 4, "has not as many features as its scattering gives");
  refused("/scales", -1, "has an impossible scattering: scales is not a whole number");
  refused("/scales", 1.5, "has an impossible scattering: scales is not a whole number");
  refused("/scales", 4294967297, "has an impossible scattering: scales is not a whole number");
  refused("/order", 3, "has an impossible scattering: the order of scattering is 0, 1 or 2");
  refused("/orientations", nullptr, "has an impossible scattering: orientations is not a whole number");
  refused("/columns", json::array({"p0", "p1"}), "has parts of different lengths");
  refused("/columns", 64, type);
  refused("/colours", 3, "has options of scattering that this command does not know");
  json broken = good;
  broken["preparation"]["scattering"].erase("width");
  expect_refused(predict(broken), 3, "x.json: " + type);
  broken = good;
  broken["self_test"][0] = json::array({1, 2});
  expect_refused(predict(broken), 3, "x.json: has parts of different lengths");
  broken = good;
  broken["preparation"]["scattering"] = nullptr;
  expect_refused(predict(broken), 3, "x.json: has parts of different lengths");
}

}  // namespace
