"""Samples, labels and weights as the library takes them, without copies where their layout allows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._library import ACTIVE_LIMIT, INVALID_DATA, Precision, Refused, address, precision_of, status_sentence

try:
    from sklearn.exceptions import DataConversionWarning
except ImportError:

    class DataConversionWarning(UserWarning):  # type: ignore[no-redef]
        """Labels came in a shape that had to be changed."""


MOST = 2**32 - 2  # samples, features, or numbers of a sparse matrix


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsc") and hasattr(X, "nnz")


def plain(values: Any, what: str) -> np.ndarray:
    """As an array; of a masked one the values behind the mask are none."""
    if np.ma.is_masked(values):
        raise ValueError(f"{what} has masked values: remove or impute them")
    return np.asarray(values)


def checked(X: Any, who: str, takes_sparse: bool = True) -> Any:
    """X as an array of numbers with two dimensions, or as a sparse matrix; not copied if it is one."""
    if is_sparse(X):
        if not takes_sparse:
            raise TypeError(f"A sparse matrix was passed, but {who} takes dense samples: X.toarray() makes them.")
        array = X
    else:
        array = plain(X, "X")
        if array.dtype.kind == "O":
            try:
                array = array.astype(np.float64)
            except (ValueError, TypeError) as error:
                raise type(error)(f"X holds what is no number, {error}: encode its columns first") from None
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{X!r}")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"X holds {array.dtype} instead of numbers: encode its columns first.")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead: Reshape your data with "
                         "X.reshape(-1, 1) if it has a single feature or X.reshape(1, -1) if it is a single sample.")
    for count, what in zip(array.shape, ("sample", "feature")):
        if count == 0:
            raise ValueError(f"Found array with 0 {what}(s) (shape={array.shape}) while a minimum of 1 is required "
                             f"by {who}.")
        if count > MOST:
            raise ValueError(f"X has {count} {what}s, and {who} takes at most {MOST}")
    return array


def refuse_value(X: Any) -> None:
    """Raises for the first value that is not finite, if there is one."""
    if is_sparse(X):
        entries = X.tocoo()
        bad = np.flatnonzero(~np.isfinite(entries.data))
        if bad.size:
            refuse_at(entries.row[bad[0]], entries.col[bad[0]], entries.data[bad[0]])
    else:
        bad = np.argwhere(~np.isfinite(X))
        if bad.size:
            refuse_at(*bad[0], X[tuple(bad[0])])


def refuse_at(row: int, column: int, value: float) -> None:
    kind = "NaN" if np.isnan(value) else "infinity"
    raise Refused(f"X has {kind} in sample {row}, feature {column}: {status_sentence(INVALID_DATA)}", INVALID_DATA,
                  int(row), int(column))


class Columns:
    """Samples of training in columns: a Fortran-ordered array or CSC of the right type is taken as it is; everything
    else is copied once. float16 becomes float, integers double (or what `precision` says)."""

    def __init__(self, X: Any, precision: str) -> None:
        self.precision: Precision = precision_of(precision, X.dtype)
        self.samples, self.features = (int(n) for n in X.shape)
        dtype = self.precision.dtype
        self.rows = self.starts = None
        self.stride = 0
        if is_sparse(X):
            self.source, self.values, self.rows, self.starts = _compressed(X, "csc", dtype)
        else:
            size = dtype.itemsize
            fits = (X.dtype == dtype and X.flags.aligned and (X.strides[0] == size or self.samples == 1)
                    and X.strides[1] % size == 0 and size * self.samples <= X.strides[1] <= size * MOST)
            self.values = X if fits else _in_columns(X, dtype)
            self.stride = max(self.values.strides[1] // size, self.samples)
            self.source = self.values
        self.given = self.source if is_sparse(X) else X
        self.entries = _nonzeros(self.values)

    def put(self, problem: Any) -> None:
        problem.samples, problem.features = self.samples, self.features
        problem.values = address(self.values)
        problem.column_stride = self.stride
        if self.rows is not None:
            problem.rows, problem.starts = address(self.rows), address(self.starts)

    def hint(self) -> tuple[int, int]:
        return self.entries, ACTIVE_LIMIT

    def of_samples(self, samples: np.ndarray, features: np.ndarray) -> np.ndarray:
        """What some samples have in some features: (len(samples), len(features)), in double."""
        if self.rows is None:
            return np.asarray(self.given[samples], np.float64)[:, features]
        chosen, place = np.zeros(self.samples, bool), np.zeros(self.samples, np.intp)
        chosen[samples], place[samples] = True, np.arange(len(samples))
        column = np.full(self.features, -1)
        column[features] = np.arange(len(features))
        at = np.flatnonzero(chosen[self.given.indices])
        columns = column[np.searchsorted(self.given.indptr, at, side="right") - 1]
        at, columns = at[columns >= 0], columns[columns >= 0]
        out = np.zeros((len(samples), len(features)))
        out[place[self.given.indices[at]], columns] = self.given.data[at]
        return out


def _in_columns(X: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """A copy in Fortran order, by blocks of rows that stay in the cache."""
    out = np.empty(X.shape, dtype, order="F")
    with np.errstate(over="ignore"):  # an infinity is refused
        for begin in range(0, len(X), 256):
            out[begin : begin + 256] = X[begin : begin + 256]
    return out


def _nonzeros(values: np.ndarray) -> int:
    """How many there are, by parts: numpy counts booleans many times faster than numbers."""
    parts = values.T  # whose rows are contiguous
    size = max(1, 2**18 * len(parts) // max(1, parts.size))
    return sum(int(np.count_nonzero(parts[i : i + size] != 0)) for i in range(0, len(parts), size))


def _compressed(X: Any, form: str, dtype: np.dtype) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """X as "csc" or "csr" with indices that ascend, and its values, indices and starts: those of X where it is so."""
    if getattr(X, "format", None) in ("csc", "csr"):  # SciPy looks at the lengths alone
        indices, starts = X.indices, X.indptr
        if (starts[0] != 0 or (starts[1:] < starts[:-1]).any() or starts[-1] > min(len(indices), len(X.data))
                or len(indices) and not 0 <= indices.min() <= indices.max() < X.shape[X.format == "csr"]):
            raise ValueError("X is a sparse matrix whose indices or starts are out of range")
    matrix = getattr(X, f"to{form}")()
    if not matrix.has_canonical_format:
        matrix = matrix.copy() if matrix is X else matrix
        matrix.sum_duplicates()
    return (matrix, np.require(matrix.data, dtype, "CA"), _unsigned(matrix.indices), _unsigned(matrix.indptr))


def _unsigned(numbers: np.ndarray) -> np.ndarray:
    """int32 is uint32 as it stands."""
    numbers = np.ascontiguousarray(numbers)
    if numbers.dtype == np.int32:
        return numbers.view(np.uint32)
    if numbers.max(initial=0) > MOST:
        raise ValueError(f"X is a sparse matrix of {numbers.max()} numbers: at most {MOST} are possible")
    return numbers.astype(np.uint32)


class Rows:
    """Samples of prediction: dense ones of the right type in any layout, or CSR, are taken as they are."""

    def __init__(self, X: Any, precision: Precision) -> None:
        dtype = precision.dtype
        self.count = X.shape[0]
        if is_sparse(X):
            self.source, self.values, self.columns, self.starts = _compressed(X, "csr", dtype)
            self.struct = precision.samples(address(self.values), address(self.columns), address(self.starts), 0, 0,
                                            self.count)
            if not self.values.size:  # no entries, but sparse all the same
                self.struct.columns = address(self.starts)
            return
        size = dtype.itemsize
        if X.dtype != dtype or not X.flags.aligned or any(s < 0 or s % size for s in X.strides):
            with np.errstate(over="ignore"):  # an infinity is refused
                X = np.array(X, dtype, order="C")
        self.source = self.values = X
        self.struct = precision.samples(address(X), None, None, X.strides[0] // size, X.strides[1] // size, self.count)


def check_lengths(X: Any, y: Any) -> None:
    if len(y) != X.shape[0]:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{X.shape[0]}, {len(y)}]")


def column(y: Any, who: str) -> np.ndarray:
    """Targets as one dimension."""
    if y is None:
        raise ValueError(f"{who} requires y to be passed, but the target y is None")
    y = plain(y, "y")
    if y.ndim == 2 and y.shape[1] == 1:
        warnings.warn("A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
                      "(n_samples, ), for example using ravel().", DataConversionWarning, stacklevel=4)
        y = y.ravel()
    if y.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
    return y


def encoded(y: Any, who: str) -> tuple[np.ndarray, np.ndarray]:
    """The classes in order, and the number of that of each sample."""
    y = column(y, who)
    if y.dtype.kind == "f":
        if not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
        if (y != np.floor(y)).any():
            raise ValueError("Unknown label type: 'continuous': labels are whole numbers or words")
    elif y.dtype.kind not in "biuOUS":
        raise ValueError(f"Unknown label type: {y.dtype}")
    try:
        classes, labels = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"Unknown label type: labels of several types do not compare ({error})") from None
    if classes.dtype.kind == "O" and not all(isinstance(c, (str, int, np.integer)) for c in classes):
        raise ValueError(f"Unknown label type: {sorted({type(c).__name__ for c in classes})}")
    if len(classes) < 2:
        raise ValueError(f"{status_sentence(8)}: y has the one class {classes[0]!r}")
    if len(classes) > 65535:
        raise ValueError(f"y has {len(classes)} classes: at most 65535 are possible")
    return classes, labels.astype(np.uint16)


def weights_of(sample_weight: Any, class_weight: Any, classes: np.ndarray, labels: np.ndarray,
               dtype: np.dtype) -> np.ndarray | None:
    """One weight per sample, or None where all are 1. They are relative: the library divides by their sum."""
    weights = None
    if sample_weight is not None:
        weights = plain(sample_weight, "sample_weight")
        if weights.dtype.kind not in "biufO":
            raise ValueError(f"sample_weight holds {weights.dtype} instead of numbers")
        weights = weights.astype(np.float64)
        if weights.ndim == 0:
            weights = np.full(len(labels), float(weights))
        if weights.ndim != 1:
            raise ValueError("Sample weights must be 1D array or scalar")
        if weights.shape != labels.shape:
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected {labels.shape}!")
    if class_weight is not None:
        if isinstance(class_weight, str) and class_weight == "balanced":
            by_class = len(labels) / (len(classes) * np.bincount(labels, minlength=len(classes)))
        elif not isinstance(class_weight, Mapping):
            raise ValueError(f"class_weight is None, 'balanced' or a dictionary, not {class_weight!r}")
        else:
            unknown = set(class_weight) - set(classes.tolist())
            if unknown:
                raise ValueError(f"class_weight has classes that y has not: {sorted(map(str, unknown))}")
            by_class = np.array([float(class_weight.get(c, 1)) for c in classes.tolist()])
        weights = by_class[labels] * (1 if weights is None else weights)
    return None if weights is None else np.ascontiguousarray(weights, dtype)
