"""group_sparse.py TAMIS FOLDER: smooth losses with the l1/l2 penalty on rows, no intercepts, the tamis command against
the libraries that solve the same problems.

lightning (CDClassifier, the library of Blondel et al.'s (2013) author) where python3 can import it; its settings are its own defaults:
cyclic, permuted, shrinking. glmnet (multinomial, grouped) where Rscript has it, at several thresholds, down a path of 20
lambdas as its manual asks: its time is that of the path. Times are of the solvers, reading excluded, one thread;
lightning's is the time between its callbacks, without what the callback computes; of runs that are short, the fastest of
up to five, for all alike. 'Relative error' is (F - F*)/F* with certified F*, for ours read off the
command's trace; 'certified' is the command's own relative gap. FOLDER holds digits.csv; MNIST (first 20,000 rows) and
news20 come from the folder TAMIS_DATA. --cap S: give a peer up at S seconds (default 300). --json FILE writes the machine, the
date and the seconds of all rows too: bench/ratios.json is such a file, from which the table of README.md is made.
"""
import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import warnings

import numpy as np
import scipy.sparse as sp

warnings.filterwarnings("ignore")
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tamis")
parser.add_argument("folder")
parser.add_argument("--cap", type=float, default=300)
parser.add_argument("--json")
parser.add_argument("--only", default="", help="a regular expression that the names of the problems to run match")
wishes = parser.parse_args()
data = os.environ.get("TAMIS_DATA")
scratch = tempfile.TemporaryDirectory()


def digits():
    path = os.path.join(wishes.folder, "digits.csv")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    return table[:, 1:] / 16, table[:, 0].astype(int), [path, "--scale", "16"]


def mnist(rows=20000):
    source = os.path.join(data, "mnist", "train-")
    images = gzip.open(source + "images-idx3-ubyte.gz").read()[16 : 16 + rows * 784]
    labels = gzip.open(source + "labels-idx1-ubyte.gz").read()[8 : 8 + rows]
    names = [os.path.join(scratch.name, name) for name in ("images", "labels")]
    with open(names[0], "wb") as out:
        out.write(b"\0\0\x08\x03" + b"".join(size.to_bytes(4, "big") for size in (rows, 28, 28)) + images)
    with open(names[1], "wb") as out:
        out.write(b"\0\0\x08\x01" + rows.to_bytes(4, "big") + labels)
    x = np.frombuffer(images, np.uint8).reshape(rows, 784) / 255
    return x, np.frombuffer(labels, np.uint8).astype(int), [",".join(names), "--scale", "255"]


def news20():
    from sklearn.datasets import load_svmlight_file

    path = os.path.join(data, "news20", "news20_bydate_tfidf_train.svm.gz")
    x, y = load_svmlight_file(path)
    return x.tocsc(), y.astype(int) - 1, [path]


def objective(x, y, w, lam, loss):
    scores = np.asarray(x @ w.T)
    own = scores[np.arange(len(y)), y][:, None]
    if loss == "squared-hinge":
        violation = np.maximum(1 + scores - own, 0)
        violation[np.arange(len(y)), y] = 0
        value = (violation**2).sum(axis=1).mean()
    else:
        top = scores.max(axis=1, keepdims=True)
        value = (np.log(np.exp(scores - top).sum(axis=1)) + (top - own)[:, 0]).mean()
    return value + lam * np.sqrt((w**2).sum(axis=0)).sum()


def lightning(x, y, lam, loss, enough):
    """The curve [(seconds, objective)] up to `enough`, or why there is none."""
    try:
        from lightning.classification import CDClassifier
    except ImportError:
        return "not run: python3 has no lightning"
    curve, clock = [], {"total": 0.0, "last": None}

    def look(model):
        clock["total"] += time.perf_counter() - clock["last"]
        curve.append((clock["total"], objective(x, y, model.coef_, lam, loss)))
        stop = curve[-1][1] <= enough or clock["total"] > wishes.cap
        clock["last"] = time.perf_counter()
        return True if stop else None

    model = CDClassifier(loss="squared_hinge" if loss == "squared-hinge" else "log", penalty="l1/l2", multiclass=True,
                         C=1 / len(y), alpha=lam, max_iter=10**6, tol=0, callback=look, n_calls=x.shape[1],
                         random_state=0)
    columns = np.asfortranarray(x) if isinstance(x, np.ndarray) else x
    clock["last"] = time.perf_counter()
    model.fit(columns, y)
    return curve


def glmnet(x, y, lam, loss, enough):
    if not shutil.which("Rscript"):
        return "not run: there is no Rscript"
    files = [os.path.join(scratch.name, name) for name in ("x.csv", "y.csv", "w.csv")]
    np.savetxt(files[0], x, delimiter=",")
    np.savetxt(files[1], y, fmt="%d")
    curve, spent = [], 0.0
    for threshold in (1e-5, 1e-7, 1e-9, 1e-11):
        code = f"""
          suppressMessages(library(glmnet)); x <- as.matrix(read.csv("{files[0]}", header=FALSE)); y <- scan("{files[1]}", quiet=TRUE)
          s <- proc.time()[3]
          f <- glmnet(x, factor(y), family="multinomial", type.multinomial="grouped", standardize=FALSE, intercept=FALSE,
                      lambda=exp(seq(log({lam}*100), log({lam}), length.out=20)), thresh={threshold}, maxit=1e7)
          cat(proc.time()[3] - s, "\\n")
          b <- sapply(f$beta, function(m) as.numeric(m[, ncol(m)])); write.table(b, "{files[2]}", sep=",", row.names=FALSE, col.names=FALSE)
        """
        done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True)
        if done.returncode:
            return "not run: " + (done.stderr.strip().splitlines() or ["Rscript failed"])[-1]
        seconds = float(done.stdout.split()[-1])
        curve.append((seconds, objective(x, y, np.loadtxt(files[2], delimiter=",").T, lam, loss)))
        spent += seconds
        if curve[-1][1] <= enough or spent > wishes.cap:
            break
    return curve


def ours(arguments, lam, loss, tolerance, precision, limit):
    report = os.path.join(scratch.name, "report.json")
    subprocess.run(
        [wishes.tamis, "train", *arguments, "--loss", loss, "--penalty", "group-l2", "--no-intercept", "--quiet", "--lambda",
         repr(lam), "--tolerance", repr(tolerance), "--max-iterations", str(limit), "--precision", precision, "--report", report],
        check=True, capture_output=True)
    with open(report) as file:
        return json.load(file)


def best_of(run, seconds):
    """The fastest of up to five runs, of as many as start within three seconds."""
    runs, spent = [], 0.0
    while len(runs) < 5 and (not runs or spent < 3):
        runs.append(run())
        if isinstance(runs[-1], str):
            return runs[-1]
        spent += seconds(runs[-1])
    return min(runs, key=seconds)


def reached(curve, value):
    return next((seconds for seconds, objective in curve if objective <= value), None)


def in_words(seconds):
    return "not reached" if seconds is None else f"{seconds:.3g} s" if seconds >= 1 else f"{1e3 * seconds:.3g} ms"


problems = [  # name, samples, loss, lambda, F*, [(relative error, {peer: ratio asked})], peers, iterations of ours
    ("digits", digits, "squared-hinge", 1e-3, 0.0967012585400, [(1e-2, {}), (1e-4, {"lightning": 80})], [lightning], 100000),
    ("digits, logistic", digits, "logistic", 1e-3, 0.217270568328, [(4e-3, {}), (8e-6, {}), (2e-6, {"glmnet": 1000})],
     [glmnet, lightning], 100000),
    ("news20", news20, "squared-hinge", 1e-3, 2.5476039475, [(1e-2, {}), (1e-3, {"lightning": 40})], [lightning], 100000),
    ("MNIST, first 20,000 rows", mnist, "squared-hinge", 1e-3, 0.464336296577158,
     [(1e-2, {}), (1e-3, {"lightning": 130}), (1e-4, {"lightning": 240})], [lightning], 100000),
    ("MNIST, first 20,000 rows, small lambda", mnist, "squared-hinge", 1e-5, 0.118951,
     [(0.2188 / 0.118951 - 1, {"lightning": 25}), (1e-2, {})], [lightning], 2000),
]
rows = []
for name, load, loss, lam, optimum, targets, peers, limit in problems:
    if not re.search(wishes.only, name):
        continue
    if load is not digits and not data:
        print(f"{name}: skipped: set TAMIS_DATA")
        continue
    x, y, arguments = load()
    hard = lam < 1e-4
    mine = {}
    for precision, tolerance in (("float", 1e-4), ("double", 1e-6)):
        report = best_of(lambda: ours(arguments, lam, loss, 1e-2 if hard else tolerance, precision, limit),
                         lambda report: report["seconds"])
        curve = [(point["seconds"], point["objective"]) for point in report["trace"]]
        mine[precision] = curve + [(report["seconds"], report["objective"])]
        gaps = [(point["seconds"], point["gap"] / point["objective"]) for point in report["trace"]]
        certified = ", ".join(f"certified {level:.0e} in {in_words(reached(gaps, level))}"
                              for level in (1e-2, 1e-4, 1e-6) if level >= tolerance)
        print(f"{name}, lambda {lam:g}, tamis in {precision}: {certified}; arena {report['arena_bytes']} bytes", flush=True)
    for peer in peers:
        enough = optimum * (1 + min(error for error, _ in targets))
        curve = best_of(lambda: peer(x, y, lam, loss, enough), lambda curve: curve[-1][0])
        for error, asked in targets:
            title = f"{name}, lambda {lam:g}, {loss}, to {optimum * (1 + error):.7g} (relative error {error:.2g}), {peer.__name__}"
            if isinstance(curve, str):
                line = curve
            else:
                theirs, ratio_asked = reached(curve, optimum * (1 + error)), asked.get(peer.__name__)
                row = {"problem": name, "loss": loss, "lambda": lam, "error": error, "peer": peer.__name__,
                       "seconds": theirs, "gave_up_after": None if theirs else curve[-1][0]}
                parts = [f"{in_words(theirs)}" if theirs else f"more than {curve[-1][0]:.3g} s"]
                for precision in ("float", "double"):
                    seconds = reached(mine[precision], optimum * (1 + error))
                    row[f"tamis_{precision}"] = seconds
                    ratio = (theirs or curve[-1][0]) / seconds if seconds else 0
                    parts.append(f"tamis {in_words(seconds)} in {precision} ({'> ' if not theirs else ''}{ratio:.3g}x)")
                line = "; ".join(parts) + (f"; asked {ratio_asked}x" if ratio_asked else "")
                rows.append(row)
            print(f"{title}: {line}", flush=True)
if wishes.json:
    with open("/proc/cpuinfo") as file:
        processor = re.search(r"model name\s*: (.*)", file.read())
    machine = {"processor": processor[1] if processor else "unknown", "cores": os.cpu_count(), "date": time.strftime("%Y-%m-%d")}
    with open(wishes.json, "w") as out:
        json.dump({"machine": machine, "rows": rows}, out, indent=1)
        out.write("\n")
