#pragma once
/// A model of integers as a C header, for devices without floating point.

#include "export_c.hpp"
#include "quantised.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Writes the header piece by piece. Symbols: NAME_FEATURES, NAME_KEPT, NAME_CLASSES, NAME_SCALE, name_features,
/// name_weights, name_intercepts, name_labels, name_zeros and name_per_unit (unless counts are the features),
/// name_count, name_scores_of_kept, name_scores, name_predict_kept, name_predict, name_self_test.
class QuantisedCExporter : CExporter<float> {
 public:
  /// `shape` has the classes of the model, and no features: nothing linear is written.
  QuantisedCExporter(const QuantisedModel& model, const LinearModel<float>& shape, const ExportOptions<float>& options,
                     bool bytes, const char* remark, TextSink& out)
      : CExporter<float>(shape, options, out), all_(model), bytes_(bytes), remark_(remark) {
    for (Index j = 0; j < all_.features; ++j) {
      kept_ += all_.uses(j);
      if (all_.uses(j) && !all_.counts[j].trivial()) trivial_ = false;
    }
  }

  void write() {
    head();
    tables();
    count();
    scores_of_kept();
    scores();
    top();
    predict();
    self_test();
    write("#endif\n");
  }

 private:
  using CExporter<float>::write;

  /// The constants that predict_kept needs.
  std::uint32_t bytes() const { return kept_ * all_.classes * (bytes_ ? 1 : 2) + all_.classes * 4; }

  void integer(std::int32_t number) {
    if (number < 0) out_ << '-';
    out_ << (number < 0 ? std::uint32_t(0) - std::uint32_t(number) : std::uint32_t(number));
  }
  template <class Visit>
  void for_each_kept(Visit visit) const {
    for (Index j = 0; j < all_.features; ++j)
      if (all_.uses(j)) visit(j);
  }

  void head() {
    write("/* @: a linear classifier trained by tamis ");
    out_ << version;
    write(bytes_ ? ", with weights of int8.\n" : ", with weights of int16.\n");
    write("   % classes; $ of ");
    out_ << all_.features;
    write(trivial_ ? " features are read, which are integers of 16 bits; "
                   : " features are read, as integers of 16 bits; ");
    out_ << bytes();
    write(" bytes of constants, without the labels.\n");
    if (remark_) {
      write("   ");
      quoted(remark_);
      write("\n");
    }
    write(
        "   Scores are sums of integers in 32 bits: exact, and no sample makes them overflow.\n"
        "   C99, and C++17 or GNU C++; nothing but <stdint.h>. */\n"
        "#ifndef TAMIS_MODEL_^_H\n"
        "#define TAMIS_MODEL_^_H\n\n"
        "#include <stdint.h>\n\n"
        "#define ^_FEATURES ");
    out_ << all_.features;
    write(
        "\n#define ^_KEPT $\n#define ^_CLASSES %\n/* A score times this is the score of the model in training. "
        "*/\n#define ^_SCALE ");
    out_ << all_.scale;
    write("\n\n");
  }

  void tables() {
    write(
        "/* Positions in a sample of the features that are read; the others need not be measured. */\n"
        "static const ");
    write(all_.features > 65536 ? "uint32_t" : "uint16_t");
    write(" @_features[?] = {");
    Index index = 0;
    for_each_kept([&](Index j) {
      if (index && index % 16 == 0) out_ << ",\n  ";
      else separate(index);
      ++index;
      out_ << j;
    });
    write(kept_ ? "};\n\n" : "0};\n\n");

    write(bytes_ ? "static const int8_t" : "static const int16_t");
    write(" @_weights[?][%] = {\n");
    for_each_kept([&](Index j) {
      out_ << "  {";
      for (Index k = 0; k < all_.classes; ++k) {
        separate(k);
        integer(all_.weight(j, k));
      }
      out_ << "},";
      if (options_.feature_names) {
        out_ << "  /* ";
        quoted(options_.feature_names[j]);
        out_ << " */";
      }
      out_ << '\n';
    });
    write(kept_ ? "};\nstatic const int32_t @_intercepts[%] = {"
                : "  {0}\n};\nstatic const int32_t @_intercepts[%] = {");
    for (Index k = 0; k < all_.classes; ++k) {
      separate(k);
      integer(all_.intercepts[k]);
    }
    write("};\n");
    labels();
    if (trivial_) return;
    write(
        "/* What counts begin at, and counts per unit, of each feature that is read. */\n"
        "static const float @_zeros[?] = {");
    floats([](const CountScale& scale) { return scale.zero; });
    write("static const float @_per_unit[?] = {");
    floats([](const CountScale& scale) { return scale.per_unit; });
    write("\n");
  }
  template <class Value>
  void floats(Value value) {
    Index index = 0;
    for_each_kept([&](Index j) {
      if (index && index % 8 == 0) out_ << ",\n  ";
      else separate(index);
      ++index;
      out_ << value(all_.counts[j]);
    });
    write(kept_ ? "};\n" : "0};\n");
  }

  void count() {
    write(
        "/* A feature as an integer: number j of those that are read. Where a sensor gives these integers, or the "
        "device "
        "is to\n   have no floating point, this is not needed. */\n"
        "static inline int16_t @_count(float x, int j) {\n");
    write(trivial_ ? "  const float v = x;\n  (void)j;\n" : "  const float v = (x - @_zeros[j]) * @_per_unit[j];\n");
    write(
        "  if (!(v > -32768.0f)) return -32768;\n"
        "  if (v > 32767.0f) return 32767;\n"
        "  if (v < 0) return (int16_t)(v - 0.5f);\n"
        "  return (int16_t)(v + 0.5f);\n"
        "}\n\n");
  }
  void scores_of_kept() {
    write(
        "/* scores[k] = intercepts[k] + sum of kept[j] * weights[j][k]; `kept` holds the features that are read, in "
        "order,\n   as integers. */\n"
        "static inline void @_scores_of_kept(const int16_t *kept, int32_t *scores) {\n");
    sums("kept[j]", "int32_t");
  }
  void scores() {
    write(
        "/* The same from a whole sample in the units of the training data. */\n"
        "static inline void @_scores(const float *sample, int32_t *scores) {\n");
    sums("@_count(sample[@_features[j]], j)", "int32_t");
  }
  void top() {
    write(
        "static inline int @_top(const int32_t *scores) {\n"
        "  int k, top = 0;\n"
        "  for (k = 1; k < ^_CLASSES; ++k)\n"
        "    if (scores[k] > scores[top]) top = k;\n"
        "  return top;\n"
        "}\n\n");
  }
  void predict() {
    write(
        "/* The class of a sample: its number, from 0; @_labels has the names. */\n"
        "static inline int @_predict(const float *sample) {\n"
        "  int32_t scores[%];\n"
        "  @_scores(sample, scores);\n"
        "  return @_top(scores);\n"
        "}\n"
        "static inline int @_predict_kept(const int16_t *kept) {\n"
        "  int32_t scores[%];\n"
        "  @_scores_of_kept(kept, scores);\n"
        "  return @_top(scores);\n"
        "}\n\n");
  }

  void self_test() {
    if (!begin_self_test("scores", "in export, to the bit; otherwise the number of the first\n   that does not."))
      return;
    test_table("int16_t", " samples[", "?", [&](Index i) {
      Index index = 0;
      for_each_kept([&](Index j) {
        separate(index++);
        integer(all_.counts[j].count(sample(i)[j]));
      });
      if (!index) write("0");
    });
    test_table("int32_t", " expected[", "%", [&](Index i) {
      for (Index k = 0; k < all_.classes; ++k) {
        std::int32_t score = all_.intercepts[k];
        for_each_kept([&](Index j) { score += all_.counts[j].count(sample(i)[j]) * all_.weight(j, k); });
        separate(k);
        integer(score);
      }
    });
    write("  int32_t scores[%];\n  int i, k;\n  for (i = 0; i < ");
    out_ << options_.sample_count;
    write(
        "; ++i) {\n"
        "    @_scores_of_kept(samples[i], scores);\n"
        "    for (k = 0; k < ^_CLASSES; ++k)\n"
        "      if (scores[k] != expected[i][k]) return i + 1;\n"
        "  }\n"
        "  return 0;\n"
        "}\n\n");
  }
  const float* sample(Index i) const { return options_.samples + static_cast<std::size_t>(i) * all_.features; }

  const QuantisedModel& all_;
  bool bytes_;
  bool trivial_ = true;
  const char* remark_;
};

}  // namespace detail

/// `export_c` for a model of integers, whose weights are int8 (`bytes`: all within ±127) or int16. Features whose
/// weights are all zero are left out. `remark`: a line for the comment at the top, such as what was measured; null:
/// none.
inline std::size_t export_quantised_c(const QuantisedModel& model, const ExportOptions<float>& options, bool bytes,
                                      std::span<char> out, const char* remark = nullptr) {
  TextSink sink(out);
  const LinearModel<float> shape{nullptr, 0, model.classes};
  detail::QuantisedCExporter(model, shape, options, bytes, remark, sink).write();
  return sink.length();
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
