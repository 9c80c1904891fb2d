#pragma once
/// The scattering transform of signals.

#include "last_call.hpp"
#include "scattering_filters.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

namespace detail {

/// A wavelet of a signal: its frequency ξ and the width σ of its spectrum in cycles per entry, and how often the signal
/// can be halved after it.
template <class T>
struct SignalWavelet {
  T xi = 0, sigma = 0;
  Index octave = 0;

  constexpr SignalWavelet(T frequency, T width) : xi(frequency), sigma(width) {
    for (T edge = T(4) * smallest(xi + T(5) * sigma, T(0.5)); edge <= T(1); edge *= T(2)) ++octave;
  }
};

/// visit(wavelet) from the highest frequency down: Q for each octave while they are wider in frequency than the mean,
/// σ > 0.1/2^J, then Q − 1 of that width, evenly apart down to 0. False: not even the first one is wider.
template <class T, class Visit>
constexpr bool for_each_signal_wavelet(Index scales, Index per_octave, Visit visit) {
  constexpr T ln2 = T(0.693147180559945309417L), root = T(1.20112240878644981L);  // √(1/ln 2)
  const T Q = T(per_octave), factor = exponential(-ln2 / Q);
  const T least = T(0.1) / T(Index(1) << scales);
  T xi = largest(T(1) / (T(1) + exponential(T(3) * ln2 / Q)), T(0.35));
  T sigma = xi * ((T(1) - factor) / (T(1) + factor)) * root;
  if (!(sigma > least)) return false;
  T last = xi;
  for (; sigma > least; xi *= factor, sigma *= factor) {
    visit(SignalWavelet<T>(xi, sigma));
    last = xi;
  }
  for (Index q = 1; q < per_octave; ++q) visit(SignalWavelet<T>(T(per_octave - q) / Q * last, least));
  return true;
}

}  // namespace detail

/// Where a line comes from: the wavelets of λ and μ, as far as its order goes, by their number from the highest
/// frequency down and by their frequency in cycles per entry.
struct SignalScatteringPath {
  Index order = 0;
  Index wavelet = 0, second_wavelet = 0;
  float frequency = 0, second_frequency = 0;

  friend constexpr bool operator==(const SignalScatteringPath&, const SignalScatteringPath&) = default;
};

/// What is transformed, and how.
struct SignalScatteringOptions {
  Index length = 0;          ///< of the signals, any from 2^scales on
  Index scales = 4;          ///< J: means are taken over about 2^J entries
  Index per_octave = 1;      ///< Q: wavelets of order 1 for each octave; those of order 2 are one for each
  Index order = 2;           ///< 0: means alone; 1: of wavelets; 2: of wavelets of wavelets
  Index oversampling = 0;    ///< a value at every 2^(J − oversampling)-th entry
  bool by_position = false;  ///< all values of a position stand together; otherwise line after line

  static constexpr Index most_scales = 16, most_per_octave = 32, most_length = Index(1) << 24;

  /// What is wrong, and how to put it right; null when nothing is.
  constexpr const char* refusal() const {
    if (scales == 0 || scales > most_scales) return "scattering of signals takes 1 to 16 scales";
    if (per_octave == 0 || per_octave > most_per_octave)
      return "scattering of signals takes 1 to 32 wavelets for each octave";
    if (order > 2) return "the order of scattering is 0, 1 or 2";
    if (oversampling > scales) return "scattering cannot be oversampled by more octaves than it has scales";
    if (!detail::for_each_signal_wavelet<float>(scales, per_octave, [](const auto&) {}))
      return "there are too few scales for that many wavelets in each octave: take more scales";
    if (length == 0 || length > most_length) return "signals for scattering have 1 to 2^24 entries";
    if (length >> scales == 0) return "the signal is shorter than 2^scales entries: take fewer scales";
    return nullptr;
  }
  /// Of the same: invalid_shape where the length is to blame, invalid_option otherwise; running when nothing is wrong.
  constexpr Status status() const {
    if (!refusal()) return Status::running;
    return length == 0 || length > most_length ? Status::invalid_shape : Status::invalid_option;
  }

  constexpr Index step() const { return Index(1) << (scales - oversampling); }
  /// Values of each line.
  constexpr Index positions() const { return (length + step() - 1) / step(); }
  /// 1, + one for each wavelet, + one for each pair of wavelets the second of which has the larger octave.
  constexpr Index lines() const {
    Index first = 0, second = 0;
    detail::for_each_signal_wavelet<float>(scales, per_octave, [&](const detail::SignalWavelet<float>& a) {
      ++first;
      detail::for_each_signal_wavelet<float>(
          scales, 1, [&](const detail::SignalWavelet<float>& b) { second += b.octave > a.octave ? 1 : 0; });
    });
    return 1 + (order > 0 ? first : 0) + (order > 1 ? second : 0);
  }
  /// Of line `line` < lines(). Cost: as many steps as there are pairs of wavelets.
  constexpr SignalScatteringPath path(Index line) const {
    SignalScatteringPath out;
    Index first = 0;
    detail::for_each_signal_wavelet<float>(scales, per_octave, [&](const detail::SignalWavelet<float>& a) {
      if (++first == line) out = {1, first - 1, 0, a.xi, 0};
    });
    Index next = 1 + first, number = 0;
    detail::for_each_signal_wavelet<float>(scales, per_octave, [&](const detail::SignalWavelet<float>& a) {
      Index other = 0;
      detail::for_each_signal_wavelet<float>(scales, 1, [&](const detail::SignalWavelet<float>& b) {
        if (b.octave > a.octave && next++ == line) out = {2, number, other, a.xi, b.xi};
        ++other;
      });
      ++number;
    });
    return out;
  }
  constexpr std::size_t coefficients() const { return detail::saturating_multiply(positions(), lines()); }
};

/// S₀x = x ⋆ φ, S₁x = |x ⋆ ψ_λ| ⋆ φ and S₂x = ||x ⋆ ψ_λ| ⋆ ψ_μ| ⋆ φ at positions() entries. φ is a Gaussian of width
/// 2^J/(2π·0.1) and sum 1; wavelets have Σ|ψ| = 1, ψ̂(f) = ĝ((f − ξ)/σ) − κ·ĝ(f/σ) with ĝ(u) = e^(−u²/2) and mean zero,
/// from ξ = max(1/(1 + 2^(3/Q)), 0.35) cycles per entry down. Lines come in the order S₀; λ from the highest frequency;
/// (λ, μ) by λ, then μ.
///
/// Signals are continued by 4·2^J entries each way, mirrored at their ends, and from there periodically. After a
/// wavelet a signal is kept at every 2^k-th entry, k as long as ξ + 5σ stays below its highest frequency.
///
/// Memory: `requirement(options)`: with n padded entries, n values for each wavelet (both banks; one for Q = 1) and
/// about 10·n more. Cost of a signal: a transform of n numbers, one inverse and one forward for each λ, one inverse for
/// each pair, on the kept entries.
///
/// Source: Andén and Mallat, Deep scattering spectrum, 2014; the filters are those documented by Kymatio.
template <class T>
class SignalScatteringTransform : public LastCall {
 public:
  explicit constexpr SignalScatteringTransform(const SignalScatteringOptions& options)
      : LastCall(Status::invalid_arena, no_filters), options_(options) {}

  /// For options that are refused: more than there is.
  static constexpr Requirement requirement(const SignalScatteringOptions& options) {
    if (options.refusal()) return {detail::no_bytes_suffice};
    return count_bytes<Memory>(options);
  }

  /// Makes the filters. False: refused, and nothing touched.
  bool start(std::span<std::byte> memory) {
    started_ = false;
    if (const char* sentence = options_.refusal()) return refuse(options_.status(), sentence);
    if (!Arena::aligned(memory)) return refuse(Status::invalid_arena, describe(Status::invalid_arena));
    if (memory.size() < requirement(options_).bytes)
      return refuse(Status::arena_too_small, "the arena is too small for scattering: give it requirement(options)");
    Arena arena(memory);
    m_ = Memory::lay_out(arena, options_);
    m_.roots.make();
    for (Index r = 0; r <= coarsest(options_); ++r) m_.means[r].make();
    fill_bank(m_.first, options_.per_octave);
    if (options_.order > 1 && options_.per_octave > 1) fill_bank(m_.second, 1);
    started_ = true;
    return accept();
  }

  /// One signal into o.coefficients() values. False: refused, and `out` not touched. Asks for `start`.
  bool transform(std::span<const T> signal, std::span<T> out) {
    if (!started_) return refuse(Status::invalid_arena, no_filters);
    if (signal.size() != options_.length)
      return refuse(Status::invalid_shape, "the signal has not as many entries as the options say");
    if (out.size() != options_.coefficients())
      return refuse(Status::invalid_shape, "there must be room for exactly coefficients() values");
    for (Index i = 0; i < options_.length; ++i)
      if (!finite(signal[i]))
        return refuse(Status::invalid_data, "an entry of the signal is not finite: remove or impute it", i);
    run(signal.data(), out.data());
    return accept();
  }

  const SignalScatteringOptions& options() const { return options_; }

  /// After `start`, order > 0: wavelets of order 1, their frequencies in cycles per entry, and their answers ψ̂ to
  /// frequency k of the padded signal.
  Index wavelets() const { return m_.first.count; }
  T frequency(Index wavelet) const { return m_.first.xi[wavelet]; }
  T response(Index wavelet, Index k) const {
    return m_.first.filters[std::size_t{wavelet} * padded_length(options_) + k] * T(padded_length(options_));
  }
  /// A multiple of 2^J with no other prime than 2, 3 and 5.
  static constexpr Index padded_length(const SignalScatteringOptions& o) {
    for (Index blocks = (o.length - 1) / (Index(1) << o.scales) + 9;; ++blocks) {
      Index left = blocks;
      for (const Index prime : {Index(2), Index(3), Index(5)})
        while (left % prime == 0) left /= prime;
      if (left == 1) return blocks << o.scales;
    }
  }

 private:
  /// Wavelets, their filters with the factor of the inverse transform.
  struct Bank {
    Index count = 0;
    T* xi = nullptr;
    Index* octave = nullptr;
    T* filters = nullptr;

    static constexpr Bank lay_out(Arena& arena, const SignalScatteringOptions& o, Index per_octave) {
      Bank b{};
      detail::for_each_signal_wavelet<float>(o.scales, per_octave, [&](const auto&) { ++b.count; });
      b.xi = arena.take<T>(b.count);
      b.octave = arena.take<Index>(b.count);
      b.filters = arena.take<T>(detail::saturating_multiply(b.count, padded_length(o)));
      return b;
    }
  };
  struct Memory {
    Roots<T> roots;
    GaussianMean<T> means[SignalScatteringOptions::most_scales + 1];
    Bank first, second;
    T* signal;             ///< complex, in frequency
    T *one, *spare, *two;  ///< complex

    static constexpr Memory lay_out(Arena& arena, const SignalScatteringOptions& o) {
      const Index n = padded_length(o);
      Memory m{};
      m.roots = Roots<T>::lay_out(arena, n);
      for (Index r = 0; r <= coarsest(o); ++r)
        m.means[r] = GaussianMean<T>::lay_out(arena, n >> r, T(1.59154943091895336L) * T(Index(1) << (o.scales - r)));
      if (o.order > 0) m.first = Bank::lay_out(arena, o, o.per_octave);
      m.second = o.order > 1 && o.per_octave > 1 ? Bank::lay_out(arena, o, 1) : m.first;
      for (T** line : {&m.signal, &m.one, &m.spare, &m.two}) *line = arena.take<T>(std::size_t{n} * 2);
      return m;
    }
  };

  static constexpr Index resolution(const SignalScatteringOptions& o, Index octave) {
    return smallest(octave, o.scales - o.oversampling);
  }
  static constexpr Index coarsest(const SignalScatteringOptions& o) {
    return o.order > 0 ? o.scales - o.oversampling : Index(0);
  }

  void fill_bank(const Bank& bank, Index per_octave) const {
    if (bank.count == 0) return;
    const Index n = padded_length(options_);
    Index w = 0;
    detail::for_each_signal_wavelet<float>(options_.scales, per_octave,
                                           [&](const detail::SignalWavelet<float>& coarse) {
                                             bank.octave[w++] = coarse.octave;  // the same in every precision
                                           });
    w = 0;
    detail::for_each_signal_wavelet<T>(options_.scales, per_octave, [&](const detail::SignalWavelet<T>& wavelet) {
      if (w == bank.count) return;
      bank.xi[w] = wavelet.xi;
      make_filter(wavelet, n, bank.filters + std::size_t{w++} * n);
    });
  }
  /// Σ_m ĝ((f + m − ξ)/σ).
  static T aliases(T f, T sigma) {
    T total = 0;
    for (int m = -2; m <= 2; ++m) {
      const T u = (f + T(m)) / sigma;
      total += detail::bell<T>(T(-0.5) * u * u);
    }
    return total;
  }
  void make_filter(const detail::SignalWavelet<T>& wavelet, Index n, T* filter) const {
    const T kappa = aliases(-wavelet.xi, wavelet.sigma) / aliases(T(0), wavelet.sigma);
    for (Index k = 0; k < n; ++k) {
      const T f = 2 * k > n ? -(T(n - k) / T(n)) : T(k) / T(n);
      filter[k] = k ? aliases(f - wavelet.xi, wavelet.sigma) - kappa * aliases(f, wavelet.sigma) : T(0);
      m_.one[2 * k] = filter[k];
      m_.one[2 * k + 1] = T(0);
    }
    const T* const wave = transform_line<1>(m_.roots, n, m_.one, m_.spare);
    T total = 0;  // n·Σ|ψ|
    for (Index k = 0; k < n; ++k) total += square_root(wave[2 * k] * wave[2 * k] + wave[2 * k + 1] * wave[2 * k + 1]);
    for (Index k = 0; k < n; ++k) filter[k] /= total;
  }

  /// `to` ← |x ⋆ ψ| at every 2^coarse-th entry, of x̂ at every 2^fine-th one. The spectrum of ψ is cut off at the
  /// highest frequency of x.
  T* moduli(const T* map, Index fine, const T* filter, Index coarse, T* to, T* spare) const {
    const Index whole = padded_length(options_), n = whole >> fine, kept = whole >> coarse;
    for (Index k = 0; k < kept; ++k) {
      T re = 0, im = 0;
      for (Index e = k; e < n; e += kept) {
        const T weight = filter[2 * e > n ? whole - (n - e) : e];
        re += weight * map[2 * std::size_t{e}];
        im += weight * map[2 * std::size_t{e} + 1];
      }
      to[2 * std::size_t{k}] = im;  // exchanged: the inverse transform
      to[2 * std::size_t{k} + 1] = re;
    }
    T* const wave = transform_line<1>(m_.roots, kept, to, spare);
    // The factor of the filter is that of all entries; sampling takes 2^fine of it back.
    const T factor = T(Index(1) << fine);
    for (Index k = 0; k < 2 * kept; ++k) wave[k] *= factor;
    take_modulus<1>(wave, kept);
    return wave;
  }
  void write(const T* map, Index r, std::size_t line, T* out) const {
    const std::size_t line_step = options_.by_position ? 1 : options_.positions(),
                      step = options_.by_position ? options_.lines() : 1;
    for (Index q = 0; q < options_.positions(); ++q)
      out[line * line_step + q * step] =
          m_.means[r](((Index(4) << options_.scales) + q * options_.step()) >> r, [&](Index at) {
              return Simd<T, 1>::load(map + 2 * std::size_t{at});
            }).entry[0];
  }

  void run(const T* signal, T* out) const {
    const Index n = padded_length(options_);
    for (Index i = 0; i < n; ++i) {
      m_.one[2 * i] = signal[detail::reflect(std::int64_t{i} - (std::int64_t{4} << options_.scales), options_.length)];
      m_.one[2 * i + 1] = T(0);
    }
    write(m_.one, 0, 0, out);
    if (options_.order == 0) return;
    const T* const done = transform_line<1>(m_.roots, n, m_.one, m_.spare);
    __builtin_memcpy(m_.signal, done, 2 * std::size_t{n} * sizeof(T));
    std::size_t second = 1 + std::size_t{m_.first.count};
    for (Index a = 0; a < m_.first.count; ++a) {
      const Index r = resolution(options_, m_.first.octave[a]);
      T* map = moduli(m_.signal, 0, m_.first.filters + std::size_t{a} * n, r, m_.one, m_.spare);
      write(map, r, 1 + a, out);
      if (options_.order < 2) continue;
      T* other = map == m_.one ? m_.spare : m_.one;
      map = transform_line<1>(m_.roots, n >> r, map, other);
      other = map == m_.one ? m_.spare : m_.one;
      for (Index b = 0; b < m_.second.count; ++b) {
        if (m_.second.octave[b] <= m_.first.octave[a]) continue;
        const Index to = resolution(options_, m_.second.octave[b]);
        write(moduli(map, r, m_.second.filters + std::size_t{b} * n, to, m_.two, other), to, second++, out);
      }
    }
  }

  static constexpr const char* no_filters = "scattering has no filters yet: call start() with an arena";

  SignalScatteringOptions options_;
  Memory m_{};
  bool started_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
