"""Digits: the path of all lambdas, and its picture."""

import sys

import numpy as np
import tamis

table = np.loadtxt(sys.argv[1] + "/digits.csv", delimiter=",", skiprows=1)
X, y = table[:, 1:] / 16, table[:, 0].astype(int)
path = tamis.SparsePathClassifier("squared-hinge", "group-l2", lambdas=30, max_features=40).fit(X[:1200], y[:1200])
for lam, report, coefficients, intercepts in zip(path.lambdas_, path.reports_, path.coefs_, path.intercepts_):
    right = ((X[1200:] @ coefficients.T + intercepts).argmax(axis=1) == y[1200:]).mean()
    print(f"lambda {lam:.4f}: {report['nonzero_rows']} of 64 pixels, {right:.1%} of new digits right")
tamis.plot.path(path).figure.savefig(sys.argv[2] + "/path.png")
