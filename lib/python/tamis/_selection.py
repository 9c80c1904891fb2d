"""Stability selection, by as many processes as there are."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p
from numbers import Integral
from typing import Any

import numpy as np

from . import _library as lib
from ._base import TransformerMixin
from ._classifier import Estimator
from ._folds import seed_of
from ._library import address
from ._linear import SparseClassifier
from ._samples import is_sparse, refuse_value


class _Options(lib.Options):
    _fields_ = [("seed", c_uint64), ("pairs", c_uint32)]


def _frequencies(estimator: "StabilitySelector", X: Any, y: Any, sample_weight: Any, first: float, seed: int,
                 pairs: int) -> tuple[np.ndarray, float]:
    """The share of 2 pairs halves that keep a unit, (n_points, n_units), and how many a half keeps."""
    base = estimator._base()
    problem = base._problem(X, y, sample_weight)
    problem.check()
    p = problem.precision
    grid = problem.grid(estimator.lambdas, estimator.lambda_ratio, first, estimator.max_features)
    state, arena = problem._state("stability", "stability_fast_bytes", byref(grid))
    status = p.call("stability_start")(state, byref(problem.struct), byref(grid), byref(_Options(seed, pairs)),
                                       c_void_p(address(arena)), c_size_t(arena.size))
    step = p.call("stability_step")
    if status == lib.RUNNING and lib.run_to_end(lambda steps: step(state, steps),
                                                lambda: p.call("stability_stop")(state)):
        raise KeyboardInterrupt
    report, progress = p.report(), p.stability_progress()
    p.call("stability_report")(state, byref(report))
    p.call("stability_progress_of")(state, byref(progress))
    if progress.status != lib.CONVERGED:
        problem.refuse(progress.status, report)
    of = p.call("stability_frequency")
    return np.array([[of(state, c_uint32(unit), c_uint32(point)) for unit in range(progress.units)]
                     for point in range(grid.points)]), progress.selected


class StabilitySelector(TransformerMixin, Estimator):
    """Features that the path keeps whichever half of the samples it sees (Shah and Samworth, 2013).

    threshold : share of the halves that has to keep a feature, above 1/2. pairs : of complementary halves.
    lambdas, lambda_ratio, max_features : of the path of each half, as of `SparsePathClassifier`.
    n_jobs : processes of joblib. The pairs are dealt in fives, each with a seed of its own: the result is the same for
        any n_jobs and any backend, Dask's too.
    The others are as of `SparseClassifier`.

    frequencies_ : (n_features,), the largest share over the lambdas; by_lambda_ : (n_lambdas, n_features);
    false_selections_ : a bound of how many selected features are expected to be there by chance;
    selected_ : how many features a half keeps on average.
    """

    _takes_sparse = True
    _PAIRS = 5  # of a task

    def __init__(self, loss: str = "logistic", penalty: str = "group-l2", *, threshold: float = 0.75, pairs: int = 50,
                 lambdas: int = 20, lambda_ratio: float = 0.1, max_features: int | None = None,
                 l1_ratio: float = 0.5, intercept: bool = True, precision: str = "auto", tolerance: float = 1e-3,
                 max_iterations: int = 1000000, class_weight: Any = None, random_state: int | None = None,
                 n_jobs: int | None = None) -> None:
        self.loss, self.penalty, self.threshold, self.pairs = loss, penalty, threshold, pairs
        self.lambdas, self.lambda_ratio, self.max_features = lambdas, lambda_ratio, max_features
        self.l1_ratio = l1_ratio
        self.intercept, self.precision, self.tolerance = intercept, precision, tolerance
        self.max_iterations, self.class_weight = max_iterations, class_weight
        self.random_state, self.n_jobs = random_state, n_jobs

    def _base(self) -> SparseClassifier:
        return SparseClassifier(self.loss, self.penalty, l1_ratio=self.l1_ratio, intercept=self.intercept,
                                precision=self.precision, tolerance=self.tolerance,
                                max_iterations=self.max_iterations, class_weight=self.class_weight)

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """X: (n_samples, n_features); y: (n_samples,)."""
        array = self._check_samples(X, reset=True)
        if not 0.5 < self.threshold <= 1:
            raise ValueError(f"threshold is above 1/2 and at most 1, not {self.threshold}")
        if not isinstance(self.pairs, Integral) or self.pairs < 1:
            raise ValueError(f"pairs is a whole number, at least 1, not {self.pairs!r}")
        first = self._base()._problem(array, y, sample_weight).first_lambda()
        sizes = [min(self._PAIRS, self.pairs - begin) for begin in range(0, self.pairs, self._PAIRS)]
        seed = seed_of(self.random_state)
        seeds = [(seed * 65537 + number) % 2**64 for number in range(len(sizes))]
        tasks = [(self, array, y, sample_weight, first, seed, size) for seed, size in zip(seeds, sizes)]
        if self.n_jobs in (None, 1):
            done = [_frequencies(*task) for task in tasks]
        else:
            from joblib import Parallel, delayed

            done = Parallel(n_jobs=self.n_jobs)(delayed(_frequencies)(*task) for task in tasks)
        share = np.array(sizes) / sum(sizes)
        self.by_lambda_ = np.tensordot(share, np.stack([frequencies for frequencies, _ in done]), 1)
        self.frequencies_ = self.by_lambda_.max(axis=0)
        self.selected_ = float(share @ [selected for _, selected in done])
        self.false_selections_ = self.selected_**2 / ((2 * self.threshold - 1) * len(self.frequencies_))
        self._model = None  # fitted
        return self

    def get_support(self, indices: bool = False) -> np.ndarray:
        """The selection as a mask (n_features,), or as numbers."""
        self._check_fitted()
        mask = self.frequencies_ >= self.threshold
        return np.flatnonzero(mask) if indices else mask

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        return self._names_in(input_features)[self.get_support()]

    def transform(self, X: Any) -> Any:
        """The columns of the selection: (n_samples, n_selected)."""
        self._check_fitted()
        X = self._check_samples(X, reset=False)
        refuse_value(X)
        mask = self.get_support()
        return X.tocsc()[:, np.flatnonzero(mask)] if is_sparse(X) else X[:, mask]

    def _sizes(self) -> list[tuple[str, str]]:
        return [("selected features", f"{self.get_support().sum()} of {self.n_features_in_}"),
                ("expected false ones, at most", f"{self.false_selections_:.2g}")]
