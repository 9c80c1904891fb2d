#pragma once
/// Readings of integers into a model that was trained on a QuantisedDesign.

#include "../design/quantised_products.hpp"
#include "linear.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// The class of a reading: integers in, class out, without scratch. `meaning` is that of the design of the training;
/// the answer that `model.predict` has for (reading_j − zero_j)·scale_j, to the bit.
template <class T, QuantisedInteger Integer>
[[gnu::noinline]] Label predict(const LinearModel<T>& model, const Integer* reading,
                                const Quantisation<T, std::type_identity_t<Integer>>& meaning) {
  using Piece = SimdOrScalar<T>;
  if (!model.coefficients) return no_label;
  const Index stride = model.stride();
  Label best = 0;
  T top = -infinity<T>;
  for (Index first = 0; first < model.classes; first += Piece::width) {
    auto total = Piece::load(row_of(model.coefficients, model.features, stride) + first);
    for (Index j = 0; j < model.features; ++j)
      total = total +
              Piece::fill(meaning.value(reading[j], j)) * Piece::load(row_of(model.coefficients, j, stride) + first);
    for (Index k = first; k < smallest(model.classes, first + Piece::width); ++k)
      if (total.entry[k - first] > top) {
        top = total.entry[k - first];
        best = static_cast<Label>(k);
      }
  }
  return best;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
