#include "scattering_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "model_document.hpp"
#include "step_options.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Named<ScatteringOptions> sizes(const ScatteringOptions&, int at) {
  return at == 0 ? Named<ScatteringOptions>{"height", &ScatteringOptions::height}
                 : Named<ScatteringOptions>{"width", &ScatteringOptions::width};
}
constexpr Named<SignalScatteringOptions> sizes(const SignalScatteringOptions&, int) {
  return {"length", &SignalScatteringOptions::length};
}
constexpr int size_count(const ScatteringOptions&) { return 2; }
constexpr int size_count(const SignalScatteringOptions&) { return 1; }

std::vector<Named<ScatteringOptions>> choices(const ScatteringOptions&) {
  using O = ScatteringOptions;
  return {{"scales", &O::scales},
          {"orientations", &O::orientations},
          {"order", &O::order},
          {"oversampling", &O::oversampling}};
}
std::vector<Named<SignalScatteringOptions>> choices(const SignalScatteringOptions&) {
  using O = SignalScatteringOptions;
  return {
      {"scales", &O::scales}, {"per-octave", &O::per_octave}, {"order", &O::order}, {"oversampling", &O::oversampling}};
}

Index maps(const ScatteringOptions& o) { return o.maps(); }
Index maps(const SignalScatteringOptions& o) { return o.lines(); }

/// What is wrong with options; null when nothing is.
template <class Options>
const char* refusal(const Options& o) {
  if (const char* sentence = o.refusal()) return sentence;
  return o.coefficients() > std::numeric_limits<Index>::max()
             ? "there would be more than 4294967295 features: take fewer, or do without oversampling"
             : nullptr;
}

/// Sets the options after the first of `fields`. Throws ArgumentError.
template <class Options>
Options with_choices(Options o, const std::vector<std::string>& fields) {
  set_named("--scattering", fields, choices(o), o);
  o.by_position = true;
  if (const char* sentence = refusal(o)) throw ArgumentError("--scattering: " + std::string(sentence));
  return o;
}

std::string name_of(const ScatteringOptions& o, Index position) {
  return "y" + std::to_string(position / o.map_width() * o.step()) + "x" +
         std::to_string(position % o.map_width() * o.step());
}
std::string name_of(const ScatteringPath& path) {
  std::string out;
  if (path.order > 0) out += "/j" + std::to_string(path.scale) + "l" + std::to_string(path.orientation);
  if (path.order > 1) out += "/j" + std::to_string(path.second_scale) + "l" + std::to_string(path.second_orientation);
  return out;
}
std::string name_of(const SignalScatteringOptions& o, Index position) {
  return "t" + std::to_string(position * o.step());
}
std::string name_of(const SignalScatteringPath& path) {
  std::string out;
  if (path.order > 0) out += "/w" + std::to_string(path.wavelet);
  if (path.order > 1) out += "/v" + std::to_string(path.second_wavelet);
  return out;
}

ScatteringTransform<double> transform_of(const ScatteringOptions& o) { return ScatteringTransform<double>(o); }
SignalScatteringTransform<double> transform_of(const SignalScatteringOptions& o) {
  return SignalScatteringTransform<double>(o);
}

template <class Options>
void scatter(const Options& o, Table& table) {
  struct alignas(Arena::alignment) Line {
    std::byte bytes[Arena::alignment];
  };
  auto transform = transform_of(o);
  std::vector<Line> memory((transform.requirement(o).bytes + sizeof(Line) - 1) / sizeof(Line));
  const std::span<std::byte> arena(memory.data()->bytes, memory.size() * sizeof(Line));
  if (!transform.start(arena)) throw ArgumentError("--scattering: " + std::string(transform.refusal()));

  constexpr std::size_t block = 16;  // columns are far apart
  const std::size_t n = table.samples, inputs = table.features, outputs = o.coefficients();
  std::vector<double> values(n * outputs), from(block * inputs), to(block * outputs);
  for (std::size_t first = 0; first < n; first += block) {
    const std::size_t count = std::min(block, n - first);
    for (std::size_t j = 0; j < inputs; ++j)
      for (std::size_t i = 0; i < count; ++i) from[i * inputs + j] = table.values[j * n + first + i];
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<double> features(to.data() + i * outputs, outputs);
      if (!transform.transform({from.data() + i * inputs, inputs}, features) ||
          !std::all_of(features.begin(), features.end(), [](double x) { return std::isfinite(x); }))
        throw DataError(table.path + ", line " + std::to_string(table.lines[first + i]) +
                        ": numbers are too large for scattering, divide them with --scale");
    }
    for (std::size_t j = 0; j < outputs; ++j)
      for (std::size_t i = 0; i < count; ++i) values[j * n + first + i] = to[i * outputs + j];
  }
  table.values = std::move(values);
  table.features = outputs;
}

}  // namespace

std::size_t ScatteringStep::inputs() const {
  if (const auto* image = std::get_if<ScatteringOptions>(&options)) return std::size_t{image->height} * image->width;
  return std::get<SignalScatteringOptions>(options).length;
}

std::size_t ScatteringStep::features() const {
  return std::visit([](const auto& o) { return o.coefficients(); }, options);
}

std::size_t ScatteringStep::of_a_position() const {
  return std::visit([](const auto& o) { return std::size_t{maps(o)}; }, options);
}

std::string ScatteringStep::subject() const {
  if (const auto* image = std::get_if<ScatteringOptions>(&options))
    return std::to_string(image->height) + "x" + std::to_string(image->width) + " images";
  return "signals of " + std::to_string(std::get<SignalScatteringOptions>(options).length) + " entries";
}

std::vector<std::string> ScatteringStep::feature_names() const {
  return std::visit(
      [](const auto& o) {
        std::vector<std::string> paths, names;
        for (Index map = 0; map < maps(o); ++map) paths.push_back(name_of(o.path(map)));
        names.reserve(o.coefficients());
        for (Index position = 0; names.size() < o.coefficients(); ++position) {
          const std::string place = name_of(o, position);
          for (const auto& path : paths) names.push_back(place + path);
        }
        return names;
      },
      options);
}

std::string ScatteringStep::in_cpp() const {
  return std::visit(
      [](const auto& o) {
        std::string out = "{";
        const auto add = [&](const auto& one) {
          std::string name = one.name;
          std::replace(name.begin(), name.end(), '-', '_');
          out += "." + name + " = " + std::to_string(o.*(one.value)) + ", ";
        };
        for (int at = 0; at < size_count(o); ++at) add(sizes(o, at));
        for (const auto& one : choices(o)) add(one);
        return out + ".by_position = true}";
      },
      options);
}

void ScatteringStep::apply(Table& table) const {
  std::visit([&](const auto& o) { scatter(o, table); }, options);
  table.feature_names = feature_names();
}

ScatteringStep parse_scattering(const std::string& text) {
  const std::vector<std::string> fields = split_fields(text);
  const std::string_view size = fields[0];
  const auto cross = size.find('x');
  ScatteringOptions image;
  SignalScatteringOptions signal;
  if (cross != std::string_view::npos && read_number(size.substr(0, cross), image.height) &&
      read_number(size.substr(cross + 1), image.width))
    return {with_choices(image, fields)};
  if (read_number(size, signal.length)) return {with_choices(signal, fields)};
  throw ArgumentError("--scattering: '" + printable(size) +
                      "' is neither HEIGHTxWIDTH of images nor LENGTH of signals, such as 28x28 or 512");
}

const char* scattering_help() {
  return "HEIGHTxWIDTH[,scales=2][,orientations=8][,order=2][,oversampling=0] of images, or "
         "LENGTH[,scales=4][,per-octave=1][,order=2][,oversampling=0] of signals: features become scattering "
         "coefficients, after --log and --normalise and before --standardise and --min-max. Those of a position stand "
         "together, so that `--groups blocks:SIZE`, SIZE being how many there are (81 of images), groups them by "
         "position";
}

Json to_json(const ScatteringStep& step) {
  return std::visit(
      [&](const auto& o) {
        Json json;
        for (int at = 0; at < size_count(o); ++at) json[sizes(o, at).name] = o.*(sizes(o, at).value);
        for (const auto& one : choices(o)) json[one.name] = o.*(one.value);
        json["columns"] = step.columns.empty() ? Json(nullptr) : Json(step.columns);
        return json;
      },
      step.options);
}

ScatteringStep read_scattering(const ModelDocument& document, const Json& json) {
  const auto read = [&](auto o) {
    std::size_t known = 1;
    const auto take = [&](const auto& one) {
      o.*(one.value) = document.count(json, one.name, "an impossible scattering");
      ++known;
    };
    for (int at = 0; at < size_count(o); ++at) take(sizes(o, at));
    for (const auto& one : choices(o)) take(one);
    if (json.size() != known) document.fail("has options of scattering that this command does not know");
    o.by_position = true;
    if (const char* sentence = refusal(o)) document.fail("has an impossible scattering: " + std::string(sentence));
    ScatteringStep step{o};
    step.columns = document.columns(json, step.inputs());
    return step;
  };
  return json.contains("length") ? read(SignalScatteringOptions{}) : read(ScatteringOptions{});
}

}  // namespace tamis::cli
