#pragma once
/// A model as a C header: constants in flash, a predict function, and a self-test.

#include "../version.hpp"
#include "linear.hpp"
#include "text_sink.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What the header is called and what it is tested with.
template <class T>
struct ExportOptions {
  const char* name = "model";                  ///< prefix of every symbol: a C identifier
  const char* const* labels = nullptr;         ///< names of the classes; null: their numbers
  const char* const* feature_names = nullptr;  ///< written as comments; null: none
  const T* samples = nullptr;                  ///< self-test samples, row-major, all features of the model
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
    head(kept_);
    tables();
    scores_of_kept();
    scores();
    top();
    predict();
    predict_kept();
    self_test(options_.samples, tolerance(options_.samples, 16), false);
    write("#endif\n");
  }

 protected:
  /// Writes text in which these characters stand for something:
  ///     @ name   ^ NAME   ~ float or double   % classes   $ kept features   ? entries of an array of them, at least 1
  [[gnu::noinline]] void write(const char* text) {
    for (; *text; ++text) {
      switch (*text) {
        case '@': out_ << options_.name; break;
        case '^':
          for (const char* c = options_.name; *c; ++c) out_ << upper(*c);
          break;
        case '~': out_ << (sizeof(T) == sizeof(float) ? "float" : "double"); break;
        case '%': out_ << model_.classes; break;
        case '$': out_ << kept_; break;
        case '?': out_ << (kept_ ? kept_ : 1); break;
        default: out_ << *text;
      }
    }
  }

  /// `read`: features that are read; `more`: bytes of constants beside the usual; `needs`: what it depends on.
  void head(Index read, std::uint32_t more = 0, const char* needs = "no dependencies") {
    const std::uint32_t bytes = std::uint32_t((kept_ + 1) * model_.classes * sizeof(T) + kept_ * 2) + more;
    write("/* @: a linear classifier trained by tamis ");
    out_ << version;
    write(".\n   % classes; ");
    out_ << read;
    write(" of ");
    out_ << model_.features;
    write(" features are read; ");
    out_ << bytes;
    write(
        " bytes of constants.\n"
        "   C99, and C++17 or GNU C++; ");
    write(needs);
    write(
        ". */\n"
        "#ifndef TAMIS_MODEL_^_H\n"
        "#define TAMIS_MODEL_^_H\n\n"
        "#define ^_FEATURES ");
    out_ << model_.features;
    write("\n#define ^_KEPT $\n#define ^_CLASSES %\n\n");
  }

  template <class Visit>
  void for_each_kept(Visit visit) const {
    for (Index j = 0; j < model_.features; ++j)
      if (model_.uses(j)) visit(j);
  }

  /// Before entry number `index` of a list.
  void separate(Index index) {
    if (index) out_ << ", ";
  }

  void tables(const char* positions = "features that are read; the others need not be measured") {
    write("/* Positions in a sample of the ");
    write(positions);
    write(
        ". */\n"
        "static const unsigned ");
    write(model_.features > 65536 ? "int" : "short");
    write(" @_features[?] = {");
    Index count = 0;
    for_each_kept([&](Index j) {
      if (count && count % 16 == 0) out_ << ",\n  ";
      else separate(count);
      ++count;
      out_ << j;
    });
    if (!kept_) out_ << '0';

    write("};\n\nstatic const ~ @_weights[?][%] = {\n");
    for_each_kept([&](Index j) {
      out_ << "  {";
      for (Index k = 0; k < model_.classes; ++k) {
        separate(k);
        out_ << model_(j, k);
      }
      out_ << "},";
      if (options_.feature_names) {
        out_ << "  /* ";
        quoted(options_.feature_names[j]);
        out_ << " */";
      }
      out_ << '\n';
    });
    if (!kept_) out_ << "  {0}\n";

    write("};\nstatic const ~ @_intercepts[%] = {");
    for (Index k = 0; k < model_.classes; ++k) {
      separate(k);
      out_ << model_.intercept(k);
    }
    write("};\n");
    labels();
  }

  void labels() {
    write("static const char *const @_labels[%] = {");
    for (Index k = 0; k < model_.classes; ++k) {
      separate(k);
      out_ << '"';
      if (options_.labels) quoted(options_.labels[k]);
      else out_ << k;
      out_ << '"';
    }
    out_ << "};\n\n";
  }

  /// Text that cannot end a string or a comment early.
  [[gnu::noinline]] void quoted(const char* text) {
    for (; *text; ++text) {
      const bool plain = *text >= ' ' && *text != '"' && *text != '\\' && *text != '/' && *text != '?' && *text != 127;
      const bool beyond_ascii = static_cast<unsigned char>(*text) >= 128;
      out_ << (plain || beyond_ascii ? *text : '_');
    }
  }

  /// The body of a function that fills `scores` from what `value` is of feature j, each score the sum over j in turn. A
  /// few classes have their sums in registers. `sum`: the type of a score.
  void sums(const char* value, const char* sum = "~") {
    if (model_.classes > 8) {
      write(
          "  int j, k;\n"
          "  for (k = 0; k < ^_CLASSES; ++k) scores[k] = @_intercepts[k];\n"
          "  for (j = 0; j < ^_KEPT; ++j) {\n"
          "    const ");
      write(sum);
      write(" x = ");
      write(value);
      write(
          ";\n"
          "    for (k = 0; k < ^_CLASSES; ++k) scores[k] += x * @_weights[j][k];\n"
          "  }\n"
          "}\n\n");
      return;
    }
    write("  ");
    write(sum);
    for (Index k = 0; k < model_.classes; ++k) {
      write(k ? ", s" : " s");
      out_ << k;
      write(" = @_intercepts[");
      out_ << k << ']';
    }
    write(";\n  int j;\n  for (j = 0; j < ^_KEPT; ++j) {\n    const ");
    write(sum);
    write(" x = ");
    write(value);
    write(";\n");
    for (Index k = 0; k < model_.classes; ++k) {
      write("    s");
      out_ << k;
      write(" += x * @_weights[j][");
      out_ << k;
      write("];\n");
    }
    write("  }\n");
    for (Index k = 0; k < model_.classes; ++k) {
      write("  scores[");
      out_ << k;
      write("] = s");
      out_ << k;
      write(";\n");
    }
    write("}\n\n");
  }

  void scores_of_kept() {
    write(
        "/* scores[k] = intercepts[k] + sum of kept[j] * weights[j][k]; `kept` holds the features that are read, in "
        "order. "
        "*/\n"
        "static inline void @_scores_of_kept(const ~ *kept, ~ *scores) {\n");
    sums("kept[j]");
  }
  void scores() {
    write(
        "/* The same from a whole sample. */\n"
        "static inline void @_scores(const ~ *sample, ~ *scores) {\n");
    sums("sample[@_features[j]]");
  }
  void top() {
    write(
        "static inline int @_top(const ~ *scores) {\n"
        "  int k, top = 0;\n"
        "  for (k = 1; k < ^_CLASSES; ++k)\n"
        "    if (scores[k] > scores[top]) top = k;\n"
        "  return top;\n"
        "}\n\n");
  }
  void predict() {
    write(
        "/* The class of a sample: its number, from 0; @_labels has the names. */\n"
        "static inline int @_predict(const ~ *sample) {\n"
        "  ~ scores[%];\n"
        "  @_scores(sample, scores);\n"
        "  return @_top(scores);\n"
        "}\n");
  }
  void predict_kept() {
    write(
        "static inline int @_predict_kept(const ~ *kept) {\n"
        "  ~ scores[%];\n"
        "  @_scores_of_kept(kept, scores);\n"
        "  return @_top(scores);\n"
        "}\n\n");
  }

  /// Rounding allowed for compilers that fuse products and sums: so many units of the products' sum.
  T tolerance(const T* samples, Index units) const {
    T top = 0;
    for (Index i = 0; i < options_.sample_count; ++i)
      for (Index k = 0; k < model_.classes; ++k) {
        const T* x = test_sample(samples, i);
        T size = absolute(model_.intercept(k));
        for (Index j = 0; j < model_.features; ++j) size += absolute(x[j] * model_(j, k));
        top = largest(top, size);
      }
    return T(units) * epsilon<T> * top;
  }

  /// The self-test up to its tables, of which `tested` says what they hold and `how` how near; false: it is empty.
  bool begin_self_test(const char* tested = "scores",
                       const char* how = "in training; otherwise the number of the first that does not.") {
    write("/* 0 when the ");
    write(tested);
    write(" of ");
    out_ << options_.sample_count;
    write(" training samples come out here as they did ");
    write(how);
    write(" */\nstatic inline int @_self_test(void) {\n");
    if (!options_.sample_count) write("  return 0;\n}\n\n");
    return options_.sample_count;
  }
  /// One of its tables: a row of `columns` for each sample, whose entries row(number) writes.
  template <class Row>
  void test_table(const char* type, const char* name, const char* columns, const Row& row) {
    write("  static const ");
    write(type);
    write(name);
    out_ << options_.sample_count;
    write("][");
    write(columns);
    write("] = {\n");
    for (Index i = 0; i < options_.sample_count; ++i) {
      write("    {");
      row(i);
      write("},\n");
    }
    write("  };\n");
  }
  /// What runs through them: `scores`, a function, and `also`, what else must be as it was.
  void end_self_test(T tolerance, const char* scores, const char* also = "") {
    write("  const ~ tolerance = ");
    out_ << tolerance;
    write(
        ";\n"
        "  ~ scores[%];\n"
        "  int i, k;\n"
        "  for (i = 0; i < ");
    out_ << options_.sample_count;
    write("; ++i) {\n    @_");
    write(scores);
    write("(samples[i], scores);\n");
    write(also);
    write(
        "    for (k = 0; k < ^_CLASSES; ++k) {\n"
        "      const ~ off = scores[k] - expected[i][k];\n"
        "      if (!(off <= tolerance && -off <= tolerance)) return i + 1;\n"
        "    }\n"
        "  }\n"
        "  return 0;\n"
        "}\n\n");
  }
  const T* test_sample(const T* samples, Index i) const {
    return samples + static_cast<std::size_t>(i) * model_.features;
  }

  /// `prepared`: the samples as they are weighted; `whole`: all features are listed, not the kept ones alone.
  void self_test(const T* prepared, T tolerance, bool whole) {
    if (!begin_self_test()) return;
    test_table("~", " samples[", whole ? "^_FEATURES" : "?", [&](Index i) {
      const T* x = test_sample(options_.samples, i);
      Index count = 0;
      for (Index j = 0; j < model_.features; ++j) {
        if (!whole && !model_.uses(j)) continue;
        separate(count++);
        if (x[j] == x[j]) out_ << x[j];
        else write("NAN");
      }
      if (!count) write("0");
    });
    test_table("~", " expected[", "%", [&](Index i) {
      for (Index first = 0; first < model_.classes; first += SimdOrScalar<T>::width) {
        const auto part = model_.scores(test_sample(prepared, i), 1, first);
        for (Index k = first; k < smallest(model_.classes, first + SimdOrScalar<T>::width); ++k) {
          separate(k);
          out_ << part.entry[k - first];
        }
      }
    });
    write("  static const int classes[");
    out_ << options_.sample_count;
    write("] = {");
    for (Index i = 0; i < options_.sample_count; ++i) {
      separate(i);
      out_ << std::uint32_t(model_.predict(test_sample(prepared, i)));
    }
    write("};\n");
    end_self_test(tolerance, whole ? "scores" : "scores_of_kept",
                  "    if (@_top(scores) != classes[i]) return i + 1;\n");
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

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
