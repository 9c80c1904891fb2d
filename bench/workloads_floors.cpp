// What the machine can do at the vector width of the library in this build: additions and multiplications, and traffic.
#include "tamis/linalg/register_tile.hpp"
#include "work.hpp"

namespace tamis::bench {

namespace {

/// A product and a sum take some six cycles, and processors begin up to two of each in one: twelve vectors, or numbers.
constexpr int chains = profile.numbers ? 12 / lanes<Real> : 12;
constexpr Index rounds = 4096;

/// a ← a·m + c, again and again, for independent a.
template <class P>
[[gnu::always_inline]] inline void run_chains(Real* numbers) {
  P a[chains];
  const auto m = P::fill(numbers[0]), c = P::fill(numbers[1]);
  _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) a[i] = P::fill(numbers[2 + i]);
  for (Index round = 0; round < rounds; ++round) {
    _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) a[i] = a[i] * m + c;
  }
  _Pragma("GCC unroll 12") for (int i = 0; i < chains; ++i) a[i].store(numbers + 16 + i * P::width);
}

/// Sums eight vectors at once.
template <class P>
[[gnu::always_inline]] inline void read_all(const Real* from, std::size_t entries, Real* out) {
  P total[8];
  for (auto& t : total) t = P::zero();
  for (std::size_t e = 0; e + 8 * P::width <= entries; e += 8 * P::width) {
    _Pragma("GCC unroll 8") for (int i = 0; i < 8; ++i) total[i] = total[i] + P::load(from + e + i * P::width);
  }
  for (int i = 0; i < 8; ++i) total[i].store(out + i * P::width);
}

template <class P>
[[gnu::always_inline]] inline void update_all(Real* numbers, std::size_t entries, Real value) {
  const auto added = P::fill(value);
  for (std::size_t e = 0; e + 4 * P::width <= entries; e += 4 * P::width) {
    _Pragma("GCC unroll 4") for (int i = 0; i < 4; ++i)(P::load(numbers + e + i * P::width) + added)
        .store(numbers + e + i * P::width);
  }
}

constexpr Index wide = 2 * lanes<Real>;
TAMIS_WIDE [[gnu::noinline]] void run_wide_chains(Real* numbers) { run_chains<Simd<Real, wide>>(numbers); }
TAMIS_WIDE [[gnu::noinline]] void read_all_wide(const Real* from, std::size_t entries, Real* out) {
  read_all<Simd<Real, wide>>(from, entries, out);
}
TAMIS_WIDE [[gnu::noinline]] void update_all_wide(Real* numbers, std::size_t entries, Real value) {
  update_all<Simd<Real, wide>>(numbers, entries, value);
}

/// Entries of the Simd that runs.
Index width() { return has_wide_vectors() ? wide : lanes<Real>; }

void prepare_peak(const Case&) {
  memory.u[0] = Real(0.5);
  for (int i = 1; i < 16; ++i) memory.u[i] = Real(i);
}
void run_peak(const Case&) {
  if (has_wide_vectors()) return run_wide_chains(memory.u);
  run_chains<Simd<Real>>(memory.u);
}
Cost cost_of_peak(const Case&) { return {2.0 * chains * rounds * width(), 0}; }
bool hash_peak(const Case&, Hash& hash) {  // which is the same for all widths: every lane of a chain holds one number
  for (int i = 0; i < 12; ++i) hash.real(memory.u[16 + i % chains * int(width())]);
  return true;
}

/// A traffic workload has 1024·`samples` bytes, and goes over them so often that a run sees at least a megabyte.
std::size_t entries_of(const Case& c) { return std::size_t{c.samples} * 1024 / sizeof(Real); }
Index passes_over(const Case& c) { return c.samples >= 1024 ? 1 : 1024 / c.samples; }

void prepare_traffic(const Case& c) { fill(memory.x, entries_of(c), Real(1)); }
void run_read(const Case& c) {
  for (Index pass = 0; pass < passes_over(c); ++pass) {
    if (has_wide_vectors()) read_all_wide(memory.x, entries_of(c), memory.u);
    else read_all<Simd<Real>>(memory.x, entries_of(c), memory.u);
    keep();
  }
}
void run_update(const Case& c) {
  for (Index pass = 0; pass < passes_over(c); ++pass) {
    if (has_wide_vectors()) update_all_wide(memory.x, entries_of(c), Real(0));
    else update_all<Simd<Real>>(memory.x, entries_of(c), Real(0));
    keep();
  }
}
Cost cost_of_read(const Case& c) {
  const double bytes = double(entries_of(c)) * sizeof(Real);
  return {double(entries_of(c)) * passes_over(c), bytes * passes_over(c), bytes};
}
Cost cost_of_update(const Case& c) {
  Cost cost = cost_of_read(c);
  cost.bytes *= 2;
  return cost;
}
bool hash_read(const Case& c, Hash& hash) {  // of ones: their number, however it is split
  Real total = 0;
  for (Index i = 0; i < 8 * width(); ++i) total += memory.u[i];
  hash.real(total - Real(entries_of(c)));
  return total == Real(entries_of(c));
}
bool hash_update(const Case& c, Hash& hash) {
  hash.real(memory.x[entries_of(c) - 1]);
  return true;
}

// ---- rows by their numbers
// --------------------------------------------------------------------------------------------

/// Sums the rows of a strip of N vectors that `rows` names, and the numbers beside them, as sparse columns have both.
template <int N, bool wide_pairs>
[[gnu::always_inline]] inline void read_rows_strip(Index entries, Index stride, Index first, int count, Real* out) {
  using S = detail::RegisterTile<Real, N, wide_pairs>;
  constexpr Index together = N == 1 ? 4 : 2;
  const auto add_piece = [](auto, auto& sum, auto& piece) __attribute__((always_inline)) { sum = sum + piece; };
  S total[together];
  for (S& t : total) t = S::zero(count);
  auto numbers = Simd<Real>::zero();
  for (Index e = 0; e + 4 <= entries; e += 4) {
    for (Index v = 0; v < 4; v += lanes<Real>) numbers = numbers + Simd<Real>::load(memory.x + e + v);
    _Pragma("GCC unroll 4") for (Index s = 0; s < 4; ++s) {
      auto row = S::load(count, row_of(memory.u, memory.rows[e + s], stride) + first);
      S::for_each(count, add_piece, total[s % together], row);
    }
  }
  for (Index t = 1; t < together; ++t) S::for_each(count, add_piece, total[0], total[t]);
  total[0].store(count, out + first);
  numbers.store(out + stride);
}
template <int N, bool wide_pairs>
[[gnu::always_inline]] inline void update_rows_strip(Index entries, Index stride, Index first, int count, Real value) {
  using S = detail::RegisterTile<Real, N, wide_pairs>;
  for (Index e = 0; e < entries; ++e) {
    Real* row = row_of(memory.z, memory.rows[e], stride) + first;
    auto sum = S::load(count, row);
    S::for_each(
        count,
        [=](auto, auto& piece)
            __attribute__((always_inline)) { piece = piece + std::remove_reference_t<decltype(piece)>::fill(value); },
        sum);
    sum.store(count, row);
  }
}
template <bool wide_pairs>
[[gnu::always_inline]] inline void go_over_rows(const Case& c, bool read) {
  const Index entries = c.features * column_entries, stride = c.stride();
  detail::for_each_even_strip<Real>(
      stride, [&]<int N>(Index k, int count) __attribute__((always_inline)) {
        if (read) read_rows_strip<N, wide_pairs>(entries, stride, k, count, memory.g);
        else update_rows_strip<N, wide_pairs>(entries, stride, k, count, Real(0));
      });
}
TAMIS_WIDE [[gnu::noinline]] void go_over_rows_wide(const Case& c, bool read) { go_over_rows<true>(c, read); }

void prepare_rows(const Case& c) {
  Random random;
  draw_column_rows(c, random);
  const std::size_t scores = std::size_t{c.samples} * c.stride();
  fill(memory.x, std::size_t{c.features} * column_entries, Real(1));
  fill(memory.u, scores, Real(1));
  fill(memory.z, scores, Real(1));
}
template <bool read>
void run_rows(const Case& c) {
  if (has_wide_vectors()) return go_over_rows_wide(c, read);
  go_over_rows<false>(c, read);
}
template <int times>
Cost cost_of_rows(const Case& c) {
  return cost_of_columns(c, 1, times);
}
bool hash_read_rows(const Case& c, Hash& hash) {
  hash.matrix(memory.g, 1, c.stride(), c.stride());
  return memory.g[0] == Real(c.features * column_entries);
}
bool hash_update_rows(const Case& c, Hash& hash) {
  hash.matrix(memory.z, c.samples, c.stride(), c.stride());
  return true;
}

}  // namespace

const Work read_rows{"floor", reads_rows, prepare_rows, run_rows<true>, cost_of_rows<1>, hash_read_rows};
const Work update_rows{"floor", updates_rows, prepare_rows, run_rows<false>, cost_of_rows<2>, hash_update_rows};
const Work peak{"floor", reads, prepare_peak, run_peak, cost_of_peak, hash_peak};
const Work read_memory{"floor", reads, prepare_traffic, run_read, cost_of_read, hash_read};
const Work update_memory{"floor", updates, prepare_traffic, run_update, cost_of_update, hash_update};

}  // namespace tamis::bench
