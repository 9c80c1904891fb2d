"""Which lambda: grids, folds, and what held-out samples say of each lambda."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_uint32, c_uint64, c_void_p
from numbers import Integral
from typing import Any, Callable, NoReturn

import numpy as np

from . import _library as lib
from ._library import address


def grid_of(p: lib.Precision, lambdas: Any, ratio: float, first: float | None, max_features: int | None = None) -> Any:
    """lambdas: how many, or which."""
    grid = p.grid()
    p.call("default_grid")(byref(grid))
    grid.ratio = ratio
    if not 0 < ratio <= 1:
        raise ValueError(f"lambda_ratio is above 0 and at most 1, not {ratio!r}")
    if first is not None:
        grid.first = first
    if max_features is not None:
        grid.max_features = max_features
    if np.isscalar(lambdas):
        if not 1 <= lambdas <= 100000:
            raise ValueError(f"lambdas is a number from 1 to 100000, or a list of lambdas, not {lambdas!r}")
        grid.points = lambdas
    else:
        values = grid.__dict__["held"] = np.ascontiguousarray(lambdas, p.dtype).ravel()
        grid.lambdas, grid.points = address(values), len(values)
    return grid


def seed_of(random_state: Any) -> int:
    """Of None, a number, or a numpy.random.RandomState, which draws one."""
    if random_state is not None and not isinstance(random_state, Integral) and not hasattr(random_state, "randint"):
        raise ValueError("random_state is None, a whole number or a numpy.random.RandomState, not "
                         f"{type(random_state).__name__}")
    return int(random_state.randint(2**31) if hasattr(random_state, "randint") else random_state or 0)


class ByFolds:
    """Of estimators with `lam`: a number, or "cv", chosen by cross-validation."""

    def _take_choice(self, lambdas: Any, lambda_ratio: float | None, folds: int, choose: str, measure: str,
                     random_state: Any) -> None:
        self.lambdas, self.lambda_ratio, self.folds = lambdas, lambda_ratio, folds
        self.choose, self.measure, self.random_state = choose, measure, random_state

    def _deal(self, labels: np.ndarray | None, samples: int) -> np.ndarray:
        """The fold of each sample; every fold has its share of every class. labels None: a regression."""
        classes = 1 if labels is None else len(self.classes_)
        of = np.zeros(samples, np.uint16) if labels is None else labels
        fold, order, rare = np.empty(samples, np.uint32), np.empty(samples, np.uint32), c_uint32(classes)
        if not 2 <= self.folds <= samples or not lib.library.tamis_deal_folds(
                c_void_p(address(of)), c_uint32(samples), c_uint32(classes), c_uint32(self.folds), labels is not None,
                c_uint64(seed_of(self.random_state)), c_void_p(address(fold)), c_void_p(address(order)), byref(rare)):
            who = f": class {self.classes_[rare.value]!r} has fewer" if rare.value < classes else ""
            raise ValueError(f"{self.folds} folds need at least 2 folds and as many samples of every class{who}")
        return fold

    def _lambda(self, validate: Callable[[], tuple[list, dict]]) -> float:
        """lam, or what is chosen of the held-out samples that `validate` has."""
        if not isinstance(self.lam, str):
            return self.lam
        if self.lam != "cv":
            raise ValueError(f"lam is a number or 'cv', not {self.lam!r}")
        if self.choose not in ("1se", "min") or self.measure not in ("error", "loss"):
            raise ValueError("choose is '1se' or 'min', and measure 'error' or 'loss'")
        self.held_out_, best = validate()
        return self.held_out_[best[f"{self.choose} {self.measure}"]]["lambda"]


def validate_family(e: ByFolds, p: lib.Precision, family: str, problem: Any, labels: np.ndarray | None,
                    samples: int, ratio: float, refuse: Callable[[str, Any, Any], NoReturn]) -> tuple[list, dict]:
    """As cross_validate, of a problem of "interactions_" or "kernels_"; refuse: what of the family, which, report."""
    first = None
    if np.isscalar(e.lambdas):
        arena = lib.arena_of(p.call(f"{family}bytes")(byref(problem)))
        first = p.call(f"{family}first_lambda")(byref(problem), c_void_p(address(arena)), c_size_t(arena.size))
    grid = grid_of(p, e.lambdas, ratio if e.lambda_ratio is None else e.lambda_ratio, first)
    fold = e._deal(labels, samples)
    of = byref(problem), byref(grid), c_void_p(address(fold)), c_uint32(e.folds)
    arena = lib.arena_of(p.call(f"{family}cross_validation_bytes")(*of))
    return cross_validate(p, family, grid.points,
                          lambda state: p.call(f"{family}cross_validation_start")(
                              state, *of, c_void_p(address(arena)), c_size_t(arena.size)),
                          lambda state, report: refuse("cross_validation_", state, report))


def cross_validate(p: lib.Precision, family: str, points: int, start: Callable[[Any], int],
                   refuse: Callable[[Any, Any], NoReturn]) -> tuple[list, dict]:
    """What the held-out samples say of each point, and the numbers of the best ones. KeyboardInterrupt passes."""
    def call(name: str) -> Callable[..., Any]:
        return p.call(f"{family}cross_validation_{name}")

    state, step = getattr(p, f"{family}cross_validation_state")(), call("step")
    if start(state) == lib.RUNNING and lib.run_to_end(lambda steps: step(state, steps), lambda: call("stop")(state)):
        raise KeyboardInterrupt
    report = p.report()
    call("report")(state, byref(report))
    if report.status != lib.CONVERGED:
        refuse(state, report)
    held_out = []
    for point in range(points):
        held = p.held_out()
        call("at")(state, c_uint32(point), byref(held))
        held_out.append({name.rstrip("_"): getattr(held, name) for name, _ in held._fields_})
    return held_out, {f"{choose} {measure}": call(function)(state, c_uint32(number))
                      for choose, function in (("min", "best"), ("1se", "one_standard_error"))
                      for number, measure in enumerate(("error", "loss"))}
