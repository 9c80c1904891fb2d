#include "data.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "readers.hpp"

namespace tamis::cli {

std::string in_words(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string found_expected(std::size_t found, std::size_t expected, const std::string& what) {
  return in_words(found, what) + " found, " + std::to_string(expected) + " expected";
}

std::vector<std::string> split_labels(std::string_view text, char separator, const std::string& place) {
  std::vector<std::string> labels;
  if (trimmed(text).empty()) return labels;
  for (std::size_t begin = 0, end = 0; end != std::string_view::npos; begin = end + 1) {
    end = text.find(separator, begin);
    const auto label = trimmed(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (label.empty()) throw DataError(place + ": '" + printable(text) + "' has an empty label");
    if (std::find(labels.begin(), labels.end(), label) != labels.end())
      throw DataError(place + ": label '" + printable(label) + "' is given twice");
    labels.emplace_back(label);
  }
  return labels;
}

void check_features(const TextFile& file, std::size_t found, const Wanted& wanted) {
  if (wanted.features != 0 && found != wanted.features) file.fail(found_expected(found, wanted.features, "feature"));
}

void check_size(const TextFile& file, std::size_t count, const std::string& what) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (count > most) file.fail("more than " + std::to_string(most) + " " + what);
}

namespace {

/// Splits `IMAGES,LABELS`; the second part is empty if the path is that of a single file.
std::pair<std::string, std::string> split_pair(const std::string& path) {
  const auto is_file = [](const std::string& name) {
    std::error_code ignored;
    return std::filesystem::exists(name, ignored) && !std::filesystem::is_directory(name, ignored);
  };
  if (!is_file(path))
    for (auto comma = path.find(','); comma != std::string::npos; comma = path.find(',', comma + 1))
      if (comma + 1 < path.size() && is_file(path.substr(0, comma)))
        return {path.substr(0, comma), path.substr(comma + 1)};
  return {path, ""};
}

Table read_any(const std::string& path, const ReadOptions& options, const Wanted& wanted) {
  const auto [data_path, pair_labels] = options.text ? std::pair<std::string, std::string>{path, ""} : split_pair(path);
  TextFile file(data_path);
  const bool images = !options.text && (is_idx(file) || !pair_labels.empty());
  if (!pair_labels.empty() && !options.labels_file.empty())
    file.fail("its labels are given twice, by " + pair_labels + " and by " + options.labels_file);
  const std::string& labels_path = pair_labels.empty() ? options.labels_file : pair_labels;
  if (images && labels_path.empty() && wanted.labels == Labels::required)
    file.fail("idx images have no labels, name both files as IMAGES,LABELS");

  auto table = options.text           ? read_texts(file, options, wanted)
               : images               ? read_images(file, options, wanted)
               : is_libsvm(data_path) ? read_libsvm(file, options, wanted)
                                      : read_csv(file, options, wanted);
  table.path = data_path;
  if (!labels_path.empty()) {
    TextFile labels(labels_path);
    table.labels = is_idx(labels) ? read_idx_labels(labels)
                                  : read_csv_column(labels, options.header == Header::present, options.multilabel);
    if (table.labels.size() != table.samples)
      throw DataError(labels_path + ": " + in_words(table.labels.size(), "label") + " found for the " +
                      in_words(table.samples, "sample") + " of " + data_path);
    table.label_sets.clear();
    for (std::size_t i = 0; options.multilabel && i < table.samples; ++i)
      table.label_sets.push_back(split_labels(table.labels[i], ';', labels_path + ", sample " + std::to_string(i + 1)));
  }
  return table;
}

}  // namespace

Table read_table(const std::string& path, const ReadOptions& options, std::size_t features) {
  return read_any(path, options, {features, Labels::required});
}

Table read_samples(const std::string& path, const ReadOptions& options, std::size_t features) {
  return read_any(path, options, {features, Labels::optional});
}

}  // namespace tamis::cli
