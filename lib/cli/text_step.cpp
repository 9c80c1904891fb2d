#include "text_step.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "errors.hpp"
#include "model_document.hpp"
#include "readers.hpp"
#include "tamis/features/tf_idf.hpp"
#include "tamis/model/blob.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Of tokens, terms and weights: another one gives other numbers for the same text.
constexpr int vocabulary_version = 1;

struct Term {
  std::string text;
  void add(char c) { text += c; }
};

[[gnu::cold]] std::string checksum(const TextStep& step) {
  std::string all = std::to_string(vocabulary_version);
  for (const Index number : {step.bits, step.ngrams, Index(step.sublinear), step.min_df, step.documents})
    all += ' ' + std::to_string(number);
  for (std::size_t t = 0; t < step.terms.size(); ++t)
    all += '\n' + step.terms[t] + '\t' + std::to_string(step.counts[t]);
  char text[16];
  std::snprintf(text, sizeof text, "%08x", detail::crc32(std::as_bytes(std::span(all))));
  return text;
}

HashingOptions hashing_options(const TextStep& step) {
  return {.bits = step.bits, .ngrams = step.ngrams, .sublinear = step.sublinear};
}

/// What is wrong with the options; null when nothing is.
const char* refusal(const TextStep& step) {
  HashingOptions options = hashing_options(step);
  if (!step.hashes()) options.bits = 1;
  return options.refusal();
}

/// The entries of each text, one after the other.
struct Rows {
  std::vector<Entry> entries;
  std::vector<std::size_t> ends;
};

Rows hashed(const TextStep& step, const Table& table) {
  FeatureHashing<double> hashing(hashing_options(step));
  std::vector<Index> features;
  std::vector<double> values;
  Rows out;
  for (const auto& text : table.texts) {
    features.resize(count_terms(text, step.ngrams));
    values.resize(features.size());
    hashing.transform(text, features, values);
    for (Index e = 0; e < hashing.count(); ++e) out.entries.push_back({features[e], values[e]});
    out.ends.push_back(out.entries.size());
  }
  return out;
}

Rows weighted(const TextStep& step, const Table& table) {
  std::unordered_map<std::string_view, Index> number;
  for (std::size_t t = 0; t < step.terms.size(); ++t) number.emplace(step.terms[t], static_cast<Index>(t));
  TfIdf<double> weights({.sublinear = step.sublinear});
  std::vector<double> idf(step.terms.size()), values;
  weights.start(step.counts, step.documents, idf);
  std::vector<Index> found, terms;
  Rows out;
  for (const auto& text : table.texts) {
    found.clear();
    for_each_term<Term>(text, step.ngrams, [&](const Term& term) {
      if (const auto at = number.find(term.text); at != number.end()) found.push_back(at->second);
    });
    std::sort(found.begin(), found.end());
    terms.clear();
    values.clear();
    for (const Index term : found) {
      if (terms.empty() || terms.back() != term) {
        terms.push_back(term);
        values.push_back(0);
      }
      values.back() += 1;
    }
    weights.transform(terms, values);
    for (std::size_t e = 0; e < terms.size(); ++e) out.entries.push_back({terms[e], values[e]});
    out.ends.push_back(out.entries.size());
  }
  return out;
}

}  // namespace

void TextStep::learn(const Table& table) {
  column = table.text_column;
  if (hashes()) return;
  struct Seen {
    Index texts, last;
  };
  std::unordered_map<std::string, Seen> seen;
  documents = static_cast<Index>(table.texts.size());
  for (Index i = 0; i < documents; ++i)
    for_each_term<Term>(table.texts[i], ngrams, [&](const Term& term) {
      Seen& now = seen.try_emplace(term.text, Seen{0, documents}).first->second;
      if (now.last != i) ++now.texts;
      now.last = i;
    });
  if (seen.empty()) throw DataError(table.path + ": no text has a word");
  for (const auto& [term, how] : seen)
    if (how.texts >= min_df) terms.push_back(term);
  if (terms.empty())
    throw DataError(table.path + ": no word is in " + std::to_string(min_df) + " of the " +
                    in_words(documents, "training text") + ": lower --min-df");
  std::sort(terms.begin(), terms.end());
  for (const auto& term : terms) counts.push_back(seen.at(term).texts);
}

void TextStep::apply(Table& table) const {
  const Rows rows = hashes() ? hashed(*this, table) : weighted(*this, table);
  table.features = features();
  table.feature_names = terms;
  compress_columns(rows.entries, rows.ends, table);
  table.texts.clear();
}

std::string TextStep::empty_sentence(const Table& table, const std::string& samples) const {
  std::vector<bool> has(table.samples);
  for (const auto row : table.rows) has[row] = true;
  const auto first = std::find(has.begin(), has.end(), false);
  if (first == has.end()) return "";
  const auto count = std::count(first, has.end(), false);
  return std::to_string(count) + " of " + std::to_string(table.samples) + " " + samples +
         (count == 1 ? " has no word" : " have no words") + (hashes() ? "" : " of the vocabulary") + " (first: line " +
         std::to_string(table.lines[static_cast<std::size_t>(first - has.begin())]) +
         "): all features are zero, and the score is the intercept";
}

void TextArguments::declare(const Command& command) {
  command.add_option("--text", kind,
                     "DATA are texts, lines of a label, a tab and the text, or a column of a .csv: tf-idf, weights of "
                     "the training texts' words | hashing:BITS, 2^BITS features that words are hashed to");
  options_ = {
      command.add_option("--text-column", column, "of --text: which column of a CSV, a name or a number from 0"),
      command.add_option("--ngrams", ngrams, "of --text: terms are words, and up to this many in a row")
          ->between(1, HashingOptions::most_ngrams)
          ->capture_default_str(),
      command.add_option("--min-df", min_df, "of --text tf-idf: leave out terms of fewer training texts")
          ->between(1, ~Index(0))
          ->capture_default_str(),
      command.add_flag("--sublinear", sublinear, "of --text: a term that occurs c times counts 1 + ln c")};
}

std::optional<TextStep> TextArguments::step() const {
  if (kind.empty()) {
    for (const Option& option : options_)
      if (option->count()) throw ArgumentError(option->get_name() + " is for --text: give both");
    return std::nullopt;
  }
  TextStep out{.ngrams = ngrams, .sublinear = sublinear, .min_df = min_df};
  const std::string hashing = "hashing:";
  if (kind.starts_with(hashing)) {
    const char* const end = kind.data() + kind.size();
    const auto [stop, error] = std::from_chars(kind.data() + hashing.size(), end, out.bits);
    if (error != std::errc() || stop != end || !out.hashes() || refusal(out))
      throw ArgumentError("--text: '" + printable(kind) + "': hashing takes 1 to " +
                          std::to_string(HashingOptions::most_bits) + " bits, such as hashing:18");
    if (min_df > 1) throw ArgumentError("--min-df is for --text tf-idf: hashing counts no texts");
  } else if (kind != "tf-idf") {
    throw ArgumentError("--text: '" + printable(kind) + "' is not one of tf-idf, hashing:BITS");
  }
  return out;
}

void set_text(ReadOptions& options, const std::optional<TextStep>& step, const std::string& column) {
  if (!step) {
    if (!column.empty()) throw ArgumentError("--text-column: the samples are not texts");
    return;
  }
  if (options.scale != 1) throw ArgumentError("--scale is for numbers, and the samples are texts");
  options.text = true;
  if (!column.empty()) options.text_column = column;
  options.usual_text_column = step->column;
}

Json to_json(const TextStep& step) {
  Json json;
  json["version"] = vocabulary_version;
  json["kind"] = step.hashes() ? "hashing" : "tf-idf";
  if (step.hashes()) json["bits"] = step.bits;
  json["ngrams"] = step.ngrams;
  json["sublinear"] = step.sublinear;
  json["column"] = step.column.empty() ? Json(nullptr) : Json(step.column);
  if (!step.hashes()) {
    json["min_df"] = step.min_df;
    json["documents"] = step.documents;
    json["vocabulary"] = step.terms;
    json["document_counts"] = step.counts;
  }
  json["crc32"] = checksum(step);
  return json;
}

TextStep read_text(const ModelDocument& document, const Json& json) {
  const Json& version = json.at("version");
  if (version != vocabulary_version)
    document.fail("has a vocabulary of version " + printable(version.dump()) + ", and this command makes version " +
                  std::to_string(vocabulary_version) + ": train again, or predict with the command that trained it");
  const auto number = [&](const char* name) { return document.count(json, name, "an impossible text preparation"); };
  TextStep out;
  const auto kind = json.at("kind").get<std::string>();
  if (kind != "hashing" && kind != "tf-idf") document.fail("has an unknown kind of text preparation");
  if (kind == "hashing") out.bits = number("bits");
  out.ngrams = number("ngrams");
  out.sublinear = json.at("sublinear").get<bool>();
  if (const Json& column = json.at("column"); !column.is_null()) out.column = column.get<std::string>();
  if (kind == "tf-idf") {
    out.min_df = number("min_df");
    out.documents = number("documents");
    out.terms = json.at("vocabulary").get<std::vector<std::string>>();
    const auto counts = document.indices(json.at("document_counts"), std::size_t(1) << 32);
    out.counts.assign(counts.begin(), counts.end());
  }
  if (const char* sentence = refusal(out))
    document.fail("has an impossible text preparation: " + std::string(sentence));
  bool sound = out.features() > 0 && out.counts.size() == out.terms.size() && json.at("crc32") == checksum(out);
  for (std::size_t t = 0; t < out.terms.size() && sound; ++t)
    sound = out.counts[t] >= 1 && out.counts[t] <= out.documents && (t == 0 || out.terms[t - 1] < out.terms[t]);
  if (!sound) document.fail("has a vocabulary that was changed after training: its checksum does not fit");
  return out;
}

}  // namespace tamis::cli
