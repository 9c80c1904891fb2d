#pragma once
/// Discrete Fourier transforms of any size, of several lines or grids at once: one in each entry of a vector.

#include "../arena.hpp"
#include "elementary.hpp"
#include "simd.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// N complex numbers, one of each line that is transformed; in memory 2N values, real parts first.
template <class T, Index N>
struct Complex {
  Simd<T, N> re, im;

  [[gnu::always_inline]] static Complex load(const T* from) {
    return {Simd<T, N>::load(from), Simd<T, N>::load(from + N)};
  }
  [[gnu::always_inline]] void store(T* to) const {
    re.store(to);
    im.store(to + N);
  }
  [[gnu::always_inline]] friend Complex operator+(const Complex& a, const Complex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  [[gnu::always_inline]] friend Complex operator-(const Complex& a, const Complex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  [[gnu::always_inline]] friend Complex operator*(const Simd<T, N>& a, const Complex& b) {
    return {a * b.re, a * b.im};
  }
  /// −i times it.
  [[gnu::always_inline]] Complex turned_back() const { return {im, Simd<T, N>::zero() - re}; }
};

/// e^{2πik/size} for 0 ≤ k < size: 2·size values. A table also serves sizes that divide its own.
template <class T>
struct Roots {
  T* values = nullptr;
  Index size = 0;

  static constexpr Roots lay_out(Arena& arena, Index size) { return {arena.take<T>(2 * std::size_t{size}), size}; }
  void make() const {
    for (Index k = 0; k < size; ++k) {
      const UnitRoot<T> root = unit_root<T>(k, size);
      values[2 * k] = root.cosine;
      values[2 * k + 1] = root.sine;
    }
  }
};

namespace detail {

/// One stage of Stockham's algorithm: n = radix·m numbers apart by `stride` become `radix` transforms of m.
template <class T, Index N>
class FourierStage {
  using C = Complex<T, N>;
  using P = Simd<T, N>;

 public:
  /// `root_step`: between the roots of order radix·m in the table.
  FourierStage(const Roots<T>& roots, Index root_step, const T* from, T* to, Index m, Index stride)
      : roots_(roots), root_step_(root_step), from_(from), to_(to), m_(m), stride_(stride) {}

  [[gnu::noinline]] void radix2() const {
    for (Index p = 0; p < m_; ++p)
      for (Index q = 0; q < stride_; ++q) {
        const C a = at(p, q, 0), b = at(p, q, 1);
        put(2, p, q, 0, a + b);
        put(2, p, q, 1, a - b);
      }
  }
  [[gnu::noinline]] void radix4() const {
    for (Index p = 0; p < m_; ++p)
      for (Index q = 0; q < stride_; ++q) {
        const C a = at(p, q, 0), b = at(p, q, 1), c = at(p, q, 2), d = at(p, q, 3);
        const C even = a + c, odd = b + d, low = a - c, high = (b - d).turned_back();
        put(4, p, q, 0, even + odd);
        put(4, p, q, 1, low + high);
        put(4, p, q, 2, even - odd);
        put(4, p, q, 3, low - high);
      }
  }
  [[gnu::noinline]] void radix3() const { odd_radix(3); }
  [[gnu::noinline]] void radix5() const { odd_radix(5); }
  [[gnu::noinline]] void odd(Index radix) const { odd_radix(radix); }

 private:
  /// y_k, y_{r−k} = a₀ + Σ_j (a_j + a_{r−j})·cos(2πjk/r) ∓ i Σ_j (a_j − a_{r−j})·sin(2πjk/r), j = 1…(r−1)/2.
  [[gnu::always_inline]] void odd_radix(Index radix) const {
    const Index turn = m_ * root_step_;  // of the roots of order `radix`
    for (Index p = 0; p < m_; ++p)
      for (Index q = 0; q < stride_; ++q) {
        const C first = at(p, q, 0);
        C total = first;
        for (Index j = 1; j < radix; ++j) total = total + at(p, q, j);
        put(radix, p, q, 0, total);
        for (Index k = 1; k <= radix / 2; ++k) {
          C even = first, odd{P::zero(), P::zero()};
          for (Index j = 1; j <= radix / 2; ++j) {
            const C a = at(p, q, j), b = at(p, q, radix - j);
            const T* root = roots_.values + 2 * std::size_t{j * k % radix} * turn;
            even = even + P::fill(root[0]) * (a + b);
            odd = odd + P::fill(root[1]) * (a - b);
          }
          odd = odd.turned_back();
          put(radix, p, q, k, even + odd);
          put(radix, p, q, radix - k, even - odd);
        }
      }
  }
  [[gnu::always_inline]] C at(Index p, Index q, Index j) const {
    return C::load(from_ + 2 * N * (q + std::size_t{stride_} * (p + m_ * j)));
  }
  [[gnu::always_inline]] void put(Index radix, Index p, Index q, Index k, C value) const {
    if (p && k) {
      const T* root = roots_.values + 2 * std::size_t{p * k} * root_step_;
      const P c = P::fill(root[0]), s = P::fill(root[1]);
      value = {c * value.re + s * value.im, c * value.im - s * value.re};
    }
    value.store(to_ + 2 * N * (q + std::size_t{stride_} * (radix * p + k)));
  }

  Roots<T> roots_;
  Index root_step_;
  const T* from_;
  T* to_;
  Index m_, stride_;
};

}  // namespace detail

/// X_k = Σ_x line_x e^{−2πikx/n} for N lines; n divides the size of the table. Both pieces of memory hold 2N·n values
/// and are overwritten; returns that with the answer.
///
/// Stockham's algorithm with the radices 4, 2, 3, 5 and the other primes of n: about 5·n·log₂ n operations on packs
/// where n has small primes only, of the order of n·p for each large prime p.
template <Index N, class T>
T* transform_line(const Roots<T>& roots, Index n, T* line, T* spare) {
  for (Index left = n, stride = 1; left > 1;) {
    Index radix = left % 4 == 0 ? 4 : 2;
    if (left % 2) {
      radix = 3;
      while (left % radix) radix = radix * radix > left ? left : radix + 2;
    }
    const Index m = left / radix;
    const detail::FourierStage<T, N> stage(roots, roots.size / left, line, spare, m, stride);
    switch (radix) {
      case 2: stage.radix2(); break;
      case 3: stage.radix3(); break;
      case 4: stage.radix4(); break;
      case 5: stage.radix5(); break;
      default: stage.odd(radix);
    }
    left = m;
    stride *= radix;
    T* const other = line;
    line = spare;
    spare = other;
  }
  return line;
}

/// The two-dimensional transform of N grids of height × width, in place; `lines` holds 4N values for each of the larger
/// of the two. The inverse is that of the grid with real and imaginary parts exchanged, exchanged again and divided by
/// height·width.
template <Index N, class T>
void transform_grid(const Roots<T>& down, const Roots<T>& across, Index height, Index width, T* grid, T* lines) {
  constexpr std::size_t values = 2 * N;
  const std::size_t row = values * width;
  for (Index y = 0; y < height; ++y) {
    T* const line = grid + y * row;
    const T* const done = transform_line<N>(across, width, line, lines);
    if (done != line) __builtin_memcpy(line, done, row * sizeof(T));
  }
  for (Index x = 0; x < width; ++x) {
    T* const column = grid + values * x;
    for (Index y = 0; y < height; ++y) Complex<T, N>::load(column + y * row).store(lines + values * y);
    const T* const done = transform_line<N>(down, height, lines, lines + values * height);
    for (Index y = 0; y < height; ++y) Complex<T, N>::load(done + values * y).store(column + y * row);
  }
}

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
