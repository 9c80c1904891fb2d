#pragma once
/// The readers of the formats, and what they share. Callers use data.hpp.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "data.hpp"

namespace tamis::cli {

enum class Labels { required, optional };

/// What the data must look like.
struct Wanted {
  std::size_t features;  // 0: any number
  Labels labels;
};

Table read_csv(TextFile& file, const ReadOptions& options, const Wanted& wanted);
/// The fields of a file with one column; `header`: the first line is none of them; `empty`: fields may be empty.
std::vector<std::string> read_csv_column(TextFile& file, bool header, bool empty);

/// A column of texts, beside that of the labels. There is a header unless the options say otherwise.
Table read_csv_texts(TextFile& file, const ReadOptions& options, const Wanted& wanted);

bool is_libsvm(std::string_view path);
Table read_libsvm(TextFile& file, const ReadOptions& options, const Wanted& wanted);

/// A value of a sparse sample.
struct Entry {
  std::uint32_t feature;
  double value;
};
/// Fills rows, values and starts from entries given sample by sample; sample i ends at `ends[i]`.
void compress_columns(const std::vector<Entry>& entries, const std::vector<std::size_t>& ends, Table& table);

/// Texts of any kind.
Table read_texts(TextFile& file, const ReadOptions& options, const Wanted& wanted);
/// Complains about a text of the last line, at a place in it, that is not UTF-8, which a model's file could not hold.
void check_utf8(const TextFile& file, std::string_view text, const std::string& place = "");

bool is_idx(TextFile& file);
std::vector<std::string> read_idx_labels(TextFile& file);
Table read_images(TextFile& file, const ReadOptions& options, const Wanted& wanted);

/// The labels that `text` lists, none if it is empty. Throws DataError at `place` for an empty or a repeated one.
std::vector<std::string> split_labels(std::string_view text, char separator, const std::string& place);

/// `3 features`, `1 feature`.
std::string in_words(std::size_t count, const std::string& what);
std::string found_expected(std::size_t found, std::size_t expected, const std::string& what);
void check_features(const TextFile& file, std::size_t found, const Wanted& wanted);
/// Counts are 32 bits wide in the library.
void check_size(const TextFile& file, std::size_t count, const std::string& what);

/// `rows` is samples × features, row-major; goes by blocks that fit in the cache.
template <class T, class Convert>
std::vector<double> column_major(const std::vector<T>& rows, std::size_t samples, std::size_t features,
                                 const Convert& convert) {
  constexpr std::size_t block = 64;
  std::vector<double> result(samples * features);
  for (std::size_t first = 0; first < samples; first += block)
    for (std::size_t left = 0; left < features; left += block)
      for (std::size_t j = left; j < std::min(left + block, features); ++j)
        for (std::size_t i = first; i < std::min(first + block, samples); ++i)
          result[j * samples + i] = convert(rows[i * features + j]);
  return result;
}

}  // namespace tamis::cli
