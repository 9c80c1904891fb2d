#pragma once
/// A proximal Newton method on single coefficients, for paths: its quadratic model goes on from one λ to the next.

#include "entry_losses.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// What a step works on: the problem, and the caller's matrices.
template <class T, class Design, class Loss>
struct EntryProblem {
  const Design& design;
  const Targets<T>& targets;
  const Loss& loss;
  Shape shape;
  T lambda;
  EntryTerms<T> penalty;
  bool intercept;
  T* w;            ///< coefficients, the last row being intercepts
  const T* means;  ///< of the features that the intercepts are beside: 0 for those as they are
  /// Of the intercepts: where the duals u, samples × stride, and their gradient g are, see EntryLosses.
  const T* shift;
  const T* u;
  /// Their products with the features, balanced, so that they are those with centred ones; then their sums.
  const T* g;
  Index stride;
  const Index* list;  ///< the features that may have entries
  Index count;
};

/// Steps of a proximal Newton method for f(W) + λ Σ (ρ|w| + (1 − ρ)½w²),
///
///     W ← W + αD,   D the minimum of  ⟨∇f, D⟩ + ½⟨D, HD⟩ + λΩ(W + D),
///
/// where D is zero but for the entries of the model: those that are not zero, and those whose gradient may reach λρ. Of
/// two classes with ℓ1 alone these are the second's, for a loss of their difference.
/// The first step at a λ takes them by the sequential strong rule; what it misses has a gradient above λρ, and joins in
/// the next. H is the Hessian at these entries, of all classes together, about the means of the features, so that
/// intercepts hardly couple with the rest. It is kept, together with the curvatures of the samples from which rows for
/// entries that join follow; they are taken anew when steps beyond the first at their λs have cost as much as that
/// would, or descend slowly. The model is minimised by coordinate descent, whose first point is the solution
/// extrapolated along λ, and, where that takes long, by factors of the Hessian at the entries that are not zero.
///
/// Cost of a step: a sweep of coordinate descent is m² flops for m entries; an entry that joins, 2mn flops, or as much
/// less as is stored of sparse samples. Sources:
/// Tibshirani et al. (2012) for the rule; Friedman, Hastie and Tibshirani (2010); Lee, Sun and Saunders (2014).
template <class T>
class ProximalNewton {
 public:
  struct Memory {
    T* hessian;    ///< limit × limit
    T* curvature;  ///< of the samples, where the Hessian was taken: classes × samples
    T* batch;      ///< columns of weighted features: samples × width; or a factor, up to `sums`
    T* products;   ///< of those with the design: (features + 1) × width
    T* sums;       ///< of the columns of the batch
    T* means;      ///< of the features
    T* gradient;   ///< of the model at each entry
    T* given;      ///< of the loss at each entry, where the model was made
    T* start;      ///< the coefficients before the step
    T* move;       ///< how far the model's solution is from there
    T* before;     ///< the coefficients where the λ before the last has ended
    T* slope;      ///< how far they went from there to where the last has ended
    Index* feature;
    Index* label;
    Index* list;           ///< scratch: features of the entries of a class
    std::uint8_t* inside;  ///< of each coefficient, whether it is an entry
    Index limit;
    Index width;

    static constexpr Memory lay_out(Arena& arena, Shape shape, Index limit, Index width) {
      Memory m{};
      const Index stride = padded<T>(shape.classes);
      const std::size_t rows = detail::saturating_add(shape.features, 1);
      m.limit = limit;
      m.width = width;
      m.hessian = arena.take<T>(detail::saturating_multiply(limit, limit));
      m.curvature = arena.take<T>(detail::saturating_multiply(shape.samples, stride));
      m.batch = arena.take<T>(detail::saturating_multiply(shape.samples, m.width));
      m.products = arena.take<T>(room_of_products(shape, limit, width));
      m.sums = arena.take<T>(m.width);
      m.means = arena.take<T>(rows);
      for (T** matrix : {&m.before, &m.slope}) *matrix = arena.take<T>(detail::saturating_multiply(rows, stride));
      for (T** entries : {&m.gradient, &m.given, &m.start, &m.move}) *entries = arena.take<T>(limit);
      for (Index** numbers : {&m.feature, &m.label, &m.list}) *numbers = arena.take<Index>(limit);
      m.inside = arena.take<std::uint8_t>(detail::saturating_multiply(rows, stride));
      return m;
    }
  };

  /// Of the products, or of what a factor of a few hundred entries takes beyond the batch.
  static constexpr std::size_t room_of_products(Shape shape, Index limit, Index width) {
    const std::size_t batch = detail::saturating_multiply(shape.samples, width), side = smallest(limit, Index(320));
    const std::size_t factor = width > padded<T>(shape.classes) ? (side + 1) * side : 0;
    return largest(detail::saturating_multiply(std::size_t{shape.features} + 1, width),
                   factor - smallest(factor, batch));
  }

  ProximalNewton() = default;
  explicit ProximalNewton(const Memory& memory) : m_(memory) {}
  bool has_memory() const { return m_.limit > 0; }

  /// Takes memory for so many entries, or all there can be.
  static constexpr void lay_out(Arena& arena, Shape shape, Index entries) {
    const Index most = static_cast<Index>(most_of(shape)), count = smallest(entries, most);
    (void)Memory::lay_out(arena, shape, (count + lanes<T> - 1) / lanes<T> * lanes<T>,
                          largest(padded<T>(shape.classes), Index(32)));
  }
  /// What `bytes` of memory are enough for: the columns of a batch are few where there would be no room for all
  /// entries, or for several hundred. Without a limit they are too few.
  static constexpr Memory of(Shape shape, std::span<std::byte> memory) {
    const Index narrow = padded<T>(shape.classes), wide = largest(narrow, Index(32));
    const std::size_t all = most_of(shape);
    Index width = wide, limit = limit_of(shape, memory.size(), wide);
    if (limit < all && limit < 512) limit = limit_of(shape, memory.size(), width = narrow);
    if (limit == 0) return {};
    Arena arena(memory);
    return Memory::lay_out(arena, shape, limit, width);
  }

  /// The run at λ = `last` has ended at w, and one at λ = `next` begins there.
  void begin(const T* w, Index stride, T last, T next) {
    ratio_ = last_ > last ? (next - last) / (last - last_) : T(0);
    last_ = last;
    steps_ = 0;
    for (Index e = 0; e < entries_; ++e) {
      const std::size_t at = place(stride, e);
      m_.slope[at] = w[at] != T(0) && m_.before[at] != T(0) ? w[at] - m_.before[at] : T(0);
      m_.before[at] = w[at];
    }
  }
  /// The memory has been used for something else.
  void forget() {
    entries_ = 0;
    has_means_ = false;
  }

  /// Samples × classes, until the next step.
  T* scratch() const { return m_.batch; }

  bool has_entries() const { return entries_ > 0; }
  /// Sets which features have entries: a step may move these, and takes their gradients as given.
  void mark_features(std::uint8_t* marks, Index features) const {
    for (Index j = 0; j < features; ++j) marks[j] = 0;
    for (Index e = 0; e < entries_; ++e)
      if (m_.feature[e] != features) marks[m_.feature[e]] = 1;
  }
  /// Lengths of the last step and of the coefficients after it.
  T moved() const { return square_root(moved_); }
  T size() const { return square_root(size_of_w_); }
  /// Ω of w, whose entries beyond those of the model are zero.
  T penalty_value(const T* w, Index stride, const EntryTerms<T>& penalty, Index features) const {
    Sum<T> total;
    for (Index e = 0; e < entries_; ++e) {
      const T entry = coefficient(w, stride, e);
      if (m_.feature[e] != features)
        total.add(absolute(entry) * (penalty.l1 + T(0.5) * penalty.ridge * absolute(entry)));
    }
    return total.value();
  }

  /// Moves w to the minimum of the model. `gap`: the relative one there. False: there is no room for the entries.
  template <class Problem>
  [[gnu::noinline]] bool step(Problem& p, T gap) {
    const bool first = steps_++ == 0;
    if (!first) extra_ += evaluation(p);
    const bool slow = steps_ > 3 && gap > T(0.2) * gap_;
    gap_ = gap;
    if (entries_ > 0) rescale(p);
    if (entries_ == 0 || extra_ > built_ || built_ < cheap * evaluation(p) || slow) clear(p);
    if (!add_entries(p, first)) {  // those of other λs may fill the memory
      clear(p);
      if (!add_entries(p, first)) return false;
    }
    minimise(p, accuracy * (first ? T(1) : smallest(T(1), T(20) * gap)), first ? ratio_ : T(0));
    take(p, T(1));
    return true;
  }
  /// w ← the coefficients before the last step, and α of it.
  template <class Problem>
  void take(const Problem& p, T alpha) const {
    for (Index e = 0; e < entries_; ++e) row_of(p.w, m_.feature[e], p.stride)[m_.label[e]] = m_.start[e];
    add_step(p, alpha, p.w);
  }
  /// w += α times the last step.
  template <class Problem>
  [[gnu::noinline]] void add_step(const Problem& p, T alpha, T* w) const {
    T* const intercepts = row_of(w, p.shape.features, p.stride);
    for (Index e = 0; e < entries_; ++e) {
      const T move = alpha * m_.move[e];
      row_of(w, m_.feature[e], p.stride)[m_.label[e]] += move;
      const Index j = m_.feature[e];
      if (p.intercept && j < p.shape.features) intercepts[m_.label[e]] -= (m_.means[j] - p.means[j]) * move;
    }
  }

 private:
  static constexpr std::size_t most_entries = 4096;
  static constexpr std::size_t most_of(Shape shape) {
    const std::size_t all = detail::saturating_multiply(std::size_t{shape.features} + 1, shape.classes);
    return all < most_entries ? all : most_entries;
  }
  /// The largest number of entries for which there is room, whole vectors.
  static constexpr Index limit_of(Shape shape, std::size_t bytes, Index width) {
    Index low = 0, high = static_cast<Index>(most_of(shape)) / lanes<T> + 2;
    while (high - low > 1) {
      const Index middle = low + (high - low) / 2;
      Arena counter;
      (void)Memory::lay_out(counter, shape, middle * lanes<T>, width);
      (counter.used() <= bytes ? low : high) = middle;
    }
    return low * lanes<T>;
  }
  int most_sweeps() const { return entries_ < 300 ? 3000 : 300; }
  static constexpr int most_factors = 12;
  static constexpr Index block = 64;         ///< samples that are looked at together
  static constexpr Index in_cache = 512;     ///< entries whose Hessian the cache holds; of more, a class is copied
  static constexpr int sweeps_of_class = 5;  ///< over such a copy
  static constexpr T cheap = T(1);  ///< a Hessian that costs no more than so many evaluations is taken at every step
  static constexpr T accuracy = T(3e-3);  ///< of the model's minimum, beside λ

  std::size_t place(Index stride, Index e) const { return std::size_t(m_.feature[e]) * stride + m_.label[e]; }
  T coefficient(const T* w, Index stride, Index e) const { return w[place(stride, e)]; }

  /// Multiplications that the loss and its gradient take.
  template <class Problem>
  T evaluation(const Problem& p) const {
    const T entries = T(p.design.entries(nullptr, p.shape.features));
    return share_ * T(p.shape.classes) * (T(1.5) * entries + T(40) * T(p.shape.samples));
  }

  // ---- the entries --------------------------------------------------------------------------------------------------

  /// Takes the curvatures at z, for a model without entries.
  template <class Problem>
  [[gnu::noinline]] void clear(const Problem& p) {
    const Index features = p.shape.features;
    const std::size_t coefficients = (std::size_t(features) + 1) * p.stride;
    if (!has_means_)
      for (T* matrix : {m_.before, m_.slope}) fill(matrix, coefficients, T(0));
    for (Index e = 0; e < entries_; ++e)
      if (const std::size_t at = place(p.stride, e); p.w[at] == T(0)) m_.before[at] = m_.slope[at] = T(0);
    entries_ = 0;
    extra_ = built_ = secant_ = T(0);
    scale_ = T(1);
    for (std::size_t at = 0; at < coefficients; ++at) m_.inside[at] = 0;
    if (!has_means_) take_means(p);
    has_means_ = true;
    T* const row = m_.sums;  // of at least as many entries
    visit_entry_loss<T>(p.loss, [&](const auto& loss) {
      for (Index i = 0; i < p.shape.samples; ++i) {
        loss.curvature_of_gradient(row_of(p.u, i, p.stride), p.shape.classes, label_of(loss, p.targets, i),
                                   p.targets.weight(i), row);
        for (Index k = 0; k < p.shape.classes; ++k) m_.curvature[std::size_t(k) * p.shape.samples + i] = row[k];
      }
    });
  }

  /// Samples of weight zero are none: neither here nor in what steps cost.
  template <class Problem>
  void take_means(const Problem& p) {
    Index there = 0;
    for (Index i = 0; i < p.shape.samples; ++i) there += p.targets.weight(i) > T(0);
    share_ = T(there) / T(p.shape.samples);
    for (Index j = 0; j <= p.shape.features; ++j) {
      T mean = T(0);
      if (p.intercept && j < p.shape.features && !p.targets.weights) {
        mean = p.design.column_sum(j) / T(p.shape.samples);
      } else if (p.intercept && j < p.shape.features) {
        const Column<T> x = p.design.column(j);
        for (Index e = 0; e < x.count; ++e) mean += p.targets.weight(x.sample(e)) * x.values[e];
      }
      m_.means[j] = mean;
    }
  }

  /// Whether only the difference of two scores matters, and ℓ1 is the same however it is made up: then the first class
  /// needs no entries.
  template <class Problem>
  static bool has_one_score(const Problem& p) {
    return p.shape.classes == 2 && p.penalty.ridge == T(0) && !separate_classes(p.loss);
  }

  /// Adds the entries that are not in yet, class by class, and their part of the Hessian.
  template <class Problem>
  [[gnu::noinline]] bool add_entries(const Problem& p, bool first) {
    const Index old = entries_;
    Index found = 0;
    bool fits = true;
    const auto add = [&](std::size_t at) {
      if (m_.inside[at]) return;
      fits = fits && old + found < m_.limit;
      if (!fits) return;
      m_.inside[at] = 1;
      m_.list[found++] = static_cast<Index>(at);
    };
    const auto add_those = [&](auto are_wanted) {
      for (Index c = 0; c < p.count; ++c) {
        const std::size_t begin = std::size_t(p.list[c]) * p.stride;
        for (std::size_t at = begin; at < begin + p.stride; ++at)
          if (are_wanted(at)) add(at);
      }
    };
    if (old == 0) {
      const std::size_t intercepts = std::size_t(p.shape.features) * p.stride;
      for (Index k = 0; k < p.shape.classes && p.intercept; ++k) add(intercepts + k);
      add_those([&](std::size_t at) { return p.w[at] != T(0); });
    }
    const Index needed = found;
    const auto add_above = [&](T lambda) {
      add_those([&](std::size_t at) {
        return absolute(p.g[at]) > p.penalty.l1 * lambda && !(has_one_score(p) && at % p.stride == 0);
      });
    };
    const bool foresees = first && last_ > p.lambda;
    add_above(foresees ? T(2) * p.lambda - last_ : T(0.999) * p.lambda);
    if (!fits && foresees) {
      while (found > needed) m_.inside[m_.list[--found]] = 0;
      fits = true;
      add_above(p.lambda);
    }
    if (!fits) {
      entries_ = 0;
      return false;
    }
    for (Index k = 0; k < p.shape.classes; ++k)
      for (Index f = 0; f < found; ++f) {
        if (m_.list[f] % p.stride != k) continue;
        m_.feature[entries_] = m_.list[f] / p.stride;
        m_.label[entries_++] = k;
      }
    if (old == 0) first_ = entries_;
    const bool sparse = p.design.column(0).rows;
    if (sparse && p.intercept) couple_intercepts(p, old);
    for (Index from = old; from < entries_; from += m_.width)
      add_rows(p, old, from, smallest(entries_, from + m_.width), sparse);
    return true;
  }
  /// The entry that is the intercept of a class: the class's first, those of a model's first step being sorted by
  /// class.
  Index intercept_of(Index label) const {
    Index low = 0;
    for (Index high = first_; low < high;) {
      const Index middle = low + (high - low) / 2;
      if (m_.label[middle] < label) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  /// Of sample i the curvature between two classes, times its weight.
  template <class Problem>
  T curvature(const Problem& p, Index i, Index a, Index b) const {
    const T* const row = m_.curvature + i;
    const std::size_t samples = p.shape.samples;
    return p.targets.weight(i) * (row[a * samples] * ((a == b ? T(1) : T(0)) - row[b * samples]));
  }
  /// What the Hessian is between the intercepts and the entries from `old` on, of sparse samples.
  template <class Problem>
  [[gnu::noinline]] void couple_intercepts(const Problem& p, Index old) {
    const auto set = [&](Index e, Index f, T value) {
      row_of(m_.hessian, e, m_.limit)[f] = row_of(m_.hessian, f, m_.limit)[e] = value;
    };
    for (Index a = 0; a < p.shape.classes && old == 0; ++a)
      for (Index b = 0; b <= a; ++b) {
        Sum<T> total;
        for (Index i = 0; i < p.shape.samples; ++i) total.add(curvature(p, i, a, b));
        set(intercept_of(a), intercept_of(b), total.value());
      }
    for (Index e = old; e < entries_; ++e) {
      const Index j = m_.feature[e], own = m_.label[e];
      if (j == p.shape.features) continue;
      const Column<T> x = p.design.column(j);
      const T* const of_own = row_of(m_.hessian, intercept_of(own), m_.limit);
      for (Index k = 0; k < p.shape.classes; ++k) {
        const Index other = intercept_of(k);
        Sum<T> total;
        for (Index c = 0; c < x.count; ++c) total.add(x.values[c] * curvature(p, x.rows[c], own, k));
        set(e, other, total.value() - m_.means[j] * of_own[other]);
      }
    }
  }

  /// Rows `from` … `to` of the Hessian, sorted by class, over the columns before `old` and from `from` on.
  template <class Problem>
  [[gnu::noinline]] void add_rows(const Problem& p, Index old, Index from, Index to, bool sparse) {
    const Index features = p.shape.features;
    Index cleared = 0;  // width of the batch that is zero but for what is stored
    for (Index k = 0; k < p.shape.classes; ++k) {
      Index count = 0, end = to;
      bool any = false;
      const auto each = [&](auto visit) {
        for (Index e = 0; e < entries_; ++e)
          if ((e < old || e >= from) && m_.label[e] == k) visit(e);
      };
      each([&](Index e) {
        any = true;
        if (m_.feature[e] < features) m_.list[count++] = m_.feature[e];
      });
      if (!any) continue;
      while (old == 0 && m_.label[end - 1] > k) --end;  // those are the columns when it is their turn
      const Index width = padded<T>(end - from);
      if (sparse) {
        if (width != cleared) fill(m_.batch, std::size_t(p.shape.samples) * width, T(0));
        cleared = width;
        weigh_stored(p, from, end, k, width);
      } else {
        weigh(p, from, end, k, width);
      }
      p.design.transposed_multiply(m_.list, count, m_.batch, width, m_.products);
      if (!sparse) block_sums(static_cast<const T*>(m_.batch), p.shape.samples, width, m_.sums);
      each([&](Index e) {
        const Index j = m_.feature[e];
        const T* product = row_of(m_.products, j, width);
        T* const row = row_of(m_.hessian, e, m_.limit);
        const auto set = [&](Index r, T value) { row_of(m_.hessian, r, m_.limit)[e] = row[r] = value; };
        for (Index r = from; r < end && !sparse; ++r) {
          const T sum = m_.sums[r - from];
          set(r, j < features ? product[r - from] - m_.means[j] * sum : sum);
        }
        for (Index r = from; r < end && sparse && j < features; ++r) {
          if (m_.feature[r] == features) continue;
          const T value = product[r - from] - m_.means[j] * m_.sums[r - from];
          set(r, p.intercept ? value - m_.means[m_.feature[r]] * row[intercept_of(m_.label[r])] : value);
        }
      });
      const std::size_t beside = sparse ? 0 : std::size_t(p.shape.samples) * 8;
      built_ += share_ * T(p.design.entries(m_.list, count) + beside) * T(width);
    }
  }
  /// The batch of sparse samples, whose stored values it has as they are, not about their means; and its sums, of which
  /// the intercepts know.
  template <class Problem>
  void weigh_stored(const Problem& p, Index from, Index to, Index k, Index width) {
    for (Index r = 0; from + r < to; ++r) {
      const Index j = m_.feature[from + r], label = m_.label[from + r];
      if (j == p.shape.features) continue;
      const Column<T> x = p.design.column(j);
      for (Index e = 0; e < x.count; ++e)
        m_.batch[std::size_t(x.rows[e]) * width + r] = x.values[e] * curvature(p, x.rows[e], label, k);
      const Index other = intercept_of(k);
      m_.sums[r] = !p.intercept ? T(0)
                                : row_of(m_.hessian, from + r, m_.limit)[other] +
                                      m_.means[j] * row_of(m_.hessian, intercept_of(label), m_.limit)[other];
    }
  }

  /// The batch: the features of entries `from` … `to` about their means, times the curvature of the samples between
  /// the entries' classes and class k; zero up to `width`. Few samples at once stay in the cache.
  template <class Problem>
  [[gnu::noinline]] void weigh(const Problem& p, Index from, Index to, Index k, Index width) {
    const Index samples = p.shape.samples;
    for (Index first = 0; first < samples; first += smallest(block, samples - first)) {
      const Index last = first + smallest(block, samples - first);
      for (Index r = 0; r < width; ++r) {
        T* const out = m_.batch + r;
        const auto put = [&](auto value) {
          for (Index i = first; i < last; ++i) out[std::size_t(i) * width] = value(i);
        };
        if (from + r >= to) {
          put([](Index) { return T(0); });
          continue;
        }
        const Index j = m_.feature[from + r], label = m_.label[from + r];
        const T mean = m_.means[j];
        const T* const x = j == p.shape.features ? nullptr : p.design.column(j).values;
        put([&](Index i) { return (x ? x[i] - mean : T(1)) * curvature(p, i, label, k); });
      }
    }
  }

  /// The Hessian between the last two points, beside the one that is kept: curvature falls along a path, of all entries
  /// alike.
  template <class Problem>
  void rescale(const Problem& p) {
    if (!(secant_ > T(0))) return;
    Sum<T> total;
    for (Index e = 0; e < entries_; ++e)
      if (m_.feature[e] != p.shape.features) total.add(m_.move[e] * (coefficient(p.g, p.stride, e) - m_.given[e]));
    scale_ *= smallest(largest(total.value() / secant_, T(0.5)), T(2));
    secant_ = T(0);
  }

  // ---- the model ----------------------------------------------------------------------------------------------------

  /// Coordinate descent until no entry's gradient moves by more than `within`·λ, beginning `ahead` slopes from w.
  template <class Problem>
  void minimise(const Problem& p, T within, T ahead) {
    const Index padded_entries = padded<T>(entries_);
    for (Index e = 0; e < padded_entries; ++e) {
      m_.move[e] = e < entries_ && m_.feature[e] == p.shape.features ? p.shift[m_.label[e]] : T(0);
      m_.start[e] = e < entries_ ? coefficient(p.w, p.stride, e) : T(0);
      m_.gradient[e] = m_.given[e] = e < entries_ ? coefficient(p.g, p.stride, e) : T(0);
    }
    const Index intercepts = p.shape.features;
    if (p.intercept && !separate_classes(p.loss)) balance(intercepts);
    if (ahead != T(0))
      for (Index e = 0; e < entries_; ++e) {
        T step = ahead * m_.slope[place(p.stride, e)];
        if (m_.feature[e] != intercepts && (m_.start[e] + step) * m_.start[e] < T(0)) step = -m_.start[e];
        if (step != T(0)) move(e, step);
      }
    const T threshold = p.lambda * p.penalty.l1, ridge = p.lambda * p.penalty.ridge;
    bool all = true;
    T work = T(0);  // since the last factor
    int factors = 0;
    T damping = T(64) * epsilon<T>;
    for (int sweep = 0; sweep < most_sweeps(); ++sweep) {
      T most = 0;
      Index kept = 0;
      const bool by_class = !all && entries_ > in_cache && has_room_for_classes(p);
      for (Index k = 0; by_class && k < p.shape.classes; ++k)
        most = largest(most, sweep_class(p, k, threshold, ridge, within, kept, work));
      for (Index e = 0; !by_class && e < entries_; ++e) {
        const bool penalised = m_.feature[e] != intercepts;
        const T h = scale_ * row_of(m_.hessian, e, m_.limit)[e], w = m_.start[e] + m_.move[e];
        if (!(h > T(0)) || (!all && penalised && w == T(0))) continue;
        const T step = penalised ? entry_step(w, m_.gradient[e], h, threshold, ridge) : -m_.gradient[e] / h;
        kept += w != T(0);
        if (step == T(0)) continue;
        move(e, step);
        work += T(entries_);
        most = largest(most, absolute(step) * h);
      }
      if (!(most > within * p.lambda)) {
        if (all) break;
        all = true;
      } else if (work > T(kept) * T(kept) * T(kept) / T(2)) {
        if (++factors > most_factors) break;  // what is left is rounding
        work = solve_support(p, threshold, ridge, damping) ? T(0) : -infinity<T>;
        all = true;
      } else {
        all = false;
      }
    }
    Sum<T> total;
    moved_ = size_of_w_ = T(0);
    for (Index e = 0; e < entries_; ++e) {
      if (m_.feature[e] == intercepts) continue;
      const T w = m_.start[e] + m_.move[e];
      total.add(m_.move[e] * (m_.gradient[e] - m_.given[e]));
      moved_ += m_.move[e] * m_.move[e];
      size_of_w_ += w * w;
    }
    secant_ = total.value();
  }
  /// Whether an entry of the class moves while only those do that are not zero.
  template <class Problem>
  bool is_moving(const Problem& p, Index e, Index label) const {
    return m_.label[e] == label && (m_.feature[e] == p.shape.features || m_.start[e] + m_.move[e] != T(0));
  }
  /// Whether the part of the Hessian of each class has room in the batch.
  template <class Problem>
  bool has_room_for_classes(const Problem& p) const {
    for (Index k = 0; k < p.shape.classes; ++k) {
      Index count = 0;
      for (Index e = 0; e < entries_; ++e) count += is_moving(p, e, k);
      if (std::size_t(count + 2) * padded<T>(count) > std::size_t(m_.sums - m_.batch)) return false;
    }
    return true;
  }
  /// A few sweeps over the entries of a class that are not zero, with a copy of their part of the Hessian, which the
  /// cache holds; then once what they do to the gradients of all. The largest step of the first, times its curvature.
  template <class Problem>
  [[gnu::noinline]] T sweep_class(const Problem& p, Index label, T threshold, T ridge, T within, Index& kept, T& work) {
    Index count = 0;
    for (Index e = 0; e < entries_; ++e)
      if (is_moving(p, e, label)) m_.list[count++] = e;
    const Index stride = padded<T>(count);
    T* const gradient = m_.batch + std::size_t(count) * stride;
    T* const moved = gradient + stride;
    for (Index a = 0; a < count; ++a) {
      const T* const row = row_of(m_.hessian, m_.list[a], m_.limit);
      T* const out = m_.batch + std::size_t(a) * stride;
      for (Index b = 0; b < stride; ++b) out[b] = b < count ? row[m_.list[b]] : T(0);
    }
    for (Index a = 0; a < stride; ++a) {
      gradient[a] = a < count ? m_.gradient[m_.list[a]] : T(0);
      moved[a] = T(0);
    }
    T most_of_first = T(0);
    for (int sweep = 0; sweep < sweeps_of_class; ++sweep) {
      T most = T(0);
      for (Index a = 0; a < count; ++a) {
        const Index e = m_.list[a];
        const T* const row = m_.batch + std::size_t(a) * stride;
        const T h = scale_ * row[a], w = m_.start[e] + m_.move[e];
        if (!(h > T(0))) continue;
        const bool penalised = m_.feature[e] != p.shape.features;
        const T step = penalised ? entry_step(w, gradient[a], h, threshold, ridge) : -gradient[a] / h;
        if (step == T(0)) continue;
        m_.move[e] += step;
        moved[a] += step;
        add_scaled(scale_ * step, row, stride, gradient);
        most = largest(most, absolute(step) * h);
      }
      if (sweep == 0) most_of_first = most;
      if (!(most > T(0.3) * within * p.lambda)) break;
    }
    for (Index a = 0; a < count; ++a) {
      kept += m_.start[m_.list[a]] + m_.move[m_.list[a]] != T(0);
      if (moved[a] == T(0)) continue;
      add_move(m_.list[a], moved[a]);
      work += T(entries_);
    }
    return most_of_first;
  }
  /// The gradients of all intercepts of a softmax sum to zero; what rounding leaves would have them drift without end.
  void balance(Index intercepts) {
    T sum = T(0), count = T(0);
    for (Index e = 0; e < entries_; ++e)
      if (m_.feature[e] == intercepts) {
        sum += m_.gradient[e];
        count += T(1);
      }
    for (Index e = 0; e < entries_; ++e)
      if (m_.feature[e] == intercepts) m_.gradient[e] = m_.given[e] -= sum / count;
  }
  /// To the minimum of the model in the entries that are not zero, as far as none changes its sign. False: there is no
  /// room for their factor. Where they have none the next is damped more.
  template <class Problem>
  [[gnu::noinline]] bool solve_support(const Problem& p, T threshold, T ridge, T& damping) {
    const Index intercepts = p.shape.features;
    const auto value = [&](Index e) { return m_.start[e] + m_.move[e]; };
    Index count = 0;
    for (Index e = 0; e < entries_; ++e) {
      // Of the intercepts of a softmax the last does nothing that the others do not.
      const bool is_spare = m_.label[e] + 1 == p.shape.classes && !separate_classes(p.loss);
      if (m_.feature[e] == intercepts ? !is_spare : value(e) != T(0)) m_.list[count++] = e;
    }
    const Index stride = padded<T>(count);
    T* const factor = m_.batch;
    T* const step = factor + std::size_t(count) * stride;
    if (count == 0 || std::size_t(count + 1) * stride > std::size_t(m_.sums - factor)) return false;
    for (Index i = 0; i < count; ++i) {
      const Index e = m_.list[i];
      T* const row = factor + std::size_t(i) * stride;
      for (Index c = 0; c <= i; ++c) row[c] = scale_ * row_of(m_.hessian, e, m_.limit)[m_.list[c]];
      row[i] *= T(1) + damping;
      step[i] = -m_.gradient[e];
      if (m_.feature[e] == intercepts) continue;
      row[i] += ridge;
      step[i] -= ridge * value(e) + (value(e) < T(0) ? -threshold : threshold);
    }
    if (!factor_cholesky(factor, count, stride)) {
      damping *= T(64);
      return true;
    }
    solve_cholesky(static_cast<const T*>(factor), count, stride, step);
    T share = T(1);
    for (Index i = 0; i < count; ++i) {
      const T w = value(m_.list[i]);
      if (!finite(step[i])) return true;
      if (m_.feature[m_.list[i]] != intercepts && w * (w + share * step[i]) < T(0)) share = -w / step[i];
    }
    for (Index i = 0; i < count; ++i) m_.move[m_.list[i]] += share * step[i];
    copy(static_cast<const T*>(m_.given), entries_, m_.gradient);  // anew: what rounding took on the way is not in it
    for (Index e = 0; e < entries_; ++e) {
      const T from = m_.feature[e] == intercepts ? p.shift[m_.label[e]] : T(0);
      if (m_.move[e] != from) add_move(e, m_.move[e] - from);
    }
    return true;
  }
  /// To the minimum of the model in a coefficient w alone. Where it keeps its sign, without what rounding takes from w.
  static T entry_step(T w, T gradient, T h, T threshold, T ridge) {
    const T sign = w < T(0) ? T(-1) : T(1), step = -(gradient + sign * threshold + ridge * w) / (h + ridge);
    if (sign * (w + step) > T(0) && w != T(0)) return step;
    return soft(h * w - gradient, threshold) / (h + ridge) - w;
  }
  void move(Index e, T step) {
    m_.move[e] += step;
    add_move(e, step);
  }
  void add_move(Index e, T step) {
    add_scaled(scale_ * step, row_of(m_.hessian, e, m_.limit), padded<T>(entries_), m_.gradient);
  }
  template <Index W>
  TAMIS_TILE static void add_scaled_by(T factor, const T* row, Index count, T* to) {
    const auto scale = Simd<T, W>::fill(factor);
    Index e = 0;
    for (; e + W <= count; e += W) (Simd<T, W>::load(to + e) + scale * Simd<T, W>::load(row + e)).store(to + e);
    for (; e < count; ++e) to[e] += factor * row[e];
  }
  TAMIS_WIDE [[gnu::noinline]] static void add_scaled_wide(T factor, const T* row, Index count, T* to) {
    add_scaled_by<2 * lanes<T>>(factor, row, count, to);
  }
  static void add_scaled(T factor, const T* row, Index count, T* to) {
    if constexpr (profile.wide)
      if (has_wide_vectors()) return add_scaled_wide(factor, row, count, to);
    add_scaled_by<SimdOrScalar<T>::width>(factor, row, count, to);
  }

  Memory m_{};
  Index entries_ = 0;
  Index first_ = 0;  ///< entries of the model's first step
  bool has_means_ = false;
  std::uint32_t steps_ = 0;            ///< at this λ
  T gap_ = T(0);                       ///< at the last step
  T last_ = T(0);                      ///< the λ before
  T ratio_ = T(0);                     ///< how far ahead of the last λ this one is, beside the step to the last
  T moved_ = T(0), size_of_w_ = T(0);  ///< squares of lengths
  T scale_ = T(1);                     ///< of the Hessian
  T secant_ = T(0);                    ///< ⟨D, HD⟩ of the last step
  T share_ = T(1);                     ///< of the samples, those of a weight above zero
  T built_ = T(0);                     ///< multiplications that went into the Hessian
  T extra_ = T(0);                     ///< and into steps beyond the first at their λs since
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
