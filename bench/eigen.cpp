// What products and factors cost beside Eigen's, one thread, in milliseconds of CPU time: the
// least of rounds in turn.
// Run: cmake --build build/test --target eigen
#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <type_traits>

#include "tamis/design/dense.hpp"
#include "tamis/linalg/cholesky.hpp"

namespace {

using namespace tamis;

template <class Work>
double milliseconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// Both in turn: what slows the machine down slows both.
template <class Ours, class Theirs>
void print(const char* what, const char* scalar, int rounds, Ours ours, Theirs theirs) {
  double least[] = {1e99, 1e99};
  for (int round = 0; round < rounds; ++round) {
    least[0] = std::min(least[0], ours());
    least[1] = std::min(least[1], theirs());
  }
  std::printf("| %-24s | %-6s | %8.3f | %8.3f | %5.2f |\n", what, scalar, least[0], least[1], least[0] / least[1]);
}

template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class T>
const char* const scalar_name = std::is_same_v<T, float> ? "float" : "double";

template <class T>
void products(Eigen::Index samples, Eigen::Index features, Eigen::Index classes) {
  const Matrix<T> x = Matrix<T>::Random(samples, features);
  const Index stride = padded<T>(static_cast<Index>(classes));
  RowMajor<T> w = RowMajor<T>::Zero(features + 1, stride), u = RowMajor<T>::Zero(samples, stride);
  w.topLeftCorner(features, classes).setRandom();
  u.leftCols(classes).setRandom();
  RowMajor<T> z(samples, stride), g(features, stride);
  const Matrix<T> coefficients = w.topLeftCorner(features, classes), duals = u.leftCols(classes);
  Matrix<T> scores(samples, classes), gradient(features, classes);
  const DenseDesign<T> design(x.data(), static_cast<Index>(samples), static_cast<Index>(features));
  const int rounds = static_cast<int>(std::clamp(4e9 / (double(samples) * double(features * classes)), 10.0, 1000.0));
  char what[64];
  std::snprintf(what, sizeof what, "X W, %dx%dx%d", int(samples), int(features), int(classes));
  print(
      what, scalar_name<T>, rounds,
      [&] {
        return milliseconds(
            [&] { design.multiply(nullptr, design.features(), w.data(), stride, w.row(features).data(), z.data()); });
      },
      [&] { return milliseconds([&] { scores.noalias() = x * coefficients; }); });
  std::snprintf(what, sizeof what, "X'U, %dx%dx%d", int(samples), int(features), int(classes));
  print(
      what, scalar_name<T>, rounds,
      [&] {
        return milliseconds(
            [&] { design.transposed_multiply(nullptr, design.features(), u.data(), stride, g.data()); });
      },
      [&] { return milliseconds([&] { gradient.noalias() = x.transpose() * duals; }); });
  if (!z.leftCols(classes).isApprox(scores, T(1e-3)) || !g.leftCols(classes).isApprox(gradient, T(1e-3)))
    std::puts("the results differ");
}

void cholesky(Index size) {
  const Matrix<double> factor = Matrix<double>::Random(size, size);
  RowMajor<double> a = factor * factor.transpose();
  a.diagonal().array() += double(size);
  RowMajor<double> ours = a;
  Eigen::LLT<Matrix<double>> theirs(size);
  const Matrix<double> same = a;
  char what[64];
  std::snprintf(what, sizeof what, "Cholesky, %u", size);
  print(
      what, "double", std::clamp(int(2e9 / (double(size) * size * size)), 5, 2000),
      [&] {
        ours = a;
        return milliseconds([&] { factor_cholesky(ours.data(), size, size); });
      },
      [&] { return milliseconds([&] { theirs.compute(same); }); });
  if (!ours.triangularView<Eigen::Lower>().toDenseMatrix().isApprox(theirs.matrixL().toDenseMatrix(), 1e-9))
    std::puts("the results differ");
}

}  // namespace

int main() {
#ifdef __FMA__
  const bool runs = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#elif defined(__AVX2__)
  const bool runs = __builtin_cpu_supports("avx2");
#else
  const bool runs = true;
#endif
  if (!runs) return std::printf("%s: not run, this processor does not have it\n", TAMIS_BENCH_FLAGS), 0;
  std::printf("| %s | of | tamis, ms | Eigen, ms | ratio |\n|---|---|---|---|---|\n", TAMIS_BENCH_FLAGS);
  for (const auto& [samples, features, classes] : {std::array{20000, 784, 10}, {1200, 64, 10}}) {
    products<float>(samples, features, classes);
    products<double>(samples, features, classes);
  }
  for (const Index size : {128u, 256u, 512u, 1024u}) cholesky(size);
}
