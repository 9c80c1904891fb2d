"""The shared library by ctypes: its structures for both precisions, its sentences, runs in slices of time.

ctypes releases the interpreter's lock during each call, so other threads work while one trains.
"""

from __future__ import annotations

import ctypes
import os
import time
import warnings
from ctypes import c_char_p, c_double, c_float, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np

from ._version import __version__, soname

CONVERGED, PRECISION_LIMIT, ITERATION_LIMIT, STOPPED, RUNNING, INFEASIBLE = range(6)
ARENA_TOO_SMALL, INVALID_DATA, MISSING_CLASS, INVALID_WEIGHT = 6, 9, 11, 12
NO_FEATURE = 0xFFFFFFFF  # `second` of a term that is no product
ALIGNMENT = 16
ACTIVE_LIMIT = 1500  # coefficients that one linear system has room for, as the command has it

try:
    from sklearn.exceptions import ConvergenceWarning
except ImportError:

    class ConvergenceWarning(UserWarning):  # type: ignore[no-redef]
        """A run ended before its certificate was below the tolerance."""


def _load() -> ctypes.CDLL:
    """The library beside this file, or the one that TAMIS_LIBRARY names, of this package's own version."""
    path = os.environ.get("TAMIS_LIBRARY") or str(Path(__file__).with_name(soname))
    try:
        library = ctypes.CDLL(path)
        library.tamis_version.restype = c_char_p
    except (OSError, AttributeError) as error:
        raise ImportError(f"{path} is no library of tamis: {error}") from None
    found = library.tamis_version().decode()
    if found != __version__:
        raise ImportError(f"{path} is tamis {found}, and this package is of tamis {__version__}: install one version")
    return library


library = _load()
library.tamis_size_of.restype = c_size_t
library.tamis_size_of.argtypes = [c_char_p]
for _function in ("tamis_status_name", "tamis_status_sentence", "tamis_refusal", "tamis_name_of",
                  "tamis_scattering_sentence", "tamis_signal_scattering_sentence", "tamis_windows_sentence"):
    getattr(library, _function).restype = c_char_p
for _function in ("tamis_scattering_coefficients", "tamis_signal_scattering_coefficients", "tamis_windows_features",
                  "tamis_integer_header_bytes", "tamis_export_integer_header"):
    getattr(library, _function).restype = c_size_t


def names_of(kind: str) -> list[str]:
    """The catalogue's names of a "loss", a "penalty" or a "solver", by number."""
    out: list[str] = []
    while (name := library.tamis_name_of(kind.encode(), c_uint32(len(out)))) is not None:
        out.append(name.decode())
    return out


def status_name(status: int) -> str:
    return library.tamis_status_name(c_uint32(status)).decode()


def status_sentence(status: int) -> str:
    return library.tamis_status_sentence(c_uint32(status)).decode()


class Refused(ValueError):
    """What the library refuses, with its sentence and the place that it names."""

    def __init__(self, sentence: str, status: int, row: int = 0, column: int = 0) -> None:
        super().__init__(sentence)
        self.status, self.row, self.column = status, row, column

    def __reduce__(self):
        return Refused, (str(self), self.status, self.row, self.column)


class Options(ctypes.Structure):
    """Fields that parameters of estimators go into: a number that does not fit is refused, not wrapped."""

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            super().__setattr__(name, value)
        except TypeError:
            raise ValueError(f"{name.rstrip('_')} takes a {'number' if self._real(name) else 'whole number'}, not "
                             f"{value!r}") from None
        if not self._real(name) and getattr(self, name) != value:
            raise ValueError(f"{name} takes a whole number from 0 to 4294967295, not {value!r}")

    def _real(self, name: str) -> bool:
        return isinstance(getattr(self, name), float)


def _structure(name: str, fields: Iterable[tuple[str, Any]]) -> type[ctypes.Structure]:
    base = Options if "problem" in name or "grid" in name or "options" in name else ctypes.Structure
    out = type(name, (base,), {"_fields_": list(fields)})
    if library.tamis_size_of(name.encode()) != ctypes.sizeof(out):
        raise ImportError(f"the library has another {name} than this package: install one version of tamis")
    return out


def _fields(text: str, types: dict[str, Any]) -> list[tuple[str, Any]]:
    """Fields from lines `type: name name …`."""
    return [(name, types[line.split(":")[0].strip()]) for line in text.strip().splitlines()
            for name in line.split(":")[1].split()]


_STRUCTURES = {
    "problem": """
        real: lambda_ tolerance margin l1_ratio epsilon eta
        u32: max_iterations intercept loss penalty block solver samples features classes column_stride
        pointer: values rows starts labels weights margins group_order group_starts
        u32: group_count
        pointer: set_starts set_members
        u32: set_count stopping shrinking
        u64: seed
        real: learning_rate stopping_threshold""",
    "report": """
        real: objective dual_objective gap relative_gap kkt_residual lambda_max epochs
        u32: status iterations nonzeros nonzero_rows row column arena_bytes arena_used_bytes
        real: constraint_value constraint_bound multiplier""",
    "grid": """
        real: first ratio
        u32: points max_features
        pointer: lambdas""",
    "model": """
        pointer: coefficients
        u32: features classes""",
    "held_out": "real: lambda_ error error_deviation loss loss_deviation",
    "stability_progress": """
        real: selected
        u32: halves half units status""",
    "scored": """
        pointer: scores labels weights
        u32: samples classes stride""",
    "calibration": """
        pointer: slopes offsets
        u32: classes kind""",
    "calibration_options": """
        real: tolerance
        u32: max_iterations kind""",
    "calibration_report": """
        real: objective gradient
        u32: status iterations row column arena_bytes""",
    "interactions_problem": """
        real: lambda_ lambda2 tolerance
        u32: max_iterations intercept loss hierarchy norm samples features classes column_stride
        pointer: values targets labels
        real: lambda2_ratio""",
    "interactions_term": """
        u32: output first second
        real: coefficient""",
    "interactions_model": """
        pointer: terms intercepts
        u32: term_count features outputs""",
    "kernel": """
        u8: kind
        real: a b""",
    "kernels_problem": """
        real: lambda_ tolerance
        u32: max_iterations intercept p q r form samples features classes kernel_count column_stride
        pointer: values kernels matrices labels""",
    "kernels_model": """
        pointer: kernels samples terms coefficients intercepts origins
        u32: kernel_count sample_count term_count features outputs""",
    "stream_options": """
        real: lambda_ learning_rate margin l1_ratio
        u32: features classes intercept loss penalty learner block
        pointer: group_order group_starts
        u32: group_count
        pointer: from_
        u32: seen""",
    "stream_report": """
        real: learning_rate mean_loss mean_error
        u32: status last_refusal samples refused overflowed column arena_bytes""",
    "samples": """
        pointer: values columns starts
        size: row_stride column_stride
        u32: samples""",
    "header": """
        pointer: name labels feature_names samples calibration
        u32: sample_count""",
}
_STATES = ("training", "path", "cross_validation", "stability", "interactions", "interactions_cross_validation",
           "kernels", "kernels_cross_validation", "scattering", "signal_scattering", "windows", "stream")
_SIZES = ("training_bytes", "fast_bytes", "path_bytes", "path_fast_bytes", "cross_validation_bytes",
          "cross_validation_fast_bytes", "stability_bytes", "stability_fast_bytes", "calibration_bytes",
          "interactions_bytes", "interactions_terms_of", "kernels_bytes", "kernels_model_bytes", "scattering_bytes",
          "interactions_cross_validation_bytes", "kernels_cross_validation_bytes",
          "signal_scattering_bytes", "windows_bytes", "stream_bytes", "export_header", "interactions_export_c",
          "kernels_export_c")
_REALS = ("path_lambda", "stability_frequency", "stability_false_selections", "stability_threshold",
          "mean_square_norm", "interactions_first_lambda", "kernels_first_lambda")


class Precision:
    """What the library has of one scalar type: structures as attributes, functions without prefix and suffix."""

    def __init__(self, name: str, dtype: type, real: Any, suffix: str) -> None:
        self.name, self.dtype, self.real, self.suffix = name, np.dtype(dtype), real, suffix
        types = {"real": real, "u8": c_uint8, "u32": c_uint32, "u64": c_uint64, "size": c_size_t, "pointer": c_void_p}
        for key, text in _STRUCTURES.items():
            setattr(self, key, _structure(f"tamis_{key}_{suffix}", _fields(text, types)))
        for key in _STATES:
            full = f"tamis_{key}_{suffix}"
            words = -(-library.tamis_size_of(full.encode()) // 8)
            if not words:
                raise ImportError(f"the library has no {full}: install one version of tamis")
            setattr(self, f"{key}_state", c_uint64 * words)
        for key in _SIZES:
            self.call(key).restype = c_size_t
        for key in _REALS:
            self.call(key).restype = real
        self.call("problem_refusal").restype = c_char_p
        self.call("scores_of_samples").argtypes = [c_void_p] * 3
        self.call("scores_of_samples").restype = None

    def call(self, name: str) -> Callable[..., Any]:
        return getattr(library, f"tamis_{name}_{self.suffix}")

    def padded(self, classes: int) -> int:
        """Classes rounded up to 16 bytes: numbers in a row of coefficients."""
        lanes = ALIGNMENT // self.dtype.itemsize
        return -(-classes // lanes) * lanes


FLOAT = Precision("float", np.float32, c_float, "f32")
DOUBLE = Precision("double", np.float64, c_double, "f64")


def precision_of(name: str, dtype: Any) -> Precision:
    """That of an estimator's `precision`: "float", "double", or "auto", float for samples of at most 32 bits."""
    if name == "auto":
        dtype = np.dtype(dtype)
        return FLOAT if dtype.kind == "f" and dtype.itemsize <= 4 else DOUBLE
    if name not in ("float", "double"):
        raise ValueError(f"precision is 'auto', 'float' or 'double', not {name!r}")
    return FLOAT if name == "float" else DOUBLE


def address(array: np.ndarray | None) -> int | None:
    return None if array is None else array.__array_interface__["data"][0]


def arena_of(size: int) -> np.ndarray:
    """Aligned bytes. Pages that a run does not touch take no memory."""
    if size >= 2**63:
        raise MemoryError("training needs more memory than this machine can address")
    memory = np.empty(size + ALIGNMENT, np.uint8)
    first = -address(memory) % ALIGNMENT
    return memory[first : first + size]


MOST_STEPS = 16  # of a slice: a call costs less than a hundredth of them, and the steps to come may be longer ones


def run_to_end(step: Callable[[int], int], stop: Callable[[], Any], seconds: float = 0.1) -> bool:
    """Steps a started run to its end, about so many seconds or one step at a time, between which the interpreter sees
    signals. Returns whether KeyboardInterrupt has ended it: what it has is then its best so far."""
    steps = 1
    try:
        while True:
            began = time.perf_counter()
            if step(steps) != RUNNING:
                return False
            took = time.perf_counter() - began
            steps = min(MOST_STEPS, 2 * steps, max(1, int(steps * seconds / max(took, 1e-9))))
    except KeyboardInterrupt:
        stop()
        return True


def warn_of(status: int, report: Any, interrupted: bool, tolerance: float) -> None:
    """Says where a run ended without the certificate that was asked for."""
    if interrupted:
        warnings.warn("KeyboardInterrupt has ended training: the model is the best so far, certified to a relative "
                      f"gap of {report.relative_gap:.2g}", ConvergenceWarning, stacklevel=4)
    elif status in (PRECISION_LIMIT, ITERATION_LIMIT):
        warnings.warn(f"{status_sentence(status)} (relative gap {report.relative_gap:.2g}, tolerance {tolerance:.2g})",
                      ConvergenceWarning, stacklevel=4)


def report_as_dict(report: Any) -> dict[str, Any]:
    out = {name: getattr(report, name) for name, _ in report._fields_}
    out["status"] = status_name(report.status)
    return out


def text_of(write: Callable[[Any, int], int]) -> str:
    """What an exporter writes, which says how long it is."""
    size = write(None, 0)
    out = ctypes.create_string_buffer(size + 1)
    write(out, size)
    return out.raw[:size].decode()


def strings(texts: Iterable[str]) -> Any:
    encoded = [text.encode() for text in texts]
    return (c_char_p * max(1, len(encoded)))(*encoded)

