#pragma once
/// The probabilities of a model as C functions that go with its header.

#include "calibration.hpp"
#include "export_c.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Symbols: name_exp, name_probabilities_of_scores, name_probabilities, name_probabilities_self_test.
template <class T>
class ProbabilitiesExporter {
 public:
  ProbabilitiesExporter(const Calibration<T>& calibration, const char* name, const T* scores, TextSink& out)
      : calibration_(calibration), name_(name), scores_(scores), out_(out) {}

  void write() {
    write(
        "\n#ifndef TAMIS_PROBABILITIES_^_H\n#define TAMIS_PROBABILITIES_^_H\n\n#include <stdint.h>\n#include "
        "<string.h>\n\n");
    exponential();
    table("slopes", calibration_.slopes);
    table("offsets", calibration_.offsets);
    of_scores();
    write(
        "/* The same of a sample. Where classes have offsets or slopes of their own, the most probable class need not "
        "be\n   that of the largest score, which @_predict returns. */\n"
        "static inline void @_probabilities(const ~ *sample, ~ *out) {\n"
        "  ~ scores[%];\n"
        "  @_scores(sample, scores);\n"
        "  @_probabilities_of_scores(scores, out);\n"
        "}\n\n");
    self_test();
    write("#endif\n");
  }

 private:
  using F = Floating<T>;
  static constexpr bool single = sizeof(T) == sizeof(float);

  /// @ name   ^ NAME   ~ float or double   % classes
  [[gnu::noinline]] void write(const char* text) {
    for (; *text; ++text) {
      switch (*text) {
        case '@': out_ << name_; break;
        case '^':
          for (const char* c = name_; *c; ++c) out_ << upper(*c);
          break;
        case '~': out_ << (single ? "float" : "double"); break;
        case '%': out_ << calibration_.classes; break;
        default: out_ << *text;
      }
    }
  }

  void exponential() {
    write("/* e to the power of x <= 0, the bits that training has; 0 from ");
    out_ << (single ? "-87" : "-708");
    write(
        " down. */\n"
        "static inline ~ @_exp(~ x) {\n"
        "  const ~ shifted = x * ");
    out_ << F::inverse_ln2;
    write(" + ");
    out_ << F::whole;
    write(", n = shifted - ");
    out_ << F::whole;
    write(";\n  const ~ r = (x - n * ");
    out_ << F::ln2_high;
    write(") - n * ");
    out_ << F::ln2_low;
    write(";\n  ~ value = ");
    constexpr int count = sizeof F::exp / sizeof F::exp[0];
    out_ << F::exp[count - 1];
    write(";\n");
    for (int i = count - 2; i >= 0; --i) {
      write("  value = value * r + ");
      out_ << F::exp[i];
      write(";\n");
    }
    write("  value = ");
    out_ << T(1);
    write(" + (r + r * r * value);\n  if (!(x >= ");
    out_ << F::least_exponent;
    write(")) return 0;\n  { ");
    write(single ? "uint32_t" : "uint64_t");
    write(" bits, twos, zero;\n    const ~ whole = ");
    out_ << F::whole;
    write(
        ";\n"
        "    memcpy(&bits, &value, sizeof bits);\n"
        "    memcpy(&twos, &shifted, sizeof twos);\n"
        "    memcpy(&zero, &whole, sizeof zero);\n"
        "    bits += (twos - zero) << ");
    out_ << std::uint32_t(F::fraction);
    write(
        ";\n"
        "    memcpy(&value, &bits, sizeof bits);\n"
        "  }\n"
        "  return value;\n"
        "}\n\n");
  }

  void table(const char* what, const T* numbers) {
    if (!numbers) return;
    write("static const ~ @_");
    write(what);
    write("[%] = ");
    list(numbers);
    write(";\n");
  }
  void list(const T* numbers) {
    out_ << '{';
    for (Index k = 0; k < calibration_.classes; ++k) {
      if (k) out_ << ", ";
      out_ << numbers[k];
    }
    out_ << '}';
  }

  void of_scores() {
    const bool sigmoid = calibration_.kind == CalibrationKind::sigmoid;
    write("\n/* out[k] is the probability of class k, in proportion to ");
    write(sigmoid ? "1 / (1 + exp(-z))" : "exp(z)");
    write(", z = ");
    if (calibration_.slopes) write("slopes[k] * ");
    write("scores[k]");
    if (calibration_.offsets) write(" + offsets[k]");
    write(
        "; `out` may be `scores`. */\n"
        "static inline void @_probabilities_of_scores(const ~ *scores, ~ *out) {\n"
        "  ~ top = -1e30");
    write(single ? "f" : "");
    write(
        ", total = 0, z;\n"
        "  int k;\n"
        "  for (k = 0; k < %; ++k) {\n"
        "    z = ");
    if (calibration_.slopes) write("@_slopes[k] * ");
    write("scores[k]");
    if (calibration_.offsets) write(" + @_offsets[k]");
    write(single ? ";\n    out[k] = z > 1e30f ? 1e30f : z > -1e30f ? z : -1e30f;\n"
                 : ";\n    out[k] = z > 1e30 ? 1e30 : z > -1e30 ? z : -1e30;\n");
    write(sigmoid ? "    z = out[k] < 0 ? out[k] : 0;\n    if (z > top) top = z;\n"
                  : "    if (out[k] > top) top = out[k];\n");
    write("  }\n  for (k = 0; k < %; ++k) {\n    z = out[k];\n");
    write(sigmoid ? "    out[k] = @_exp((z < 0 ? z : 0) - top) / (1 + @_exp(z < 0 ? z : -z));\n"
                  : "    out[k] = @_exp(z - top);\n");
    write(
        "    total += out[k];\n"
        "  }\n"
        "  for (k = 0; k < %; ++k) out[k] /= total;\n"
        "}\n\n");
  }

  void self_test() {
    write(
        "/* 0 when the probabilities of a training sample come out here as they did there; otherwise the number, from "
        "1, of\n   the first class whose does not. */\n"
        "static inline int @_probabilities_self_test(void) {\n");
    if (!scores_) {
      write("  return 0;\n}\n\n");
      return;
    }
    write("  static const ~ scores[%] = ");
    list(scores_);
    write(";\n  static const ~ expected[%] = {");
    for (Index k = 0; k < calibration_.classes; ++k) {
      if (k) out_ << ", ";
      const T logarithm = calibration_.log_probability(scores_, k);
      out_ << tamis::exponential(logarithm);
    }
    write("};\n  const ~ tolerance = ");
    out_ << tolerance();
    write(
        ";\n"
        "  ~ out[%];\n"
        "  int k;\n"
        "  @_probabilities_of_scores(scores, out);\n"
        "  for (k = 0; k < %; ++k) {\n"
        "    const ~ off = out[k] - expected[k];\n"
        "    if (!(off <= tolerance && -off <= tolerance)) return k + 1;\n"
        "  }\n"
        "  return 0;\n"
        "}\n\n");
  }

  /// For compilers that fuse products and sums: rounding in units of the largest z.
  T tolerance() const {
    T top = 1;
    for (Index k = 0; k < calibration_.classes; ++k) {
      const T product = (calibration_.slopes ? calibration_.slopes[k] : T(1)) * scores_[k];
      top = largest(top, absolute(product) + (calibration_.offsets ? absolute(calibration_.offsets[k]) : T(0)));
    }
    return T(16) * epsilon<T> * top;
  }

  const Calibration<T>& calibration_;
  const char* name_;
  const T* scores_;
  TextSink& out_;
};

}  // namespace detail

/// Writes functions that follow the header of a model of that name (export_c, export_prepared_c) and use its scores, in
/// the same language and as independent but for memcpy; returns the length as export_c does. `scores`: those of one
/// sample, for the self-test; null: none.
template <class T>
std::size_t export_probabilities_c(const Calibration<T>& calibration, const char* name, const T* scores,
                                   std::span<char> out) {
  TextSink sink(out);
  detail::ProbabilitiesExporter<T>(calibration, name, scores, sink).write();
  return sink.length();
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
