"""crammer_singer_liblinear.py TAMIS FOLDER: hinge + ridge without intercepts, liblinear against the tamis command.

liblinear is LinearSVC(multi_class='crammer_singer'), at several tolerances. The time of ours is that of its first
certificate, in one run, whose objective is at most theirs; all times are of the solver, reading excluded, the median of
three runs in turn. FOLDER holds digits.csv; MNIST (first 20,000 rows) and news20 come from the folder TAMIS_DATA.
Prints a line for each tolerance.
"""
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")
tamis, shipped = sys.argv[1], sys.argv[2]
data = os.environ.get("TAMIS_DATA")
folder = tempfile.TemporaryDirectory()


def digits():
    path = os.path.join(shipped, "digits.csv")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return sp.csr_matrix(table[:, 1:] / 16), table[:, 0], [path, "--scale", "16"]


def mnist(rows=20000):
    source = os.path.join(data, "mnist", "train-")
    images = gzip.open(source + "images-idx3-ubyte.gz").read()[16 : 16 + rows * 784]
    labels = gzip.open(source + "labels-idx1-ubyte.gz").read()[8 : 8 + rows]
    names = [os.path.join(folder.name, name) for name in ("images", "labels")]
    with open(names[0], "wb") as out:
        out.write(b"\0\0\x08\x03" + b"".join(size.to_bytes(4, "big") for size in (rows, 28, 28)) + images)
    with open(names[1], "wb") as out:
        out.write(b"\0\0\x08\x01" + rows.to_bytes(4, "big") + labels)
    x = np.frombuffer(images, np.uint8).reshape(rows, 784) / 255
    return sp.csr_matrix(x), np.frombuffer(labels, np.uint8), [",".join(names), "--scale", "255"]


def news20():
    path = os.path.join(data, "news20", "news20_bydate_tfidf_train.svm.gz")
    x, y = load_svmlight_file(path)
    return x.tocsr(), y, [path]


def theirs(x, y, c, tolerance):
    model = LinearSVC(multi_class="crammer_singer", C=c, fit_intercept=False, tol=tolerance, max_iter=100000)
    started = time.perf_counter()
    model.fit(x, y)
    seconds = time.perf_counter() - started
    scores = np.asarray(x @ model.coef_.T)
    own = np.searchsorted(model.classes_, y)
    margins = scores + 1 - scores[np.arange(len(y)), own][:, None]
    margins[np.arange(len(y)), own] = 0
    return margins.max(axis=1).mean() + (model.coef_**2).sum() / (2 * c * len(y)), seconds


def ours(arguments, c, rows, tolerance, precision):
    report = os.path.join(folder.name, "report.json")
    subprocess.run(
        [tamis, "train", *arguments, "--loss", "hinge", "--penalty", "ridge", "--no-intercept", "--quiet",
         "--lambda", repr(1 / (c * rows)), "--tolerance", repr(tolerance), "--precision", precision, "--report", report],
        check=True, capture_output=True)
    with open(report) as file:
        return json.load(file)


results = []
for name, load, c, tolerances in (
    ("digits, C = 0.5", digits, 0.5, (1e-1, 1e-2, 1e-3, 1e-4)),
    ("MNIST, first 20,000 rows, C = 0.05", mnist, 0.05, (1, 1e-1, 1e-2)),
    ("news20 tf-idf, C = 0.5", news20, 0.5, (1, 1e-1, 1e-2)),
):
    title = "liblinear, " + name
    if load is not digits and not data:
        results.append({"name": title, "line": "skipped: set TAMIS_DATA", "agree": True})
        continue
    x, y, arguments = load()
    for tolerance in tolerances:
        times = {"theirs": [], "float": [], "double": []}
        agree = True
        for _ in range(3):
            objective, seconds = theirs(x, y, c, tolerance)
            times["theirs"].append(seconds)
            for precision in ("float", "double"):
                certified = 1e-2
                while True:  # a run that ends at or below their objective
                    report = ours(arguments, c, len(y), certified, precision)
                    if report["objective"] <= objective or certified < 1e-6:
                        break
                    certified /= 2
                agree = agree and report["objective"] <= objective * (1 + 1e-5)
                agree = agree and report["dual_objective"] <= objective * (1 + 1e-5)
                reached = [e["seconds"] for e in report["trace"] if e["objective"] <= objective * (1 + 1e-7)]
                times[precision].append(min([report["seconds"], *reached]))
        median = {key: statistics.median(value) for key, value in times.items()}
        line = f"objective {objective:.7f} in {1e3 * median['theirs']:.1f} ms; tamis " + ", ".join(
            f"{1e3 * median[p]:.1f} ms in {p} (theirs / ours {median['theirs'] / median[p]:.2f})" for p in ("float", "double"))
        results.append({"name": title, "line": line + ("" if agree else "   DIFFERENT OBJECTIVES"), "agree": bool(agree)})
for result in results:
    print(f"{result['name']}: {result['line']}")
