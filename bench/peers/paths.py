"""paths.py BENCH_PATHS [DATA]: paths of 100 values of lambda beside glmnet, at equal largest error.

Logistic loss, intercepts, no standardising, at the values that glmnet chooses. BENCH_PATHS is the program of that name,
DATA a folder (by default TAMIS_DATA) with NAME/NAME.csv.gz or NAME/NAME_train.csv.gz; news20 is every fifth text of its
training part, with l1 alone. The error is the largest relative excess of the objective over the optimum along the path;
the optimum is that of a path certified to 1e-8, so that nobody can be below it but for that. Times are CPU seconds of the
solvers, one thread, the least of three. Of tamis the row is that of the loosest tolerance whose error is no larger than the
peer's; "at 1e-3" and "at 1e-4" are the times at those tolerances. --rows a,b and --penalties l1,group-l2 choose. Without Rscript or glmnet
the reason is said, and nothing is measured.
"""
import argparse
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("bench")
parser.add_argument("folder", nargs="?", default=os.environ.get("TAMIS_DATA"))
parser.add_argument("--rows", default="digits,satimage,wisdm,golub,colon,news20")
parser.add_argument("--penalties", default="l1,group-l2")
wishes = parser.parse_args()
ratios = {"digits": 1e-3}
texts = {"news20": ("news20_bydate_tfidf_train.svm.gz", 5)}
tolerances = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5, 3e-6, 1e-6, 1e-7)

absent = None
if not wishes.folder:
    absent = "set TAMIS_DATA to the folder of the data sets"
elif not shutil.which("Rscript") or subprocess.run(["Rscript", "-e", "library(glmnet)"], capture_output=True).returncode:
    absent = "R has no glmnet: r-cran-glmnet"
if absent:
    print("paths beside glmnet: not run: " + absent)
    sys.exit()

glmnet = """
suppressMessages({library(glmnet); library(Matrix)}); a <- commandArgs(TRUE)
if (a[5] == "svm") {
  words <- strsplit(readLines(a[1]), " +"); y <- factor(sapply(words, `[`, 1)); count <- lengths(words) - 1
  pairs <- do.call(rbind, strsplit(unlist(lapply(words, `[`, -1)), ":"))
  x <- sparseMatrix(i=rep(seq_along(words), count), j=as.integer(pairs[, 1]), x=as.numeric(pairs[, 2]))
} else { d <- read.csv(a[1]); y <- factor(d[, 1]); x <- as.matrix(d[, -1]); storage.mode(x) <- "double" }
two <- nlevels(y) == 2; grouped <- a[2] == "group-l2"; least <- Inf
if (two && grouped) quit()
for (r in 1:3) { t <- system.time(f <- glmnet(x, y, family=if (two) "binomial" else "multinomial",
    type.multinomial=if (grouped) "grouped" else "ungrouped", standardize=FALSE, nlambda=100, lambda.min.ratio=as.numeric(a[3]),
    thresh=as.numeric(a[4])))
  least <- min(least, t[["user.self"]]) }
cat(least, "\\n")
for (i in seq_along(f$lambda)) {
  b <- if (two) cbind(0, f$beta[, i]) else sapply(f$beta, function(m) m[, i])
  z <- sweep(as.matrix(x %*% b), 2, if (two) c(0, f$a0[i]) else f$a0[, i], "+"); top <- apply(z, 1, max)
  loss <- mean(top + log(rowSums(exp(z - top))) - z[cbind(seq_len(nrow(z)), as.integer(y))])
  cat(format(f$lambda[i], digits=17), format(loss + f$lambda[i] * (if (grouped) sum(sqrt(rowSums(b^2))) else sum(abs(b))), digits=17), "\\n")
}
"""


def ours(data, lambdas, penalty, tolerance):
    lines = subprocess.run([wishes.bench, data, lambdas, penalty, str(tolerance)], capture_output=True, text=True, check=True).stdout.split()
    return float(lines[0]), [float(line) for line in lines[1:]]


def error(objectives, optima):
    return max((f - best) / best for f, best in zip(objectives, optima))


with tempfile.TemporaryDirectory() as scratch:
    script, lambdas = (os.path.join(scratch, name) for name in ("glmnet.R", "lambdas.txt"))
    with open(script, "w") as file:
        file.write(glmnet)
    print(f"{'path':22} {'threshold':>9} {'points':>6} {'glmnet s':>9} {'error':>8} | {'tamis s':>8} {'error':>8} {'tolerance':>9} {'ratio':>6}"
          f" | {'at 1e-3':>8} {'at 1e-4':>8}", flush=True)
    for name in wishes.rows.split(","):
        kind, (part, stride) = ("svm", texts[name]) if name in texts else ("csv", ("", 1))
        data = os.path.join(scratch, "data." + kind)
        names = [part] if part else [f"{name}.csv.gz", f"{name}_train.csv.gz"]
        source = next(path for path in (f"{wishes.folder}/{name}/{file}" for file in names) if os.path.exists(path))
        with gzip.open(source, "rb") as packed, open(data, "wb") as file:
            file.writelines(line for number, line in enumerate(packed) if number % stride == 0)
        for penalty in wishes.penalties.split(","):
            if name in texts and penalty != "l1":
                continue
            known = {}
            for threshold in ("1e-7", "1e-9") if penalty == "l1" else ("1e-7",):
                done = subprocess.run(["Rscript", script, data, penalty, str(ratios.get(name, 1e-2)), threshold, kind], capture_output=True,
                                      text=True, check=True)
                if not done.stdout:  # of two classes it has no groups
                    continue
                seconds, *rows = done.stdout.splitlines()
                points = [[float(number) for number in row.split()] for row in rows]
                if list(known.get("lambdas", [])) != [point[0] for point in points]:
                    known = {"lambdas": [point[0] for point in points]}
                    with open(lambdas, "w") as file:
                        file.writelines(f"{point[0]!r}\n" for point in points)
                    known["optima"] = ours(data, lambdas, penalty, 1e-8)[1]
                theirs = error([point[1] for point in points], known["optima"])
                for tolerance in tolerances:
                    if tolerance not in known:
                        known[tolerance] = ours(data, lambdas, penalty, tolerance)
                    if error(known[tolerance][1], known["optima"]) <= theirs:
                        break
                for needed in (1e-3, 1e-4):
                    if needed not in known:
                        known[needed] = ours(data, lambdas, penalty, needed)
                own, objectives = known[tolerance]
                print(f"{name + ' ' + penalty:22} {threshold:>9} {len(points):6} {float(seconds):9.3f} {theirs:8.1e} | {own:8.3f}"
                      f" {error(objectives, known['optima']):8.1e} {tolerance:9.0e} {float(seconds) / own:6.2f}"
                      f" | {known[1e-3][0]:8.3f} {known[1e-4][0]:8.3f}", flush=True)
