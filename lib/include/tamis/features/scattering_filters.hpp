#pragma once
/// What scattering transforms are made of: Morlet wavelets in frequency, Gaussian means, reflection at borders.

#include "../linalg/fourier.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// Below e^this a term is lost in the rounding of T.
template <class T>
inline constexpr T least_log_term = sizeof(T) == 4 ? T(-20) : T(-40);

/// e^log_term, or 0 where it does not count.
template <class T>
T bell(T log_term) {
  return log_term > least_log_term<T> ? exponential(log_term) : T(0);
}

/// Frequency k of n in radians per pixel, from −π to π.
template <class T>
T angular_frequency(Index k, Index n) {
  const T turn = T(6.283185307179586477L);
  return 2 * k > n ? -turn * (T(n - k) / T(n)) : turn * (T(k) / T(n));
}

/// Where position `at` of a line that is mirrored at its first and last of n entries, these not repeated, is read.
constexpr Index reflect(std::int64_t at, Index n) {
  if (n == 1) return 0;
  const std::int64_t period = 2 * (std::int64_t{n} - 1);
  at %= period;
  if (at < 0) at += period;
  return static_cast<Index>(at < n ? at : period - at);
}

}  // namespace detail

/// A Morlet wavelet ψ(u) = g(u)(e^{iξ⟨e, u⟩} − κ), e = (cos θ, sin θ) along rows and columns, κ such that its mean is
/// zero. The envelope g is a Gaussian of sum 1, σ wide along e and σ/slant across.
template <class T>
struct Morlet {
  T sigma, xi, slant;
  T cosine, sine;  ///< of θ

  /// Wavelet `orientation` of L at 2^scale pixels, as Kymatio and ScatNet define it: σ = 0.8·2^scale, ξ =
  /// (3π/4)/2^scale, slant 4/L, θ = (⌊L/2⌋ − 1 − orientation)·π/L.
  static Morlet of(Index scale, Index orientation, Index orientations) {
    const Index count = 2 * orientations;
    const UnitRoot<T> direction = unit_root<T>(count + orientations / 2 - 1 - orientation, count);
    const T dilation = T(Index(1) << scale);
    return {T(0.8) * dilation, T(2.35619449019234492885L) / dilation, T(4) / T(orientations), direction.cosine,
            direction.sine};
  }

  /// ψ̂ on a grid of height × width frequencies: that of ψ on a torus of whole pixels, a sum over the aliases ω + 2πm.
  /// It is real. Written `step` entries apart, times `factor`.
  [[gnu::noinline]] void sample(Index height, Index width, T factor, T* out, std::size_t step) const {
    const T kappa = aliases(T(0), T(0), xi) / aliases(T(0), T(0), T(0));
    for (Index k = 0; k < height; ++k)
      for (Index l = 0; l < width; ++l, out += step) {
        const T down = detail::angular_frequency<T>(k, height), across = detail::angular_frequency<T>(l, width);
        *out = k + l == 0 ? T(0) : factor * (aliases(down, across, xi) - kappa * aliases(down, across, T(0)));
      }
  }

 private:
  /// Σ_m ĝ(ω + 2πm − ξe).
  T aliases(T down, T across, T shift) const {
    const T turn = T(6.283185307179586477L);
    T total = 0;
    const T reach = (sizeof(T) == 4 ? T(6.5) : T(9)) * largest(T(1), slant) / sigma;
    const int most = static_cast<int>((reach + shift) / turn + T(0.5));
    for (int i = -most; i <= most; ++i)
      for (int j = -most; j <= most; ++j) {
        const T y = down + T(i) * turn - shift * cosine, x = across + T(j) * turn - shift * sine;
        const T along = sigma * (cosine * y + sine * x), aside = sigma / slant * (cosine * x - sine * y);
        total += detail::bell<T>(T(-0.5) * (along * along + aside * aside));
      }
    return total;
  }
};

/// A Gaussian on a ring of `size` entries, cut off where T does not see it; its weights add up to one.
template <class T>
struct GaussianMean {
  T* weights = nullptr;
  Index count = 0;  ///< of the weights: those at −⌊count/2⌋ … from the middle
  Index size = 0;
  T sigma = 0;

  static constexpr GaussianMean lay_out(Arena& arena, Index size, T sigma) {
    const Index reach = static_cast<Index>((sizeof(T) == 4 ? T(6) : T(9)) * sigma) + 1;
    const Index count = smallest(2 * reach + 1, size);
    return {arena.take<T>(count), count, size, sigma};
  }
  [[gnu::noinline]] void make() const {
    const int turns = count < size ? 0 : static_cast<int>(T(9) * sigma / T(size)) + 1;
    T total = 0;
    for (Index t = 0; t < count; ++t) {
      weights[t] = T(0);
      for (int m = -turns; m <= turns; ++m) {
        const T distance = (T(t) - T(count / 2) + T(m) * T(size)) / sigma;
        weights[t] += detail::bell<T>(T(-0.5) * distance * distance);
      }
      total += weights[t];
    }
    for (Index t = 0; t < count; ++t) weights[t] /= total;
  }

  /// Σ_t weights[t]·value(middle + t − ⌊count/2⌋), around the ring; `value` gives Packs.
  template <class Value>
  [[gnu::always_inline]] auto operator()(Index middle, Value value) const {
    Index at = middle >= count / 2 ? middle - count / 2 : middle + size - count / 2;
    auto total = decltype(value(at))::zero();
    for (Index t = 0; t < count; ++t) {
      total = total + decltype(total)::fill(weights[t]) * value(at);
      if (++at == size) at = 0;
    }
    return total;
  }
};

/// Entries `first`, first + step, … of a line, `count` of them.
struct Window {
  Index first = 0, step = 1, count = 0;
};

/// emit(o, mean) for the means around the entries of a window: rows·columns of them in row-major order. The grid has
/// 2N values for each pixel, of which the first N count; `rows` holds N·width values for each row of the window.
/// Cost: window rows·width·down.count + window pixels·across.count multiplications of packs.
template <Index N, class T, class Emit>
void smooth(const GaussianMean<T>& down, const GaussianMean<T>& across, const T* grid, Window y, Window x, T* rows,
            Emit emit) {
  using P = Simd<T, N>;
  const std::size_t width = across.size;
  for (Index o = 0; o < y.count; ++o)
    for (Index l = 0; l < across.size; ++l)
      down(y.first + o * y.step, [&](Index k) {
        return P::load(grid + 2 * N * (k * width + l));
      }).store(rows + N * (o * width + l));
  for (Index o = 0; o < y.count; ++o)
    for (Index q = 0; q < x.count; ++q)
      emit(std::size_t{o} * x.count + q,
           across(x.first + q * x.step, [&](Index l) { return P::load(rows + N * (o * width + l)); }));
}

/// to = Σ over the factor² aliases of filter·from, with real and imaginary parts exchanged: in frequency, the filtered
/// grid at every `factor`-th pixel, ready for the inverse transform. `to` is height × width; `from` and the filters are
/// `factor` times as large each way. Of `from`, one complex number for each pixel, `step` values apart, the imaginary
/// part `apart` from the real one; N filters, `filter_step` values apart.
template <Index N, class T>
[[gnu::noinline]] void filter_grid(const T* from, std::size_t step, std::size_t apart, const T* filters,
                                   std::size_t filter_step, Index factor, Index height, Index width, T* to) {
  using P = Simd<T, N>;
  const std::size_t row = std::size_t{width} * factor;
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x, to += 2 * N) {
      Complex<T, N> total{P::zero(), P::zero()};
      for (Index a = 0; a < factor; ++a)
        for (Index b = 0; b < factor; ++b) {
          const std::size_t e = (std::size_t{a} * height + y) * row + std::size_t{b} * width + x;
          const P filter = P::load(filters + e * filter_step);
          total.re = total.re + P::fill(from[e * step + apart]) * filter;
          total.im = total.im + P::fill(from[e * step]) * filter;
        }
      total.store(to);
    }
}

/// z ← |z| + 0i for `count` packs.
template <Index N, class T>
[[gnu::noinline]] void take_modulus(T* values, std::size_t count) {
  for (std::size_t e = 0; e < count; ++e) {
    T* const re = values + 2 * N * e;
    T* const im = re + N;
    for (Index i = 0; i < N; ++i) {
      re[i] = square_root(re[i] * re[i] + im[i] * im[i]);
      im[i] = T(0);
    }
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
