"""Gestures by windows to a board: three movements of an accelerometer, made here with noise and other speeds."""

import sys

import numpy as np
import tamis

rng = np.random.default_rng(0)


def readings(gesture: int, length: int = 640) -> np.ndarray:
    """(length, 3): a shake, a circle, or rest."""
    t = np.arange(length) * rng.uniform(0.8, 1.2) / 5
    moves = [(np.sign(np.sin(t)), 0 * t, 0 * t), (np.cos(t / 2), np.sin(t / 2), 0 * t), (0 * t, 0 * t, 0 * t + 1)]
    return np.stack(moves[gesture], axis=1) * rng.uniform(0.5, 2) + 0.3 * rng.normal(size=(length, 3))


windows = tamis.SensorWindows(length=64, hop=32, bands=4)
recordings = [(gesture, windows.transform(readings(gesture))) for gesture in range(3) for _ in range(20)]
X, y = np.concatenate([x for _, x in recordings]), np.repeat([g for g, _ in recordings], len(recordings[0][1]))
new = np.arange(len(y)) // len(recordings[0][1]) % 4 == 0  # whole recordings
model = tamis.SparseClassifier("hinge", "group-l2", 0.02, precision="float").fit(X[~new], y[~new])
print(f"{len(model.kept_features())} of {X.shape[1]} features of windows, {model.score(X[new], y[new]):.1%} right, "
      f"trained in {model.arena_bytes_} bytes")
model.to_c(sys.argv[2] + "/gestures.h", quantise="int16", data=X[~new])
