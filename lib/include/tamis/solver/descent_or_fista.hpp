#pragma once
/// The default solver for smooth losses in C++: which of two it is, the memory decides.

#include "fista.hpp"
#include "path_descent.hpp"

namespace tamis::inline TAMIS_PROFILE_NAMESPACE {

/// ProximalNewtonDescent, or PathDescent where loss or penalty do not have what that takes, where the memory is enough
/// for steps of Newton's method; otherwise Fista, which centres the samples: descent over features alone crawls where
/// columns are far from zero. The bits are those of the solver that it is.
///
/// Memory: `requirement(shape)` is that of Fista, `requirement(shape, hint)` what the other needs.
template <class T, class Loss, class Penalty, class Design = DenseDesign<T>>
class DescentOrFista {
  using Columns = SortedColumns<T, Design>;
  using Small = Fista<T, Loss, Penalty, Columns>;  // on the same design, so that what they share is there once

 public:
  using Descent =
      std::conditional_t<EntryLoss<Loss, T> && HasEntryTerms<Penalty, T>,
                         ProximalNewtonDescent<T, Loss, Penalty, Design>, PathDescent<T, Loss, Penalty, Design>>;
  static constexpr SolverKind kind = SolverKind::automatic;  ///< not known when this is compiled

  [[gnu::always_inline]] DescentOrFista(const Design& design, const Targets<T>& targets, const Loss& loss,
                                        const Penalty& penalty, const Options<T>& options)
      : descent_(design, targets, loss, penalty, options), small_(Columns(design), targets, loss, penalty, options) {}

  static constexpr Requirement requirement(Shape shape) { return Small::requirement(shape); }
  static constexpr Requirement requirement(Shape shape, WorkspaceHint hint) {
    return requirement(shape) | Descent::requirement(shape, hint);
  }
  void set_lambda(T lambda) {
    descent_.set_lambda(lambda);
    small_.set_lambda(lambda);
  }
  bool start(std::span<std::byte> memory) {
    descent_.start(memory);
    descends_ = descent_.has_newton();
    return descends_ ? descent_.running() : small_.start(memory);
  }
  /// See Fista::warm_start.
  bool warm_start(T lambda, T* before = nullptr, T step = T(0)) {
    return descends_ ? descent_.warm_start(lambda, before, step) : small_.warm_start(lambda, before, step);
  }
  bool step() { return descends_ ? descent_.step() : small_.step(); }
  void stop() { descends_ ? descent_.stop() : small_.stop(); }
  bool running() const { return report().status == Status::running; }
  const Report<T>& report() const { return descends_ ? descent_.report() : small_.report(); }
  std::uint32_t certificates() const { return descends_ ? descent_.certificates() : small_.certificates(); }
  bool has_certified_model() const { return descends_ ? descent_.has_certified_model() : small_.has_certified_model(); }
  LinearModel<T> model() const { return descends_ ? descent_.model() : small_.model(); }
  /// Parts of the problem, for whoever makes another solver of it.
  const Design& design() const { return small_.design(); }
  const Targets<T>& targets() const { return small_.targets(); }
  const Loss& loss() const { return small_.loss(); }
  const Options<T>& options() const { return small_.options(); }
  Shape shape() const { return small_.shape(); }
  Index stride() const { return small_.stride(); }
  /// Whether it is not Fista, since `start`.
  bool descends() const { return descends_; }

 private:
  Descent descent_;
  Small small_;
  bool descends_ = false;
};

}  // namespace tamis::inline TAMIS_PROFILE_NAMESPACE
