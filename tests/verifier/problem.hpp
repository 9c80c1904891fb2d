#pragma once
/// Random problems on hard numbers. A seed says everything about one, on every machine with an x87 long double.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tamis/catalogue.hpp"
#include "tamis/penalty/groups.hpp"

namespace tamis::verifier {

/// What the independent evaluation computes in: at least 64 bits of mantissa and a range that no product of the numbers
/// below leaves.
using Real = long double;
inline constexpr bool has_wide_real =
    std::numeric_limits<Real>::digits >= 64 && std::numeric_limits<Real>::max_exponent >= 16384;

/// SplitMix64 (Steele, Lea and Flood).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  Index below(Index bound) { return static_cast<Index>(next() % bound); }
  bool chance(double p) { return uniform() < p; }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// A power of ten, its exponent uniform.
  double magnitude(double low, double high);
  /// About normal: a sum of twelve uniform numbers.
  double normal();

 private:
  std::uint64_t state_;
};

/// Minimise (1/Σw) Σ w ℓ + λΩ, or Ω subject to that mean ≤ η. All numbers are exact in the precision of the problem.
struct Problem {
  std::uint64_t seed = 0;
  bool single = false;  ///< float, otherwise double
  bool benign = false;  ///< nothing about its numbers excuses a refusal
  LossKind loss = LossKind::hinge;
  PenaltyKind penalty = PenaltyKind::l1;
  Index samples = 0, features = 0, classes = 0;
  std::vector<double> values;  ///< sample i, feature j at i + j·samples
  bool sparse = false;
  std::vector<Label> labels;
  std::vector<std::vector<Label>> sets;  ///< of ranking: the classes of each sample
  std::vector<double> weights;           ///< empty: all 1
  std::vector<double> margins;           ///< empty: `margin` for all
  double margin = 1;
  bool default_margin = true;
  bool intercept = true;
  double lambda = 0, eta = 0;
  double l1_ratio = 0.5, epsilon = 0.1;
  Index block = 0;                   ///< of groups: 0 rows, B blocks within a class
  std::vector<Index> order, starts;  ///< of listed groups
  double tolerance = 1e-4;
  std::uint32_t max_iterations = 1000;

  double value(Index i, Index j) const { return values[i + std::size_t(j) * samples]; }
  double weight(Index i) const { return weights.empty() ? 1 : weights[i]; }
  double margin_of(Index i) const { return margins.empty() ? margin : margins[i]; }
  bool listed() const { return !order.empty(); }
  bool constrained() const { return eta > 0; }
  /// Relative spacing and least positive number of the precision.
  Real epsilon_of_type() const { return single ? Real(0x1p-23L) : Real(0x1p-52L); }
  Real least_of_type() const { return single ? Real(0x1p-149L) : Real(0x1p-1074L); }
  std::string describe() const;
};

Problem make_problem(std::uint64_t seed);

/// All solvers that take it.
std::vector<SolverKind> solvers_of(const Problem& problem);

/// Groups of coefficients that a penalty treats as one, as positions j·classes + k; of separable penalties, rows.
std::vector<std::vector<std::size_t>> coefficient_groups(const Problem& problem);

}  // namespace tamis::verifier
