#include "tamis/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCore>
#include <tamis/tamis.hpp>
#include <vector>

#include "support/problems.hpp"
#include "tamis/loss/least_squares.hpp"
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
  eigen_snippet::Rows samples(6, 2);
  samples << 0, 0, 0.1f, 0.1f, 1, 0, 1.1f, 0.2f, 0, 1, 0.2f, 1.3f;
  const std::vector<int> labels{0, 0, 1, 1, 2, 2}, wrong{0, 0, 1, 1, 2, -1};
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

// ---- fit(X, y)
// -------------------------------------------------------------------------------------------------------

template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
Columns<T> matrix_of(const Made<T>& made) {
  return Eigen::Map<const Columns<T>>(made.values.data(), made.samples, made.features);
}
Eigen::VectorXi integers_of(const Made<double>& made) {
  Eigen::VectorXi y(made.samples);
  for (Index i = 0; i < made.samples; ++i) y[i] = made.labels[i];
  return y;
}
/// Coefficients and intercepts of what fit gives, by the memory that it asks for.
template <class Matrix, class Loss, class X, class Y>
Eigen::MatrixXd fitted(const X& x, const Y& y, Shape shape, WorkspaceHint hint) {
  using Train = Training<Matrix, Loss, L1>;
  for (const std::size_t bytes : {Train::bytes(shape), Train::bytes(shape, hint)}) {
    std::vector<double> room(bytes / 8 + 1);
    const auto memory = std::as_writable_bytes(std::span(room)).first(bytes);
    const auto fit = Train({.lambda = 0.02, .tolerance = 1e-6}).fit(x, y, memory);
    EXPECT_EQ(fit.status, Status::converged);
    EXPECT_LE(fit.arena_used_bytes, bytes);
    if (bytes == Train::bytes(shape, hint)) {
      Eigen::MatrixXd out(shape.features + 1, shape.classes);
      out << coefficients(fit.model), intercepts(fit.model);
      return out;
    }
  }
  return {};
}

TEST(EigenFit, EveryLayoutGivesTheModelOfRun) {
  const Made<double> made(70, 5, 3, 3);
  const Shape shape{70, 5, 3};
  const WorkspaceHint hint{.entries = 350, .active_limit = 18};
  const Columns<double> x = matrix_of(made);
  const ByRows<double> rows = x;
  ByRows<double> large = ByRows<double>::Random(90, 9);
  large.block(7, 3, 70, 5) = x;
  Columns<double> tall = Columns<double>::Random(90, 9);
  tall.block(7, 3, 70, 5) = x;
  const Eigen::Ref<const Columns<double>> reference = x;
  const auto y = integers_of(made);
  const std::vector<int> vector(y.begin(), y.end());
  const auto all = [&](auto loss) {
    using Loss = decltype(loss);
    const auto run = [&]<class Design>(const Design& design) {
      using Train = Training<double, Loss, L1, Design>;
      std::vector<double> room(Train::bytes(shape, hint) / 8 + 1);
      const auto fit = Train({.lambda = 0.02, .tolerance = 1e-6})
                           .run(design, made.targets(), std::as_writable_bytes(std::span(room)));
      Eigen::MatrixXd out(6, 3);
      out << coefficients(fit.model), intercepts(fit.model);
      return out;
    };
    const Eigen::MatrixXd expected = run(made.design()), by_rows = run(design(rows));
    using M = Columns<double>;
    EXPECT_EQ((fitted<M, Loss>(x, y, shape, hint)), expected);
    EXPECT_EQ((fitted<M, Loss>(x, vector, shape, hint)), expected);
    EXPECT_EQ((fitted<M, Loss>(x, made.labels, shape, hint)), expected);
    EXPECT_EQ((fitted<M, Loss>(reference, y, shape, hint)), expected);
    EXPECT_EQ((fitted<M, Loss>(tall.block(7, 3, 70, 5), y, shape, hint)), expected);
    EXPECT_EQ((fitted<M, Loss>(Eigen::Map<const M>(x.data(), 70, 5), y, shape, hint)), expected);
    EXPECT_EQ((fitted<ByRows<double>, Loss>(rows, y, shape, hint)), by_rows);
    EXPECT_EQ((fitted<ByRows<double>, Loss>(large.block(7, 3, 70, 5), y, shape, hint)), by_rows);
    EXPECT_EQ((fitted<ByRows<double>, Loss>(x, y, shape, hint)), by_rows);
  };
  all(Hinge{});
  all(SquaredHinge{});
}

TEST(EigenFit, SparseMatricesOfEveryLayoutGiveTheSameModel) {
  const Made<double> made(60, 6, 3, 4);
  Columns<double> x = matrix_of(made);
  for (int i = 0; i < 60; ++i) x(i, i % 5) = 0;
  using ColumnMajor = Eigen::SparseMatrix<double>;
  using RowMajor = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  const ColumnMajor columns = x.sparseView();
  const RowMajor rows = columns;
  RowMajor open(60, 6);
  open.reserve(Eigen::VectorXi::Constant(60, 9));
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 6; ++j)
      if (x(i, j) != 0) open.insert(i, j) = x(i, j);
  ASSERT_FALSE(open.isCompressed());
  const Shape shape{60, 6, 3};
  const WorkspaceHint hint{.entries = std::size_t(columns.nonZeros()), .active_limit = 21};
  const auto y = integers_of(made);
  const Eigen::Map<const ColumnMajor> map(60, 6, columns.nonZeros(), columns.outerIndexPtr(), columns.innerIndexPtr(),
                                          columns.valuePtr());
  const auto expected = fitted<ColumnMajor, SquaredHinge>(columns, y, shape, hint);
  EXPECT_EQ((fitted<ColumnMajor, SquaredHinge>(map, y, shape, hint)), expected);
  EXPECT_EQ((fitted<RowMajor, SquaredHinge>(rows, y, shape, hint)), expected);
  EXPECT_EQ((fitted<RowMajor, SquaredHinge>(open, y, shape, hint)), expected);
  EXPECT_TRUE((fitted<Columns<double>, SquaredHinge>(x, y, shape, hint)).isApprox(expected, 1e-2));
}

TEST(EigenFit, ManySamplesArePredictedLikeOne) {
  const Made<double> made(50, 6, 3, 5);
  const Columns<double> x = matrix_of(made);
  const ByRows<double> rows = x;
  const Eigen::SparseMatrix<double, Eigen::RowMajor> sparse = x.sparseView();
  using Train = Training<Columns<double>, Hinge, GroupL2>;
  std::vector<double> room(Train::bytes({50, 6, 3}) / 8 + 1);
  const auto fit = Train({.lambda = 0.02}).fit(x, integers_of(made), std::as_writable_bytes(std::span(room)));
  ASSERT_EQ(fit.status, Status::converged);
  Eigen::VectorXi labels(50), of_rows(50);
  std::vector<Label> of_sparse(50);
  predict(fit.model, x, labels);
  predict(fit.model, rows, of_rows);
  predict(fit.model, sparse, of_sparse);
  Columns<double> z(50, 3), of_sparse_rows(50, 3);
  ByRows<double> large(50, 7);
  scores(fit.model, x, z);
  scores(fit.model, rows, large.middleCols(2, 3));
  scores(fit.model, sparse, of_sparse_rows);
  for (int i = 0; i < 50; ++i) {
    const Label one = predict(fit.model, x.row(i));
    EXPECT_EQ(labels[i], one);
    EXPECT_EQ(of_rows[i], one);
    EXPECT_EQ(of_sparse[static_cast<std::size_t>(i)], one);
    Eigen::Vector3d scores_of_one;
    scores(fit.model, x.row(i), scores_of_one);
    EXPECT_EQ(z.row(i).transpose(), scores_of_one);
  }
  EXPECT_EQ(large.middleCols(2, 3), z);
  EXPECT_EQ(of_sparse_rows, z);
  predict(LinearModel<double>{nullptr, 6, 3}, sparse, of_sparse);
  EXPECT_EQ(of_sparse[0], no_label);
}

TEST(EigenFit, ValuesAreLearnedByLossesThatPredictThem) {
  const Made<double> made(40, 3, 3, 6);
  const Columns<double> x = matrix_of(made);
  const Eigen::VectorXd y = 2 * x.col(0) - x.col(2) + Eigen::VectorXd::Constant(40, 3);
  using Train = Training<Columns<double>, LeastSquares, L1>;
  std::vector<double> room(Train::bytes({40, 3, 1}) / 8 + 1);
  const auto fit = Train({.lambda = 1e-6}).fit(x, y, std::as_writable_bytes(std::span(room)));
  ASSERT_EQ(fit.status, Status::converged);
  EXPECT_TRUE(coefficients(fit.model).isApprox(Eigen::Vector3d(2, 0, -1), 1e-2));
  EXPECT_NEAR(intercepts(fit.model)(0), 3, 1e-2);
}

TEST(EigenFit, ProductsOfFeaturesArePredictedToo) {
  const Made<double> made(30, 4, 3, 3);
  const ByRows<double> rows = matrix_of(made);
  std::vector<double> room(InteractionAdmm<double>::requirement({30, 4, 3}).bytes / 8 + 1);
  const Columns<double> columns = rows;
  std::vector<Label> label_room(30);
  InteractionAdmm<double> solver(design(columns), {nullptr, labels_of(integers_of(made), label_room), 3},
                                 Hierarchy::strong, HierarchyNorm::l1, 0.005, {.lambda = 0.01, .tolerance = 1e-3});
  solver.start(std::as_writable_bytes(std::span(room)));
  while (solver.step()) continue;
  Eigen::VectorXi labels(30);
  Columns<double> z(30, 3);
  predict(solver.model(), rows, labels);
  scores(solver.model(), rows, z);
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(predict(solver.model(), columns.row(i)), labels[i]);
    Eigen::Index top;
    z.row(i).maxCoeff(&top);
    EXPECT_EQ(labels[i], top);
  }
}

TEST(EigenFit, WhatItRefusesTouchesNothing) {
  const Made<double> made(20, 3, 2, 3);
  const Columns<double> x = matrix_of(made);
  auto y = integers_of(made);
  using Train = Training<Columns<double>, Hinge, L1>;
  const std::size_t bytes = Train::bytes({20, 3, 2});
  std::vector<double> room(bytes / 8 + 2, 0.5);
  const auto kept = room;
  const auto memory = std::as_writable_bytes(std::span(room));
  const Train training({.lambda = 0.1});
  const auto refused = training.fit(x, y, memory.first(bytes - 1));
  EXPECT_EQ(refused.status, Status::arena_too_small);
  EXPECT_EQ(refused.arena_bytes, bytes);
  EXPECT_EQ(predict(refused.model, x.row(0)), no_label);
  EXPECT_EQ(training.fit(x, y, memory.subspan(1, bytes)).status, Status::invalid_arena);
  EXPECT_EQ(training.fit(x, y, {}).status, Status::invalid_arena);
  EXPECT_EQ(training.fit(x, y.head(19), memory).status, Status::invalid_shape);
  EXPECT_EQ(training.fit(Columns<double>(0, 3), Eigen::VectorXi(), memory).status, Status::invalid_shape);
  EXPECT_EQ(room, kept);
  EXPECT_EQ(training.fit(x, y, memory.first(bytes)).status, Status::converged);
  y[4] = -1;
  const auto wrong = training.fit(x, y, memory);
  EXPECT_EQ(wrong.status, Status::invalid_label);
  EXPECT_EQ(wrong.row, 4u);
  y[4] = 1 << 20;
  EXPECT_EQ(training.fit(x, y, memory).status, Status::invalid_label);
  y.setZero();
  EXPECT_EQ(training.fit(x, y, memory).status, Status::invalid_shape);
}

TEST(EigenFit, SparseRowsWithPositionsOutsideAreRefused) {
  using RowMajor = Eigen::SparseMatrix<float, Eigen::RowMajor>;
  using Train = Training<RowMajor, Hinge, L1>;
  alignas(16) static std::byte memory[Train::bytes({4, 2, 2})];
  const float values[] = {1, 2, 3, 4};
  const std::vector<int> y{0, 1, 0, 1};
  for (const int bad : {2, -1, 1 << 30}) {
    const int starts[] = {0, 1, 2, 3, 4}, columns[] = {0, 1, bad, 1};
    const Eigen::Map<const RowMajor> x(4, 2, 4, starts, columns, values);
    EXPECT_EQ(Train({.lambda = 0.1f}).fit(x, y, memory).status, Status::invalid_shape) << bad;
    EXPECT_EQ(design(x, std::span<std::byte>(memory).first(16)).samples(), 0u);
  }
}

}  // namespace
