#pragma once
/// Windows over the readings of sensors, and what a classifier learns from.

#include <span>

#include "../linalg/fourier.hpp"
#include "../linalg/sum.hpp"
#include "last_call.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What is kept of the readings, and what becomes of it.
struct WindowOptions {
  Index length = 0;    ///< readings in a window
  Index hop = 0;       ///< readings from the start of a window to that of the next; above `length` some are left out
  Index channels = 1;  ///< values of each reading
  Index bands = 0;     ///< of equal width, up to half of the sampling frequency

  static constexpr Index most_length = Index(1) << 24, most_channels = 65536;

  /// Mean, deviation, energy, crossings.
  static constexpr Index moments = 4;
  constexpr Index per_channel() const { return moments + bands; }
  constexpr std::size_t features() const { return detail::saturating_multiply(channels, per_channel()); }
  /// Of a signal with so many readings.
  constexpr Index windows(Index readings) const {
    return length == 0 || hop == 0 || readings < length ? 0 : 1 + (readings - length) / hop;
  }

  /// What is wrong, and how to put it right; null when nothing is.
  constexpr const char* refusal() const {
    if (length == 0 || length > most_length) return "a window has 1 to 2^24 readings";
    if (hop == 0) return "the hop is 0, so that the same window would come for ever: it must be at least one reading";
    if (channels == 0 || channels > most_channels) return "a reading has 1 to 65536 channels";
    if (bands > length / 2) return "there are more bands than frequencies: a window of L readings has up to L/2";
    return nullptr;
  }
};

/// A ring of the last `length` readings. When a window is full, for each of its channels x₁ … x_L
///
///     mean       m = (1/L) Σ x_i
///     deviation  √((1/L) Σ (x_i − m)²)
///     energy     (1/L) Σ x_i²
///     crossings  of the mean: how often x − m changes its sign, readings equal to m having that of the one before
///     powers     Σ_k c_k |X_k|²/L², X the discrete Fourier transform of x − m, over the frequencies ⌊L/2⌋·b/B < k ≤
///                ⌊L/2⌋·(b + 1)/B of band b of B; c_k = 2, at k = L/2 1: the powers add up to the variance
///
/// stand one after the other, then those of the next channel. Sums are compensated.
///
/// Memory: `requirement(options)`: length·channels values, with bands 6·length more. Cost: a reading is copied; a
/// window takes a few passes over each channel, with bands a transform of `length` numbers.
template <class T>
class SensorWindows : public LastCall {
 public:
  constexpr explicit SensorWindows(const WindowOptions& options)
      : LastCall(Status::invalid_arena, no_buffer), options_(options) {}

  /// For options that are refused: more than there is.
  static constexpr Requirement requirement(const WindowOptions& options) {
    if (options.refusal()) return {detail::no_bytes_suffice};
    return count_bytes<Memory>(options);
  }

  /// Begins without readings. False: refused, and nothing touched.
  bool start(std::span<std::byte> memory) {
    started_ = false;
    if (const char* sentence = options_.refusal()) return refuse(Status::invalid_option, sentence);
    if (!Arena::aligned(memory)) return refuse(Status::invalid_arena, describe(Status::invalid_arena));
    if (memory.size() < requirement(options_).bytes)
      return refuse(Status::arena_too_small,
                    "the window is longer than the buffer: give it requirement(options) bytes, or take fewer readings");
    Arena arena(memory);
    m_ = Memory::lay_out(arena, options_);
    if (options_.bands) m_.roots.make();
    started_ = true;
    restart();
    return accept();
  }
  /// Forgets the readings.
  void restart() {
    next_ = 0;
    wait_ = options_.length;
  }

  /// One value for each channel. False: refused, and the reading is as if it had not come.
  bool push(std::span<const T> reading) {
    if (!started_) return refuse(Status::invalid_arena, no_buffer);
    if (reading.size() != options_.channels)
      return refuse(Status::invalid_shape, "a reading has one value for each of the channels");
    for (Index c = 0; c < options_.channels; ++c)
      if (!finite(reading[c]))
        return refuse(Status::invalid_data, "a reading is not finite: leave it out or impute it", c);
    if (wait_ == 0) wait_ = options_.hop;
    --wait_;
    for (Index c = 0; c < options_.channels; ++c) channel(c)[next_] = reading[c];
    if (++next_ == options_.length) next_ = 0;
    return accept();
  }

  /// Whether a window ends with the last reading.
  bool ready() const { return started_ && wait_ == 0; }

  /// The window that ends with the last reading, into o.features() values. False: refused, and `out` not touched.
  bool features(std::span<T> out) {
    if (!started_) return refuse(Status::invalid_arena, no_buffer);
    if (!ready()) return refuse(Status::invalid_data, "no window ends with the last reading: wait for ready()");
    if (out.size() != options_.features())
      return refuse(Status::invalid_shape, "there must be room for exactly features() values");
    for (Index c = 0; c < options_.channels; ++c)
      describe_channel(c, out.data() + std::size_t{c} * options_.per_channel());
    return accept();
  }

  const WindowOptions& options() const { return options_; }

 private:
  struct Memory {
    T* ring;  ///< channel after channel
    Roots<T> roots;
    T *line, *spare;  ///< complex

    static constexpr Memory lay_out(Arena& arena, const WindowOptions& o) {
      Memory m{};
      m.ring = arena.take<T>(detail::saturating_multiply(o.length, o.channels));
      if (o.bands == 0) return m;
      m.roots = Roots<T>::lay_out(arena, o.length);
      for (T** line : {&m.line, &m.spare}) *line = arena.take<T>(std::size_t{o.length} * 2);
      return m;
    }
  };
  static constexpr const char* no_buffer = "there is no buffer yet: call start() with an arena";

  T* channel(Index c) const { return m_.ring + std::size_t{c} * options_.length; }

  /// visit(i, x_i) from the first reading of the window to the last.
  template <class Visit>
  void for_each(Index c, Visit visit) const {
    const T* const x = channel(c);
    for (Index i = 0; i < options_.length; ++i) {
      const Index at = next_ + i;  // 2·length fits
      visit(i, x[at < options_.length ? at : at - options_.length]);
    }
  }

  void describe_channel(Index c, T* out) const {
    const T count = T(options_.length);
    Sum<T> total, squares;
    for_each(c, [&](Index, T x) {
      total.add(x);
      squares.add(x * x);
    });
    const T mean = total.value() / count;
    Sum<T> centred, rest;
    Index crossings = 0;
    T side = 0;
    for_each(c, [&](Index, T x) {
      const T from_mean = x - mean, now = sign(from_mean);
      centred.add(from_mean * from_mean);
      rest.add(from_mean);
      crossings += now * side < T(0);
      if (now != T(0)) side = now;
    });
    // The rounding of the mean is taken back.
    const T variance = (centred.value() - rest.value() * rest.value() / count) / count;
    out[0] = mean;
    out[1] = square_root(largest(variance, T(0)));
    out[2] = squares.value() / count;
    out[3] = T(crossings);
    if (options_.bands) measure_bands(c, mean, out + moments);
  }

  void measure_bands(Index c, T mean, T* out) const {
    for_each(c, [&](Index i, T x) {
      m_.line[2 * i] = x - mean;
      m_.line[2 * i + 1] = T(0);
    });
    const T* const spectrum = transform_line<1>(m_.roots, options_.length, m_.line, m_.spare);
    const T scale = T(1) / T(options_.length);
    const std::uint64_t half = options_.length / 2;
    Index k = 1;
    for (Index b = 0; b < options_.bands; ++b) {
      const auto last = static_cast<Index>(half * (b + 1) / options_.bands);
      Sum<T> power;
      for (; k <= last; ++k) {
        const T re = spectrum[2 * k] * scale, im = spectrum[2 * k + 1] * scale;
        power.add((2 * k == options_.length ? T(1) : T(2)) * (re * re + im * im));
      }
      out[b] = power.value();
    }
  }

  static constexpr Index moments = WindowOptions::moments;

  WindowOptions options_;
  Memory m_{};
  Index next_ = 0;  ///< where the next reading goes: the first of a full ring
  Index wait_ = 0;  ///< readings until a window is full
  bool started_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
