#pragma once
/// A model with interactions as a C header: the terms that are kept in flash, and functions that cost as many steps.

#include "export_c.hpp"
#include "interaction_terms.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Writes the header piece by piece. Symbols: NAME_FEATURES, NAME_KEPT, NAME_CLASSES (a regression: 1), name_features,
/// name_main_features, name_main_effects, name_main_ends, name_product_features, name_products, name_product_ends,
/// name_intercepts, name_centres (if there are any), name_scores_of_kept, name_scores, name_self_test; of classes
/// name_labels, name_predict_kept, name_predict; of a regression name_value_of_kept, name_value.
template <class T>
class InteractionCExporter : CExporter<T> {
 public:
  /// `shape` has the outputs of the terms for classes, and no features: nothing linear is written.
  InteractionCExporter(const InteractionTerms<T>& terms, const LinearModel<T>& shape, const ExportOptions<T>& options,
                       std::span<Index> positions, const T* centres, TextSink& out)
      : CExporter<T>(shape, options, out), all_(terms), positions_(positions), centres_(centres) {
    for (Index& position : positions_) position = no_feature;
    for (const auto& term : all_.terms) {
      positions_[term.first] = 0;
      if (term.is_product()) positions_[term.second] = 0;
      (term.is_product() ? products_ : mains_) += 1;
    }
    for (Index& position : positions_)
      if (position != no_feature) position = kept_++;
  }

  void write() {
    head();
    features();
    list(true);
    list(false);
    constants();
    scores_of_kept();
    scores();
    if (regression()) {
      value();
    } else {
      this->top();
      this->predict();
      this->predict_kept();
    }
    self_test();
    write("#endif\n");
  }

 private:
  using CExporter<T>::options_;
  using CExporter<T>::out_;
  using CExporter<T>::kept_;
  using CExporter<T>::write;
  using CExporter<T>::separate;

  bool regression() const { return all_.outputs == 1; }

  /// The smallest unsigned type that holds numbers up to `most`.
  static const char* integer(std::size_t most) { return most < 256 ? "char" : most < 65536 ? "short" : "int"; }
  static std::uint32_t bytes_of(std::size_t most) { return most < 256 ? 1 : most < 65536 ? 2 : 4; }

  void head() {
    const std::size_t numbers = mains_ + products_ + all_.outputs + (centres_ ? kept_ : 0);
    const std::size_t bytes = numbers * sizeof(T) + (mains_ + 2 * products_) * bytes_of(kept_) +
                              all_.outputs * (bytes_of(mains_) + bytes_of(products_)) +
                              kept_ * bytes_of(all_.features - 1);
    write(regression() ? "/* @: a regression" : "/* @: a classifier");
    write(" with products of features, trained by tamis ");
    out_ << version;
    write(".\n   ");
    if (!regression()) write("% classes; ");
    write("$ of ");
    out_ << all_.features;
    write(" features are read; ");
    out_ << static_cast<std::uint32_t>(mains_);
    write(" main effects and ");
    out_ << static_cast<std::uint32_t>(products_);
    write(" products; ");
    out_ << static_cast<std::uint32_t>(bytes);
    write(
        " bytes of constants.\n"
        "   C99, and C++17 or GNU C++; no dependencies. */\n"
        "#ifndef TAMIS_MODEL_^_H\n"
        "#define TAMIS_MODEL_^_H\n\n"
        "#define ^_FEATURES ");
    out_ << all_.features;
    write("\n#define ^_KEPT $\n#define ^_CLASSES %\n\n");
  }

  /// Before entry number `index` of a list that goes over lines of that many.
  void separate_lines(std::size_t index, std::size_t line) {
    if (index && index % line == 0) write(",\n  ");
    else separate(index != 0);
  }

  template <class Visit>
  void for_each_kept_feature(Visit visit) const {
    for (Index j = 0; j < all_.features; ++j)
      if (positions_[j] != no_feature) visit(j);
  }
  template <class Visit>
  void for_each_term(bool products, Visit visit) const {
    std::size_t index = 0;
    for (const auto& term : all_.terms)
      if (term.is_product() == products) visit(term, index++);
  }

  void features() {
    write(
        "/* Positions in a sample of the features that are read; the others need not be measured. */\n"
        "static const unsigned ");
    write(integer(all_.features - 1));
    write(" @_features[?] = {");
    for_each_kept_feature([&](Index j) {
      separate_lines(positions_[j], 16);
      out_ << j;
    });
    write(kept_ ? "};\n" : "0};\n");
    if (options_.feature_names) {
      write("/* Their names:\n");
      for_each_kept_feature([&](Index j) {
        write("   ");
        out_ << positions_[j];
        write(" ");
        this->quoted(options_.feature_names[j]);
        write("\n");
      });
      write("*/\n");
    }
    if (!centres_) return;
    write("/* What is subtracted from them. */\nstatic const ~ @_centres[?] = {");
    for_each_kept_feature([&](Index j) {
      separate_lines(positions_[j], 8);
      out_ << centres_[j];
    });
    write(kept_ ? "};\n" : "0};\n");
  }

  /// The main effects, or the products: which of the features that are read, with which coefficients, and where each
  /// output's end.
  void list(bool products) {
    const std::size_t count = products ? products_ : mains_;
    const auto size = static_cast<std::uint32_t>(count ? count : 1);
    write(products ? "\n/* Products of two of them, one output after the other, and where those of each end. */\n"
                   : "\n/* Main effects, in the same way. */\n");
    write("static const unsigned ");
    write(integer(kept_));
    write(products ? " @_product_features[" : " @_main_features[");
    out_ << size;
    write(products ? "][2] = {" : "] = {");
    for_each_term(products, [&](const InteractionTerm<T>& term, std::size_t index) {
      separate_lines(index, products ? 8 : 16);
      if (products) out_ << '{';
      out_ << positions_[term.first];
      if (!products) return;
      out_ << ", " << positions_[term.second] << '}';
    });
    if (!count) write(products ? "{0, 0}" : "0");
    write("};\nstatic const ~ ");
    write(products ? "@_products[" : "@_main_effects[");
    out_ << size;
    write("] = {");
    for_each_term(products, [&](const InteractionTerm<T>& term, std::size_t index) {
      separate_lines(index, 4);
      out_ << term.coefficient;
    });
    if (!count) write("0");
    write("};\nstatic const unsigned ");
    write(integer(count));
    write(products ? " @_product_ends[%] = {" : " @_main_ends[%] = {");
    std::uint32_t end = 0;
    for (Index k = 0; k < all_.outputs; ++k) {
      for (const auto& term : all_.of(k)) end += term.is_product() == products;
      separate_lines(k, 16);
      out_ << end;
    }
    write("};\n");
  }

  void constants() {
    write("\nstatic const ~ @_intercepts[%] = {");
    for (Index k = 0; k < all_.outputs; ++k) {
      separate_lines(k, 4);
      out_ << all_.intercept(k);
    }
    write("};\n");
    if (regression()) write("\n");
    else this->labels();
  }

  void scores() {
    write(
        "/* The same from a whole sample. */\n"
        "static inline void @_scores(const ~ *sample, ~ *scores) {\n");
    write(kept_ ? "  ~ kept[?];\n" : "  ~ kept[?] = {0};\n");  // without, compilers warn of a value that is never read
    write(
        "  int j;\n"
        "  for (j = 0; j < ^_KEPT; ++j) kept[j] = sample[@_features[j]];\n"
        "  @_scores_of_kept(kept, scores);\n"
        "}\n\n");
  }

  void scores_of_kept() {
    write(
        "/* scores[k] = intercepts[k] + sum of main_effects * x + sum of products * x * x'; `kept` holds the features "
        "that\n   are read, in order");
    if (centres_) write(", and x is one of them less its centre");
    write(
        ". */\n"
        "static inline void @_scores_of_kept(const ~ *kept, ~ *scores) {\n");
    if (centres_) {
      write(
          "  ~ x[?];\n"
          "  unsigned effect = 0, product = 0;\n"
          "  int j, k;\n"
          "  for (j = 0; j < ^_KEPT; ++j) x[j] = kept[j] - @_centres[j];\n");
    } else {
      write(
          "  const ~ *const x = kept;\n"
          "  unsigned effect = 0, product = 0;\n"
          "  int k;\n");
    }
    write(
        "  for (k = 0; k < ^_CLASSES; ++k) {\n"
        "    ~ score = @_intercepts[k];\n"
        "    for (; effect < @_main_ends[k]; ++effect) score += @_main_effects[effect] * x[@_main_features[effect]];\n"
        "    for (; product < @_product_ends[k]; ++product)\n"
        "      score += @_products[product] * x[@_product_features[product][0]] * "
        "x[@_product_features[product][1]];\n"
        "    scores[k] = score;\n"
        "  }\n"
        "}\n\n");
  }

  void value() {
    write(
        "/* The number that is predicted for a sample. */\n"
        "static inline ~ @_value(const ~ *sample) {\n"
        "  ~ scores[1];\n"
        "  @_scores(sample, scores);\n"
        "  return scores[0];\n"
        "}\n"
        "static inline ~ @_value_of_kept(const ~ *kept) {\n"
        "  ~ scores[1];\n"
        "  @_scores_of_kept(kept, scores);\n"
        "  return scores[0];\n"
        "}\n\n");
  }

  /// Visits the intercept and the value of each term, in the order in which they are added.
  template <class Visit>
  void for_each_summand(const T* sample, Index output, Visit visit) const {
    const auto x = [&](Index j) { return centres_ ? sample[j] - centres_[j] : sample[j]; };
    visit(all_.intercept(output));
    for (const auto& term : all_.of(output)) {
      const T value = term.coefficient * x(term.first);
      visit(term.is_product() ? value * x(term.second) : value);
    }
  }
  T score(const T* sample, Index output) const {
    T total = 0;
    for_each_summand(sample, output, [&](T value) { total += value; });
    return total;
  }
  /// Rounding allowed for compilers that fuse products and sums: 16 units of the summands' sizes.
  T tolerance() const {
    T top = 0;
    for (Index i = 0; i < options_.sample_count; ++i)
      for (Index k = 0; k < all_.outputs; ++k) {
        T size = 0;
        for_each_summand(sample(i), k, [&](T value) { size += absolute(value); });
        top = largest(top, size);
      }
    return T(16) * epsilon<T> * top;
  }
  const T* sample(Index i) const { return options_.samples + static_cast<std::size_t>(i) * all_.features; }

  void self_test() {
    if (!this->begin_self_test(regression() ? "values" : "scores")) return;
    this->test_table("~", " samples[", "?", [&](Index i) {
      for_each_kept_feature([&](Index j) {
        separate(positions_[j]);
        out_ << sample(i)[j];
      });
      if (!kept_) write("0");
    });
    this->test_table("~", " expected[", "%", [&](Index i) {
      for (Index k = 0; k < all_.outputs; ++k) {
        separate(k);
        out_ << score(sample(i), k);
      }
    });
    this->end_self_test(tolerance(), "scores_of_kept");
  }

  const InteractionTerms<T>& all_;
  std::span<Index> positions_;
  const T* centres_;
  std::size_t mains_ = 0, products_ = 0;
};

}  // namespace detail

/// Writes the header into `out` and returns its length in characters (no terminating zero). If that is more than
/// `out.size()`, the text is cut: call again with that much. `positions` is scratch of as many entries as the model has
/// features; with less, the length is 0 and nothing is written. With `centres`, one per feature, the terms multiply
/// x_j − centres[j] instead of x_j; samples, those of the self-test too, are given as they come.
template <class T>
std::size_t export_interactions_c(const InteractionTerms<T>& terms, const ExportOptions<T>& options,
                                  std::span<Index> positions, std::span<char> out, const T* centres = nullptr) {
  if (positions.size() < terms.features) return 0;
  TextSink sink(out);
  const LinearModel<T> shape{nullptr, 0, terms.outputs};
  detail::InteractionCExporter<T>(terms, shape, options, positions.first(terms.features), centres, sink).write();
  return sink.length();
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
