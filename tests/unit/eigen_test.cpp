#include "tamis/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <tamis/tamis.hpp>
#include <vector>

#include "support/problems.hpp"

namespace eigen_snippet {  // of lib/docs/cpp.md, whose includes do nothing here
#include "eigen_snippet.hpp"
}

namespace {

using namespace tamis;
using tamis::testing::Made;

TEST(Eigen, DesignsAreViewsOfMatricesBlocksAndSparseMatrices) {
  const Made<double> made(30, 5, 3, 3);
  Eigen::MatrixXd large = Eigen::MatrixXd::Random(40, 8);
  large.block(4, 2, 30, 5) = Eigen::Map<const Eigen::MatrixXd>(made.values.data(), 30, 5);
  const Eigen::SparseMatrix<double> sparse = large.block(4, 2, 30, 5).sparseView();

  const Options<double> options{.lambda = 0.05, .tolerance = 1e-6};
  const auto expected = tamis::testing::run_default(made, Hinge{}, L1{}, options);
  const auto block = design(large.block(4, 2, 30, 5));
  const auto same =
      tamis::testing::run<PrimalDual<double, Hinge, L1>, double>(block, made.targets(), Hinge{}, L1{}, options);
  EXPECT_EQ(same.coefficients(), expected.coefficients());
  const auto from_sparse = tamis::testing::run<PrimalDual<double, Hinge, L1, SparseDesign<double>>, double>(
      design(sparse), made.targets(), Hinge{}, L1{}, options);
  EXPECT_NEAR(from_sparse.fit.objective, expected.fit.objective, 1e-6);

  const auto w = coefficients(expected.fit.model);
  const auto b = intercepts(expected.fit.model);
  ASSERT_EQ(w.rows(), 5);
  ASSERT_EQ(w.cols(), 3);
  const Eigen::MatrixXd scores = (large.block(4, 2, 30, 5) * w).rowwise() + b;
  for (Index i = 0; i < 30; ++i) {
    Eigen::Index top;
    scores.row(i).maxCoeff(&top);
    EXPECT_EQ(expected.fit.model.predict(&made.values[i], 30), top);
  }
}

TEST(Eigen, TheExampleOfTheChapterTrainsAndHasNoModelOfWrongLabels) {
  Eigen::MatrixXf samples(6, 2);
  samples << 0, 0, 0.1f, 0.1f, 1, 0, 1.1f, 0.2f, 0, 1, 0.2f, 1.3f;
  const std::vector<Label> labels{0, 0, 1, 1, 2, 2}, wrong{0, 0, 1, 1, 2, 3};
  const Eigen::MatrixXf w = eigen_snippet::weights(samples, labels, 3);
  ASSERT_EQ(w.rows(), 2);
  ASSERT_EQ(w.cols(), 3);
  EXPECT_GT(w(0, 1), w(0, 0));
  EXPECT_GT(w(1, 2), w(1, 0));
  EXPECT_EQ(eigen_snippet::weights(samples, wrong, 3).size(), 0);
}

TEST(Eigen, SparseMatricesNeedNotBeCompressed) {
  const Made<double> made(30, 5, 3, 3);
  const Eigen::MatrixXd dense = Eigen::Map<const Eigen::MatrixXd>(made.values.data(), 30, 5);
  const Eigen::SparseMatrix<double> compressed = dense.sparseView();
  Eigen::SparseMatrix<double> open(30, 5);
  open.reserve(Eigen::VectorXi::Constant(5, 40));  // room at the end of every column
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 30; ++i)
      if (dense(i, j) != 0) open.insert(i, j) = dense(i, j);
  ASSERT_FALSE(open.isCompressed());
  ASSERT_TRUE(compressed.isCompressed());

  const auto train = [&](const Eigen::SparseMatrix<double>& matrix) {
    return tamis::testing::run<Fista<double, SquaredHinge, L1, SparseDesign<double>>, double>(
        design(matrix), made.targets(), SquaredHinge{}, L1{}, {.lambda = 0.05, .tolerance = 1e-6});
  };
  const auto expected = train(compressed);
  ASSERT_EQ(expected.fit.status, Status::converged);
  EXPECT_EQ(train(open).coefficients(), expected.coefficients());
}

}  // namespace
