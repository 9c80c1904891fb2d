"""What all classifiers have: checks of samples, scores, probabilities, what is said of a fitted model."""

from __future__ import annotations

import warnings
from ctypes import byref, c_uint32, c_void_p
from typing import Any

import numpy as np

from . import _files
from . import _library as lib
from ._base import BaseEstimator, ClassifierMixin, NotFittedError
from ._library import address
from ._samples import Rows, check_lengths, checked, refuse_value


class Estimator(BaseEstimator):
    """What classifiers and regressions have."""

    _takes_sparse = False

    def _check_samples(self, X: Any, reset: bool) -> Any:
        who = type(self).__name__
        if reset:  # nothing is left of another fit, or of a file
            for name in ("_model", "_stream", "_divisor", "_standardisation", "_compared", "_names_of_file"):
                self.__dict__.pop(name, None)
        if not reset and hasattr(X, "shape") and not isinstance(X, np.ndarray):
            self._check_feature_names(X, reset=False)
        elif not reset and hasattr(self, "feature_names_in_"):
            self._check_feature_names(X, reset=False)
        array = checked(X, who, self._takes_sparse)
        if reset:
            self._check_feature_names(X, reset=True)
            self.n_features_in_ = array.shape[1]
        elif array.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {array.shape[1]} features, but {who} is expecting {self.n_features_in_} features "
                             "as input.")
        return array

    _check_lengths = staticmethod(check_lengths)

    def _names_in(self, names: Any = None) -> np.ndarray:
        """Of the features: `names`, which cannot be others than those of fit, or those of fit, or x0, x1, …"""
        self._check_fitted()
        fitted = getattr(self, "feature_names_in_", None)
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)] if fitted is None else fitted
        if len(names) != self.n_features_in_ or fitted is not None and list(names) != list(fitted):
            raise ValueError(f"input_features is not equal to the {self.n_features_in_} names of the features that "
                             f"{type(self).__name__} was fitted with")
        return np.asarray(names, dtype=object)

    def __getstate__(self) -> dict:
        state = super().__getstate__() if hasattr(super(), "__getstate__") else self.__dict__
        return {**{name: value for name, value in state.items() if name != "_stream"},
                "_tamis_version": lib.__version__}

    def __setstate__(self, state: dict) -> None:
        state = dict(state)
        version = state.pop("_tamis_version", "an earlier version")
        if version != lib.__version__:
            warnings.warn(f"this {type(self).__name__} was pickled by tamis {version}, and may not be right with tamis "
                          f"{lib.__version__}: model files (to_json) are", stacklevel=2)
        super().__setstate__(state) if hasattr(super(), "__setstate__") else self.__dict__.update(state)

    def _check_fitted(self) -> None:
        if "_model" not in self.__dict__:
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate "
                                 "arguments before using this estimator.")

    def __sklearn_is_fitted__(self) -> bool:
        return "_model" in self.__dict__

    def _scores(self, X: Any) -> np.ndarray:
        """(n_samples, n_outputs); values that are not finite are refused."""
        self._check_fitted()
        X = self._check_samples(X, reset=False)
        if self._divisor != 1:
            X = X.astype(np.float64) / self._divisor
        if self._compared is not None:
            X = (X - self._compared[0]) / self._compared[1]
        rows = Rows(X, self._model.precision)
        scores = self._model.scores(rows)
        finite = np.isfinite(scores).all()
        if not finite or not self._reads_all:
            refuse_value(rows.source)
        if not finite:
            raise ValueError(f"the scores of a sample are too large for {self._model.precision.name} numbers")
        return scores

    _divisor = 1.0  # of a model of the command that divides features
    _compared: Any = None  # means and scales of one whose kernels compare standardised features
    _reads_all = True  # scores of a sample that is not finite are not finite

    def _set_report(self, report: Any, interrupted: bool = False) -> None:
        self.report_ = lib.report_as_dict(report)
        self.status_ = self.report_["status"]
        self.objective_, self.gap_, self.relative_gap_ = report.objective, report.gap, report.relative_gap
        self.n_iter_ = max(1, report.iterations)
        self.arena_bytes_ = report.arena_bytes
        lib.warn_of(report.status, report, interrupted, self.tolerance)

    def _keep_for_files(self, columns: Any, labels: np.ndarray) -> None:
        """What files say of training: how many samples, and one of each class for self-tests."""
        self._trained_on = columns.samples
        _, first = np.unique(labels, return_index=True)
        self._tested = columns.of_samples(np.sort(first), self._model.kept())

    def to_json(self, path: Any = None) -> str:
        """The model as the command writes it, and into a file if `path` is given."""
        self._check_fitted()
        return _files.write(path, _files.to_json(self))

    def to_c(self, path: Any = None, *, name: str | None = None, precision: str = "float", quantise: str | None = None,
             data: Any = None) -> str:
        """The model as a C99 header, as the command's `export` writes it. name: prefix of its symbols, of the file's
        name by default. quantise: "int8" or "int16", integers made of the ranges of `data` (n_samples, n_features),
        such as that of training."""
        self._check_fitted()
        return _files.write(path, _files.to_c(self, path, name, precision, quantise, data))

    def _sizes(self) -> list[tuple[str, str]]:
        """What is said of it in a notebook, once it is fitted."""
        certificate: list[tuple[str, str]] = []
        if "relative_gap_" in self.__dict__:
            certificate = [("status", self.status_), ("objective", f"{self.objective_:.6g}"),
                           ("gap", f"{self.gap_:.2g}, relative {self.relative_gap_:.2g}"),
                           ("lambda", f"{self.lambda_:.6g}"), ("iterations", str(self.n_iter_))]
        if "arena_bytes_" in self.__dict__:
            certificate.append(("working memory", f"{self.arena_bytes_} bytes"))
        return [*self._sizes_of_model(), *certificate]

    def _sizes_of_model(self) -> list[tuple[str, str]]:
        kept, names = self._model.kept(), _files._feature_names(self)
        first = ", ".join(names[j] for j in kept[:10]) + (", …" if len(kept) > 10 else "")
        return [("kept features", f"{len(kept)} of {self.n_features_in_}" + (f": {first}" if first else "")),
                ("model", f"{self._model.numbers()} numbers")]

    def _repr_html_(self) -> str:
        from html import escape

        rows = self._sizes() if self.__sklearn_is_fitted__() else [("", "not fitted")]
        name, value = "style='text-align:left;white-space:nowrap'", "style='text-align:left'"
        cells = "".join(f"<tr><th {name}>{escape(a)}</th><td {value}>{escape(b)}</td></tr>" for a, b in rows)
        return f"<table><caption {name}>{escape(repr(self))}</caption>{cells}</table>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


class Classifier(ClassifierMixin, Estimator):
    _takes_sparse = True
    _calibrated: Any = None

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores (n_samples, n_classes); of two classes (n_samples,), that of the second minus that of the first."""
        scores = self._scores(X)
        if scores.shape[1] == 1:
            return scores[:, 0]
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """(n_samples,): the class of the largest score, the first of equals."""
        scores = self._scores(X)
        numbers = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[numbers]

    @property
    def predict_proba(self):
        """Probabilities (n_samples, n_classes), of the logistic loss or with `calibration`."""
        if getattr(self, "loss", None) != "logistic" and not (self._calibrated or getattr(self, "calibration", None)):
            raise AttributeError(f"predict_proba: scores of {type(self).__name__} with this loss are no probabilities; "
                                 "calibration='softmax' or 'sigmoid' fits some")
        return self._predict_proba

    def _predict_proba(self, X: Any) -> np.ndarray:
        scores = self._scores(X).astype(np.float64)
        slopes = offsets = None
        kind = 1
        if self._calibrated:
            name, slopes, offsets = self._calibrated
            kind = ["sigmoid", "softmax"].index(name)
        by = lib.DOUBLE.calibration(address(slopes), address(offsets), scores.shape[1], kind)
        lib.DOUBLE.call("probabilities_of_scores")(byref(by), c_uint32(len(scores)), c_void_p(address(scores)))
        return scores

    @property
    def predict_log_proba(self):
        """Logarithms of them."""
        probabilities = self.predict_proba
        return lambda X: np.log(probabilities(X))
