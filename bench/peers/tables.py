"""tables.py TAMIS [DATA]: tables as they come beside liblinear, LIBSVM and glmnet, to the same accuracy.

Nothing is scaled. Each problem is one that the peer solves too: the exact hinge and ridge with two classes and intercepts (LIBSVM, sklearn.svm.SVC), with any
number and without intercepts (liblinear, sklearn.svm.LinearSVC by Crammer and Singer), the logistic loss and l1 with two classes and no intercepts (liblinear,
sklearn.linear_model.LogisticRegression), and with intercepts (glmnet, the last lambda of ten from a hundred times as large), the logistic loss and ridge
with more than two classes and intercepts (sklearn.linear_model.LogisticRegression by L-BFGS and by Newton's method with conjugate gradients). The optimum is that of a run of
ours certified to 1e-8. A peer's time is that of its loosest tolerance with an objective within 1e-4 of it, CPU seconds of its solver; ours, certified to 1e-4,
those of the whole command, reading included. A peer is ended after --seconds. DATA is by default the folder TAMIS_DATA; peers that are not installed are left out.
"""
import argparse
import gzip
import json
import multiprocessing
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("tamis")
parser.add_argument("folder", nargs="?", default=os.environ.get("TAMIS_DATA"))
parser.add_argument("--seconds", type=int, default=20)
parser.add_argument("--problems", default="libsvm,liblinear,liblinear-logistic,glmnet,lbfgs,newton-cg")
wishes = parser.parse_args()
if not wishes.folder:
    sys.exit("set TAMIS_DATA to the folder of the data sets, or name one")
tolerances = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
near = 1e-4


def read(path):
    with gzip.open(path, "rt") as file:
        rows = [line.strip().split(",") for line in file if line.strip()]
    try:
        float(rows[0][1])
    except ValueError:
        rows = rows[1:]
    names = sorted({row[0] for row in rows})
    return np.array([row[1:] for row in rows], float), np.array([names.index(row[0]) for row in rows])


def hinge(scores, y):
    own = scores[np.arange(len(y)), y][:, None]
    margins = scores + 1 - own
    margins[np.arange(len(y)), y] = 0
    return margins.max(axis=1).mean()


def libsvm(x, y, strength, tolerance):
    """v is twice the difference of what each class has: ridge is a quarter of its square."""
    from sklearn.svm import SVC

    model = SVC(kernel="linear", C=2 / (len(y) * strength), tol=tolerance, cache_size=1000)
    started = time.process_time()
    model.fit(x, y)
    spent = time.process_time() - started
    z = model.decision_function(x)
    return np.maximum(0, 1 - z * (2 * y - 1)).mean() + strength / 4 * (model.coef_**2).sum(), spent


def liblinear(x, y, strength, tolerance):
    from sklearn.svm import LinearSVC

    model = LinearSVC(multi_class="crammer_singer", C=1 / (len(y) * strength), fit_intercept=False, tol=tolerance, max_iter=10**8)
    started = time.process_time()
    model.fit(x, y)
    spent = time.process_time() - started
    weights = model.coef_ if len(model.coef_) > 1 else np.vstack([-model.coef_, model.coef_]) / 2
    return hinge(x @ weights.T, y) + strength / 2 * (weights**2).sum(), spent


def liblinear_logistic(x, y, strength, tolerance):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(penalty="l1", solver="liblinear", C=1 / (len(y) * strength), fit_intercept=False, tol=tolerance, max_iter=10**8)
    started = time.process_time()
    model.fit(x, y)
    spent = time.process_time() - started
    return np.logaddexp(0, -(2 * y - 1) * (x @ model.coef_[0])).mean() + strength * np.abs(model.coef_).sum(), spent


def multinomial(solver):
    def solve(x, y, strength, tolerance):
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(solver=solver, multi_class="multinomial", C=1 / (len(y) * strength), tol=tolerance, max_iter=10**6)
        started = time.process_time()
        model.fit(x, y)
        spent = time.process_time() - started
        z = x @ model.coef_.T + model.intercept_
        top = z.max(axis=1)
        loss = (top + np.log(np.exp(z - top[:, None]).sum(axis=1)) - z[np.arange(len(y)), y]).mean()
        return loss + strength / 2 * (model.coef_**2).sum(), spent

    return solve


in_r = """
suppressMessages(library(glmnet)); a <- commandArgs(TRUE); d <- read.csv(a[1], header=FALSE); y <- factor(d[, 1]); x <- as.matrix(d[, -1])
storage.mode(x) <- "double"; two <- nlevels(y) == 2; last <- as.numeric(a[2])
t <- system.time(f <- glmnet(x, y, family=if (two) "binomial" else "multinomial", standardize=FALSE, lambda=last * 100^seq(1, 0, length.out=10),
    thresh=as.numeric(a[3]) * 1e-3, maxit=10^9))
b <- if (two) cbind(0, f$beta[, 10]) else sapply(f$beta, function(m) m[, 10])
z <- sweep(x %*% b, 2, if (two) c(0, f$a0[10]) else f$a0[, 10], "+"); top <- apply(z, 1, max)
loss <- mean(top + log(rowSums(exp(z - top))) - z[cbind(seq_len(nrow(z)), as.integer(y))])
cat(format(loss + last * sum(abs(b)), digits=17), t[["user.self"]], "\\n")
"""


def glmnet(x, y, strength, tolerance):
    with tempfile.TemporaryDirectory() as scratch:
        script, table = os.path.join(scratch, "one.R"), os.path.join(scratch, "table.csv")
        with open(script, "w", encoding="utf-8") as file:
            file.write(in_r)
        np.savetxt(table, np.column_stack([y, x]), delimiter=",", fmt="%.17g")
        done = subprocess.run(["Rscript", script, table, repr(strength), repr(tolerance)], capture_output=True, text=True, check=True)
    objective, spent = map(float, done.stdout.split())
    return objective, spent


def limited(solve, *given):
    """(objective, seconds) of a process of its own; None where it was ended."""
    ours_to_read, theirs = multiprocessing.Pipe(False)

    def work():
        resource.setrlimit(resource.RLIMIT_CPU, (wishes.seconds, wishes.seconds))
        try:
            theirs.send(solve(*given))
        except subprocess.CalledProcessError:
            pass  # glmnet's process was ended

    process = multiprocessing.get_context("fork").Process(target=work)
    process.start()
    theirs.close()
    try:
        return ours_to_read.recv()
    except EOFError:
        return None
    finally:
        process.join()


def ours(path, flags, tolerance):
    """The report and the seconds; None for a run that was ended."""
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, "report.json")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([wishes.tamis, "train", path, "--quiet", "--tolerance", repr(tolerance), "--report", report, *flags], capture_output=True,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (3 * wishes.seconds, 3 * wishes.seconds)))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if not os.path.exists(report):
            return None
        with open(report, encoding="utf-8") as file:
            found = json.load(file)
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


smooth = ("wine", "satimage", "wisdm", "digits", "pendigits", "phoneme")
peers = {
    "libsvm": (libsvm, "hinge", "ridge", [], ("breast_cancer", "colon")),
    "liblinear": (liblinear, "hinge", "ridge", ["--no-intercept"], ("breast_cancer", "wine", "colon", "golub", "srbct")),
    "liblinear-logistic": (liblinear_logistic, "logistic", "l1", ["--no-intercept"], ("breast_cancer", "colon")),
    "glmnet": (glmnet, "logistic", "l1", [], ("breast_cancer", "colon", "wine", "golub", "srbct")),
    "lbfgs": (multinomial("lbfgs"), "logistic", "ridge", [], smooth),
    "newton-cg": (multinomial("newton-cg"), "logistic", "ridge", [], smooth),
}
print("| peer | data | loss | penalty | lambda | peer's tolerance | its s | excess | ours | s | gap | theirs / ours |\n" + "|---" * 12 + "|", flush=True)
for name in wishes.problems.split(","):
    solve, loss, penalty, flags, tables = peers[name]
    if name == "glmnet" and (not shutil.which("Rscript") or subprocess.run(["Rscript", "-e", "library(glmnet)"], capture_output=True).returncode):
        print("glmnet: not run: R has none (r-cran-glmnet)")
        continue
    for table in tables:
        path = next(p for p in (f"{wishes.folder}/{table}/{table}{part}.csv.gz" for part in ("", "_train")) if os.path.exists(p))
        x, y = read(path)
        for strength in (1e-1, 1e-3):
            given = ["--loss", loss, "--penalty", penalty, "--lambda", repr(strength), *flags]
            known, run = ours(path, given, 1e-8), ours(path, given, near)
            if not known or not run:
                print(f"| {name} | {table} | {loss} | {penalty} | {strength:g} | – | – | – | {'no optimum to 1e-8' if run else 'killed'} | – | – | – |", flush=True)
                continue
            optimum, (report, spent) = known[0]["objective"], run
            cells = ["–", f"> {wishes.seconds}", "–"]
            for tolerance in tolerances:
                theirs = limited(solve, x, y, strength, tolerance)
                if not theirs:
                    break
                cells = [f"{tolerance:g}", f"{theirs[1]:.3f}", f"{theirs[0] / optimum - 1:.1e}"]
                if theirs[0] <= optimum * (1 + near):
                    break
            reached = theirs and theirs[0] <= optimum * (1 + near)
            ratio = f"{theirs[1] / spent:.1f}" if reached else f"> {wishes.seconds / spent:.0f}" if not theirs else "not reached"
            print("| " + " | ".join([name, table, loss, penalty, f"{strength:g}", *cells, report["solver"] + ("" if report["status"] == "converged" else
                                     ", " + report["status"]), f"{spent:.3f}", f"{report['relative_gap']:.1e}", ratio]) + " |", flush=True)
