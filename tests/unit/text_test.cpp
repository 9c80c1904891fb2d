// Words, their hashes, hashed features and tf-idf weights, against published hashes and values worked out
// independently.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "tamis/features/hashing.hpp"
#include "tamis/features/tf_idf.hpp"

namespace {

using namespace tamis;

std::span<const char> chars(std::string_view text) { return {text.data(), text.size()}; }

constexpr std::int32_t hash(std::string_view text, std::uint32_t seed = 0) {
  Murmur3 h(seed);
  for (const char c : text) h.add(c);
  return h.value();
}
constexpr std::uint32_t bits(std::string_view text, std::uint32_t seed = 0) {
  return static_cast<std::uint32_t>(hash(text, seed));
}

struct Text {
  std::string text;
  void add(char c) { text += c; }
};
std::vector<std::string> terms(std::string_view line, Index ngrams) {
  std::vector<std::string> out;
  for_each_term<Text>(chars(line), ngrams, [&](const Text& term) { out.push_back(term.text); });
  EXPECT_EQ(out.size(), count_terms(chars(line), ngrams)) << line;
  EXPECT_LE(out.size(), most_terms(line.size(), ngrams)) << line;
  return out;
}
using Terms = std::vector<std::string>;

// ---- MurmurHash3 ----

TEST(Murmur, PublishedHashes) {
  static_assert(bits("") == 0);
  EXPECT_EQ(bits("", 1), 0x514e28b7u);
  EXPECT_EQ(bits("", 0xffffffffu), 0x81f16f39u);
  EXPECT_EQ(bits("\xff\xff\xff\xff"), 0x76293b50u);
  EXPECT_EQ(bits("!Ce\x87"), 0xf55b516bu);
  EXPECT_EQ(bits("!Ce"), 0x7e4a8634u);
  EXPECT_EQ(bits("!C"), 0xa0f7b07au);
  EXPECT_EQ(bits("!"), 0x72661cf4u);
  EXPECT_EQ(bits({"\0\0\0\0", 4}), 0x2362f9deu);
  EXPECT_EQ(bits({"\0\0\0", 3}), 0x85f0b427u);
  EXPECT_EQ(bits("aaaa", 0x9747b28cu), 0x5a97808au);
  EXPECT_EQ(bits("Hello, world!", 0x9747b28cu), 0x24884cbau);
  EXPECT_EQ(bits("The quick brown fox jumps over the lazy dog", 0x9747b28cu), 0x2fa826cdu);
}

TEST(Murmur, SignedAsInScikitLearn) {
  EXPECT_EQ(hash("foo"), -156908512);
  EXPECT_EQ(hash("foo", 42), -1322301282);
}

/// SMHasher's verification of the 32-bit function: the hash of the hashes of 256 keys.
TEST(Murmur, VerificationValue) {
  std::string key;
  Murmur3 all;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::uint32_t h = bits(key, 256 - i);
    for (int byte = 0; byte < 4; ++byte) all.add(static_cast<char>(h >> 8 * byte & 0xff));
    key += static_cast<char>(i);
  }
  EXPECT_EQ(static_cast<std::uint32_t>(all.value()), 0xb0f57ee3u);
}

TEST(Murmur, GoesOnAfterItsValue) {
  Murmur3 h;
  for (const char c : std::string("the")) h.add(c);
  EXPECT_EQ(h.value(), -1132748958);
  for (const char c : std::string(" quick")) h.add(c);
  EXPECT_EQ(h.value(), -112969417);
}

// ---- words ----

TEST(Words, LowerCaseSplitAtWhatIsNoLetter) {
  EXPECT_EQ(terms("To be, or NOT: that's 42!", 1), (Terms{"to", "be", "or", "not", "that", "s", "42"}));
  EXPECT_EQ(terms("one", 1), (Terms{"one"}));
  EXPECT_EQ(terms("a.b_c-d", 1), (Terms{"a", "b", "c", "d"}));
  EXPECT_EQ(terms("Größe ÉTÉ naïve", 1), (Terms{"größe", "ÉtÉ", "naïve"})) << "only ASCII letters change their case";
  for (const std::string_view nothing : {"", " ", "?! \t--"}) EXPECT_EQ(terms(nothing, 3), Terms{});
}

TEST(Words, TermsOfSeveralWords) {
  EXPECT_EQ(terms("A b, c", 2), (Terms{"a", "a b", "b", "b c", "c"}));
  EXPECT_EQ(terms("a b c", 3), (Terms{"a", "a b", "a b c", "b", "b c", "c"}));
  EXPECT_EQ(terms("a b", 8), (Terms{"a", "a b", "b"}));
}

TEST(Words, AreOnesOfTheLine) {
  const std::string line = "  Ab cd  ";
  Words words(chars(line));
  ASSERT_TRUE(words.next());
  EXPECT_EQ(words.current().data(), line.data() + 2);
  EXPECT_EQ(words.current().size(), 2u);
  EXPECT_TRUE(words.next());
  EXPECT_FALSE(words.next());
  EXPECT_FALSE(words.next()) << "stays at the end";
}

// ---- feature hashing ----

template <class T>
using Row = std::vector<std::pair<Index, T>>;

template <class T>
Row<T> hashed(std::string_view line, const HashingOptions& options) {
  FeatureHashing<T> hashing(options);
  const std::size_t room = count_terms(chars(line), options.ngrams);
  std::vector<Index> features(room);
  std::vector<T> values(room);
  EXPECT_TRUE(hashing.transform(chars(line), features, values)) << hashing.refusal();
  Row<T> out;
  for (Index e = 0; e < hashing.count(); ++e) out.emplace_back(features[e], values[e]);
  return out;
}

const std::string question = "To be, or not to BE: that's the question 42!";
constexpr auto plain = SampleNorm::none;

TEST(Hashing, SignsAndFeaturesOfTheTerms) {
  EXPECT_EQ(hashed<float>(question, {.bits = 18, .norm = plain}), (Row<float>{{24734, -1},
                                                                              {38437, -1},
                                                                              {79119, -1},
                                                                              {139636, 1},
                                                                              {146279, 1},
                                                                              {174171, 2},
                                                                              {174974, -2},
                                                                              {220106, -1},
                                                                              {225711, -1}}));
  EXPECT_EQ(hashed<double>("Größe ÉTÉ naïve", {.bits = 10, .norm = plain}),
            (Row<double>{{191, 1}, {449, -1}, {469, 1}}));
}

/// Of eight features two are hit by as many plus as minus: they are zero, and left out.
TEST(Hashing, TermsOfOneFeatureAddUp) {
  EXPECT_EQ(hashed<double>(question, {.bits = 3, .ngrams = 2, .norm = plain}),
            (Row<double>{{1, -2}, {2, -1}, {3, 1}, {4, 2}, {6, -4}, {7, 1}}));
}

TEST(Hashing, SublinearAndNormalised) {
  const auto row = hashed<double>(question, {.bits = 3, .ngrams = 2, .alternating = false, .sublinear = true});
  const double expected[] = {0.3123976582872681, 0.3123976582872681, 0.18450708944508545, 0.3872088452558425,
                             0.3123976582872681, 0.3123976582872681, 0.44028822712945076, 0.48145979431087566};
  ASSERT_EQ(row.size(), 8u);
  for (Index e = 0; e < 8; ++e) {
    EXPECT_EQ(row[e].first, e);
    EXPECT_NEAR(row[e].second, expected[e], 1e-15);
  }
  for (const auto& [feature, value] : hashed<float>(question, {.bits = 18, .ngrams = 2}))
    EXPECT_NEAR(std::abs(value), feature == 22935 || feature == 174171 || feature == 174974 ? 0.38490018f : 0.19245009f,
                1e-7f);
  const auto alternating = hashed<double>("to to be be be", {.sublinear = true, .norm = plain});
  ASSERT_EQ(alternating.size(), 2u);
  EXPECT_NEAR(alternating[0].second, 1 + std::log(2.0), 1e-15);
  EXPECT_NEAR(alternating[1].second, -1 - std::log(3.0), 1e-15);
}

TEST(Hashing, LinesWithoutTermsAreZero) {
  for (const std::string_view nothing : {"", "...", " \t "}) EXPECT_TRUE(hashed<float>(nothing, {}).empty());
}

TEST(Hashing, RoomForTheTermsSufficesAndLessIsRefused) {
  std::vector<Index> features(11, 7);
  std::vector<float> values(11, 7.0f);
  FeatureHashing<float> hashing({.bits = 10});
  const std::span<Index> few(features.data(), 10);
  EXPECT_FALSE(hashing.transform(chars(question), few, values));
  EXPECT_EQ(hashing.status(), Status::arena_too_small);
  EXPECT_NE(std::string(hashing.refusal()).find("room"), std::string::npos);
  EXPECT_EQ(features, std::vector<Index>(11, 7)) << "nothing touched";
  EXPECT_EQ(hashing.count(), 0u);
  EXPECT_TRUE(hashing.transform(chars(question), features, values));
  EXPECT_EQ(hashing.count(), 9u);
  EXPECT_EQ(hashing.status(), Status::running);
}

TEST(Hashing, OptionsOutOfRangeAreRefused) {
  std::vector<Index> features(20);
  std::vector<float> values(20);
  for (const HashingOptions& options : {HashingOptions{.bits = 0}, HashingOptions{.bits = 25},
                                        HashingOptions{.ngrams = 0}, HashingOptions{.ngrams = 9}}) {
    FeatureHashing<float> hashing(options);
    EXPECT_FALSE(hashing.transform(chars("a"), features, values));
    EXPECT_EQ(hashing.status(), Status::invalid_option);
    EXPECT_NE(hashing.refusal(), nullptr);
  }
  static_assert(HashingOptions{.bits = 18}.features() == 262144);
}

/// As good as unbiased: the inner product of two hashed lines is that of their counts, on average over the words.
TEST(Hashing, AlternatingSignsKeepInnerProducts) {
  double with = 0, without = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string a, b;  // ten words of which two are common
    for (int w = 0; w < 10; ++w) {
      a += " w" + std::to_string(trial * 100 + w);
      b += " w" + std::to_string(trial * 100 + (w < 2 ? w : 50 + w));
    }
    for (const bool alternating : {true, false}) {
      const HashingOptions options{.bits = 5, .alternating = alternating, .norm = plain};
      double x[32] = {}, product = 0;
      for (const auto& [feature, value] : hashed<double>(a, options)) x[feature] = value;
      for (const auto& [feature, value] : hashed<double>(b, options)) product += x[feature] * value;
      (alternating ? with : without) += product / 400;
    }
  }
  EXPECT_NEAR(with, 2, 0.3);
  EXPECT_NEAR(without, 2 + 98.0 / 32, 0.5) << "collisions add up";
}

// ---- tf-idf ----

const std::vector<Index> document_counts{2, 3, 2, 2};

template <class T>
std::vector<T> weights(const TfIdfOptions& options, const std::vector<Index>& which, std::vector<T> counts) {
  std::vector<T> idf(4);
  TfIdf<T> by(options);
  EXPECT_TRUE(by.start(document_counts, 4, idf));
  EXPECT_TRUE(by.transform(which, counts)) << by.refusal();
  return counts;
}

template <class T>
void expect_weights(T tolerance) {
  const auto near = [&](const std::vector<T>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found[e], static_cast<T>(expected[e]), tolerance);
  };
  const std::vector<Index> first{0, 1}, last{0, 2, 3};
  near(weights<T>({}, first, {3, 1}), {0.96546258856426744341, 0.26054172426462530646});
  near(weights<T>({}, last, {1, 2, 1}), {0.40824829046386301636, 0.81649658092772603273, 0.40824829046386301636});
  near(weights<T>({.norm = plain}, first, {3, 1}), {4.53247687129797204961, 1.22314355131420975576});
  near(weights<T>({.sublinear = true}, first, {3, 1}), {0.93298352924269670103, 0.35991906612715324408});
  near(weights<T>({.smooth = false}, first, {3, 1}), {0.96933698229608849986, 0.24573525337873809064});
  near(weights<T>({.smooth = false, .sublinear = true, .norm = plain}, last, {1, 2, 1}),
       {1.69314718055994530941, 2.86674737503809204350, 1.69314718055994530941});
}

TEST(TfIdf, WeightsOfTheFormula) {
  expect_weights<double>(2e-15);
  expect_weights<float>(1e-6f);
}

TEST(TfIdf, WhatIsRefused) {
  std::vector<float> idf(2), values{1, 1};
  TfIdf<float> by({.smooth = false});
  const std::vector<Index> none{2, 0}, many{2, 5}, terms{0, 2}, known{0, 1};
  EXPECT_FALSE(by.transform(known, values)) << "before start";
  EXPECT_FALSE(by.start(none, 4, idf));
  EXPECT_EQ(by.status(), Status::invalid_data);
  EXPECT_EQ(by.column(), 1u);
  EXPECT_FALSE(by.start(many, 4, idf));
  EXPECT_FALSE(by.start(std::vector<Index>{1, 1, 1}, 4, idf));
  EXPECT_EQ(by.status(), Status::invalid_shape);
  const std::vector<Index> counts{2, 4};
  ASSERT_TRUE(by.start(counts, 4, idf));
  EXPECT_EQ(idf[1], 1.0f) << "a term of all documents";
  EXPECT_FALSE(by.transform(terms, values)) << "a term that is not in the vocabulary";
  EXPECT_EQ(by.status(), Status::invalid_shape);
  EXPECT_EQ(by.column(), 1u);
  for (const float bad : {-1.0f, std::nanf(""), INFINITY}) {
    std::vector<float> wrong{1, bad};
    EXPECT_FALSE(by.transform(known, wrong));
    EXPECT_EQ(by.status(), Status::invalid_data);
    EXPECT_EQ(wrong[0], 1.0f) << "nothing touched";
  }
  std::vector<float> share{0.5f, 1};
  EXPECT_FALSE(TfIdf<float>({.sublinear = true}).transform(known, share));
  TfIdf<float> smooth;
  EXPECT_TRUE(smooth.start(none, 4, idf)) << "which has a weight for terms of no document";
}

}  // namespace
