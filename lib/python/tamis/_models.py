"""Fitted models as the library reads them, apart from estimators: what predicts, and what files are made of."""

from __future__ import annotations

import ctypes
from ctypes import byref
from typing import Any

import numpy as np

from ._library import ALIGNMENT, NO_FEATURE, Precision, address, arena_of, precision_of
from ._samples import Rows


class LinearModel:
    """Coefficients of (features + 1) rows, padded to 16 bytes; the last row has the intercepts."""

    def __init__(self, precision: str, table: np.ndarray, features: int, classes: int) -> None:
        self.precision: Precision = precision_of(precision, None)
        if address(table) % ALIGNMENT or not table.flags.c_contiguous:
            memory = arena_of(table.nbytes).view(table.dtype).reshape(table.shape)
            memory[...] = table
            table = memory
        self.table, self.features, self.classes = table, features, classes
        self.struct = self.precision.model(address(table), features, classes)
        self._reference = byref(self.struct)
        self._call = self.precision.call("scores_of_samples")

    def __reduce__(self):
        return LinearModel, (self.precision.name, self.table, self.features, self.classes)

    @classmethod
    def of(cls, precision: Precision, struct: Any) -> "LinearModel":
        """A copy of what a run has in its arena."""
        stride = precision.padded(struct.classes)
        size = (struct.features + 1) * stride
        view = np.ctypeslib.as_array(ctypes.cast(struct.coefficients, ctypes.POINTER(precision.real)), (size,))
        return cls(precision.name, view.reshape(-1, stride).copy(), struct.features, struct.classes)

    @classmethod
    def from_weights(cls, precision: Precision, weights: np.ndarray, intercepts: np.ndarray) -> "LinearModel":
        """weights: features × classes."""
        features, classes = weights.shape
        table = np.zeros((features + 1, precision.padded(classes)), precision.dtype)
        table[:features, :classes] = weights
        table[features, :classes] = intercepts
        return cls(precision.name, table, features, classes)

    @property
    def weights(self) -> np.ndarray:
        """features × classes, a view."""
        return self.table[: self.features, : self.classes]

    @property
    def intercepts(self) -> np.ndarray:
        return self.table[self.features, : self.classes]

    def kept(self) -> np.ndarray:
        return np.flatnonzero((self.weights != 0).any(axis=1))

    def numbers(self) -> int:
        """That are not zero."""
        return int(np.count_nonzero(self.table))

    def scores(self, rows: Rows) -> np.ndarray:
        """samples × classes."""
        out = np.empty((rows.count, self.classes), self.precision.dtype)
        self._call(self._reference, byref(rows.struct), address(out))
        return out


class TermsModel:
    """Terms of interactions: `terms` has the fields output, first, second, coefficient."""

    def __init__(self, precision: str, terms: np.ndarray, intercepts: np.ndarray, features: int) -> None:
        self.precision: Precision = precision_of(precision, None)
        self.terms, self.intercepts, self.features = terms, intercepts, features
        self.struct = self.precision.interactions_model(address(terms), address(intercepts), len(terms), features,
                                                        len(intercepts))

    def __reduce__(self):
        return TermsModel, (self.precision.name, self.terms, self.intercepts, self.features)

    @staticmethod
    def dtype(precision: Precision) -> np.dtype:
        real = precision.dtype
        return np.dtype([("output", "u4"), ("first", "u4"), ("second", "u4"), ("coefficient", real)], align=True)

    def kept(self) -> np.ndarray:
        products = self.terms["second"] != NO_FEATURE
        return np.unique(np.concatenate([self.terms["first"], self.terms["second"][products]])).astype(np.int64)

    def numbers(self) -> int:
        return len(self.terms) + int(np.count_nonzero(self.intercepts))

    def scores(self, rows: Rows) -> np.ndarray:
        """samples × outputs."""
        out = np.empty((rows.count, len(self.intercepts)), self.precision.dtype)
        self.precision.call("interactions_scores_of_samples")(byref(self.struct), byref(rows.struct),
                                                              ctypes.c_void_p(address(out)))
        return out


class KernelsModel:
    """What is kept of kernels and training samples."""

    TERM = np.dtype([("kernel", "u4"), ("sample", "u4")])

    def kept(self) -> np.ndarray:
        return np.arange(self.features)  # kernels take all

    def numbers(self) -> int:
        return int(sum(np.count_nonzero(part) for part in (self.samples, self.coefficients, self.intercepts)))

    def __init__(self, precision: str, kernels: np.ndarray, samples: np.ndarray, terms: np.ndarray,
                 coefficients: np.ndarray, intercepts: np.ndarray, origins: np.ndarray) -> None:
        self.precision: Precision = precision_of(precision, None)
        self.kernels, self.samples, self.terms = kernels, samples, terms
        self.coefficients, self.intercepts, self.origins = coefficients, intercepts, origins
        self.features = samples.shape[1]
        self.struct = self.precision.kernels_model(
            address(kernels), address(samples), address(terms), address(coefficients), address(intercepts),
            address(origins), len(kernels), len(samples), len(terms), self.features, len(intercepts))

    def __reduce__(self):
        return KernelsModel, (self.precision.name, self.kernels, self.samples, self.terms, self.coefficients,
                              self.intercepts, self.origins)

    @staticmethod
    def kernel_dtype(precision: Precision) -> np.dtype:
        return np.dtype([("kind", "u1"), ("a", precision.dtype), ("b", precision.dtype)], align=True)

    @classmethod
    def of(cls, precision: Precision, m: Any) -> "KernelsModel":
        def copy(pointer: int | None, dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
            dtype = np.dtype(dtype)
            size = int(np.prod(shape)) * dtype.itemsize
            raw = ctypes.string_at(pointer, size) if size else b""
            return np.frombuffer(bytearray(raw), dtype).reshape(shape)

        real = precision.dtype
        return cls(precision.name, copy(m.kernels, cls.kernel_dtype(precision), (m.kernel_count,)),
                   copy(m.samples, real, (m.sample_count, m.features)), copy(m.terms, cls.TERM, (m.term_count,)),
                   copy(m.coefficients, real, (m.term_count, m.outputs)), copy(m.intercepts, real, (m.outputs,)),
                   copy(m.origins, np.uint32, (m.sample_count,)))

    def scores(self, rows: Rows) -> np.ndarray:
        """samples × outputs."""
        out = np.empty((rows.count, len(self.intercepts)), self.precision.dtype)
        self.precision.call("kernels_scores_of_samples")(byref(self.struct), byref(rows.struct),
                                                         ctypes.c_void_p(address(out)))
        return out
