#pragma once
/// A model with the steps that its samples go through, as a C header that takes samples as they come.

#include "../features/sample_steps.hpp"
#include "export_c.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// The same symbols as without steps and name_prepared; with a norm, which is of all features, those that take kept
/// features alone are left out.
template <class T>
class PreparedCExporter : CExporter<T> {
 public:
  PreparedCExporter(const LinearModel<T>& model, const ExportOptions<T>& options, const SampleSteps<T>& steps,
                    const T* prepared, TextSink& out)
      : CExporter<T>(model, options, out), steps_(steps), prepared_(prepared) {}

  void write() {
    const Index read = normalises() ? model_.features : kept_;
    const bool header = steps_.takes_log() || steps_.means || steps_.norm == SampleNorm::l2;
    this->head(read, steps_.means ? std::uint32_t(read * sizeof(T)) : 0,
               header ? "nothing but <math.h>" : "no dependencies");
    if (header) write("#include <math.h>\n\n");
    this->tables(normalises() ? "features that are weighted; the others are read for the norm"
                              : "features that are read; the others need not be measured");
    means();
    one_feature();
    if (normalises()) {
      normalised_scores();
    } else {
      scores_of_kept();
      scores();
    }
    this->top();
    this->predict();
    if (!normalises()) this->predict_kept();
    // A logarithm is rounded in units of 1 where it is small, a norm by as many sums as there are features.
    const T slack = steps_.takes_log() ? T(16) * epsilon<T> * weight_of_ones() : T(0);
    const Index units = 16 + (normalises() ? model_.features : 0);
    this->self_test(prepared_, this->tolerance(prepared_, units) + slack, normalises());
    write("#endif\n");
  }

 private:
  using CExporter<T>::model_;
  using CExporter<T>::out_;
  using CExporter<T>::kept_;
  using CExporter<T>::write;

  bool normalises() const { return steps_.norm != SampleNorm::none; }

  /// The largest sum of a class's coefficients without their signs.
  T weight_of_ones() const {
    T top = 0;
    for (Index k = 0; k < model_.classes; ++k) {
      T size = 0;
      for (Index j = 0; j < model_.features; ++j) size += absolute(model_(j, k));
      top = largest(top, size);
    }
    return top;
  }

  void means() {
    if (!steps_.means) return;
    write("/* What stands for a missing value, which is NAN in a sample. */\nstatic const ~ @_means[");
    write(normalises() ? "^_FEATURES" : "?");
    write("] = {");
    Index count = 0;
    for (Index j = 0; j < model_.features; ++j) {
      if (!normalises() && !model_.uses(j)) continue;
      if (count && count % 8 == 0) out_ << ",\n  ";
      else this->separate(count);
      ++count;
      out_ << steps_.means[j];
    }
    if (!count) write("0");
    write("};\n\n");
  }

  /// What is done to one feature; `j` counts as the means do.
  void one_feature() {
    write("/* Feature ");
    write(normalises() ? "j of a sample" : "j of those that are read,");
    write(" before it is ");
    write(normalises() ? "divided by the norm. */\n" : "weighted. */\n");
    write("static inline ~ @_prepared(~ x, int j) {\n");
    if (steps_.divisor != T(1)) {
      write("  x /= ");
      out_ << steps_.divisor;
      write(";\n");
    }
    if (steps_.means) write("  if (x != x) x = @_means[j];\n");
    else write("  (void)j;\n");
    if (steps_.takes_log()) {
      write("  if (x < ");
      out_ << steps_.log.low;
      write(") x = ");
      out_ << steps_.log.low;
      write(";\n  if (x > ");
      out_ << steps_.log.high;
      write(") x = ");
      out_ << steps_.log.high;
      write(sizeof(T) == sizeof(float) ? ";\n  x = log10f(x);\n" : ";\n  x = log10(x);\n");
    }
    write("  return x;\n}\n\n");
  }

  void scores_of_kept() {
    write(
        "/* scores[k] = intercepts[k] + sum of prepared(kept[j]) * weights[j][k]; `kept` holds the features that are "
        "read, in\n   order. */\n"
        "static inline void @_scores_of_kept(const ~ *kept, ~ *scores) {\n");
    this->sums("@_prepared(kept[j], j)");
  }
  void scores() {
    write(
        "/* The same from a whole sample. */\n"
        "static inline void @_scores(const ~ *sample, ~ *scores) {\n");
    this->sums("@_prepared(sample[@_features[j]], j)");
  }

  void normalised_scores() {
    const bool sums = steps_.norm != SampleNorm::max;
    write(
        "/* scores[k] = intercepts[k] + sum of prepared(sample[features[j]]) / norm * weights[j][k]. */\n"
        "static inline void @_scores(const ~ *sample, ~ *scores) {\n"
        "  ~ top = 0;\n");
    if (sums) write("  ~ norm = 0;\n");
    write(
        "  int j, k;\n"
        "  for (k = 0; k < ^_CLASSES; ++k) scores[k] = @_intercepts[k];\n"
        "  for (j = 0; j < ^_FEATURES; ++j) {\n"
        "    const ~ x = @_prepared(sample[j], j);\n"
        "    if (x > top) top = x;\n"
        "    if (-x > top) top = -x;\n"
        "  }\n"
        "  if (!(top > 0)) return;\n");
    if (sums) {
      write(
          "  for (j = 0; j < ^_FEATURES; ++j) {\n"
          "    const ~ x = @_prepared(sample[j], j) / top;\n");
      write(steps_.norm == SampleNorm::l2 ? "    norm += x * x;\n  }\n"
                                          : "    if (x < 0) norm -= x;\n    else norm += x;\n  }\n");
      if (steps_.norm == SampleNorm::l2)
        write(sizeof(T) == sizeof(float) ? "  norm = sqrtf(norm);\n" : "  norm = sqrt(norm);\n");
    }
    write(
        "  for (j = 0; j < ^_KEPT; ++j) {\n"
        "    const ~ x = @_prepared(sample[@_features[j]], @_features[j]) / top");
    write(sums ? " / norm;\n" : ";\n");
    write(
        "    for (k = 0; k < ^_CLASSES; ++k) scores[k] += x * @_weights[j][k];\n"
        "  }\n"
        "}\n\n");
  }

  const SampleSteps<T>& steps_;
  const T* prepared_;
};

}  // namespace detail

/// `export_c` for a model whose samples go through `steps`. The samples of the options are as they come, NaN where a
/// value is missing; `prepared` are the same after `steps.apply`.
template <class T>
std::size_t export_prepared_c(const LinearModel<T>& model, const ExportOptions<T>& options, const SampleSteps<T>& steps,
                              const T* prepared, std::span<char> out) {
  TextSink sink(out);
  detail::PreparedCExporter<T>(model, options, steps, prepared, sink).write();
  return sink.length();
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
