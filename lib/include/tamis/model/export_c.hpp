#pragma once
/// A model as a C header: constants in flash, a predict function, and a self-test.

#include "../version.hpp"
#include "linear.hpp"
#include "text_sink.hpp"

namespace tamis {

/// What the header is called and what it is tested with.
template <class T>
struct ExportOptions {
  const char* name = "model";                     ///< prefix of every symbol: a C identifier
  const char* const* labels = nullptr;            ///< names of the classes; null: their numbers
  const char* const* feature_names = nullptr;     ///< written as comments; null: none
  const T* samples = nullptr;                     ///< self-test samples, row-major, all features of the model
  Index sample_count = 0;
};

namespace detail {

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// Writes the header piece by piece. Symbols: NAME_FEATURES, NAME_KEPT, NAME_CLASSES, name_features, name_weights,
/// name_intercepts, name_labels, name_scores_of_kept, name_scores, name_predict_kept, name_predict, name_self_test.
template <class T>
class CExporter {
 public:
  CExporter(const LinearModel<T>& model, const ExportOptions<T>& options, TextSink& out)
      : model_(model), options_(options), out_(out) {
    for (Index j = 0; j < model.features; ++j) kept_ += model.uses(j);
  }

  void write() {
    head();
    tables();
    functions();
    self_test();
    out_ << "#endif\n";
  }

 private:
  static constexpr const char* type = sizeof(T) == sizeof(float) ? "float" : "double";
  Index array_size() const { return kept_ ? kept_ : 1; }

  void macro(const char* suffix) {
    for (const char* c = options_.name; *c; ++c) out_ << upper(*c);
    out_ << suffix;
  }

  void head() {
    const std::uint32_t bytes = std::uint32_t((kept_ + 1) * model_.classes * sizeof(T) + kept_ * 2);
    out_ << "/* " << options_.name << ": a linear classifier trained by tamis " << version << ".\n   " << model_.classes
         << " classes; " << kept_ << " of " << model_.features << " features are read; " << bytes
         << " bytes of constants.\n   C99 and C++, no dependencies. */\n";
    out_ << "#ifndef TAMIS_MODEL_";
    macro("_H\n#define TAMIS_MODEL_");
    macro("_H\n\n#define ");
    macro("_FEATURES ");
    out_ << model_.features << "\n#define ";
    macro("_KEPT ");
    out_ << kept_ << "\n#define ";
    macro("_CLASSES ");
    out_ << model_.classes << "\n\n";
  }

  template <class Visit>
  void for_each_kept(Visit visit) const {
    for (Index j = 0; j < model_.features; ++j)
      if (model_.uses(j)) visit(j);
  }

  void tables() {
    out_ << "/* Positions in a sample of the features that are read; the others need not be measured. */\n";
    out_ << "static const unsigned " << (model_.features > 65536 ? "int " : "short ") << options_.name << "_features[" << array_size() << "] = {";
    Index count = 0;
    for_each_kept([&](Index j) { out_ << (count++ ? (count % 16 == 1 ? ",\n  " : ", ") : "") << j; });
    out_ << (count ? "};\n\n" : "0};\n\n");

    out_ << "static const " << type << ' ' << options_.name << "_weights[" << array_size() << "][" << model_.classes
         << "] = {\n";
    for_each_kept([&](Index j) {
      out_ << "  {";
      for (Index k = 0; k < model_.classes; ++k) out_ << (k ? ", " : "") << model_(j, k);
      out_ << "},";
      if (options_.feature_names) {
        out_ << "  /* ";
        quoted(options_.feature_names[j]);
        out_ << " */";
      }
      out_ << '\n';
    });
    if (!kept_) out_ << "  {0}\n";
    out_ << "};\nstatic const " << type << ' ' << options_.name << "_intercepts[" << model_.classes << "] = {";
    for (Index k = 0; k < model_.classes; ++k) out_ << (k ? ", " : "") << model_.intercept(k);
    out_ << "};\nstatic const char *const " << options_.name << "_labels[" << model_.classes << "] = {";
    for (Index k = 0; k < model_.classes; ++k) {
      out_ << (k ? ", \"" : "\"");
      if (options_.labels) quoted(options_.labels[k]);
      else out_ << k;
      out_ << '"';
    }
    out_ << "};\n\n";
  }

  /// Text that cannot end a string or a comment early.
  void quoted(const char* text) {
    for (; *text; ++text) {
      const bool plain = *text >= ' ' && *text != '"' && *text != '\\' && *text != '/' && *text != '?' && *text != 127;
      const bool beyond_ascii = static_cast<unsigned char>(*text) >= 128;
      out_ << (plain || beyond_ascii ? *text : '_');
    }
  }

  void functions() {
    const char* const n = options_.name;
    out_ << "/* scores[k] = intercepts[k] + sum of kept[j] * weights[j][k]; `kept` holds the features that are read, in order. "
            "*/\nstatic inline void "
         << n << "_scores_of_kept(const " << type << " *kept, " << type << " *scores) {\n  int j, k;\n  for (k = 0; k < ";
    macro("_CLASSES; ++k) scores[k] = ");
    out_ << n << "_intercepts[k];\n  for (j = 0; j < ";
    macro("_KEPT; ++j)\n    for (k = 0; k < ");
    macro("_CLASSES; ++k) scores[k] += kept[j] * ");
    out_ << n << "_weights[j][k];\n}\n\n/* The same from a whole sample. */\nstatic inline void " << n << "_scores(const "
         << type << " *sample, " << type << " *scores) {\n  " << type << " kept[" << array_size()
         << "];\n  int j;\n  for (j = 0; j < ";
    macro("_KEPT; ++j) kept[j] = sample[");
    out_ << n << "_features[j]];\n  " << n
         << "_scores_of_kept(kept, scores);\n}\n\nstatic inline int " << n << "_top(const " << type
         << " *scores) {\n  int k, top = 0;\n  for (k = 1; k < ";
    macro("_CLASSES; ++k)\n    if (scores[k] > scores[top]) top = k;\n  return top;\n}\n\n");
    out_ << "/* The class of a sample: its number, from 0; " << n << "_labels has the names. */\nstatic inline int " << n
         << "_predict(const " << type << " *sample) {\n  " << type << " scores[" << model_.classes << "];\n  " << n
         << "_scores(sample, scores);\n  return " << n << "_top(scores);\n}\nstatic inline int " << n
         << "_predict_kept(const " << type << " *kept) {\n  " << type << " scores[" << model_.classes << "];\n  " << n
         << "_scores_of_kept(kept, scores);\n  return " << n << "_top(scores);\n}\n\n";
  }

  /// Rounding allowed for compilers that fuse products and sums.
  T tolerance() const {
    T top = 0;
    for_each_test([&](const T* x) {
      for (Index k = 0; k < model_.classes; ++k) {
        T size = absolute(model_.intercept(k));
        for (Index j = 0; j < model_.features; ++j) size += absolute(x[j] * model_(j, k));
        top = largest(top, size);
      }
    });
    return T(16) * epsilon<T> * top;
  }
  template <class Visit>
  void for_each_test(Visit visit) const {
    for (Index i = 0; i < options_.sample_count; ++i)
      visit(options_.samples + static_cast<std::size_t>(i) * model_.features);
  }

  void self_test() {
    const char* const n = options_.name;
    out_ << "/* 0 when the scores of " << options_.sample_count
         << " training samples come out here as they did in training; otherwise the number of the first that does not. */\n"
            "static inline int "
         << n << "_self_test(void) {\n";
    if (!options_.sample_count) {
      out_ << "  return 0;\n}\n\n";
      return;
    }
    out_ << "  static const " << type << " samples[" << options_.sample_count << "][" << array_size() << "] = {\n";
    for_each_test([&](const T* x) {
      out_ << "    {";
      Index count = 0;
      for_each_kept([&](Index j) { out_ << (count++ ? ", " : "") << x[j]; });
      out_ << (count ? "},\n" : "0},\n");
    });
    out_ << "  };\n  static const " << type << " expected[" << options_.sample_count << "][" << model_.classes << "] = {\n";
    for_each_test([&](const T* x) {
      out_ << "    {";
      for (Index first = 0; first < model_.classes; first += lanes<T>) {
        const auto part = model_.scores(x, 1, first);
        for (Index k = first; k < smallest(model_.classes, first + lanes<T>); ++k)
          out_ << (k ? ", " : "") << part.entry[k - first];
      }
      out_ << "},\n";
    });
    out_ << "  };\n  static const int classes[" << options_.sample_count << "] = {";
    Index count = 0;
    for_each_test([&](const T* x) { out_ << (count++ ? ", " : "") << std::uint32_t(model_.predict(x)); });
    out_ << "};\n  const " << type << " tolerance = " << tolerance() << ";\n  " << type << " scores[" << model_.classes
         << "];\n  int i, k;\n  for (i = 0; i < " << options_.sample_count << "; ++i) {\n    " << n
         << "_scores_of_kept(samples[i], scores);\n    if (" << n
         << "_top(scores) != classes[i]) return i + 1;\n    for (k = 0; k < ";
    macro("_CLASSES; ++k) {\n      const ");
    out_ << type << " off = scores[k] - expected[i][k];\n      if (!(off <= tolerance && -off <= tolerance)) return i + 1;\n"
         << "    }\n  }\n  return 0;\n}\n\n";
  }

  const LinearModel<T>& model_;
  const ExportOptions<T>& options_;
  TextSink& out_;
  Index kept_ = 0;
};

}  // namespace detail

/// Writes the header into `out` and returns its length in characters (no terminating zero). If that is more than
/// `out.size()`, the text is cut: call again with that much. Only features with a coefficient appear.
template <class T>
std::size_t export_c(const LinearModel<T>& model, const ExportOptions<T>& options, std::span<char> out) {
  TextSink sink(out);
  detail::CExporter<T>(model, options, sink).write();
  return sink.length();
}

}  // namespace tamis
