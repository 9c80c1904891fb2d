// Doors of Eigen beside training and predicting: paths and selection, products of features, kernels, features. What
// they give is compared with the classes that they call, and with the same formula in Eigen.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <string>
#include <tamis/eigen.hpp>
#include <vector>

#include "support/problems.hpp"
#include "tamis/loss/least_squares.hpp"

// The examples of lib/docs/cpp.md, whose includes do nothing here.
namespace eigen_selection_snippet {
#include "eigen_selection_snippet.hpp"
}
namespace eigen_interactions_snippet {
#include "eigen_interactions_snippet.hpp"
}
namespace eigen_kernels_snippet {
#include "eigen_kernels_snippet.hpp"
}
namespace eigen_features_snippet {
#include "eigen_features_snippet.hpp"
}

namespace {

using namespace tamis;
using tamis::testing::Made;

template <class T>
using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using ByRows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

Columns<double> matrix_of(const Made<double>& made) {
  return Eigen::Map<const Columns<double>>(made.values.data(), made.samples, made.features);
}
Eigen::VectorXi integers_of(const Made<double>& made) {
  Eigen::VectorXi y(made.samples);
  for (Index i = 0; i < made.samples; ++i) y[i] = made.labels[i];
  return y;
}
/// Memory of so many bytes, and no more.
struct Room {
  explicit Room(std::size_t bytes) : numbers((bytes + 15) / 16 * 2, 0.5), bytes(bytes) {}
  std::span<std::byte> span() { return std::as_writable_bytes(std::span(numbers)).first(bytes); }
  std::span<std::byte> short_by_one() { return span().first(bytes - 1); }

  std::vector<double> numbers;
  std::size_t bytes;
};
std::vector<double> copy_of(MapOfRows<double> map) {
  const Columns<double> matrix = map;
  return {matrix.data(), matrix.data() + matrix.size()};
}

// ---- temporaries

template <class M>
concept Designable = requires(M&& m) {
  design(std::forward<M>(m));
};
template <class M>
concept Tabulable = requires(M&& m) {
  sample_table(std::forward<M>(m));
};
static_assert(Designable<const Eigen::MatrixXd&> && !Designable<Eigen::MatrixXd>);
static_assert(Designable<const Eigen::ArrayXXd&> && !Designable<Eigen::ArrayXXd>);
static_assert(Designable<const Eigen::SparseMatrix<double>&> && !Designable<Eigen::SparseMatrix<double>>);
static_assert(Designable<Eigen::Map<const Eigen::MatrixXd>> && Designable<Eigen::Map<Eigen::SparseMatrix<double>>>);
static_assert(Tabulable<const Eigen::MatrixXd&> && !Tabulable<Eigen::MatrixXd>);

// ---- linear models

const Options<double> training_options{.tolerance = 1e-6};

/// What a path by hand has at its points.
template <class Loss, class Design>
std::vector<std::vector<double>> points_of(const Design& design, const Made<double>& made, const Grid<double>& grid) {
  using Train = Training<double, Loss, GroupL2, Design>;
  const Train training(training_options);
  const auto make = [&](const Targets<double>& these) { return training.solver(design, these); };
  using P = Path<double, decltype(make)>;
  Room room(P::requirement(made.shape(), {Train::bytes(made.shape())}).bytes);
  P path(make, made.features, made.targets(), grid);
  path.start(room.span());
  std::vector<std::vector<double>> out;
  advance_path(path, [&](const auto& point) {
    out.push_back(copy_of(coefficients(point.model())));
    out.back().push_back(point.lambda());
    return true;
  });
  return out;
}

TEST(EigenSelection, PathsOfEveryLayoutAreThoseOfPath) {
  const Made<double> made(60, 8, 3, 4);
  const Columns<double> x = matrix_of(made);
  const ByRows<double> rows = x;
  const Eigen::SparseMatrix<double> sparse = x.sparseView();
  const SparseRows sparse_rows = x.sparseView();
  const auto y = integers_of(made);
  const Grid<double> grid{.points = 6};
  const auto fitted = [&]<class Matrix>(const Matrix& matrix) {
    using Train = Training<Matrix, SquaredHinge, GroupL2>;
    Room room(path_bytes<Train>(made.shape()));
    std::vector<std::vector<double>> out;
    const auto visit = [&](const auto& point) {
      out.push_back(copy_of(coefficients(point.model())));
      out.back().push_back(point.lambda());
      return true;
    };
    const auto before = room.numbers;
    const auto refused = fit_path(Train(training_options), matrix, y, grid, room.short_by_one(), visit);
    EXPECT_EQ(refused.status, Status::arena_too_small);
    EXPECT_EQ(refused.arena_bytes, room.bytes);
    EXPECT_EQ(room.numbers, before);
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(fit_path(Train(training_options), matrix, y, grid, room.span(), visit).status, Status::converged);
    return out;
  };
  EXPECT_EQ(fitted(x), points_of<SquaredHinge>(made.design(), made, grid));
  EXPECT_EQ(fitted(rows), points_of<SquaredHinge>(design(rows), made, grid));
  EXPECT_EQ(fitted(sparse), points_of<SquaredHinge>(design(sparse), made, grid));
  EXPECT_EQ(fitted(sparse_rows), fitted(sparse));

  using Train = Training<Columns<double>, SquaredHinge, GroupL2>;
  Room room(path_bytes<Train>(made.shape(), {.entries = 480, .active_limit = 27}));
  ASSERT_GT(room.bytes, path_bytes<Train>(made.shape()));
  Index points = 0, most = 0;
  const auto enough = [&](const auto& point) {
    most = point.report().nonzero_rows;
    return ++points < 2;
  };
  EXPECT_EQ(fit_path(Train(training_options), x, y, grid, room.span(), enough).status, Status::stopped);
  EXPECT_EQ(points, 2u);
  const auto limited = fit_path(
      Train(training_options), x, y, grid, room.span(),
      [&](const auto& point) { return most = point.report().nonzero_rows, true; }, 0, 3);
  EXPECT_EQ(limited.status, Status::converged);
  EXPECT_LE(most, 3u);
}

TEST(EigenSelection, APathOfValuesEndsAtTheSolutionOfTheNormalEquations) {
  const Made<double> made(50, 3, 3, 6);
  const Columns<double> x = matrix_of(made);
  const Eigen::VectorXd y = (x.col(0) * 2 - x.col(2)).array() + 0.3 * x.col(1).array().square() + 1;
  using Train = Training<Columns<double>, LeastSquares, L1>;
  Room room(path_bytes<Train>({50, 3, 1}));
  Eigen::VectorXd w;
  const double lambdas[] = {0.1, 1e-9};
  const auto report = fit_path(Train({.tolerance = 1e-9}), x, y, {lambdas, 2}, room.span(), [&](const auto& point) {
    w = coefficients(point.model());
    return true;
  });
  EXPECT_EQ(report.status, Status::converged);
  Columns<double> augmented(50, 4);
  augmented << x, Eigen::VectorXd::Ones(50);
  const Eigen::VectorXd expected = augmented.householderQr().solve(y);
  EXPECT_TRUE(w.isApprox(expected.head(3), 1e-4)) << w.transpose() << " " << expected.transpose();
}

TEST(EigenSelection, CrossValidationIsThatOfItsClass) {
  const Made<double> made(60, 8, 3, 4);
  const ByRows<double> x = matrix_of(made);
  const auto y = integers_of(made);
  using Train = Training<ByRows<double>, SquaredHinge, GroupL2>;
  const Train training(training_options);
  const FoldOptions options{.folds = 4, .seed = 7};
  Room room(validation_bytes<Train>(made.shape(), options, 5));
  const auto before = room.numbers;
  EXPECT_EQ(cross_validate(training, x, y, {.points = 5}, room.short_by_one(), options).status,
            Status::arena_too_small);
  EXPECT_EQ(room.numbers, before);
  const auto validation = cross_validate(training, x, y, {.points = 5}, room.span(), options);
  ASSERT_EQ(validation.status, Status::converged);
  ASSERT_EQ(validation.points(), 5u);

  std::vector<Index> folds(60), order(60);
  Index rare = 0;
  ASSERT_TRUE(deal_folds(made.labels, 3, 4, true, 7, folds.data(), order.data(), rare));
  const auto samples = design(x);
  const auto make = [&](const Targets<double>& these) { return training.solver(samples, these); };
  using Cv = CrossValidation<double, decltype(make), DesignOf<ByRows<double>>, SquaredHinge>;
  Room other(Cv::requirement(made.shape(), 4, 5, Train::solver_requirement(made.shape())).bytes);
  Cv cv(make, samples, made.targets(), SquaredHinge{}, folds.data(), 4, validation.grid);
  cv.start(other.span());
  while (cv.step()) continue;
  const FoldOptions given{.folds = 4, .fold_of = folds.data()};
  Room smaller(validation_bytes<Train>(made.shape(), given, 5));
  const auto again = cross_validate(training, x, y, validation.grid, smaller.span(), given);
  for (Index l = 0; l < 5; ++l) {
    EXPECT_EQ(validation.at(l).lambda, cv.at(l).lambda);
    EXPECT_EQ(validation.at(l).error, cv.at(l).error);
    EXPECT_EQ(validation.at(l).loss, cv.at(l).loss);
    EXPECT_EQ(again.at(l).loss, cv.at(l).loss);
    EXPECT_EQ(again.at(l).error_deviation, cv.at(l).error_deviation);
  }
  EXPECT_EQ(validation.best(), cv.best());
  EXPECT_EQ(validation.one_standard_error(Measure::loss), cv.one_standard_error(Measure::loss));
}

TEST(EigenSelection, FoldsThatCannotBeDealtAndLabelsThatAreNoneAreRefused) {
  const Made<double> made(12, 3, 3, 4);
  const Columns<double> x = matrix_of(made);
  auto y = integers_of(made);
  using Train = Training<Columns<double>, SquaredHinge, L1>;
  const auto validate = [&](const FoldOptions& options, const Grid<double>& grid) {
    Room room(validation_bytes<Train>(made.shape(), options, grid.points));
    return cross_validate(Train(training_options), x, y, grid, room.span(), options, 3);
  };
  EXPECT_EQ(validate({.folds = 1}, {.points = 3}).status, Status::invalid_option);
  EXPECT_EQ(validate({.folds = 0}, {.points = 3}).status, Status::invalid_option);
  EXPECT_EQ(validate({.folds = 13, .stratified = false}, {.points = 3}).status, Status::invalid_option);
  EXPECT_EQ(validate({.folds = 6}, {.points = 3}).status, Status::missing_class);
  EXPECT_EQ(validate({.folds = 3, .stratified = false}, {.points = 0}).status, Status::invalid_lambda);
  EXPECT_EQ(validate({.folds = 3, .stratified = false}, {.points = 2, .ratio = -1}).status, Status::invalid_lambda);
  y[5] = -1;
  const auto wrong = validate({.folds = 3, .stratified = false}, {.points = 3});
  EXPECT_EQ(wrong.status, Status::invalid_label);
  EXPECT_EQ(wrong.row, 5u);
  EXPECT_EQ(wrong.points(), 0u);
}

TEST(EigenSelection, StabilityIsThatOfItsClass) {
  const Made<double> made(60, 8, 3, 4);
  const Columns<double> x = matrix_of(made);
  const auto y = integers_of(made);
  using Train = Training<Columns<double>, SquaredHinge, GroupL2>;
  const Train training(training_options);
  const StabilityOptions options{.pairs = 4, .seed = 3};
  Room room(stability_bytes<Train>(made.shape(), options, 3));
  const auto before = room.numbers;
  EXPECT_EQ(select_stable(training, x, y, {.points = 3}, room.short_by_one(), options).status, Status::arena_too_small);
  EXPECT_EQ(room.numbers, before);
  const auto stability = select_stable(training, x, y, {.points = 3, .ratio = 0.2}, room.span(), options);
  ASSERT_EQ(stability.status, Status::converged);

  const auto samples = made.design();
  const auto make = [&](const Targets<double>& these) { return training.solver(samples, these); };
  using Run = StabilitySelection<double, decltype(make)>;
  Room other(Run::requirement(made.shape(), {}, 3, Train::solver_requirement(made.shape())).bytes);
  Run run(make, 8, made.targets(), stability.grid, options);
  run.start(other.span());
  while (run.step()) continue;
  ASSERT_EQ(stability.counts.halves, 8u);
  for (Index j = 0; j < 8; ++j)
    for (Index l = 0; l < 3; ++l) {
      EXPECT_EQ(stability.counts.frequency(j, l), run.frequency(j, l));
      EXPECT_EQ(stability.kept()(l, j), run.frequency(j, l) * 8);
    }
  EXPECT_GT(stability.kept().maxCoeff(), 0u);
}

TEST(EigenSelection, TheExampleOfTheChapterChooses) {
  Eigen::MatrixXf x = Eigen::MatrixXf::Random(60, 5);
  Eigen::VectorXi y(60);
  for (int i = 0; i < 60; ++i) {
    y[i] = i % 2;
    x(i, 1) += y[i] ? 2.0f : -2.0f;
  }
  std::vector<Index> kept;
  const float lambda = eigen_selection_snippet::choose(x, y, {60, 5, 2}, kept);
  ASSERT_EQ(kept.size(), 20u);
  EXPECT_EQ(kept.front(), 0u);
  EXPECT_GE(kept.back(), 1u);
  EXPECT_GT(lambda, 0.0f);
  EXPECT_EQ(eigen_selection_snippet::choose(x, y.head(59), {60, 5, 2}, kept), -1.0f);
}

// ---- products of features

TEST(EigenInteractions, EveryLayoutGivesTheModelOfTheSolverAndItsScoresAreThoseOfEigen) {
  const Made<double> made(30, 4, 3, 3);
  const Columns<double> x = matrix_of(made);
  const ByRows<double> rows = x;
  const SparseRows sparse_rows = x.sparseView();
  const Eigen::SparseMatrix<double> sparse = x.sparseView();
  const auto y = integers_of(made);
  const Eigen::VectorXd values = x.col(0).cwiseProduct(x.col(1)) - 0.5 * x.col(2);
  const InteractionProblem<double> problem{
      .hierarchy = Hierarchy::weak, .options = {.lambda = 0.005, .tolerance = 1e-4}, .lambda2 = 0.004};
  const auto fitted = [&]<class Matrix>(const Matrix& matrix, const auto& of, Index classes) {
    using Train = InteractionTraining<Matrix>;
    Room room(Train::bytes({30, 4, classes}));
    const auto before = room.numbers;
    EXPECT_EQ(Train(problem).fit(matrix, of, room.short_by_one()).status, Status::arena_too_small);
    EXPECT_EQ(room.numbers, before);
    const auto fit = Train(problem).fit(matrix, of, room.span());
    EXPECT_EQ(fit.status, Status::converged);
    EXPECT_EQ(fit.arena_bytes, room.bytes);
    EXPECT_LE(fit.relative_gap, 1e-4);
    Columns<double> out(4 * classes + classes, 5), z(30, classes), expected(30, classes);
    for (Index k = 0; k < classes; ++k) {
      const auto theta = coefficients(fit.model, k);
      const auto v = main_effects(fit.model, k);
      out.block(4 * k, 0, 4, 4) = theta;
      out.block(4 * k, 4, 4, 1) = v;
      out.row(4 * classes + k).setConstant(intercepts(fit.model)(k));
      expected.col(k) =
          (x * theta).cwiseProduct(x).rowwise().sum() + x * v + Eigen::VectorXd::Constant(30, intercepts(fit.model)(k));
    }
    EXPECT_EQ(scores(fit.model, x, z), Status::converged);
    EXPECT_TRUE(z.isApprox(expected, 1e-12));
    Columns<double> of_rows(30, classes), of_terms(30, classes), of_sparse_terms(30, classes);
    EXPECT_EQ(scores(fit.model, sparse_rows, of_rows), Status::converged);
    EXPECT_EQ(of_rows, z);
    std::vector<InteractionTerm<double>> list(count_terms(fit.model));
    take_terms(fit.model, std::span(list));
    const InteractionTerms<double> terms{list, fit.model.intercepts, 4, classes};
    EXPECT_EQ(scores(terms, x, of_terms), Status::converged);
    EXPECT_EQ(scores(terms, sparse_rows, of_sparse_terms), Status::converged);
    EXPECT_TRUE(of_terms.isApprox(expected, 1e-12));
    EXPECT_EQ(of_sparse_terms, of_terms);
    Eigen::VectorXi labels(30), of_sparse(30), by_terms(30);
    EXPECT_EQ(predict(fit.model, x, labels), Status::converged);
    EXPECT_EQ(predict(fit.model, sparse_rows, of_sparse), Status::converged);
    EXPECT_EQ(predict(terms, sparse_rows, by_terms), Status::converged);
    for (int i = 0; i < 30; ++i) {
      Eigen::Index top;
      z.row(i).maxCoeff(&top);
      EXPECT_EQ(labels[i], top);
      EXPECT_EQ(by_terms[i], top);
    }
    EXPECT_EQ(labels, of_sparse);
    return out;
  };
  for (int regression = 0; regression < 2; ++regression) {
    const auto all = [&](const auto& of, Index classes) {
      const Columns<double> expected = fitted(x, of, classes);
      EXPECT_EQ(fitted(rows, of, classes), expected);
      EXPECT_EQ(fitted(sparse, of, classes), expected);
      EXPECT_EQ(fitted(sparse_rows, of, classes), expected);
    };
    if (regression) all(values, 1);
    else all(y, 3);
  }
}

TEST(EigenInteractions, ChooseTheirLambdaAndRefuse) {
  const Made<double> made(30, 4, 2, 3);
  const ByRows<double> x = matrix_of(made);
  auto y = integers_of(made);
  using Train = InteractionTraining<ByRows<double>>;
  const Train training({.hierarchy = Hierarchy::weak, .options = {.tolerance = 1e-3}});
  Room for_path(path_bytes<Train>({30, 4, 2}));
  Index points = 0;
  const auto count = [&](const auto& point) {
    EXPECT_LE(point.report().relative_gap, 1e-3);
    return ++points, true;
  };
  EXPECT_EQ(fit_path(training, x, y, {.points = 4}, for_path.span(), count).status, Status::converged);
  EXPECT_EQ(points, 4u);
  const FoldOptions options{.folds = 3};
  Room for_folds(validation_bytes<Train>({30, 4, 2}, options, 4));
  EXPECT_EQ(cross_validate(training, x, y, {.points = 4}, for_folds.short_by_one(), options).status,
            Status::arena_too_small);
  const auto validation = cross_validate(training, x, y, {.points = 4}, for_folds.span(), options);
  ASSERT_EQ(validation.status, Status::converged);
  const Eigen::VectorXd values = x.col(0).cwiseProduct(x.col(1));
  Room for_values(validation_bytes<Train>({30, 4, 1}, options, 4));
  const auto of_values = cross_validate(training, x, values, {.points = 4}, for_values.span(), options);
  ASSERT_EQ(of_values.status, Status::converged);
  EXPECT_EQ(of_values.best(), 3u);

  std::vector<Index> folds(30), order(30);
  Index rare = 0;
  ASSERT_TRUE(deal_folds(made.labels, 2, 3, true, 0, folds.data(), order.data(), rare));
  using Cv = InteractionCrossValidation<double>;
  Room other(Cv::requirement({30, 4, 2}, 20, 3, 4).bytes);
  const InteractionProblem<double> problem{
      made.design(), {nullptr, made.labels, 2}, Hierarchy::weak, HierarchyNorm::l1, {.tolerance = 1e-3}};
  Cv cv(problem, folds.data(), 3, validation.grid);
  cv.start(other.span());
  while (cv.step()) continue;
  for (Index l = 0; l < 4; ++l) EXPECT_EQ(validation.at(l).loss, cv.at(l).loss);

  Room room(Train::bytes({30, 4, 2}));
  EXPECT_EQ(training.fit(x, y.head(29), room.span()).status, Status::invalid_shape);
  y[3] = -2;
  const auto wrong = Train({.options = {.lambda = 0.1}}).fit(x, y, room.span());
  EXPECT_EQ(wrong.status, Status::invalid_label);
  EXPECT_EQ(wrong.row, 3u);
  EXPECT_EQ(predict(wrong.model, x.row(0)), no_label);
  EXPECT_EQ(coefficients(wrong.model).size(), 0);
  EXPECT_EQ(main_effects(wrong.model).size(), 0);
}

TEST(EigenInteractions, TheExampleOfTheChapterLearnsTheExclusiveOr) {
  Eigen::MatrixXf x(4, 2);
  x << 0, 0, 0, 1, 1, 0, 1, 1;
  EXPECT_EQ(eigen_interactions_snippet::right(x, Eigen::Vector4i(0, 1, 1, 0)), 4);
  EXPECT_EQ(eigen_interactions_snippet::right(x, Eigen::Vector4i(0, 1, -1, 0)), 0);
}

// ---- kernels

TEST(EigenKernels, EveryLayoutGivesTheModelOfTheSolverAndItsScoresAreThoseOfEigen) {
  for (const Index classes : {2u, 3u}) {
    const Made<double> made(24, 3, classes, 3), others(10, 3, classes, 5);
    const Columns<double> x = matrix_of(made), z = matrix_of(others);
    const ByRows<double> rows = x;
    ByRows<double> large = ByRows<double>::Random(30, 7);
    large.block(3, 2, 24, 3) = x;
    const auto y = integers_of(made);
    const Kernel<double> kernels[] = {{KernelKind::linear}, {KernelKind::gaussian, 1.5}};
    const MixedNorm<double> norm{2, 1, 1};
    const Options<double> options{.lambda = 0.02, .tolerance = 1e-5};
    const Index outputs = classes == 2 ? 1 : classes;
    const auto by_eigen = [&](const Columns<double>& with) {
      Columns<double> k(48, with.rows());
      k.topRows(24) = x * with.transpose();
      for (Eigen::Index l = 0; l < 24; ++l)
        for (Eigen::Index i = 0; i < with.rows(); ++i)
          k(24 + l, i) = std::exp(-(x.row(l) - with.row(i)).squaredNorm() / (2 * 1.5 * 1.5));
      return k;
    };
    const auto fitted = [&]<class Matrix>(const Matrix& matrix) {
      using Train = KernelTraining<ByRows<double>>;
      Room room(Train::bytes({24, 3, classes}, 2));
      const Train training(kernels, norm, options);
      const auto before = room.numbers;
      EXPECT_EQ(training.fit(matrix, y, room.short_by_one()).status, Status::arena_too_small);
      EXPECT_EQ(room.numbers, before);
      const auto fit = training.fit(matrix, y, room.span());
      EXPECT_EQ(fit.status, Status::converged);
      EXPECT_EQ(fit.arena_bytes, room.bytes);
      Columns<double> alpha(48, outputs);
      for (Index t = 0; t < 2; ++t) alpha.middleRows(24 * t, 24) = coefficients(fit.model, t);
      const Columns<double> expected = (by_eigen(z).transpose() * alpha).rowwise() + intercepts(fit.model);
      Room kept(kept_requirement<double>(count_kept(fit.model, kernels), 3, outputs).bytes);
      KernelExpansion<double> model;
      EXPECT_TRUE(take_kept(fit.model, kernels, sample_table(matrix), kept.span(), model));
      Columns<double> of_others(10, outputs);
      EXPECT_EQ(scores(model, z, of_others), Status::converged);
      EXPECT_TRUE(of_others.isApprox(expected, 1e-10));
      EXPECT_EQ(coefficients(model).rows(), static_cast<Eigen::Index>(model.terms.size()));
      EXPECT_EQ(intercepts(model), intercepts(fit.model));
      Eigen::VectorXi labels(10);
      EXPECT_EQ(predict(model, ByRows<double>(z), labels), Status::converged);
      for (int i = 0; i < 10; ++i) {
        Eigen::Index top = expected(i, 0) > 0;
        if (outputs > 1) expected.row(i).maxCoeff(&top);
        EXPECT_EQ(labels[i], top);
        EXPECT_EQ(predict(model, z.row(i)), top);
        Eigen::VectorXd one(outputs);
        EXPECT_EQ(scores(model, z.row(i), one), Status::converged);
        EXPECT_EQ(one.transpose(), of_others.row(i));
      }
      return alpha;
    };
    const Columns<double> expected = fitted(rows);
    EXPECT_EQ(fitted(x), expected);
    EXPECT_EQ(fitted(large.block(3, 2, 24, 3)), expected);
    EXPECT_GT(expected.cwiseAbs().maxCoeff(), 0);
  }
}

TEST(EigenKernels, MoreOutputsThanAreTakenTogetherArePredictedByTheLargestScore) {
  const Columns<double> samples = Columns<double>::Random(5, 2), others = Columns<double>::Random(40, 2);
  const ByRows<double> alpha = ByRows<double>::Random(5, 19);
  const Eigen::VectorXd b = Eigen::VectorXd::Random(19);
  const Kernel<double> kernels[] = {{KernelKind::gaussian, 0.7}};
  const KernelTerm terms[] = {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}};
  const KernelExpansion<double> model{kernels, sample_table(samples), terms, alpha.data(), b.data(), 19};
  Columns<double> z(40, 19);
  Eigen::VectorXi labels(40);
  EXPECT_EQ(scores(model, others, z), Status::converged);
  EXPECT_EQ(predict(model, others, labels), Status::converged);
  std::vector<double> at_once(19);
  for (int i = 0; i < 40; ++i) {
    Eigen::VectorXd expected = b;
    for (int l = 0; l < 5; ++l)
      expected += alpha.row(l).transpose() * std::exp(-(samples.row(l) - others.row(i)).squaredNorm() / (2 * 0.49));
    EXPECT_TRUE(z.row(i).isApprox(expected.transpose(), 1e-12));
    Eigen::Index top;
    z.row(i).maxCoeff(&top);
    EXPECT_EQ(labels[i], top);
    EXPECT_EQ(model.predict({&others(i, 0), 2, 40}, at_once.data()), top);
    EXPECT_EQ((Eigen::Map<Eigen::VectorXd>(at_once.data(), 19)), z.row(i).transpose());
  }
}

TEST(EigenKernels, ChooseTheirLambdaAndRefuse) {
  const Made<double> made(24, 3, 2, 3);
  Columns<double> x = matrix_of(made);
  const auto y = integers_of(made);
  using Train = KernelTraining<Columns<double>>;
  const Kernel<double> kernels[] = {{KernelKind::linear}, {KernelKind::gaussian, 1.5}};
  const Train training(kernels, {2, 1, 1}, {.tolerance = 1e-3});
  Room for_path(path_bytes<Train>({24, 3, 2}, 2));
  Index points = 0;
  EXPECT_EQ(
      fit_path(training, x, y, {.points = 4}, for_path.span(), [&](const auto&) { return ++points, true; }).status,
      Status::converged);
  EXPECT_EQ(points, 4u);
  const FoldOptions options{.folds = 3};
  Room for_folds(validation_bytes<Train>({24, 3, 2}, 2, options, 4));
  EXPECT_EQ(cross_validate(training, x, y, {.points = 4}, for_folds.short_by_one(), options).status,
            Status::arena_too_small);
  const auto validation = cross_validate(training, x, y, {.points = 4}, for_folds.span(), options);
  ASSERT_EQ(validation.status, Status::converged);
  EXPECT_LT(validation.at(validation.best()).error, 0.5);

  const Kernel<double> wrong[] = {{KernelKind::linear}, {KernelKind::gaussian, 0.0}};
  Room room(Train::bytes({24, 3, 2}, 2));
  const auto no_kernel = Train(wrong, {2, 1, 1}, {.lambda = 0.1}).fit(x, y, room.span());
  EXPECT_EQ(no_kernel.status, Status::invalid_option);
  EXPECT_EQ(no_kernel.kernel, 1u);
  const Kernel<double> of_histograms[] = {{KernelKind::gaussian, 1.0}, {KernelKind::chi2}};
  x = x.cwiseAbs();
  x(5, 1) = -1;
  const auto no_value = Train(of_histograms, {2, 1, 1}, {.lambda = 0.1}).fit(x, y, room.span());
  EXPECT_EQ(no_value.status, Status::invalid_data);
  EXPECT_EQ(no_value.kernel, 1u);
  EXPECT_EQ(no_value.row, 0u);
  EXPECT_EQ(no_value.column, 5u);
  EXPECT_EQ(coefficients(no_value.model).size(), 0);
  EXPECT_EQ(intercepts(no_value.model).size(), 0);
  EXPECT_EQ(training.fit(x, y.head(9), room.span()).status, Status::invalid_shape);
}

TEST(EigenKernels, TheExampleOfTheChapterClassifies) {
  Eigen::MatrixXf x(40, 2), others(4, 2);
  Eigen::VectorXi y(40);
  for (int i = 0; i < 40; ++i) {
    const float r = i % 2 ? 2.0f : 0.5f, angle = 0.9f * static_cast<float>(i);
    x.row(i) << r * std::cos(angle), r * std::sin(angle);
    y[i] = i % 2;
  }
  others << 0, 0, 0, -2, 0.1f, 0.2f, 1.4f, 1.4f;
  EXPECT_EQ(eigen_kernels_snippet::classify(x, y, {40, 2, 2}, others), Eigen::Vector4i(0, 1, 0, 1));
  EXPECT_EQ(eigen_kernels_snippet::classify(x, y.head(39), {40, 2, 2}, others).size(), 0);
}

// ---- sizes that do not fit

TEST(EigenSizes, AnotherSizeThanTheModelsIsAStatusAndNothingIsReadOrWritten) {
  const double w[] = {1, -1, 2, -2, 0.5, -0.5, 0.1, -0.1};
  const LinearModel<double> linear{w, 3, 2};
  const double intercept[] = {0.5, -0.5}, matrices[2 * 3 * 4] = {1, 2, 3, 4};
  const InteractionModel<double> products{matrices, intercept, 3, 2};
  const InteractionTerm<double> list[] = {{0, 0, 2, 1.0}, {1, 1, no_feature, 2.0}};
  const InteractionTerms<double> terms{list, intercept, 3, 2};
  const double alpha[] = {1, -1}, sample[] = {1, 2, 3};
  const Kernel<double> kernel[] = {{KernelKind::linear}};
  const KernelTerm term[] = {{0, 0}};
  const KernelExpansion<double> expansion{kernel, {sample, 1, 3, 3, 1}, term, alpha, intercept, 2};
  const auto check = [](const auto& model, const auto& refused) {
    for (const Eigen::Index features : {2, 3, 4}) {
      const bool fits = features == 3;
      const Status expected = fits ? Status::converged : Status::invalid_shape;
      const Columns<double> x = Columns<double>::Ones(5, features);
      const Eigen::VectorXd one = x.row(0);
      EXPECT_EQ(predict(model, one) == no_label, !fits);
      EXPECT_EQ(predict(refused, one), no_label);
      Eigen::VectorXd z = Eigen::VectorXd::Constant(2, 7), longer = Eigen::VectorXd::Constant(3, 7);
      EXPECT_EQ(scores(model, one, z), expected);
      EXPECT_EQ((z.array() == 7).all(), !fits);
      EXPECT_EQ(scores(model, one, longer), Status::invalid_shape);
      EXPECT_EQ(scores(refused, one, longer), Status::invalid_shape);
      EXPECT_TRUE((longer.array() == 7).all());
      std::vector<Label> labels(5, 9), fewer(4, 9);
      EXPECT_EQ(predict(model, x, labels), expected);
      EXPECT_EQ(labels[4] == no_label, !fits);
      EXPECT_EQ(predict(model, x, fewer), Status::invalid_shape);
      EXPECT_EQ(fewer[0], 9);
      EXPECT_EQ(predict(refused, x, labels), Status::invalid_shape);
      EXPECT_EQ(labels[0], no_label);
      for (const auto& [rows, columns] : {std::pair(5, 2), std::pair(4, 2), std::pair(5, 3)}) {
        Columns<double> all = Columns<double>::Constant(rows, columns, 7);
        const bool suits = fits && rows == 5 && columns == 2;
        EXPECT_EQ(scores(model, x, all), suits ? Status::converged : Status::invalid_shape);
        EXPECT_EQ((all.array() == 7).all(), !suits);
        EXPECT_EQ(scores(refused, x, all), Status::invalid_shape);
      }
      if constexpr (!requires { model.kernels; }) {
        const SparseRows sparse = x.sparseView();
        EXPECT_EQ(predict(model, sparse, labels), expected);
        EXPECT_EQ(labels[4] == no_label, !fits);
      }
    }
  };
  check(linear, LinearModel<double>{});
  check(products, InteractionModel<double>{});
  check(terms, InteractionTerms<double>{});
  check(expansion, KernelExpansion<double>{});
}

// ---- features

TEST(EigenFeatures, ColumnsOfEveryLayoutAreStandardised) {
  Columns<double> x = Columns<double>::Random(20, 3);
  x.col(1) *= 100;
  x.col(2).setConstant(4);
  const Columns<double> centred = x.rowwise() - x.colwise().mean();
  const Eigen::RowVectorXd deviation = (centred.array().square().colwise().sum() / 20).sqrt();
  std::vector<ColumnScale<double>> scales(3), fewer(2);
  EXPECT_EQ(measure_columns(x, fewer), Status::invalid_shape);
  EXPECT_EQ(measure_columns(x, scales), Status::converged);
  EXPECT_EQ(scales[2].scale, 1);
  ByRows<double> rows = x;
  ByRows<double> large = ByRows<double>::Random(25, 6);
  large.block(4, 1, 20, 3) = x;
  const ByRows<double> before = large;
  EXPECT_EQ(standardise_columns(x, fewer), Status::invalid_shape);
  EXPECT_EQ(standardise_columns(x, scales), Status::converged);
  EXPECT_EQ(standardise_columns(rows, scales), Status::converged);
  EXPECT_EQ(standardise_columns(large.block(4, 1, 20, 3), scales), Status::converged);
  for (int j = 0; j < 2; ++j) EXPECT_TRUE(x.col(j).isApprox(centred.col(j) / deviation[j], 1e-12));
  EXPECT_TRUE(x.col(2).isZero(1e-12));
  EXPECT_EQ(rows, x);
  EXPECT_EQ((large.block(4, 1, 20, 3)), x);
  EXPECT_EQ(large.col(0), before.col(0));
  EXPECT_EQ(large.row(3), before.row(3));

  Columns<double> y = Columns<double>::Random(6, 4);
  const Columns<double> expected = y.rowwise().normalized();
  normalise_rows(y, SampleNorm::l2);
  EXPECT_TRUE(y.isApprox(expected, 1e-14));
}

TEST(EigenFeatures, RowsAreScatteredAndReadingsAreWindowed) {
  constexpr ScatteringOptions image{.height = 8, .width = 8, .scales = 2};
  ScatteringTransform<float> scattering(image);
  std::vector<double> memory(ScatteringTransform<float>::requirement(image).bytes / 8 + 1);
  ASSERT_TRUE(scattering.start(std::as_writable_bytes(std::span(memory))));
  const auto coefficients = static_cast<Eigen::Index>(image.coefficients());
  ByRows<float> images = ByRows<float>::Random(3, 64), out(3, coefficients);
  EXPECT_EQ(transform_rows(scattering, images, out), Status::converged);
  std::vector<float> one(image.coefficients());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(scattering.transform({&images(i, 0), 64}, one));
    EXPECT_EQ((Eigen::Map<Eigen::RowVectorXf>(one.data(), coefficients)), out.row(i));
  }
  const Columns<float> by_columns = images.transpose();
  ByRows<float> again(3, coefficients);
  EXPECT_EQ(transform_rows(scattering, by_columns.transpose(), again), Status::converged);
  EXPECT_EQ(again, out);
  Index row = 0;
  EXPECT_EQ(transform_rows(scattering, images, out.topRows(2)), Status::invalid_shape);
  EXPECT_EQ(transform_rows(scattering, images.leftCols(63), out, &row), Status::invalid_shape);
  images(1, 5) = infinity<float>;
  EXPECT_EQ(transform_rows(scattering, images, out, &row), Status::invalid_data);
  EXPECT_EQ(row, 1u);

  constexpr WindowOptions window{.length = 8, .hop = 5, .channels = 2};
  SensorWindows<double> windows(window);
  std::vector<double> ring(SensorWindows<double>::requirement(window).bytes / 8 + 1);
  ASSERT_TRUE(windows.start(std::as_writable_bytes(std::span(ring))));
  const ByRows<double> readings = ByRows<double>::Random(30, 2);
  ByRows<double> features(window.windows(30), static_cast<Eigen::Index>(window.features()));
  ASSERT_EQ(features.rows(), 5);
  for (int pass = 0; pass < 2; ++pass) {
    features.setZero();
    EXPECT_EQ(transform_readings(windows, readings, features), Status::converged);
    for (int i = 0; i < 5; ++i) {
      const Columns<double> part = readings.middleRows(5 * i, 8);
      const Eigen::RowVectorXd mean = part.colwise().mean();
      for (int c = 0; c < 2; ++c) {
        EXPECT_NEAR(features(i, 4 * c), mean[c], 1e-14);
        EXPECT_NEAR(features(i, 4 * c + 1), std::sqrt((part.col(c).array() - mean[c]).square().mean()), 1e-14);
        EXPECT_NEAR(features(i, 4 * c + 2), part.col(c).array().square().mean(), 1e-14);
      }
    }
  }
  EXPECT_EQ(transform_readings(windows, readings, features.topRows(4)), Status::invalid_shape);
  EXPECT_EQ(transform_readings(windows, ByRows<double>(30, 3), features), Status::invalid_shape);
}

TEST(EigenFeatures, TextsBecomeSparseRowsAndTermsAreWeighed) {
  const std::vector<std::string> lines{"win money now", "", "money for money", "now or never, now"};
  FeatureHashing<double> hashing({.bits = 6, .alternating = false, .norm = SampleNorm::none});
  Room room(hashing_bytes(hashing, lines));
  EXPECT_EQ(hash_lines(hashing, lines, room.short_by_one()).rows(), 0);
  EXPECT_EQ(hash_lines(hashing, lines, {}).rows(), 0);
  auto x = hash_lines(hashing, lines, room.span());
  ASSERT_EQ(x.rows(), 4);
  ASSERT_EQ(x.cols(), 64);
  EXPECT_EQ(Columns<double>(x).rowwise().sum(), Eigen::Vector4d(3, 0, 3, 4));
  EXPECT_EQ(x.row(2).nonZeros(), 2);
  const Columns<double> counts = x;
  std::vector<Index> documents(64), fewer(63);
  EXPECT_EQ(count_documents(x, fewer), Status::invalid_shape);
  EXPECT_EQ(count_documents(x, documents), Status::converged);
  TfIdf<double> weights;
  std::vector<double> idf(64);
  ASSERT_TRUE(weights.start(documents, 4, idf));
  EXPECT_EQ(weigh_terms(weights, x), Status::converged);
  Columns<double> expected = counts;
  for (int j = 0; j < 64; ++j) {
    const auto with = (counts.col(j).array() > 0).count();
    EXPECT_EQ(documents[static_cast<std::size_t>(j)], static_cast<Index>(with));
    expected.col(j) *= std::log(5.0 / (1.0 + static_cast<double>(with))) + 1;
  }
  for (int i = 0; i < 4; ++i)
    if (expected.row(i).norm() > 0) expected.row(i).normalize();
  EXPECT_TRUE(Columns<double>(x).isApprox(expected, 1e-14));
  x.valuePtr()[x.outerIndexPtr()[2]] = -1;
  Index row = 0;
  EXPECT_EQ(weigh_terms(weights, x, &row), Status::invalid_data);
  EXPECT_EQ(row, 2u);
  FeatureHashing<double> none({.bits = 25});
  EXPECT_EQ(hash_lines(none, lines, room.span()).rows(), 0);
  EXPECT_EQ(none.status(), Status::invalid_option);
}

TEST(EigenFeatures, TheExampleOfTheChapterTellsTextsApart) {
  const std::vector<std::string> lines{"win money now",         "meet me for lunch",   "money for you, win now",
                                       "lunch at noon with me", "win the prize money", "noon is fine for me"};
  const std::vector<int> y{0, 1, 0, 1, 0, 1};
  EXPECT_EQ(eigen_features_snippet::classify(lines, y, {"money now"}), 0);
  EXPECT_EQ(eigen_features_snippet::classify(lines, y, {"me at lunch"}), 1);
}

}  // namespace
