// Scattering transforms against their definition in space, and against what is known of them: constants, oscillations,
// energy, shifts, rotations, deformations; their memory and bad input.
#include "tamis/features/scattering.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "support/problems.hpp"
#include "tamis/features/signal_scattering.hpp"

namespace tamis {
namespace {

using testing::Generator;
using testing::GuardedMemory;

constexpr double pi = std::numbers::pi;
using Number = std::complex<double>;

TEST(UnitRoots, AreThoseOfTheStandardLibrary) {
  for (Index n = 1; n < 400; ++n)
    for (Index k = 0; k < n; ++k) {
      const auto exact = std::polar(1.0L, 2 * std::numbers::pi_v<long double> * k / n);
      const UnitRoot<double> root = unit_root<double>(k, n);
      EXPECT_NEAR(root.cosine, static_cast<double>(exact.real()), 2.3e-16);
      EXPECT_NEAR(root.sine, static_cast<double>(exact.imag()), 2.3e-16);
      const UnitRoot<float> coarse = unit_root<float>(k, n);
      EXPECT_NEAR(coarse.cosine, static_cast<double>(exact.real()), 1.2e-7);
      EXPECT_NEAR(coarse.sine, static_cast<double>(exact.imag()), 1.2e-7);
    }
  static_assert(unit_root<float>(1, 4).sine == 1 && unit_root<float>(6, 8).cosine == 0, "exact, a constant expression");
}

// N lines at once, with the roots of a multiple of the size.
template <class T, Index N>
void expect_transform(Index n, Index multiple, double tolerance) {
  Generator generator(n);
  std::vector<T> table(2 * n * multiple), line(2 * N * n), spare(2 * N * n);
  const Roots<T> roots{table.data(), n * multiple};
  roots.make();
  for (T& x : line) x = static_cast<T>(generator.uniform());
  const std::vector<T> x = line;
  const T* const got = transform_line<N>(roots, n, line.data(), spare.data());
  for (Index i = 0; i < N; ++i)
    for (Index k = 0; k < n; ++k) {
      Number exact = 0;
      for (Index e = 0; e < n; ++e)
        exact += Number(x[2 * N * e + i], x[2 * N * e + N + i]) * std::polar(1.0, -2 * pi * (e * k % n) / n);
      EXPECT_LE(std::abs(exact - Number(got[2 * N * k + i], got[2 * N * k + N + i])), tolerance * std::sqrt(n)) << n;
    }
}
TEST(FourierTransforms, FollowTheirDefinition) {
  for (const Index n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 18, 22, 35, 36, 49, 50, 68, 121, 144}) {
    expect_transform<double, 2>(n, 1, 2e-15);
    expect_transform<double, 1>(n, 4, 2e-15);
    expect_transform<float, 4>(n, 2, 1e-6);
  }
}

template <class T, class Transform>
struct Started {
  Transform transform;
  GuardedMemory memory;

  template <class Options>
  explicit Started(const Options& options)
      : transform(options), memory(Transform::requirement(options).bytes), options_(options.coefficients()) {
    EXPECT_TRUE(transform.start(memory.span())) << transform.refusal();
    EXPECT_EQ(transform.status(), Status::running);
  }
  std::vector<T> operator()(const std::vector<T>& data) {
    std::vector<T> out(options_, T(NAN));
    EXPECT_TRUE(transform.transform(data, out)) << transform.refusal();
    EXPECT_TRUE(memory.surroundings_intact());
    return out;
  }

 private:
  std::size_t options_;
};
template <class T>
using Images = Started<T, ScatteringTransform<T>>;
template <class T>
using Signals = Started<T, SignalScatteringTransform<T>>;

std::vector<double> random_values(std::size_t count, std::uint32_t seed) {
  Generator generator(seed);
  std::vector<double> out(count);
  for (double& x : out) x = generator.uniform();
  return out;
}
/// Zero but for a square of random values at `top`, `left`.
std::vector<double> patch(Index height, Index width, Index top, Index left, Index side, std::uint32_t seed) {
  const std::vector<double> inside = random_values(side * side, seed);
  std::vector<double> out(height * width);
  for (Index y = 0; y < side; ++y)
    for (Index x = 0; x < side; ++x) out[(top + y) * width + left + x] = inside[y * side + x];
  return out;
}
template <class T>
double energy(const std::vector<T>& x) {
  double total = 0;
  for (const T value : x) total += static_cast<double>(value) * static_cast<double>(value);
  return total;
}
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(total);
}

// ---- images ---------------------------------------------------------------------------------------------------------

/// Everything in space, on tori of height × width entries: wavelets as sums over periods, convolutions as sums.
struct Definition {
  ScatteringOptions o;

  struct Grid {
    int height, width;
    std::vector<Number> values;
  };

  static Grid gabor(int height, int width, double sigma, double theta, double xi, double slant) {
    Grid out{height, width, std::vector<Number>(static_cast<std::size_t>(height * width))};
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int a = -3; a <= 3; ++a)
          for (int b = -3; b <= 3; ++b) {
            const double u = y + a * height, v = x + b * width;
            const double along = u * std::cos(theta) + v * std::sin(theta);
            const double aside = slant * (v * std::cos(theta) - u * std::sin(theta));
            out.values[static_cast<std::size_t>(y * width + x)] +=
                std::polar(std::exp(-(along * along + aside * aside) / (2 * sigma * sigma)), xi * along) * slant /
                (2 * pi * sigma * sigma);
          }
    return out;
  }
  Grid wavelet(int height, int width, Index scale, Index orientation) const {
    const double sigma = 0.8 * std::pow(2, scale), xi = 0.75 * pi / std::pow(2, scale), slant = 4.0 / o.orientations;
    const double theta =
        (static_cast<int>(o.orientations / 2) - 1 - static_cast<int>(orientation)) * pi / o.orientations;
    Grid wave = gabor(height, width, sigma, theta, xi, slant);
    const Grid envelope = gabor(height, width, sigma, theta, 0, slant);
    Number sum = 0, whole = 0;
    for (std::size_t i = 0; i < wave.values.size(); ++i) {
      sum += wave.values[i];
      whole += envelope.values[i];
    }
    for (std::size_t i = 0; i < wave.values.size(); ++i) wave.values[i] -= sum / whole * envelope.values[i];
    return wave;
  }
  /// (x ⋆ h) at every `step`-th entry.
  static Grid convolve(const Grid& x, const Grid& h, int step) {
    Grid out{x.height / step, x.width / step, {}};
    for (int y = 0; y < x.height; y += step)
      for (int z = 0; z < x.width; z += step) {
        Number total = 0;
        for (int a = 0; a < x.height; ++a)
          for (int b = 0; b < x.width; ++b)
            total += x.values[static_cast<std::size_t>(a * x.width + b)] *
                     h.values[static_cast<std::size_t>((y - a + x.height) % x.height * x.width +
                                                       (z - b + x.width) % x.width)];
        out.values.push_back(total);
      }
    return out;
  }
  static Grid modulus(Grid x) {
    for (Number& value : x.values) value = std::abs(value);
    return x;
  }
  void mean(const Grid& x, Index resolution, std::vector<double>& out) const {
    Grid phi = gabor(x.height, x.width, 0.4 * std::pow(2, o.scales - resolution), 0, 0, 1);
    double sum = 0;
    for (const Number& value : phi.values) sum += value.real();
    for (Number& value : phi.values) value /= sum;
    const int step = static_cast<int>(o.step() >> resolution),
              border = static_cast<int>((1u << o.scales) >> resolution);
    const Grid all = convolve(x, phi, 1);
    for (int y = 0; y < static_cast<int>(o.map_height()); ++y)
      for (int z = 0; z < static_cast<int>(o.map_width()); ++z)
        out.push_back(all.values[static_cast<std::size_t>((border + y * step) * x.width + border + z * step)].real());
  }
  std::vector<double> operator()(const std::vector<double>& image) const {
    const int border = 1 << o.scales, h = static_cast<int>(o.height), w = static_cast<int>(o.width);
    const auto mirrored = [](int at, int n) {
      while (at < 0 || at >= n) at = at < 0 ? -at : 2 * (n - 1) - at;
      return at;
    };
    Grid x{h + 2 * border, w + 2 * border, {}};
    for (int y = -border; y < h + border; ++y)
      for (int z = -border; z < w + border; ++z)
        x.values.push_back(image[static_cast<std::size_t>(mirrored(y, h) * w + mirrored(z, w))]);
    std::vector<double> out, second;
    mean(x, 0, out);
    for (Index j = 0; j < o.scales && o.order > 0; ++j)
      for (Index l = 0; l < o.orientations; ++l) {
        const Index r = std::min(j, o.scales - o.oversampling);
        const Grid u = modulus(convolve(x, wavelet(x.height, x.width, j, l), 1 << r));
        mean(u, r, out);
        for (Index k = j + 1; k < o.scales && o.order > 1; ++k)
          for (Index q = 0; q < o.orientations; ++q) {
            const Index to = std::min(k, o.scales - o.oversampling);
            mean(modulus(convolve(u, wavelet(u.height, u.width, k - r, q), 1 << (to - r))), to, second);
          }
      }
    out.insert(out.end(), second.begin(), second.end());
    return out;
  }
};

TEST(ImageScattering, FollowsItsDefinitionInSpace) {
  const ScatteringOptions all[] = {
      {.height = 28, .width = 28, .scales = 2, .orientations = 3},
      {.height = 28, .width = 28, .scales = 1, .orientations = 8},
      {.height = 8, .width = 20, .scales = 2, .orientations = 6, .oversampling = 1},
      {.height = 12, .width = 8, .scales = 2, .orientations = 8, .oversampling = 2},
      {.height = 4, .width = 4, .scales = 2, .orientations = 4},
      {.height = 16, .width = 8, .scales = 3, .orientations = 2},
      {.height = 8, .width = 16, .scales = 3, .orientations = 3, .oversampling = 2},
      {.height = 12, .width = 12, .scales = 2, .orientations = 5, .order = 1},
      {.height = 12, .width = 12, .scales = 2, .orientations = 5, .order = 0},
  };
  for (const ScatteringOptions& options : all) {
    const std::vector<double> image = random_values(options.height * options.width, 3);
    const std::vector<double> exact = Definition{options}(image), got = Images<double>(options)(image);
    ASSERT_EQ(exact.size(), options.coefficients());
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(got[i], exact[i], 1e-12) << i;
  }
}

TEST(ImageScattering, FloatFollowsDouble) {
  for (const Index orientations : {8, 6, 3}) {
    const ScatteringOptions options{.height = 28, .width = 28, .orientations = orientations, .oversampling = 1};
    const std::vector<double> image = random_values(28 * 28, 4);
    const std::vector<double> exact = Images<double>(options)(image);
    const std::vector<float> got = Images<float>(options)({image.begin(), image.end()});
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(got[i], exact[i], 1e-6);
  }
}

TEST(ImageScattering, HasTheSizesOfThePublishedTransform) {
  constexpr ScatteringOptions digits{.height = 28, .width = 28};
  static_assert(digits.maps() == 81 && digits.map_height() == 7 && digits.coefficients() == 3969);
  constexpr ScatteringOptions finer{.height = 28, .width = 28, .oversampling = 1};
  static_assert(finer.map_width() == 14 && finer.coefficients() == 15876);
  static_assert(ScatteringTransform<float>::requirement(digits).bytes <= 256 * 1024);
  static_assert(ScatteringTransform<float>::requirement(finer).bytes <= 256 * 1024);
  constexpr ScatteringOptions deep{.height = 64, .width = 32, .scales = 3, .orientations = 6};
  static_assert(deep.maps() == 1 + 18 + 108);
}

TEST(ImageScattering, PathsAreInTheOrderOfMaps) {
  const ScatteringOptions options{.height = 32, .width = 32, .scales = 4, .orientations = 3};
  std::vector<ScatteringPath> expected{{}}, second;
  for (Index j = 0; j < 4; ++j)
    for (Index l = 0; l < 3; ++l) {
      expected.push_back({1, j, l, 0, 0});
      for (Index k = j + 1; k < 4; ++k)
        for (Index q = 0; q < 3; ++q) second.push_back({2, j, l, k, q});
    }
  expected.insert(expected.end(), second.begin(), second.end());
  ASSERT_EQ(expected.size(), options.maps());
  for (Index map = 0; map < options.maps(); ++map) EXPECT_EQ(options.path(map), expected[map]);
}

TEST(ImageScattering, OfAConstantIsTheConstant) {
  const ScatteringOptions options{.height = 28, .width = 20};
  const std::vector<float> got = Images<float>(options)(std::vector<float>(28 * 20, 0.75f));
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], i < 35 ? 0.75f : 0.0f, 1e-6f);
  for (const float value : Images<float>(options)(std::vector<float>(28 * 20, 0.0f))) EXPECT_EQ(value, 0.0f);
}

// Of cos⟨ω, u⟩ far from the border, x ⋆ ψ = ½ψ̂(ω)e^{i⟨ω, u⟩} + ½ψ̂(−ω)e^{−i⟨ω, u⟩}.
TEST(ImageScattering, AnOscillationIsAnsweredByItsWavelet) {
  const ScatteringOptions options{.height = 96, .width = 96, .order = 1};
  Images<double> scattering(options);
  const Index n = ScatteringTransform<double>::height(options), middle = 12 * 24 + 12, positions = 24 * 24;
  for (Index j = 0; j < 2; ++j)
    for (Index l = 0; l < 8; ++l) {
      const double theta = (3 - static_cast<int>(l)) * pi / 8, xi = 0.75 * pi / (1 << j);
      const double down = std::round(xi * std::cos(theta) * n / (2 * pi));  // on the grid
      const double across = std::round(xi * std::sin(theta) * n / (2 * pi));
      std::vector<double> image;
      for (Index y = 0; y < 96; ++y)
        for (Index x = 0; x < 96; ++x) image.push_back(3 * std::cos(2 * pi * (down * y + across * x) / n + 0.3));
      const std::vector<double> got = scattering(image);
      const Index k = static_cast<Index>(static_cast<int>(n) + static_cast<int>(down)) % n;
      const Index q = static_cast<Index>(static_cast<int>(n) + static_cast<int>(across)) % n;
      const double response = scattering.transform.response(j, l, k, q);
      const double other_side = scattering.transform.response(j, l, (n - k) % n, (n - q) % n);
      double mean = 0, weights = 0;
      for (int u = -16; u <= 16; u += 1 << j)
        for (int v = -16; v <= 16; v += 1 << j) {
          const double phase = 2 * pi * (down * (48 + u) + across * (48 + v)) / n + 0.3;
          const double weight = std::exp(-(u * u + v * v) / (2 * 1.6 * 1.6));
          mean += weight * 1.5 * std::abs(std::polar(response, phase) + std::polar(other_side, -phase));
          weights += weight;
        }
      EXPECT_GT(response, 0.95);
      for (Index map = 1; map < 17; ++map) {
        const double here = got[map * positions + middle];
        if (map == 1 + j * 8 + l) {
          EXPECT_NEAR(here, mean / weights, 1e-5);
        } else {
          EXPECT_LT(here, response) << map;
        }
      }
    }
}

// |φ̂|² + ½Σ(|ψ̂(ω)|² + |ψ̂(−ω)|²) bounds the energy of a layer by that of the one before.
TEST(ImageScattering, HardlyAnyFrequencyIsAmplified) {
  constexpr double bounds[] = {1.0001, 1.0001, 1.02, 1.05};
  for (const Index scales : {1, 2, 3, 4}) {
    const ScatteringOptions options{.height = 64, .width = 48, .scales = scales, .order = 1};
    const Images<double> scattering(options);
    const Index h = ScatteringTransform<double>::height(options), w = ScatteringTransform<double>::width(options);
    double least = 1, most = 0;
    for (Index k = 0; k < h; ++k)
      for (Index l = 0; l < w; ++l) {
        const double y = std::remainder(2 * pi * k / h, 2 * pi), x = std::remainder(2 * pi * l / w, 2 * pi);
        const double sigma = 0.4 * (1 << scales);
        double total = std::exp(-sigma * sigma * (x * x + y * y));
        for (Index j = 0; j < scales; ++j)
          for (Index q = 0; q < 8; ++q) {
            const double here = scattering.transform.response(j, q, k, l);
            const double there = scattering.transform.response(j, q, (h - k) % h, (w - l) % w);
            total += 0.5 * (here * here + there * there);
          }
        most = std::max(most, total);
        if (x * x + y * y < 0.8 * pi * pi) least = std::min(least, total);
      }
    EXPECT_LE(most, bounds[scales - 1]) << scales;
    EXPECT_GE(least, 0.3) << scales;
  }
}
TEST(ImageScattering, HasNoMoreEnergyThanTheImage) {
  for (const Index scales : {1, 2, 3}) {
    const ScatteringOptions options{.height = 48, .width = 48, .scales = scales, .oversampling = scales};
    Images<double> scattering(options);
    for (std::uint32_t seed = 0; seed < 3; ++seed) {
      const std::vector<double> image = patch(48, 48, 16, 16, 16, seed);
      const double share = energy(scattering(image)) / energy(image);
      EXPECT_LE(share, 1);
      EXPECT_GE(share, 0.1);
    }
  }
}

TEST(ImageScattering, ShiftsShiftMaps) {
  for (const Index oversampling : {0, 1}) {
    const ScatteringOptions options{.height = 48, .width = 48, .oversampling = oversampling};
    Images<double> scattering(options);
    const std::vector<double> before = scattering(patch(48, 48, 16, 12, 16, 5));
    const std::vector<double> after = scattering(patch(48, 48, 20, 8, 16, 5));
    const Index side = options.map_height(), one = 4 / options.step();
    for (Index map = 0; map < options.maps(); ++map)
      for (Index y = 0; y + one < side; ++y)
        for (Index x = one; x < side; ++x)
          EXPECT_NEAR(after[(map * side + y + one) * side + x - one], before[(map * side + y) * side + x], 1e-13);
  }
}

// A quarter of a turn around a pixel where maps have values: orientation l becomes l + L/2.
TEST(ImageScattering, RotationsPermuteOrientations) {
  const ScatteringOptions options{.height = 48, .width = 48};
  Images<double> scattering(options);
  const std::vector<double> image = patch(48, 48, 16, 16, 14, 6);
  std::vector<double> turned(48 * 48);
  for (Index y = 1; y < 48; ++y)
    for (Index x = 0; x < 48; ++x) turned[x * 48 + 48 - y] = image[y * 48 + x];
  const std::vector<double> before = scattering(image), after = scattering(turned);
  const Index side = options.map_height(), L = options.orientations;
  const auto turn = [&](Index orientation) { return (orientation + L / 2) % L; };
  for (Index map = 0; map < options.maps(); ++map) {
    const ScatteringPath path = options.path(map);
    Index other = 0;
    if (path.order == 1) other = 1 + path.scale * L + turn(path.orientation);
    if (path.order == 2) other = 1 + 2 * L + turn(path.orientation) * L + turn(path.second_orientation);
    for (Index y = 1; y < side; ++y)
      for (Index x = 0; x < side; ++x)
        EXPECT_NEAR(after[(other * side + x) * side + side - y], before[(map * side + y) * side + x], 1e-13);
  }
}

// An image stretched by 1 + ε: the change of its scattering grows with ε; that of its Fourier moduli, at this high
// frequency, is large from the start.
TEST(ImageScattering, SmallDeformationsChangeLittle) {
  const Index n = 64;
  Images<double> scattering(ScatteringOptions{.height = n, .width = n, .scales = 3});
  std::vector<double> table(2 * n), lines(4 * n);
  const Roots<double> roots{table.data(), n};
  roots.make();
  const auto stretched = [&](double stretch) {
    std::vector<double> image;
    for (Index y = 0; y < n; ++y)
      for (Index x = 0; x < n; ++x) {
        const double v = (static_cast<double>(y) - 32) * stretch, u = (static_cast<double>(x) - 32) * stretch;
        image.push_back(std::exp(-(u * u + v * v) / 300) * std::cos(2.4 * u + 0.4 * v));
      }
    return image;
  };
  const auto fourier = [&](const std::vector<double>& image) {
    std::vector<double> grid;
    for (const double x : image) {
      grid.push_back(x);
      grid.push_back(0);
    }
    transform_grid<1>(roots, roots, n, n, grid.data(), lines.data());
    take_modulus<1>(grid.data(), image.size());
    return grid;
  };
  const std::vector<double> image = stretched(1), maps = scattering(image), spectrum = fourier(image);
  for (const double by : {0.005, 0.01, 0.02, 0.04, 0.08}) {
    const std::vector<double> other = stretched(1 + by);
    const double change = distance(scattering(other), maps) / std::sqrt(energy(maps));
    EXPECT_LE(change, 4 * by);
    EXPECT_GE(distance(fourier(other), spectrum) / std::sqrt(energy(spectrum)), 5 * change);
  }
}

TEST(ImageScattering, OversampledMapsHoldThePlainOnes) {
  const std::vector<double> image = random_values(24 * 16, 7);
  const std::vector<double> plain = Images<double>(ScatteringOptions{.height = 24, .width = 16})(image);
  const std::vector<double> finer =
      Images<double>(ScatteringOptions{.height = 24, .width = 16, .oversampling = 1})(image);
  for (Index map = 0; map < 81; ++map)
    for (Index y = 0; y < 6; ++y)
      for (Index x = 0; x < 4; ++x) EXPECT_EQ(finer[(map * 12 + 2 * y) * 8 + 2 * x], plain[(map * 6 + y) * 4 + x]);
  const std::vector<double> positions =
      Images<double>(ScatteringOptions{.height = 24, .width = 16, .by_position = true})(image);
  for (Index map = 0; map < 81; ++map)
    for (Index position = 0; position < 24; ++position)
      EXPECT_EQ(positions[position * 81 + map], plain[map * 24 + position]);
  const std::vector<double> first = Images<double>(ScatteringOptions{.height = 24, .width = 16, .order = 1})(image);
  EXPECT_TRUE(std::equal(first.begin(), first.end(), plain.begin()));
}

template <class Transform, class Options>
void expect_exact_memory(const Options& options) {
  const std::size_t bytes = Transform::requirement(options).bytes;
  Transform transform(options);
  GuardedMemory small(bytes - 1), crooked(bytes, 4), exact(bytes);
  EXPECT_FALSE(transform.start(small.span()));
  EXPECT_EQ(transform.status(), Status::arena_too_small);
  EXPECT_TRUE(small.untouched());
  EXPECT_FALSE(transform.start(crooked.span()));
  EXPECT_EQ(transform.status(), Status::invalid_arena);
  EXPECT_TRUE(crooked.untouched());
  EXPECT_FALSE(transform.start({}));
  EXPECT_EQ(transform.status(), Status::invalid_arena);
  EXPECT_TRUE(transform.start(exact.span()));
  EXPECT_TRUE(exact.surroundings_intact());
}

TEST(ImageScattering, ItsMemoryIsExact) {
  for (const Index order : {0, 1, 2})
    for (const Index scales : {1, 2, 3})
      for (const Index oversampling : {Index(0), scales}) {
        const ScatteringOptions options{.height = 16,
                                        .width = 24,
                                        .scales = scales,
                                        .orientations = 3,
                                        .order = order,
                                        .oversampling = oversampling};
        expect_exact_memory<ScatteringTransform<float>>(options);
        expect_exact_memory<ScatteringTransform<double>>(options);
        Images<float> scattering(options);  // `surroundings_intact` is checked inside, numbers never written are NaN
        for (const float value : scattering(std::vector<float>(16 * 24, 0.5f))) EXPECT_TRUE(std::isfinite(value));
      }
}

TEST(ImageScattering, BadInputIsRefused) {
  const auto status_of = [](ScatteringOptions options) {
    ScatteringTransform<float> transform(options);
    GuardedMemory memory(1 << 20);
    EXPECT_FALSE(transform.start(memory.span()));
    EXPECT_TRUE(memory.untouched());
    EXPECT_NE(transform.refusal(), nullptr);
    EXPECT_EQ(ScatteringTransform<float>::requirement(options).bytes, std::size_t(-1));
    return transform.status();
  };
  EXPECT_EQ(status_of({.height = 27, .width = 28}), Status::invalid_shape);
  EXPECT_EQ(status_of({.height = 28, .width = 30}), Status::invalid_shape);
  EXPECT_EQ(status_of({.height = 0, .width = 28}), Status::invalid_shape);
  EXPECT_EQ(status_of({.height = 28, .width = 1u << 30}), Status::invalid_shape);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .scales = 5}), Status::invalid_option);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .scales = 9}), Status::invalid_option);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .scales = 0}), Status::invalid_option);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .orientations = 0}), Status::invalid_option);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .orientations = 65}), Status::invalid_option);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .order = 3}), Status::invalid_option);
  EXPECT_EQ(status_of({.height = 28, .width = 28, .oversampling = 3}), Status::invalid_option);

  const ScatteringOptions options{.height = 8, .width = 12};
  ScatteringTransform<float> transform(options);
  std::vector<float> image(8 * 12), out(options.coefficients(), 7.0f);
  EXPECT_FALSE(transform.transform(image, out));
  EXPECT_EQ(transform.status(), Status::invalid_arena);
  GuardedMemory memory(ScatteringTransform<float>::requirement(options).bytes);
  ASSERT_TRUE(transform.start(memory.span()));
  EXPECT_FALSE(transform.transform({image.data(), image.size() - 1}, out));
  EXPECT_EQ(transform.status(), Status::invalid_shape);
  EXPECT_FALSE(transform.transform(image, {out.data(), out.size() - 1}));
  EXPECT_EQ(transform.status(), Status::invalid_shape);
  image[2 * 12 + 5] = NAN;
  EXPECT_FALSE(transform.transform(image, out));
  EXPECT_EQ(transform.status(), Status::invalid_data);
  EXPECT_EQ(transform.row(), 2u);
  EXPECT_EQ(transform.column(), 5u);
  for (const float value : out) EXPECT_EQ(value, 7.0f);
  image[2 * 12 + 5] = 1;
  EXPECT_TRUE(transform.transform(image, out)) << "a refusal spoils nothing";
  EXPECT_EQ(transform.status(), Status::running);
}

// ---- signals --------------------------------------------------------------------------------------------------------

/// Everything by the definitions, no entry left out between layers.
std::vector<double> scatter_by_definition(const SignalScatteringOptions& o, const std::vector<double>& signal) {
  const int n = static_cast<int>(SignalScatteringTransform<double>::padded_length(o)), border = 4 << o.scales;
  const int length = static_cast<int>(o.length);
  struct Wave {
    int octave;
    std::vector<double> spectrum;
  };
  const auto dft = [&](const std::vector<Number>& x, int sign) {
    std::vector<Number> out;
    for (int k = 0; k < n; ++k) {
      Number total = 0;
      for (int i = 0; i < n; ++i)
        total += x[static_cast<std::size_t>(i)] * std::polar(1.0, sign * 2 * pi * (i * k % n) / n);
      out.push_back(total);
    }
    return out;
  };
  const auto bank = [&](double Q) {
    std::vector<std::pair<double, double>> parameters;
    const double least = 0.1 / std::pow(2, o.scales), factor = std::pow(2, -1 / Q);
    double xi = std::max(1 / (1 + std::pow(2, 3 / Q)), 0.35);
    double sigma = xi * (1 - factor) / (1 + factor) / std::sqrt(std::log(2));
    for (; sigma > least; xi *= factor, sigma *= factor) parameters.push_back({xi, sigma});
    const double last = parameters.back().first;
    for (double q = 1; q < Q; ++q) parameters.push_back({(Q - q) / Q * last, least});
    std::vector<Wave> out;
    for (const auto& both : parameters) {
      const auto bell = [&](double f) {
        double total = 0;
        for (int m = -4; m <= 4; ++m) total += std::exp(-std::pow((f + m) / both.second, 2) / 2);
        return total;
      };
      const double edge = std::min(both.first + 5 * both.second, 0.5);
      Wave wave{static_cast<int>(std::floor(-std::log2(edge))) - 1, {}};
      for (int k = 0; k < n; ++k) {
        const double f = static_cast<double>(k) / n;
        wave.spectrum.push_back(bell(f - both.first) - bell(-both.first) / bell(0) * bell(f));
      }
      double sum = 0;
      for (const Number& value : dft({wave.spectrum.begin(), wave.spectrum.end()}, 1)) sum += std::abs(value) / n;
      for (double& value : wave.spectrum) value /= sum;
      out.push_back(wave);
    }
    return out;
  };
  std::vector<double> out, second;
  const auto mean = [&](const std::vector<Number>& x, std::vector<double>& to) {
    const double sigma = std::pow(2, o.scales) / (0.2 * pi);
    for (int q = 0; q < static_cast<int>(o.positions()); ++q) {
      double total = 0, weights = 0;
      for (int i = -12 * n; i < 12 * n; ++i) {
        const double d = (border + q * static_cast<int>(o.step()) - i) / sigma;
        if (std::abs(d) > 10) continue;
        total += std::exp(-d * d / 2) * x[static_cast<std::size_t>((i % n + n) % n)].real();
        weights += std::exp(-d * d / 2);
      }
      to.push_back(total / weights);
    }
  };
  const auto moduli = [&](const std::vector<Number>& spectrum, const Wave& wave) {
    std::vector<Number> product;
    for (std::size_t k = 0; k < spectrum.size(); ++k) product.push_back(spectrum[k] * wave.spectrum[k]);
    product = dft(product, 1);
    for (Number& value : product) value = std::abs(value) / n;
    return product;
  };
  std::vector<Number> x;
  for (int i = -border; i < n - border; ++i) {
    int at = i;
    while (at < 0 || at >= length) at = at < 0 ? -at : 2 * (length - 1) - at;
    x.push_back(signal[static_cast<std::size_t>(at)]);
  }
  mean(x, out);
  const std::vector<Number> spectrum = dft(x, -1);
  const std::vector<Wave> seconds = bank(1);
  for (const Wave& wave : bank(o.per_octave)) {
    const std::vector<Number> u = moduli(spectrum, wave);
    mean(u, out);
    const std::vector<Number> inner = dft(u, -1);
    for (const Wave& other : seconds)
      if (other.octave > wave.octave) mean(moduli(inner, other), second);
  }
  out.insert(out.end(), second.begin(), second.end());
  return out;
}

TEST(SignalScattering, FollowsItsDefinition) {
  const SignalScatteringOptions all[] = {{.length = 61, .scales = 3, .per_octave = 1},
                                         {.length = 16, .scales = 4, .per_octave = 1},
                                         {.length = 40, .scales = 3, .per_octave = 4},
                                         {.length = 100, .scales = 4, .per_octave = 3}};
  for (SignalScatteringOptions options : all) {
    const std::vector<double> signal = random_values(options.length, 8);
    for (const Index oversampling : {Index(0), Index(1), options.scales}) {
      options.oversampling = oversampling;
      const std::vector<double> exact = scatter_by_definition(options, signal), got = Signals<double>(options)(signal);
      ASSERT_EQ(exact.size(), options.coefficients());
      const double tolerance = oversampling == options.scales ? 1e-12 : 1e-3;  // of what is folded back
      for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(got[i], exact[i], tolerance) << i;
    }
  }
}

TEST(SignalScattering, FloatFollowsDouble) {
  for (const Index per_octave : {1, 8}) {
    const SignalScatteringOptions options{.length = 1000, .scales = 5, .per_octave = per_octave};
    const std::vector<double> signal = random_values(1000, 9);
    const std::vector<double> exact = Signals<double>(options)(signal);
    const std::vector<float> got = Signals<float>(options)({signal.begin(), signal.end()});
    for (std::size_t i = 0; i < exact.size(); ++i) ASSERT_NEAR(got[i], exact[i], 1e-6);
  }
}

TEST(SignalScattering, BothPrecisionsHaveTheSameWavelets) {
  for (Index scales = 1; scales <= 16; ++scales)
    for (Index per_octave = 1; per_octave <= 32; ++per_octave) {
      std::vector<Index> coarse, fine;
      detail::for_each_signal_wavelet<float>(scales, per_octave, [&](const auto& w) { coarse.push_back(w.octave); });
      detail::for_each_signal_wavelet<double>(scales, per_octave, [&](const auto& w) { fine.push_back(w.octave); });
      EXPECT_EQ(coarse, fine) << scales << ' ' << per_octave;
    }
}

TEST(SignalScattering, OfAConstantIsTheConstant) {
  const SignalScatteringOptions options{.length = 90, .scales = 4, .per_octave = 4};
  const std::vector<float> got = Signals<float>(options)(std::vector<float>(90, -0.75f));
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], i < 6 ? -0.75f : 0.0f, 1e-6f);
}

TEST(SignalScattering, AnOscillationIsAnsweredByItsWavelet) {
  const SignalScatteringOptions options{.length = 1024, .scales = 5, .per_octave = 4, .order = 1};
  Signals<double> scattering(options);
  const Index n = SignalScatteringTransform<double>::padded_length(options), count = scattering.transform.wavelets();
  ASSERT_EQ(options.lines(), 1 + count);
  for (Index w = 0; w < count; ++w) {
    if (scattering.transform.frequency(w) * 32 < 1) continue;  // below, the mean over 2^J entries is too short
    const auto k = static_cast<Index>(std::lround(scattering.transform.frequency(w) * n));
    std::vector<double> signal;
    for (Index i = 0; i < 1024; ++i) signal.push_back(2 * std::cos(2 * pi * k * i / n + 0.2));
    const std::vector<double> got = scattering(signal);
    const double response = scattering.transform.response(w, k);
    EXPECT_GT(response, 0.9);
    for (Index other = 0; other < count; ++other) {
      const double here = got[(1 + other) * options.positions() + 16];
      if (other == w) {
        EXPECT_NEAR(here, response, 0.02);
      } else {
        EXPECT_LT(here, 0.9 * response) << w << " " << other;
      }
    }
  }
}

TEST(SignalScattering, ShiftsShiftLinesAndEnergyIsBounded) {
  const SignalScatteringOptions options{.length = 512, .scales = 4, .per_octave = 2};
  Signals<double> scattering(options);
  std::vector<double> early(512), late(512);
  for (Index i = 0; i < 128; ++i) early[192 + i] = late[208 + i] = std::sin(0.02 * i * i) * std::sin(pi * i / 128);
  const std::vector<double> before = scattering(early), after = scattering(late);
  for (Index line = 0; line < options.lines(); ++line)
    for (Index q = 0; q + 1 < options.positions(); ++q)
      EXPECT_NEAR(after[line * options.positions() + q + 1], before[line * options.positions() + q], 1e-12);
  EXPECT_LE(options.step() * energy(before), energy(early));
  EXPECT_GE(options.step() * energy(before), 0.2 * energy(early));
  const Index n = SignalScatteringTransform<double>::padded_length(options);
  double least = 1, most = 0;
  for (Index k = 0; k < n; ++k) {
    const double f = std::remainder(static_cast<double>(k) / n, 1.0), sigma = 0.1 / 16;
    double total = std::exp(-f * f / (sigma * sigma));
    for (Index w = 0; w < scattering.transform.wavelets(); ++w) {
      const double here = scattering.transform.response(w, k), there = scattering.transform.response(w, (n - k) % n);
      total += 0.5 * (here * here + there * there);
    }
    most = std::max(most, total);
    if (std::abs(f) < 0.4) least = std::min(least, total);
  }
  EXPECT_LE(most, 1.0001);
  EXPECT_GE(least, 0.2);
}

TEST(SignalScattering, PathsAreInTheOrderOfLines) {
  struct Wave {
    double xi;
    int octave;
  };
  const auto bank = [](int scales, double Q) {
    std::vector<Wave> out;
    const auto add = [&](double xi, double sigma) {
      out.push_back({xi, static_cast<int>(std::floor(-std::log2(std::min(xi + 5 * sigma, 0.5)))) - 1});
    };
    const double least = 0.1 / std::pow(2, scales), factor = std::pow(2, -1 / Q);
    double xi = std::max(1 / (1 + std::pow(2, 3 / Q)), 0.35);
    double sigma = xi * (1 - factor) / (1 + factor) / std::sqrt(std::log(2));
    for (; sigma > least; xi *= factor, sigma *= factor) add(xi, sigma);
    for (double last = out.back().xi, q = 1; q < Q; ++q) add((Q - q) / Q * last, least);
    return out;
  };
  for (const Index per_octave : {1, 4, 7}) {
    const SignalScatteringOptions options{.length = 512, .scales = 6, .per_octave = per_octave};
    const std::vector<Wave> first = bank(6, per_octave), second = bank(6, 1);
    EXPECT_EQ(options.path(0), SignalScatteringPath{});
    const auto expect_path = [&](Index line, Index order, std::size_t a, std::size_t b) {
      const SignalScatteringPath path = options.path(line);
      EXPECT_EQ(path.order, order) << line;
      EXPECT_EQ(path.wavelet, a) << line;
      EXPECT_EQ(path.second_wavelet, order == 2 ? b : 0) << line;
      EXPECT_NEAR(path.frequency, first[a].xi, 1e-6) << line;
      EXPECT_NEAR(path.second_frequency, order == 2 ? second[b].xi : 0, 1e-6) << line;
    };
    Index line = 1;
    for (std::size_t a = 0; a < first.size(); ++a) expect_path(line++, 1, a, 0);
    for (std::size_t a = 0; a < first.size(); ++a)
      for (std::size_t b = 0; b < second.size(); ++b)
        if (second[b].octave > first[a].octave) expect_path(line++, 2, a, b);
    EXPECT_EQ(line, options.lines());
  }
}

// Of a tone of frequency ξ that swells and fades at a frequency ξ', the line of the pair (ξ, ξ') is the largest of its
// λ.
TEST(SignalScattering, ASwellingToneIsAnsweredByThePathOfItsFrequencies) {
  const SignalScatteringOptions options{.length = 4096, .scales = 8, .per_octave = 1};
  Signals<double> scattering(options);
  Index seen = 0;
  for (Index line = 1; line < options.lines(); ++line) {
    const SignalScatteringPath path = options.path(line);
    // Sidebands within the wavelet, periods within the mean.
    if (path.order < 2 || path.second_frequency * 7 > path.frequency || path.second_frequency * 256 < 2) continue;
    std::vector<double> signal;
    for (Index i = 0; i < 4096; ++i)
      signal.push_back((1 + std::cos(2 * pi * static_cast<double>(path.second_frequency) * i)) *
                       std::cos(2 * pi * static_cast<double>(path.frequency) * i));
    const std::vector<double> got = scattering(signal);
    const double here = got[line * options.positions() + 8];
    for (Index other = 1; other < options.lines(); ++other) {
      const SignalScatteringPath its = options.path(other);
      if (its.order < 2 || its.wavelet != path.wavelet || other == line) continue;
      EXPECT_LT(got[other * options.positions() + 8], here) << line << ' ' << other;
    }
    ++seen;
  }
  EXPECT_EQ(seen, 6u);
}

TEST(SignalScattering, LayoutMemoryAndBadInput) {
  SignalScatteringOptions options{.length = 77, .scales = 3, .per_octave = 4};
  const std::vector<double> signal = random_values(77, 10);
  const std::vector<double> lines = Signals<double>(options)(signal);
  options.by_position = true;
  const std::vector<double> positions = Signals<double>(options)(signal);
  for (Index line = 0; line < options.lines(); ++line)
    for (Index q = 0; q < options.positions(); ++q)
      EXPECT_EQ(positions[q * options.lines() + line], lines[line * options.positions() + q]);
  for (const Index order : {0, 1, 2})
    for (const Index per_octave : {1, 4}) {
      options.order = order;
      options.per_octave = per_octave;
      expect_exact_memory<SignalScatteringTransform<float>>(options);
      expect_exact_memory<SignalScatteringTransform<double>>(options);
      for (const double value : Signals<double>(options)(signal)) EXPECT_TRUE(std::isfinite(value));
    }
  const auto status_of = [](SignalScatteringOptions wrong) {
    SignalScatteringTransform<float> transform(wrong);
    GuardedMemory memory(1 << 16);
    EXPECT_FALSE(transform.start(memory.span()));
    EXPECT_TRUE(memory.untouched());
    return transform.status();
  };
  EXPECT_EQ(status_of({.length = 0}), Status::invalid_shape);
  EXPECT_EQ(status_of({.length = 1u << 31}), Status::invalid_shape);
  EXPECT_EQ(status_of({.length = 15, .scales = 4}), Status::invalid_option);
  EXPECT_EQ(status_of({.length = 100, .scales = 0}), Status::invalid_option);
  EXPECT_EQ(status_of({.length = 100, .per_octave = 0}), Status::invalid_option);
  EXPECT_EQ(status_of({.length = 100, .scales = 2, .per_octave = 32}), Status::invalid_option);
  EXPECT_EQ(status_of({.length = 100, .order = 3}), Status::invalid_option);
  EXPECT_EQ(status_of({.length = 100, .oversampling = 5}), Status::invalid_option);
  SignalScatteringTransform<double> transform(options);
  std::vector<double> out(options.coefficients()), bad = signal;
  EXPECT_FALSE(transform.transform(signal, out));
  EXPECT_EQ(transform.status(), Status::invalid_arena);
  GuardedMemory memory(SignalScatteringTransform<double>::requirement(options).bytes);
  ASSERT_TRUE(transform.start(memory.span()));
  bad[70] = INFINITY;
  EXPECT_FALSE(transform.transform(bad, out));
  EXPECT_EQ(transform.status(), Status::invalid_data);
  EXPECT_EQ(transform.column(), 70u);
  bad.pop_back();
  EXPECT_FALSE(transform.transform(bad, out));
  EXPECT_EQ(transform.status(), Status::invalid_shape);
}

}  // namespace
}  // namespace tamis
