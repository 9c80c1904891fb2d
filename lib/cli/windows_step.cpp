#include "windows_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "errors.hpp"
#include "model_document.hpp"
#include "readers.hpp"
#include "step_options.hpp"

namespace tamis::cli {

namespace {

using Json = nlohmann::ordered_json;

const std::vector<Named<WindowOptions>> choices{
    {"hop", &WindowOptions::hop}, {"channels", &WindowOptions::channels}, {"bands", &WindowOptions::bands}};

/// What is wrong with options and readings; null when nothing is.
const char* refusal(const WindowsStep& step) {
  const WindowOptions& o = step.options;
  if (const char* sentence = o.refusal()) return sentence;
  if (step.readings < o.length) return "a window is longer than the signal";
  return detail::saturating_multiply(o.windows(step.readings), o.features()) > std::numeric_limits<Index>::max()
             ? "there would be more than 4294967295 features: take a longer hop, or fewer bands"
             : nullptr;
}

}  // namespace

std::string WindowsStep::subject() const {
  return "signals of " + in_words(readings, "reading") + " with " + in_words(options.channels, "channel") +
         (by_channel ? ", one after the other" : "");
}

std::vector<std::string> WindowsStep::feature_names() const {
  std::vector<std::string> kinds{"mean", "deviation", "energy", "crossings"}, names;
  for (Index b = 0; b < options.bands; ++b) kinds.push_back("band" + std::to_string(b));
  names.reserve(features());
  for (Index w = 0; w < options.windows(readings); ++w)
    for (Index c = 0; c < options.channels; ++c)
      for (const auto& kind : kinds)
        names.push_back("t" + std::to_string(w * options.hop) + "/c" + std::to_string(c) + "/" + kind);
  return names;
}

std::string WindowsStep::in_cpp() const {
  std::string out = "{.length = " + std::to_string(options.length);
  for (const auto& one : choices) out += ", ." + std::string(one.name) + " = " + std::to_string(options.*(one.value));
  return out + "}";
}

void WindowsStep::fit(const Table& table) {
  if (table.features % options.channels != 0)
    throw ArgumentError("--windows: the " + in_words(table.features, "feature") + " of " + table.path +
                        " are not whole readings of " + in_words(options.channels, "channel"));
  readings = static_cast<Index>(table.features / options.channels);
  if (readings < options.length)
    throw ArgumentError("--windows: a window of " + in_words(options.length, "reading") + " is longer than the " +
                        std::to_string(readings) + " of a sample of " + table.path);
  if (const char* sentence = refusal(*this)) throw ArgumentError("--windows: " + std::string(sentence));
  columns = table.feature_names;
}

void WindowsStep::apply(Table& table) const {
  struct alignas(Arena::alignment) Block {
    std::byte bytes[Arena::alignment];
  };
  SensorWindows<double> windows(options);
  std::vector<Block> memory((windows.requirement(options).bytes + sizeof(Block) - 1) / sizeof(Block));
  if (!windows.start({memory.data()->bytes, memory.size() * sizeof(Block)}))
    throw ArgumentError("--windows: " + std::string(windows.refusal()));

  const std::size_t n = table.samples, channels = options.channels;
  std::vector<double> values(n * features()), reading(channels), now(options.features());
  for (std::size_t i = 0; i < n; ++i) {
    windows.restart();
    double* to = values.data() + i;
    for (std::size_t t = 0; t < readings; ++t) {
      for (std::size_t c = 0; c < channels; ++c)
        reading[c] = table.values[(by_channel ? c * readings + t : t * channels + c) * n + i];
      bool sound = windows.push(reading);
      if (sound && windows.ready()) {
        sound = windows.features(now);
        for (const double x : now) {
          sound &= std::isfinite(x);
          *to = x;
          to += n;
        }
      }
      if (!sound)
        throw DataError(table.path + ", line " + std::to_string(table.lines[i]) +
                        ": numbers are too large for windows, divide them with --scale");
    }
  }
  table.values = std::move(values);
  table.features = features();
  table.feature_names = feature_names();
}

WindowsStep parse_windows(const std::string& text) {
  WindowsStep step;
  std::vector<std::string> fields = split_fields(text);
  if (!read_number(fields[0], step.options.length))
    throw ArgumentError("--windows: '" + printable(fields[0]) + "' is not a number of readings, such as 64");
  if (const auto word = std::find(fields.begin(), fields.end(), "by-channel"); word != fields.end()) {
    step.by_channel = true;
    fields.erase(word);
  }
  step.options.hop = step.options.length;
  set_named("--windows", fields, choices, step.options, ", by-channel");
  if (const char* sentence = step.options.refusal()) throw ArgumentError("--windows: " + std::string(sentence));
  return step;
}

const char* windows_help() {
  return "LENGTH[,hop=LENGTH][,channels=1][,bands=0][,by-channel]: a sample is a signal, reading after reading with "
         "its "
         "channels beside each other (by-channel: channel after channel), and becomes for each window of LENGTH "
         "readings, hop apart, and each channel: mean, deviation, energy, crossings of the mean, and the powers of so "
         "many bands of frequencies. After --log and --normalise and before --standardise and --min-max";
}

Json to_json(const WindowsStep& step) {
  Json json;
  json["length"] = step.options.length;
  for (const auto& one : choices) json[one.name] = step.options.*(one.value);
  json["by_channel"] = step.by_channel;
  json["readings"] = step.readings;
  json["columns"] = step.columns.empty() ? Json(nullptr) : Json(step.columns);
  return json;
}

WindowsStep read_windows(const ModelDocument& document, const Json& json) {
  const auto number = [&](const char* name) { return document.count(json, name, "impossible windows"); };
  WindowsStep step;
  step.options.length = number("length");
  for (const auto& one : choices) step.options.*(one.value) = number(one.name);
  step.by_channel = json.at("by_channel").get<bool>();
  step.readings = number("readings");
  if (json.size() != choices.size() + 4) document.fail("has options of windows that this command does not know");
  if (const char* sentence = refusal(step)) document.fail("has impossible windows: " + std::string(sentence));
  step.columns = document.columns(json, step.inputs());
  return step;
}

}  // namespace tamis::cli
