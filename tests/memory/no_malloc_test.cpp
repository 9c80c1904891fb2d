// What takes its memory from the caller asks the heap for nothing: paths, selections, solvers of products of features
// and of kernels, features, streams; arena_sweep_test.cpp counts the solvers of linear scores, all of them, and
// no_malloc_models_test.cpp what is done with a model. Eigen's own check is on.
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <new>

#include "memory/watched.hpp"
#include "support/problems.hpp"
#include "tamis/eigen.hpp"
#include "tamis/model/blob.hpp"
#include "tamis/selection/interaction_cross_validation.hpp"
#include "tamis/selection/kernel_cross_validation.hpp"
#include "tamis/solver/as_printed/interaction_admm.hpp"
#include "tamis/solver/as_printed/interaction_fista.hpp"
#include "tamis/solver/as_printed/interaction_primal_dual.hpp"
#include "tamis/solver/as_printed/kernel_forward_backward.hpp"
#include "tamis/solver/kernel_fista.hpp"

namespace {

using namespace tamis;
using tamis::testing::expect_no_call;
using tamis::testing::finish;
using tamis::testing::GuardedMemory;
using tamis::testing::HeapCall;
using tamis::testing::Made;

// ---- every counter counts

/// Asks the heap for something, in one of the ways there are, and gives it back.
struct Control {
  const char* name;
  HeapCall call;
  void (*ask)();
};
/// The same memory, so that no compiler leaves the pair of calls out.
void* seen(void* memory) {
  static void* volatile last;
  last = memory;
  return last;
}

const Control controls[] = {
    {"operator new", HeapCall::new_, [] { ::operator delete(seen(::operator new(100))); }},
    {"operator new[]", HeapCall::new_, [] { ::operator delete[](seen(::operator new[](100))); }},
    {"operator new, nothrow", HeapCall::new_, [] { ::operator delete(seen(::operator new(100, std::nothrow))); }},
    {"operator new, aligned", HeapCall::new_,
     [] { ::operator delete(seen(::operator new(128, std::align_val_t(64))), std::align_val_t(64)); }},
    {"operator new[], aligned", HeapCall::new_,
     [] { ::operator delete[](seen(::operator new[](128, std::align_val_t(64))), std::align_val_t(64)); }},
    {"malloc", HeapCall::malloc_, [] { std::free(seen(std::malloc(100))); }},
    {"calloc", HeapCall::calloc_, [] { std::free(seen(std::calloc(10, 10))); }},
    {"realloc", HeapCall::realloc_,
     [] { std::free(seen(std::realloc(std::malloc(50), 100))); }},  // of null it is malloc
    {"aligned_alloc", HeapCall::aligned_, [] { std::free(seen(std::aligned_alloc(64, 128))); }},
    {"posix_memalign", HeapCall::aligned_,
     [] {
       void* memory = nullptr;
       if (posix_memalign(&memory, 64, 128) == 0) std::free(seen(memory));
     }},
    {"memalign", HeapCall::aligned_, [] { std::free(seen(memalign(64, 128))); }},
    {"strdup", HeapCall::malloc_, [] { std::free(seen(strdup("of the C library's own"))); }},
};

TEST(HeapCounters, Count) {
  for (const auto& [name, call, ask] : controls) {
    const auto counter = tamis::testing::tells_heap_calls_apart ? call : HeapCall::malloc_;
    const long before = heap_calls_of(counter);
    ask();
    EXPECT_GE(heap_calls_of(counter) - before, 1) << name;
  }
}
TEST(HeapCounters, AreWatched) {
  for (const auto& [name, call, ask] : controls) {
    const tamis::testing::HeapWatch watch;
    EXPECT_EQ(watch.calls(), 0);
    ask();
    EXPECT_GE(watch.calls(), 1) << name;
  }
}

TEST(NoMalloc, TheCheckOfEigenBites) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(300, 300);
  Eigen::MatrixXd c(300, 300);
  Eigen::internal::set_is_malloc_allowed(false);
  EXPECT_THROW(c.noalias() = a * a, std::runtime_error);
  Eigen::internal::set_is_malloc_allowed(true);
}

// ---- the library

template <class T>
class NoHeap : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NoHeap, Scalars);

TYPED_TEST(NoHeap, PredictionExportAndTheDoorsOfEigen) {
  using T = TypeParam;
  const Made<T> made(50, 9, 4, 5);
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const Matrix x = Eigen::Map<const Matrix>(made.values.data(), 50, 9);
  using ByGroups = Training<T, SquaredHinge, GroupL2>;
  GuardedMemory memory(ByGroups::bytes(made.shape()));
  static char text[100000];
  static std::byte blob[10000];
  static T again[10000];
  expect_no_call("training through Eigen", [&] {
    const auto fit = ByGroups({.lambda = T(0.05)}).run(design(x), made.targets(), memory.span());
    LinearModel<T> read;
    T scores[4];
    fit.model.scores(made.values.data(), scores, 50);
    return fit.model.predict(made.values.data(), 50) < 4 && coefficients(fit.model).cwiseAbs().maxCoeff() > 0 &&
           export_c(fit.model, {}, std::span<char>(text)) > 0 &&
           write_blob(fit.model, std::span<std::byte>(blob)) > 0 &&
           read_blob<T>(blob, again, read) == Status::converged;
  });
}

TYPED_TEST(NoHeap, RowsOfEigenAsTheyLie) {
  using T = TypeParam;
  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Made<T> made(40, 6, 3, 7);
  const Matrix rows = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>>(made.values.data(), 40, 6);
  const std::vector<int> y(made.labels.begin(), made.labels.end());
  static Label room[40];
  const Shape shape{40, 6, 3};
  const auto solve = [&]<class Loss, class Penalty, class Choice>(const char* what, Loss, Penalty, Choice,
                                                                  const Options<T>& options) {
    using Train = Training<T, Loss, Penalty, DesignOf<Matrix>, Choice>;
    GuardedMemory memory(Train::bytes(shape, {.entries = 240, .active_limit = 21}));
    expect_no_call(what, [&] {
      const auto fit = Train(options).run(design(rows), {labels_of(y, room), 3}, memory.span());
      Eigen::Matrix<T, 3, 1> z;
      if (fit.status != Status::converged || predict(fit.model, rows.row(0)) > 2) return false;
      scores(fit.model, rows.row(1), z);
      return z.allFinite() && coefficients(fit.model).allFinite() && intercepts(fit.model).allFinite();
    });
  };
  const Options<T> options{.lambda = T(0.05), .tolerance = T(1e-2)};
  solve("primal-dual", Hinge{}, L1{}, With<PrimalDual>{}, options);
  solve("two-phase", Hinge{}, GroupL2{}, With<TwoPhase>{}, options);
  solve("constrained", Hinge{}, L1{}, With<ConstrainedPrimalDual>{}, {.tolerance = T(1e-1), .eta = T(0.7)});
  solve("Crammer-Singer", Hinge{}, Ridge{}, With<CrammerSingerDual>{}, options);
  solve("Crammer-Singer, groups", Hinge{}, GroupL2{}, With<CrammerSingerDual>{}, options);
  solve("FISTA", Logistic{}, GroupLinf{}, With<Fista>{}, options);
  solve("plain", SquaredHinge{}, L1{}, Fastest{}, options);

  const auto samples = design(rows);
  const Training<T, SquaredHinge, L1, DesignOf<Matrix>> training({.tolerance = T(1e-2)});
  const auto make = [&](const Targets<T>& these) { return training.solver(samples, these); };
  const T values[] = {T(0.3), T(0.1)};
  Index folds[40];
  for (Index i = 0; i < 40; ++i) folds[i] = i % 4;
  using Cv = CrossValidation<T, decltype(make), DesignOf<Matrix>, SquaredHinge>;
  GuardedMemory memory(Cv::requirement(shape, 4, 2, Requirement{training.bytes(shape)}).bytes);
  expect_no_call("cross-validation", [&] {
    Cv cv(make, samples, {labels_of(y, room), 3}, SquaredHinge{}, folds, 4, {values, 2});
    return finish(cv, memory.span()) && cv.best() < 2;
  });
  static T kernel[40 * 40];
  const Kernel<T> gaussian{KernelKind::gaussian, T(1)};
  expect_no_call("a matrix of kernels", [&] {
    KernelPair bad;
    return fill_kernel_matrix(gaussian, sample_table(rows), kernel, bad);
  });
}

TYPED_TEST(NoHeap, FitAndPredictOfEigen) {
  using T = TypeParam;
  using Columns = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const Made<T> made(40, 6, 3, 7);
  const Columns columns = Eigen::Map<const Columns>(made.values.data(), 40, 6);
  Eigen::VectorXi y(40), labels(40);
  for (Index i = 0; i < 40; ++i) y[i] = made.labels[i];
  Columns z(40, 3);
  const auto fit_and_predict = [&]<class Matrix>(const char* what, const Matrix& x) {
    using Train = Training<Matrix, SquaredHinge, GroupL2>;
    GuardedMemory memory(Train::bytes({40, 6, 3}, {.entries = 240, .active_limit = 21}));
    expect_no_call(what, [&] {
      const auto fit = Train({.lambda = T(0.05), .tolerance = T(1e-2)}).fit(x, y, memory.span());
      if (fit.status != Status::converged || !coefficients(fit.model).allFinite()) return false;
      if constexpr (!requires { x.isCompressed(); } || Matrix::IsRowMajor) {
        predict(fit.model, x, labels);
        scores(fit.model, x, z);
      }
      return labels.minCoeff() >= 0 && z.allFinite();
    });
  };
  fit_and_predict("columns", columns);
  fit_and_predict("rows", Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>(columns));
  fit_and_predict("sparse columns", Eigen::SparseMatrix<T>(columns.sparseView()));
  fit_and_predict("sparse rows", Eigen::SparseMatrix<T, Eigen::RowMajor>(columns.sparseView()));
}

TYPED_TEST(NoHeap, PathsFoldsAndHalves) {
  using T = TypeParam;
  const Made<T> made(40, 12, 3, 7);
  const auto dense = made.design();
  const Training<T, SquaredHinge, GroupL2> training({.tolerance = T(1e-2)});
  const auto make = [&](const Targets<T>& these) { return training.solver(dense, these); };
  const Requirement solver{training.bytes(made.shape())};
  const T values[] = {T(0.3), T(0.1)};
  const Grid<T> grid{values, 2};
  using P = Path<T, decltype(make)>;
  GuardedMemory for_path(P::requirement(made.shape(), solver).bytes);
  expect_no_call("path", [&] {
    P path(make, made.features, made.targets(), grid);
    return finish(path, for_path.span());
  });
  Index folds[40];
  for (Index i = 0; i < 40; ++i) folds[i] = i % 4;
  using Cv = CrossValidation<T, decltype(make), DenseDesign<T>, SquaredHinge>;
  GuardedMemory for_folds(Cv::requirement(made.shape(), 4, 2, solver).bytes);
  expect_no_call("cross-validation", [&] {
    Cv cv(make, dense, made.targets(), SquaredHinge{}, folds, 4, grid);
    return finish(cv, for_folds.span()) && cv.best() < 2;
  });
  using Stability = StabilitySelection<T, decltype(make)>;
  const StabilityOptions options{.pairs = 3};
  GuardedMemory for_halves(Stability::requirement(made.shape(), options.groups, 2, solver).bytes);
  expect_no_call("stability selection", [&] {
    Stability stability(make, made.features, made.targets(), grid, options);
    return finish(stability, for_halves.span());
  });
}

TYPED_TEST(NoHeap, ProductsOfFeatures) {
  using T = TypeParam;
  const Made<T> made(20, 4, 2, 3);
  const InteractionTargets<T> classes{nullptr, made.labels, 2};
  const auto solve = [&]<class Solver>(const char* what, const InteractionTargets<T>& targets, Hierarchy hierarchy,
                                       HierarchyNorm norm, bool intercept) {
    GuardedMemory memory(Solver::requirement({20, 4, targets.classes}).bytes);
    expect_no_call(what, [&] {
      Solver solver(made.design(), targets, hierarchy, norm, T(0.01),
                    {.lambda = T(0.02), .tolerance = T(1e-2), .max_iterations = 200, .intercept = intercept});
      return finish(solver, memory.span());
    });
  };
  using as_printed::InteractionFista, as_printed::InteractionFistaDykstra, as_printed::InteractionPrimalDual;
  const InteractionTargets<T> values_of_targets{made.values.data(), {}, 1};
  for (const auto& targets : {classes, values_of_targets}) {
    for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::linf, HierarchyNorm::l2, HierarchyNorm::ridge})
      for (const Hierarchy hierarchy : {Hierarchy::weak, Hierarchy::strong, Hierarchy::full, Hierarchy::main}) {
        if (!HierarchicalPenalty<T>{hierarchy, norm}.valid()) continue;
        solve.template operator()<InteractionAdmm<T>>("interactions", targets, hierarchy, norm, true);
      }
    for (const HierarchyNorm norm : {HierarchyNorm::l1, HierarchyNorm::linf}) {
      for (const Hierarchy hierarchy : {Hierarchy::weak, Hierarchy::strong})
        solve.template operator()<InteractionPrimalDual<T>>("published primal-dual", targets, hierarchy, norm, false);
      solve.template operator()<InteractionFista<T>>("published FISTA", targets, Hierarchy::weak, norm, false);
      solve.template operator()<InteractionFistaDykstra<T>>("FISTA, inner rounds", targets, Hierarchy::strong, norm,
                                                            false);
    }
  }
  solve.template operator()<as_printed::InteractionAdmm<T>>("published ADMM", values_of_targets, Hierarchy::strong,
                                                            HierarchyNorm::l1, false);
  const InteractionProblem<T> problem{
      made.design(), classes, Hierarchy::strong, HierarchyNorm::l1, {.tolerance = T(1e-2)}};
  const T values[] = {T(0.1), T(0.02)};
  Index folds[20];
  for (Index i = 0; i < 20; ++i) folds[i] = i % 2;
  using Cv = InteractionCrossValidation<T>;
  GuardedMemory memory(Cv::requirement({20, 4, 2}, 10, 2, 2).bytes);
  expect_no_call("validation of interactions", [&] {
    Cv cv(problem, folds, 2, {values, 2});
    return finish(cv, memory.span());
  });
}

TYPED_TEST(NoHeap, Kernels) {
  using T = TypeParam;
  constexpr Index n = 20, kernels = 2;
  const Made<T> made(n, 3, 2, 3);
  const SampleTable<T> samples{made.values.data(), n, 3, 1, n};
  static T values[kernels * n * n];
  const Kernel<T> of[] = {{KernelKind::linear}, {KernelKind::gaussian, T(1)}};
  expect_no_call("matrices of kernels", [&] {
    KernelPair bad;
    return fill_kernel_matrix(of[0], samples, values, bad) && fill_kernel_matrix(of[1], samples, values + n * n, bad);
  });
  const DenseDesign<T> design(values, n, kernels * n);
  const Shape shape{n, kernels * n, 1};
  for (const auto& norm : {MixedNorm<T>{1, 1, 1}, MixedNorm<T>{2, 1, 1}, MixedNorm<T>{2, 2, 1}}) {
    const Options<T> options{.lambda = T(0.05), .tolerance = T(1e-2), .max_iterations = 300, .intercept = false};
    const auto solve = [&]<class Solver>(const char* what) {
      GuardedMemory memory(Solver::requirement(shape).bytes);
      expect_no_call(what, [&] {
        Solver solver(design, made.labels, kernels, 1, norm, options);
        return finish(solver, memory.span());
      });
    };
    solve.template operator()<KernelAdmm<T>>("kernels");
    solve.template operator()<KernelFista<T>>("kernels by FISTA");
    if (norm.p == norm.q) solve.template operator()<as_printed::KernelForwardBackward<T>>("published forward-backward");
  }
  const T lambdas[] = {T(0.3), T(0.05)};
  Index folds[n];
  for (Index i = 0; i < n; ++i) folds[i] = i % 2;
  using Cv = KernelCrossValidation<T>;
  const Index training = most_training_samples(folds, 2);
  GuardedMemory memory(Cv::requirement(shape, training, 2, 2).bytes);
  expect_no_call("cross-validation of kernels", [&] {
    Cv cv(design, made.labels, kernels, 1, {2, 1, 1}, {.tolerance = T(1e-2)}, folds, 2, {lambdas, 2});
    return finish(cv, memory.span());
  });
}

TYPED_TEST(NoHeap, FeaturesAndStreams) {
  using T = TypeParam;
  constexpr ScatteringOptions image{.height = 8, .width = 8};
  constexpr SignalScatteringOptions signal{.length = 64, .scales = 3, .per_octave = 1};
  constexpr WindowOptions window{.length = 8, .hop = 4, .channels = 1, .bands = 2};
  static T readings[64], out[4096];
  for (Index i = 0; i < 64; ++i) readings[i] = static_cast<T>(i % 7);
  GuardedMemory maps(ScatteringTransform<T>::requirement(image).bytes);
  GuardedMemory lines(SignalScatteringTransform<T>::requirement(signal).bytes);
  GuardedMemory ring(SensorWindows<T>::requirement(window).bytes);
  expect_no_call("scattering", [&] {
    ScatteringTransform<T> of_image(image);
    SignalScatteringTransform<T> of_signal(signal);
    return of_image.start(maps.span()) && of_image.transform(readings, {out, image.coefficients()}) &&
           of_signal.start(lines.span()) && of_signal.transform(readings, {out, signal.coefficients()});
  });
  expect_no_call("windows", [&] {
    SensorWindows<T> windows(window);
    bool done = windows.start(ring.span());
    for (Index i = 0; i < 8; ++i) done = done && windows.push({readings + i, 1});
    return done && windows.ready() && windows.features({out, window.features()});
  });
  static Index hashed[64];
  expect_no_call("hashing", [&] {
    FeatureHashing<T> hashing({.bits = 10});
    const std::string_view line = "win money now";
    return hashing.transform({line.data(), line.size()}, hashed, {out, 64}) && hashing.count() == 3;
  });
  const Made<T> made(30, 4, 3, 4);
  const auto stream = [&]<class Learner>(const char* what) {
    GuardedMemory memory(Learner::bytes(4, 3));
    expect_no_call(what, [&] {
      Learner learner(4, 3, {.lambda = T(0.01), .learning_rate = T(1)});
      bool done = learner.begin(memory.span()) == Status::running;
      T row[4];
      for (Index i = 0; i < 30; ++i) {
        for (Index j = 0; j < 4; ++j) row[j] = made.values[i + 30 * j];
        done = done && learner.update(row, made.labels[i]) == Status::running;
      }
      return done && learner.model().predict(row) < 3;
    });
  };
  stream.template operator()<DualAveragingLearner<T, Hinge, L1>>("dual averaging");
  stream.template operator()<FobosLearner<T, SquaredHinge, GroupL2>>("FOBOS");
  const Rows<const T> scores{made.values.data(), 30, 3, 4};
  GuardedMemory calibration(calibration_requirement<T>(CalibrationKind::softmax, 3).bytes);
  expect_no_call("calibration", [&] {
    return has_model(calibrate(scores, made.targets(), CalibrationOptions<T>{}, calibration.span()).status);
  });
}

}  // namespace
