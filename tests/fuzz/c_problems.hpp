#pragma once
/// Problems of the C interface from bytes, with what they point to, all of exactly the size that their shapes need.

#include <cmath>

#include "c_face.hpp"
#include "tamis_interactions.h"
#include "tamis_kernels.h"

namespace tamis::fuzz {

/// The types of problems of a scalar, and what fills in their defaults.
template <class T>
struct Problems;
#define TAMIS_FUZZ_PROBLEMS(REAL, S)                                             \
  template <>                                                                    \
  struct Problems<REAL> {                                                        \
    using Linear = tamis_problem_##S;                                            \
    using Interactions = tamis_interactions_problem_##S;                         \
    using Kernels = tamis_kernels_problem_##S;                                   \
    using Kernel = tamis_kernel_##S;                                             \
    static constexpr auto linear = tamis_default_problem_##S;                    \
    static constexpr auto interactions = tamis_default_interactions_problem_##S; \
    static constexpr auto kernels = tamis_default_kernels_problem_##S;           \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_PROBLEMS)
#undef TAMIS_FUZZ_PROBLEMS

template <class T>
struct LinearProblem {
  typename Problems<T>::Linear c;
  std::vector<T> values, weights, margins;
  std::vector<std::uint16_t> labels;
  std::vector<std::uint32_t> rows, starts, order, group_starts;

  explicit LinearProblem(Bytes& b) {
    Problems<T>::linear(&c);
    const std::uint8_t odd = b.byte();  // which of the unusual things happen, most of them seldom
    const auto maybe = [&](int bit) { return odd >> bit & 1; };
    c.samples = b.below(10);
    c.features = b.below(7);
    c.classes = b.below(6);
    c.loss = b.below(5);
    c.penalty = b.below(8);
    if (maybe(0)) c.solver = b.below(20);
    c.lambda = maybe(1) ? b.number<T>() : std::ldexp(T(1), -static_cast<int>(b.below(12)));
    if (maybe(2)) {
      c.eta = b.number<T>();
      if (b.flag()) c.lambda = 0;
    }
    c.tolerance = b.flag() ? b.number<T>() : T(1e-3f);
    c.max_iterations = b.below(64);
    c.intercept = b.below(3);
    if (b.flag()) c.margin = b.number<T>();
    if (b.flag()) c.l1_ratio = b.number<T>();
    if (b.flag()) c.epsilon = b.number<T>();
    c.block = b.below(4);
    if (maybe(3)) c.column_stride = b.below(14);
    const std::size_t n = c.samples, p = c.features, stride = c.column_stride ? c.column_stride : n;
    if (maybe(4)) {
      sparse(b);
    } else {
      values = b.numbers<T>(p && stride >= n ? (p - 1) * stride + n : p * n);
    }
    for (std::size_t i = 0; i < n; ++i) labels.push_back(static_cast<std::uint16_t>(label(b)));
    if (maybe(5)) weights = b.numbers<T>(n);
    if (maybe(6)) margins = b.numbers<T>(n);
    if (maybe(7)) {
      c.group_count = b.below(5);
      for (std::size_t j = 0; j < p; ++j) order.push_back(b.below(8));
      for (std::size_t g = 0; g <= c.group_count; ++g) group_starts.push_back(b.below(8));
      c.group_order = order.data();
      c.group_starts = group_starts.data();
    }
    c.values = values.data();
    c.labels = labels.data();
    if (!weights.empty()) c.weights = weights.data();
    if (!margins.empty()) c.margins = margins.data();
    const std::uint8_t null = b.byte();
    if (null == 1) c.values = nullptr;
    if (null == 2) c.labels = nullptr;
    if (null == 3) c.starts = nullptr;
    if (null == 4) c.group_order = nullptr;
    if (null == 5) c.group_starts = nullptr;
  }

  /// Usually one of the classes in turn.
  std::uint32_t label(Bytes& b) {
    const std::uint8_t given = b.byte();
    return given >= 250 ? given * 257u : c.classes ? given % c.classes : given;
  }
  /// Columns that are as they should be, with a fault now and then.
  void sparse(Bytes& b) {
    starts = {0};
    for (std::uint32_t j = 0; j < c.features; ++j) {
      for (std::uint32_t i = 0; i < c.samples; ++i)
        if (b.flag()) {
          rows.push_back(i);
          values.push_back(b.number<T>());
        }
      starts.push_back(static_cast<std::uint32_t>(rows.size()));
    }
    if (const std::uint8_t fault = b.byte(); fault >= 224 && !rows.empty()) rows[fault % rows.size()] = b.byte();
    else if (fault >= 192 && c.features) starts[fault % c.features] = b.byte();
    if (rows.empty()) rows.push_back(0), values.push_back(0);
    c.rows = rows.data();
    c.starts = starts.data();
  }
};

template <class T>
struct InteractionsProblem {
  typename Problems<T>::Interactions c;
  std::vector<T> values, targets;
  std::vector<std::uint16_t> labels;

  explicit InteractionsProblem(Bytes& b) {
    Problems<T>::interactions(&c);
    const std::uint8_t odd = b.byte();
    c.samples = b.below(9);
    c.features = b.below(5);
    c.classes = odd & 1 ? b.below(5) : 2;
    c.loss = b.below(odd & 2 ? 3 : 2);
    c.hierarchy = b.below(odd & 2 ? 5 : 4);
    c.norm = b.below(odd & 2 ? 4 : 3);
    c.lambda = odd & 4 ? b.number<T>() : std::ldexp(T(1), -static_cast<int>(b.below(8)));
    if (odd & 8) c.lambda2 = b.number<T>();
    c.tolerance = odd & 16 ? b.number<T>() : T(1e-2f);
    c.max_iterations = b.below(48);
    c.intercept = b.below(3);
    if (odd & 32) c.column_stride = b.below(12);
    const std::size_t n = c.samples, p = c.features, stride = c.column_stride ? c.column_stride : n;
    values = b.numbers<T>(p && stride >= n ? (p - 1) * stride + n : p * n);
    targets = b.numbers<T>(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t given = b.byte();
      labels.push_back(static_cast<std::uint16_t>(given >= 250 || !c.classes ? given : given % c.classes));
    }
    const std::uint8_t null = odd & 64 ? b.byte() : 0;
    if (null != 1) c.values = values.data();
    if (null != 2) c.targets = targets.data();
    if (null != 3) c.labels = labels.data();
  }
};

template <class T>
struct KernelsProblem {
  typename Problems<T>::Kernels c;
  std::vector<T> values, matrices;
  std::vector<typename Problems<T>::Kernel> kernels;
  std::vector<std::uint16_t> labels;

  explicit KernelsProblem(Bytes& b) {
    Problems<T>::kernels(&c);
    const std::uint8_t odd = b.byte();
    const auto norm = [&] { return odd & 1 ? b.below(4) : 1 + b.below(2); };
    c.samples = b.below(8);
    c.features = b.below(4);
    c.classes = odd & 2 ? b.below(5) : 2;
    c.kernel_count = b.below(4);
    c.p = norm();
    c.q = norm();
    c.r = norm();
    c.form = b.below(4);
    c.lambda = odd & 4 ? b.number<T>() : std::ldexp(T(1), -static_cast<int>(b.below(8)));
    c.tolerance = odd & 8 ? b.number<T>() : T(1e-3f);
    c.max_iterations = b.below(64);
    c.intercept = b.below(3);
    if (odd & 16) c.column_stride = b.below(10);
    const std::size_t n = c.samples, p = c.features, stride = c.column_stride ? c.column_stride : n;
    if (odd & 32) matrices = b.numbers<T>(c.kernel_count * n * n);
    if (!(odd & 32) || odd & 64) {
      values = b.numbers<T>(p && stride >= n ? (p - 1) * stride + n : p * n);
      for (std::uint32_t t = 0; t < c.kernel_count; ++t)
        kernels.push_back({static_cast<std::uint8_t>(b.below(10)), b.number<T>(), b.number<T>()});
      c.kernels = kernels.data();
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint8_t given = b.byte();
      labels.push_back(static_cast<std::uint16_t>(given >= 250 || !c.classes ? given : given % c.classes));
    }
    c.values = values.data();
    c.labels = odd & 128 && b.flag() ? nullptr : labels.data();
    if (!matrices.empty()) c.matrices = matrices.data();
  }
};

}  // namespace tamis::fuzz
