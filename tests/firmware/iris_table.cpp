// Writes iris.csv as a C++ header: the labels, and the measurements standardised and in columns, exact to the bit.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tamis/features/standardise.hpp"
#include "tamis/model/text_sink.hpp"

namespace {

constexpr unsigned features = 4;

void write(std::ostream& out, float value) {
  char text[32];
  tamis::TextSink sink(text);
  sink << value;
  out.write(text, static_cast<std::streamsize>(sink.length()));
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("Use: iris_table iris.csv iris_table.hpp\n", stderr);
    return 2;
  }
  std::ifstream in(arguments[1]);
  std::vector<std::string> labels;
  std::vector<float> columns[features];
  std::string line, cell;
  std::getline(in, line);  // the names: label, then the features
  while (std::getline(in, line)) {
    std::istringstream cells(line);
    std::getline(cells, cell, ',');
    labels.push_back(cell);
    for (auto& column : columns) {
      std::getline(cells, cell, ',');
      column.push_back(std::stof(cell));
    }
  }
  const auto samples = static_cast<tamis::Index>(labels.size());
  if (samples == 0) {
    std::fprintf(stderr, "%s: no samples\n", arguments[1]);
    return 1;
  }

  std::ofstream out(arguments[2]);
  out << "#pragma once\n/// The iris data: three species, four measurements each with mean 0 and variance 1.\n\n"
         "#include <cstdint>\n\nnamespace iris {\n\n"
      << "inline constexpr std::uint32_t samples = " << samples << ", features = " << features << ", classes = 3;\n\n"
      << "/// By columns: feature j of sample i is values[i + j * samples].\n"
         "inline constexpr float values[samples * features] = {\n";
  for (auto& column : columns) {
    tamis::standardise_column(column.data(), samples, tamis::measure_column(column.data(), samples));
    for (tamis::Index i = 0; i < samples; ++i) {
      out << (i % 8 ? " " : "    ");
      write(out, column[i]);
      out << (i % 8 == 7 || i + 1 == samples ? ",\n" : ",");
    }
  }
  out << "};\n\ninline constexpr std::uint16_t labels[samples] = {\n";
  for (tamis::Index i = 0; i < samples; ++i)
    out << (i % 30 ? " " : "    ") << labels[i] << (i % 30 == 29 || i + 1 == samples ? ",\n" : ",");
  out << "};\n\n}  // namespace iris\n";
  return out.flush() ? 0 : 1;
}
