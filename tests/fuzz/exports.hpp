#pragma once
/// Models made from bytes, and what their C headers must give: for the target that looks at the text of headers, and
/// for the batch that compiles many of them into one program.

#include <string>

#include "fuzz.hpp"
#include "tamis.h"
#include "tamis/model/export_quantised_c.hpp"
#include "tamis_interactions.h"
#include "tamis_kernels.h"

namespace tamis::fuzz {

/// A header, and samples with what it must say of them.
struct Exported {
  std::string header = {};
  bool doubles = false;     ///< samples and scores are double, otherwise float
  bool integers = false;    ///< scores are int32_t
  bool has_classes = true;  ///< a regression has none, and no name_predict
  std::size_t features = 0, outputs = 0;
  std::vector<double> samples = {};  ///< row-major
  std::vector<double> scores = {};   ///< of the samples, as the library has them
  std::vector<std::uint32_t> classes = {};
};

inline constexpr std::size_t sample_count = 3;

/// The text that `write(out, bytes)` writes; cut short, it is the beginning of the same.
template <class Write>
std::string text_of(Bytes& b, const Write& write) {
  std::string text(write(nullptr, std::size_t(0)), '\0');
  expect(write(text.data(), text.size()) == text.size(), "a header has the length it says");
  Guarded cut(b.word() % (text.size() + 1));
  expect(write(reinterpret_cast<char*>(cut.data()), cut.size()) == text.size(), "a header that is cut says its length");
  cut.check();
  expect(std::memcmp(cut.data(), text.data(), cut.size()) == 0, "a header that is cut is the beginning of it");
  expect(text.find('\0') == std::string::npos && text.ends_with("#endif\n"), "a header is text to its end");
  return text;
}

/// `scores_of(sample, scores)` and `class_of(sample)` are the library's.
template <class T, class ScoresOf, class ClassOf>
void sample_with(Exported& e, const std::vector<T>& samples, const ScoresOf& scores_of, const ClassOf& class_of) {
  e.doubles = sizeof(T) == 8;
  e.samples.assign(samples.begin(), samples.end());
  for (std::size_t i = 0; i < sample_count; ++i) {
    std::vector<T> scores(e.outputs);
    scores_of(samples.data() + i * e.features, scores.data());
    e.scores.insert(e.scores.end(), scores.begin(), scores.end());
    if (e.has_classes) e.classes.push_back(class_of(samples.data() + i * e.features));
  }
}

template <class T>
std::vector<T> finite_numbers(Bytes& b, std::size_t count) {
  std::vector<T> out(count);
  for (T& x : out) x = b.finite<T>();
  return out;
}

#define TAMIS_FUZZ_EXPORTS(REAL, S)                                                                                   \
  inline Exported exported_linear(Bytes& b, const char* name, REAL) {                                                 \
    Exported e{.features = 1 + b.below(6), .outputs = 2 + b.below(5)};                                                \
    const std::size_t stride = padded<REAL>(Index(e.outputs));                                                        \
    std::vector<REAL> w((e.features + 1) * stride);                                                                   \
    for (std::size_t j = 0; j <= e.features; ++j)                                                                     \
      for (std::size_t k = 0; k < e.outputs && b.flag(); ++k) w[j * stride + k] = b.finite<REAL>();                   \
    const tamis_model_##S model{w.data(), std::uint32_t(e.features), std::uint32_t(e.outputs)};                       \
    const auto samples = finite_numbers<REAL>(b, sample_count * e.features);                                          \
    e.header = text_of(b, [&](char* out, std::size_t bytes) {                                                         \
      return tamis_export_c_##S(&model, name, nullptr, samples.data(), sample_count, out, bytes);                     \
    });                                                                                                               \
    sample_with(                                                                                                      \
        e, samples, [&](const REAL* x, REAL* z) { tamis_scores_##S(&model, x, 1, z); },                               \
        [&](const REAL* x) { return tamis_predict_##S(&model, x, 1); });                                              \
    return e;                                                                                                         \
  }                                                                                                                   \
  inline Exported exported_interactions(Bytes& b, const char* name, REAL) {                                           \
    Exported e{.has_classes = b.flag(), .features = 1 + b.below(5)};                                                  \
    e.outputs = e.has_classes ? 2 + b.below(3) : 1;                                                                   \
    std::vector<tamis_interactions_term_##S> terms;                                                                   \
    const auto f = std::uint32_t(e.features);                                                                         \
    for (std::uint32_t k = 0; k < e.outputs; ++k) {                                                                   \
      for (std::uint32_t j = 0; j < f; ++j)                                                                           \
        if (b.flag()) terms.push_back({k, j, TAMIS_NO_FEATURE, b.finite<REAL>()});                                    \
      for (std::uint32_t j = 0; j < f * f; ++j)                                                                       \
        if (j / f <= j % f && b.below(4) == 0) terms.push_back({k, j / f, j % f, b.finite<REAL>()});                  \
    }                                                                                                                 \
    const auto intercepts = finite_numbers<REAL>(b, e.outputs);                                                       \
    const tamis_interactions_model_##S model{terms.data(), intercepts.data(), std::uint32_t(terms.size()), f,         \
                                             std::uint32_t(e.outputs)};                                               \
    const auto samples = finite_numbers<REAL>(b, sample_count * e.features);                                          \
    std::vector<std::uint32_t> positions(e.features);                                                                 \
    e.header = text_of(b, [&](char* out, std::size_t bytes) {                                                         \
      return tamis_interactions_export_c_##S(&model, name, nullptr, samples.data(), sample_count, positions.data(),   \
                                             out, bytes);                                                             \
    });                                                                                                               \
    sample_with(                                                                                                      \
        e, samples, [&](const REAL* x, REAL* z) { tamis_interactions_scores_##S(&model, x, 1, z); },                  \
        [&](const REAL* x) { return tamis_interactions_predict_##S(&model, x, 1); });                                 \
    return e;                                                                                                         \
  }                                                                                                                   \
  inline Exported exported_kernels(Bytes& b, const char* name, REAL) {                                                \
    Exported e{.features = 1 + b.below(4)};                                                                           \
    const std::uint32_t kept = 1 + b.below(3), kinds = 1 + b.below(3);                                                \
    e.outputs = b.flag() ? 1 : 2 + b.below(3);                                                                        \
    std::vector<tamis_kernel_##S> kernels;                                                                            \
    for (std::uint32_t t = 0; t < kinds; ++t) {                                                                       \
      const auto kind = std::uint8_t(b.below(6)); /* those of any samples, with a few powers at most */               \
      kernels.push_back({kind, REAL(1 + b.below(4)), REAL(b.below(3))});                                              \
    }                                                                                                                 \
    std::vector<tamis_kernels_term> terms;                                                                            \
    for (std::uint32_t t = 0; t < kinds * kept; ++t)                                                                  \
      if (b.below(4)) terms.push_back({t / kept, t % kept});                                                          \
    std::vector<std::uint32_t> origins;                                                                               \
    for (std::uint32_t s = 0; s < kept; ++s) origins.push_back(s);                                                    \
    const auto x = finite_numbers<REAL>(b, kept * e.features), c = finite_numbers<REAL>(b, terms.size() * e.outputs), \
               intercepts = finite_numbers<REAL>(b, e.outputs),                                                       \
               samples = finite_numbers<REAL>(b, sample_count * e.features);                                          \
    const tamis_kernels_model_##S model{kernels.data(),                                                               \
                                        x.data(),                                                                     \
                                        terms.data(),                                                                 \
                                        c.data(),                                                                     \
                                        intercepts.data(),                                                            \
                                        origins.data(),                                                               \
                                        kinds,                                                                        \
                                        kept,                                                                         \
                                        std::uint32_t(terms.size()),                                                  \
                                        std::uint32_t(e.features),                                                    \
                                        std::uint32_t(e.outputs)};                                                    \
    std::vector<REAL> scratch(e.features + e.outputs);                                                                \
    e.header = text_of(b, [&](char* out, std::size_t bytes) {                                                         \
      return tamis_kernels_export_c_##S(&model, name, nullptr, samples.data(), sample_count, scratch.data(), out,     \
                                        bytes);                                                                       \
    });                                                                                                               \
    sample_with(                                                                                                      \
        e, samples, [&](const REAL* s, REAL* z) { tamis_kernels_scores_##S(&model, s, 1, z); },                       \
        [&](const REAL* s) { return tamis_kernels_predict_##S(&model, s, 1, scratch.data()); });                      \
    return e;                                                                                                         \
  }
TAMIS_FUZZ_EXPORTS(float, f32)
TAMIS_FUZZ_EXPORTS(double, f64)
#undef TAMIS_FUZZ_EXPORTS

/// A model of integers; an empty header where there is none for these numbers.
inline Exported exported_quantised(Bytes& b, const char* name) {
  Exported e{.integers = true, .features = 1 + b.below(6), .outputs = 2 + b.below(5)};
  const std::size_t stride = padded<float>(Index(e.outputs));
  std::vector<float> w((e.features + 1) * stride);
  for (std::size_t j = 0; j <= e.features; ++j)
    for (std::size_t k = 0; k < e.outputs && b.flag(); ++k) w[j * stride + k] = b.finite<float>();
  const LinearModel<float> model{w.data(), Index(e.features), Index(e.outputs)};
  std::vector<CountScale> counts;
  for (std::size_t j = 0; j < e.features; ++j) {
    const float low = b.finite<float>(), high = b.finite<float>();
    counts.push_back(low <= high ? count_scale(low, high) : count_scale(high, low));
  }
  const bool bytes = b.flag();
  std::vector<std::int16_t> weights(e.features * e.outputs);
  std::vector<std::int32_t> intercepts(e.outputs);
  const auto q = quantise(model, counts.data(), bytes ? 127 : 32767, std::span(weights), std::span(intercepts));
  if (q.classes == 0) return e;
  expect(detail::sums_fit(q), "no sum of a model of integers overflows");
  const auto samples = finite_numbers<float>(b, sample_count * e.features);
  e.header = text_of(b, [&](char* out, std::size_t room) {
    return export_quantised_c(q, {.name = name, .samples = samples.data(), .sample_count = sample_count}, bytes,
                              std::span(out, room));
  });
  e.samples.assign(samples.begin(), samples.end());
  std::vector<std::int32_t> scores(e.outputs);
  for (std::size_t i = 0; i < sample_count; ++i) {
    e.classes.push_back(q.predict(samples.data() + i * e.features, scores.data()));
    e.scores.insert(e.scores.end(), scores.begin(), scores.end());
  }
  return e;
}

inline Exported exported(Bytes& b, const char* name) {
  switch (b.below(8)) {
    case 0: return exported_linear(b, name, float());
    case 1: return exported_linear(b, name, double());
    case 2: return exported_interactions(b, name, float());
    case 3: return exported_interactions(b, name, double());
    case 4: return exported_kernels(b, name, float());
    case 5: return exported_kernels(b, name, double());
    default: return exported_quantised(b, name);
  }
}

}  // namespace tamis::fuzz
