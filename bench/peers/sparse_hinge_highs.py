"""sparse_hinge_highs.py TAMIS FOLDER: the exact hinge with sparse penalties, the tamis command against an LP solver
(HiGHS' dual simplex, exact) and against Chierchia et al.'s (2015) Algorithm 1.

FOLDER holds digits.csv; leukemia comes from the folder TAMIS_DATA. Times are of the solvers, reading excluded. 'Relative
error' is (F - F*)/F* with F* from HiGHS, read off the command's trace; 'certified' is the command's own relative gap.
Prints a table; --json FILE writes it too.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack, identity, kron, vstack

tamis, shipped = sys.argv[1], sys.argv[2]
folder = tempfile.TemporaryDirectory()
report = os.path.join(folder.name, "report.json")


def table(path, scale=1.0, standardise=False):
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path)
    with opened as lines:
        values = np.loadtxt(lines, delimiter=",", skiprows=1)
    y = np.unique(values[:, 0], return_inverse=True)[1]
    x = values[:, 1:] / scale
    if standardise:
        deviation = x.std(axis=0)
        x = (x - x.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    return x, y


def highs(x, y, weight, block):
    """Optimum and seconds of min sum_i t_i / n + weight * penalty; block 0: l1, else l1,inf of that many features."""
    (n, p), classes = x.shape, int(y.max()) + 1
    others = np.array([[k for k in range(classes) if k != label] for label in y])  # n x (K - 1)
    count = others.size
    rows = np.arange(count)
    sample = np.repeat(np.arange(n), classes - 1)
    place = [np.repeat(rows, p), np.repeat(rows, p)]
    column = [(np.tile(np.arange(p), count) * classes + np.repeat(k, p)) for k in (others.ravel(), y[sample])]
    entry = [x[sample].ravel(), -x[sample].ravel()]
    shape = (count, p * classes)
    scores = coo_matrix((np.concatenate(entry), (np.concatenate(place), np.concatenate(column))), shape=shape).tocsr()
    ones = np.ones(count)
    intercepts = coo_matrix(
        (np.concatenate([ones, -ones]), (np.concatenate([rows, rows]), np.concatenate([others.ravel(), y[sample]]))),
        shape=(count, classes),
    )
    losses = coo_matrix((-ones, (rows, sample)), shape=(count, n))
    if block == 0:  # W = P - N
        matrix = hstack([scores, -scores, intercepts, losses]).tocsr()
        cost = np.concatenate([np.full(2 * p * classes, weight), np.zeros(classes), np.full(n, 1 / n)])
        limits = [(0, None)] * (2 * p * classes) + [(None, None)] * classes + [(0, None)] * n
        bound = -ones
    else:
        groups = -(-p // block)
        of_group = coo_matrix((np.ones(p), (np.arange(p), np.arange(p) // block)), shape=(p, groups))
        largest = kron(of_group, identity(classes))
        w = identity(p * classes)
        none = coo_matrix((p * classes, classes + n))
        empty = coo_matrix((count, groups * classes))
        matrix = vstack([hstack([scores, empty, intercepts, losses]), hstack([w, -largest, none]),
                         hstack([-w, -largest, none])]).tocsr()
        cost = np.concatenate([np.zeros(p * classes), np.full(groups * classes, weight), np.zeros(classes),
                               np.full(n, 1 / n)])
        limits = ([(None, None)] * (p * classes) + [(0, None)] * (groups * classes) + [(None, None)] * classes +
                  [(0, None)] * n)
        bound = np.concatenate([-ones, np.zeros(2 * p * classes)])
    started = time.process_time()
    result = linprog(cost, A_ub=matrix, b_ub=bound, bounds=limits, method="highs-ds")
    seconds = time.process_time() - started
    if result.status != 0:
        sys.exit(result.message)
    return result.fun, seconds


def ours(arguments, tolerance, limit=1000000):
    command = [tamis, "train", *arguments, "--loss", "hinge", "--tolerance", str(tolerance), "--max-iterations",
               str(limit), "--quiet", "--report", report]
    subprocess.run(command, check=True)
    return json.load(open(report))


def first(trace, optimum, error):
    """Seconds to the first certificate with that relative error; None if there is none."""
    for point in trace:
        if point["objective"] is not None and point["objective"] <= optimum * (1 + error):
            return point["seconds"]
    return None


def text(seconds):
    return f"{seconds:.3f} s" if seconds < 1 else f"{seconds:.1f} s"


results = []


def line(problem, what, value, asked):
    results.append({"problem": problem, "what": what, "value": value, "asked": asked})
    print(f"{problem:34s} {what:52s} {value:38s} {asked}", flush=True)


def median(arguments):
    return sorted((ours(arguments, 1e-6) for _ in range(3)), key=lambda run: run["seconds"])[1]


def least_memory(name, samples, features, classes):
    """The minimum mode beside Algorithm 1: as it is here, with its certificate and its best model, and its iterates alone."""
    def size(solver):
        shape = ["--samples", str(samples), "--features", str(features), "--classes", str(classes)]
        out = subprocess.run([tamis, "size", *shape, "--solver", solver, "--loss", "hinge", "--penalty", "l1",
                              "--precision", "float"], check=True, capture_output=True, text=True).stdout
        return int(out.split()[0])

    least, printed = size("auto"), size("primal-dual-as-printed")
    iterates = (2 * (features + 1) + 2 * samples) * -(-classes // 4) * 16
    line(name, "least arena, float, to Algorithm 1's",
         f"{least} bytes: {least / printed:.2f}x (its iterates alone: {least / iterates:.2f}x)", "<= 1.5x")


def compare(name, x, y, arguments, weight, block, ratio, printed=None):
    optimum, theirs = highs(x, y, weight, block)
    run = median(arguments)
    error = first(run["trace"], optimum, 1e-6)
    line(name, "HiGHS, exact", f"{text(theirs)}, objective {optimum:.9g}", "")
    line(name, "tamis to relative error 1e-6", f"{text(error)}: {theirs / error:.1f}x faster", ratio)
    line(name, "tamis to certified 1e-6", f"{text(run['seconds'])}: {theirs / run['seconds']:.1f}x faster", "")
    tight = ours(arguments, 1e-8)
    line(name, "tamis to certified 1e-8", f"{text(tight['seconds'])}, {tight['status']}", "reachable")
    if printed:
        goal, limit, asked = printed
        baseline = ours([*arguments, "--solver", "primal-dual-as-printed"], 1e-9, limit)
        mine, reached = first(run["trace"], optimum, goal), first(baseline["trace"], optimum, goal)
        what = f"Algorithm 1 as printed to relative error {goal:g}"
        if reached:
            line(name, what, f"{text(reached)}: tamis {text(mine)}, {reached / mine:.0f}x faster", asked)
        else:
            best = min(point["objective"] for point in baseline["trace"]) / optimum - 1
            spent = baseline["seconds"]
            line(name, what, f"not reached in {text(spent)} ({best:.1e}): tamis {text(mine)}, > {spent / mine:.0f}x", asked)
    return run


digits_path = os.path.join(shipped, "digits.csv")
x, y = table(digits_path, scale=16)
common = [digits_path, "--scale", "16"]
weight = 1 / len(y)
plain = compare("digits, l1, lambda_A = 1", x, y, [*common, "--penalty", "l1", "--lambda", str(weight)], weight, 0,
                ">= 20x", (1e-3, 90000, ">= 100x"))
compare("digits, l1,inf of 8, lambda_A = 1", x, y,
        [*common, "--penalty", "group-linf", "--groups", "blocks:8", "--lambda", str(weight)], weight, 8, ">= 10x")
grouped = median([*common, "--penalty", "group-l2", "--groups", "blocks:8", "--lambda", str(weight)])
line("digits, l1,2 of 8, lambda_A = 1", "tamis to certified 1e-6",
     f"{text(grouped['seconds'])}: {grouped['seconds'] / plain['seconds']:.2f}x the time of l1", "<= 2x")
least_memory("digits", *x.shape, int(y.max()) + 1)
data = os.environ.get("TAMIS_DATA")
if data:
    path = os.path.join(data, "golub", "golub_train.csv.gz")
    x, y = table(path, standardise=True)
    weight = 1 / (0.1 * len(y))
    common = [path, "--standardise", "--lambda", str(weight)]
    plain = compare("leukemia, l1, lambda_A = 0.1", x, y, [*common, "--penalty", "l1"], weight, 0, ">= 50x",
                    (1e-4, 100000, ">= 500x"))
    grouped = median([*common, "--penalty", "group-l2", "--groups", "blocks:5"])
    line("leukemia, l1,2 of 5, lambda_A = 0.1", "tamis to certified 1e-6",
         f"{text(grouped['seconds'])}: {grouped['seconds'] / plain['seconds']:.2f}x the time of l1", "<= 2x")
    least_memory("leukemia", *x.shape, int(y.max()) + 1)
else:
    print("leukemia: skipped: set TAMIS_DATA to the folder that holds golub/")
if "--json" in sys.argv:
    json.dump(results, open(sys.argv[sys.argv.index("--json") + 1], "w"), indent=1)
