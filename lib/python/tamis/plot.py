"""Pictures of fitted models by matplotlib. Every function takes axes, or makes some, and returns them."""

from __future__ import annotations

from typing import Any

import numpy as np


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


def path(model: Any, axes: Any = None) -> Any:
    """The norm of every feature's coefficients over lambda, of a `SparsePathClassifier`."""
    axes = _axes(axes)
    norms = np.linalg.norm(model.coefs_, axis=1)
    for j in np.flatnonzero(norms.any(axis=0)):
        axes.plot(model.lambdas_, norms[:, j], label=model._names_in()[j])
    axes.set(xscale="log", xlabel="lambda", ylabel="norm of a feature's coefficients")
    axes.invert_xaxis()
    return axes


def coefficients(model: Any, axes: Any = None) -> Any:
    """Coefficients of the kept features, a colour for each; of images their place is that of the pixel."""
    axes = _axes(axes)
    kept = model.kept_features()
    table = np.asarray(model.coef_.todense() if hasattr(model.coef_, "todense") else model.coef_)[:, kept]
    most = np.abs(table).max(initial=0) or 1
    axes.imshow(table, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    axes.set_xticks(range(len(kept)), [model._names_in()[j] for j in kept], rotation=90)
    axes.set_yticks(range(len(model.classes_)), model.classes_)
    return axes


def reliability(model: Any, X: Any, y: Any, bins: int = 10, axes: Any = None) -> Any:
    """How often predictions are right, by their probability. X: (n_samples, n_features), not those of training."""
    axes = _axes(axes)
    probabilities = model.predict_proba(X)
    confidence, right = probabilities.max(axis=1), model.classes_[probabilities.argmax(axis=1)] == np.asarray(y)
    number = np.minimum((confidence * bins).astype(int), bins - 1)
    counts = np.bincount(number, minlength=bins)
    filled = counts > 0
    means = [np.bincount(number, values, bins)[filled] / counts[filled] for values in (confidence, right)]
    axes.plot([0, 1], [0, 1], "--", color="grey")
    axes.plot(*means, "o-")
    axes.set(xlabel="probability of the prediction", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1))
    return axes


def interactions(model: Any, axes: Any = None) -> Any:
    """Norms over the classes of the effects (diagonal) and products of an `InteractionClassifier` or `…Regressor`."""
    axes = _axes(axes)
    kept = model._model.kept()
    place = {int(j): i for i, j in enumerate(kept)}
    squares = np.zeros((len(kept), len(kept)))
    for _, first, second, coefficient in model.terms():
        a, b = place[first], place[first if second is None else second]
        squares[[a, b] if a != b else a, [b, a] if a != b else b] += coefficient**2
    picture = axes.imshow(np.sqrt(squares), cmap="Blues")
    axes.figure.colorbar(picture, ax=axes)
    names = [model._names_in()[j] for j in kept]
    axes.set_xticks(range(len(kept)), names, rotation=90)
    axes.set_yticks(range(len(kept)), names)
    return axes
