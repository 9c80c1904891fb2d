// Prints the number of each of the same-bits problems.
#include "same_bits_problems.hpp"
#include "target.hpp"

int main() {
  bool refused = false;
  for (std::uint32_t problem = 0; problem < tamis_same_bits_count(); ++problem) {
    const std::uint64_t hash = tamis_same_bits_hash(problem);
    char line[] = "00 0000000000000000\n";
    line[0] = static_cast<char>('0' + problem / 10);
    line[1] = static_cast<char>('0' + problem % 10);
    for (int digit = 0; digit < 16; ++digit) line[3 + digit] = "0123456789abcdef"[hash >> (60 - 4 * digit) & 0xf];
    target::write(line);
    refused = refused || hash == 0;
  }
  return refused ? 1 : 0;
}
