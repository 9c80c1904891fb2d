// The exported C header of each shipped set: compiled as C99 and as C++17, it passes its own self-test and predicts
// every sample as the command does; a damaged one fails its self-test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/command.hpp"

namespace {

using tamis::testing::Folder;
using tamis::testing::run;

struct Set {
  const char *name, *scale;
  int features;
};

std::string program(const std::string& header, int features) {
  return "#include <stdio.h>\n#include <stdlib.h>\n#include \"" + header + "\"\n#include \"" + header +
         "\"\nint main(int argc, char **argv) {\n"
         "  float x[" +
         std::to_string(features) +
         "];\n  int j, c;\n"
         "  if (exported_self_test() != 0) return 10 + exported_self_test();\n"
         "  if (argc < 2) return 0;\n"
         "  { FILE *in = fopen(argv[1], \"r\");\n"
         "    while ((c = fgetc(in)) != '\\n') {}\n"
         "    while (fscanf(in, \"%*[^,]\") != EOF) {\n"
         "      for (j = 0; j < " +
         std::to_string(features) +
         "; ++j) if (fscanf(in, \",%f\", &x[j]) != 1) return 1;\n"
         "      if (fscanf(in, \"%*[\\r\\n]\") == EOF) {}\n"
         "      puts(exported_labels[exported_predict(x)]);\n"
         "    } }\n  return 0;\n}\n";
}

class ExportedHeader : public ::testing::TestWithParam<Set> {};

TEST_P(ExportedHeader, CompilesAndPassesItsSelfTest) {
  const Set set = GetParam();
  const Folder folder;
  const std::string data = std::string(TAMIS_TEST_DATA) + "/" + set.name + ".csv";
  ASSERT_EQ(run({"train", data, "--scale", set.scale, "--loss", "squared-hinge", "--penalty", "l1", "--lambda", "0.02",
                 "--precision", "float", "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--output",
                 folder.path("exported.h")})
                .code,
            0);
  folder.write("use.c", program("exported.h", set.features));
  const std::string compiler = TAMIS_TEST_COMPILER, binary = folder.path("use");
  const auto compile = [&](const std::string& language) {
    return std::system((compiler + " -x " + language + " -O1 -Wall -Wextra -Werror -pedantic " + folder.path("use.c") +
                        " -o " + binary)
                           .c_str());
  };
  const std::string expected = run({"predict", folder.path("m.json"), data}).output;
  for (const std::string language : {"c -std=c99", "c++ -std=c++17"}) {
    ASSERT_EQ(compile(language), 0) << language;
    ASSERT_EQ(std::system((binary + " " + data + " > " + folder.path("out")).c_str()), 0) << language;
    EXPECT_EQ(folder.read("out"), expected);
  }
  // The self-test bites: one weight of another sign.
  std::string header = folder.read("exported.h");
  const auto weights = header.find("_weights[");
  const auto digit = header.find("0x1", weights);
  header.insert(digit, header[digit - 1] == '-' ? " -" : "-");
  folder.write("exported.h", header);
  ASSERT_EQ(compile("c -std=c99"), 0);
  EXPECT_NE(std::system(binary.c_str()), 0);
}

INSTANTIATE_TEST_SUITE_P(Sets, ExportedHeader,
                         ::testing::Values(Set{"iris", "1", 4}, Set{"wine", "1000", 13}, Set{"digits", "16", 64}),
                         [](const auto& set) { return std::string(set.param.name); });

TEST(ExportedHeader, AModelThatKeepsNothingCompilesToo) {
  const Folder folder;
  ASSERT_EQ(run({"train", std::string(TAMIS_TEST_DATA) + "/iris.csv", "--loss", "hinge", "--penalty", "l1", "--lambda",
                 "100", "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  ASSERT_EQ(run({"export", folder.path("m.json"), "--format", "c", "--name", "exported", "--output",
                 folder.path("exported.h")})
                .code,
            0);
  folder.write("use.c", program("exported.h", 4));
  ASSERT_EQ(std::system((std::string(TAMIS_TEST_COMPILER) + " -x c -std=c99 -Wall -Wextra -Werror -pedantic " +
                         folder.path("use.c") + " -o " + folder.path("use"))
                            .c_str()),
            0);
  EXPECT_EQ(std::system(folder.path("use").c_str()), 0);
}

TEST(ExportedHeader, LabelsAreWhatTheyWere) {
  const Folder folder;
  const std::string labels[] = {"a\"b", "a_b", "c\\n", "d?\?/e", "\xc3\xa4 \t/*"};
  std::string table = "x,y,label\n", expected;
  for (int i = 0; i < 30; ++i) {
    std::string quoted = labels[i % 5];
    for (auto at = quoted.find('"'); at != std::string::npos; at = quoted.find('"', at + 2)) quoted.insert(at, "\"");
    table += std::to_string(i % 5 % 3) + "," + std::to_string(i % 5 / 3) + ",\"" + quoted + "\"\n";
  }
  const std::string data = folder.write("t.csv", table);
  ASSERT_EQ(run({"train", data, "--label", "label", "--loss", "hinge", "--penalty", "l1", "--lambda", "0.001",
                 "--model", folder.path("m.json"), "--quiet"})
                .code,
            0);
  for (const std::string& label : labels) expected += label + "\n";
  for (const std::string quantise : {"", "int8"}) {
    std::vector<std::string> command{"export",   folder.path("m.json"),    "--format", "c", "--name", "exported",
                                     "--output", folder.path("exported.h")};
    if (!quantise.empty()) command.insert(command.end(), {"--quantise", quantise, "--data", data, "--label", "label"});
    ASSERT_EQ(run(command).code, 0);
    folder.write(
        "use.c",
        "#include <stdio.h>\n#include \"exported.h\"\nint main(void) {\n  const float x[5][2] = {{0, 0}, {1, 0}, "
        "{2, 0}, {0, 1}, {1, 1}};\n  int i;\n  for (i = 0; i < 5; ++i) "
        "puts(exported_labels[exported_predict(x[i])]);\n  return exported_self_test();\n}\n");
    for (const std::string language : {"c -std=c99", "c++ -std=c++17", "c -std=gnu99"}) {
      ASSERT_EQ(std::system((std::string(TAMIS_TEST_COMPILER) + " -x " + language +
                             " -Wall -Wextra -Werror -pedantic " + folder.path("use.c") + " -o " + folder.path("use"))
                                .c_str()),
                0);
      ASSERT_EQ(std::system((folder.path("use") + " > " + folder.path("out")).c_str()), 0);
      EXPECT_EQ(folder.read("out"), expected) << language;
    }
  }
}

}  // namespace
