#pragma once
/// Feature hashing: lines of text as sparse samples of a fixed number of features, without a vocabulary.

#include <algorithm>
#include <span>

#include "../linalg/elementary.hpp"
#include "last_call.hpp"
#include "murmur.hpp"
#include "normalise.hpp"
#include "words.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

struct HashingOptions {
  Index bits = 18;          ///< b: there are 2^b features
  Index ngrams = 1;         ///< the most words of a term
  bool alternating = true;  ///< a term counts +1 or −1, as its hash says
  bool sublinear = false;   ///< a total c becomes sign(c)·(1 + ln |c|)
  SampleNorm norm = SampleNorm::l2;

  static constexpr Index most_bits = 24, most_ngrams = 8;

  constexpr Index features() const { return Index(1) << bits; }
  /// What is wrong, and how to put it right; null when nothing is.
  constexpr const char* refusal() const {
    if (bits == 0 || bits > most_bits) return "feature hashing takes 1 to 24 bits";
    if (ngrams == 0 || ngrams > most_ngrams) return "terms have 1 to 8 words";
    return nullptr;
  }
};

/// x_j = Σ over the terms with |h| mod 2^b = j of sign(h), h = MurmurHash3 of the term with seed 0 and sign(0) = +1,
/// then sublinear and divided by the norm, as options say. A line without terms is a sample of zeros.
///
/// Memory: what the caller gives for the row. Cost of m terms: hashing `ngrams` times the bytes of the line, and a sort
/// of m numbers.
///
/// Source: Weinberger et al., Feature hashing for large scale multitask learning, 2009; Blondel et al. (2013) has 2^18
/// features. Hash, feature and sign of a term are those that scikit-learn's FeatureHasher documents.
template <class T>
class FeatureHashing : public LastCall {
 public:
  constexpr explicit FeatureHashing(const HashingOptions& options = {}) : options_(options) {}

  /// One line into the features that are not zero, ascending, and their values: `count()` of them. Both need room for
  /// count_terms(line, ngrams) entries, which is at most most_terms(line.size(), ngrams). False: refused, and nothing
  /// touched.
  bool transform(std::span<const char> line, std::span<Index> features, std::span<T> values) {
    count_ = 0;
    if (const char* sentence = options_.refusal()) return refuse(Status::invalid_option, sentence);
    const std::size_t terms = count_terms(line, options_.ngrams);
    if (features.size() < terms || values.size() < terms)
      return refuse(Status::arena_too_small, "the line has more terms than there is room for: see count_terms()");
    // Features with their signs in the lowest bit are sorted, then each run of one feature becomes an entry.
    Index* const first = features.data();
    Index* last = first;
    for_each_term<Murmur3>(line, options_.ngrams, [&](const Murmur3& term) {
      const std::int32_t hash = term.value();
      const std::uint32_t size = hash < 0 ? 0u - static_cast<std::uint32_t>(hash) : static_cast<std::uint32_t>(hash);
      *last++ = (size & (options_.features() - 1)) << 1 | (hash < 0 && options_.alternating ? 1u : 0u);
    });
    std::make_heap(first, last);
    std::sort_heap(first, last);
    for (const Index* at = first; at != last;) {
      const Index feature = *at >> 1;
      T total = 0;
      for (; at != last && *at >> 1 == feature; ++at) total += *at & 1 ? T(-1) : T(1);
      if (total == T(0)) continue;
      if (options_.sublinear) total = sign(total) * (T(1) + logarithm(absolute(total)));
      features[count_] = feature;
      values[count_++] = total;
    }
    normalise(values.data(), count_, options_.norm);
    return accept();
  }

  const HashingOptions& options() const { return options_; }
  /// Of the last line.
  Index count() const { return count_; }

 private:
  HashingOptions options_;
  Index count_ = 0;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
