// Models of `tamis interactions` in files: what they hold, that they predict as they were reported and exported, and
// what is refused.
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
const std::string wine = std::string(TAMIS_TEST_DATA) + "/wine.csv";

/// y = 1 + a − 2ab + 1.5(c − centre)(e − centre) and noise: sines, of five features.
struct Regression {
  std::vector<std::vector<double>> samples;
  std::vector<double> truth;

  explicit Regression(int first, int count, double centre = 0) {
    for (int i = first; i < first + count; ++i) {
      const auto feature = [&](double speed) { return std::sin(speed * i); };
      samples.push_back({feature(1.3), feature(2.1), centre + feature(0.7), feature(3.3), centre + feature(0.9)});
      truth.push_back(1 + samples.back()[0] - 2 * samples.back()[0] * samples.back()[1] +
                      1.5 * feature(0.9) * feature(0.7) + 0.05 * feature(9));
    }
  }
  std::string csv(bool targets = true) const {
    std::ostringstream out;
    out.precision(17);
    if (targets) out << "y,";
    out << "a,b,c,d,e\n";
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (targets) out << truth[i] << ',';
      for (std::size_t j = 0; j < 5; ++j) out << (j ? "," : "") << samples[i][j];
      out << '\n';
    }
    return out.str();
  }
};

json trained(const Folder& folder, const std::string& data, std::vector<std::string> more) {
  more.insert(more.begin(),
              {"interactions", data, "--model", folder.path("m.json"), "--report", folder.path("r.json"), "--quiet"});
  const auto outcome = run(more);
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_EQ(outcome.output + outcome.error, "");
  return json::parse(folder.read("r.json"));
}

std::vector<double> numbers(const std::string& text) {
  std::istringstream in(text);
  std::vector<double> out;
  for (double value; in >> value;) out.push_back(value);
  return out;
}

double mean_squared_error(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += std::pow(a[i] - b[i], 2) / static_cast<double>(a.size());
  return total;
}

/// The value of a model's JSON at a sample, as its description says.
double value_of(const json& model, const std::vector<double>& x) {
  const double scale = model["scale"];
  const auto at = [&](const json& index) { return x[index.get<std::size_t>()] / scale; };
  const json& effects = model["coefficients"]["main_effects"];
  const json& products = model["coefficients"]["products"];
  double z = model["intercept"][0];
  for (std::size_t t = 0; t < effects["values"].size(); ++t)
    z += effects["values"][t].get<double>() * at(effects["indices"][t]);
  for (std::size_t t = 0; t < products["values"].size(); ++t)
    z += products["values"][t].get<double>() * at(products["first"][t]) * at(products["second"][t]);
  return z;
}

TEST(InteractionModels, PredictWhatWasReported) {
  for (const std::string precision : {"double", "float"})
    for (const bool standardised : {false, true})
      for (const std::string scale : {"1", "4"}) {
        const Folder folder;
        const Regression train(0, 60, 3), test(60, 40, 3);
        const auto data = folder.write("train.csv", train.csv()), other = folder.write("test.csv", test.csv());
        std::vector<std::string> more{"--hierarchy", "strong", "--lambda", "0.01",        "--scale",
                                      scale,         "--test", other,      "--precision", precision};
        if (standardised) more.push_back("--standardise");
        const json report = trained(folder, data, more);
        EXPECT_LT(report["test_mse"], 0.7);
        const auto outcome = run({"predict", folder.path("m.json"), other});
        ASSERT_EQ(outcome.code, 0) << outcome.error;
        EXPECT_EQ(std::count(outcome.output.begin(), outcome.output.end(), '\n'), 40);
        const auto predicted = numbers(outcome.output);
        EXPECT_NEAR(mean_squared_error(predicted, test.truth), report["test_mse"], 1e-11);
        const json model = json::parse(folder.read("m.json"));
        for (std::size_t i = 0; i < 40; ++i)
          EXPECT_NEAR(value_of(model, test.samples[i]), predicted[i], precision == "float" ? 1e-6 : 1e-12);
        EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write("new.csv", test.csv(false))}).output,
                  outcome.output);
        EXPECT_EQ(run({"predict", folder.path("m.json"), other, "--scale", scale}).output, outcome.output);
        EXPECT_EQ(run({"export", folder.path("m.json"), "--format", "json"}).output, folder.read("m.json"));
      }
}

TEST(InteractionModels, PredictClasses) {
  for (const std::string precision : {"double", "float"}) {
    const Folder folder;
    const json report = trained(folder, wine,
                                {"--loss", "squared-hinge", "--hierarchy", "weak", "--lambda", "0.05", "--standardise",
                                 "--precision", precision});
    const auto labels = run({"predict", folder.path("m.json"), wine});
    ASSERT_EQ(labels.code, 0) << labels.error;
    std::ifstream file(wine);
    std::istringstream predicted(labels.output);
    std::string line, label;
    double right = 0, total = 0;
    while (std::getline(predicted, label)) {
      do std::getline(file, line);
      while (!std::isdigit(static_cast<unsigned char>(line[0])));
      right += line.substr(0, line.find(',')) == label;
      ++total;
    }
    EXPECT_EQ(total, 178);
    EXPECT_EQ(right / total, report["train_accuracy"]);
    const auto scores = run({"predict", folder.path("m.json"), wine, "--scores"}).output;
    EXPECT_EQ(scores.rfind("label,0,1,2\n", 0), 0u);
    std::istringstream lines(scores), again(labels.output);
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      ASSERT_TRUE(std::getline(again, label));
      EXPECT_EQ(line.substr(0, line.find(',')), label);
      std::replace(line.begin(), line.end(), ',', ' ');
      const auto fields = numbers(line);
      ASSERT_EQ(fields.size(), 4u);
      EXPECT_EQ(std::max_element(fields.begin() + 1, fields.end()) - fields.begin() - 1, fields[0]);
    }
    EXPECT_EQ(run({"predict", folder.path("m.json"), wine, "--top", "2"}).output.substr(1, 1), ",");
  }
}

TEST(InteractionModels, HoldWhatWasKeptAndHow) {
  const Folder folder;
  const auto data = folder.write("train.csv", Regression(0, 60).csv());
  const json report = trained(folder, data, {"--hierarchy", "full", "--lambda", "0.1", "--norm", "linf"});
  json model = json::parse(folder.read("m.json"));
  EXPECT_EQ(model["format"], "tamis-model");
  EXPECT_EQ(model["kind"], "interactions");
  EXPECT_TRUE(model["classes"].is_null());
  EXPECT_EQ(model["feature_count"], 5);
  EXPECT_EQ(model["features"], json::array({"a", "b", "c", "e"}));
  EXPECT_EQ(model["coefficients"]["indices"], json::array({0, 1, 2, 4}));
  EXPECT_EQ(model["coefficients"]["products"]["first"], json::array({0, 2}));
  EXPECT_EQ(model["coefficients"]["products"]["second"], json::array({1, 4}));
  EXPECT_EQ(model["coefficients"]["main_effects"]["indices"], json::array({0}));
  EXPECT_EQ(model["coefficients"]["main_effects"]["values"].size(), report["main_effects"]);
  EXPECT_EQ(model["hierarchy"], "full");
  EXPECT_EQ(model["norm"], "linf");
  EXPECT_EQ(model["lambda"], 0.1);
  EXPECT_EQ(model["lambda2"], 0.1);
  EXPECT_EQ(model["samples"], 60);
  EXPECT_TRUE(model["standardisation"].is_null());
  EXPECT_EQ(model["self_test"].size(), 2u);
  trained(folder, data, {"--hierarchy", "main", "--lambda", "0.05", "--standardise"});
  model = json::parse(folder.read("m.json"));
  EXPECT_TRUE(model["lambda2"].is_null());
  EXPECT_EQ(model["standardisation"]["mean"].size(), model["features"].size());
  EXPECT_EQ(model["coefficients"]["products"]["values"].size(), 0u);
  trained(folder, data, {"--hierarchy", "main", "--lambda", "100"});  // which keeps nothing
  const auto constant = numbers(run({"predict", folder.path("m.json"), data}).output);
  ASSERT_EQ(constant.size(), 60u);
  EXPECT_EQ(constant.front(), constant.back());
}

TEST(InteractionModels, TakeSparseSamplesAndNamesOfColumns) {
  const Folder folder;
  const auto sparse = folder.write("a.svm", "1 1:1 2:1\n2 2:1\n2 1:1\n1\n");
  trained(folder, sparse, {"--hierarchy", "strong", "--loss", "squared-hinge", "--lambda", "0.01"});
  EXPECT_EQ(run({"predict", folder.path("m.json"), sparse}).output, "1\n2\n2\n1\n");
  EXPECT_EQ(run({"predict", folder.path("m.json"), folder.write("b.csv", "1,1\n0,1\n")}).output, "1\n2\n");
  const auto named = folder.write("c.csv", "y,a,b\n0,0,0\n1,0,1\n1,1,0\n0,1,1\n");
  trained(folder, named, {"--hierarchy", "strong", "--loss", "squared-hinge", "--lambda", "0.01"});
  const auto outcome = run({"predict", folder.path("m.json"), folder.write("d.csv", "b,a\n0,0\n")});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.error.find("d.csv"), std::string::npos) << outcome.error;
}

TEST(InteractionModels, NeedNoSeed) {
  const Folder folder;
  const auto data = folder.write("train.csv", Regression(0, 20).csv());
  const auto outcome = run({"interactions", data, "--hierarchy", "main", "--lambda", "1", "--seed", "4"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("--seed is not used"), std::string::npos);
}

/// Prints what the header predicts for samples that are lines of numbers.
std::string program(bool regression) {
  const std::string print =
      regression ? "printf(\"%.9g\\n\", (double)exported_value(x))" : "puts(exported_labels[exported_predict(x)])";
  return "#include <stdio.h>\n#include \"exported.h\"\n#include \"exported.h\"\n"
         "int main(int argc, char **argv) {\n"
         "  float x[EXPORTED_FEATURES];\n  int j = 0;\n  FILE *in;\n"
         "  if (exported_self_test() != 0) return 10 + exported_self_test();\n"
         "  if (argc < 2) return 0;\n"
         "  in = fopen(argv[1], \"r\");\n"
         "  while (fscanf(in, \"%f,\", &x[j]) == 1)\n"
         "    if (++j == EXPORTED_FEATURES) { j = 0; " +
         print + "; }\n  return 0;\n}\n";
}

/// The output of the exported header's program for samples in a CSV without header and labels.
std::string output_of_exported(const Folder& folder, bool regression, const std::string& samples) {
  const auto exported = run(
      {"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--output", folder.path("exported.h")});
  EXPECT_EQ(exported.code, 0) << exported.error;
  folder.write("use.c", program(regression));
  const std::string binary = folder.path("use");
  const auto compile = [&](const std::string& language) {
    return std::system((std::string(TAMIS_TEST_COMPILER) + " -x " + language + " -O1 -Wall -Wextra -Werror -pedantic " +
                        folder.path("use.c") + " -o " + binary)
                           .c_str());
  };
  std::string first;
  for (const std::string language : {"c++ -std=c++17", "c -std=c99"}) {
    EXPECT_EQ(compile(language), 0) << language;
    EXPECT_EQ(std::system((binary + " " + samples + " > " + folder.path("out")).c_str()), 0) << language;
    if (first.empty()) first = folder.read("out");
    EXPECT_EQ(first, folder.read("out"));
  }
  std::string header = folder.read("exported.h");  // the self-test bites: one product of another sign
  const auto digit = header.find("0x1", header.find("_products["));
  header.insert(digit, header[digit - 1] == '-' ? " -" : "-");
  folder.write("exported.h", header);
  EXPECT_EQ(compile("c -std=c99"), 0);
  EXPECT_NE(std::system(binary.c_str()), 0);
  return first;
}

// Far from zero too, where products of floats as they stand would have lost their digits.
TEST(InteractionModels, ExportedPredictTheSame) {
  for (const double centre : {0.0, 300.0}) {
    const Folder folder;
    const Regression train(0, 60, centre);
    const auto data = folder.write("train.csv", train.csv());
    std::string plain = train.csv(false);
    plain.erase(0, plain.find('\n') + 1);
    const auto samples = folder.write("plain.csv", plain);
    trained(folder, data, {"--hierarchy", "strong", "--lambda", "0.01", "--standardise", "--scale", "2"});
    const auto predicted = numbers(run({"predict", folder.path("m.json"), data}).output);
    EXPECT_LT(mean_squared_error(predicted, train.truth), 0.05);
    const auto again = numbers(output_of_exported(folder, true, samples));
    ASSERT_EQ(again.size(), predicted.size());
    for (std::size_t i = 0; i < again.size(); ++i) EXPECT_NEAR(again[i], predicted[i], centre ? 3e-4 : 1e-5);
  }
}

TEST(InteractionModels, ExportedPredictTheSameClasses) {
  const Folder folder;
  trained(folder, iris, {"--hierarchy", "weak", "--lambda", "0.01", "--loss", "squared-hinge", "--precision", "float"});
  std::ifstream in(iris);
  std::string plain;
  for (std::string line; std::getline(in, line);)
    if (std::isdigit(static_cast<unsigned char>(line[0]))) plain += line.substr(line.find(',') + 1) + "\n";
  EXPECT_EQ(output_of_exported(folder, false, folder.write("plain.csv", plain)),
            run({"predict", folder.path("m.json"), iris}).output);
  const auto sketch = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "iris"}).output;
  for (const char* part : {"void setup()", "iris_self_test()", "iris_labels[iris_predict_kept(iris_sample)]"})
    EXPECT_NE(sketch.find(part), std::string::npos) << part;
  trained(folder, folder.write("r.csv", Regression(0, 20).csv()), {"--hierarchy", "weak", "--lambda", "0.01"});
  const auto numbers_sketch = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "r"}).output;
  EXPECT_NE(numbers_sketch.find("Serial.println(r_value_of_kept(r_sample), 6);"), std::string::npos);
  EXPECT_EQ(numbers_sketch.find("r_labels"), std::string::npos);
}

void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& says) {
  const auto outcome = run(arguments);
  EXPECT_EQ(outcome.code, code) << says << ": " << outcome.error;
  EXPECT_EQ(outcome.output, "");
  EXPECT_NE(outcome.error.find(says), std::string::npos) << says << " is not in " << outcome.error;
  EXPECT_EQ(std::count(outcome.error.begin(), outcome.error.end(), '\n'), 1) << outcome.error;
}

TEST(InteractionModels, RefuseInOneSentence) {
  const Folder folder;
  const auto data = folder.write("train.csv", Regression(0, 30).csv());
  trained(folder, data, {"--hierarchy", "strong", "--lambda", "0.01"});
  const std::string model = folder.path("m.json");
  expect_refused({"predict", model, data, "--scores"}, 2, "is a regression");
  expect_refused({"predict", model, data, "--top", "2"}, 2, "is a regression");
  expect_refused({"predict", model, data, "--probabilities"}, 2, "only logistic");
  expect_refused({"predict", model, iris}, 3, "iris.csv");
  expect_refused({"update", model, data, "--model", folder.path("n.json")}, 3, "kind of model");
  expect_refused({"export", model, "--format", "pdf"}, 2, "c, json, arduino");
  const auto files = folder.files();
  expect_refused({"interactions", data, "--hierarchy", "weak", "--lambda", "1", "--model", "/no/such/folder/m.json",
                  "--report", folder.path("s.json")},
                 2, "/no/such/folder/m.json: cannot be written");
  expect_refused({"interactions", data, "--hierarchy", "weak", "--lambda", "1", "--sample-weights", data}, 2,
                 "--sample-weights");
  EXPECT_EQ(folder.files(), files);
}

TEST(InteractionModels, RefuseDamagedFiles) {
  const Folder folder;
  const auto data = folder.write("train.csv", Regression(0, 30).csv());
  trained(folder, data, {"--hierarchy", "strong", "--lambda", "0.01", "--standardise"});
  const std::string good = folder.read("m.json");
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    for (const char* command : {"predict", "export"}) {
      const auto path = folder.write("x.json", text);
      expect_refused(command == std::string("predict") ? std::vector<std::string>{"predict", path, data}
                                                       : std::vector<std::string>{"export", path, "--format", "c"},
                     3, "x.json: " + sentence);
    }
  };
  for (std::size_t length = 0; length + 2 < good.size(); length += 17)
    refused(good.substr(0, length), "is not a JSON model");
  for (const char* key :
       {"classes", "feature_count", "features", "coefficients", "intercept", "scale", "standardisation", "loss",
        "penalty", "hierarchy", "norm", "lambda", "lambda2", "precision"}) {
    json broken = json::parse(good);
    broken.erase(key);
    refused(broken.dump(), "lacks a part of a model, or has one of the wrong type");
    broken[key] = json::object({{"no", "such"}});
    refused(broken.dump(), "lacks a part of a model, or has one of the wrong type");
  }
  const json whole = json::parse(good);
  for (const char* list : {"main_effects", "products"})
    for (const auto& [key, value] : whole["coefficients"][list].items()) {
      json broken = json::parse(good);
      broken["coefficients"][list].erase(key);
      refused(broken.dump(), "lacks a part of a model");
      broken["coefficients"][list][key] = value;
      broken["coefficients"][list][key].push_back(value[0]);
      refused(broken.dump(), "has parts of different lengths");
      broken["coefficients"][list][key] = value;
      broken["coefficients"][list][key][0] = nullptr;
      refused(broken.dump(), "lacks a part of a model");
    }
  const auto changed = [&](const std::function<void(json&)>& change, const std::string& sentence) {
    json broken = json::parse(good);
    change(broken);
    refused(broken.dump(), sentence);
  };
  changed([](json& m) { m["version"] = 2; }, "is a model of a later version");
  changed([](json& m) { m["kind"] = "forests"; }, "is a kind of model that this command does not read");
  changed([](json& m) { m["kind"] = 3; }, "is a kind of model that this command does not read");
  changed([](json& m) { m["feature_count"] = 0; }, "has an impossible shape");
  changed([](json& m) { m["feature_count"] = 4294967297; }, "has an impossible shape");
  changed([](json& m) { m["feature_count"] = -5; }, "has an impossible shape");
  changed([](json& m) { m["feature_count"] = 5.5; }, "has an impossible shape");
  changed([](json& m) { m["classes"] = {"1"}; }, "has an impossible number of classes");
  changed([](json& m) { m["classes"] = {"1", "2"}; }, "has parts of different lengths");
  changed([](json& m) { m["coefficients"]["indices"][0] = 99; }, "has an index out of range");
  changed([](json& m) { m["coefficients"]["indices"][0] = -1; }, "has an index out of range");
  changed([](json& m) { std::swap(m["coefficients"]["indices"][0], m["coefficients"]["indices"][1]); },
          "has feature indices out of order");
  changed([](json& m) { m["coefficients"]["products"]["outputs"][0] = 1; }, "has an index out of range");
  changed([](json& m) { m["coefficients"]["products"]["first"][0] = 5; }, "has an index out of range");
  changed([](json& m) { m["coefficients"]["main_effects"]["indices"][0] = 4294967295; }, "has an index out of range");
  changed([](json& m) { m["coefficients"]["main_effects"]["indices"][1] = 0; }, "has a term twice");
  changed(
      [](json& m) {
        json& products = m["coefficients"]["products"];
        for (std::size_t t = 0; t < products["first"].size(); ++t)
          std::swap(products["first"][t], products["second"][t]);
      },
      "has a product of features out of order");
  changed(
      [](json& m) {
        m["coefficients"]["indices"].erase(0);
        m["features"].erase(0);
      },
      "has other feature indices than those of its terms");
  changed([](json& m) { m["features"].erase(0); }, "has parts of different lengths");
  changed([](json& m) { m["intercept"].push_back(0); }, "has parts of different lengths");
  changed([](json& m) { m["scale"] = 0; }, "has an impossible scale");
  changed([](json& m) { m["standardisation"]["scale"][0] = 0; }, "has an impossible standardisation");
  changed([](json& m) { m["preparation"] = {{"log", {1, 2}}}; }, "has a preparation");
  changed([](json& m) { m["loss"] = "squared-hinge"; }, "has an unknown loss");
  changed([](json& m) { m["hierarchy"] = "stark"; }, "has an unknown hierarchy");
  changed([](json& m) { m["norm"] = "l3"; }, "has an unknown norm");
  changed([](json& m) { m["precision"] = "half"; }, "has an unknown precision");
  changed([](json& m) { m["self_test"][0].erase(0); }, "has parts of different lengths");
  changed([](json& m) { m["self_test"][0][0] = nullptr; }, "lacks a part of a model");
  for (const std::string number : {"1e999", "NaN", "Infinity", "-1e400"}) {  // which JSON does not have
    std::string broken = good;
    const auto value = broken.find_first_of("-0123456789", broken.find("\"values\""));
    broken.replace(value, broken.find_first_of(",\n", value) - value, number);
    refused(broken, "is not a JSON model");
  }
}

// A model whose numbers are too large or too small for floats is exported in double only.
TEST(InteractionModels, SayWhatDoesNotFitInFloat) {
  const Folder folder;
  const auto data = folder.write("train.csv", Regression(0, 30).csv());
  for (const char* scale : {"1e-25", "1e25"}) {
    trained(folder, data, {"--hierarchy", "strong", "--lambda", "0.01"});
    json model = json::parse(folder.read("m.json"));
    model["scale"] = std::stod(scale);
    const auto path = folder.write("x.json", model.dump());
    expect_refused({"export", path, "--format", "c"}, 2, "do not fit in float, take double");
    expect_refused({"export", path, "--format", "arduino"}, 2, "do not fit in float");
    EXPECT_EQ(run({"export", path, "--format", "c", "--precision", "double"}).code, 0);
  }
}

}  // namespace
