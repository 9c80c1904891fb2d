// Trains on samples that are not in memory: rows come from a card through a callback, a few at a time, in a main loop
// that gives training a few calls of step() a turn. The card is pulled out once on the way; training starts again.
#include <cstddef>

#include "iris_table.hpp"
#include "tamis/design/read_rows.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/penalty/l1.hpp"
#include "tamis/solver/primal_dual.hpp"
#include "tamis/training.hpp"
#include "target.hpp"

namespace {

/// The rows as a card would give them.
struct Card {
  std::uint32_t reads = 0, out_at = 0;

  tamis::Index row(tamis::Index sample, std::span<float> out) {
    if (++reads == out_at) return tamis::row_failed;
    for (std::uint32_t j = 0; j < iris::features; ++j) out[j] = iris::values[sample + j * iris::samples];
    return iris::features;
  }
};

constexpr tamis::Index rows = 8;  // in memory at a time
using Reader = tamis::RowReader<float, Card>;
using Solver = tamis::PrimalDual<float, tamis::Hinge, tamis::L1, tamis::RowDesign<float, Reader>>;
Card card;
float room[Reader::room_for(rows, iris::features)];
Reader reader(card, iris::samples, iris::features, room);
constexpr std::size_t arena_bytes = Solver::requirement({iris::samples, iris::features, iris::classes}).bytes;
alignas(tamis::Arena::alignment) std::byte memory[arena_bytes];

char text[1024];

/// One turn of the main loop: at most `calls` calls, then something else. False: training has ended.
bool turn(Solver& solver, int calls) {
  bool going = true;
  for (int call = 0; call < calls && going; ++call) going = solver.step();
  return going;
}

void print(const Solver& solver, std::uint32_t turns) {
  const auto& report = solver.report();
  const auto model = solver.model();
  tamis::Index right = 0;
  for (tamis::Index i = 0; i < iris::samples; ++i)
    right += model.predict(iris::values + i, iris::samples) == iris::labels[i];
  tamis::TextSink out(text);
  out << "status " << tamis::name(report.status) << "\nturns " << turns << "\niterations " << report.iterations
      << "\nobjective " << report.objective << "\ngap " << report.gap << "\nright " << right << " of " << iris::samples
      << "\nrows read " << card.reads << "\narena bytes " << static_cast<std::uint32_t>(arena_bytes) << "\nroom bytes "
      << static_cast<std::uint32_t>(sizeof room) << '\n';
  for (tamis::Index j = 0; j <= iris::features; ++j) {
    out << (j < iris::features ? "weights" : "intercepts");
    for (tamis::Index k = 0; k < iris::classes; ++k) out << ' ' << model(j, k);
    out << '\n';
  }
  out << '\0';
  target::write(text);
}

[[gnu::noinline]] tamis::Status train() {
  Solver solver(reader.design(), {iris::labels, iris::classes}, {}, {}, {.lambda = 0.02f, .tolerance = 1e-2f});
  card.out_at = 40 * iris::samples + 7;  // in the middle of a pass
  std::uint32_t turns = 0;
  for (bool going = solver.start(memory); going; ++turns) going = turn(solver, 10);
  print(solver, turns);  // what was certified before is there
  if (solver.report().status != tamis::Status::source_failed) return solver.report().status;

  turns = 0;
  for (bool going = solver.start(memory); going; ++turns) going = turn(solver, 10);
  print(solver, turns);
  return solver.report().status;
}

}  // namespace

int main() {
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  const tamis::Status status = train();
  const std::uint32_t trained = target::thousand_instructions();
  const std::uint32_t stack = target::stack_used();
  tamis::TextSink out(text);
  out << "measured: thousand instructions to train and print " << trained - start << "\nmeasured: stack bytes " << stack
      << "\n"
      << '\0';
  target::write(text);
  return status == tamis::Status::converged ? 0 : 1;
}
