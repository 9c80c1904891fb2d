// Makes hundreds of models, from the corpus of export_fuzz.cpp and from random bytes, and one C program of all their
// headers that compares what they compute with what the library does, bit by bit where both add in the same order. Use:
// export_batch FOLDER COUNT INPUTS…; then compile FOLDER/batch.c and run it.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "exports.hpp"

namespace {

using namespace tamis::fuzz;

/// Numbers as hexadecimal literals.
std::string list(const std::vector<double>& numbers) {
  std::string out = "{";
  char text[64];
  for (const double x : numbers) {
    std::snprintf(text, sizeof text, "%a,", x);
    out += text;
  }
  return out + "}";
}

/// One function that returns how many things do not agree.
std::string check_of(const Exported& e, const std::string& name) {
  const std::string type = e.doubles ? "double" : "float", score = e.integers ? "int32_t" : type;
  const std::size_t written = e.outputs == 1 && e.has_classes ? 0 : e.outputs;  // binary kernels: see the self-test
  std::string out = e.header + "static int check_" + name + "(void) {\n  static const " + type +
                    " samples[] = " + list(e.samples) + ";\n  static const double scores[] = " + list(e.scores) +
                    ";\n  " + score + " z[16];\n  int i, k, wrong = " + name + "_self_test() != 0;\n";
  if (e.has_classes) {
    out += "  static const int classes[] = {";
    for (const auto label : e.classes) out += std::to_string(label) + ",";
    out += "};\n";
  }
  out += "  for (i = 0; i < " + std::to_string(sample_count) + "; ++i) {\n    const " + type + " *x = samples + i * " +
         std::to_string(e.features) + ";\n";
  if (e.has_classes) out += "    wrong += " + name + "_predict(x) != classes[i];\n";
  if (written)
    out += "    " + name + "_scores(x, z);\n    for (k = 0; k < " + std::to_string(written) +
           "; ++k) wrong += !same(z[k], scores[i * " + std::to_string(written) + " + k]);\n";
  return out + "  }\n  (void)z; (void)k; (void)scores;\n  if (wrong) printf(\"" + name +
         ": %d of its results differ\\n\", wrong);\n  return wrong;\n}\n";
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc < 3) return 2;
  std::vector<std::vector<std::uint8_t>> inputs;
  for (int i = 3; i < argc; ++i) {
    std::set<fs::path> files;
    for (const auto& entry : fs::directory_iterator(argv[i])) files.insert(entry.path());
    for (const auto& file : files) {
      std::ifstream in(file, std::ios::binary);
      const std::vector<char> text{std::istreambuf_iterator<char>(in), {}};
      inputs.emplace_back(text.begin(), text.end());
    }
  }
  std::uint64_t state = 1;
  for (const auto count = std::strtoul(argv[2], nullptr, 10); inputs.size() < count;) {
    auto& input = inputs.emplace_back(400);
    for (auto& byte : input) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<std::uint8_t>(state >> 56);
    }
  }

  std::string headers =
      "#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n"
      "static int same(double a, double b) { return a == b || fabs(a - b) <= 1e-4 * (1 + fabs(b)); }\n";
  std::string calls;
  std::size_t models = 0;
  for (const auto& input : inputs) {
    Bytes bytes(input.data(), input.size());
    const std::string name = "m" + std::to_string(models);
    const Exported e = exported(bytes, name.c_str());
    // Without those whose sums have no value: there is nothing for their self-tests to compare.
    bool finite = !e.header.empty() && e.header.find(e.doubles ? "0x1p+1024" : "0x1p+128f") == std::string::npos;
    for (const double score : e.scores) finite &= std::abs(score) < 1e30;
    if (!finite) continue;
    headers += check_of(e, name);
    calls += "  wrong += check_" + name + "();\n";
    ++models;
  }
  fs::create_directories(argv[1]);
  std::ofstream(fs::path(argv[1]) / "models.h") << headers;
  std::ofstream(fs::path(argv[1]) / "batch.c")
      << "#include \"models.h\"\nint main(void) {\n  int wrong = 0;\n"
      << calls << "  printf(\"" << models << " models\\n\");\n  return wrong != 0;\n}\n";
  std::printf("%zu models of %zu inputs\n", models, inputs.size());
  return models * 2 >= inputs.size() ? 0 : 1;
}
