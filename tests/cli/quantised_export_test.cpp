// Exported headers of integers: compiled as C99 and as C++, they pass their self-tests and have as many samples right
// as the command said; a damaged one fails. And what cannot be made of integers is refused.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "support/command.hpp"

namespace {

using tamis::testing::Folder;
using tamis::testing::run;

std::string data(const std::string& name) { return std::string(TAMIS_TEST_DATA) + "/" + name + ".csv"; }

/// Predicts the samples of a CSV file, its label first, and prints how many have their label; whole counts as well.
std::string program(int features) {
  return "#include <stdio.h>\n#include <string.h>\n#include \"exported.h\"\n#include \"exported.h\"\n"
         "int main(int argc, char **argv) {\n"
         "  float x[" +
         std::to_string(features) +
         "];\n  char label[80];\n  int j, c, right = 0, of_kept = 0;\n  FILE *in;\n"
         "  if (exported_self_test() != 0) return 10 + exported_self_test();\n"
         "  if (argc < 2) return 0;\n"
         "  in = fopen(argv[1], \"r\");\n"
         "  while ((c = fgetc(in)) != '\\n') {}\n"
         "  while (fscanf(in, \"%79[^,]\", label) == 1) {\n"
         "    int16_t kept[EXPORTED_KEPT ? EXPORTED_KEPT : 1];\n"
         "    for (j = 0; j < EXPORTED_FEATURES; ++j) if (fscanf(in, \",%f\", &x[j]) != 1) return 1;\n"
         "    if (fscanf(in, \"%*[\\r\\n]\") == EOF) {}\n"
         "    right += strcmp(exported_labels[exported_predict(x)], label) == 0;\n"
         "    for (j = 0; j < EXPORTED_KEPT; ++j) kept[j] = exported_count(x[exported_features[j]], j);\n"
         "    of_kept += strcmp(exported_labels[exported_predict_kept(kept)], label) == 0;\n"
         "  }\n  printf(\"%d %d\\n\", right, of_kept);\n  return 0;\n}\n";
}

bool compile(const Folder& folder, const std::string& language) {
  const std::string compiler = TAMIS_TEST_COMPILER;
  return std::system((compiler + " -x " + language + " -O1 -Wall -Wextra -Wconversion -Werror -pedantic " +
                      folder.path("use.c") + " -o " + folder.path("use"))
                         .c_str()) == 0;
}

struct Set {
  const char *name, *weights;
  int samples, features;
  bool integers;
};

class QuantisedHeader : public ::testing::TestWithParam<Set> {};

TEST_P(QuantisedHeader, CompilesTestsItselfAndHasTheAccuracyThatItSays) {
  const Set set = GetParam();
  const Folder folder;
  ASSERT_EQ(run({"train", data(set.name), "--standardise", "--loss", "hinge", "--penalty", "l1", "--lambda", "0.02",
                 "--tolerance", "1e-2", "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  const auto outcome = run({"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--quantise",
                            set.weights, "--data", data(set.name), "--output", folder.path("exported.h")});
  ASSERT_EQ(outcome.code, 0) << outcome.error;
  std::string header = folder.read("exported.h");
  EXPECT_EQ(header.find("exported_zeros") == std::string::npos, set.integers);
  EXPECT_EQ(header.find("float exported_scores"), std::string::npos);
  EXPECT_NE(header.find("cut off at -32768 and 32767; NaN counts as -32768."), std::string::npos);
  folder.write("use.c", program(set.features));

  std::smatch said;
  const std::regex sentence("On " + std::string(set.name) + R"(\.csv accuracy ([0-9.]+) % instead of ([0-9.]+) %)");
  ASSERT_TRUE(std::regex_search(outcome.error, said, sentence)) << outcome.error;
  EXPECT_NE(header.find(said[0]), std::string::npos);
  for (const std::string language : {"c -std=c99", "c++ -std=c++17"}) {
    ASSERT_TRUE(compile(folder, language)) << language;
    ASSERT_EQ(std::system((folder.path("use") + " " + data(set.name) + " > " + folder.path("out")).c_str()), 0);
    int right = 0, of_kept = 0;
    std::istringstream(folder.read("out")) >> right >> of_kept;
    EXPECT_EQ(right, of_kept);
    EXPECT_NEAR(100.0 * right / set.samples, std::stod(said[1]), 0.051);
  }
  // The float header, by the command's own predictions.
  std::istringstream predicted(run({"predict", folder.path("m.json"), data(set.name)}).output);
  std::ifstream rows(data(set.name));
  std::string line, label;
  std::getline(rows, line);
  int right = 0;
  while (std::getline(rows, line) && std::getline(predicted, label)) right += line.substr(0, line.find(',')) == label;
  EXPECT_NEAR(100.0 * right / set.samples, std::stod(said[2]), 0.051);
  EXPECT_GT(std::stod(said[1]), std::stod(said[2]) - 1);

  // The self-test bites: one number of another sign, in digits that of an intercept, some pixels being always blank.
  const auto table = header.find(set.integers ? "exported_intercepts[" : "exported_weights[");
  const auto digit = header.find_first_of("123456789", header.find('{', table));
  header.insert(digit, header[digit - 1] == '-' ? " -" : "-");
  folder.write("exported.h", header);
  ASSERT_TRUE(compile(folder, "c -std=c99"));
  EXPECT_NE(std::system(folder.path("use").c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Sets, QuantisedHeader,
                         ::testing::Values(Set{"iris", "int8", 150, 4, false}, Set{"iris", "int16", 150, 4, false},
                                           Set{"wine", "int8", 178, 13, false}, Set{"wine", "int16", 178, 13, false},
                                           Set{"digits", "int8", 1797, 64, true}),
                         [](const auto& set) { return std::string(set.param.name) + "_" + set.param.weights; });

class Refusals : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run({"train", data("iris"), "--loss", "hinge", "--penalty", "l1", "--lambda", "0.02", "--tolerance",
                   "1e-2", "--model", folder.path("m.json"), "--quiet"})
                  .code,
              0);
  }
  void refuses(std::vector<std::string> arguments, int code, const std::string& words,
               const std::string& model = "m.json") {
    std::vector<std::string> all{"export", folder.path(model), "--output", folder.path("out.h")};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto outcome = run(all);
    EXPECT_EQ(outcome.code, code) << outcome.error;
    EXPECT_NE(outcome.error.find(words), std::string::npos) << outcome.error;
    EXPECT_EQ(outcome.output, "");
    EXPECT_FALSE(std::filesystem::exists(folder.path("out.h")));
  }
  Folder folder;
};

TEST_F(Refusals, OfOptions) {
  refuses({"--format", "c", "--quantise", "int4", "--data", data("iris")}, 2, "'int4' is not one of int8, int16");
  refuses({"--format", "c", "--quantise", "int8"}, 2, "give --data FILE");
  refuses({"--format", "c", "--data", data("iris")}, 2, "nothing is measured without --quantise");
  refuses({"--format", "c", "--sample-step", "1"}, 2, "with --quantise");
  refuses({"--format", "c", "--label", "0"}, 2, "--label says how --data are read");
  refuses({"--format", "c", "--quantise", "int8", "--sample-step", "1", "--no-header"}, 2,
          "--no-header says how --data");
  refuses({"--format", "c", "--quantise", "int8", "--sample-step", "0"}, 2,
          "--sample-step: 0 is not a positive number");
  refuses({"--format", "c", "--quantise", "int8", "--sample-step", "1e60"}, 2, "not a positive number that fits");
  refuses({"--format", "c", "--quantise", "int8", "--data", data("iris"), "--scale", "2"}, 2,
          "as they stand in the data");
  refuses({"--format", "c", "--quantise", "int8", "--data", data("iris"), "--precision", "double"}, 2,
          "integers alone");
  refuses({"--format", "json", "--quantise", "int8", "--data", data("iris")}, 2, "take --format c or arduino");
}

TEST_F(Refusals, OfData) {
  refuses({"--format", "c", "--quantise", "int8", "--data", folder.path("none.csv")}, 3, "none.csv");
  refuses({"--format", "c", "--quantise", "int8", "--data", data("wine")}, 3, "wine.csv");
  const std::string huge = folder.write("huge.csv", "label,a,b,c,d\nsetosa,1,2,3,1e60\nvirginica,1,2,3,4\n");
  refuses({"--format", "c", "--quantise", "int8", "--data", huge, "--no-header"}, 3, "huge.csv");
  const std::string wide = folder.write("wide.csv", "setosa,1,2,3,1e60\nvirginica,1,2,3,4\n");
  refuses({"--format", "c", "--quantise", "int8", "--data", wide}, 2, "do not fit in float");
}

TEST_F(Refusals, OfOtherModels) {
  const std::vector<std::string> quantised{"--format", "c", "--quantise", "int8", "--data", data("iris")};
  ASSERT_EQ(run({"interactions", data("iris"), "--loss", "squared-hinge", "--hierarchy", "weak", "--lambda", "0.02",
                 "--tolerance", "1e-1", "--model", folder.path("i.json"), "--quiet"})
                .code,
            0);
  refuses(quantised, 2, "is a model with products of features", "i.json");
  ASSERT_EQ(run({"kernels", data("iris"), "--kernel", "gaussian:1", "--p", "2", "--q", "1", "--r", "1", "--lambda",
                 "0.1", "--tolerance", "1e-1", "--model", folder.path("k.json"), "--quiet"})
                .code,
            0);
  refuses(quantised, 2, "is a model with kernels", "k.json");
  ASSERT_EQ(run({"train", data("iris"), "--normalise", "l2", "--loss", "hinge", "--penalty", "l1", "--lambda", "0.02",
                 "--tolerance", "1e-1", "--model", folder.path("n.json"), "--quiet"})
                .code,
            0);
  refuses(quantised, 2, "normalises samples", "n.json");
}

TEST_F(Refusals, NotOfSamplesWithoutLabelsOrBeyondTheRange) {
  const std::string plain = folder.write("plain.csv", "5.1,3.5,1.4,0.2\n6.6,3.0,5.6,2.1\n");
  auto outcome = run({"export", folder.path("m.json"), "--format", "c", "--quantise", "int16", "--data", plain});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("On plain.csv 0 of 2 predictions differ."), std::string::npos) << outcome.error;
  outcome = run({"export", folder.path("m.json"), "--format", "c", "--quantise", "int16", "--data", plain,
                 "--sample-step", "1e-4"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.error.find("cut off at the ends of 16 bits"), std::string::npos) << outcome.error;
}

TEST_F(Refusals, NotOfASketch) {
  const auto outcome = run({"export", folder.path("m.json"), "--format", "arduino", "--name", "iris", "--quantise",
                            "int8", "--sample-step", "0.01"});
  EXPECT_EQ(outcome.code, 0) << outcome.error;
  EXPECT_NE(outcome.output.find("static int16_t iris_sample["), std::string::npos);
  EXPECT_NE(outcome.output.find("= iris_count(Serial.parseFloat(), j);"), std::string::npos);
}

}  // namespace
