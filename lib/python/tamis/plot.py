"""Pictures of fitted models by matplotlib. Every function takes axes, or makes some, and returns them."""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np

MOST_NAMES = 40  # along one side


def _axes(axes: Any) -> Any:
    if axes is not None:
        return axes
    import matplotlib.pyplot as plt

    return plt.subplots(layout="constrained")[1]


def _write_names(axis: Any, names: Sequence[Any], **how: Any) -> None:
    """Names along an axis, of many every second, third, …"""
    step = -(-len(names) // MOST_NAMES)
    axis.set_ticks(range(0, len(names), step or 1), names[:: step or 1], **how)


def path(model: Any, axes: Any = None, names: int = 10) -> Any:
    """The norm of every feature's coefficients over lambda, of a `SparsePathClassifier`, with the names of those that
    end largest."""
    axes = _axes(axes)
    norms = np.linalg.norm(model.coefs_, axis=1)
    order = [j for j in np.argsort(-norms[-1], kind="stable") if norms[:, j].any()]
    for place, j in reversed(list(enumerate(order))):
        colour = f"C{place % 10}" if place < names else "lightgrey"
        axes.plot(model.lambdas_, norms[:, j], color=colour, label=model._names_in()[j])
    if order and names:
        axes.legend(handles=axes.lines[: -names - 1 : -1], loc="upper left", fontsize="small", frameon=False)
    axes.set(xscale="log", xlabel="lambda", ylabel="norm of a feature's coefficients")
    axes.invert_xaxis()
    return axes


def coefficients(model: Any, axes: Any = None, shape: tuple[int, int] | None = None) -> Any:
    """Coefficients of the kept features in every class: blue for, red against it. shape: (height, width) of images
    whose pixels are the features, row by row; there is then a picture for each class."""
    axes = _axes(axes)
    table = np.asarray(model.coef_.todense() if hasattr(model.coef_, "todense") else model.coef_)
    names = [str(label) for label in model.classes_]
    if shape is None:
        kept = model.kept_features()
        table = table[:, kept]
        _write_names(axes.xaxis, [model._names_in()[j] for j in kept], rotation=90)
        _write_names(axes.yaxis, names)
        axes.set(ylabel="class")
    else:
        height, width = shape
        if height * width != table.shape[1]:
            raise ValueError(f"shape has {height * width} pixels, and the model has {table.shape[1]} features")
        columns = int(np.ceil(np.sqrt(len(names))))
        rows = -(-len(names) // columns)
        pictures = np.full((rows, height + 1, columns, width + 1), np.nan)  # with a line between
        for k, picture in enumerate(table.reshape(-1, height, width)):
            pictures[k // columns, :height, k % columns, :width] = picture
            axes.annotate(names[k], ((width + 1) * (k % columns), (height + 1) * (k // columns)), ha="left", va="top")
        table = pictures.reshape(rows * (height + 1), -1)[:-1, :-1]
        axes.set_axis_off()
    most = np.nanmax(np.abs(table), initial=0) or 1
    picture = axes.imshow(table, cmap="RdBu", vmin=-most, vmax=most, aspect="auto" if shape is None else "equal")
    axes.figure.colorbar(picture, ax=axes, label="coefficient")
    return axes


def reliability(model: Any, X: Any, y: Any, bins: int = 10, axes: Any = None) -> Any:
    """How often predictions are right, by their probability: a disc has the area of the share of samples that it stands
    for. X: (n_samples, n_features), not those of training."""
    axes = _axes(axes)
    probabilities = model.predict_proba(X)
    confidence, right = probabilities.max(axis=1), model.classes_[probabilities.argmax(axis=1)] == np.asarray(y)
    number = np.minimum((confidence * bins).astype(int), bins - 1)
    counts = np.bincount(number, minlength=bins)
    filled = counts > 0
    means = [np.bincount(number, values, bins)[filled] / counts[filled] for values in (confidence, right)]
    axes.plot([0, 1], [0, 1], "--", color="grey")
    line, = axes.plot(*means, "-")
    axes.scatter(*means, s=6 + 600 * counts[filled] / counts.sum(), color=line.get_color(), alpha=0.6, clip_on=False)
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
    axes.figure.colorbar(picture, ax=axes, label="effects (diagonal) and products")
    names = [model._names_in()[j] for j in kept]
    _write_names(axes.xaxis, names, rotation=90)
    _write_names(axes.yaxis, names)
    return axes
