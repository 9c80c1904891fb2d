#pragma once
/// The scattering transform of images: moduli of wavelet coefficients, smoothed, which shifts and small deformations
/// change little.

#include "last_call.hpp"
#include "scattering_filters.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// Where a map comes from: the wavelets of λ and μ, as far as its order goes.
struct ScatteringPath {
  Index order = 0;
  Index scale = 0, orientation = 0;
  Index second_scale = 0, second_orientation = 0;

  friend constexpr bool operator==(const ScatteringPath&, const ScatteringPath&) = default;
};

/// What is transformed, and how.
struct ScatteringOptions {
  Index height = 0, width = 0;  ///< of the images: multiples of 2^scales
  Index scales = 2;             ///< J: means are taken over about 2^J pixels
  Index orientations = 8;       ///< L: the filters are made for 8
  Index order = 2;              ///< 0: means alone; 1: of wavelets; 2: of wavelets of wavelets
  Index oversampling = 0;       ///< maps have a value at every 2^(J − oversampling)-th pixel each way
  bool by_position = false;     ///< all maps' values of a position stand together; otherwise map after map

  static constexpr Index most_scales = 8, most_orientations = 64, most_pixels_each_way = 16384;

  /// What is wrong, and how to put it right; null when nothing is.
  constexpr const char* refusal() const {
    if (scales == 0 || scales > most_scales) return "scattering takes 1 to 8 scales";
    if (orientations == 0 || orientations > most_orientations) return "scattering takes 1 to 64 orientations";
    if (order > 2) return "the order of scattering is 0, 1 or 2";
    if (oversampling > scales) return "scattering cannot be oversampled by more octaves than it has scales";
    if (height == 0 || width == 0 || height > most_pixels_each_way || width > most_pixels_each_way)
      return "images for scattering have 1 to 16384 pixels each way";
    if (height >> scales == 0 || width >> scales == 0)
      return "the image is smaller than 2^scales pixels: take fewer scales";
    if (height % (Index(1) << scales) || width % (Index(1) << scales))
      return "the sides of the image must be multiples of 2^scales pixels: crop or pad it";
    return nullptr;
  }
  /// Of the same: invalid_shape where the sides are to blame, invalid_option otherwise; running when nothing is wrong.
  constexpr Status status() const {
    if (!refusal()) return Status::running;
    ScatteringOptions fitting = *this;
    fitting.height = fitting.width = Index(1) << most_scales;
    if (fitting.refusal() || (height && height >> scales == 0) || (width && width >> scales == 0))
      return Status::invalid_option;
    return Status::invalid_shape;
  }

  constexpr Index step() const { return Index(1) << (scales - oversampling); }
  constexpr Index map_height() const { return height / step(); }
  constexpr Index map_width() const { return width / step(); }
  /// 1, + J·L of order 1, + L²·J(J − 1)/2 of order 2.
  constexpr Index maps() const {
    const Index first = scales * orientations;
    const Index second = orientations * orientations * scales * (scales - 1) / 2;
    return 1 + (order > 0 ? first : 0) + (order > 1 ? second : 0);
  }
  /// Of map `map` < maps().
  constexpr ScatteringPath path(Index map) const {
    if (map == 0) return {};
    const Index L = orientations;
    if (--map < scales * L) return {1, map / L, map % L, 0, 0};
    map -= scales * L;
    Index scale = 0;
    for (; map >= (scales - 1 - scale) * L * L; ++scale) map -= (scales - 1 - scale) * L * L;
    const Index after = (scales - 1 - scale) * L;  // maps of one λ
    return {2, scale, map / after, scale + 1 + map % after / L, map % L};
  }
  constexpr std::size_t coefficients() const {
    using detail::saturating_multiply;
    return saturating_multiply(saturating_multiply(map_height(), map_width()), maps());
  }
};

/// S₀x = x ⋆ φ, S₁x = |x ⋆ ψ_λ| ⋆ φ and S₂x = ||x ⋆ ψ_λ| ⋆ ψ_μ| ⋆ φ, μ at larger scales than λ, on a grid of
/// map_height × map_width positions. λ = (j, l): Morlet wavelets at the scales 2^j, 0 ≤ j < J, in L orientations, as
/// `Morlet::of`; φ is a Gaussian of width 0.8·2^(J−1) and sum 1. The order of maps: S₀; λ by j, then l; (λ, μ) by λ,
/// then μ.
///
/// Images are continued by 2^J pixels each way, mirrored at the middle of border pixels, and from there periodically. A
/// map of scale j is kept at every 2^min(j, J − oversampling)-th pixel, and filters on it are the wavelets read there:
/// so maps oversampled once hold the plain ones. With L = 8, the energy of a layer is at most that of the one before
/// for J ≤ 2, 1.02 times it for J = 3, 1.05 times for J = 4. Squares of wavelet coefficients must fit in T.
///
/// Memory: `requirement(options)`; for 28×28, J = 2, L = 8 in float 152 KB, of which filters 83 KB. Filters are made
/// once by `start`; an image needs no other memory. Cost of an image, P padded pixels: a transform of P numbers, for
/// each wavelet of scale j an inverse one of P/4^j and, where order 2 follows, a forward one; for each pair (λ, μ) an
/// inverse one of as many numbers as the map of μ has. A transform of n numbers takes about 5·n·log₂ n operations.
/// 28×28, J = 2: about 3 million operations and 34 thousand square roots, four at once in float; 0.25 ms on a desktop.
///
/// Source: Bruna and Mallat, Invariant scattering convolution networks, 2013; the filters are those documented by
/// Kymatio.
template <class T>
class ScatteringTransform : public LastCall {
 public:
  explicit constexpr ScatteringTransform(const ScatteringOptions& options)
      : LastCall(Status::invalid_arena, no_filters), options_(options) {}

  /// For options that are refused: more than there is.
  static constexpr Requirement requirement(const ScatteringOptions& options) {
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
    m_.down.make();
    m_.across.make();
    for (Index r = 0; r <= coarsest(options_); ++r) {
      m_.mean_down[r].make();
      m_.mean_across[r].make();
    }
    for (Index r = 0; r <= coarsest_filtered(options_); ++r)
      for (Index scale = first_scale(r); scale + r < options_.scales; ++scale) make_filters(r, scale);
    started_ = true;
    return accept();
  }

  /// One image, row-major, into o.coefficients() values. False: refused, and `out` not touched. Asks for `start`.
  bool transform(std::span<const T> image, std::span<T> out) {
    if (!started_) return refuse(Status::invalid_arena, no_filters);
    if (image.size() != std::size_t{options_.height} * options_.width)
      return refuse(Status::invalid_shape, "the image has not height·width pixels, as the options say");
    if (out.size() != options_.coefficients())
      return refuse(Status::invalid_shape, "there must be room for exactly coefficients() values");
    for (Index y = 0; y < options_.height; ++y)
      for (Index x = 0; x < options_.width; ++x)
        if (!finite(image[std::size_t{y} * options_.width + x]))
          return refuse(Status::invalid_data, "a pixel is not finite: remove or impute it", x, y);
    run(image.data(), out.data());
    return accept();
  }

  const ScatteringOptions& options() const { return options_; }

  /// After `start`: the wavelet's answer ψ̂ to frequency (k, l) of the padded image.
  T response(Index scale, Index orientation, Index k, Index l) const {
    const std::size_t pixels = std::size_t{height(options_)} * width(options_);
    return filters(0, scale)[(std::size_t{k} * width(options_) + l) * padded<T>(options_.orientations) + orientation] *
           T(pixels);
  }
  /// Sides of the padded image at every 2^resolution-th pixel.
  static constexpr Index height(const ScatteringOptions& o, Index resolution = 0) {
    return (o.height + (Index(2) << o.scales)) >> resolution;
  }
  static constexpr Index width(const ScatteringOptions& o, Index resolution = 0) {
    return (o.width + (Index(2) << o.scales)) >> resolution;
  }

 private:
  static constexpr Index N = lanes<T>;

  // Where a map of scale j is kept, and the last such grid that maps are, and that wavelets are applied to.
  static constexpr Index resolution(const ScatteringOptions& o, Index scale) {
    return smallest(scale, o.scales - o.oversampling);
  }
  static constexpr Index coarsest(const ScatteringOptions& o) {
    return o.order > 0 ? resolution(o, o.scales - 1) : Index(0);
  }
  static constexpr Index coarsest_filtered(const ScatteringOptions& o) {
    return o.order > 1 && o.scales > 1 ? resolution(o, o.scales - 2) : Index(0);
  }
  /// Wavelets at a resolution, their scales relative to it: those from here to below J − r.
  static constexpr Index first_scale(Index r) { return r > 0 ? 1 : 0; }

  struct Memory {
    Roots<T> down, across;
    GaussianMean<T> mean_down[ScatteringOptions::most_scales], mean_across[ScatteringOptions::most_scales];
    T* filters[ScatteringOptions::most_scales];  ///< for each resolution: scales × pixels × orientations
    T* image;                                    ///< complex, in frequency
    T *first, *second;                           ///< grids of N complex maps
    T* lines;
    T* rows;

    static constexpr Memory lay_out(Arena& arena, const ScatteringOptions& o) {
      using detail::saturating_multiply;
      const Index longer = largest(height(o), width(o));
      const auto pixels = [&](Index r) { return saturating_multiply(height(o, r), width(o, r)); };
      Memory m{};
      m.down = Roots<T>::lay_out(arena, height(o));
      m.across = Roots<T>::lay_out(arena, width(o));
      for (Index r = 0; r <= coarsest(o); ++r) {
        const T sigma = T(0.4) * T(Index(1) << (o.scales - r));
        m.mean_down[r] = GaussianMean<T>::lay_out(arena, height(o, r), sigma);
        m.mean_across[r] = GaussianMean<T>::lay_out(arena, width(o, r), sigma);
      }
      if (o.order > 0)
        for (Index r = 0; r <= coarsest_filtered(o); ++r)
          m.filters[r] = arena.take<T>(
              saturating_multiply(pixels(r), (o.scales - r - first_scale(r)) * std::size_t{padded<T>(o.orientations)}));
      m.image = arena.take<T>(saturating_multiply(pixels(0), 2));
      const Index together = o.order > 0 ? N : 1;
      if (o.order > 0) m.first = arena.take<T>(saturating_multiply(pixels(0), 2 * N));
      if (o.order > 1 && o.scales > 1) m.second = arena.take<T>(saturating_multiply(pixels(resolution(o, 1)), 2 * N));
      m.lines = arena.take<T>(std::size_t{longer} * 4 * together);
      m.rows = arena.take<T>(saturating_multiply(o.map_height(), std::size_t{width(o)} * together));
      return m;
    }
  };

  T* filters(Index r, Index scale) const {
    const std::size_t each = std::size_t{height(options_, r)} * width(options_, r) * padded<T>(options_.orientations);
    return m_.filters[r] + (scale - first_scale(r)) * each;
  }
  void make_filters(Index r, Index scale) const {
    if (options_.order == 0) return;
    const Index stride = padded<T>(options_.orientations);
    const std::size_t pixels = std::size_t{height(options_, r)} * width(options_, r);
    T* const out = filters(r, scale);
    for (std::size_t e = 0; e < pixels * stride; ++e) out[e] = T(0);
    for (Index l = 0; l < options_.orientations; ++l)  // with the factor of the inverse transform
      Morlet<T>::of(scale, l, options_.orientations)
          .sample(height(options_, r), width(options_, r), T(1) / T(pixels), out + l, stride);
  }

  /// Means of `count` maps on a grid, from map `first` on.
  template <Index M>
  void write(const T* grid, Index r, std::size_t first, Index count, T* out) const {
    const std::size_t positions = std::size_t{options_.map_height()} * options_.map_width();
    const std::size_t map_step = options_.by_position ? 1 : positions,
                      position_step = options_.by_position ? options_.maps() : 1;
    const Index border = (Index(1) << options_.scales) >> r, step = options_.step() >> r;
    smooth<M>(m_.mean_down[r], m_.mean_across[r], grid, {border, step, options_.map_height()},
              {border, step, options_.map_width()}, m_.rows, [&](std::size_t position, const Simd<T, M>& means) {
                for (Index i = 0; i < count; ++i)
                  out[(first + i) * map_step + position * position_step] = means.entry[i];
              });
  }
  /// grid ← moduli of N wavelets, from orientation `l` on, of a map in frequency at resolution r.
  void moduli(const T* map, std::size_t step, std::size_t apart, Index r, Index scale, Index l, Index to, T* grid) {
    filter_grid<N>(map, step, apart, filters(r, scale - r) + l, padded<T>(options_.orientations), Index(1) << (to - r),
                   height(options_, to), width(options_, to), grid);
    transform_grid<N>(m_.down, m_.across, height(options_, to), width(options_, to), grid, m_.lines);
    take_modulus<N>(grid, std::size_t{height(options_, to)} * width(options_, to));
  }

  void run(const T* image, T* out) {
    const Index border = Index(1) << options_.scales, L = options_.orientations;
    T* pixel = m_.image;
    for (Index y = 0; y < height(options_); ++y) {
      const T* row = image + std::size_t{options_.width} * detail::reflect(std::int64_t{y} - border, options_.height);
      for (Index x = 0; x < width(options_); ++x, pixel += 2) {
        pixel[0] = row[detail::reflect(std::int64_t{x} - border, options_.width)];
        pixel[1] = T(0);
      }
    }
    write<1>(m_.image, 0, 0, 1, out);
    if (options_.order == 0) return;
    transform_grid<1>(m_.down, m_.across, height(options_), width(options_), m_.image, m_.lines);
    std::size_t second = 1 + std::size_t{options_.scales} * L;  // the map to write next, of order 2
    for (Index j = 0; j < options_.scales; ++j)
      for (Index l = 0; l < L; l += N) {
        const Index r = resolution(options_, j), count = smallest(N, L - l);
        moduli(m_.image, 2, 1, 0, j, l, r, m_.first);
        write<N>(m_.first, r, 1 + std::size_t{j} * L + l, count, out);
        if (options_.order < 2 || j + 1 == options_.scales) continue;
        transform_grid<N>(m_.down, m_.across, height(options_, r), width(options_, r), m_.first, m_.lines);
        for (Index i = 0; i < count; ++i)
          for (Index k = j + 1; k < options_.scales; ++k, second += L)
            for (Index q = 0; q < L; q += N) {
              const Index to = resolution(options_, k);
              moduli(m_.first + i, 2 * N, N, r, k, q, to, m_.second);
              write<N>(m_.second, to, second + q, smallest(N, L - q), out);
            }
      }
  }

  static constexpr const char* no_filters = "scattering has no filters yet: call start() with an arena";

  ScatteringOptions options_;
  Memory m_{};
  bool started_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
