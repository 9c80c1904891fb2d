// Training, prediction and export with every allocation of the process counted, and with Eigen's own check on.
#define EIGEN_RUNTIME_NO_MALLOC
#include <stdexcept>
#undef eigen_assert
#define eigen_assert(condition) \
  if (!(condition)) throw std::runtime_error(#condition)
#include <Eigen/Core>
#include <cstdlib>
#include <new>

namespace {
long allocations = 0;
}
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#include <gtest/gtest.h>

#include "support/problems.hpp"
#include "tamis/eigen.hpp"
#include "tamis/model/blob.hpp"

namespace {

using namespace tamis;

class NoMalloc : public ::testing::Test {
 protected:
  void forbid() {
    Eigen::internal::set_is_malloc_allowed(false);
    before_ = allocations;
  }
  long allow() {
    Eigen::internal::set_is_malloc_allowed(true);
    return allocations - before_;
  }

 private:
  long before_ = 0;
};

TEST_F(NoMalloc, TheCheckBites) {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(300, 300);
  Eigen::MatrixXd c(300, 300);
  forbid();
  EXPECT_THROW(c.noalias() = a * a, std::runtime_error);
  allow();
}

TEST_F(NoMalloc, TrainingPredictionAndExportNeedNoHeap) {
  const tamis::testing::Made<float> made(50, 90, 4, 5);
  const Eigen::MatrixXf x = Eigen::Map<const Eigen::MatrixXf>(made.values.data(), 50, 90);
  using ByHinge = Training<float, Hinge, L1>;
  using BySquaredHinge = Training<float, SquaredHinge, GroupL2>;
  using ByLogistic = Training<float, Logistic, GroupL2>;
  using ByOneVsRest = Training<float, OneVsRestSquaredHinge, L1>;
  using ByConstraint = ConstrainedTraining<float, Hinge, L1>;
  tamis::testing::GuardedMemory memory(
      std::max({ByHinge::bytes(made.shape()), BySquaredHinge::bytes(made.shape()), ByConstraint::bytes(made.shape())}));
  static char text[100000];
  static std::byte blob[10000];
  forbid();
  const auto hinge = ByHinge({.lambda = 0.05f}).run(design(x), made.targets(), memory.span());
  const auto constrained = ByConstraint({.eta = 0.3f}).run(design(x), made.targets(), memory.span());
  const auto logistic = ByLogistic({.lambda = 0.05f}).run(design(x), made.targets(), memory.span());
  const auto one_vs_rest = ByOneVsRest({.lambda = 0.05f}).run(design(x), made.targets(), memory.span());
  const auto squared = BySquaredHinge({.lambda = 0.05f}).run(design(x), made.targets(), memory.span());
  const auto label = squared.model.predict(made.values.data(), 50);
  const float largest = coefficients(squared.model).cwiseAbs().maxCoeff();
  const auto length = export_c(squared.model, {}, std::span<char>(text));
  const auto size = write_blob(squared.model, std::span<std::byte>(blob));
  const long count = allow();
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(has_model(hinge.status));
  EXPECT_EQ(constrained.status, Status::converged);
  EXPECT_EQ(logistic.status, Status::converged);
  EXPECT_EQ(one_vs_rest.status, Status::converged);
  EXPECT_EQ(squared.status, Status::converged);
  EXPECT_LT(label, 4);
  EXPECT_GT(largest, 0);
  EXPECT_GT(length, 0u);
  EXPECT_GT(size, 0u);
}

}  // namespace
