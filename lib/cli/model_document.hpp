#pragma once
/// The JSON of a model file of any kind, as its readers see it.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tamis/features/standardise.hpp"

namespace tamis::cli {

/// A file that says that it is a model of a version that is known. Complaints are DataErrors that name the file.
class ModelDocument {
 public:
  using Json = nlohmann::ordered_json;

  explicit ModelDocument(const std::string& path);

  const std::string& path() const { return path_; }
  /// `linear`, `interactions`, `kernels`, …
  const std::string& kind() const { return kind_; }
  const Json& json() const { return json_; }

  [[noreturn]] void fail(const std::string& what) const;
  /// What `read()` returns; what is missing or of the wrong type in the JSON is a complaint.
  template <class Read>
  auto converted(const Read& read) const {
    try {
      return read();
    } catch (const Json::exception&) {
      fail("lacks a part of a model, or has one of the wrong type");
    }
  }
  /// A whole number below `end`; of another number it complains that the file "has `what`".
  std::size_t whole(const Json& json, const std::string& what, std::size_t end) const;
  /// A list of them.
  std::vector<std::size_t> indices(const Json& json, std::size_t end) const;
  /// How many samples a model has learned from; 0: it does not say.
  std::uint32_t samples() const;
  /// That many numbers.
  std::vector<double> numbers(const Json& json, std::size_t count) const;
  /// Entries of the members `mean` and `scale`, one for each of `indices`, in a list with one for each feature.
  std::vector<ColumnScale<double>> column_scales(const Json& json, const char* mean,
                                                 const std::vector<std::size_t>& indices, std::size_t features) const;

 private:
  std::string path_, kind_;
  Json json_;
};

}  // namespace tamis::cli
