#pragma once
/// Reading samples and their labels from CSV, LIBSVM and idx files, any of them gzipped or not.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "text_file.hpp"

namespace tamis::cli {

/// Whether the first line of a CSV file names the columns; automatic: it does if a field other than the label is a
/// word.
enum class Header { automatic, present, absent };

struct ReadOptions {
  std::optional<std::string> label = {};  // CSV: name or 0-based index of the label column; the first column by default
  Header header = Header::automatic;
  double scale = 1;              // all features are divided by it; finite and not 0
  std::string labels_file = {};  // one label per line (or idx of rank 1); then every column of the data is a feature.
                                 // It has a header line only with Header::present.
  bool missing = false;          // what parse_number says, NaN and nan are missing values, NaN in the table: CSV alone
  std::string subject = {};      // CSV: the name of a column that is no feature but says whom a sample comes from
  std::vector<std::string> names = {};  // what the header of a CSV must call the features, "" being anything
  bool multilabel = false;  // samples may have several labels, `a,b` in LIBSVM text and `a;b` in CSV, or none
  bool text = false;        // samples are texts: `label<TAB>text` lines, or a column of a CSV (.csv, before .gz)
  std::optional<std::string> text_column = {};  // CSV: its name or 0-based index; by default the one that is left
  std::string usual_text_column = {};           // CSV: taken before that if there is a column of that name
};

/// Samples as read: dense column-major, or sparse by compressed columns. Those of texts are sparse, and have no
/// features yet.
struct Table {
  std::string path;  // of the file with the features
  std::size_t samples = 0, features = 0;
  bool sparse = false;
  std::vector<double> values;  // NaN where missing; dense: samples·features, column-major; sparse: the entries, none 0
  std::vector<std::uint32_t> rows;         // sparse: the sample of each entry, ascending within a column
  std::vector<std::uint32_t> starts;       // sparse: features + 1 positions in `rows`
  std::vector<std::string> feature_names;  // empty if the file has none
  std::vector<std::string> labels;         // as written, without blanks around them and quotes; empty if there are none
  std::vector<std::vector<std::string>> label_sets = {};  // the labels of each sample, if there may be several or none
  std::vector<std::string> subjects = {};                 // of the column of that name, if one was asked for
  std::vector<std::string> texts = {};                    // of the samples, in UTF-8, if they are texts
  std::string text_column = {};                           // what a header calls them
  std::vector<std::size_t> lines;  // where each sample is in the file, from 1; idx: its number, from 1

  bool has_labels() const { return !labels.empty(); }
};

/// Reads labelled samples. Where these are texts, CSV is recognised by the ending .csv. Of other samples LIBSVM text is
/// recognised by the ending .svm, .libsvm or .txt (before .gz), idx by its content or as a pair of paths
/// `IMAGES,LABELS`; all else is CSV. `features` ≠ 0 is the number of features the data must have; sparse data may have
/// fewer.
Table read_table(const std::string& path, const ReadOptions& options, std::size_t features = 0);

/// Reads samples of `features` features with labels or, in CSV and idx files, without. A CSV file has a label column if
/// it has one column more than features. Lines of text have labels if the first one has a tab.
Table read_samples(const std::string& path, const ReadOptions& options, std::size_t features);

/// One number per line, `count` of them.
std::vector<double> read_numbers(const std::string& path, std::size_t count);

}  // namespace tamis::cli
