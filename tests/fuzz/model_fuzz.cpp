// Model files of every kind: what loads is written as it was read, and predicts within its classes.
#include <nlohmann/json.hpp>
#include <optional>

#include "interaction_model_file.hpp"
#include "kernel_model_file.hpp"
#include "model_document.hpp"
#include "model_file.hpp"
#include "tables.hpp"

namespace {

using namespace tamis;
using namespace tamis::fuzz;

/// Two samples of a model's columns, or of texts.
cli::Table samples_of(const MemoryFile& file, std::size_t columns) {
  cli::Table out;
  out.path = file.path();
  out.samples = 2;
  out.features = columns;
  out.lines = {1, 2};
  for (std::size_t i = 0; i < 2 * columns; ++i) out.values.push_back(static_cast<double>(i % 5) - 1);
  return out;
}

void check_labels(const std::vector<double>& z, std::size_t classes) {
  const auto labels = cli::decide(z, classes);
  expect(labels.size() == 2, "each sample has a class");
  for (const Label label : labels) expect(label < classes, "a model that loads predicts within its classes");
}

void use(const MemoryFile& file, const cli::StoredModel& model) {
  if (model.columns() > 4096) return;
  const auto table = accepted(file, [&] {
    cli::Table out = samples_of(file, model.columns());
    if (model.steps.text) {
      out.sparse = true;
      out.features = 0;
      out.values.clear();
      out.starts = {0};
      out.texts = {"one two, two words", ""};
    }
    if (model.steps.any()) model.steps.apply(out);
    return out;
  });
  if (!table) return;
  expect(table->features == model.coefficients.features, "the steps make the features of the model");
  check_labels(model.precision == "float" ? cli::scores<float>(*table, model.coefficients)
                                          : cli::scores<double>(*table, model.coefficients),
               model.classes.size());
  (void)cli::names_to_expect(model);
  if (!model.has_probabilities()) return;
  std::vector<double> p(model.classes.size(), 0.5);
  const auto probabilities = model.probabilities();
  expect(probabilities.predict(p.data()) < model.classes.size(), "a calibrated model predicts within its classes");
  probabilities.probabilities(p.data(), p.data());
}

void use(const MemoryFile& file, const cli::StoredInteractions& model) {
  const auto z = cli::scores(samples_of(file, model.model.features), model.model.view());
  expect(z.size() == 2 * (model.regression() ? 1 : model.classes.size()), "there is a score for each class");
  if (!model.regression()) check_labels(z, model.classes.size());
  (void)cli::names_to_expect(model);
}

void use(const MemoryFile& file, const cli::StoredKernels& model) {
  cli::Table table = samples_of(file, model.model.features);
  cli::standardise_by(table, model.standardisation);
  const auto z = accepted(file, [&] { return cli::scores(table, model.model.view()); });
  if (z) check_labels(*z, model.classes.size());
  (void)cli::names_to_expect(model);
}

template <class Read>
void load(MemoryFile& file, const Read& read) {
  const auto model = accepted(file, [&] { return read(cli::ModelDocument(file.path())); });
  if (!model) return;
  use(file, *model);
  const std::string written = cli::to_json(*model);
  file.set(written);
  const auto again = accepted(file, [&] { return read(cli::ModelDocument(file.path())); });
  expect(again.has_value(), "a model that is written can be read");
  expect(cli::to_json(*again) == written, "a model that is written is read as the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static MemoryFile file;
  file.set({data, size});
  const auto kind = accepted(file, [&] { return cli::ModelDocument(file.path()).kind(); });
  if (!kind) return 0;
  if (*kind == "interactions") load(file, [](const cli::ModelDocument& d) { return cli::read_interactions(d); });
  else if (*kind == "kernels") load(file, [](const cli::ModelDocument& d) { return cli::read_kernels(d); });
  else load(file, [](const cli::ModelDocument& d) { return cli::read_model(d); });
  return 0;
}
