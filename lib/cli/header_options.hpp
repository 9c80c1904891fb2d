#pragma once
/// What the C headers of all kinds of models take alike: names, and samples for the self-test.

#include <string>
#include <vector>

#include "model_record.hpp"
#include "tamis/model/export_c.hpp"

namespace tamis::cli {

/// Numbers in the precision of a header.
template <class T>
std::vector<T> in_precision(const std::vector<double>& numbers) {
  return {numbers.begin(), numbers.end()};
}

/// The options of a header, and what they point to; both must outlive it. Samples are as they stand in the data file.
template <class T>
class HeaderOptions {
 public:
  HeaderOptions(const ModelRecord& model, const std::string& name) {
    for (const auto& label : model.classes) labels_.push_back(label.c_str());
    for (const auto& feature : model.feature_names) names_.push_back(feature.c_str());
    for (const auto& sample : model.self_test)
      for (const double x : sample) samples_.push_back(static_cast<T>(x * model.scale));
    options_ = {.name = name.c_str(),
                .labels = labels_.data(),
                .feature_names = names_.empty() ? nullptr : names_.data(),
                .samples = samples_.data(),
                .sample_count = static_cast<Index>(model.self_test.size())};
  }
  HeaderOptions(const HeaderOptions&) = delete;
  HeaderOptions& operator=(const HeaderOptions&) = delete;

  operator const ExportOptions<T>&() const { return options_; }
  const std::vector<T>& samples() const { return samples_; }

 private:
  std::vector<const char*> labels_, names_;
  std::vector<T> samples_;
  ExportOptions<T> options_;
};

/// What `write(text)` writes, which says how long it is.
template <class Write>
std::string written(Write write) {
  std::string text(write(std::span<char>()), '\0');
  write(std::span<char>(text));
  return text;
}

}  // namespace tamis::cli
