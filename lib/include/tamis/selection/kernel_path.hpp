#pragma once
/// Regularisation paths of problems with several kernels.

#include "../solver/kernel_admm.hpp"
#include "path.hpp"

namespace tamis {

/// Solves for each λ of a grid in turn, from where the one before ended. Everything but the grid is as for KernelAdmm;
/// the λ of the options does not matter. Advance it by `step()` or advance_path; where `at_point()` says so,
/// `lambda()`, `report()` and `model()` are those of a point of the path, until the next step. A point that meets the
/// iteration limit is one; a path that is stopped ends with the point before.
///
/// An open grid begins with λ_max where q = 1 (of several classes with intercepts, where these are only guessed, with
/// about that). q = 2 keeps all coefficients at every λ: it begins where the model of zeros is within 1 % of optimal,
/// Σ_g ‖h_g‖²_{p'} / (0.02·F(0)), h = Aᵀu/n the gradient of the mean loss at zero.
///
/// Memory: that of KernelAdmm. Cost of a point: its iterations.
template <class T>
class KernelPath {
 public:
  KernelPath(const DenseDesign<T>& design, std::span<const Label> labels, Index kernels, Index classes,
             const MixedNorm<T>& norm, const Options<T>& options, const Grid<T>& grid)
      : design_(design),
        labels_(labels),
        kernels_(kernels),
        classes_(classes),
        norm_(norm),
        options_(options),
        grid_(grid),
        solver_(design, labels, kernels, classes, norm, options) {}

  static constexpr Requirement requirement(Shape shape) { return KernelAdmm<T>::requirement(shape); }

  /// Checks the problem and solves for the first λ as far as that goes without iterations. False: it has ended.
  bool start(std::span<std::byte> memory) {
    status_ = Status::running;
    finished_ = 0;
    at_point_ = false;
    refusal_ = {};
    if (!grid_.valid() || (grid_.values && !(grid_.values[grid_.points - 1] > T(0))))
      return end(Status::invalid_lambda);
    if (grid_.open() && !find_first(memory)) return false;
    options_.lambda = grid_.at(0);
    solver_ = KernelAdmm<T>(design_, labels_, kernels_, classes_, norm_, options_);
    solver_.start(memory);
    finish_point();
    return running();
  }

  /// One step of the solver, or the start of the next λ; false when the path has ended.
  bool step() {
    if (!running()) return false;
    if (at_point_) {
      at_point_ = false;
      solver_.go_on(grid_.at(finished_));
    } else {
      solver_.step();
    }
    finish_point();
    return running();
  }

  void stop() {
    if (!running()) return;
    solver_.stop();
    status_ = Status::stopped;
  }

  bool running() const { return status_ == Status::running; }
  /// `converged`: the whole path, whatever the status of its points.
  Status status() const { return status_; }
  bool at_point() const { return at_point_; }
  /// Points so far.
  Index points() const { return finished_; }
  /// The λ at hand.
  T lambda() const { return grid_.at(at_point_ ? finished_ - 1 : smallest(finished_, grid_.points - 1)); }
  /// Not open after `start`, if that was not refused.
  const Grid<T>& grid() const { return grid_; }
  /// Of the solver, or of a refusal.
  const Report<T>& report() const { return has_model(status_) ? solver_.report() : refusal_; }
  KernelCoefficients<T> model() const { return solver_.model(); }

 private:
  bool end(Status status) {
    status_ = refusal_.status = status;
    return false;
  }

  [[gnu::noinline]] bool find_first(std::span<std::byte> memory) {
    Options<T> options = options_;
    options.lambda = T(1);
    KernelWorkspace<T> null(design_, labels_, kernels_, classes_, norm_, options);
    if (!null.admit(memory, requirement(null.shape))) {
      refusal_ = null.report;
      return end(refusal_.status);
    }
    Arena arena(memory);
    const auto own = KernelWorkspace<T>::Memory::lay_out(arena, null.shape);
    null.adopt(own, arena.used());
    null.certify_zero(own.g);
    const Rows<const T> gradient = null.rows(static_cast<const T*>(own.g));
    const T loss = T(null.shape.samples) * null.report.objective;
    const T first = norm_.q == 1  ? null.penalty.gauge(gradient, kernels_)
                    : loss > T(0) ? null.penalty.conjugate(gradient, kernels_) / (T(0.01) * loss)
                                  : T(0);
    if (!finite(first)) return end(Status::invalid_lambda);
    grid_.first = first > T(0) ? first : T(1);
    return true;
  }

  void finish_point() {
    const Status status = solver_.report().status;
    if (status == Status::running) return;
    if (!has_model(status) || status == Status::stopped) {
      refusal_ = solver_.report();
      status_ = status;
      return;
    }
    at_point_ = true;
    if (++finished_ == grid_.points) status_ = Status::converged;
  }

  DenseDesign<T> design_;
  std::span<const Label> labels_;
  Index kernels_, classes_;
  MixedNorm<T> norm_;
  Options<T> options_;
  Grid<T> grid_;
  KernelAdmm<T> solver_;
  Report<T> refusal_{};
  bool at_point_ = false;
  Index finished_ = 0;
  Status status_ = Status::running;
};

}  // namespace tamis
