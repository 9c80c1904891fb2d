"""Titanic by kernels: some of those aboard to compare the others with, by a narrow and a wide kernel."""

import sys

import numpy as np
import tamis

table = np.loadtxt(sys.argv[1] + "/titanic.csv", delimiter=",", skiprows=1, dtype=int)
people = np.random.default_rng(0).permutation(np.repeat(table[:, :-1], table[:, -1], axis=0))
X, y = people[:, 1:] / [1, 0.5, 0.5], people[:, 0]  # class (4: crew), child, woman; survived
model = tamis.KernelClassifier(["gaussian:0.5", "gaussian:2"], p=1, q=1, lam=0.03, intercept=True)
model.fit(X[:150], y[:150])
print(f"{len(model.support_)} of 150 people kept, {model.score(X[150:], y[150:]):.1%} of {len(X) - 150} others right")
model.to_json(sys.argv[2] + "/titanic.json")
