#!/usr/bin/env python3
"""The default beside all our solvers, over real tables: how often it is near the best, and where it is worst.

    python3 bench/grid.py TAMIS [DATA] [--output grid.csv] [--seconds 20] [--data wine,colon] [--losses hinge] [--quick] ...

TAMIS is the command, DATA a folder (by default TAMIS_DATA) with NAME/NAME.csv.gz, NAME/NAME_train.csv.gz or NAME.csv. A cell is a table, raw or standardised, with a
loss, a penalty, a share of lambda_max and a precision. Each cell is trained with the default and with every other solver that takes the
problem, published baselines aside; a run is killed after so many CPU seconds. Times are CPU seconds beyond what it
takes to read the table; below --least they count as that. Cells that no solver ends are counted apart.

Ends with 1 where the default does not converge and another solver does. --quick has a few cells. --read judges files that --output has
written, together, instead of training; of a run that is in two of them the last one counts.
"""
import argparse
import collections
import csv
import glob
import os
import subprocess
import sys

from tables import run

FIELDS = ["data", "form", "loss", "penalty", "share", "precision", "solver", "status", "seconds", "gap"]


def data_sets(folder):
    """The data sets of a folder, by name: the part to train on."""
    found = {}
    for path in sorted(glob.glob(os.path.join(folder, "*.csv")) + glob.glob(os.path.join(folder, "*", "*.csv.gz"))):
        name = os.path.basename(path).split(".")[0]
        of = os.path.basename(os.path.dirname(path))
        if path.endswith(".csv") or name in (of, of + "_train"):
            found[of if path.endswith(".gz") else name] = path
    return found


def solvers(tamis):
    """Ours, by loss and penalty."""
    known = collections.defaultdict(list)
    for line in subprocess.run([tamis, "solvers"], capture_output=True, text=True, check=True).stdout.splitlines()[1:]:
        words = line.split()
        if not words:
            break
        name, loss, *penalties = words
        if name == "auto" or "printed" in name or name in ("adaptive-dual-averaging", "fista-constant-step", "forward-backward") or "--eta)" in words:
            continue
        for penalty in penalties:
            known[loss, penalty].append(name)
    return known


def scale(tamis, table, form, loss, penalty, seconds):
    """lambda_max, of ridge the first lambda of a path; and the time that reading takes, with little else. None: refused."""
    flags = [table, "--loss", loss, "--penalty", penalty, "--lambdas", "1", "--tolerance", "1"] + form
    report, spent = run([tamis, "path"] + flags, seconds)
    return (report["lambda"], spent) if report else None


def cells(wishes, folder):
    for data, path in data_sets(folder).items():
        if wishes.data and data not in wishes.data:
            continue
        for form in wishes.forms:
            for loss in wishes.losses:
                for penalty in wishes.penalties:
                    yield data, path, form, loss, penalty


def measure(wishes, write):
    """A list of cells: (name, {solver: (status, seconds)})."""
    known, measured = solvers(wishes.tamis), []
    for data, path, form, loss, penalty in cells(wishes, wishes.folder):
        flags = ["--standardise"] if form == "standardised" else []
        largest = scale(wishes.tamis, path, flags, loss, penalty, wishes.seconds)
        if not largest:
            print(f"{data}, {form}, {loss}, {penalty}: not run: no first lambda", file=sys.stderr)
            continue
        for share in wishes.shares:
            for precision in wishes.precisions:
                results = {}
                for solver in ["auto"] + known[loss, penalty]:
                    command = [wishes.tamis, "train", path, "--loss", loss, "--penalty", penalty, "--solver", solver, "--lambda",
                               repr(largest[0] * float(share)), "--precision", precision] + flags
                    report, spent = run(command, wishes.seconds)
                    status = report["status"] if report else "killed"
                    results[solver] = status, max(spent - largest[1], wishes.least), report["solver"] if report else None
                    write([data, form, loss, penalty, share, precision, solver, status, f"{spent - largest[1]:.3f}",
                           report["relative_gap"] if report else ""])
                measured.append(((data, form, loss, penalty, share, precision), results))
    return measured


def measure_all(wishes):
    if not wishes.folder:
        sys.exit("set TAMIS_DATA to the folder of the data sets, or name one")
    if wishes.quick:
        wishes.data, wishes.losses, wishes.penalties = wishes.data or ["wine"], ["hinge", "logistic"], ["l1"]
        wishes.shares, wishes.precisions, wishes.forms = ["1e-2"], ["double"], ["standardised"]
    with open(wishes.output or os.devnull, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(FIELDS)

        def write(row):
            rows.writerow(row)
            file.flush()

        return measure(wishes, write)


def read(paths, least):
    """As measure, from files of --output."""
    results = collections.defaultdict(dict)
    for path in paths:
        try:
            with open(path, newline="", encoding="utf-8") as file:
                for row in csv.DictReader(file):
                    results[tuple(row[key] for key in FIELDS[:6])][row["solver"]] = row["status"], max(float(row["seconds"]), least), None
        except OSError as error:
            sys.exit(f"{path} cannot be read: {error.strerror}")
        except (KeyError, TypeError, ValueError):
            sys.exit(f"{path} is not a file that --output has written")
    return list(results.items())


def judge(measured, near):
    """Cells by the default's time over that of the best, and those that it alone does not end; and how many nobody ends."""
    ranked, failed, unended = [], [], 0
    for name, results in measured:
        ended = {solver: seconds for solver, (status, seconds, _) in results.items() if status == "converged"}
        if not ended:
            unended += 1
            continue
        best = min(ended, key=ended.get)
        ratio = ended["auto"] / ended[best] if "auto" in ended else float("inf")
        (ranked if "auto" in ended else failed).append((ratio, name, results["auto"], best, ended[best]))
    ranked.sort(key=lambda row: -row[0])
    within = sum(ratio <= near for ratio, *_ in ranked)
    return failed + ranked, within, len(failed), unended


def main():
    words = lambda text: text.split(",")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tamis")
    parser.add_argument("folder", nargs="?", default=os.environ.get("TAMIS_DATA"))
    parser.add_argument("--output", help="every run, as CSV")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--least", type=float, default=0.02)
    parser.add_argument("--near", type=float, default=1.5)
    parser.add_argument("--data", type=words)
    parser.add_argument("--losses", type=words, default=["hinge", "squared-hinge", "logistic", "one-vs-rest-squared-hinge"])
    parser.add_argument("--penalties", type=words, default=["ridge", "l1", "group-l2", "elastic-net", "group-linf", "sparse-group", "reweighted-l1"])
    parser.add_argument("--shares", type=words, default=["1e-1", "1e-2", "1e-3", "1e-4", "1e-5"])
    parser.add_argument("--precisions", type=words, default=["double", "float"])
    parser.add_argument("--forms", type=words, default=["raw", "standardised"])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--read", type=words)
    wishes = parser.parse_args()
    measured = read(wishes.read, wishes.least) if wishes.read else measure_all(wishes)
    if not measured:
        sys.exit("there is no cell: " + ("no run in these files" if wishes.read else "no such data in " + wishes.folder))
    ranked, within, failed, unended = judge(measured, wishes.near)
    count = len(ranked)
    print(f"{len(measured)} cells, {unended} of which no solver ends; the default is within {wishes.near:g} of the best in {within} of "
          f"{count} ({100 * within / max(count, 1):.1f} %), and does not end {failed} that another ends\n")
    print("| data | form | loss | penalty | lambda/lambda_max | precision | default | s | best | s | ratio |\n" + "|---" * 11 + "|")
    for ratio, name, (status, seconds, solver), best, least in ranked[: failed + 10]:
        print("| " + " | ".join([*name, solver or "auto", f"{seconds:.2f}" if status == "converged" else status, best, f"{least:.2f}",
                                 f"{ratio:.1f}"]) + " |")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
