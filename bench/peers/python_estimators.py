"""python_estimators.py FOLDER [--quick] [--json FILE]: fit of the Python package beside scikit-learn's estimators.

The same problems without intercepts, seconds of `fit` to an objective within a relative error of the optimum, which is
certified from below: tamis asked for that error as its tolerance, the others for the loosest of their tolerances that
reaches it. FOLDER holds digits.csv; MNIST (the first 20,000) comes from the folder TAMIS_DATA. tamis is found by
PYTHONPATH. Prints a table, and writes it as JSON.
"""
import gzip
import json
import os
import statistics
import sys
import time
import warnings

import numpy as np
import tamis
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")
quick = "--quick" in sys.argv
CAP = 10 if quick else 120  # seconds of one fit after which no tighter tolerance is tried


def digits():
    table = np.loadtxt(os.path.join(sys.argv[1], "digits.csv"), delimiter=",", skiprows=1)
    return np.asfortranarray(table[:, 1:] / 16), table[:, 0].astype(int)


def mnist(rows=20000):
    source = os.path.join(os.environ["TAMIS_DATA"], "mnist", "train-")
    images = np.frombuffer(gzip.open(source + "images-idx3-ubyte.gz").read(), np.uint8, offset=16)[: rows * 784]
    labels = np.frombuffer(gzip.open(source + "labels-idx1-ubyte.gz").read(), np.uint8, offset=8)[:rows]
    return np.asfortranarray(images.reshape(rows, 784) / 255), labels.astype(int)


def objective(loss, penalty, lam, W, X, y):
    """W: classes × features."""
    Z = X @ W.T
    right = Z[np.arange(len(y)), y][:, None]
    signs = -np.ones_like(Z)
    signs[np.arange(len(y)), y] = 1
    if loss == "logistic":
        value = (np.log(np.exp(Z - Z.max(axis=1, keepdims=True)).sum(axis=1)) + Z.max(axis=1) - right[:, 0]).mean()
    elif loss == "hinge":
        value = (Z - right + (signs < 0)).max(axis=1).mean()
    else:
        value = (np.maximum(0, 1 - signs * Z) ** 2).sum() / len(y)
    l1, ridge = np.abs(W).sum(), (W**2).sum() / 2
    return value + lam * {"l1": l1, "ridge": ridge, "elastic-net": (l1 + ridge) / 2}[penalty]


# Loss, penalty, lambda, the estimator of scikit-learn for n samples and a tolerance, its tolerances.
PROBLEMS = [
    ("logistic", "l1", 1e-3, "LogisticRegression l1 saga",
     lambda n, lam, tol: LogisticRegression(penalty="l1", C=1 / (n * lam), solver="saga", multi_class="multinomial",
                                            fit_intercept=False, tol=tol, max_iter=100000, random_state=0)),
    ("hinge", "ridge", 1e-3, "LinearSVC crammer_singer",
     lambda n, lam, tol: LinearSVC(multi_class="crammer_singer", C=1 / (n * lam), fit_intercept=False, tol=tol,
                                   max_iter=100000, random_state=0)),
    ("one-vs-rest-squared-hinge", "l1", 1e-3, "LinearSVC l1",
     lambda n, lam, tol: LinearSVC(penalty="l1", dual=False, C=1 / (n * lam), fit_intercept=False, tol=tol,
                                   max_iter=100000, random_state=0)),
    ("one-vs-rest-squared-hinge", "elastic-net", 1e-3, "SGDClassifier elastic net",
     lambda n, lam, tol: SGDClassifier("squared_hinge", penalty="elasticnet", alpha=lam, l1_ratio=0.5, tol=tol,
                                       fit_intercept=False, max_iter=100000, random_state=0, learning_rate="adaptive",
                                       eta0=1e-3)),  # its usual steps diverge with this loss
]
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def timed(fit, runs):
    took = []
    for _ in range(runs):
        began = time.perf_counter()
        model = fit()
        took.append(time.perf_counter() - began)
    return model, statistics.median(took)


def compare(name, X, y, runs):
    rows = []
    theirs_in = np.ascontiguousarray(X)  # the layout that each takes without a copy
    for loss, penalty, lam, who, make in PROBLEMS:
        ours = lambda tol: tamis.SparseClassifier(loss, penalty, lam, intercept=False, tolerance=tol).fit(X, y)
        optimum = ours(1e-6).report_["dual_objective"]
        theirs = []
        for tol in TOLERANCES:
            model, seconds = timed(lambda: make(len(y), lam, tol).fit(theirs_in, y), 1)
            theirs.append((tol, seconds, objective(loss, penalty, lam, model.coef_, X, y)))
            if seconds > CAP:
                break
        for error in (1e-2, 1e-4):
            model, seconds = timed(lambda: ours(error), runs)
            own = objective(loss, penalty, lam, model.coef_, X, y)
            assert own <= optimum * (1 + error) * (1 + 1e-9), (name, loss, own, optimum)
            reached = next(((s, tol) for tol, s, value in theirs if value <= optimum * (1 + error)), None)
            rows.append({"problem": f"{name}, {loss}, {penalty}", "error": error, "tamis": seconds, "peer": who,
                         "seconds": reached and reached[0], "asked": reached and reached[1],
                         "best": min(value for _, _, value in theirs) / optimum - 1})
            print_row(rows[-1])
    return rows


def print_row(r):
    theirs = (f"{r['seconds']:.3g} s (tol {r['asked']:.0e}) | {r['seconds'] / r['tamis']:.1f}" if r["seconds"]
              else f"not reached: {r['best']:.1e} | –")
    print(f"| {r['problem']} | {r['error']:.0e} | {r['tamis']:.3g} s | {r['peer']} | {theirs} |", flush=True)


sets = [("digits", *digits(), 5)]
if os.environ.get("TAMIS_DATA") and not quick:
    sets.append(("MNIST 20,000", *mnist(), 1))
print("| problem | error | tamis | scikit-learn's | time, asked for | ratio |\n|---|---|---|---|---|---|")
out = {"problems": [row for one in sets for row in compare(*one)]}
if "--json" in sys.argv:
    with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
        json.dump(out, file)
