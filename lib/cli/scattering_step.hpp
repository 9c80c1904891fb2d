#pragma once
/// Scattering as a step of the data's preparation: pixels, or entries of signals, become features. Kept with the model.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "data.hpp"
#include "tamis/features/scattering.hpp"
#include "tamis/features/signal_scattering.hpp"

namespace tamis::cli {

// In files that are compiled for speed, what speaks with people is cold: compiled for size.

class ModelDocument;

/// What is transformed, and how; all features of a position stand together.
struct ScatteringStep {
  std::variant<ScatteringOptions, SignalScatteringOptions> options;
  std::vector<std::string> columns = {};  ///< what the data call the pixels or entries; none: nothing

  /// Columns of the data, of what becomes of them, and of the latter those of one position.
  std::size_t inputs() const;
  std::size_t features() const;
  std::size_t of_a_position() const;
  /// `28x28 images` or `signals of 512 entries`.
  std::string subject() const;
  /// One for each feature: where it is, in pixels or entries, then the wavelets of its path. `y4x10/j0l3/j1l5`: row 4,
  /// column 10, scale 0 and orientation 3, scale 1 and orientation 5. `t16/w3/v1`: entry 16, wavelets of order 1 and 2
  /// by their number from the highest frequency.
  [[gnu::cold]] std::vector<std::string> feature_names() const;
  /// The options as they are written in C++.
  [[gnu::cold]] std::string in_cpp() const;

  /// Columns and their names become those of the features, computed in double. Throws DataError naming the line of a
  /// sample whose numbers are too large. Memory: samples·features doubles. Cost: one transform a sample.
  void apply(Table& table) const;
};

/// `HEIGHTxWIDTH` or `LENGTH`, with options after commas. Throws ArgumentError naming --scattering.
[[gnu::cold]] ScatteringStep parse_scattering(const std::string& text);
/// What --help says of it.
const char* scattering_help();

[[gnu::cold]] nlohmann::ordered_json to_json(const ScatteringStep& step);
/// Complains as the document does.
[[gnu::cold]] ScatteringStep read_scattering(const ModelDocument& document, const nlohmann::ordered_json& json);

}  // namespace tamis::cli
