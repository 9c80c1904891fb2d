#include <iostream>
#include <memory>
#include <string_view>

#include "arguments.hpp"
#include "commands.hpp"
#include "cv.hpp"
#include "errors.hpp"
#include "readers.hpp"
#include "training.hpp"

namespace tamis::cli {

namespace {

struct SizeArguments {
  Shape shape;
  ProblemArguments problem;
  Jobs jobs;
  Option given_jobs, given_folds, given_lambdas;
  Index folds = 5, lambdas = 100;
};

/// What a training program takes on a Cortex-M4F beside its arena, as measured.
struct FirmwareFigures {
  const char *solver, *loss, *penalty;
  unsigned flash, stack;
};
constexpr FirmwareFigures firmware_figures[] = {
#include "firmware_figures.inc"
    {"", "", "", 0, 0}};

void print_firmware(const ProblemSpec& choice) {
  const std::string_view solver = name(choice.resolved_solver()), loss = name(choice.loss),
                         penalty = name(choice.penalty);
  for (const FirmwareFigures& row : firmware_figures)
    if (row.solver == solver && row.loss == loss && row.penalty == penalty)
      std::cout << row.flash << " bytes of flash for training and prediction on a Cortex-M4F (-Os), and " << row.stack
                << " of stack\n";
}

/// What cross-validation takes, if --jobs asks for that.
template <class T>
void print_jobs(const SizeArguments& a, Requirement solver) {
  if (a.given_jobs->count() == 0) return;
  const std::size_t bytes = bytes_of_folds<T>(a.shape, a.folds, a.lambdas, solver);
  const Index jobs = a.jobs.of(a.folds + 1);
  std::cout << detail::saturating_multiply(jobs, bytes) << " bytes in all for 'tamis cv', " << in_words(a.folds, "fold")
            << " and " << in_words(a.lambdas, "lambda") << ": " << in_words(jobs, "arena") << " of " << bytes << "\n";
}

/// That of the solver which `auto` is instead where λ is small, if that is another one.
template <class T>
void print_where_lambda_is_small(const SizeArguments& a, ProblemSpec choice, WorkspaceHint hint) {
  const SolverKind usual = choice.resolved_solver();
  choice.tiny_lambda = true;
  if (choice.resolved_solver() == usual) return;
  std::cout << CommandTraining<T>::requirement(choice, a.shape).bytes
            << " bytes of arena instead where lambda is small, with " << name(choice.resolved_solver()) << ", and "
            << CommandTraining<T>::requirement(choice, a.shape, hint).bytes << " to make that faster\n";
}

template <class T>
void print(const SizeArguments& a, ProblemSpec choice) {
  const Shape shape = a.shape;
  choice.rare_sizes =
      choice.has_rare_sizes(shape, a.given_jobs->count() > 0, static_cast<T>(a.problem.parameters().l1_ratio));
  const std::size_t bytes = CommandTraining<T>::requirement(choice, shape).bytes;
  const std::size_t entries = detail::saturating_multiply(shape.samples, shape.features);
  const WorkspaceHint hint{.entries = entries, .active_limit = usual_active_limit};
  const Requirement faster = CommandTraining<T>::requirement(choice, shape, hint);
  const std::size_t fast = faster.bytes;
  const SolverKind solver = choice.resolved_solver();
  const bool holds_samples = solver == SolverKind::crammer_singer_dual || is_stochastic(solver);
  const std::size_t data = detail::saturating_multiply(std::size_t(shape.samples) * shape.features, sizeof(T));
  if (bytes == detail::no_bytes_suffice || data == detail::no_bytes_suffice)
    throw MemoryError("no memory of this machine can hold a problem of that size");
  const std::size_t stride = padded<T>(shape.classes);
  const std::size_t model = (std::size_t(shape.features) + 1) * stride * sizeof(T);
  std::cout << bytes << " bytes of arena to train with " << name(choice.resolved_solver()) << ", aligned to "
            << Arena::alignment << "\n"
            << (fast > bytes ? std::to_string(fast) +
                                   (holds_samples ? " bytes hold all samples at once, if none of their values is zero,"
                                                  : " bytes leave room for its second phase with up to " +
                                                        std::to_string(usual_active_limit) + " nonzero coefficients,") +
                                   " and make it faster\n"
                             : "")
            << model << " of them stay in use for the model: " << shape.features << " + 1 rows of " << stride << " "
            << (sizeof(T) == 4 ? "floats" : "doubles") << " for " << shape.classes << " classes\n"
            << data << " bytes of dense samples and " << std::size_t(shape.samples) * sizeof(Label)
            << " of labels stay where they are, outside the arena\n"
            << "0 bytes of arena to predict\n";
  print_where_lambda_is_small<T>(a, choice, hint);
  print_jobs<T>(a, faster);
  if (sizeof(T) == sizeof(float)) print_firmware(choice);
}

void run(const SizeArguments& a) {
  ProblemSpec choice = a.problem.choice();
  const auto groups = a.problem.listed_groups(a.shape.features);
  if (groups) choice.groups = groups->groups;
  for (const Option& option : {a.given_folds, a.given_lambdas})
    if (option->count() > 0 && a.given_jobs->count() == 0)
      throw ArgumentError(option->get_name() + " is for cross-validation: give --jobs too");
  if (a.problem.single_precision()) print<float>(a, choice);
  else print<double>(a, choice);
}

}  // namespace

void declare_size(const Command& app) {
  auto a = std::make_shared<SizeArguments>();
  const Command size = app.add_subcommand("size", "print the exact number of arena bytes a training needs");
  const auto count = [&](const char* option, Index& value, Index least) {
    size.add_option(option, value)->required()->between(least, ~Index(0));
  };
  count("--samples", a->shape.samples, 1);
  count("--features", a->shape.features, 1);
  count("--classes", a->shape.classes, 2);
  a->problem.declare(size);
  a->given_jobs = a->jobs.declare(size);
  a->given_jobs->description("say what cross-validation takes with so many threads, an arena each");
  a->given_folds = size.add_option("--folds", a->folds, "of that")->between(2, 100000)->capture_default_str();
  a->given_lambdas = size.add_option("--lambdas", a->lambdas, "of that")->between(1, 100000)->capture_default_str();
  size.callback([a] { run(*a); });
}

}  // namespace tamis::cli
