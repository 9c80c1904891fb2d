// Learns on the device who of 150 people aboard the Titanic was saved, by three kernels at once and through the C
// interface, in memory whose size is known before the start, and predicts for all 2201 with the kernels that are kept.
#include "tamis/features/kernels.hpp"

#include <cstddef>

#include "tamis/model/text_sink.hpp"
#include "tamis/solver/kernel_admm.hpp"
#include "tamis/status.hpp"
#include "tamis_kernels.h"
#include "target.hpp"

namespace {

constexpr std::uint32_t samples = 150, features = 3, aboard = 2201;

/// What is known of so many people, and how many of them were saved. Source: British Board of Trade (1912); Dawson
/// (1995), the 'Unusual Episode' data.
struct People {
  std::uint32_t cabin;  ///< first, second, third class; 3: crew
  bool woman, child;
  std::uint32_t lost, saved;
};
constexpr People people[] = {
    {0, false, false, 118, 57}, {1, false, false, 154, 14}, {2, false, false, 387, 75}, {3, false, false, 670, 192},
    {0, true, false, 4, 140},   {1, true, false, 13, 80},   {2, true, false, 89, 76},   {3, true, false, 3, 20},
    {0, false, true, 0, 5},     {1, false, true, 0, 11},    {2, false, true, 35, 13},   {0, true, true, 0, 1},
    {1, true, true, 0, 13},     {2, true, true, 17, 14},
};

/// Of mean 0 and variance 1 among all.
constexpr float features_of(const People& p, std::uint32_t feature) {
  constexpr float cabins[] = {-1.87f, -0.923f, 0.0214f, 0.965f};
  return feature == 0 ? cabins[p.cabin] : feature == 1 ? (p.woman ? -1.92f : 0.521f) : (p.child ? 4.38f : -0.228f);
}

/// People in flash, drawn without regard to who they are; features in columns.
struct Samples {
  float values[samples * features] = {};
  std::uint16_t labels[samples] = {};

  constexpr Samples() {
    std::uint32_t state = 7;
    for (std::uint32_t i = 0; i < samples; ++i) {
      state = (state * 1103515245u + 12345u) & 0x7fffffffu;
      std::uint32_t place = (state >> 8) % aboard;
      for (const People& p : people) {
        if (place < p.lost + p.saved) {
          for (std::uint32_t j = 0; j < features; ++j) values[i + j * samples] = features_of(p, j);
          labels[i] = place >= p.lost;
          break;
        }
        place -= p.lost + p.saved;
      }
    }
  }
};
constexpr Samples drawn;

constexpr tamis_kernel_f32 kernels[] = {
    {TAMIS_KERNEL_LINEAR, 0, 0}, {TAMIS_KERNEL_GAUSSIAN, 0.1f, 0}, {TAMIS_KERNEL_GAUSSIAN, 100, 0}};
constexpr std::uint32_t kernel_count = std::size(kernels);

/// The solver, the three matrices, and 48 bytes of kernels: tamis_kernels_bytes says so at run time.
constexpr std::size_t arena_bytes = tamis::KernelAdmm<float>::requirement({samples, samples* kernel_count, 1}).bytes +
                                    sizeof(float) * kernel_count * samples * samples + 48;
static_assert(arena_bytes <= 768 * 1024);
alignas(TAMIS_ALIGNMENT) std::byte memory[arena_bytes];
alignas(TAMIS_ALIGNMENT) std::byte room[8192];  // of the model
tamis_kernels_f32 run;
char text[2048];

/// Trains and takes the model out of the arena.
[[gnu::noinline]] bool learn(tamis_report_f32& report, tamis_kernels_model_f32& model) {
  tamis_kernels_problem_f32 problem;
  tamis_default_kernels_problem_f32(&problem);
  problem.lambda = 0.1f;
  problem.tolerance = 1e-3f;
  problem.intercept = 1;
  problem.p = problem.r = 2;  // few kernels
  problem.q = 1;
  problem.samples = samples;
  problem.features = features;
  problem.classes = 2;
  problem.kernel_count = kernel_count;
  problem.values = drawn.values;
  problem.kernels = kernels;
  problem.labels = drawn.labels;
  const bool exact = tamis_kernels_bytes_f32(&problem) == sizeof memory;
  tamis_kernels_train_f32(&run, &problem, memory, sizeof memory, nullptr, nullptr);
  tamis_kernels_report_of_f32(&run, &report);
  return exact && tamis_kernels_model_of_f32(&run, room, sizeof room, &model) == TAMIS_CONVERGED;
}

/// For how many of all people the model is right.
[[gnu::noinline]] std::uint32_t count_right(const tamis_kernels_model_f32& model) {
  std::uint32_t right = 0;
  for (const People& p : people) {
    float sample[features], score;
    for (std::uint32_t j = 0; j < features; ++j) sample[j] = features_of(p, j);
    right += tamis_kernels_predict_f32(&model, sample, 1, &score) ? p.saved : p.lost;
  }
  return right;
}

/// All bits of the coefficients in one number (FNV-1a).
std::uint32_t hash_of(const tamis_kernels_model_f32& model) {
  std::uint32_t hash = 0x811c9dc5u;
  for (std::uint32_t e = 0; e < model.term_count; ++e) {
    unsigned char bytes[sizeof(float)];
    __builtin_memcpy(bytes, model.coefficients + e, sizeof bytes);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x01000193u;
  }
  return hash;
}

void print(const tamis_report_f32& report, const tamis_kernels_model_f32& model, std::uint32_t right) {
  tamis::TextSink out(text);
  out << "status " << tamis::name(static_cast<tamis::Status>(report.status)) << "\niterations " << report.iterations
      << "\nobjective " << report.objective << "\ngap " << report.gap << "\nright " << right << " of " << aboard
      << "\narena bytes " << report.arena_bytes << "\nmodel bytes "
      << static_cast<std::uint32_t>(tamis_kernels_model_bytes_f32(&run)) << "\nsamples " << model.sample_count
      << "\nterms " << model.term_count << "\ncoefficients " << hash_of(model) << "\nintercept " << model.intercepts[0]
      << '\n';
  for (std::uint32_t t = 0; t < model.kernel_count; ++t)
    out << "kernel " << tamis::name(static_cast<tamis::KernelKind>(model.kernels[t].kind)) << ' ' << model.kernels[t].a
        << '\n';
  out << '\0';
  target::write(text);
}

void print_costs(std::uint32_t training, std::uint32_t prediction, std::uint32_t stack) {
  tamis::TextSink out(text);
  out << "measured: thousand instructions to train " << training << "\nmeasured: thousand instructions to predict "
      << static_cast<std::uint32_t>(std::size(people)) << ' ' << prediction << "\nmeasured: stack bytes " << stack
      << "\n"
      << '\0';
  target::write(text);
}

}  // namespace

int main() {
  target::mark_stack();
  const std::uint32_t start = target::thousand_instructions();
  tamis_report_f32 report;
  tamis_kernels_model_f32 model;
  if (!learn(report, model)) {
    tamis_kernels_refusal why;
    tamis_kernels_refusal_of_f32(&run, &why);
    target::write(why.sentence);
    return 1;
  }
  const std::uint32_t trained = target::thousand_instructions();
  const std::uint32_t right = count_right(model);
  const std::uint32_t predicted = target::thousand_instructions();
  const std::uint32_t stack = target::stack_used();
  print(report, model, right);
  print_costs(trained - start, predicted - trained, stack);
  return report.relative_gap <= 1e-3f && right > aboard * 3 / 4 && model.kernel_count < kernel_count ? 0 : 1;
}
