// Lines of text, and what is learned from them: a vocabulary and weights, or hashed words. A vocabulary that is written
// is read as the same, and one that was changed is refused.
#include <nlohmann/json.hpp>
#include <optional>

#include "model_document.hpp"
#include "readers.hpp"
#include "tables.hpp"
#include "text_step.hpp"

namespace {

using namespace tamis;
using namespace tamis::fuzz;
using Json = cli::ModelDocument::Json;

/// The vocabulary that `json` holds, as a model file's reader sees it.
std::optional<cli::TextStep> read(MemoryFile& file, const Json& json) {
  file.set(Json{{"format", "tamis-model"}, {"version", 1}, {"kind", "linear"}, {"text", json}}.dump());
  return accepted(file, [&] {
    const cli::ModelDocument document(file.path());
    return document.converted([&] { return cli::read_text(document, document.json().at("text")); });
  });
}

void check_vocabulary(MemoryFile& file, const cli::TextStep& step, std::uint8_t change) {
  Json json = cli::to_json(step);
  const auto same = read(file, json);
  expect(same && cli::to_json(*same) == json, "a vocabulary that is written is read as the same");
  if (step.hashes()) return;
  const std::size_t at = change / 4 % step.terms.size();
  if (change % 4 == 0) json["document_counts"][at] = step.counts[at] + 1;
  if (change % 4 == 1) json["vocabulary"][at] = step.terms[at] + "x";
  if (change % 4 == 2) json["documents"] = step.documents + 1;
  if (change % 4 == 3) json["vocabulary"].erase(at);
  expect(!read(file, json), "a vocabulary that was changed is refused");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  Bytes bytes(data, size);
  const std::uint8_t choices = bytes.byte(), change = bytes.byte();
  cli::ReadOptions options{.header = static_cast<cli::Header>(bytes.below(3)), .text = true};
  options.multilabel = choices & 1;
  if (choices & 2) options.labels_file = "elsewhere";
  cli::TextStep step{
      .bits = choices & 4 ? 1u + bytes.below(8) : 0, .ngrams = 1 + bytes.below(3), .sublinear = (choices & 8) != 0};
  step.min_df = step.hashes() ? 1 : 1 + bytes.below(2);  // hashing counts no texts
  const cli::Wanted wanted{0, choices & 16 ? cli::Labels::optional : cli::Labels::required};
  file.set(bytes.rest());
  auto table = accepted(file, [&] {
    cli::TextFile text(file.path(), small_buffer);
    cli::Table out = cli::read_texts(text, options, wanted);
    out.path = file.path();
    return out;
  });
  if (!table) return 0;
  check_table(*table);
  expect(table->texts.size() == table->samples, "each sample has a text");
  for (const auto& text : table->texts) (void)Json(text).dump();  // throws for what is not UTF-8
  for (const auto& label : table->labels) (void)Json(label).dump();

  if (!accepted(file, [&] { return step.learn(*table), true; })) return 0;
  step.apply(*table);
  table->feature_names.clear();
  expect(table->texts.empty() && table->features == step.features(), "texts become features");
  check_table(*table);
  check_vocabulary(file, step, change);
  return 0;
}
