#include "tamis_device.h"

#include <limits>
#include <new>

#include "chosen.hpp"
#include "face.hpp"
#include "tamis/design/quantised.hpp"
#include "tamis/design/read_rows.hpp"
#include "tamis/model/two_slots.hpp"

namespace {

using namespace tamis;
using namespace tamis::in_c;

/// The types of one scalar.
template <class T>
struct Face : Common<T> {
  using Problem = TAMIS_OF(T, tamis_problem);
  using Model = TAMIS_OF(T, tamis_model);
  using Memory = TAMIS_OF(T, tamis_device);
  using Quantised = TAMIS_OF(T, tamis_quantised);
  using Rows = TAMIS_OF(T, tamis_rows);
};

static_assert(TAMIS_ROW_FAILED == row_failed);
static_assert(TAMIS_SLOT_DONE == int(SlotEnd::done) && TAMIS_SLOT_EMPTY == int(SlotEnd::empty) &&
              TAMIS_SLOT_TOO_SMALL == int(SlotEnd::too_small) && TAMIS_SLOT_NO_BLOB == int(SlotEnd::no_blob) &&
              TAMIS_SLOT_FAILED == int(SlotEnd::failed));

#ifdef TAMIS_CHOSEN
/// Of the chosen solvers those that take samples of every kind; without any, what TAMIS_AUTOMATIC falls back to.
constexpr bool takes_rows(SolverKind kind) {
  return chosen::has_work(kind) &&
         (kind == SolverKind::primal_dual || kind == SolverKind::fista || kind == SolverKind::constrained_primal_dual ||
          kind == SolverKind::crammer_singer_dual);
}
using Some = chosen::Kept<takes_rows, TAMIS_C_SOLVERS>;
using Solvers = std::conditional_t<Some::none, chosen::Kept<takes_rows, PrimalDual, Fista>, Some>;
template <class T>
using Trainer = Solvers::Trainer<AnyProblem<T, ChosenLoss<T>, ChosenPenalty<T>>>;
#else
template <class T>
using Trainer = AnyTraining<T>;
#endif

/// The callback as a source of rows.
template <class T>
struct Callback {
  typename Face<T>::Rows rows;
  Index row(Index sample, std::span<T> out) {
    return rows.row(rows.context, sample, out.data(), static_cast<Index>(out.size()));
  }
};

/// Calls visit<Integer>() for a tamis_integer.
template <class Visit>
auto with_integer(std::uint32_t integer, Visit visit) {
  switch (integer) {
    case TAMIS_UINT8: return visit.template operator()<std::uint8_t>();
    case TAMIS_INT8: return visit.template operator()<std::int8_t>();
    case TAMIS_UINT16: return visit.template operator()<std::uint16_t>();
    default: return visit.template operator()<std::int16_t>();
  }
}

/// The samples of either kind, kept in one place.
template <class T>
class Samples {
  using Reader = RowReader<T, Callback<T>>;
  using Read = RowDesign<T, Reader>;

 public:
  Samples(const typename Face<T>::Problem& p, const typename Face<T>::Quantised* quantised,
          const typename Face<T>::Rows* rows)
      : callback_{rows ? *rows : typename Face<T>::Rows{}},
        reader_(callback_, p.samples, p.features,
                {callback_.rows.room, Reader::room_for(callback_.rows.room_rows, rows ? p.features : 0)}),
        read_(reader_),
        quantised_(quantised ? *quantised : typename Face<T>::Quantised{}),
        is_quantised_(quantised) {
    if (!quantised) return;
    with_integer(quantised_.integer, [&]<class Integer>() {
      const std::size_t stride = p.column_stride ? p.column_stride : quantised_.by_rows ? p.features : p.samples;
      ::new (static_cast<void*>(design_))
          QuantisedDesign<T, Integer>(static_cast<const Integer*>(quantised_.values), p.samples, p.features,
                                      {.scale = quantised_.scale,
                                       .zero = static_cast<Integer>(quantised_.zero),
                                       .scales = quantised_.scales,
                                       .zeros = static_cast<const Integer*>(quantised_.zeros)},
                                      quantised_.by_rows ? QuantisedLayout{stride, 1} : QuantisedLayout{1, stride});
    });
  }
  Samples(const Samples&) = delete;
  Samples& operator=(const Samples&) = delete;

  AnyDesign<T> design() const {
    if (!is_quantised_) return AnyDesign<T>(read_);
    return with_integer(quantised_.integer, [&]<class Integer>() {
      return AnyDesign<T>(*std::launder(reinterpret_cast<const QuantisedDesign<T, Integer>*>(design_)));
    });
  }

 private:
  using Largest = QuantisedDesign<T, std::int16_t>;
  static_assert(sizeof(QuantisedDesign<T, std::uint8_t>) <= sizeof(Largest));

  Callback<T> callback_;
  Reader reader_;
  Read read_;
  typename Face<T>::Quantised quantised_;
  bool is_quantised_;
  alignas(Largest) std::byte design_[sizeof(Largest)];
};

template <class T>
ProblemSpec choice_of(const typename Face<T>::Problem& p) {
  const Groups groups = p.group_order || p.group_starts ? Groups::listed(p.group_order, p.group_starts, p.group_count)
                                                        : Groups::blocks(p.block);
  const ProblemSpec kinds{static_cast<LossKind>(p.loss), static_cast<PenaltyKind>(p.penalty), groups,
                          static_cast<SolverKind>(p.solver), p.eta != T(0)};
  return kinds.of_sizes({p.samples, p.features, p.classes}, p.lambda, false, p.l1_ratio);
}

bool known(std::uint32_t solver, std::uint32_t loss, std::uint32_t penalty) {
  return solver < std::size(all_solvers) && is_chosen(loss, penalty) &&
         (solver == TAMIS_AUTOMATIC || Trainer<float>::has(static_cast<SolverKind>(solver)));
}

template <class T>
tamis_status refusal_of(const typename Face<T>::Problem& p, const typename Face<T>::Quantised* quantised,
                        const typename Face<T>::Rows* rows) {
  if (!known(p.solver, p.loss, p.penalty) || asks_for_baselines(p)) return TAMIS_INVALID_OPTION;
  if (choice_of<T>(p).refusal()) return TAMIS_INVALID_COMBINATION;
  if (!quantised == !rows || !p.labels) return TAMIS_INVALID_SHAPE;
  if (rows) return rows->row && rows->room && rows->room_rows ? TAMIS_RUNNING : TAMIS_INVALID_SHAPE;
  const Index least = quantised->by_rows ? p.features : p.samples;
  if (!quantised->values || quantised->integer > TAMIS_INT16 || (p.column_stride && p.column_stride < least))
    return TAMIS_INVALID_SHAPE;
  return with_integer(quantised->integer, [&]<class Integer>() {
    const std::int32_t zero = quantised->zero;
    const bool fits = zero >= std::numeric_limits<Integer>::min() && zero <= std::numeric_limits<Integer>::max();
    return fits || quantised->zeros ? TAMIS_RUNNING : TAMIS_INVALID_OPTION;
  });
}

/// What lives in tamis_device: the samples, then the run, which points at them.
template <class T>
class State {
 public:
  State(const typename Face<T>::Problem& p, const typename Face<T>::Quantised* quantised,
        const typename Face<T>::Rows* rows)
      : samples_(p, quantised, rows),
        training_(choice_of<T>(p), samples_.design(),
                  Targets<T>{{p.labels, p.samples}, p.classes, p.weights, p.margins},
                  Options<T>{.lambda = p.lambda,
                             .tolerance = p.tolerance,
                             .max_iterations = p.max_iterations,
                             .margin = p.margin,
                             .intercept = p.intercept != 0,
                             .eta = p.eta},
                  PenaltyParameters<T>{.l1_ratio = p.l1_ratio, .epsilon = p.epsilon}) {}

  Trainer<T>& run() { return training_; }

 private:
  Samples<T> samples_;
  Trainer<T> training_;
};
template <class T>
using DeviceSlot = Slot<State<T>, typename Face<T>::Memory>;

template <class T>
std::size_t bytes_of(const typename Face<T>::Problem& p) {
  if (!known(p.solver, p.loss, p.penalty)) return 0;
  const ProblemSpec choice = choice_of<T>(p);
  return choice.refusal() ? 0 : Trainer<T>::requirement(choice, {p.samples, p.features, p.classes}).bytes;
}

template <class T>
tamis_status start(typename Face<T>::Memory* memory, const typename Face<T>::Problem& p,
                   const typename Face<T>::Quantised* quantised, const typename Face<T>::Rows* rows, void* arena,
                   std::size_t bytes) {
  auto& slot = DeviceSlot<T>::of(memory);
  slot.refusal = refusal_of<T>(p, quantised, rows);
  if (slot.refusal != TAMIS_RUNNING) return slot.refused();
  auto* state = ::new (static_cast<void*>(slot.state)) State<T>(p, quantised, rows);
  state->run().start({static_cast<std::byte*>(arena), bytes});
  return as_c(state->run().report().status);
}

template <class T>
tamis_status model_of(const typename Face<T>::Memory* memory, typename Face<T>::Model* out) {
  *out = {};
  State<T>* state = DeviceSlot<T>::of(memory).get();
  if (!state) return TAMIS_INVALID_SHAPE;
  const Status status = state->run().report().status;
  if (!has_model(status) && !(is_source_failure(status) && state->run().has_certified_model()))
    return TAMIS_INVALID_SHAPE;
  const auto model = state->run().model();
  *out = {model.coefficients, model.features, model.classes};
  return as_c(status);
}

/// The functions of tamis_slots as a storage.
struct Storage {
  const tamis_slots* slots;

  bool erase(Index slot) { return slots->erase(slots->context, slot) == 1; }
  bool write(Index slot, std::size_t offset, std::span<const std::byte> in) {
    return slots->write(slots->context, slot, offset, in.data(), in.size()) == 1;
  }
  bool read(Index slot, std::size_t offset, std::span<std::byte> out) {
    return slots->read(slots->context, slot, offset, out.data(), out.size()) == 1;
  }
};

}  // namespace

#define TAMIS_DEVICE_DEFINE(T, S)                                                                                    \
  std::size_t tamis_device_bytes_##S(const tamis_problem_##S* problem) { return bytes_of<T>(*problem); }             \
  tamis_status tamis_device_start_##S(tamis_device_##S* device, const tamis_problem_##S* problem,                    \
                                      const tamis_quantised_##S* quantised, const tamis_rows_##S* rows, void* arena, \
                                      std::size_t arena_bytes) {                                                     \
    return start<T>(device, *problem, quantised, rows, arena, arena_bytes);                                          \
  }                                                                                                                  \
  tamis_status tamis_device_step_##S(tamis_device_##S* device, std::uint32_t steps) {                                \
    return step(DeviceSlot<T>::of(device), steps);                                                                   \
  }                                                                                                                  \
  void tamis_device_stop_##S(tamis_device_##S* device) { stop(DeviceSlot<T>::of(device)); }                          \
  void tamis_device_report_of_##S(const tamis_device_##S* device, tamis_report_##S* report) {                        \
    report_of<T>(DeviceSlot<T>::of(device), report);                                                                 \
  }                                                                                                                  \
  tamis_status tamis_device_model_of_##S(const tamis_device_##S* device, tamis_model_##S* model) {                   \
    return model_of<T>(device, model);                                                                               \
  }

extern "C" {
TAMIS_FOR_SCALARS(TAMIS_DEVICE_DEFINE)

tamis_slot_end tamis_slots_save(const tamis_slots* slots, const void* blob, std::size_t bytes) {
  if (!slots->erase || !slots->write || !slots->read) return TAMIS_SLOT_FAILED;
  Storage storage{slots};
  return static_cast<tamis_slot_end>(
      TwoSlots<Storage>(storage, slots->slot_bytes).save({static_cast<const std::byte*>(blob), blob ? bytes : 0}));
}

tamis_slot_end tamis_slots_load(const tamis_slots* slots, void* out, std::size_t room, std::size_t* bytes) {
  if (bytes) *bytes = 0;
  if (!slots->read) return TAMIS_SLOT_FAILED;
  Storage storage{slots};
  std::size_t size = 0;
  const SlotEnd end =
      TwoSlots<Storage>(storage, slots->slot_bytes).load({static_cast<std::byte*>(out), out ? room : 0}, size);
  if (bytes) *bytes = size;
  return static_cast<tamis_slot_end>(end);
}

const char* tamis_slot_sentence(std::uint32_t end) { return describe(static_cast<SlotEnd>(end & 0xff)); }
}
