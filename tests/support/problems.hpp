#pragma once
/// Small problems made on the spot, and memory that notices when someone writes beyond it.

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "tamis/tamis.hpp"

namespace tamis::testing {

/// The same numbers on every machine: s ← 1103515245 s + 12345 mod 2³¹.
class Generator {
 public:
  explicit Generator(std::uint32_t seed) : state_(seed) {}
  std::uint32_t draw(std::uint32_t below) {
    state_ = (state_ * 1103515245u + 12345u) & 0x7fffffffu;
    return (state_ >> 16) % below;
  }
  /// In [−1, 1), multiples of 1/1024.
  double uniform() { return (static_cast<double>(draw(2048)) - 1024) / 1024; }

 private:
  std::uint32_t state_;
};

/// Samples whose class follows a linear teacher on the first half of the features, some labels wrong.
template <class T>
struct Made {
  Index samples, features, classes;
  std::vector<T> values;  // column-major
  std::vector<Label> labels;
  std::vector<T> weights, margins;

  Made(Index n, Index p, Index K, std::uint32_t seed) : samples(n), features(p), classes(K), values(n * p), labels(n) {
    Generator generator(seed);
    for (T& x : values) x = static_cast<T>(generator.uniform());
    const Index informative = (p + 1) / 2;
    std::vector<double> teacher(informative * K);
    for (double& w : teacher) w = generator.uniform();
    for (Index i = 0; i < n; ++i) {
      double top = -1e9;
      for (Index k = 0; k < K; ++k) {
        double score = 0;
        for (Index j = 0; j < informative; ++j) score += static_cast<double>(values[i + j * n]) * teacher[j * K + k];
        if (score > top) {
          top = score;
          labels[i] = static_cast<Label>(k);
        }
      }
      if (i % 7 == 0) labels[i] = static_cast<Label>(generator.draw(K));
    }
    for (Index k = 0; k < K && k < n; ++k) labels[n - 1 - k] = static_cast<Label>(k);  // every class is there
  }

  DenseDesign<T> design() const { return {values.data(), samples, features}; }
  Targets<T> targets() const {
    return {labels, classes, weights.empty() ? nullptr : weights.data(), margins.empty() ? nullptr : margins.data()};
  }
  Shape shape() const { return {samples, features, classes}; }
};

/// Compressed columns of a dense matrix.
template <class T>
struct Compressed {
  std::vector<T> values;
  std::vector<Index> rows, starts;
  Index samples, features;

  explicit Compressed(const DenseDesign<T>& dense) : samples(dense.samples()), features(dense.features()) {
    starts.push_back(0);
    for (Index j = 0; j < features; ++j) {
      for (Index i = 0; i < samples; ++i)
        if (dense(i, j) != T(0)) {
          values.push_back(dense(i, j));
          rows.push_back(i);
        }
      starts.push_back(static_cast<Index>(values.size()));
    }
  }
  SparseDesign<T> design() const { return {values.data(), rows.data(), starts.data(), samples, features}; }
};

/// Aligned memory of exactly `bytes`, inside and on both sides of it a pattern that reads as NaN: numbers taken from
/// memory that was never written spoil the answer.
class GuardedMemory {
 public:
  static constexpr std::size_t guard = 256;
  static constexpr unsigned char canary = 0xff;

  explicit GuardedMemory(std::size_t bytes, std::size_t misalignment = 0)
      : room_(guard + Arena::alignment + misalignment + bytes + guard), bytes_(bytes) {
    const auto base = reinterpret_cast<std::uintptr_t>(room_.data()) + guard;
    first_ = (Arena::alignment - base % Arena::alignment) % Arena::alignment + guard + misalignment;
    std::memset(room_.data(), canary, room_.size());
  }
  std::span<std::byte> span() { return {reinterpret_cast<std::byte*>(room_.data()) + first_, bytes_}; }
  bool surroundings_intact() const {
    for (std::size_t i = 0; i < room_.size(); ++i)
      if ((i < first_ || i >= first_ + bytes_) && room_[i] != canary) return false;
    return true;
  }
  bool untouched() const {
    for (const auto byte : room_)
      if (byte != canary) return false;
    return true;
  }

 private:
  std::vector<unsigned char> room_;
  std::size_t first_;
  std::size_t bytes_;
};

/// A finished run and the memory its model lives in.
template <class T>
struct Run {
  std::unique_ptr<GuardedMemory> memory;
  Fit<T> fit;

  std::vector<T> coefficients() const {
    const auto* first = fit.model.coefficients;
    return {first, first + (fit.model.features + 1) * fit.model.stride()};
  }
};

/// Trains with a solver class chosen at compile time.
template <class Solver, class T, class Design, class Loss, class Penalty>
Run<T> run(const Design& design, const Targets<T>& targets, Loss loss, Penalty penalty, Options<T> options) {
  const Shape shape{targets.samples(), design.features(), targets.classes};
  Run<T> out{std::make_unique<GuardedMemory>(Solver::requirement(shape).bytes), {}};
  out.fit = train<Solver, T>(Solver(design, targets, loss, penalty, options), out.memory->span());
  return out;
}

/// What the plain Training is in the least memory (Training.IsByTheSolverOfAuto says so), without
/// the code for more.
template <class Loss, class Penalty>
using InLeastMemory = std::conditional_t<std::same_as<Loss, Hinge> && std::same_as<Penalty, Ridge>, Fastest, Smallest>;

/// Trains in the least memory.
template <class T, class Loss, class Penalty, class Choice = InLeastMemory<Loss, Penalty>>
Run<T> run_default(const Made<T>& made, Loss loss, Penalty penalty, Options<T> options, Choice = {}) {
  return run<typename Choice::template Solver<T, Loss, Penalty, DenseDesign<T>>, T>(made.design(), made.targets(), loss,
                                                                                    penalty, options);
}

/// F(W, b) by the formula, in double, for any built-in loss and penalty.
template <class T, class Loss, class Penalty>
double objective(const Made<T>& made, const LinearModel<T>& model, Loss loss, Penalty penalty, double lambda) {
  double total = 0, weight = 0;
  std::vector<double> z(made.classes);
  for (Index i = 0; i < made.samples; ++i) {
    for (Index k = 0; k < made.classes; ++k) {
      z[k] = static_cast<double>(model.intercept(k));
      for (Index j = 0; j < made.features; ++j)
        z[k] += static_cast<double>(made.values[i + j * made.samples]) * static_cast<double>(model(j, k));
    }
    const double w = made.weights.empty() ? 1 : static_cast<double>(made.weights[i]);
    const double margin = made.margins.empty() ? default_margin<double>(loss) : static_cast<double>(made.margins[i]);
    total += w * loss.value(z.data(), made.classes, made.labels[i], margin);
    weight += w;
  }
  std::vector<double> coefficients(made.features * made.classes);
  for (Index j = 0; j < made.features; ++j)
    for (Index k = 0; k < made.classes; ++k) coefficients[j * made.classes + k] = static_cast<double>(model(j, k));
  const double norm = penalty_value(penalty, static_cast<const double*>(coefficients.data()), made.features,
                                    made.classes, made.classes);
  return total / weight + lambda * norm;
}

}  // namespace tamis::testing
