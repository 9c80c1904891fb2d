// Paths, cross-validations and stability selections through tamis.h, tamis_interactions.h, tamis_kernels.h and
// tamis_stability.h: grids and folds of any kind are refused, or lead to points and measurements that are of one piece.
#include "c_problems.hpp"
#include "tamis_stability.h"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                                  \
  template <>                                                                     \
  struct Face<REAL> {                                                             \
    using Grid = tamis_grid_##S;                                                  \
    using Report = tamis_report_##S;                                              \
    using Model = tamis_model_##S;                                                \
    using HeldOut = tamis_held_out_##S;                                           \
    using Path = tamis_path_##S;                                                  \
    using Stability = tamis_stability_##S;                                        \
    using Progress = tamis_stability_progress_##S;                                \
    static constexpr auto grid = tamis_default_grid_##S;                          \
    static constexpr auto path_bytes = tamis_path_bytes_##S;                      \
    static constexpr auto path_fast_bytes = tamis_path_fast_bytes_##S;            \
    static constexpr auto path_start = tamis_path_start_##S;                      \
    static constexpr auto path_step = tamis_path_step_##S;                        \
    static constexpr auto path_stop = tamis_path_stop_##S;                        \
    static constexpr auto path_at_point = tamis_path_at_point_##S;                \
    static constexpr auto path_lambda = tamis_path_lambda_##S;                    \
    static constexpr auto path_points = tamis_path_points_##S;                    \
    static constexpr auto path_report = tamis_path_report_##S;                    \
    static constexpr auto path_model = tamis_path_model_##S;                      \
    static constexpr auto predict = tamis_predict_##S;                            \
    static constexpr auto stability_bytes = tamis_stability_bytes_##S;            \
    static constexpr auto stability_start = tamis_stability_start_##S;            \
    static constexpr auto stability_step = tamis_stability_step_##S;              \
    static constexpr auto stability_stop = tamis_stability_stop_##S;              \
    static constexpr auto stability_progress = tamis_stability_progress_of_##S;   \
    static constexpr auto stability_report = tamis_stability_report_##S;          \
    static constexpr auto stability_frequency = tamis_stability_frequency_##S;    \
    static constexpr auto stability_false = tamis_stability_false_selections_##S; \
    static constexpr auto stability_threshold = tamis_stability_threshold_##S;    \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)
#undef TAMIS_FUZZ_FACE

/// The three cross-validations, by the prefix of their functions.
template <class Problem>
struct Validation;
#define TAMIS_FUZZ_VALIDATION(PROBLEM, PREFIX, S)                                       \
  template <>                                                                           \
  struct Validation<PROBLEM> {                                                          \
    using Run = PREFIX##_cross_validation_##S;                                          \
    static constexpr auto step = PREFIX##_cross_validation_step_##S;                    \
    static constexpr auto stop = PREFIX##_cross_validation_stop_##S;                    \
    static constexpr auto fold = PREFIX##_cross_validation_fold_##S;                    \
    static constexpr auto points_done = PREFIX##_cross_validation_points_done_##S;      \
    static constexpr auto report = PREFIX##_cross_validation_report_##S;                \
    static constexpr auto at = PREFIX##_cross_validation_at_##S;                        \
    static constexpr auto best = PREFIX##_cross_validation_best_##S;                    \
    static constexpr auto one_error = PREFIX##_cross_validation_one_standard_error_##S; \
    static constexpr auto bytes = PREFIX##_cross_validation_bytes_##S;                  \
    static constexpr auto start = PREFIX##_cross_validation_start_##S;                  \
  };
TAMIS_FUZZ_VALIDATION(tamis_problem_f32, tamis, f32)
TAMIS_FUZZ_VALIDATION(tamis_problem_f64, tamis, f64)
TAMIS_FUZZ_VALIDATION(tamis_interactions_problem_f32, tamis_interactions, f32)
TAMIS_FUZZ_VALIDATION(tamis_interactions_problem_f64, tamis_interactions, f64)
TAMIS_FUZZ_VALIDATION(tamis_kernels_problem_f32, tamis_kernels, f32)
TAMIS_FUZZ_VALIDATION(tamis_kernels_problem_f64, tamis_kernels, f64)
#undef TAMIS_FUZZ_VALIDATION

/// Mostly one that descends, from a largest λ that is given or found.
template <class T>
struct Grid {
  typename Face<T>::Grid c;
  std::vector<T> lambdas;

  explicit Grid(Bytes& b) {
    Face<T>::grid(&c);
    const std::uint8_t odd = b.byte();
    c.points = b.below(6);
    c.first = odd & 1 ? b.number<T>() : T(b.below(16)) / T(8);
    if (odd & 2) Face<T>::grid(&c), c.points = b.below(6);  // the largest λ is found
    if (odd & 4) c.ratio = b.number<T>();
    if (odd & 8) c.max_features = b.below(8);
    if (odd & 16)
      for (std::uint32_t l = 0; l < c.points; ++l)
        lambdas.push_back(odd & 32 ? b.number<T>() : std::ldexp(T(1), -static_cast<int>(l)));
    if (!lambdas.empty()) c.lambdas = lambdas.data();
  }
};

/// An arena of what is needed, or not quite; its first byte says which.
struct Given {
  std::uint8_t kind;
  std::size_t needed;
  Guarded arena;

  Given(std::uint8_t of, std::size_t bytes)
      : kind(of), needed(bytes), arena(given(of, bytes), of & 4 ? 1 + of % 15 : 0) {}
  static std::size_t given(std::uint8_t of, std::size_t bytes) {
    const std::size_t least = bytes < 1 << 20 ? bytes : 1 << 20;  // impossible shapes; refused
    return of & 2 && least ? least - 1 - of % least : least;
  }
  bool too_small() const { return arena.size() < needed || kind & 4; }
  /// Of the status that `start` gave.
  void check(std::uint32_t status, bool refusals_write = false) const {
    arena.check(is_refusal(status) && !refusals_write);
    if (too_small()) expect(is_refusal(status), "an arena that is too small, or not aligned, is refused");
  }
};

template <class T>
void check_point(const typename Face<T>::Path& path, const LinearProblem<T>& problem, T& lambda_before) {
  typename Face<T>::Report report;
  Face<T>::path_report(&path, &report);
  check_report(report, report.status);
  const T lambda = Face<T>::path_lambda(&path);
  expect(lambda <= lambda_before && lambda >= T(0), "the points of a path descend");
  lambda_before = lambda;
  typename Face<T>::Model model{};
  expect(Face<T>::path_model(&path, &model) == report.status && model.features == problem.c.features &&
             model.classes == problem.c.classes,
         "a point has a model of the shape of the problem");
  const std::vector<T> sample(model.features, T(1));
  expect(Face<T>::predict(&model, sample.data(), 1) < model.classes, "predictions are classes");
}

template <class T>
void run_path(Bytes& b) {
  const std::uint8_t kind = b.byte(), steps = b.byte();
  const LinearProblem<T> problem(b);
  const Grid<T> grid(b);
  std::size_t bytes = Face<T>::path_bytes(&problem.c, &grid.c);
  if (kind & 1) {
    const std::size_t fast = Face<T>::path_fast_bytes(&problem.c, &grid.c, b.byte(), b.below(32));
    expect(fast >= bytes, "more room is never fewer bytes");
    bytes = fast;
  }
  Given given(kind & ~3, bytes);
  typename Face<T>::Path path;
  std::uint32_t status = Face<T>::path_start(&path, &problem.c, &grid.c, given.arena.data(), given.arena.size());
  given.check(status, status == TAMIS_INVALID_LAMBDA);  // no first one has been found
  T lambda = std::numeric_limits<T>::infinity();
  for (int turn = 0;; ++turn) {
    if (Face<T>::path_at_point(&path)) check_point<T>(path, problem, lambda);
    expect(Face<T>::path_points(&path) <= grid.c.points, "no more points than were asked for");
    if (status != TAMIS_RUNNING) break;
    if (turn == steps % 64 || turn == 200) Face<T>::path_stop(&path);
    status = Face<T>::path_step(&path, 1 + steps / 64);
    given.arena.check();
  }
  typename Face<T>::Model model{};
  const auto said = Face<T>::path_model(&path, &model);
  if (is_refusal(status)) expect(said == TAMIS_INVALID_SHAPE && model.features == 0, "a refused path has no model");
}

/// Folds as they are dealt, or any numbers.
template <class Problem>
std::vector<std::uint32_t> folds_of(Bytes& b, const Problem& c, std::uint32_t folds) {
  std::vector<std::uint32_t> fold(c.samples), order(c.samples);
  if (b.flag() && c.labels) {
    const bool stratified = b.flag();
    const std::uint32_t seed = b.word();
    std::uint32_t rare = 0;
    const int dealt =
        tamis_deal_folds(c.labels, c.samples, c.classes, folds, stratified, seed, fold.data(), order.data(), &rare);
    expect(rare <= c.classes, "a class is rare, or none");
    for (const std::uint32_t number : fold) expect(!dealt || number < folds, "dealt folds are folds");
    if (dealt) return fold;
  }
  for (std::uint32_t& number : fold) {
    const std::uint8_t given = b.byte();
    number = given >= 252 ? given : given >= 240 || folds == 0 ? TAMIS_NO_FOLD : given % folds;
  }
  return fold;
}

template <class T, class Problem>
void run_validation(Bytes& b, bool regression) {
  const std::uint8_t kind = b.byte(), steps = b.byte();
  const Problem problem(b);
  using Its = Validation<std::remove_const_t<decltype(problem.c)>>;
  const Grid<T> grid(b);
  const std::uint32_t folds = b.below(4);
  const auto fold = folds_of(b, problem.c, folds);
  std::size_t bytes = 0;
  if constexpr (requires { Its::bytes(&problem.c, &grid.c, folds); }) bytes = Its::bytes(&problem.c, &grid.c, folds);
  else bytes = Its::bytes(&problem.c, &grid.c, fold.data(), folds);
  Given given(kind, bytes);
  typename Its::Run run;
  std::uint32_t status =
      Its::start(&run, &problem.c, &grid.c, fold.data(), folds, given.arena.data(), given.arena.size());
  given.check(status, true);
  for (int turn = 0; turn < 400 && status == TAMIS_RUNNING; ++turn) {
    if (turn == steps) Its::stop(&run);
    expect(Its::fold(&run) < folds && Its::points_done(&run) <= grid.c.points, "it is at a point of a fold");
    status = Its::step(&run, 1 + steps % 32);
    given.arena.check();
  }
  typename Face<T>::Report report;
  Its::report(&run, &report);
  expect(report.status == status, "the report has the status that was returned");
  const bool complete = status == TAMIS_CONVERGED;
  for (std::uint32_t point = 0; point <= grid.c.points; ++point) {
    typename Face<T>::HeldOut held{};
    const auto said = Its::at(&run, point, &held);
    expect(said == TAMIS_CONVERGED ? complete && point < grid.c.points : said == TAMIS_INVALID_SHAPE,
           "a complete run has measured points of the grid");
    if (said != TAMIS_CONVERGED) expect(held.lambda == 0 && held.error == 0 && held.loss == 0, "there are zeros");
    else if (!regression) expect(held.error >= 0 && held.error <= T(1.0001f), "an error is a share");
  }
  for (const std::uint32_t measure : {0u, 1u}) {
    const std::uint32_t best = Its::best(&run, measure), one = Its::one_error(&run, measure);
    expect(complete ? best < grid.c.points && one <= best : best == 0 && one == 0, "the best point is one of the grid");
  }
}

template <class T>
void run_stability(Bytes& b) {
  const std::uint8_t kind = b.byte(), steps = b.byte();
  const LinearProblem<T> problem(b);
  const Grid<T> grid(b);
  tamis_stability_options options;
  tamis_default_stability_options(&options);
  options.pairs = b.below(4);
  options.seed = b.byte();
  Given given(kind, Face<T>::stability_bytes(&problem.c, &grid.c));
  typename Face<T>::Stability run;
  std::uint32_t status =
      Face<T>::stability_start(&run, &problem.c, &grid.c, &options, given.arena.data(), given.arena.size());
  given.check(status, true);
  typename Face<T>::Progress progress;
  for (int turn = 0; turn < 400 && status == TAMIS_RUNNING; ++turn) {
    if (turn == steps) Face<T>::stability_stop(&run);
    status = Face<T>::stability_step(&run, 1 + steps % 32);
    given.arena.check();
    Face<T>::stability_progress(&run, &progress);
    expect(progress.status == status && progress.halves <= 2 * options.pairs, "there are two halves of a pair");
  }
  Face<T>::stability_progress(&run, &progress);
  expect(progress.status == status, "the progress has the status that was returned");
  typename Face<T>::Report report;
  Face<T>::stability_report(&run, &report);
  expect(report.status == status, "the report has the status that was returned");
  const std::uint32_t units = is_refusal(status) ? 1 : progress.units;
  for (std::uint32_t unit = 0; unit <= units && unit < 20; ++unit) {
    const T any = Face<T>::stability_frequency(&run, unit, TAMIS_ANY_POINT);
    expect(any >= 0 && any <= 1, "a frequency is a share");
    for (std::uint32_t point = 0; point <= grid.c.points; ++point)
      expect(Face<T>::stability_frequency(&run, unit, point) <= any, "the largest frequency is the largest");
  }
  if (status == TAMIS_CONVERGED) {
    expect(progress.halves == 2 * options.pairs, "all halves are done");
    const T bound = Face<T>::stability_false(&run, T(0.75f));
    expect(bound >= 0, "a bound is a number");
    expect(Face<T>::stability_threshold(&run, T(1)) >= T(0.5f), "a threshold is a half and what is kept by chance");
  }
}

template <class T>
void run(Bytes& b) {
  switch (b.below(5)) {
    case 0: return run_path<T>(b);
    case 1: return run_validation<T, LinearProblem<T>>(b, false);
    case 2: return run_validation<T, InteractionsProblem<T>>(b, true);
    case 3: return run_validation<T, KernelsProblem<T>>(b, false);
    default: return run_stability<T>(b);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
