"""Features of images, signals and sensor readings."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np

from . import _library as lib
from ._base import TransformerMixin
from ._classifier import Estimator
from ._library import address, library, precision_of
from ._samples import checked, refuse_value


def _options(name: str, fields: str) -> type[ctypes.Structure]:
    return type(name, (lib.Options,), {"_fields_": [(field, c_uint32) for field in fields.split()]})


_Images = _options("tamis_scattering_options", "height width scales orientations order oversampling by_position")
_Signals = _options("tamis_signal_scattering_options", "length scales per_octave order oversampling by_position")
_Windows = _options("tamis_windows_options", "length hop channels bands")


def _refusal(sentence: bytes | None) -> None:
    if sentence is not None:
        raise ValueError(sentence.decode())


class ScatteringTransformer(TransformerMixin, Estimator):
    """The scattering transform: means of the moduli of wavelet coefficients, which shifts and small deformations change
    little.

    shape : (height, width) of images whose pixels are the features, row by row; a number, the length of signals; None:
        images that are square. scales : means are taken over about 2^scales pixels. orientations : of images.
    per_octave : wavelets of signals. order : 0, 1 or 2. oversampling : 2^oversampling values for one.
    by_position : all values of a place stand together, as the command has them; otherwise those of a map do.
    """

    def __init__(self, shape: Any = None, *, scales: int | None = None, orientations: int = 8, per_octave: int = 1,
                 order: int = 2, oversampling: int = 0, by_position: bool = False,
                 precision: str = "auto") -> None:
        self.shape, self.scales, self.orientations, self.per_octave = shape, scales, orientations, per_octave
        self.order, self.oversampling, self.by_position, self.precision = order, oversampling, by_position, precision

    def _choice(self) -> tuple[str, ctypes.Structure]:
        if isinstance(self.shape, (int, np.integer)):
            kind, options = "signal_scattering", _Signals()
            library.tamis_default_signal_scattering_options(byref(options))
            options.length, options.per_octave = self.shape, self.per_octave
        else:
            kind, options = "scattering", _Images()
            library.tamis_default_scattering_options(byref(options))
            side = int(round(self.n_features_in_**0.5))
            shape = (side, side) if self.shape is None else tuple(self.shape)
            if len(shape) != 2:
                raise ValueError(f"shape is (height, width) of images, or the length of signals, not {self.shape!r}")
            options.height, options.width = shape
            options.orientations = self.orientations
        if self.scales is not None:
            options.scales = self.scales
        options.order, options.oversampling = self.order, self.oversampling
        options.by_position = bool(self.by_position)
        _refusal(getattr(library, f"tamis_{kind}_sentence")(byref(options)))
        pixels = options.length if kind == "signal_scattering" else options.height * options.width
        if pixels != self.n_features_in_:
            raise ValueError(f"shape has {pixels} values, and X has {self.n_features_in_} features")
        return kind, options

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """scatteringtransformer0, …"""
        self._names_in(input_features)
        kind, options = self._choice()
        count = getattr(library, f"tamis_{kind}_coefficients")(byref(options))
        return np.array([f"{type(self).__name__.lower()}{k}" for k in range(count)], dtype=object)

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["images"], "stateless": True}

    def _sizes(self) -> list[tuple[str, str]]:
        return [("features", f"{len(self.get_feature_names_out())} of {self.n_features_in_} values")]

    def fit(self, X: Any, y: Any = None):
        """X: (n_samples, n_pixels), of which nothing but the number of features is taken."""
        self._check_samples(X, reset=True)
        self._choice()
        self._model = None
        return self

    def transform(self, X: Any) -> np.ndarray:
        """(n_samples, n_coefficients)."""
        self._check_fitted()
        X = self._check_samples(X, reset=False)
        kind, options = self._choice()
        p = precision_of(self.precision, X.dtype)
        X = np.ascontiguousarray(X, p.dtype)
        state = getattr(p, f"{kind}_state")()
        arena = lib.arena_of(p.call(f"{kind}_bytes")(byref(options)))
        p.call(f"{kind}_start")(state, byref(options), c_void_p(address(arena)), c_size_t(arena.size))
        out = np.empty((len(X), getattr(library, f"tamis_{kind}_coefficients")(byref(options))), p.dtype)
        one = p.call(f"{kind}_transform")
        for row, into in zip(X, out):
            if one(state, c_void_p(address(row)), c_size_t(row.size), c_void_p(address(into)),
                   c_size_t(into.size)) != lib.RUNNING:
                refuse_value(X)
                raise ValueError("the image or signal was refused")
        return out


class SensorWindows(Estimator):
    """Features of windows over the readings of sensors, of each channel: mean, deviation, energy, how often the
    readings cross their mean, and the powers of `bands` bands.

    length : readings in a window. hop : readings from the start of one to that of the next; None: length.
    """

    def __init__(self, length: int = 64, hop: int | None = None, bands: int = 0, precision: str = "auto") -> None:
        self.length, self.hop, self.bands, self.precision = length, hop, bands, precision

    def _more_tags(self) -> dict[str, Any]:
        return {"X_types": ["readings"], "stateless": True}

    def _sizes(self) -> list[tuple[str, str]]:
        return [("features of a channel", str(4 + self.bands))]

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any = None, y: Any = None):
        """Nothing is learned."""
        return self

    def ends(self, readings: int) -> np.ndarray:
        """The number of the last reading of each window."""
        return np.arange(self.length - 1, readings, self.length if self.hop is None else self.hop)

    def transform(self, X: Any) -> np.ndarray:
        """X: (n_readings, n_channels), in the order of time. (n_windows, n_channels (4 + bands))."""
        X = checked(X, type(self).__name__, takes_sparse=False)
        options = _Windows()
        library.tamis_default_windows_options(byref(options))
        options.length, options.channels = self.length, X.shape[1]
        options.hop = self.length if self.hop is None else self.hop
        options.bands = self.bands
        _refusal(library.tamis_windows_sentence(byref(options)))
        p = precision_of(self.precision, X.dtype)
        X = np.ascontiguousarray(X, p.dtype)
        state, arena = p.windows_state(), lib.arena_of(p.call("windows_bytes")(byref(options)))
        p.call("windows_start")(state, byref(options), c_void_p(address(arena)), c_size_t(arena.size))
        out = np.empty((len(self.ends(len(X))), library.tamis_windows_features(byref(options))), p.dtype)
        push, ready, count = p.call("windows_push"), p.call("windows_ready"), 0
        for reading in X:
            if push(state, c_void_p(address(reading)), c_uint32(X.shape[1])) != lib.RUNNING:
                refuse_value(X)
            if ready(state):
                p.call("windows_features_of")(state, c_void_p(address(out[count])), c_size_t(out.shape[1]))
                count += 1
        return out[:count]

    fit_transform = lambda self, X, y=None: self.transform(X)  # noqa: E731
