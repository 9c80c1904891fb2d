#include "tamis/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <tamis/tamis.hpp>
#include <vector>

#include "support/problems.hpp"
#include "tamis/training.hpp"

namespace eigen_snippet {  // of lib/docs/cpp.md, whose includes do nothing here
#include "eigen_matrices_snippet.hpp"
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

TEST(Eigen, EveryLayoutTrainsWithTheSameBits) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Strided = Eigen::Map<const Eigen::MatrixXd, 0, Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>;
  const Made<double> made(70, 5, 3, 3);
  const Eigen::MatrixXd columns = Eigen::Map<const Eigen::MatrixXd>(made.values.data(), 70, 5);
  const RowMajor rows = columns;
  RowMajor large = RowMajor::Random(90, 9);
  large.block(7, 3, 70, 5) = columns;
  Eigen::MatrixXd gaps = Eigen::MatrixXd::Random(140, 10);
  for (int i = 0; i < 70; ++i)
    for (int j = 0; j < 5; ++j) gaps(2 * i, 2 * j) = columns(i, j);
  const Eigen::Ref<const Eigen::MatrixXd> reference = columns;
  Eigen::VectorXi y(70);
  for (int i = 0; i < 70; ++i) y[i] = made.labels[static_cast<std::size_t>(i)];
  const std::vector<int> as_vector(y.begin(), y.end());

  const Options<double> options{.lambda = 0.02, .tolerance = 1e-6};
  const auto train = [&]<class Loss, class Design>(Loss loss, const Design& design, const auto& labels) {
    using Train = Training<double, Loss, L1, Design, Smallest>;
    std::vector<Label> room(70);
    alignas(16) static std::byte memory[Train::bytes({70, 5, 3})];
    const auto fit = Train(options, loss).run(design, {labels_of(labels, room), 3}, memory);
    EXPECT_EQ(fit.status, Status::converged);
    Eigen::MatrixXd out(6, 3);
    out << coefficients(fit.model), intercepts(fit.model);
    for (int i = 0; i < 70; ++i) {
      EXPECT_EQ(predict(fit.model, columns.row(i)), predict(fit.model, rows.row(i)));
      Eigen::Vector3d z;
      scores(fit.model, rows.row(i), z);
      Eigen::Index top;
      z.maxCoeff(&top);
      EXPECT_EQ(predict(fit.model, rows.row(i)), top);
    }
    return out;
  };
  const auto all = [&](auto loss) {
    const Eigen::MatrixXd expected = train(loss, design(columns), y);
    EXPECT_EQ(train(loss, design(rows), as_vector), expected);
    EXPECT_EQ(train(loss, design(reference), std::span<const int>(as_vector)), expected);
    EXPECT_EQ(train(loss, design(large.block(7, 3, 70, 5)), y), expected);
    EXPECT_EQ(train(loss, design(Strided(gaps.data(), 70, 5, {2 * gaps.outerStride(), 2})), y), expected);
  };
  all(Hinge{});
  all(SquaredHinge{});
  static_assert(std::is_same_v<DesignOf<Eigen::MatrixXf>, DenseDesign<float>>);
  static_assert(std::is_same_v<DesignOf<RowMajor>, StridedDesign<double>>);
}

TEST(Eigen, LabelsThatAreNoneAreRefusedWithTheirRow) {
  const Made<double> made(20, 3, 2, 3);
  using Train = Training<double, Hinge, L1>;
  alignas(16) static std::byte memory[Train::bytes({20, 3, 2})];
  for (const int wrong : {-1, 2, 65535, 65536, 65537, 1 << 30}) {
    std::vector<int> y(made.labels.begin(), made.labels.end());
    y[7] = wrong;
    std::vector<Label> room(20);
    const auto fit = Train({.lambda = 0.1}).run(made.design(), {labels_of(y, room), 2}, memory);
    EXPECT_EQ(fit.status, Status::invalid_label) << wrong;
    EXPECT_EQ(fit.row, 7u);
    EXPECT_TRUE(labels_of(y, std::span(room).first(19)).empty());
    EXPECT_EQ(Train({.lambda = 0.1}).run(made.design(), {{}, 2}, memory).status, Status::invalid_shape);
  }
}

}  // namespace
