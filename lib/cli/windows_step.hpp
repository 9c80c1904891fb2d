#pragma once
/// Windows over sensor readings as a step of the data's preparation. Kept with the model.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "data.hpp"
#include "tamis/features/windows.hpp"

namespace tamis::cli {

class ModelDocument;

/// A sample is a signal of `readings` readings, all channels of a reading beside each other, or all readings of a
/// channel; it becomes the features of all its windows, one window after the other.
struct WindowsStep {
  WindowOptions options;
  bool by_channel = false;
  Index readings = 0;
  std::vector<std::string> columns = {};  ///< what the data call the values; none: nothing

  /// Columns of the data, and of what becomes of them.
  std::size_t inputs() const { return std::size_t{readings} * options.channels; }
  std::size_t features() const { return options.windows(readings) * options.features(); }
  /// `signals of 32 readings with 2 channels`.
  std::string subject() const;
  /// `t16/c1/energy`: channel 1 of the window that begins with reading 16.
  std::vector<std::string> feature_names() const;
  /// The options as they are written in C++.
  std::string in_cpp() const;

  /// Takes the number of readings, and the names, from the training samples. Throws ArgumentError when their columns
  /// are not whole readings, or fewer than a window has.
  void fit(const Table& table);
  /// Columns and their names become those of the features, computed in double. Throws DataError naming the line of a
  /// sample whose numbers are too large.
  void apply(Table& table) const;
};

/// `LENGTH`, with options after commas. Throws ArgumentError naming --windows.
WindowsStep parse_windows(const std::string& text);
/// What --help says of it.
const char* windows_help();

nlohmann::ordered_json to_json(const WindowsStep& step);
/// Complains as the document does.
WindowsStep read_windows(const ModelDocument& document, const nlohmann::ordered_json& json);

}  // namespace tamis::cli
