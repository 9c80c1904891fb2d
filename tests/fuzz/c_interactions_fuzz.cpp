// Models with products of features through tamis_interactions.h, as c_linear_fuzz.cpp does it for linear ones.
#include "c_problems.hpp"

namespace {

using namespace tamis::fuzz;

template <class T>
struct Face;
#define TAMIS_FUZZ_FACE(REAL, S)                                        \
  template <>                                                           \
  struct Face<REAL> {                                                   \
    using Run = tamis_interactions_##S;                                 \
    using Report = tamis_report_##S;                                    \
    using Term = tamis_interactions_term_##S;                           \
    using Model = tamis_interactions_model_##S;                         \
    static constexpr auto bytes = tamis_interactions_bytes_##S;         \
    static constexpr auto start = tamis_interactions_start_##S;         \
    static constexpr auto step = tamis_interactions_step_##S;           \
    static constexpr auto go_on = tamis_interactions_go_on_##S;         \
    static constexpr auto stop = tamis_interactions_stop_##S;           \
    static constexpr auto report_of = tamis_interactions_report_of_##S; \
    static constexpr auto terms_of = tamis_interactions_terms_of_##S;   \
    static constexpr auto predict = tamis_interactions_predict_##S;     \
  };
TAMIS_FUZZ_SCALARS(TAMIS_FUZZ_FACE)

template <class T>
void check_model(const typename Face<T>::Run& run, const InteractionsProblem<T>& problem, std::uint32_t status) {
  std::vector<T> intercepts(problem.c.classes + 1);
  typename Face<T>::Model model{};
  const std::size_t count = Face<T>::terms_of(&run, nullptr, 0, intercepts.data(), &model);
  if (!has_model(status)) return expect(count == 0 && model.features == 0, "a refused run has no model");
  std::vector<typename Face<T>::Term> terms(count);
  expect(Face<T>::terms_of(&run, terms.data(), count, intercepts.data(), &model) == count, "terms stay");
  expect(model.term_count == count && model.features == problem.c.features, "a run has a model");
  for (const auto& term : terms)
    expect(term.output < model.outputs && term.first < model.features &&
               (term.second == TAMIS_NO_FEATURE || (term.first <= term.second && term.second < model.features)),
           "terms are of features");
  const std::vector<T> sample(model.features, T(1));
  expect(Face<T>::predict(&model, sample.data(), 1) < model.outputs, "predictions are classes");
  if (count) {
    terms.resize(count - 1);
    expect(Face<T>::terms_of(&run, terms.data(), count - 1, nullptr, &model) == count && model.features == 0,
           "a model without its last terms is none");
  }
}

template <class T>
void run(Bytes& b) {
  const std::uint8_t memory = b.byte(), steps = b.byte();
  const InteractionsProblem<T> problem(b);
  const std::size_t needed = Face<T>::bytes(&problem.c), least = needed < 1 << 20 ? needed : 1 << 20;
  const std::size_t given = memory & 2 && least ? least - 1 - memory % least : least;
  Guarded arena(given, memory & 4 ? 1 + memory % 15 : 0);

  typename Face<T>::Run run;
  std::uint32_t status = Face<T>::start(&run, &problem.c, memory == 0xff ? nullptr : arena.data(), arena.size());
  arena.check(is_refusal(status));
  if (given < needed || memory & 4 || memory == 0xff)
    expect(is_refusal(status), "an arena that is too small, or not aligned, is refused");
  typename Face<T>::Report report;
  const auto to_end = [&] {
    Face<T>::report_of(&run, &report);
    check_report(report, status);
    for (int turn = 0; turn < 30 && status == TAMIS_RUNNING; ++turn) {
      if (turn == steps % 32) Face<T>::stop(&run);
      status = Face<T>::step(&run, 1 + steps / 64);
      Face<T>::report_of(&run, &report);
      check_report(report, status);
    }
    arena.check();
  };
  to_end();
  if (b.flag()) {
    const T lambda = b.number<T>(), lambda2 = b.number<T>();
    const std::uint32_t before = status;
    status = Face<T>::go_on(&run, lambda, lambda2);
    if (status == TAMIS_INVALID_LAMBDA) status = before;
    else expect(is_refusal(before) == is_refusal(status), "what was refused does not go on");
    to_end();
  }
  check_model<T>(run, problem, status);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  if (bytes.flag()) run<double>(bytes);
  else run<float>(bytes);
  return 0;
}
