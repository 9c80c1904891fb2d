// Compiled for every profile: trains, and says which solver it was and what came out.
#include <memory>

#include "profiles.hpp"
#include "tamis/any.hpp"
#include "tamis/design/quantised.hpp"
#include "tamis/solver/block_coordinate_descent.hpp"
#include "tamis/solver/fista.hpp"
#include "tamis/solver/two_phase.hpp"

namespace {

using namespace tamis;

template <class T>
struct Data {
  static constexpr Index samples = 45, features = 23;
  std::vector<std::uint8_t> integers;
  std::vector<T> values;
  std::vector<Label> labels;
  Index classes;

  explicit Data(Index count) : classes(count) {
    std::uint32_t state = count;  // of a linear congruential generator, whose upper bits are used
    for (Index i = 0; i < samples; ++i) labels.push_back(static_cast<Label>(i % classes));
    for (Index j = 0; j < features; ++j)
      for (Index i = 0; i < samples; ++i)
        integers.push_back(
            std::uint8_t(((state = state * 1664525u + 1013904223u) >> 26) + 40 * (j % classes == labels[i])));
    for (const std::uint8_t integer : integers) values.push_back(T(integer) * T(0.03125));
  }
  DenseDesign<T> design() const { return {values.data(), samples, features}; }
  QuantisedDesign<T, std::uint8_t> quantised() const { return {integers.data(), samples, features, {T(0.03125)}}; }
};

template <class T>
void add_hash(const T* numbers, std::size_t count, std::vector<std::uint64_t>& results) {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers);
  for (std::size_t b = 0; b < count * sizeof(T); ++b) hash = (hash ^ bytes[b]) * 0x100000001b3u;
  results.push_back(hash);
}

/// The coefficients that S finds for data, and the scores of a sample.
template <class S, class T, class Design, class Loss, class Penalty>
void train(const Data<T>& data, const Design& design, Loss loss, Penalty penalty, std::vector<std::uint64_t>& results) {
  Options<T> options;
  options.lambda = T(0.01);
  options.tolerance = T(1e-3);
  options.max_iterations = 300;
  S solver(design, {data.labels, data.classes}, loss, penalty, options);
  std::vector<std::byte> bytes(S::requirement({data.samples, data.features, data.classes}).bytes + Arena::alignment);
  void* start = bytes.data();
  std::size_t space = bytes.size();
  std::align(Arena::alignment, space - Arena::alignment, start, space);
  if (solver.start({static_cast<std::byte*>(start), space}))
    while (solver.step()) {
    }
  const auto model = solver.model();
  add_hash(model.coefficients, std::size_t{data.features + 1} * model.stride(), results);
  std::vector<T> scores(data.classes);
  model.scores(data.values.data(), scores.data(), data.samples);
  add_hash(scores.data(), scores.size(), results);
}

template <class T>
void train_all(std::vector<std::uint64_t>& results) {
  for (const Index classes : {2u, 3u, 10u, 21u}) {  // rows of one vector to eleven
    const Data<T> data(classes);
    const auto design = data.design();
    const auto quantised = data.quantised();
    using Quantised = std::remove_const_t<decltype(quantised)>;
    train<TwoPhase<T, Hinge, L1>>(data, design, Hinge{}, L1{}, results);
    train<PrimalDual<T, Hinge, GroupLinf, Quantised>>(data, quantised, Hinge{}, GroupLinf{}, results);
    train<Fista<T, AnyLoss<T>, GroupL2>>(data, design, AnyLoss<T>(LossKind::logistic), GroupL2{}, results);
    train<BlockCoordinateDescent<T, SquaredHinge, L1>>(data, design, SquaredHinge{}, L1{}, results);
  }
}

// The smallest code is there for boards, where a product with a quantised design takes little stack.
static_assert(profile.tiles || QuantisedDesign<float, std::int16_t>::stack_bytes <= 512);

const bool answered = [] {
  ProfileAnswers answers{TAMIS_TEST_NAME, &typeid(TwoPhase<float, Hinge, L1>), {}};
  train_all<float>(answers.results);
  train_all<double>(answers.results);
  all_answers().push_back(answers);
  return true;
}();

}  // namespace
