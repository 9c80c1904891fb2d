// Through the doors of Eigen nothing asks the heap for anything: solvers, paths and selections, products of features,
// kernels, features, and what they predict. no_malloc_test.cpp has the same of what these doors call.
#include "memory/watched.hpp"
#include "support/problems.hpp"
#include "tamis/eigen.hpp"

namespace {

using namespace tamis;
using tamis::testing::expect_no_call;
using tamis::testing::GuardedMemory;
using tamis::testing::Made;

using Columns = Eigen::MatrixXf;
using ByRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using SparseColumns = Eigen::SparseMatrix<float>;
using SparseRows = Eigen::SparseMatrix<float, Eigen::RowMajor>;

/// Samples in every layout that a door takes.
struct Samples {
  Samples(Index samples, Index features, Index classes)
      : made(samples, features, classes, 7),
        columns(Eigen::Map<const Columns>(made.values.data(), samples, features)),
        rows(columns),
        sparse_columns(columns.sparseView()),
        sparse_rows(sparse_columns),
        y(samples),
        labels(samples) {
    for (Index i = 0; i < samples; ++i) y[i] = made.labels[i];
  }
  /// Labels and scores of all samples.
  template <class Model, class X>
  bool predicts(const Model& model, const X& x, Columns& z) {
    return predict(model, x, labels) == Status::converged && scores(model, x, z) == Status::converged &&
           labels.minCoeff() >= 0 && z.allFinite() && predict(model, rows.row(0)) != no_label;
  }

  Made<float> made;
  Columns columns;
  ByRows rows;
  SparseColumns sparse_columns;
  SparseRows sparse_rows;
  Eigen::VectorXi y, labels;
};

TEST(NoHeapOfEigen, Solvers) {
  Samples of(40, 6, 3);
  Columns z(40, 3);
  const auto fit = [&]<class Loss, class Penalty, class Choice, class Matrix>(
                       const char* what, const Matrix& x, Loss, Penalty, Choice, const Options<float>& options) {
    using Train = Training<Matrix, Loss, Penalty, Choice>;
    GuardedMemory memory(Train::bytes({40, 6, 3}, {.entries = 240, .active_limit = 21}));
    expect_no_call(what, [&] {
      const auto fitted = Train(options).fit(x, of.y, memory.span());
      return has_model(fitted.status) && coefficients(fitted.model).allFinite() &&
             intercepts(fitted.model).allFinite() && of.predicts(fitted.model, of.rows, z) &&
             of.predicts(fitted.model, of.columns, z) && of.predicts(fitted.model, of.sparse_rows, z);
    });
  };
  const Options<float> options{.lambda = 0.05f, .tolerance = 1e-2f};
  fit("block-coordinate-descent", of.columns, SquaredHinge{}, GroupL2{}, With<BlockCoordinateDescent>{}, options);
  fit("block-coordinate-descent, sparse columns", of.sparse_columns, SquaredHinge{}, L1{},
      With<BlockCoordinateDescent>{}, options);
  fit("block-coordinate-descent, sparse rows", of.sparse_rows, SquaredHinge{}, L1{}, With<BlockCoordinateDescent>{},
      options);
  fit("proximal-newton", of.columns, Logistic{}, L1{}, With<ProximalNewtonDescent>{}, options);
  fit("proximal-newton, sparse rows", of.sparse_rows, Logistic{}, L1{}, With<ProximalNewtonDescent>{}, options);
  fit("primal-dual, rows", of.rows, Hinge{}, L1{}, With<PrimalDual>{}, options);
  fit("two-phase", of.columns, Hinge{}, GroupL2{}, With<TwoPhase>{}, options);
  fit("FISTA, sparse rows", of.sparse_rows, SquaredHinge{}, GroupLinf{}, With<Fista>{}, options);
  fit("Crammer-Singer", of.columns, Hinge{}, Ridge{}, With<CrammerSingerDual>{}, options);
}

TEST(NoHeapOfEigen, PathsFoldsAndHalves) {
  Samples of(40, 6, 3);
  const auto select = [&]<class Matrix>(const char* what, const Matrix& x) {
    using Train = Training<Matrix, SquaredHinge, GroupL2>;
    const Train training({.tolerance = 1e-2f});
    const FoldOptions folds{.folds = 3};
    const StabilityOptions halves{.pairs = 2};
    GuardedMemory for_path(path_bytes<Train>({40, 6, 3})), for_folds(validation_bytes<Train>({40, 6, 3}, folds, 3)),
        for_halves(stability_bytes<Train>({40, 6, 3}, halves, 3));
    expect_no_call(what, [&] {
      Index points = 0;
      const auto path = fit_path(training, x, of.y, {.points = 3}, for_path.span(),
                                 [&](const auto& point) { return ++points, coefficients(point.model()).allFinite(); });
      const auto validation = cross_validate(training, x, of.y, {.points = 3}, for_folds.span(), folds);
      const auto stability = select_stable(training, x, of.y, {.points = 3}, for_halves.span(), halves);
      return path.status == Status::converged && points == 3 && validation.status == Status::converged &&
             validation.best() < 3 && stability.status == Status::converged && stability.kept().maxCoeff() > 0;
    });
  };
  select("columns", of.columns);
  select("rows", of.rows);
  select("sparse rows", of.sparse_rows);
}

TEST(NoHeapOfEigen, ProductsOfFeatures) {
  Samples of(20, 4, 2);
  Columns z(20, 2);
  std::vector<InteractionTerm<float>> list(100);
  const auto train = [&]<class Matrix>(const char* what, const Matrix& x) {
    using Train = InteractionTraining<Matrix>;
    const Train training({.hierarchy = Hierarchy::weak, .options = {.lambda = 0.01f, .tolerance = 1e-2f}});
    const FoldOptions folds{.folds = 2};
    GuardedMemory memory(Train::bytes({20, 4, 2})), for_folds(validation_bytes<Train>({20, 4, 2}, folds, 2));
    expect_no_call(what, [&] {
      const auto fit = training.fit(x, of.y, memory.span());
      const std::size_t count = take_terms(fit.model, std::span(list));
      const InteractionTerms<float> terms{std::span(list).first(count), fit.model.intercepts, 4, 2};
      return has_model(fit.status) && coefficients(fit.model, 1).allFinite() &&
             main_effects(fit.model, 1).allFinite() && of.predicts(fit.model, of.columns, z) &&
             of.predicts(fit.model, of.sparse_rows, z) && of.predicts(terms, of.rows, z) &&
             of.predicts(terms, of.sparse_rows, z) &&
             cross_validate(training, x, of.y, {.points = 2}, for_folds.span(), folds).status == Status::converged &&
             fit_path(training, x, of.y, {.points = 2}, memory.span(), [](const auto&) { return true; }).status ==
                 Status::converged;
    });
  };
  train("columns", of.columns);
  train("rows", of.rows);
  train("sparse rows", of.sparse_rows);
}

TEST(NoHeapOfEigen, Kernels) {
  Samples of(20, 3, 3);
  Columns z(20, 3);
  const Kernel<float> kernels[] = {{KernelKind::linear}, {KernelKind::gaussian, 1.0f}};
  const auto train = [&]<class Matrix>(const char* what, const Matrix& x) {
    using Train = KernelTraining<Matrix>;
    const Train training(kernels, {2, 1, 1}, {.lambda = 0.02f, .tolerance = 1e-2f});
    const FoldOptions folds{.folds = 2};
    GuardedMemory memory(Train::bytes({20, 3, 3}, 2)), for_folds(validation_bytes<Train>({20, 3, 3}, 2, folds, 2)),
        kept(kept_requirement<float>({2, 20, 40}, 3, 3).bytes);
    expect_no_call(what, [&] {
      const auto fit = training.fit(x, of.y, memory.span());
      KernelExpansion<float> model;
      return has_model(fit.status) && coefficients(fit.model, 1).allFinite() && intercepts(fit.model).allFinite() &&
             take_kept(fit.model, kernels, sample_table(x), kept.span(), model) && of.predicts(model, of.columns, z) &&
             of.predicts(model, of.rows, z) &&
             cross_validate(training, x, of.y, {.points = 2}, for_folds.span(), folds).status == Status::converged &&
             fit_path(training, x, of.y, {.points = 2}, memory.span(), [](const auto&) { return true; }).status ==
                 Status::converged;
    });
  };
  train("columns", of.columns);
  train("rows", of.rows);
}

TEST(NoHeapOfEigen, Features) {
  Samples of(40, 6, 3);
  std::vector<ColumnScale<float>> scales(6);
  expect_no_call("standardised columns and normalised rows", [&] {
    const bool done = measure_columns(of.columns, scales) == Status::converged &&
                      standardise_columns(of.columns, scales) == Status::converged &&
                      standardise_columns(of.rows.leftCols(6), scales) == Status::converged;
    normalise_rows(of.rows, SampleNorm::l2);
    return done && of.columns.allFinite() && of.rows.allFinite();
  });
  constexpr ScatteringOptions image{.height = 8, .width = 8};
  constexpr SignalScatteringOptions signal{.length = 64, .scales = 3, .per_octave = 1};
  constexpr WindowOptions window{.length = 8, .hop = 4, .channels = 2, .bands = 2};
  const ByRows images = ByRows::Random(2, 64), readings = ByRows::Random(24, 2);
  ByRows maps(2, image.coefficients()), lines(2, signal.coefficients()), windows(window.windows(24), window.features());
  GuardedMemory for_images(ScatteringTransform<float>::requirement(image).bytes),
      for_signals(SignalScatteringTransform<float>::requirement(signal).bytes),
      for_windows(SensorWindows<float>::requirement(window).bytes);
  expect_no_call("scattering and windows", [&] {
    ScatteringTransform<float> of_image(image);
    SignalScatteringTransform<float> of_signal(signal);
    SensorWindows<float> of_readings(window);
    return of_image.start(for_images.span()) && transform_rows(of_image, images, maps) == Status::converged &&
           of_signal.start(for_signals.span()) && transform_rows(of_signal, images, lines) == Status::converged &&
           of_readings.start(for_windows.span()) &&
           transform_readings(of_readings, readings, windows) == Status::converged && windows.allFinite();
  });
  const std::vector<std::string_view> texts{"win money now", "lunch at noon"};
  FeatureHashing<float> hashing({.bits = 6, .alternating = false, .norm = SampleNorm::none});
  GuardedMemory for_texts(hashing_bytes(hashing, texts));
  std::vector<Index> documents(64);
  std::vector<float> idf(64);
  expect_no_call("texts", [&] {
    auto x = hash_lines(hashing, texts, for_texts.span());
    TfIdf<float> weights;
    return x.rows() == 2 && count_documents(x, documents) == Status::converged && weights.start(documents, 2, idf) &&
           weigh_terms(weights, x) == Status::converged;
  });
}

}  // namespace
