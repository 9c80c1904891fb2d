#pragma once
/// Random problems with several kernels, their objective by its formula in long double, and a search for lower points.
/// Nothing here calls the library's losses, penalties or certificates.

#include "problem.hpp"

namespace tamis::verifier {

/// Minimise (1/n) Σᵢ ℓ(f(xᵢ), yᵢ) + (λ/q)‖α‖_{pq;r}^q. All numbers are exact in the precision of the problem.
struct KernelProblem {
  std::uint64_t seed = 0;
  bool single = false;  ///< float, otherwise double
  bool benign = false;  ///< nothing about its numbers excuses a refusal
  bool intercept = true;
  Index samples = 0, kernels = 0;
  Index outputs = 1;           ///< 1 for two classes, else K
  std::vector<double> values;  ///< K_t[l, i] at (t·n + l)·n + i
  std::vector<Label> labels;
  int p = 2, q = 1, r = 1;
  double lambda = 0, next_lambda = 0;  ///< the second: of a run that goes on from the first
  double tolerance = 0;
  std::uint32_t max_iterations = 0;

  std::size_t features() const { return std::size_t(samples) * kernels; }
  /// Relative spacing and least positive number of the precision.
  Real epsilon_of_type() const { return single ? Real(0x1p-23L) : Real(0x1p-52L); }
  Real least_of_type() const { return single ? Real(0x1p-149L) : Real(0x1p-1074L); }
  std::string describe() const;
};

KernelProblem make_kernel_problem(std::uint64_t seed);

/// Coefficient of output k for feature j = t·n + l at j·outputs + k; intercepts.
struct KernelPoint {
  std::vector<Real> w, b;
};

class KernelTruth {
 public:
  KernelTruth(const KernelProblem& problem, double lambda);

  KernelPoint zero() const;
  Real objective(const KernelPoint& at) const;
  /// How far the objective that a solver reports may be off by rounding: the README derives it.
  Real rounding(const KernelPoint& at) const;
  /// The same of any dual value, as a lower bound of the objective at `other`.
  Real dual_rounding(const KernelPoint& returned, const KernelPoint& other) const;
  /// The objective of the best model of intercepts alone: of two classes, or without intercepts. Otherwise infinite.
  Real null_objective() const;

  /// A point no higher than `from`: accelerated proximal gradients, then moves of single coefficients.
  KernelPoint descend(const KernelPoint& from, int passes) const;

 private:
  using Scores = std::vector<Real>;  ///< samples × outputs
  Real sign_of(Index i) const { return p_.labels[i] == 1 ? Real(1) : Real(-1); }
  Scores scores(const KernelPoint& at, bool magnitudes = false) const;
  /// Mean loss, violations larger (sign 1) or smaller by what rounding of scores of that size may do.
  Real loss(const Scores& z, const Scores* sizes = nullptr, int sign = 0) const;
  Real penalty(const std::vector<Real>& w) const;
  /// Slopes of the mean loss with respect to the scores.
  Scores slopes(const Scores& z) const;
  void prox(std::vector<Real>& w, Real step) const;
  void walk(KernelPoint& at) const;

  const KernelProblem& p_;
  Real lambda_, unit_, least_;
  std::vector<std::vector<std::size_t>> groups_;
};

}  // namespace tamis::verifier
