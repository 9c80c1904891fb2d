"""Linear classifiers: one number lambda, chosen by cross-validation, a path, or a bound of the loss."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np

from . import _library as lib
from ._classifier import Classifier
from ._folds import ByFolds, cross_validate, grid_of
from ._library import Refused, address
from ._models import LinearModel
from ._samples import MOST, Columns, encoded, refuse_value, weights_of

LOSSES, PENALTIES, SOLVERS = (lib.names_of(kind) for kind in ("loss", "penalty", "solver"))


def number_of(name: str, kind: str, names: list[str]) -> int:
    if name not in names:
        raise ValueError(f"{kind} is one of {', '.join(names)}, not {name!r}")
    return names.index(name)


def put_groups(struct: Any, groups: Any, features: int) -> Any:
    """Puts them into a problem, or the options of a stream; returns what these point to."""
    if groups is None:
        return None
    if isinstance(groups, (int, np.integer)):
        if not 1 <= groups <= MOST:
            raise ValueError(f"groups of {groups} features: a number from 1 to {MOST}, or one per feature, is possible")
        struct.block = groups
        return None
    groups = np.asarray(groups)
    if groups.dtype.kind == "f" and not np.isfinite(groups).all():
        raise ValueError("groups has a number that is not finite")
    if groups.shape != (features,):
        raise ValueError(f"groups has shape {groups.shape}, expected one number for each of the {features} features")
    _, numbers = np.unique(groups, return_inverse=True)
    order = np.argsort(numbers, kind="stable").astype(np.uint32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(numbers))]).astype(np.uint32)
    struct.group_order, struct.group_starts, struct.group_count = address(order), address(starts), len(starts) - 1
    return order, starts


class Problem:
    """A problem in the library's structure, with what it points to."""

    def __init__(self, estimator: "SparseClassifier", columns: Columns, classes: np.ndarray, labels: np.ndarray,
                 weights: np.ndarray | None) -> None:
        self.columns, self.classes, self.labels, self.weights = columns, classes, labels, weights
        self.precision = p = columns.precision
        self.struct = p.problem()
        p.call("default_problem")(byref(self.struct))
        columns.put(self.struct)
        self.struct.classes = len(classes)
        self.struct.labels, self.struct.weights = address(labels), address(weights)
        self.struct.loss = number_of(estimator.loss, "loss", LOSSES)
        self.struct.penalty = number_of(estimator.penalty, "penalty", PENALTIES)
        self.struct.solver = number_of(estimator.solver, "solver", SOLVERS)
        self.struct.tolerance = estimator.tolerance
        self.struct.max_iterations = estimator.max_iterations
        self.struct.intercept = bool(estimator.intercept)
        self.struct.l1_ratio, self.struct.epsilon = estimator.l1_ratio, estimator.epsilon
        self.groups = put_groups(self.struct, estimator.groups, columns.features)

    def check(self) -> None:
        sentence = self.precision.call("problem_refusal")(byref(self.struct))
        if sentence is not None:
            raise ValueError(sentence.decode())

    def refuse(self, status: int, report: Any) -> None:
        """Raises the library's sentence, with the place in the data."""
        name, sentence = lib.status_name(status), lib.status_sentence(status)
        if name == "invalid_data":
            refuse_value(self.columns.source)
        elif name == "missing_class":
            sentence = f"class {self.classes[report.column]!r}: {sentence}"
        elif name == "invalid_weight":
            sentence = f"sample {report.row}: {sentence}"
        elif name == "invalid_combination":
            sentence = f"{sentence}: for this problem, or it has no path"
        raise Refused(sentence, status, report.row, report.column)

    def _arena(self, size: str, *more: Any) -> np.ndarray:
        entries, active = self.columns.hint()
        return lib.arena_of(self.precision.call(size)(byref(self.struct), *more, c_size_t(entries), c_uint32(active)))

    def _state(self, kind: str, size: str, *more: Any) -> tuple[Any, np.ndarray]:
        return getattr(self.precision, f"{kind}_state")(), self._arena(size, *more)

    def train(self) -> tuple[LinearModel | None, Any, bool]:
        """The model (None: infeasible), the report, and whether KeyboardInterrupt has ended the run."""
        self.check()
        p = self.precision
        state, arena = self._state("training", "fast_bytes")
        status = p.call("start")(state, byref(self.struct), c_void_p(address(arena)), c_size_t(arena.size))
        step, interrupted = p.call("step"), False
        if status == lib.RUNNING:
            interrupted = lib.run_to_end(lambda steps: step(state, steps), lambda: p.call("stop")(state))
        report = p.report()
        p.call("report_of")(state, byref(report))
        if report.status > lib.INFEASIBLE:
            self.refuse(report.status, report)
        if report.status == lib.INFEASIBLE:
            return None, report, interrupted
        struct = p.model()
        p.call("model_of")(state, byref(struct))
        return LinearModel.of(p, struct), report, interrupted

    def grid(self, lambdas: Any, ratio: float | None = None, first: float | None = None,
             max_features: int | None = None) -> Any:
        """lambdas: how many, or which."""
        p, ridge = self.precision, self.struct.penalty == PENALTIES.index("ridge")
        if ratio is None:
            ratio = 1e-4 if ridge else 0.01 if self.columns.features > self.columns.samples else 0.001
        if first is None and ridge:
            scratch = np.empty(self.columns.samples, p.dtype)
            first = p.call("mean_square_norm")(byref(self.struct), c_void_p(address(scratch)))
        return grid_of(p, lambdas, ratio, first, max_features)

    def path(self, grid: Any) -> tuple[list[tuple[float, LinearModel, Any]], bool]:
        """(lambda, model, report) of each point."""
        self.check()
        p = self.precision
        state, arena = self._state("path", "path_fast_bytes", byref(grid))
        status = p.call("path_start")(state, byref(self.struct), byref(grid), c_void_p(address(arena)),
                                      c_size_t(arena.size))
        points: list[tuple[float, LinearModel, Any]] = []

        def report_of() -> Any:
            report = p.report()
            p.call("path_report")(state, byref(report))
            return report

        def take() -> None:
            if p.call("path_at_point")(state):
                struct = p.model()
                p.call("path_model")(state, byref(struct))
                points.append((p.call("path_lambda")(state), LinearModel.of(p, struct), report_of()))

        def step(steps: int) -> int:
            status = p.call("path_step")(state, steps)
            take()
            return status

        take()
        interrupted = False
        if status == lib.RUNNING:
            interrupted = lib.run_to_end(step, lambda: p.call("path_stop")(state))
        report = report_of()
        if report.status > lib.INFEASIBLE:
            self.refuse(report.status, report)
        return points, interrupted

    def first_lambda(self) -> float:
        """Where a path begins: where all coefficients are zero."""
        grid = self.grid(1)
        if not np.isnan(grid.first):
            return grid.first
        points, interrupted = self.path(grid)
        if interrupted:
            raise KeyboardInterrupt
        return points[0][0]

    def cross_validate(self, grid: Any, fold: np.ndarray, folds: int, scores: np.ndarray | None = None) -> Any:
        """As cross_validate; scores: None, or where those of the held-out samples are left."""
        self.check()
        p, arena = self.precision, self._arena("cross_validation_fast_bytes", byref(grid), c_uint32(folds))

        def start(state: Any) -> int:
            return p.call("cross_validation_start_keeping")(
                state, byref(self.struct), byref(grid), c_void_p(address(fold)), c_uint32(folds),
                c_void_p(address(scores)), c_void_p(address(arena)), c_size_t(arena.size))

        return cross_validate(p, "", grid.points, start, lambda _, report: self.refuse(report.status, report))

    def calibrate(self, kind: str, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slopes and offsets of each class, in double as the command keeps them."""
        p = lib.DOUBLE
        scores = np.ascontiguousarray(scores[:, : len(self.classes)], np.float64)
        weights = None if self.weights is None else self.weights.astype(np.float64)
        scored = p.scored(address(scores), address(self.labels), address(weights), len(scores), len(self.classes),
                          len(self.classes))
        options = p.calibration_options()
        p.call("default_calibration_options")(byref(options))
        options.kind = KINDS.index(kind)
        arena = lib.arena_of(p.call("calibration_bytes")(c_uint32(options.kind), c_uint32(len(self.classes))))
        out, report = p.calibration(), p.calibration_report()
        p.call("calibrate")(byref(scored), byref(options), c_void_p(address(arena)), c_size_t(arena.size), byref(out),
                            byref(report))
        if out.classes == 0:
            raise Refused(f"the held-out scores have no calibration: {lib.status_sentence(report.status)}",
                          report.status)
        def copied(pointer: int) -> np.ndarray:
            return np.ctypeslib.as_array(ctypes.cast(pointer, ctypes.POINTER(p.real)), (len(self.classes),)).copy()
        return copied(out.slopes), copied(out.offsets)


KINDS = ["sigmoid", "softmax"]


class Linear(Classifier):
    """What models with coefficients have."""

    def _set_model(self, model: LinearModel, calibrated: Any = None) -> None:
        self._model, self._calibrated = model, calibrated
        self.coef_, self.intercept_ = model.weights.T, model.intercepts

    def __setstate__(self, state: dict) -> None:
        super().__setstate__(state)
        if isinstance(self.__dict__.get("coef_"), np.ndarray):  # views of the model again
            self.coef_, self.intercept_ = self._model.weights.T, self._model.intercepts

    def sparsify(self):
        """Makes coef_ a scipy.sparse CSR matrix."""
        from scipy.sparse import csr_matrix

        self._check_fitted()
        self.coef_ = csr_matrix(self.coef_)
        return self

    def densify(self):
        """Makes coef_ an array again."""
        self._check_fitted()
        self.coef_ = self._model.weights.T
        return self

    def kept_features(self) -> np.ndarray:
        """Numbers of the features with a coefficient that is not zero."""
        self._check_fitted()
        return self._model.kept()


class SparseClassifier(ByFolds, Linear):
    """A linear classifier of several classes whose penalty makes coefficients zero, with a certificate.

    Minimises (1/sum w) sum w_i loss(W' x_i + b, y_i) + lam * penalty(W) until the duality gap is proved to be below
    `tolerance` times the objective. The intercepts b are not penalised.

    Parameters
    ----------
    loss, penalty, solver : names of the command, such as "hinge" and "group-l2" (`tamis.LOSSES`, `tamis.PENALTIES`,
        `tamis.SOLVERS`).
    lam : the weight of the penalty, or "cv": chosen of `lambdas` by `folds`-fold cross-validation.
    groups : None, a feature's weights in all classes are one; a number B, B consecutive features of a class; or one
        number per feature, those of the same number are one.
    precision : "auto" (float for float32 and float16, else double), "float" or "double".
    tolerance : relative duality gap to certify, such as 1e-4.
    class_weight : None, "balanced" or {class: weight}.
    calibration : None, "softmax" or "sigmoid": how `predict_proba` makes probabilities of scores, fitted to scores of
        samples held out. The logistic loss has them without.
    lambdas, lambda_ratio, folds, choose, measure, random_state : of "cv": how many, or which, descending; the last over
        the first (None: 0.01 with more features than samples, else 0.001; ridge 0.0001); folds; "1se" or "min"; of
        "error" or "loss"; seed of the folds.

    Attributes
    ----------
    classes_ : (n_classes,), in order.
    coef_ : (n_classes, n_features), a view of the model, for two classes too; after `sparsify()` a CSR matrix.
    intercept_ : (n_classes,).
    lambda_ : the weight of the penalty that was taken.
    objective_, gap_, relative_gap_ : of the certificate; status_ : how training ended, such as "converged".
    n_iter_ : iterations; arena_bytes_ : bytes of working memory that training asked for.
    report_ : all of the library's report. held_out_ : of "cv", one dictionary per lambda.

    KeyboardInterrupt ends `fit` with the best model so far (status_ "stopped") and a warning.
    """

    def __init__(self, loss: str = "logistic", penalty: str = "l1", lam: Any = 0.01, *, l1_ratio: float = 0.5,
                 epsilon: float = 0.1, groups: Any = None, intercept: bool = True, solver: str = "auto",
                 precision: str = "auto", tolerance: float = 1e-4, max_iterations: int = 1000000,
                 class_weight: Any = None, calibration: str | None = None, lambdas: Any = 50,
                 lambda_ratio: float | None = None, folds: int = 5, choose: str = "1se", measure: str = "error",
                 random_state: int | None = None) -> None:
        self.loss, self.penalty, self.lam, self.l1_ratio, self.epsilon = loss, penalty, lam, l1_ratio, epsilon
        self.groups, self.intercept, self.solver, self.precision = groups, intercept, solver, precision
        self.tolerance, self.max_iterations, self.class_weight = tolerance, max_iterations, class_weight
        self.calibration = calibration
        self._take_choice(lambdas, lambda_ratio, folds, choose, measure, random_state)

    def _more_tags(self) -> dict[str, Any]:
        if self.loss != "hinge" or self.tolerance <= 1e-8:
            return {}
        return {"_xfail_checks": {"check_sample_weights_invariance": "samples of weight zero change the order of "
                                  "additions, and the tolerance leaves more digits of the hinge's scores open than the "
                                  "check compares: at 1e-8 it passes"}}

    def _problem(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        if self.calibration not in (None, *KINDS):
            raise ValueError(f"calibration is None, 'softmax' or 'sigmoid', not {self.calibration!r}")
        X = self._check_samples(X, reset=True)
        classes, labels = encoded(y, type(self).__name__)
        self._check_lengths(X, labels)
        columns = Columns(X, self.precision)
        weights = weights_of(sample_weight, self.class_weight, classes, labels, columns.precision.dtype)
        self.classes_ = classes
        return Problem(self, columns, classes, labels, weights)

    def _validate(self, problem: Problem) -> tuple[list, dict]:
        problem.check()
        first = problem.first_lambda() if np.isscalar(self.lambdas) else None
        grid = problem.grid(self.lambdas, self.lambda_ratio, first)
        return problem.cross_validate(grid, self._deal(problem.labels, problem.columns.samples), self.folds)

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """X: (n_samples, n_features), dense or scipy.sparse; a Fortran-ordered array or a CSC matrix of float32 or
        float64 is not copied, others once. y: (n_samples,). sample_weight: (n_samples,), relative."""
        problem = self._problem(X, y, sample_weight)
        problem.struct.lambda_ = lam = self._lambda(lambda: self._validate(problem))
        model, report, interrupted = problem.train()
        self._take(problem, model, report, interrupted, lam)
        return self

    def _take(self, problem: Problem, model: LinearModel, report: Any, interrupted: bool, lam: float) -> None:
        calibrated = None
        if self.calibration is not None:
            if interrupted:
                raise KeyboardInterrupt
            p = problem.precision
            scores = np.empty((len(problem.labels), p.padded(len(problem.classes))), p.dtype)
            fold = self._deal(problem.labels, len(problem.labels))
            problem.cross_validate(problem.grid([lam]), fold, self.folds, scores)
            calibrated = (self.calibration, *problem.calibrate(self.calibration, scores))
        self._set_model(model, calibrated)
        self.lambda_ = float(lam)
        self._set_report(report, interrupted)
        self._keep_for_files(problem.columns, problem.labels)


class SparseClassifierCV(SparseClassifier):
    """`SparseClassifier` whose lam is chosen by cross-validation unless it is given."""

    def __init__(self, loss: str = "logistic", penalty: str = "l1", lam: Any = "cv", *, l1_ratio: float = 0.5,
                 epsilon: float = 0.1, groups: Any = None, intercept: bool = True, solver: str = "auto",
                 precision: str = "auto", tolerance: float = 1e-4, max_iterations: int = 1000000,
                 class_weight: Any = None, calibration: str | None = None, lambdas: Any = 50,
                 lambda_ratio: float | None = None, folds: int = 5, choose: str = "1se", measure: str = "error",
                 random_state: int | None = None) -> None:
        super().__init__(loss, penalty, lam, l1_ratio=l1_ratio, epsilon=epsilon, groups=groups, intercept=intercept,
                         solver=solver, precision=precision, tolerance=tolerance, max_iterations=max_iterations,
                         class_weight=class_weight, calibration=calibration, lambdas=lambdas,
                         lambda_ratio=lambda_ratio, folds=folds, choose=choose, measure=measure,
                         random_state=random_state)


class SparsePathClassifier(SparseClassifier):
    """The models of all lambdas from the one where all coefficients are zero, each from the one before.

    `fit` ends before a model that keeps more than `max_features` (None: no limit), and predicts with the last one.
    Beside the attributes of `SparseClassifier`: lambdas_ (n_points,), coefs_ (n_points, n_classes, n_features),
    intercepts_ (n_points, n_classes), reports_, a dictionary for each.
    """

    def __init__(self, loss: str = "logistic", penalty: str = "l1", *, max_features: int | None = None,
                 lambdas: Any = 100, lambda_ratio: float | None = None, l1_ratio: float = 0.5, epsilon: float = 0.1,
                 groups: Any = None, intercept: bool = True, solver: str = "auto", precision: str = "auto",
                 tolerance: float = 1e-4, max_iterations: int = 1000000, class_weight: Any = None) -> None:
        super().__init__(loss, penalty, l1_ratio=l1_ratio, epsilon=epsilon, groups=groups, intercept=intercept,
                         solver=solver, precision=precision, tolerance=tolerance, max_iterations=max_iterations,
                         class_weight=class_weight, lambdas=lambdas, lambda_ratio=lambda_ratio)
        self.max_features = max_features

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """As of `SparseClassifier`."""
        problem = self._problem(X, y, sample_weight)
        grid = problem.grid(self.lambdas, self.lambda_ratio, None, self.max_features)
        points, interrupted = problem.path(grid)
        if not points:
            raise KeyboardInterrupt if interrupted else ValueError("no model of the path keeps so few features")
        self.lambdas_ = np.array([lam for lam, _, _ in points])
        self.coefs_ = np.stack([model.weights.T for _, model, _ in points])
        self.intercepts_ = np.stack([model.intercepts for _, model, _ in points])
        self.reports_ = [lib.report_as_dict(report) for _, _, report in points]
        lam, model, report = points[-1]
        self._take(problem, model, report, interrupted, lam)
        return self


class ConstrainedClassifier(SparseClassifier):
    """The smallest penalty with a mean loss of at most `eta`, of the hinge: no lambda to choose.

    Attributes as of `SparseClassifier`; multiplier_ is that of the constraint, about 1/lambda. An eta that no model
    satisfies is a ValueError that says the least loss seen.
    """

    def __init__(self, eta: float = 0.5, penalty: str = "l1", *, l1_ratio: float = 0.5, groups: Any = None,
                 intercept: bool = True, solver: str = "auto", precision: str = "auto", tolerance: float = 1e-4,
                 max_iterations: int = 1000000, class_weight: Any = None) -> None:
        super().__init__("hinge", penalty, l1_ratio=l1_ratio, groups=groups, intercept=intercept, solver=solver,
                         precision=precision, tolerance=tolerance, max_iterations=max_iterations,
                         class_weight=class_weight)
        self.eta = eta

    def _more_tags(self) -> dict[str, Any]:
        return {"_xfail_checks": {"check_sample_weights_invariance": "several intercepts satisfy the constraint at the "
                                  "same penalty, and samples of weight zero change which of them is found: without "
                                  "intercepts it passes"}}

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """As of `SparseClassifier`."""
        problem = self._problem(X, y, sample_weight)
        problem.struct.lambda_, problem.struct.eta = 0, self.eta
        model, report, interrupted = problem.train()
        if model is None:
            raise Refused(f"{lib.status_sentence(report.status)} (eta {self.eta:g}; the least mean loss seen is "
                          f"{report.constraint_value:.4g}, and none is below {report.constraint_bound:.4g})",
                          report.status)
        self._take(problem, model, report, interrupted, float("nan"))
        self.multiplier_ = report.multiplier
        return self
