"""Comparison with training samples by several kernels at once."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_void_p
from typing import Any, NoReturn, Sequence

import numpy as np

from . import _library as lib
from ._classifier import Classifier
from ._files import KERNELS, PARAMETERS
from ._folds import ByFolds, validate_family
from ._library import Refused, address
from ._models import KernelsModel
from ._samples import Columns, check_lengths, encoded, refuse_value


class _Refusal(ctypes.Structure):
    _fields_ = [("fault", c_uint32), ("kernel", c_uint32), ("row", c_uint32), ("column", c_uint32),
                ("sentence", c_char_p)]


def parsed(text: str) -> tuple[int, float, float]:
    """"gaussian:0.5", "polynomial:2,1", "linear": as the command takes kernels."""
    name, _, numbers = str(text).partition(":")
    if name not in KERNELS:
        raise ValueError(f"a kernel is one of {', '.join(KERNELS)}, not {name!r}")
    try:
        given = [float(number) for number in numbers.split(",")] if numbers else []
    except ValueError as error:
        raise ValueError(f"kernel {text!r}: {error}") from None
    if len(given) != PARAMETERS.get(name, 0):
        raise ValueError(f"kernel {name} takes {PARAMETERS.get(name, 0)} numbers, and {text!r} has {len(given)}")
    a, b = (given + [0.0, 0.0])[:2]
    return KERNELS.index(name), a, b


class KernelClassifier(ByFolds, Classifier):
    """Scores b_k + sum_tl alpha_tlk k_t(x_l, x) of kernels t and training samples l, with the squared hinge, a norm of
    alpha that keeps few of them, and a certificate.

    kernels : a text, or several, such as "gaussian:0.5" (width), "polynomial:2,1", "sigmoid:0.1,-1", "linear",
        "constant".
    p, q, r : 1 or 2 each: the penalty (lam/q) ||alpha||^q, groups being samples (r = 1) or kernels (r = 2); p = 2,
        q = 1 keeps whole groups, p = q = 1 few pairs, p = q = 2 all.
    lam : its weight, or "cv": as of `SparseClassifier`, lambda_ratio None: 0.001, of q = 2 0.00001.
    The others and the attributes are as of `SparseClassifier`. The arena has the matrices of kernels: n_kernels
    n_samples^2 numbers.
    """

    loss = "squared-hinge"
    _takes_sparse = False
    _reads_all = False

    def __init__(self, kernels: str | Sequence[str] = ("gaussian:1",), p: int = 2, q: int = 1, r: int = 1,
                 lam: Any = 0.01, *, intercept: bool = False, precision: str = "auto", tolerance: float = 1e-4,
                 max_iterations: int = 1000000, lambdas: Any = 50, lambda_ratio: float | None = None, folds: int = 5,
                 choose: str = "1se", measure: str = "error", random_state: Any = None) -> None:
        self.kernels, self.p, self.q, self.r, self.lam, self.intercept = kernels, p, q, r, lam, intercept
        self.precision, self.tolerance, self.max_iterations = precision, tolerance, max_iterations
        self._take_choice(lambdas, lambda_ratio, folds, choose, measure, random_state)

    def _penalty_name(self) -> str:
        return "mixed-norm"

    def fit(self, X: Any, y: Any):
        """X: (n_samples, n_features), dense; y: (n_samples,)."""
        X = self._check_samples(X, reset=True)
        self.classes_, labels = encoded(y, type(self).__name__)
        check_lengths(X, labels)
        columns = Columns(X, self.precision)
        p = columns.precision
        texts = [self.kernels] if isinstance(self.kernels, str) else self.kernels
        kernels = np.array([parsed(k) for k in texts], KernelsModel.kernel_dtype(p))
        problem = p.kernels_problem()
        p.call("default_kernels_problem")(byref(problem))
        columns.put(problem)
        problem.classes, problem.labels = len(self.classes_), address(labels)
        problem.kernels, problem.kernel_count = address(kernels), len(kernels)
        problem.p, problem.q, problem.r = self.p, self.q, self.r
        problem.tolerance, problem.max_iterations = self.tolerance, self.max_iterations
        problem.intercept = bool(self.intercept)

        def refuse(what: str, state: Any, report: Any) -> NoReturn:
            if report.status == lib.INVALID_DATA:
                refuse_value(columns.source)
            refusal = _Refusal()
            p.call(f"kernels_{what}refusal{'_of' * (not what)}")(state, byref(refusal))
            raise Refused(refusal.sentence.decode(), report.status, report.row, report.column)

        problem.lambda_ = lam = self._lambda(lambda: validate_family(
            self, p, "kernels_", problem, labels, columns.samples, 1e-3 if self.q == 1 else 1e-5, refuse))
        arena = lib.arena_of(p.call("kernels_bytes")(byref(problem)))
        state = p.kernels_state()
        status = p.call("kernels_start")(state, byref(problem), c_void_p(address(arena)), c_size_t(arena.size))
        step, interrupted = p.call("kernels_step"), False
        if status == lib.RUNNING:
            interrupted = lib.run_to_end(lambda steps: step(state, steps), lambda: p.call("kernels_stop")(state))
        report = p.report()
        p.call("kernels_report_of")(state, byref(report))
        if report.status >= lib.INFEASIBLE:
            refuse("", state, report)
        memory = lib.arena_of(p.call("kernels_model_bytes")(state))
        struct = p.kernels_model()
        p.call("kernels_model_of")(state, c_void_p(address(memory)), c_size_t(memory.size), byref(struct))
        self._model = KernelsModel.of(p, struct)
        self.intercept_, self.support_ = self._model.intercepts, self._model.origins
        self.lambda_ = float(lam)
        self._set_report(report, interrupted)
        self._keep_for_files(columns, labels)
        return self

    def _sizes_of_model(self) -> list[tuple[str, str]]:
        return [("kept samples", f"{len(self.support_)} of {self._trained_on}"),
                ("model", f"{self._model.numbers()} numbers")]
