"""Learning from one sample after the other, in memory that does not grow with their number."""

from __future__ import annotations

import warnings
from ctypes import byref, c_size_t, c_void_p
from numbers import Integral
from typing import Any

import numpy as np

from . import _library as lib
from ._library import Refused, address, precision_of
from ._linear import LOSSES, PENALTIES, Linear, number_of, put_groups
from ._models import LinearModel
from ._samples import Rows, check_lengths, column, encoded, is_sparse, refuse_value, weights_of

LEARNERS = ["dual-averaging", "fobos"]


class StreamingClassifier(Linear):
    """The problem of `SparseClassifier` by one step for each sample, without a certificate.

    learner : "dual-averaging", sparse models and a step of its own for each feature: learning_rate 0.1 serves where
        features are about one; or "fobos", steps learning_rate / sqrt(number of the sample).
    passes : of `fit` over its samples. The others are as of `SparseClassifier`.

    mean_error_, mean_loss_ : of samples before they were learned from; n_samples_seen_.
    """

    def __init__(self, loss: str = "logistic", penalty: str = "l1", lam: float = 0.001, *, learning_rate: float = 0.1,
                 learner: str = "dual-averaging", passes: int = 20, l1_ratio: float = 0.5, groups: Any = None,
                 intercept: bool = True, precision: str = "auto", class_weight: Any = None) -> None:
        self.loss, self.penalty, self.lam, self.learning_rate = loss, penalty, lam, learning_rate
        self.learner, self.passes, self.l1_ratio, self.groups = learner, passes, l1_ratio, groups
        self.intercept, self.precision, self.class_weight = intercept, precision, class_weight

    def _more_tags(self) -> dict[str, Any]:
        return {"_xfail_checks": {"check_sample_weights_invariance": "a stream learns from samples in their order, "
                                  "which the check changes"}}

    def _begin(self, precision: lib.Precision) -> None:
        p, model = precision, self.__dict__.get("_model")
        options = p.stream_options()
        p.call("default_stream_options")(byref(options))
        options.lambda_, options.learning_rate, options.l1_ratio = self.lam, self.learning_rate, self.l1_ratio
        options.features, options.classes = self.n_features_in_, len(self.classes_)
        options.intercept = bool(self.intercept)
        options.loss = number_of(self.loss, "loss", LOSSES)
        options.penalty = number_of(self.penalty, "penalty", PENALTIES)
        options.learner = number_of(self.learner, "learner", LEARNERS)
        held = put_groups(options, self.groups, self.n_features_in_)
        if model is not None:
            options.from_, options.seen = address(model.table), self.n_samples_seen_
        state, arena = p.stream_state(), lib.arena_of(p.call("stream_bytes")(byref(options)))
        status = p.call("stream_begin")(state, byref(options), c_void_p(address(arena)), c_size_t(arena.size))
        if status != lib.RUNNING:
            raise Refused(lib.status_sentence(status), status)
        self._stream = p, state, arena, held, model
        self.lambda_ = float(self.lam)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None):
        """Learns from a block of samples (n_samples, n_features), dense or sparse. classes: all there are, at the
        first call. A block with a value that is not finite is refused as a whole."""
        first = "_model" not in self.__dict__
        X = self._check_samples(X, reset=first)
        y = column(y, type(self).__name__)
        check_lengths(X, y)
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight 'balanced' is not known from a block: give weights of the classes")
        if first and classes is None:
            raise ValueError("classes must be given at the first call of partial_fit")
        known = self.classes_ if classes is None else encoded(np.asarray(classes), type(self).__name__)[0]
        if not first and not np.array_equal(known, self.classes_):
            raise ValueError(f"classes are {known}, and those of the first call of partial_fit are {self.classes_}")
        number = {label: k for k, label in enumerate(known.tolist())}
        unknown = set(y.tolist()) - set(number)
        if unknown:
            raise ValueError(f"y has labels that classes has not: {sorted(map(str, unknown))[:5]}")
        self.classes_ = known
        return self._learn(X, np.array([number[label] for label in y.tolist()], np.uint16), sample_weight)

    def _learn(self, X: Any, labels: np.ndarray, sample_weight: Any, passes: int = 1, relative: bool = False):
        if "_stream" not in self.__dict__:
            known = self.__dict__.get("_model")
            self._begin(known.precision if known else precision_of(self.precision, X.dtype))
        p = self._stream[0]
        weights = weights_of(sample_weight, self.class_weight, self.classes_, labels, p.dtype)
        if weights is not None:
            if not (weights >= 0).all() or not np.isfinite(weights.sum()):
                raise Refused(lib.status_sentence(lib.INVALID_WEIGHT), lib.INVALID_WEIGHT)
            if relative and weights.any():
                weights = weights / weights.mean()
        rows = Rows(X, p)
        if not is_sparse(X) and rows.struct.column_stride != 1:
            rows = Rows(np.ascontiguousarray(rows.values), p)
        refuse_value(rows.source)
        try:
            for _ in range(passes):
                self._update(rows, labels, weights)
        finally:
            self._take()
        return self

    def _update(self, rows: Rows, labels: np.ndarray, weights: np.ndarray | None) -> None:
        """Learns from all rows, in calls between which the interpreter sees signals."""
        p, state = self._stream[:2]
        part, end, size = p.samples.from_buffer_copy(rows.struct), rows.count, p.dtype.itemsize
        most = max(1, 10**7 // (len(self.classes_) * (rows.values.size // end + 1)))
        for begin in range(0, end, most):
            part.samples = min(most, end - begin)
            if part.columns:
                part.starts = rows.struct.starts + 4 * begin
            else:
                part.values = rows.struct.values + size * begin * part.row_stride
            p.call("stream_update_samples")(state, byref(part), c_void_p(address(labels[begin:])),
                                            c_void_p(None if weights is None else address(weights[begin:])))

    def _take(self) -> None:
        """What has been learned."""
        p, state = self._stream[:2]
        report, struct = p.stream_report(), p.model()
        p.call("stream_report_of")(state, byref(report))
        p.call("stream_model")(state, byref(struct))
        if report.overflowed:
            raise Refused("scores or gradients overflow: the learning rate is too large", report.last_refusal)
        if not report.samples:
            return
        self._set_model(LinearModel.of(p, struct))
        self.n_samples_seen_ = self._trained_on = report.samples
        self.mean_error_, self.mean_loss_, self.arena_bytes_ = report.mean_error, report.mean_loss, report.arena_bytes
        self._tested = np.empty((0, 0))

    def fit(self, X: Any, y: Any, sample_weight: Any = None):
        """Learns from all samples, `passes` times, from the beginning. KeyboardInterrupt ends it with what it has
        learned, and `partial_fit` too, from which it passes."""
        X = self._check_samples(X, reset=True)
        self.classes_, labels = encoded(y, type(self).__name__)
        check_lengths(X, labels)
        if not isinstance(self.passes, Integral) or self.passes < 1:
            raise ValueError(f"passes is a whole number, at least 1, not {self.passes!r}")
        try:
            return self._learn(X, labels, sample_weight, self.passes, relative=True)
        except KeyboardInterrupt:
            if "_model" not in self.__dict__:
                raise
            warnings.warn(f"KeyboardInterrupt has ended training after {self.n_samples_seen_} samples",
                          lib.ConvergenceWarning, stacklevel=2)
            return self
