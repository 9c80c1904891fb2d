#pragma once
#include "shape.hpp"

namespace tamis {

/// What a solver is asked to do: minimise (1/Σwᵢ) Σᵢ wᵢ ℓᵢ + λ Ω(W), or, by a constrained solver, Ω(W) subject to
/// (1/Σwᵢ) Σᵢ wᵢ ℓᵢ ≤ η. Intercepts are never penalised.
template <class T>
struct Options {
  T lambda = T(0);                         ///< weight of the penalty, ≥ 0
  T tolerance = T(1e-4);                   ///< relative duality gap to certify, > 0
  std::uint32_t max_iterations = 1000000;  ///< ≥ 1
  bool intercept = true;                   ///< one free intercept per class
  bool working_sets = true;                ///< iterate on few features, check the rest by the certificate
  T eta = T(0);                            ///< bound of the mean loss, > 0, and then λ = 0; 0: the regularised form
};

}  // namespace tamis
