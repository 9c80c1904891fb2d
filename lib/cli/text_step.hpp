#pragma once
/// Texts as a step of the data's preparation: their words become sparse features. Kept with the model.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "data.hpp"
#include "tamis/features/hashing.hpp"

namespace tamis::cli {

// In files that are compiled for speed, what speaks with people is cold: compiled for size.

class ModelDocument;

/// tf-idf weights of the terms of a vocabulary, or hashed features where there are bits. Rows have ℓ2 norm 1.
struct TextStep {
  Index bits = 0;
  Index ngrams = 1;
  bool sublinear = false;
  Index min_df = 1;                     ///< a term of the vocabulary is in as many texts
  Index documents = 0;                  ///< that the vocabulary was learned from
  std::vector<std::string> terms = {};  ///< ascending by their bytes
  std::vector<Index> counts = {};       ///< texts with each
  std::string column = {};              ///< what a header called the texts

  bool hashes() const { return bits > 0; }
  std::size_t features() const { return hashes() ? std::size_t{1} << bits : terms.size(); }

  /// Makes the vocabulary, where there is one. Throws DataError when no term is in enough texts.
  void learn(const Table& table);
  /// Texts become sparse features, their terms the names of these; unknown terms are left out.
  void apply(Table& table) const;
  /// One line for people, without its end, when there are rows of zeros among `samples`; otherwise empty.
  [[gnu::cold]] std::string empty_sentence(const Table& table, const std::string& samples) const;
};

/// --text and what goes with it.
struct TextArguments {
  std::string kind, column;
  Index ngrams = 1, min_df = 1;
  bool sublinear = false;

  [[gnu::cold]] void declare(const Command& command);
  /// Nothing without --text. Throws ArgumentError for what does not go together.
  [[gnu::cold]] std::optional<TextStep> step() const;

 private:
  std::vector<Option> options_ = {};
};

/// How samples are read for these steps; `column` is --text-column. Throws ArgumentError where it means nothing, or a
/// scale does not.
void set_text(ReadOptions& options, const std::optional<TextStep>& step, const std::string& column);

[[gnu::cold]] nlohmann::ordered_json to_json(const TextStep& step);
/// Complains as the document does, of a vocabulary of another version or a damaged one too.
[[gnu::cold]] TextStep read_text(const ModelDocument& document, const nlohmann::ordered_json& json);

}  // namespace tamis::cli
