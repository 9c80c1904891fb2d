#pragma once
/// The words of a line of text, and its terms: words, and words that follow each other.

#include <span>

#include "../shape.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ASCII letters and digits are, and all bytes of UTF-8 sequences; everything else parts words.
constexpr bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         static_cast<unsigned char>(c) >= 0x80;
}
/// Of ASCII letters; other bytes as they are.
constexpr char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// The words of a line one after the other, as long as each can be.
class Words {
 public:
  constexpr explicit Words(std::span<const char> line) : line_(line) {}

  /// Goes to the next word; false after the last.
  constexpr bool next() {
    first_ = end_;
    while (first_ < line_.size() && !in_word(line_[first_])) ++first_;
    end_ = first_;
    while (end_ < line_.size() && in_word(line_[end_])) ++end_;
    return end_ > first_;
  }
  /// As written.
  constexpr std::span<const char> current() const { return line_.subspan(first_, end_ - first_); }

 private:
  std::span<const char> line_;
  std::size_t first_ = 0, end_ = 0;
};

/// visit(term) for every 1 to `ngrams` words that follow each other, in lower case with one space between them. A term
/// is a `Term`, empty by default, that took them by `add(char)`. Cost: `ngrams` times the bytes of the line.
template <class Term, class Visit>
constexpr void for_each_term(std::span<const char> line, Index ngrams, Visit visit) {
  for (Words first(line); first.next();) {
    Term term{};
    Words last = first;
    for (Index n = 1;; ++n) {
      for (const char c : last.current()) term.add(lower_case(c));
      visit(term);
      if (n >= ngrams || !last.next()) break;
      term.add(' ');
    }
  }
}

/// How many terms a line has, repeated ones each time.
constexpr std::size_t count_terms(std::span<const char> line, Index ngrams) {
  std::size_t words = 0, terms = 0;
  for (Words all(line); all.next();) ++words;
  for (std::size_t n = 0; n < ngrams && n < words; ++n) terms += words - n;
  return terms;
}

/// The most that a line of so many bytes can have.
constexpr std::size_t most_terms(std::size_t bytes, Index ngrams) {
  const std::size_t words = bytes / 2 + bytes % 2;
  std::size_t terms = 0;
  for (std::size_t n = 0; n < ngrams && n < words; ++n) terms += words - n;
  return terms;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
