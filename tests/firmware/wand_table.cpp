// Writes wand_test.csv.gz, 200 strokes of a magic wand, as a C++ header: labels, and 32 points each of two bytes a number,
// 1/16384 of the unit of the file. The data stay where they are: the header belongs in a build folder.
#include <zlib.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("Use: wand_table wand_test.csv.gz wand_table.hpp\n", stderr);
    return 2;
  }
  gzFile in = gzopen(arguments[1], "rb");
  if (!in) {
    std::fprintf(stderr, "%s: cannot be read\n", arguments[1]);
    return 3;
  }
  std::string values, labels;
  unsigned samples = 0;
  char line[4096];
  gzgets(in, line, sizeof line);  // the names: label, then x1, y1, x2, …
  while (gzgets(in, line, sizeof line)) {
    std::istringstream cells(line);
    std::string cell;
    std::getline(cells, cell, ',');
    labels += cell + ",\n";
    while (std::getline(cells, cell, ',')) values += std::to_string(std::lround(std::stod(cell) * 16384)) + ',';
    values += '\n';
    ++samples;
  }
  gzclose(in);
  std::ofstream out(arguments[2]);
  out << "#pragma once\n#include <cstdint>\n\nnamespace wand {\n\ninline constexpr std::uint32_t samples = " << samples
      << ", features = 64;\ninline constexpr std::int16_t values[samples * features] = {\n"
      << values << "};\ninline constexpr std::uint16_t labels[samples] = {\n"
      << labels << "};\n\n}  // namespace wand\n";
  return out.flush() ? 0 : 1;
}
