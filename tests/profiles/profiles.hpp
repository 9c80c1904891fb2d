#pragma once
// What the files of this folder know of each other: nothing of the library, which is another one for each of them.
#include <cstdint>
#include <string>
#include <typeinfo>
#include <vector>

struct ProfileAnswers {
  std::string name;                    ///< as tests/profiles/CMakeLists.txt calls it
  const std::type_info* type;          ///< of one solver
  std::vector<std::uint64_t> results;  ///< of every training
};

/// Of all profiles that are linked.
std::vector<ProfileAnswers>& all_answers();
