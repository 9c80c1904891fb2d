// Trains on iris with hinge and l1 through the C interface, and predicts: what a program in C takes where its library
// holds no more than it uses.
#include <tamis.h>

#include "iris_table.hpp"
#include "target.hpp"

namespace {

alignas(TAMIS_ALIGNMENT) unsigned char arena[8192];
tamis_training_f32 run;

void print(const char* name, std::uint32_t number) {
  char digits[] = "0000\n";
  for (int place = 3; place >= 0; --place, number /= 10) digits[place] = static_cast<char>('0' + number % 10);
  target::write(name);
  target::write(digits);
}

[[gnu::noinline]] tamis_status train(tamis_model_f32& model) {
  tamis_problem_f32 problem;
  tamis_default_problem_f32(&problem);
  problem.lambda = 0.02f;
  problem.tolerance = 1e-2f;
  problem.samples = iris::samples;
  problem.features = iris::features;
  problem.classes = iris::classes;
  problem.values = iris::values;
  problem.labels = iris::labels;
  problem.solver = TAMIS_PRIMAL_DUAL;
  problem.loss =
      TAMIS_LOGISTIC;  // which the library is built without on boards, and the solver does not take elsewhere
  const tamis_status refusal = sizeof(void*) == 4 ? TAMIS_INVALID_OPTION : TAMIS_INVALID_COMBINATION;
  if (tamis_train_f32(&run, &problem, arena, sizeof arena, nullptr, nullptr) != refusal) return TAMIS_INFEASIBLE;
  problem.loss = TAMIS_HINGE;
  const tamis_status status = tamis_train_f32(&run, &problem, arena, sizeof arena, nullptr, nullptr);
  return status == TAMIS_CONVERGED ? tamis_model_of_f32(&run, &model) : status;
}

}  // namespace

int main() {
  tamis_model_f32 model;
  target::mark_stack();
  const tamis_status status = train(model);
  std::uint32_t right = 0;
  for (std::uint32_t i = 0; status == TAMIS_CONVERGED && i < iris::samples; ++i)
    right += tamis_predict_f32(&model, iris::values + i, iris::samples) == iris::labels[i];
  const std::uint32_t stack = target::stack_used();
  print("status ", status);
  print("right ", right);
  print("measured: stack bytes ", stack);
  return status == TAMIS_CONVERGED && right > 140 ? 0 : 1;
}
