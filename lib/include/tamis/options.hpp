#pragma once
#include "linalg/scalar.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// A run that does not converge ends: on boards in seconds with a floating-point unit and in minutes without, rather
/// than in hours (10,000 iterations on iris are three seconds of a Cortex-M4F at 168 MHz, five minutes of a Cortex-M0+ at
/// 48 MHz), where a scale that is wrong is found out the sooner.
inline constexpr std::uint32_t default_max_iterations = TAMIS_IS_BOARD ? 10000 : 1000000;

/// What a solver is asked to do: minimise (1/Σwᵢ) Σᵢ wᵢ ℓᵢ + λ Ω(W), or, by a constrained solver, Ω(W) subject to
/// (1/Σwᵢ) Σᵢ wᵢ ℓᵢ ≤ η. Intercepts are never penalised.
template <class T>
struct Options {
  T lambda = T(0);                                        ///< weight of the penalty, ≥ 0
  T tolerance = T(1e-4);                                  ///< relative duality gap to certify, > 0
  std::uint32_t max_iterations = default_max_iterations;  ///< ≥ 1
  T margin = not_a_number<T>;  ///< of all samples; NaN: what suits the loss, or one per sample of Targets
  bool intercept = true;       ///< one free intercept per class
  bool working_sets = true;    ///< iterate on few features, check the rest by the certificate
  T eta = T(0);                ///< bound of the mean loss, > 0, and then λ = 0; 0: the regularised form
};

/// What solvers that learn from one sample after the other take beside.
template <class T>
struct StochasticOptions {
  T learning_rate = not_a_number<T>;  ///< η₀ > 0; NaN: chosen on a quarter of the samples, held out
  std::uint64_t seed = 0;             ///< of the order of the samples
};

/// What ends a run beside the iteration limit. `gap`: the certificate, everywhere. The others are those of the
/// published baselines, which have `set_stopping`; each is compared with a threshold:
///   - iterates: ‖x − x_before‖/‖x‖ of consecutive iterates (Chierchia et al. (2015), section 4.2);
///   - violation_sum, violation_max: the sum or the largest of the optimality violations of an outer pass, over that of
///     the first pass (Blondel et al. (2013), equation (10)).
enum class StoppingRule : std::uint8_t { gap, iterates, violation_sum, violation_max };

/// A rule other than `gap` computes no certificate on the way, only one at the end: the status is `converged` if that
/// is below the tolerance, and `stopped` otherwise.
template <class T>
struct Stopping {
  StoppingRule rule = StoppingRule::gap;
  T threshold = T(0);  ///< > 0, of a rule other than `gap`

  constexpr bool valid() const { return rule == StoppingRule::gap || (threshold > T(0) && finite(threshold)); }
};

/// Whether a margin for all samples was asked for.
template <class T>
constexpr bool has_margin(const Options<T>& options) {
  return options.margin == options.margin;
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
