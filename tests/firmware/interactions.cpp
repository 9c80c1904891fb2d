// Learns on the device which products of features tell classes apart that no feature tells alone, in memory whose size
// is known before the start, and predicts with the terms that are kept.
#include <cstddef>

#include "tamis/model/interaction_terms.hpp"
#include "tamis/model/text_sink.hpp"
#include "tamis/observer.hpp"
#include "tamis/solver/interaction_admm.hpp"
#include "target.hpp"

namespace {

using Solver = tamis::InteractionAdmm<float>;

constexpr tamis::Shape shape{.samples = 150, .features = 20, .classes = 3};
static_assert(Solver::requirement(shape).bytes <= 512 * 1024);
alignas(tamis::Arena::alignment) std::byte memory[Solver::requirement(shape).bytes];

/// Samples in flash, in columns: multiples of 1/512 in [−1, 1), and the class whose score is the largest of x₀x₁,
/// x₂x₃ + x₄/2 and −x₀x₅.
struct Samples {
  float values[shape.samples * shape.features] = {};
  tamis::Label labels[shape.samples] = {};

  constexpr Samples() {
    std::uint32_t state = 7;
    for (float& value : values) {
      state = (state * 1103515245u + 12345u) & 0x7fffffffu;
      value = static_cast<float>(static_cast<int>(state >> 16 & 1023) - 512) / 512.0f;
    }
    for (tamis::Index i = 0; i < shape.samples; ++i) {
      const auto x = [&](tamis::Index j) { return values[i + j * shape.samples]; };
      const float scores[] = {x(0) * x(1), x(2) * x(3) + x(4) / 2, -x(0) * x(5)};
      for (tamis::Label k = 1; k < shape.classes; ++k)
        if (scores[k] > scores[labels[i]]) labels[i] = k;
    }
  }
};
constexpr Samples samples;

tamis::InteractionTerm<float> terms[200];
float intercepts[shape.classes];
char text[8192];

/// Trains and takes the model out of the arena.
[[gnu::noinline]] tamis::Report<float> learn(std::size_t& kept) {
  const tamis::DenseDesign<float> design(samples.values, shape.samples, shape.features);
  Solver solver(design, {nullptr, samples.labels, shape.classes}, tamis::Hierarchy::weak, tamis::HierarchyNorm::l1,
                0.04f, {.lambda = 0.08f, .tolerance = 1e-3f});
  solver.start(memory);
  tamis::advance_to_end(solver, tamis::Unobserved{});
  const auto model = solver.model();
  kept = take_terms<float>(model, terms);
  for (tamis::Index k = 0; k < shape.classes; ++k) intercepts[k] = model.intercept(k);
  return solver.report();
}

[[gnu::noinline]] tamis::Index count_right(const tamis::InteractionTerms<float>& model) {
  tamis::Index right = 0;
  for (tamis::Index i = 0; i < shape.samples; ++i)
    right += model.predict(samples.values + i, shape.samples) == samples.labels[i];
  return right;
}

/// Whether the largest product of each class is the one in its score.
bool finds_the_rule(const tamis::InteractionTerms<float>& model) {
  constexpr tamis::Index rule[][2] = {{0, 1}, {2, 3}, {0, 5}};
  for (tamis::Index k = 0; k < shape.classes; ++k) {
    tamis::InteractionTerm<float> top{};
    for (const auto& term : model.of(k))
      if (term.is_product() && tamis::absolute(term.coefficient) > tamis::absolute(top.coefficient)) top = term;
    if (top.first != rule[k][0] || top.second != rule[k][1]) return false;
  }
  return true;
}

void print(const tamis::Report<float>& report, const tamis::InteractionTerms<float>& model, tamis::Index right) {
  tamis::TextSink out(text);
  out << "status " << tamis::name(report.status) << "\niterations " << report.iterations << "\nobjective "
      << report.objective << "\ngap " << report.gap << "\nright " << right << " of " << shape.samples
      << "\narena bytes " << static_cast<std::uint32_t>(sizeof memory) << '\n';
  for (tamis::Index k = 0; k < shape.classes; ++k) {
    out << "class " << k << ' ' << model.intercept(k) << '\n';
    for (const auto& term : model.of(k)) {
      out << "  " << term.coefficient << " x" << term.first;
      if (term.is_product()) out << " x" << term.second;
      out << '\n';
    }
  }
  out << '\0';
  target::write(text);
}

void print_costs(std::uint32_t training, std::uint32_t prediction, std::uint32_t stack) {
  tamis::TextSink out(text);
  out << "measured: thousand instructions to train " << training << "\nmeasured: thousand instructions to predict all "
      << prediction << "\nmeasured: stack bytes " << stack << "\n"
      << '\0';
  target::write(text);
}

}  // namespace

int main() {
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  std::size_t kept = 0;
  const tamis::Report<float> report = learn(kept);
  const std::uint32_t trained = target::thousand_instructions();
  const bool all = kept <= std::size(terms);
  const tamis::InteractionTerms<float> model{{terms, all ? kept : 0}, intercepts, shape.features, shape.classes};
  const tamis::Index right = count_right(model);
  const std::uint32_t predicted = target::thousand_instructions();
  const std::uint32_t stack = target::stack_used();
  print(report, model, right);
  print_costs(trained - start, predicted - trained, stack);
  return report.status == tamis::Status::converged && all && finds_the_rule(model) ? 0 : 1;
}
