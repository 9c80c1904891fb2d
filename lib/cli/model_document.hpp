#pragma once
/// The JSON that the model files of all kinds have in common, written and read.

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model_record.hpp"

namespace tamis::cli {

/// The JSON of a model, written member by member in the order of the file.
class ModelWriter {
 public:
  using Json = nlohmann::ordered_json;

  /// From `format` to `features`. `kept`: the features that the file says something about; `in_float`: its
  /// coefficients are floats.
  ModelWriter(const ModelRecord& model, const char* kind, std::size_t features, std::vector<std::size_t> kept,
              bool in_float);

  Json& operator[](const char* member) { return json_[member]; }
  Json number(double value) const { return in_float_ ? shortest(static_cast<float>(value)) : value; }
  Json numbers(const double* values, std::size_t count) const;
  /// The scalings of the kept features: null where there are none.
  Json column_scales(const std::vector<ColumnScale<double>>& columns, const char* mean) const;
  /// `intercept`, `scale` and `standardisation`.
  void add_scales(const std::vector<double>& intercepts);
  /// `self_test`, those columns alone. Returns the text of the file.
  std::string finish(const std::vector<std::size_t>& columns, bool as_floats = false);

 private:
  const ModelRecord& model_;
  std::vector<std::size_t> kept_;
  bool in_float_;
  Json json_;
};

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
  /// A whole number of 32 bits; of another it complains that the file "has `what`".
  Index count(const Json& json, const char* member, const std::string& what) const;
  /// What the data call their columns, if anything.
  std::vector<std::string> columns(const Json& json, std::size_t count) const;
  /// The text of a member, one of `names`.
  std::string known(const char* member, std::initializer_list<const char*> names) const;
  /// That many numbers.
  std::vector<double> numbers(const Json& json, std::size_t count) const;
  /// Of a model in float: no number of it is beyond the range of float.
  void check_floats(const std::vector<double>& numbers) const;
  /// Entries of the members `mean` and `scale`, one for each of `indices`, in a list with one for each feature.
  std::vector<ColumnScale<double>> column_scales(const Json& json, const char* mean,
                                                 const std::vector<std::size_t>& indices, std::size_t features) const;
  /// What stands in all files alike: `scale`, `standardisation` of the kept features, `samples` and `precision`.
  void read_record(ModelRecord& model, const std::vector<std::size_t>& kept, std::size_t features) const;
  /// The same of a kind that has no preparation, whose scales are positive, and with `lambda` and `self_test`.
  void read_plain_record(ModelRecord& model, const std::vector<std::size_t>& kept, std::size_t features) const;
  /// The names of two classes or more.
  std::vector<std::string> class_names() const;

 private:
  std::string path_, kind_;
  Json json_;
};

}  // namespace tamis::cli
