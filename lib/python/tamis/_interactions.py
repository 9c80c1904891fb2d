"""Models of features and of products of two features."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_void_p
from typing import Any, NoReturn

import numpy as np

from . import _library as lib
from ._base import RegressorMixin
from ._classifier import Classifier, Estimator
from ._folds import ByFolds, validate_family
from ._library import NO_FEATURE, Refused, address
from ._models import TermsModel
from ._samples import Columns, check_lengths, column, encoded, refuse_value

HIERARCHIES = ["weak", "strong", "full", "main"]
NORMS = ["l1", "linf", "l2", "ridge"]


class _Interactions(ByFolds, Estimator):
    _takes_sparse = False
    _reads_all = False

    def __init__(self, lam: Any = 0.01, *, lambda2: float | None = None, hierarchy: str = "strong",
                 norm: str = "l1", intercept: bool = True, precision: str = "auto", tolerance: float = 1e-4,
                 max_iterations: int = 1000000, lambdas: Any = 50, lambda_ratio: float | None = None, folds: int = 5,
                 choose: str = "1se", measure: str = "error", random_state: Any = None) -> None:
        self.lam, self.lambda2, self.hierarchy, self.norm, self.intercept = lam, lambda2, hierarchy, norm, intercept
        self.precision, self.tolerance, self.max_iterations = precision, tolerance, max_iterations
        self._take_choice(lambdas, lambda_ratio, folds, choose, measure, random_state)

    def _train(self, columns: Columns, labels: np.ndarray | None, targets: np.ndarray | None, outputs: int) -> None:
        for value, names, what in ((self.hierarchy, HIERARCHIES, "hierarchy"), (self.norm, NORMS, "norm")):
            if value not in names:
                raise ValueError(f"{what} is one of {', '.join(names)}, not {value!r}")
        p = columns.precision
        problem = p.interactions_problem()
        p.call("default_interactions_problem")(byref(problem))
        columns.put(problem)
        problem.classes, problem.labels, problem.targets = outputs, address(labels), address(targets)
        problem.loss = 0 if labels is None else 1
        problem.tolerance, problem.max_iterations = self.tolerance, self.max_iterations
        problem.intercept = bool(self.intercept)
        problem.hierarchy, problem.norm = HIERARCHIES.index(self.hierarchy), NORMS.index(self.norm)
        if self.lambda2 is not None:
            problem.lambda2 = self.lambda2

        def refuse(_: str, __: Any, report: Any) -> NoReturn:
            if report.status == lib.INVALID_DATA:
                refuse_value(columns.source)
            raise Refused(lib.status_sentence(report.status), report.status, report.row, report.column)

        problem.lambda_ = lam = self._lambda(lambda: validate_family(
            self, p, "interactions_", problem, labels, columns.samples, 0.01, refuse))
        arena = lib.arena_of(p.call("interactions_bytes")(byref(problem)))
        state = p.interactions_state()
        status = p.call("interactions_start")(state, byref(problem), c_void_p(address(arena)), c_size_t(arena.size))
        step, interrupted = p.call("interactions_step"), False
        if status == lib.RUNNING:
            interrupted = lib.run_to_end(lambda steps: step(state, steps),
                                         lambda: p.call("interactions_stop")(state))
        report = p.report()
        p.call("interactions_report_of")(state, byref(report))
        if report.status >= lib.INFEASIBLE:
            refuse("", state, report)
        intercepts = np.zeros(outputs, p.dtype)
        of = p.call("interactions_terms_of")
        size = of(state, None, c_size_t(0), None, None)
        terms = np.zeros(size, TermsModel.dtype(p))
        of(state, c_void_p(address(terms)), c_size_t(size), c_void_p(address(intercepts)), None)
        self._model = TermsModel(p.name, terms, intercepts, columns.features)
        self.intercept_ = intercepts if labels is not None else intercepts[0]
        self.lambda_ = float(lam)
        usual = {"main": float("nan"), "full": lam}.get(self.hierarchy, lam / 2)
        self.lambda2_ = usual if self.lambda2 is None or self.hierarchy == "main" else float(self.lambda2)
        self._set_report(report, interrupted)

    def terms(self) -> list[tuple]:
        """(class or None, feature, other feature or None, coefficient) of all terms that are kept."""
        self._check_fitted()
        return [(None if not hasattr(self, "classes_") else self.classes_[t["output"]], int(t["first"]),
                 None if t["second"] == NO_FEATURE else int(t["second"]), float(t["coefficient"]))
                for t in self._model.terms]


class InteractionClassifier(Classifier, _Interactions):
    """Scores of features and products of two of them, which are paid for by the features in them, with the squared
    hinge and a certificate.

    hierarchy : "weak", a product needs one of its features; "strong", both; "full", none; "main", no products.
    norm : "l1", "linf", "l2", of the products of a feature; "ridge" for "full" and "main".
    lam, lambda2 : weights of effects and products; lam "cv": as of `SparseClassifier`, lambda_ratio None: 0.01;
        lambda2 None: lam/2, for "full" lam, also at each lambda of "cv".
    The others and the attributes are as of `SparseClassifier`, without coef_: `terms()` has the coefficients.
    """

    loss = "squared-hinge"
    _takes_sparse = False

    def fit(self, X: Any, y: Any):
        """X: (n_samples, n_features), dense; y: (n_samples,)."""
        X = self._check_samples(X, reset=True)
        self.classes_, labels = encoded(y, type(self).__name__)
        check_lengths(X, labels)
        columns = Columns(X, self.precision)
        self._train(columns, labels, None, len(self.classes_))
        self._keep_for_files(columns, labels)
        return self


class InteractionRegressor(RegressorMixin, _Interactions):
    """The regression of `InteractionClassifier`, by least squares."""

    loss = "least-squares"

    def fit(self, X: Any, y: Any):
        """X: (n_samples, n_features), dense; y: (n_samples,), numbers."""
        X = self._check_samples(X, reset=True)
        y = column(y, type(self).__name__)
        if y.dtype.kind not in "biufOUS":
            raise ValueError(f"y holds {y.dtype} instead of real numbers")
        columns = Columns(X, self.precision)
        targets = np.ascontiguousarray(y, columns.precision.dtype)
        check_lengths(X, targets)
        if not np.isfinite(targets).all():
            raise ValueError("Input y contains NaN or infinity.")
        self._train(columns, None, targets, 1)
        self._keep_for_files(columns, targets)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """(n_samples,)."""
        return self._scores(X)[:, 0]

    def _keep_for_files(self, columns: Columns, targets: np.ndarray) -> None:
        """The samples of the least and the largest target."""
        self._trained_on = columns.samples
        ends = [int(targets.argmin()), columns.samples - 1 - int(targets[::-1].argmax())]
        self._tested = columns.of_samples(np.array(list(dict.fromkeys(ends))), self._model.kept())
