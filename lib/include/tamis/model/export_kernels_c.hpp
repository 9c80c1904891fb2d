#pragma once
/// A kernel expansion as a C header: the samples that are kept in flash, and one loop for each kernel.

#include "../features/standardise.hpp"
#include "export_c.hpp"
#include "kernel_expansion.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Writes the header piece by piece. Symbols: NAME_FEATURES, NAME_KEPT (samples), NAME_CLASSES, name_samples, of each
/// kernel T name_kernel_T, name_terms_T, name_coefficients_T; name_intercepts, name_centres and name_scales (if there
/// are any), name_labels, name_scores, name_predict, name_self_test.
template <class T>
class KernelCExporter : CExporter<T> {
 public:
  KernelCExporter(const KernelExpansion<T>& model, const LinearModel<T>& shape, const ExportOptions<T>& options,
                  const ColumnScale<T>* columns, std::span<T> scratch, TextSink& out)
      : CExporter<T>(shape, options, out), all_(model), columns_(columns), scratch_(scratch) {
    kept_ = model.samples.samples;
  }

  void write() {
    head();
    samples();
    for (Index t = 0; t < all_.kernels.size(); ++t)
      if (terms_of(t)) kernel(t);
    constants();
    scores();
    this->top();
    this->predict();
    self_test();
    write("#endif\n");
  }

 private:
  using CExporter<T>::options_;
  using CExporter<T>::out_;
  using CExporter<T>::kept_;
  using CExporter<T>::write;
  using CExporter<T>::separate;

  static constexpr bool single = sizeof(T) == sizeof(float);

  const char* integer() const { return kept_ <= 256 ? "char" : kept_ <= 65536 ? "short" : "int"; }

  std::uint32_t bytes() const {
    const std::size_t numbers = std::size_t{kept_} * all_.samples.features + (all_.terms.size() + 1) * all_.outputs +
                                (columns_ ? 2 * all_.samples.features : 0);
    return static_cast<std::uint32_t>(numbers * sizeof(T) + all_.terms.size() * (kept_ <= 256     ? 1
                                                                                 : kept_ <= 65536 ? 2
                                                                                                  : 4));
  }

  void head() {
    write("/* @: a classifier with kernels, trained by tamis ");
    out_ << version;
    write(".\n   % classes of samples with ");
    out_ << all_.samples.features;
    write(" features; $ samples and ");
    out_ << static_cast<std::uint32_t>(all_.kernels.size());
    write(" kernels are kept; ");
    out_ << bytes();
    write(" bytes of constants;\n   a prediction takes ");
    out_ << static_cast<std::uint32_t>(all_.terms.size());
    write(
        " values of kernels.\n"
        "   C99, and C++17 or GNU C++; nothing but <math.h>. */\n"
        "#ifndef TAMIS_MODEL_^_H\n"
        "#define TAMIS_MODEL_^_H\n\n"
        "#include <math.h>\n\n"
        "#define ^_FEATURES ");
    out_ << all_.samples.features;
    write("\n#define ^_KEPT $\n#define ^_CLASSES %\n\n");
    if (!options_.feature_names) return;
    write("/* The features:\n");
    for (Index j = 0; j < all_.samples.features; ++j) {
      write("   ");
      out_ << j;
      write(" ");
      this->quoted(options_.feature_names[j]);
      write("\n");
    }
    write("*/\n");
  }

  /// `count` numbers, eight in a line.
  template <class Value>
  void list(std::size_t count, const Value& value) {
    for (std::size_t e = 0; e < count; ++e) {
      if (e && e % 8 == 0) write(",\n  ");
      else separate(e != 0);
      out_ << value(e);
    }
  }

  void samples() {
    write("/* The samples that others are compared with. */\nstatic const ~ @_samples[?][^_FEATURES] = {\n");
    for (Index s = 0; s < kept_; ++s) {
      write("  {");
      list(all_.samples.features, [&](std::size_t j) { return all_.samples[s][static_cast<Index>(j)]; });
      write("},\n");
    }
    write(kept_ ? "};\n" : "  {0}};\n");
  }

  /// The name of a function of <math.h> for T.
  void function(const char* called) {
    write(called);
    if (single) write("f");
  }
  /// A sum over the features.
  void sum(const char* summand) {
    write("  for (j = 0; j < ^_FEATURES; ++j) sum += ");
    write(summand);
    write(";\n");
  }
  void negative_exponential(T by) {
    write("  return ");
    function("exp");
    write("(-(sum / ");
    out_ << by;
  }

  void kernel(Index t) {
    const Kernel<T>& k = all_.kernels[t];
    write("\nstatic inline ~ @_kernel_");
    out_ << t;
    write("(const ~ *x, const ~ *z) {  /* ");
    write(name(k.kind));
    write(
        " */\n"
        "  ~ sum = 0;\n"
        "  int j;\n");
    constexpr const char *product = "x[j] * z[j]", *square = "(x[j] - z[j]) * (x[j] - z[j])";
    switch (k.kind) {
      case KernelKind::linear:
        sum(product);
        write("  return sum;\n");
        break;
      case KernelKind::polynomial:
        write("  ~ power = 1;\n");
        sum(product);
        write("  sum += ");
        out_ << k.b;
        write(";\n  for (j = 0; j < ");
        out_ << static_cast<Index>(k.a);
        write("; ++j) power *= sum;\n  return power;\n");
        break;
      case KernelKind::gaussian:
        sum(square);
        negative_exponential(k.a);
        write(" / ");
        out_ << T(2) * k.a;
        write("));\n");
        break;
      case KernelKind::laplacian:
        sum(single ? "fabsf(x[j] - z[j])" : "fabs(x[j] - z[j])");
        negative_exponential(k.a);
        write("));\n");
        break;
      case KernelKind::sigmoid:
        sum(product);
        write("  return ");
        function("tanh");
        write("(");
        out_ << k.a;
        write(" * sum + ");
        out_ << k.b;
        write(");\n");
        break;
      case KernelKind::distance:
        sum(square);
        write("  return -sum;\n");
        break;
      case KernelKind::chi2:
        write(
            "  for (j = 0; j < ^_FEATURES; ++j)\n"
            "    if (x[j] + z[j] > 0) sum += (x[j] - z[j]) * ((x[j] - z[j]) / (x[j] + z[j]));\n"
            "  return -sum / 2;\n");
        break;
      case KernelKind::kl:
        write(
            "  for (j = 0; j < ^_FEATURES; ++j) {\n"
            "    const ~ least = ");
        out_ << least_histogram_entry<T>;
        write(
            ";\n"
            "    ~ p = x[j], q = z[j];\n"
            "    if (p == q) continue;\n"
            "    if (p < least) p = least;\n"
            "    if (q < least) q = least;\n"
            "    sum += (p - q) * (");
        function("log");
        write("(p) - ");
        function("log");
        write(
            "(q));\n"
            "  }\n"
            "  return -sum / 2;\n");
        break;
      case KernelKind::constant: write("  (void)x;\n  (void)z;\n  (void)j;\n  return 1 + sum;\n"); break;
    }
    write("}\n");
    terms(t);
  }

  /// Which samples a kernel compares with, and the coefficients.
  void terms(Index t) {
    std::size_t first = 0;
    while (first < all_.terms.size() && all_.terms[first].kernel != t) ++first;
    const std::uint32_t count = terms_of(t);
    write("static const unsigned ");
    write(integer());
    write(" @_terms_");
    out_ << t << '[' << count;
    write("] = {");
    list(count, [&](std::size_t e) { return all_.terms[first + e].sample; });
    write("};\nstatic const ~ @_coefficients_");
    out_ << t << '[' << count << "][" << all_.outputs;
    write("] = {\n");
    for (std::uint32_t e = 0; e < count; ++e) {
      write("  {");
      list(all_.outputs, [&](std::size_t o) { return all_.coefficients[(first + e) * all_.outputs + o]; });
      write("},\n");
    }
    write("};\n");
  }
  std::uint32_t terms_of(Index t) const {
    std::uint32_t count = 0;
    for (const auto& term : all_.terms) count += term.kernel == t;
    return count;
  }

  void constants() {
    write("\nstatic const ~ @_intercepts[");
    out_ << all_.outputs;
    write("] = {");
    list(all_.outputs, [&](std::size_t o) { return all_.intercepts[o]; });
    write("};\n");
    if (columns_) {
      write("/* What features are shifted and divided by. */\nstatic const ~ @_centres[^_FEATURES] = {");
      list(all_.samples.features, [&](std::size_t j) { return columns_[j].mean; });
      write("};\nstatic const ~ @_scales[^_FEATURES] = {");
      list(all_.samples.features, [&](std::size_t j) { return columns_[j].scale; });
      write("};\n");
    }
    this->labels();
  }

  void scores() {
    const bool binary = all_.outputs == 1;
    write(binary ? "/* scores[1] = intercept + sum of coefficients * kernels, scores[0] its opposite. */\n"
                 : "/* scores[k] = intercepts[k] + sum of coefficients * kernels. */\n");
    write("static inline void @_scores(const ~ *sample, ~ *scores) {\n");
    const bool empty = all_.terms.empty();
    if (columns_ && !empty) {
      write(
          "  ~ x[^_FEATURES];\n"
          "  int j, k, t;\n"
          "  for (j = 0; j < ^_FEATURES; ++j) x[j] = (sample[j] - @_centres[j]) / @_scales[j];\n");
    } else {
      write(empty ? "  int k;\n  (void)sample;\n" : "  const ~ *const x = sample;\n  int k, t;\n");
    }
    const auto outputs = [&](const char* rest) {
      write("for (k = 0; k < ");
      out_ << all_.outputs;
      write("; ++k) ");
      write(rest);
    };
    write("  ");
    outputs("scores[k] = @_intercepts[k];\n");
    for (Index t = 0; t < all_.kernels.size(); ++t) {
      const std::uint32_t count = terms_of(t);
      if (count == 0) continue;
      write("  for (t = 0; t < ");
      out_ << count;
      write("; ++t) {\n    const ~ value = @_kernel_");
      out_ << t;
      write("(@_samples[@_terms_");
      out_ << t;
      write("[t]], x);\n    ");
      outputs("scores[k] += @_coefficients_");
      out_ << t;
      write("[t][k] * value;\n  }\n");
    }
    if (binary) write("  scores[1] = scores[0];\n  scores[0] = -scores[1];\n");
    write("}\n\n");
  }

  // ---- the self-test ------------------------------------------------------------------------------------------------

  /// A test sample as the kernels see it.
  SampleView<T> prepared(Index i) const {
    const Index features = all_.samples.features;
    for (Index j = 0; j < features; ++j) {
      const T x = options_.samples[std::size_t{i} * features + j];
      scratch_[j] = columns_ ? (x - columns_[j].mean) / columns_[j].scale : x;
    }
    return {scratch_.data(), features, 1};
  }
  T* scores_of(Index i) const {
    T* const scores = scratch_.data() + all_.samples.features;
    all_.scores(prepared(i), scores);
    return scores;
  }

  /// What the rounding of k(x, z) is proportional to.
  static T size_of(const Kernel<T>& k, SampleView<T> x, SampleView<T> z) {
    T products = 0, logarithms = 0;
    for (Index j = 0; j < x.features; ++j) {
      products += absolute(x[j] * z[j]);
      if (k.kind == KernelKind::kl) {
        const T p = largest(x[j], least_histogram_entry<T>), q = largest(z[j], least_histogram_entry<T>);
        logarithms += absolute(p - q) * (absolute(logarithm(p)) + absolute(logarithm(q)));
      }
    }
    const T value = absolute(k(x, z));
    switch (k.kind) {
      case KernelKind::linear: return products;
      case KernelKind::polynomial: {
        T power = k.a;
        for (Index d = static_cast<Index>(k.a); d; --d) power *= products + absolute(k.b);
        return power;
      }
      case KernelKind::gaussian:
      case KernelKind::laplacian: return value > T(0) ? value * (T(1) - logarithm(value)) : T(0);
      case KernelKind::sigmoid: return absolute(k.a) * products + absolute(k.b) + value;
      case KernelKind::kl: return logarithms;
      default: return value;
    }
  }
  /// Rounding allowed for compilers that fuse products and sums, and for other exponentials.
  T tolerance() const {
    T top = 0;
    for (Index i = 0; i < options_.sample_count; ++i) {
      const SampleView<T> x = prepared(i);
      for (Index o = 0; o < all_.outputs; ++o) {
        T size = absolute(all_.intercepts[o]);
        for (std::size_t e = 0; e < all_.terms.size(); ++e)
          size += absolute(all_.coefficients[e * all_.outputs + o]) *
                  size_of(all_.kernels[all_.terms[e].kernel], all_.samples[all_.terms[e].sample], x);
        top = largest(top, size);
      }
    }
    return (T(16) + T(all_.samples.features)) * epsilon<T> * top;
  }

  void self_test() {
    if (!this->begin_self_test()) return;
    this->test_table("~", " samples[", "^_FEATURES", [&](Index i) {
      list(all_.samples.features,
           [&](std::size_t j) { return options_.samples[std::size_t{i} * all_.samples.features + j]; });
    });
    this->test_table("~", " expected[", "%", [&](Index i) {
      const T* scores = scores_of(i);
      if (all_.outputs == 1) out_ << -scores[0] << ", " << scores[0];
      else list(all_.outputs, [&](std::size_t k) { return scores[k]; });
    });
    this->end_self_test(tolerance(), "scores");
  }

  const KernelExpansion<T>& all_;
  const ColumnScale<T>* columns_;
  std::span<T> scratch_;
};

}  // namespace detail

/// Writes the header into `out` and returns its length in characters (no terminating zero). If that is more than
/// `out.size()`, the text is cut: call again with that much. With `columns`, one per feature, kernels compare
/// (x_j − mean)/scale; samples, those of the self-test too, are given as they come. `scratch` has as many entries as
/// the model has features and outputs; with less, or without features, the length is 0 and nothing is written.
template <class T>
std::size_t export_kernels_c(const KernelExpansion<T>& model, const ExportOptions<T>& options, std::span<T> scratch,
                             std::span<char> out, const ColumnScale<T>* columns = nullptr) {
  if (!model.samples.features || scratch.size() < std::size_t{model.samples.features} + model.outputs) return 0;
  TextSink sink(out);
  const LinearModel<T> shape{nullptr, 0, model.classes()};
  detail::KernelCExporter<T>(model, shape, options, columns, scratch, sink).write();
  return sink.length();
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
