// Templates of all rooms made real, for compilers that are only asked whether they take the headers, and for warnings
// that come with the types of a user.
#include <tamis/any_multilabel.hpp>
#include <tamis/eigen.hpp>
#include <tamis/solver/baselines.hpp>
#include <tamis/tamis.hpp>

namespace tamis {
template class AnyTrainingFor<AnyProblem<float, AnyMultilabelLoss<float>>, PrimalDual, Fista, ConstrainedPrimalDual,
                              CrammerSingerDual, TwoPhase, PathDescent, ProximalNewtonDescent, TAMIS_BASELINES>;
template class InteractionAdmm<double>;
template class KernelAdmm<float>;
template class KernelFista<double>;
template class DualAveragingLearner<float, Hinge, L1>;
template class PrimalDual<float, Hinge, L1, QuantisedDesign<float, std::int16_t>>;
template class BlockCoordinateDescent<double, Logistic, GroupL2, SparseDesign<double>>;
template void standardise_integers(const std::int16_t*, Index, Index, QuantisedLayout, float*, std::int16_t*);
template Label predict(const LinearModel<float>&, const std::int16_t*, const Quantisation<float, std::int16_t>&);
inline Label fit_and_predict(const Eigen::MatrixXf& x, const Eigen::SparseMatrix<float, Eigen::RowMajor>& rows,
                             Eigen::VectorXi& y, std::span<std::byte> memory, Eigen::MatrixXf& z) {
  const auto fit = Training<Eigen::MatrixXf, Hinge, L1>({}).fit(x, y, memory);
  const auto of_rows = Training<Eigen::SparseMatrix<float, Eigen::RowMajor>, Hinge, L1>({}).fit(rows, y, memory);
  predict(fit.model, x, y), predict(of_rows.model, rows, y);
  scores(fit.model, x, z), scores(of_rows.model, rows, z);
  return predict(fit.model, x.row(0));
}
inline Index choose(const Eigen::MatrixXf& x, const Eigen::SparseMatrix<float, Eigen::RowMajor>& rows,
                    const Eigen::VectorXi& y, std::span<std::byte> memory, Eigen::MatrixXf& z) {
  using Products = InteractionTraining<Eigen::SparseMatrix<float, Eigen::RowMajor>>;
  using Comparisons = KernelTraining<Eigen::MatrixXf>;
  const Training<Eigen::MatrixXf, SquaredHinge, L1> training({});
  const auto products = Products({.options = {.lambda = 1}}).fit(rows, y, memory);
  scores(products.model, rows, z);
  standardise_columns(z, {});
  fit_path(Comparisons({}, {2, 1, 1}, {}), x, y, {}, memory, [](const auto&) { return true; });
  return cross_validate(training, x, y, {}, memory).best() + select_stable(training, x, y, {}, memory).counts.units;
}
}  // namespace tamis
