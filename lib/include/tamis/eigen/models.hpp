#pragma once
/// Models as Eigen's matrices, and what they predict of samples in these.

#include "../design/sample_rows.hpp"
#include "../model/interaction_terms.hpp"
#include "../model/kernel_coefficients.hpp"
#include "../model/kernel_expansion.hpp"
#include "../model/linear.hpp"
#include "design.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

// ---- coefficients: views of where the model lies
// ----------------------------------------------------------------------

/// Rows of numbers, one after the other or `stride` apart.
template <class T>
using MapOfRows = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, Eigen::Unaligned,
                             Eigen::OuterStride<>>;
template <class T>
using MapOfRow = Eigen::Map<const Eigen::Matrix<T, 1, Eigen::Dynamic>>;

namespace detail {
template <class T>
MapOfRows<T> map_rows(const T* values, std::size_t rows, Index columns, Index stride) {
  return {values, static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(stride))};
}
}  // namespace detail

/// The coefficients of a model as a features × classes matrix.
template <class T>
MapOfRows<T> coefficients(const LinearModel<T>& model) {
  return detail::map_rows(model.coefficients, model.features, model.classes, model.stride());
}
template <class T>
MapOfRow<T> intercepts(const LinearModel<T>& model) {
  return {row_of(model.coefficients, model.features, model.stride()), static_cast<Eigen::Index>(model.classes)};
}

/// Θ of one output, features × features: what multiplies x_j·x_l is the sum of its entries (j, l) and (l, j).
template <class T>
MapOfRows<T> coefficients(const InteractionModel<T>& model, Index output = 0) {
  return detail::map_rows(output < model.outputs ? model.row(output, 0) : nullptr, model.features, model.features,
                          model.stride());
}
/// v of one output, one number for each feature.
template <class T>
auto main_effects(const InteractionModel<T>& model, Index output = 0) {
  return Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>, Eigen::Unaligned, Eigen::InnerStride<>>(
      output < model.outputs ? model.row(output, 0) + model.features : nullptr,
      static_cast<Eigen::Index>(model.features), Eigen::InnerStride<>(static_cast<Eigen::Index>(model.stride())));
}
template <class T>
MapOfRow<T> intercepts(const InteractionModel<T>& model) {
  return {model.intercepts, static_cast<Eigen::Index>(model.outputs)};
}

/// α of one kernel, samples × outputs.
template <class T>
MapOfRows<T> coefficients(const KernelCoefficients<T>& model, Index kernel = 0) {
  return detail::map_rows(
      kernel < model.kernels ? row_of(model.coefficients, kernel * model.samples, model.stride()) : nullptr,
      model.samples, model.outputs, model.stride());
}
template <class T>
MapOfRow<T> intercepts(const KernelCoefficients<T>& model) {
  return {model.intercepts, static_cast<Eigen::Index>(model.intercepts ? model.outputs : 0)};
}
/// Of the terms that are kept, terms × outputs.
template <class T, class Function>
MapOfRows<T> coefficients(const KernelExpansion<T, Function>& model) {
  return detail::map_rows(model.coefficients, model.terms.size(), model.outputs, model.outputs);
}
template <class T, class Function>
MapOfRow<T> intercepts(const KernelExpansion<T, Function>& model) {
  return {model.intercepts, static_cast<Eigen::Index>(model.outputs)};
}

// ---- predictions
// ------------------------------------------------------------------------------------------------------

namespace detail {

template <class Model>
struct PredictedScalar {};
template <class T>
struct PredictedScalar<LinearModel<T>> : std::type_identity<T> {};
template <class T>
struct PredictedScalar<InteractionModel<T>> : std::type_identity<T> {};
template <class T>
struct PredictedScalar<InteractionTerms<T>> : std::type_identity<T> {};
template <class T, class Function>
struct PredictedScalar<KernelExpansion<T, Function>> : std::type_identity<T> {};
template <class Model>
using ScalarOf = typename PredictedScalar<Model>::type;

template <class Model>
inline constexpr bool has_kernels = requires(const Model& model) {
  model.kernels;
};

/// Whether samples are what a model of T predicts; no such ones compile.
template <class Model, class Derived>
constexpr bool are_samples() {
  constexpr bool in_memory = std::is_base_of_v<Eigen::SparseCompressedBase<Derived>, Derived> ||
                             (Derived::Flags & Eigen::DirectAccessBit) != 0;
  static_assert(in_memory, "samples lie in memory: evaluate the expression into a matrix or vector first");
  constexpr bool by_samples = !is_sparse<Derived> || Derived::IsRowMajor;
  static_assert(by_samples, "scores are taken sample by sample: make a row-major SparseMatrix");
  constexpr bool same_scalar = std::is_same_v<typename Derived::Scalar, ScalarOf<Model>>;
  static_assert(same_scalar, "the samples and the model are of different precision: cast the samples");
  constexpr bool comparable = !is_sparse<Derived> || !has_kernels<Model>;
  static_assert(comparable, "kernels compare dense samples: make a dense matrix");
  return in_memory && by_samples && same_scalar && comparable;
}

/// Scores of a sample; 0 of a model that a training has refused.
template <class Model>
Eigen::Index outputs_of(const Model& model) {
  if constexpr (requires { model.outputs; }) return static_cast<Eigen::Index>(model.intercepts ? model.outputs : 0);
  else return static_cast<Eigen::Index>(model.coefficients ? model.classes : 0);
}
/// Whether there is a model, and one of samples with so many features.
template <class Model>
bool suits(const Model& model, Eigen::Index features) {
  Index own = 0;
  if constexpr (has_kernels<Model>) own = model.samples.features;
  else own = model.features;
  return outputs_of(model) > 0 && features == static_cast<Eigen::Index>(own);
}

/// Row i of a matrix: a view of a dense one, values and their features of a sparse one.
template <class X>
auto sample_of(const X& x, Eigen::Index i) {
  if constexpr (is_sparse<X>) {
    check_sparse<X>();
    const auto* const starts = x.outerIndexPtr();
    const auto* const filled = x.innerNonZeroPtr();
    return SampleRow<typename X::Scalar>{x.valuePtr() + starts[i],
                                         reinterpret_cast<const Index*>(x.innerIndexPtr() + starts[i]),
                                         static_cast<Index>(filled ? filled[i] : starts[i + 1] - starts[i])};
  } else {
    return sample_table(x)[static_cast<Index>(i)];
  }
}
/// Any feature of a sparse sample, most of them zero.
template <class T>
struct SparseEntries {
  SampleRow<T> row;

  T operator[](Index feature) const {
    Index low = 0, high = row.count;
    while (low < high) {
      const Index middle = low + (high - low) / 2;
      if (row.features[middle] < feature) low = middle + 1;
      else high = middle;
    }
    return low < row.count && row.features[low] == feature ? row.values[low] : T(0);
  }
};

/// Calls visit(k, score_k) for one sample: of a sparse one with the bits of the same sample as a dense one.
template <class T, class Visit>
void for_each_score(const LinearModel<T>& model, SampleView<T> x, Visit visit) {
  constexpr Index width = SimdOrScalar<T>::width;
  for (Index first = 0; first < model.classes; first += width) {
    const auto part = model.scores(x.values, x.step, first);
    for (Index k = first; k < smallest(model.classes, first + width); ++k) visit(k, part.entry[k - first]);
  }
}
template <class T, class Visit>
void for_each_score(const LinearModel<T>& model, SampleRow<T> x, Visit visit) {
  constexpr Index width = SimdOrScalar<T>::width;
  const Index stride = model.stride();
  for (Index first = 0; first < model.classes; first += width) {
    T part[width];
    row_multiply_strip<T, 1, SimdOrScalar<T>>(x, model.coefficients + first, stride,
                                              row_of(model.coefficients, model.features, stride) + first, part);
    for (Index k = first; k < smallest(model.classes, first + width); ++k) visit(k, part[k - first]);
  }
}
template <class T, class Visit>
void for_each_score(const InteractionModel<T>& model, SampleView<T> x, Visit visit) {
  for (Index k = 0; k < model.outputs; ++k) visit(k, model.score(x.values, x.step, k));
}
template <class T, class Visit>
void for_each_score(const InteractionModel<T>& model, SampleRow<T> x, Visit visit) {
  const auto for_each = [=](auto see) {
    for (Index e = 0; e < x.count; ++e) see(x.features[e], x.values[e]);
  };
  for (Index k = 0; k < model.outputs; ++k) visit(k, model.score_of(for_each, k));
}
template <class T, class Visit>
void for_each_score(const InteractionTerms<T>& model, SampleView<T> x, Visit visit) {
  model.for_each_score(x, visit);
}
template <class T, class Visit>
void for_each_score(const InteractionTerms<T>& model, SampleRow<T> x, Visit visit) {
  model.for_each_score(SparseEntries<T>{x}, visit);
}
template <class T, class Function, class Visit>
void for_each_score(const KernelExpansion<T, Function>& model, SampleView<T> x, Visit visit) {
  constexpr Index together = 8;  // for which kernels are computed once
  T part[together];
  for (Index first = 0; first < model.outputs; first += together) {
    const Index count = smallest(together, model.outputs - first);
    model.scores(x, part, first, count);
    for (Index k = 0; k < count; ++k) visit(first + k, part[k]);
  }
}

/// The class of a sample that suits the model.
template <class Model, class T>
Label predict_one(const Model& model, SampleView<T> x) {
  if constexpr (has_kernels<Model>) return model.predict(x);
  else return model.predict(x.values, x.step);
}
template <class Model, class T>
Label predict_one(const Model& model, SampleRow<T> x) {
  Label best = 0;
  T top = -infinity<T>;
  for_each_score(model, x, [&](Index k, T score) {
    if (score > top) top = score, best = static_cast<Label>(k);
  });
  return best;
}
template <class Derived>
SampleView<typename Derived::Scalar> view_of(const Eigen::DenseBase<Derived>& sample) {
  return {sample.derived().data(), static_cast<Index>(sample.size()),
          static_cast<std::size_t>(sample.derived().innerStride())};
}

}  // namespace detail

/// The class of one sample: a row of a matrix, a vector or another expression that lies in memory. The model is linear,
/// has products of features or kernels. `no_label` for a sample of another number of features, and of the model of a
/// refused training.
template <class Model, class Derived>
requires(bool(Derived::IsVectorAtCompileTime) && requires { typename detail::ScalarOf<Model>; }) Label
    predict(const Model& model, const Eigen::DenseBase<Derived>& sample) {
  if constexpr (detail::are_samples<Model, Derived>())
    return detail::suits(model, sample.size()) ? detail::predict_one(model, detail::view_of(sample)) : no_label;
  else return no_label;
}
/// Its scores into `out`, one per class, or for two classes that a sign tells apart one. `converged`; `invalid_shape`,
/// with nothing written, where the sample or `out` has another size than the model asks for, or there is none.
template <class Model, class Derived>
requires(bool(Derived::IsVectorAtCompileTime) && requires { typename detail::ScalarOf<Model>; }) Status
    scores(const Model& model, const Eigen::DenseBase<Derived>& sample,
           Eigen::Ref<Eigen::Matrix<detail::ScalarOf<Model>, Eigen::Dynamic, 1>> out) {
  if (!detail::suits(model, sample.size()) || out.size() != detail::outputs_of(model)) return Status::invalid_shape;
  if constexpr (detail::are_samples<Model, Derived>())
    detail::for_each_score(model, detail::view_of(sample), [&](Index k, auto score) { out.data()[k] = score; });
  return Status::converged;
}

/// The classes of the samples in the rows of X into `labels`, which has one for each: a VectorXi, a std::vector, a
/// span. X is dense, or sparse and row-major for models without kernels. `invalid_shape`, with nothing written, where
/// there are more or fewer labels than samples; the same with every label `no_label` where the samples have another
/// number of features than the model, or there is none.
template <class Model, class X, class Labels>
requires requires { typename detail::ScalarOf<Model>; }
Status predict(const Model& model, const Eigen::EigenBase<X>& x, Labels&& labels) {
  const auto& matrix = x.derived();
  if (static_cast<Eigen::Index>(labels.size()) != matrix.rows()) return Status::invalid_shape;
  const bool suits = detail::suits(model, matrix.cols());
  using To = std::remove_cvref_t<decltype(labels[0])>;
  using Position = decltype(labels.size());
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    if constexpr (detail::are_samples<Model, X>())
      labels[static_cast<Position>(i)] =
          static_cast<To>(suits ? detail::predict_one(model, detail::sample_of(matrix, i)) : no_label);
  return suits ? Status::converged : Status::invalid_shape;
}
/// Their scores, samples × outputs, into a matrix of any layout; refused as for one sample.
template <class Model, class X, class Scores>
requires(!X::IsVectorAtCompileTime && requires { typename detail::ScalarOf<Model>; }) Status
    scores(const Model& model, const Eigen::EigenBase<X>& x, Scores&& out) {
  const auto& matrix = x.derived();
  if (out.rows() != matrix.rows() || out.cols() != detail::outputs_of(model) || !detail::suits(model, matrix.cols()))
    return Status::invalid_shape;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    if constexpr (detail::are_samples<Model, X>())
      detail::for_each_score(model, detail::sample_of(matrix, i),
                             [&](Index k, auto score) { out(i, static_cast<Eigen::Index>(k)) = score; });
  return Status::converged;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
