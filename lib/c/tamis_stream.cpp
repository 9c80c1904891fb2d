#include "tamis_stream.h"

#include "chosen.hpp"
#include "face.hpp"
#include "tamis/streaming/dual_averaging.hpp"
#include "tamis/streaming/fobos.hpp"
#include "tamis/streaming/run.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// The types of one scalar.
template <class T>
struct Face {
  using Options = TAMIS_OF(T, tamis_stream_options);
  using Stream = TAMIS_OF(T, tamis_stream);
  using Sample = TAMIS_OF(T, tamis_stream_sample);
  using Report = TAMIS_OF(T, tamis_stream_report);
  using Model = TAMIS_OF(T, tamis_model);
  using Next = TAMIS_OF(T, tamis_stream_next);
  using Rewind = TAMIS_OF(T, tamis_stream_rewind);
};

static_assert(TAMIS_STREAM_COMPLETE == int(StreamEnd::complete) && TAMIS_STREAM_FAILED == int(StreamEnd::failed) &&
              TAMIS_STREAM_SHORT_ROW == int(StreamEnd::short_row) && TAMIS_STREAM_EMPTY == int(StreamEnd::empty) &&
              TAMIS_STREAM_NOT_BEGUN == int(StreamEnd::not_begun));

template <class T>
using DualAveraging = DualAveragingLearner<T, ChosenLoss<T>, ChosenPenalty<T>>;
template <class T>
using Forward = FobosLearner<T, ChosenLoss<T>, ChosenPenalty<T>>;

template <class T>
bool known(const typename Face<T>::Options& o) {
  return is_chosen(o.loss, o.penalty) && o.learner <= TAMIS_LEARN_FOBOS;
}

template <class T>
Groups groups_of(const typename Face<T>::Options& o) {
  if (o.group_order || o.group_starts) return Groups::listed(o.group_order, o.group_starts, o.group_count);
  return Groups::blocks(o.block);
}

/// What lives in tamis_stream: one of the two learners, or the status of a refusal that came before there was one.
template <class T>
struct State {
  std::uint32_t refusal;  ///< a tamis_status; TAMIS_RUNNING: there is a learner
  std::uint32_t learner;
  alignas(DualAveraging<T>) alignas(Forward<T>) std::byte room[largest(sizeof(DualAveraging<T>), sizeof(Forward<T>))];

  static State& of(const typename Face<T>::Stream* stream) {
    static_assert(sizeof(State) <= sizeof(typename Face<T>::Stream) && alignof(State) <= alignof(std::uint64_t));
    return *reinterpret_cast<State*>(const_cast<typename Face<T>::Stream*>(stream));
  }
  /// visit(learner), or `otherwise` where there is none.
  template <class Result, class Visit>
  Result visit(Result otherwise, Visit visit) {
    if (refusal != TAMIS_RUNNING) return otherwise;
    if (learner == TAMIS_LEARN_FOBOS) return visit(*std::launder(reinterpret_cast<Forward<T>*>(room)));
    return visit(*std::launder(reinterpret_cast<DualAveraging<T>*>(room)));
  }
};

template <class T>
std::size_t bytes_of(const typename Face<T>::Options& o) {
  if (!known<T>(o)) return 0;
  const bool listed = has_groups(static_cast<PenaltyKind>(o.penalty)) && groups_of<T>(o).is_listed;
  return o.learner == TAMIS_LEARN_FOBOS ? Forward<T>::bytes(o.features, o.classes, listed)
                                        : DualAveraging<T>::bytes(o.features, o.classes, listed);
}

template <class T>
tamis_status begin(typename Face<T>::Stream* stream, const typename Face<T>::Options& o, void* arena,
                   std::size_t bytes) {
  auto& state = State<T>::of(stream);
  state.refusal = !known<T>(o)                                     ? TAMIS_INVALID_OPTION
                  : in_rounds(static_cast<PenaltyKind>(o.penalty)) ? TAMIS_INVALID_COMBINATION
                                                                   : TAMIS_RUNNING;
  state.learner = o.learner;
  const auto make = [&]<class Learner>() {
    auto* learner = ::new (static_cast<void*>(state.room))
        Learner(o.features, o.classes, {o.lambda, o.learning_rate, o.margin, o.intercept != 0},
                chosen_loss<T>(static_cast<LossKind>(o.loss)),
                ChosenPenalty<T>(static_cast<PenaltyKind>(o.penalty), groups_of<T>(o), {.l1_ratio = o.l1_ratio}));
    return learner->begin({static_cast<std::byte*>(arena), bytes}, {o.from, o.features, o.classes}, o.seen);
  };
  if (state.refusal != TAMIS_RUNNING) return static_cast<tamis_status>(state.refusal);
  return static_cast<tamis_status>(o.learner == TAMIS_LEARN_FOBOS ? make.template operator()<Forward<T>>()
                                                                  : make.template operator()<DualAveraging<T>>());
}

template <class T>
tamis_status update(typename Face<T>::Stream* stream, const T* values, const std::uint32_t* indices,
                    std::uint32_t count, std::uint16_t label, T weight, bool dense) {
  auto& state = State<T>::of(stream);
  return static_cast<tamis_status>(state.visit(static_cast<Status>(state.refusal), [&](auto& learner) {
    if (dense) return learner.update(values, label, weight);
    return learner.update(indices, values, count, label, weight);
  }));
}

/// The callbacks of the caller as a source.
template <class T>
struct Source {
  typename Face<T>::Next take;
  typename Face<T>::Rewind back;
  void* context;

  StreamNext next(StreamSample<T>& sample) {
    typename Face<T>::Sample out{};
    out.weight = T(1);
    const int answer = take(context, &out);
    if (answer != TAMIS_STREAM_SAMPLE) return answer == TAMIS_STREAM_LAST ? StreamNext::end : StreamNext::failed;
    sample.x = {out.values, out.indices, out.count};
    sample.label = out.label;
    sample.weight = out.weight;
    return StreamNext::sample;
  }
  bool rewind() { return back && back(context); }
};

template <class T>
tamis_stream_end run(typename Face<T>::Stream* stream, typename Face<T>::Next next, typename Face<T>::Rewind rewind,
                     void* context, std::uint32_t passes) {
  Source<T> source{next, rewind, context};
  return static_cast<tamis_stream_end>(State<T>::of(stream).visit(
      StreamEnd::not_begun, [&](auto& learner) { return learn_stream(learner, source, passes); }));
}

template <class T>
tamis_status model_of(typename Face<T>::Stream* stream, typename Face<T>::Model* out) {
  const LinearModel<T> model =
      State<T>::of(stream).visit(LinearModel<T>{}, [](auto& learner) { return learner.model(); });
  *out = {model.coefficients, model.features, model.classes};
  return model.coefficients ? TAMIS_RUNNING : TAMIS_INVALID_SHAPE;
}

template <class T>
void report_of(const typename Face<T>::Stream* stream, typename Face<T>::Report* out) {
  auto& state = State<T>::of(stream);
  StreamReport<T> refused;
  refused.status = static_cast<Status>(state.refusal);
  const StreamReport<T> r = state.visit(refused, [](auto& learner) { return learner.report(); });
  *out = {r.learning_rate,
          r.mean_loss,
          r.mean_error,
          static_cast<std::uint32_t>(r.status),
          static_cast<std::uint32_t>(r.last_refusal),
          r.samples,
          r.refused,
          r.overflowed,
          r.column,
          r.arena_bytes > 0xffffffffu ? 0xffffffffu : static_cast<std::uint32_t>(r.arena_bytes)};
}

template <class T>
void default_options(typename Face<T>::Options* o) {
  *o = {};
  const StreamOptions<T> options;
  o->learning_rate = options.learning_rate;
  o->margin = options.margin;
  o->intercept = options.intercept;
  o->l1_ratio = PenaltyParameters<T>{}.l1_ratio;
  o->penalty = TAMIS_L1;
}

}  // namespace

#define TAMIS_STREAM_DEFINE(T, S)                                                                                      \
  void tamis_default_stream_options_##S(tamis_stream_options_##S* options) { default_options<T>(options); }            \
  std::size_t tamis_stream_bytes_##S(const tamis_stream_options_##S* options) { return bytes_of<T>(*options); }        \
  tamis_status tamis_stream_begin_##S(tamis_stream_##S* stream, const tamis_stream_options_##S* options, void* arena,  \
                                      std::size_t arena_bytes) {                                                       \
    return begin<T>(stream, *options, arena, arena_bytes);                                                             \
  }                                                                                                                    \
  tamis_status tamis_stream_update_##S(tamis_stream_##S* stream, const T* values, std::uint16_t label, T weight) {     \
    return update<T>(stream, values, nullptr, 0, label, weight, true);                                                 \
  }                                                                                                                    \
  tamis_status tamis_stream_update_sparse_##S(tamis_stream_##S* stream, const std::uint32_t* indices, const T* values, \
                                              std::uint32_t count, std::uint16_t label, T weight) {                    \
    return update<T>(stream, values, indices, count, label, weight, false);                                            \
  }                                                                                                                    \
  tamis_stream_end tamis_stream_run_##S(tamis_stream_##S* stream, tamis_stream_next_##S next,                          \
                                        tamis_stream_rewind_##S rewind, void* context, std::uint32_t passes) {         \
    return run<T>(stream, next, rewind, context, passes);                                                              \
  }                                                                                                                    \
  tamis_status tamis_stream_model_##S(tamis_stream_##S* stream, tamis_model_##S* model) {                              \
    return model_of<T>(stream, model);                                                                                 \
  }                                                                                                                    \
  void tamis_stream_report_of_##S(const tamis_stream_##S* stream, tamis_stream_report_##S* report) {                   \
    report_of<T>(stream, report);                                                                                      \
  }

extern "C" {

TAMIS_FOR_SCALARS(TAMIS_STREAM_DEFINE)

}  // extern "C"
