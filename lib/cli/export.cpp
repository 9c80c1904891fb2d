#include <cctype>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "errors.hpp"
#include "header_options.hpp"
#include "interaction_model_file.hpp"
#include "kernel_model_file.hpp"
#include "model_document.hpp"
#include "model_file.hpp"
#include "output_file.hpp"
#include "quantised_header.hpp"
#include "tamis/model/export_interactions_c.hpp"
#include "tamis/model/export_kernels_c.hpp"
#include "tamis/model/export_prepared_c.hpp"
#include "tamis/model/export_probabilities_c.hpp"

namespace tamis::cli {

namespace {

struct ExportArguments {
  std::string model;
  std::string format;
  std::string output;
  std::string name;
  std::string precision = "float";
  QuantiseArguments quantise;
};

/// A C identifier made of a file name.
std::string identifier(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "model_");
  return name;
}

bool is_identifier(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

template <class T>
[[noreturn]] void refuse_range() {
  throw ArgumentError("--precision: the numbers of this model do not fit in " +
                      std::string(sizeof(T) == sizeof(float) ? "float, take double" : "double"));
}

/// The functions after a header that make probabilities of its scores; `sample`: one as it is weighted, for the
/// self-test, or null.
template <class T>
std::string probabilities(const StoredModel& model, const LinearModel<T>& view, const T* sample,
                          const std::string& name) {
  const Calibration<double> from = model.probabilities();
  std::vector<T> slopes, offsets, scores;
  Calibration<T> calibration{from.kind, from.classes};
  if (model.calibration) {
    calibration.slopes = (slopes = in_precision<T>(model.calibration->slopes)).data();
    calibration.offsets = (offsets = in_precision<T>(model.calibration->offsets)).data();
  }
  if (sample) {
    scores.resize(view.classes);
    view.scores(sample, scores.data());
  }
  for (const auto* numbers : {&slopes, &offsets, &scores})
    for (const T x : *numbers)
      if (!finite(x)) refuse_range<T>();
  return written([&](std::span<char> out) {
    return export_probabilities_c(calibration, name.c_str(), scores.empty() ? nullptr : scores.data(), out);
  });
}

/// The header. Its functions take features as they stand in the data file: --scale is folded into the weights, or a
/// step.
template <class T>
std::string header(const StoredModel& model, const std::string& name) {
  const Coefficients& c = model.coefficients;
  const Index stride = padded<T>(static_cast<Index>(c.classes));
  const StoredSteps& steps = model.steps;
  const double divisor = steps.any() ? 1 : model.scale;
  std::vector<T> weights((c.features + 1) * stride);
  for (std::size_t j = 0; j < c.features; ++j)
    for (std::size_t k = 0; k < c.classes; ++k) weights[j * stride + k] = static_cast<T>(c.weight(j, k) / divisor);
  for (std::size_t k = 0; k < c.classes; ++k) weights[c.features * stride + k] = static_cast<T>(c.intercepts[k]);

  const LinearModel<T> view{weights.data(), static_cast<Index>(c.features), static_cast<Index>(c.classes)};
  const HeaderOptions<T> options(model, name);
  const auto with_probabilities = [&](const std::vector<T>& prepared) {
    return model.has_probabilities() ? probabilities(model, view, prepared.empty() ? nullptr : prepared.data(), name)
                                     : std::string();
  };
  if (steps.any()) {
    const auto means = in_precision<T>(steps.missing_means);
    const SampleSteps<T> by{.divisor = static_cast<T>(model.scale),
                            .means = steps.fills_missing() ? means.data() : nullptr,
                            .log = {static_cast<T>(steps.log.low), static_cast<T>(steps.log.high)},
                            .norm = steps.norm};
    if (steps.takes_log() && !by.log.valid())
      throw ArgumentError("--precision: the bounds of the logarithm do not fit in float, take double");
    std::vector<T> prepared = options.samples();
    for (std::size_t i = 0; i < model.self_test.size(); ++i) by.apply(prepared.data() + i * c.features, view.features);
    return written([&](std::span<char> out) { return export_prepared_c<T>(view, options, by, prepared.data(), out); }) +
           with_probabilities(prepared);
  }
  return written([&](std::span<char> out) { return export_c<T>(view, options, out); }) +
         with_probabilities(options.samples());
}

/// Throws ArgumentError when the constants of a header, or the scores of its self-test, are too large or too small for
/// T.
template <class T>
void check_range(const InteractionTerms<T>& model, const std::vector<T>& centres, std::vector<T> samples) {
  bool fits = true;
  for (const auto& term : model.terms)
    fits &= finite(term.coefficient) && absolute(term.coefficient) >= std::numeric_limits<T>::min();
  for (Index k = 0; k < model.outputs; ++k) fits &= finite(model.intercept(k));
  for (std::size_t e = 0; e < samples.size() && !centres.empty(); ++e) samples[e] -= centres[e % model.features];
  for (std::size_t i = 0; i < samples.size(); i += model.features)
    for (Index k = 0; k < model.outputs; ++k) fits &= finite(model.score(samples.data() + i, 1, k));
  if (!fits) refuse_range<T>();
}

template <class T>
void check_range(const KernelExpansion<T>& model, const std::vector<ColumnScale<T>>& columns,
                 const std::vector<T>& samples) {
  bool fits = true;
  for (const auto& kernel : model.kernels) fits &= kernel.refusal() == nullptr;
  for (const auto& column : columns) fits &= finite(column.mean) && finite(column.scale) && column.scale != 0;
  std::vector<T> x(model.samples.features), scores(model.outputs);
  for (std::size_t first = 0; first < samples.size(); first += x.size()) {
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = columns.empty() ? samples[first + j] : (samples[first + j] - columns[j].mean) / columns[j].scale;
    model.scores({x.data(), model.samples.features, 1}, scores.data());
    for (const T score : scores) fits &= finite(score);
  }
  for (std::size_t e = 0; e < model.terms.size() * model.outputs; ++e) fits &= finite(model.coefficients[e]);
  if (!fits) refuse_range<T>();
}

/// The header of a model with interactions: --scale is folded into the coefficients, and standardised features are
/// taken around their means, where products keep the digits that they have in training.
template <class T>
std::string header(const StoredInteractions& model, const std::string& name) {
  const bool centred = !model.standardisation.empty();
  const KeptTerms kept = centred ? model.model.around_means(model.standardisation) : model.model;
  const auto features = static_cast<Index>(kept.features);
  std::vector<InteractionTerm<T>> list;
  for (const auto& term : kept.terms)
    if (term.coefficient != 0)
      list.push_back({term.output, term.first, term.second,
                      static_cast<T>(term.coefficient / model.scale / (term.is_product() ? model.scale : 1))});
  const auto intercepts = in_precision<T>(kept.intercepts);
  std::vector<T> centres;
  for (const auto& column : model.standardisation) centres.push_back(static_cast<T>(column.mean * model.scale));
  const InteractionTerms<T> view{list, intercepts.data(), features, static_cast<Index>(intercepts.size())};
  const HeaderOptions<T> options(model, name);
  check_range(view, centres, options.samples());
  std::vector<Index> positions(features);
  return written([&](std::span<char> out) {
    return export_interactions_c<T>(view, options, positions, out, centred ? centres.data() : nullptr);
  });
}

/// The header of a kernel expansion, whose functions shift and divide features as training did.
template <class T>
std::string header(const StoredKernels& stored, const std::string& name) {
  const KeptExpansion& model = stored.model;
  const auto rows = in_precision<T>(model.samples), coefficients = in_precision<T>(model.coefficients),
             intercepts = in_precision<T>(model.intercepts);
  std::vector<Kernel<T>> kernels;
  for (const auto& kernel : model.kernels)
    kernels.push_back({kernel.kind, static_cast<T>(kernel.a), static_cast<T>(kernel.b)});
  const auto features = static_cast<Index>(model.features);
  const KernelExpansion<T> view{
      kernels,           {rows.data(), static_cast<Index>(model.origins.size()), features, features, 1},
      model.terms,       coefficients.data(),
      intercepts.data(), static_cast<Index>(model.outputs())};
  std::vector<ColumnScale<T>> columns;
  if (stored.scale != 1 || !stored.standardisation.empty())
    for (Index j = 0; j < features; ++j) {
      const auto by = stored.standardisation.empty() ? ColumnScale<double>{} : stored.standardisation[j];
      columns.push_back({static_cast<T>(by.mean * stored.scale), static_cast<T>(by.scale * stored.scale)});
    }
  const HeaderOptions<T> options(stored, name);
  check_range(view, columns, options.samples());
  std::vector<T> scratch(features + view.outputs);
  return written([&](std::span<char> out) {
    return export_kernels_c<T>(view, options, scratch, out, columns.empty() ? nullptr : columns.data());
  });
}

/// The model of features that the steps make, as a model of samples.
StoredModel after_steps(StoredModel model) {
  for (auto& sample : model.self_test) {
    Table one;
    one.path = "self_test";
    one.samples = 1;
    one.features = sample.size();
    one.values = sample;
    one.lines = {1};
    model.steps.apply(one);
    sample = std::move(one.values);
  }
  model.steps = {};
  model.scale = 1;
  return model;
}

/// Where the features of `after_steps` come from, as a comment.
std::string features_comment(const StoredModel& model) {
  const StoredSteps& steps = model.steps;
  char divisor[40];
  std::snprintf(divisor, sizeof divisor, "%.9g", model.scale);
  StoredSteps others = steps;
  others.scattering.reset();
  others.windows.reset();
  const std::string how =
      steps.windows ? "those of all windows of tamis::SensorWindows with the options\n   " + steps.windows->in_cpp()
                    : "scattering coefficients, those of tamis::" +
                          std::string(std::holds_alternative<ScatteringOptions>(steps.scattering->options)
                                          ? "ScatteringTransform"
                                          : "SignalScatteringTransform") +
                          " with the options\n   " + steps.scattering->in_cpp();
  return "/* The features are " + how + ",\n   of " + steps.subject() + " whose values are divided by " + divisor +
         (others.any() ? ", then take the other steps of `preparation` in the JSON of the model" : "") + ". */\n";
}

/// A sketch that tests the model, then classifies the samples that arrive as lines of the features that are read.
/// `counts`: as integers, which the header makes of them.
std::string sketch(const std::string& header, const std::string& name, bool whole, bool regression, bool counts) {
  const std::string read = "Serial.parseFloat()";
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const std::string size = upper + (whole ? "_FEATURES" : "_KEPT");
  return header + "\n/* Reads the " + (whole ? "" : "kept ") +
         "features of one sample, separated by commas or blanks, and prints " +
         (regression ? "the number that is predicted" : "its class") + ". */\nstatic " +
         (counts ? "int16_t " : "float ") + name + "_sample[" + size + " ? " + size +
         " : 1];\n\n"
         "void setup() {\n"
         "  Serial.begin(115200);\n"
         "  Serial.println(" +
         name +
         "_self_test() == 0 ? \"self-test passed\" : \"self-test FAILED\");\n"
         "}\n\n"
         "void loop() {\n"
         "  if (!Serial.available()) return;\n"
         "  for (int j = 0; j < " +
         size + "; ++j) " + name + "_sample[j] = " + (counts ? name + "_count(" + read + ", j)" : read) +
         ";\n"
         "  while (Serial.available() && Serial.read() != '\\n') {}\n"
         "  Serial.println(" +
         (regression ? name + "_value_of_kept(" + name + "_sample), 6"
                     : name + "_labels[" + name + (whole ? "_predict(" : "_predict_kept(") + name + "_sample)]") +
         ");\n"
         "}\n";
}

void run(const ExportArguments& a) {
  const std::string name = a.name.empty() ? identifier(a.output.empty() ? a.model : a.output) : a.name;
  if (!is_identifier(name)) throw ArgumentError("--name: '" + name + "' is not a C identifier");
  check_one_of("--precision", a.precision, {"float", "double"});
  a.quantise.check();
  if (a.quantise.wanted() && a.precision != "float")
    throw ArgumentError("--precision: with --quantise there are integers alone");
  check_one_of("--format", a.format, {"c", "json", "arduino"});
  if (a.quantise.wanted() && a.format == "json")
    throw ArgumentError("--quantise: the weights of a JSON file are as they were trained: take --format c or arduino");
  const ModelDocument document(a.model);
  if (a.quantise.wanted() && document.kind() != "linear")
    throw ArgumentError("--quantise: '" + a.model + "' is a model with " +
                        (document.kind() == "kernels" ? "kernels" : "products of features") +
                        ", and only the sums of linear models are exact in integers: export it without");
  const auto in_format = [&](const auto& model, bool whole, bool regression) {
    if (a.format == "json") return to_json(model);
    if (a.format == "c") return a.precision == "float" ? header<float>(model, name) : header<double>(model, name);
    return sketch(header<float>(model, name), name, whole, regression, false);
  };
  std::string text, said;
  if (document.kind() == "interactions") {
    const StoredInteractions model = read_interactions(document);
    text = in_format(model, false, model.regression());
  } else if (document.kind() == "kernels") {
    text = in_format(read_kernels(document), true, false);
  } else {
    const StoredModel model = read_model(document);
    if (model.steps.text && a.format != "json")
      throw ArgumentError("--format " + a.format +
                          ": the model takes texts, which exported code cannot split into words: take `tamis predict`, "
                          "or in C++ the words of tamis::" +
                          (model.steps.text->hashes() ? "FeatureHashing" : "TfIdf") +
                          " with the coefficients of the JSON");
    const std::string kind = model.steps.windows ? "window" : "scattering";
    if (a.quantise.wanted()) {
      const QuantisedHeader quantised = quantised_header(model, name, a.quantise);
      text = a.format == "c" ? quantised.text : sketch(quantised.text, name, false, false, true);
      said = quantised.said;
    } else if (model.steps.transforms() && a.format == "arduino") {
      throw ArgumentError("--format arduino: the model takes " + kind + " features, which the sketch cannot make of " +
                          model.steps.subject() + ": take --format c, and transform them before");
    } else if (model.steps.transforms() && a.format == "c") {
      text = features_comment(model) + in_format(after_steps(model), false, false);
      said = "the header takes " + std::to_string(model.coefficients.features) + " " + kind + " features, not " +
             model.steps.subject() + ": its first comment says which\n";
    } else {
      text = in_format(model, model.steps.norm != SampleNorm::none, false);
    }
  }
  if (a.output.empty()) std::cout << text;
  else write_file(a.output, text);
  std::cerr << said;
}

}  // namespace

void declare_export(const Command& app) {
  auto a = std::make_shared<ExportArguments>();
  const Command command = app.add_subcommand("export", "write a model for use elsewhere");
  command.add_option("MODEL", a->model, "a model written by train, interactions or kernels")
      ->type_name(input_type)
      ->required();
  command.add_option("--format", a->format, "c (a header) | json | arduino (a sketch)")->required();
  command.add_option("--output", a->output, "file to write (default: standard output)")->type_name(output_type);
  command.add_option("--name", a->name, "prefix of the C symbols (default: from the file name)");
  command.add_option("--precision", a->precision, "scalar type of the C header: float | double")->capture_default_str();
  a->quantise.declare(command);
  command.callback([a] { run(*a); });
}

}  // namespace tamis::cli
