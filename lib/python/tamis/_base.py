"""What estimators inherit: scikit-learn's classes where it is installed, as much of them as is needed elsewhere."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, TransformerMixin
    from sklearn.exceptions import NotFittedError

    if not hasattr(BaseEstimator, "_check_feature_names"):  # from 1.6 on
        from sklearn.utils.validation import _check_feature_names

        BaseEstimator = type("BaseEstimator", (BaseEstimator,), {"_check_feature_names": _check_feature_names})
except ImportError:
    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """An estimator is used before fit."""

    class BaseEstimator:  # type: ignore[no-redef]
        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **params: Any):
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            usual = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
            given = [f"{name}={value!r}" for name, value in self.get_params().items()
                     if repr(value) != repr(usual[name])]
            return f"{type(self).__name__}({', '.join(given)})"

        def _check_feature_names(self, X: Any, *, reset: bool) -> None:
            names = getattr(X, "columns", None)
            named = names is not None and all(isinstance(name, str) for name in names)
            if reset:
                self.__dict__.pop("feature_names_in_", None)
                if named:
                    self.feature_names_in_ = np.asarray(names, dtype=object)
            elif named and list(names) != list(self.__dict__.get("feature_names_in_", names)):
                raise ValueError("The feature names should match those that were passed during fit.")

    class ClassifierMixin:  # type: ignore[no-redef]
        _estimator_type = "classifier"

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    class RegressorMixin:  # type: ignore[no-redef]
        _estimator_type = "regressor"

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            y = np.asarray(y, float)
            mean = np.average(y, weights=sample_weight)
            left = np.average((y - self.predict(X)) ** 2, weights=sample_weight)
            return float(1 - left / np.average((y - mean) ** 2, weights=sample_weight))

    class TransformerMixin:  # type: ignore[no-redef]
        def fit_transform(self, X: Any, y: Any = None, **fit_params: Any):
            return self.fit(X, y, **fit_params).transform(X)
