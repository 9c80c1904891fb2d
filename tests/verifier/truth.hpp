#pragma once
/// The objective of a model by its formula, in long double, and what rounding in float or double may have done to it.
/// Nothing here calls the library's losses, penalties or certificates.

#include "problem.hpp"

namespace tamis::verifier {

/// Coefficients features × classes, and intercepts, of the caller's units.
struct Point {
  std::vector<Real> w, b;
};

class Truth {
 public:
  /// `l1_weights`: of the last round of reweighted-l1, features × classes; empty: all 1.
  explicit Truth(const Problem& problem, std::vector<Real> l1_weights = {});

  const Problem& problem() const { return p_; }
  Real share(Index i) const { return share_[i]; }  ///< wᵢ/Σw
  Point zero() const;

  Real mean_loss(const Point& at) const { return mean_loss(at, 0); }
  Real penalty(const Point& at) const;
  /// That which is minimised: with η the penalty.
  Real objective(const Point& at) const;

  Real loss(Index i, const Real* z, const Real* slack = nullptr, int sign = 0) const;
  /// u ← ∇ℓ(z), of the hinge some subgradient; not of share i.
  void gradient(Index i, const Real* z, Real* u) const;
  /// Upper bound of the curvature of every ℓ, of smooth losses.
  Real curvature() const;

  Real penalty_of(const std::vector<std::size_t>& group, const Real* w) const;
  /// v ← argmin_w step·Ω(w) + ½‖w − v‖² over one group; `v` has its entries one after the other.
  void prox(const std::vector<std::size_t>& group, Real* v, Real step) const;
  const std::vector<std::vector<std::size_t>>& groups() const { return groups_; }

  void scores(const Point& at, Index i, Real* z) const;

  // How far a computation in the type of the problem may be off; README.md derives them.
  Real loss_rounding(const Point& at) const;
  Real penalty_rounding(const Point& at) const;
  /// Of objective(at) as a solver reports it.
  Real rounding(const Point& at) const;
  /// Of any dual value of duals that are at most twice the gradients at `returned`, zero and `other`, as a lower bound
  /// of the mean loss + λ penalty at `other`.
  Real dual_rounding(const Point& returned, const Point& other) const;

 private:
  Real mean_loss(const Point& at, int sign) const;
  void magnitudes(const Point& at, Index i, bool with_means, Real* a) const;

  const Problem& p_;
  std::vector<Real> share_, l1_weights_, means_;
  std::vector<std::vector<std::size_t>> groups_;
  Real unit_;             ///< relative spacing of the type
  std::size_t most_ = 0;  ///< entries of the largest group
};

}  // namespace tamis::verifier
