// The user's own penalty and loss, as lib/docs/cpp.md shows them.
#include <gtest/gtest.h>

#include <cmath>

#include "support/problems.hpp"

namespace {

using namespace tamis;
using tamis::testing::Made;

/// λ Σ w with w ≥ 0: no dual norm, so no gap; the KKT residual decides.
struct NonNegative {
  template <class T>
  T value(Rows<const T> w) const {
    T total = 0;
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) total += w(r, k);
    return total;
  }
  template <class T>
  void prox(Rows<T> w, T step) const {
    for (Index r = 0; r < w.rows; ++r)
      for (Index k = 0; k < w.classes; ++k) w(r, k) = largest(w(r, k) - step, T(0));
  }
};

/// The same, with what a certificate needs: the gauge of the dual constraint −Xᵀu ≤ λ.
struct CertifiedNonNegative : NonNegative {
  template <class T>
  T dual_norm(Rows<const T> g) const {
    T top = 0;
    for (Index r = 0; r < g.rows; ++r)
      for (Index k = 0; k < g.classes; ++k) top = largest(top, -g(r, k));
    return top;
  }
};

template <class Loss>
void expect_agreement(Loss loss) {
  const Made<double> made(50, 6, 3, 21);
  const auto certified =
      tamis::testing::run_default(made, loss, CertifiedNonNegative{}, {.lambda = 0.02, .tolerance = 1e-8});
  EXPECT_EQ(certified.fit.status, Status::converged);
  EXPECT_LE(certified.fit.relative_gap, 1e-8);
  const auto plain = tamis::testing::run_default(made, loss, NonNegative{}, {.lambda = 0.02, .tolerance = 1e-9});
  EXPECT_EQ(plain.fit.status, Status::converged);
  EXPECT_TRUE(std::isnan(plain.fit.gap));
  EXPECT_LE(plain.fit.kkt_residual, 1e-9);
  EXPECT_NEAR(plain.fit.objective, certified.fit.objective, 1e-6);
  for (Index j = 0; j < 6; ++j)
    for (Index k = 0; k < 3; ++k) EXPECT_GE(plain.fit.model(j, k), 0);
}

TEST(UserPenalty, WorksWithHinge) { expect_agreement(Hinge{}); }
TEST(UserPenalty, WorksWithSquaredHinge) { expect_agreement(SquaredHinge{}); }

}  // namespace
