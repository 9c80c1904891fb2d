// Profiles in one program: the same bits, from different types.
#include "profiles.hpp"

#include <gtest/gtest.h>

#include <set>

std::vector<ProfileAnswers>& all_answers() {
  static std::vector<ProfileAnswers> answers;
  return answers;
}

namespace {

TEST(Profiles, AreDifferentTypesInOneProgram) {
  std::set<std::string> names;
  for (const auto& answers : all_answers()) {
    EXPECT_NE(std::string(answers.type->name()).find(answers.name), std::string::npos) << answers.type->name();
    names.insert(answers.type->name());
  }
  EXPECT_EQ(names.size(), std::size_t{TAMIS_TEST_PROFILES});
}

TEST(Profiles, GiveTheSameBits) {
  ASSERT_EQ(all_answers().size(), std::size_t{TAMIS_TEST_PROFILES});
  const auto& first = all_answers().front();
  EXPECT_EQ(first.results.size(), 64u);
  EXPECT_EQ(std::set<std::uint64_t>(first.results.begin(), first.results.end()).size(), 64u);
  for (const auto& answers : all_answers()) EXPECT_EQ(answers.results, first.results) << answers.name;
}

}  // namespace
