#pragma once
/// The last steps of problems with interactions: Newton's method along a face of the penalty.

#include "../penalty/hierarchical_face.hpp"
#include "interaction_workspace.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// On the face of Ω where the coefficients z of a splitting lie, the penalty is linear, and what is left is ½‖r − Mc‖²
/// + ⟨f, c⟩ in the directions c of the face: r are the residuals of a regression, or the violations of the squared
/// hinge; f the slopes of Ω. Its columns M are products of features, formed as they are needed. Proximal steps (δI +
/// MMᵀ)ν = δr + Mf, c += (Mᵀν − f)/δ settle also directions that are not determined, as the two halves of a product
/// are. Where their end lies beyond the face, the way there is cut such that the objective falls, and what has reached
/// the end (a sign, an equality) leaves or joins. Else ν is a dual point: when the face is the right one, the gap falls
/// to rounding at once, and if not, a short proximal step along its products says what enters.
///
/// Cost: for q residuals (n of a regression, else the violations, n at most) and d directions q²·d + q³/3 flops a
/// face, the violations a few times, and features²·samples for each point that is looked at. Source: the polishing of
/// splittings (Stellato et al. 2020) as an active-set method on the faces of Jiu et al.'s (2020) penalty.
template <class T>
class InteractionNewton {
 public:
  /// `step` is that of the proximity operator which gave z.
  InteractionNewton(InteractionWorkspace<T>& workspace, T step) : workspace_(workspace), m_(workspace.m), step_(step) {}

  /// Offers models and dual points, until the gap is small enough, the objective does not fall any more, or `budget`
  /// flops are spent. The factor in memory is lost, the intercepts in b change.
  [[gnu::noinline]] void run(T budget) {
    copy(static_cast<const T*>(m_.z), workspace_.coefficients(), m_.trial);
    copy(static_cast<const T*>(m_.b), workspace_.outputs, m_.from_b);
    T before = infinity<T>;
    for (int cycle = 0; cycle < most_faces && (cycle < 2 || flops_ < budget) && workspace_.running(); ++cycle) {
      if (!settle()) return;
      const T objective = search();
      if (!(objective < infinity<T>)) return;
      if (!on_face_) {
        copy(static_cast<const T*>(m_.point), workspace_.coefficients(), m_.trial);
        continue;
      }
      offer_dual();
      workspace_.check_convergence();
      if (!(objective < before)) return;
      before = objective;
    }
  }
  /// What was spent.
  T flops() const { return flops_; }

 private:
  HierarchicalFace<T> face(Index k) const {
    return {workspace_.penalty,
            workspace_.shape.features,
            workspace_.stride,
            workspace_.matrix(m_.trial, k),
            step_,
            m_.level,
            m_.root};
  }
  /// point ← the minimum on the face of `trial`. False when there is none.
  bool settle() {
    rows_ = 0;
    for (Index k = 0; k < workspace_.shape.classes; ++k) face(k).project(workspace_.matrix(m_.point, k));
    constexpr int most_rounds = 8;
    for (int round = 0; round < (workspace_.regression() ? 1 : most_rounds); ++round) {
      for (Index k = 0; k < workspace_.shape.classes; ++k)
        workspace_.multiply(workspace_.matrix(m_.point, k), m_.u + k, workspace_.outputs);
      const bool changed = workspace_.regression() ? take_residuals() : take_violations();
      if (rows_ == 0) return false;
      if (!changed) break;
      if (!take_system()) return false;
      take_steps();
    }
    return true;
  }
  /// Of Σ violation² the half is minimised.
  T half() const { return workspace_.regression() ? T(1) : T(0.5); }

  bool take_residuals() {
    const Index n = workspace_.shape.samples;
    workspace_.take_intercept();
    for (Index i = 0; i < n; ++i)
      m_.residual[i] = workspace_.value(i) - m_.u[std::size_t(i) * workspace_.outputs] - m_.b[0];
    rows_ = n;
    return true;
  }
  /// False when they are those of the last system. None: there are more than it can hold.
  bool take_violations() {
    Index count = 0;
    bool changed = false;
    for (Index i = 0; i < workspace_.shape.samples; ++i) {
      const T* z = row_of(m_.u, i, workspace_.outputs);
      const Label y = workspace_.targets.labels[i];
      for (Index k = 0; k < workspace_.shape.classes; ++k) {
        const T violation = k == y ? T(0) : T(1) + (z[k] + m_.b[k]) - (z[y] + m_.b[y]);
        if (!(violation > T(0))) continue;
        if (count == workspace_.shape.samples) {
          rows_ = 0;
          return true;
        }
        changed = changed || count >= rows_ || m_.sample[count] != i || m_.output[count] != k;
        m_.sample[count] = i;
        m_.output[count] = k;
        m_.residual[count++] = -violation;
      }
    }
    changed = changed || count != rows_;
    rows_ = count;
    return changed;
  }

  /// Calls visit(slope) with every direction of output k in `column`.
  template <class Visit>
  void visit(Index k, Visit visit) {
    const Index n = workspace_.shape.samples;
    fill(m_.column, workspace_.width, T(0));
    face(k).visit(
        [&](Index j, Index l, T factor) {
          const auto times = Simd<T>::fill(factor);
          const T* x = row_of(m_.columns, j, workspace_.width);
          const T* y = row_of(m_.columns, l, workspace_.width);
          for (Index i = 0; i < workspace_.width; i += lanes<T>) {
            auto entry = Simd<T>::load(x + i);
            if (l < workspace_.shape.features) entry = entry * Simd<T>::load(y + i);
            (Simd<T>::load(m_.column + i) + times * entry).store(m_.column + i);
          }
        },
        [&](T slope) {
          visit(slope);
          fill(m_.column, workspace_.width, T(0));
        });
    if (!workspace_.options.intercept) return;
    fill(m_.column, n, T(1));
    visit(T(0));
  }
  /// out ← the column as the rows of the system see it.
  void expand(Index k, T* out) const {
    if (workspace_.regression()) return copy(static_cast<const T*>(m_.column), workspace_.width, out);
    for (Index e = 0; e < rows_; ++e) {
      const T entry = m_.column[m_.sample[e]];
      const bool of_label = workspace_.targets.labels[m_.sample[e]] == k;
      out[e] = m_.output[e] == k ? entry : of_label ? -entry : T(0);
    }
    for (Index e = rows_; e < workspace_.width; ++e) out[e] = T(0);
  }

  /// The factor of δI + MMᵀ, and Mf; columns are collected in panels. False when rounding has outgrown δ.
  [[gnu::noinline]] bool take_system() {
    const Index panel = workspace_.stride / 2;
    T* const by_direction = m_.scaled;                                    // panel × width
    T* const by_row = m_.scaled + std::size_t(panel) * workspace_.width;  // rows × panel
    fill(m_.factor, std::size_t(rows_) * workspace_.width, T(0));
    fill(m_.slopes, workspace_.width, T(0));
    Index filled = 0, directions = 0;
    const auto add = [&] {
      DenseDesign<T>(by_row, filled, rows_, panel).add_transposed_lower(by_direction, workspace_.width, m_.factor);
      filled = 0;
    };
    for (Index k = 0; k < workspace_.shape.classes; ++k)
      visit(k, [&](T slope) {
        T* const out = row_of(by_direction, filled, workspace_.width);
        expand(k, out);
        for (Index e = 0; e < rows_; ++e) {
          by_row[std::size_t(e) * panel + filled] = out[e];
          m_.slopes[e] += half() * slope * out[e];
        }
        ++directions;
        if (++filled == panel) add();
      });
    add();
    Sum<T> trace;
    for (Index e = 0; e < rows_; ++e) trace.add(row_of(m_.factor, e, workspace_.width)[e]);
    delta_ = T(8) * square_root(epsilon<T>) * trace.value() / T(rows_);
    for (Index e = 0; e < rows_; ++e) row_of(m_.factor, e, workspace_.width)[e] += delta_;
    const T q = T(rows_);
    flops_ += q * q * (T(directions) + q / T(3)) + T(20) * q * T(directions);
    return delta_ > T(0) && factor_cholesky(m_.factor, rows_, workspace_.width);
  }

  /// Where the objective has no minimum on the face they lead far beyond its end.
  [[gnu::noinline]] void take_steps() {
    T before = infinity<T>;
    for (int round = 0; round < 4; ++round) {
      const T longest = take_step();
      if (!(longest < T(0.5) * before)) return;
      before = longest;
    }
  }
  T take_step() {
    T* const nu = m_.split.right;
    for (Index e = 0; e < rows_; ++e) nu[e] = delta_ * m_.residual[e] + m_.slopes[e];
    solve_cholesky(static_cast<const T*>(m_.factor), rows_, workspace_.width, nu);
    T longest = 0;
    for (Index k = 0; k < workspace_.shape.classes; ++k) {
      T* next = m_.g;
      T* const end = m_.g + workspace_.matrix_size();
      T last = 0;
      visit(k, [&](T slope) {
        T* const column = m_.spare;
        expand(k, column);
        const T inner = dot(static_cast<const T*>(column), static_cast<const T*>(nu), rows_);
        last = (inner - half() * slope) / delta_;
        if (next != end) *next++ = last;  // the intercept's, which is the last, is not looked up
        for (Index e = 0; e < rows_; ++e) m_.residual[e] -= last * column[e];
        longest = largest(longest, absolute(last));
      });
      if (workspace_.options.intercept) m_.b[k] += last;
      T* const point = workspace_.matrix(m_.point, k);
      next = m_.g;
      face(k).visit([&](Index j, Index l, T factor) { row_of(point, j, workspace_.stride)[l] += factor * *next; },
                    [&](T) { ++next; });
    }
    return longest;
  }

  /// g ← the share t of the way to `point` of output k, on this side of where the face ends.
  void take_share(Index k, T t) {
    const auto here = face(k);
    here.project(m_.g);
    const T* to = workspace_.matrix(m_.point, k);
    for (std::size_t e = 0; e < workspace_.matrix_size(); ++e)
      m_.g[e] = t == T(1) ? to[e] : m_.g[e] + t * (to[e] - m_.g[e]);
    if (here.pull(m_.g, m_.row[0])) on_face_ = false;
  }
  /// Goes as far towards `point` as the objective falls, and offers what is there: its objective.
  T search() {
    const auto offer = [this](T t) {
      on_face_ = t == T(1);
      for (Index k = 0; k < workspace_.shape.classes; ++k) to_b(k, t);
      const T p = T(workspace_.shape.features);
      flops_ += T(workspace_.shape.classes) * p * p * (T(10) + T(0.5) * T(workspace_.shape.samples));
      return workspace_.offer_model([this, t](Index k) {
        take_share(k, t);
        workspace_.keep_main_effects();
      });
    };
    copy(static_cast<const T*>(m_.b), workspace_.outputs, m_.to_b);
    const T start = offer(T(0));
    T t = 1, objective = offer(t);
    if (!on_face_)
      for (int round = 0; round < 40 && !(objective < start); ++round) objective = offer(t *= T(0.5));
    if (!on_face_ && !(objective < start)) return infinity<T>;
    for (Index k = 0; k < workspace_.shape.classes; ++k) {
      take_share(k, t);
      copy(static_cast<const T*>(m_.g), workspace_.matrix_size(), workspace_.matrix(m_.point, k));
    }
    copy(static_cast<const T*>(m_.b), workspace_.outputs, m_.from_b);
    return objective;
  }
  void to_b(Index k, T t) { m_.b[k] = m_.from_b[k] + t * (m_.to_b[k] - m_.from_b[k]); }

  /// Offers ν. `trial` becomes what a proximal step from `point` along its products gives: the
  /// same where the face is the right one, else nearer to it.
  void offer_dual() {
    const Index n = workspace_.shape.samples, p = workspace_.shape.features;
    constexpr int sweeps = 1000;
    const auto look = [this, p](Index k, Index j, const T* row) {
      const T* from = row_of(workspace_.matrix(m_.point, k), j, workspace_.stride);
      T* to = row_of(workspace_.matrix(m_.trial, k), j, workspace_.stride);
      const T step = part * step_;
      for (Index l = 0; l <= p; ++l) to[l] = from[l] + step * row[l];
      workspace_.penalty.prox(to, p, step);
    };
    T* const nu = m_.split.right;
    if (workspace_.regression()) {
      Sum<T> sum;
      for (Index i = 0; i < n; ++i) sum.add(nu[i]);
      for (Index i = 0; i < n && workspace_.options.intercept; ++i) nu[i] -= sum.value() / T(n);
      workspace_.transposed(nu, 1);
      workspace_.offer_values(nu, T(1), m_.point, sweeps, look);
      return;
    }
    fill(m_.u, workspace_.scores(), T(0));
    for (Index e = 0; e < rows_; ++e)
      row_of(m_.u, m_.sample[e], workspace_.outputs)[m_.output[e]] = T(-2) * nu[e];
    workspace_.offer_slopes(m_.point, sweeps, look);
  }

  InteractionWorkspace<T>& workspace_;
  InteractionMemory<T>& m_;
  T step_;
  T delta_ = T(0);
  static constexpr int most_faces = 24;
  static constexpr T part = T(0.1);  ///< of the step, to look for another face: what is kept hardly moves
  bool on_face_ = true;
  Index rows_ = 0;
  T flops_ = T(0);
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
