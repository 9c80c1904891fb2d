#!/usr/bin/env python3
"""Tables as they come: what `tamis train` makes of data that nobody has scaled.

    python3 bench/tables.py TAMIS [DATA] [--seconds 20] [--data colon,outlier]

TAMIS is the command, DATA the folder of the data sets, by default TAMIS_DATA. Prints for each problem and precision how the run ended, its processor time
(all of the command, reading included), iterations and the certified gap; a run is killed after so many seconds.

Tables that no data set has are made here, the same ones every time: Gaussian samples around a mean of each class, deviation 1.
"""
import argparse
import json
import os
import random
import resource
import subprocess
import tempfile

FILES = {
    "breast_cancer": "breast_cancer/breast_cancer.csv.gz",
    "colon": "colon/colon.csv.gz",
    "digits": "digits/digits.csv.gz",
    "golub": "golub/golub_train.csv.gz",
    "pendigits": "pendigits/pendigits_train.csv.gz",
    "phoneme": "phoneme/phoneme_train.csv.gz",
    "satimage": "satimage/satimage_train.csv.gz",
    "srbct": "srbct/srbct_train.csv.gz",
    "vowel": "vowel/vowel_train.csv.gz",
    "wine": "wine/wine.csv.gz",
    "wisdm": "wisdm/wisdm_train.csv.gz",
}


def gaussians(samples, features, classes, spread, change=None):
    """Rows of a label and values, around means whose deviation is `spread`; change(i, j, x) is what becomes of a value."""
    draw = random.Random(24)
    means = [[draw.gauss(0, spread) for _ in range(features)] for _ in range(classes)]
    for i in range(samples):
        values = [draw.gauss(mean, 1) for mean in means[i % classes]]
        yield [i % classes] + [change(i, j, x) if change else x for j, x in enumerate(values)]


MADE = {
    "200 classes": lambda: gaussians(4000, 40, 200, 1),
    "outlier": lambda: gaussians(300, 10, 3, 0.7, lambda i, j, x: 1e6 if (i, j) == (7, 3) else x),
    "offsets of 1e6": lambda: gaussians(300, 10, 3, 0.7, lambda i, j, x: x + 1e6),
    "columns of 1e-8 to 1e8": lambda: gaussians(300, 10, 3, 0.7, lambda i, j, x: x * 10.0 ** (8 * (j % 3 - 1))),
    "columns of 1e-30 to 1e30": lambda: gaussians(300, 10, 3, 0.7, lambda i, j, x: x * 10.0 ** (30 * (j % 3 - 1))),
    "separable": lambda: gaussians(300, 10, 3, 6),
}
PROBLEMS = [
    ("breast_cancer", "hinge", "ridge", "1e-3", False),
    ("breast_cancer", "hinge", "ridge", "1e-3", True),
    ("breast_cancer", "hinge", "group-l2", "1e-3", False),
    ("breast_cancer", "hinge", "l1", "1e-3", False),
    ("breast_cancer", "squared-hinge", "l1", "1e-3", False),
    ("breast_cancer", "logistic", "l1", "1e-3", False),
    ("digits", "logistic", "l1", "1e-2", False),
    ("digits", "logistic", "l1", "1e-4", False),
    ("digits", "logistic", "elastic-net", "1e-4", False),
    ("satimage", "logistic", "l1", "1e-4", False),
    ("satimage", "logistic", "elastic-net", "1e-4", False),
    ("phoneme", "logistic", "ridge", "1e-4", False),
    ("phoneme", "logistic", "group-l2", "1e-4", False),
    ("phoneme", "squared-hinge", "ridge", "1e-4", False),
    ("pendigits", "logistic", "ridge", "1e-4", False),
    ("pendigits", "logistic", "group-l2", "1e-4", False),
    ("wisdm", "logistic", "ridge", "1e-4", False),
    ("wisdm", "squared-hinge", "ridge", "1e-3", False),
    ("colon", "logistic", "l1", "1e-4", False),
    ("golub", "logistic", "elastic-net", "1e-4", False),
    ("wine", "hinge", "ridge", "1e-3", False),
    ("wine", "hinge", "l1", "1e-3", False),
    ("colon", "squared-hinge", "ridge", "1e-3", True),
    ("golub", "squared-hinge", "ridge", "1e-3", True),
    ("colon", "logistic", "ridge", "1e-3", True),
    ("golub", "squared-hinge", "l1", "1e-3", True),
    ("golub", "squared-hinge", "l1", "1e-5", True),
    ("vowel", "squared-hinge", "l1", "1e-5", False),
    ("srbct", "squared-hinge", "l1", "1e-5", True),
    ("srbct", "squared-hinge", "ridge", "1e-5", True),
    ("colon", "squared-hinge", "ridge", "1e-3", False),
    ("golub", "squared-hinge", "l1", "1e-3", False),
    ("golub", "squared-hinge", "l1", "1e-5", False),
    ("srbct", "squared-hinge", "l1", "1e-5", False),
    ("srbct", "squared-hinge", "ridge", "1e-5", False),
    ("200 classes", "hinge", "ridge", "1e-3", False),
    ("200 classes", "hinge", "group-l2", "1e-3", False),
    ("200 classes", "hinge", "elastic-net", "1e-3", False),
    ("outlier", "hinge", "l1", "1e-2", False),
    ("outlier", "squared-hinge", "l1", "1e-2", False),
    ("offsets of 1e6", "hinge", "l1", "1e-2", False),
    ("offsets of 1e6", "hinge", "ridge", "1e-2", False),
    ("offsets of 1e6", "squared-hinge", "l1", "1e-2", False),
    ("offsets of 1e6", "squared-hinge", "group-l2", "1e-2", False),
    ("offsets of 1e6", "logistic", "l1", "1e-2", False),
    ("columns of 1e-8 to 1e8", "hinge", "l1", "1e-2", False),
    ("columns of 1e-8 to 1e8", "squared-hinge", "group-l2", "1e-2", False),
    ("columns of 1e-8 to 1e8", "logistic", "l1", "1e-2", False),
    ("columns of 1e-30 to 1e30", "hinge", "l1", "1e-2", False),
    ("columns of 1e-30 to 1e30", "squared-hinge", "group-l2", "1e-2", False),
    ("columns of 1e-30 to 1e30", "logistic", "l1", "1e-2", False),
    ("separable", "squared-hinge", "ridge", "1e-6", False),
    ("separable", "squared-hinge", "l1", "1e-6", False),
    ("separable", "squared-hinge", "group-l2", "1e-6", False),
]


def table_of(data, sets, folder):
    """The file of a table, of `sets` or made in `folder`."""
    if data in FILES:
        return os.path.join(sets, FILES[data])
    path = os.path.join(folder, data.replace(" ", "_") + ".csv")
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(",".join(map(repr, row)) + "\n" for row in MADE[data]())
    return path


def run(command, seconds):
    """What a run reports and its processor time; no report where it was killed."""
    limit = int(seconds) + 1
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        process = subprocess.Popen(
            command + ["--quiet", "--report", report],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)),
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = status
        time = used.ru_utime + used.ru_stime
        if not os.path.exists(report):
            return None, time
        with open(report, encoding="utf-8") as file:
            return json.load(file), time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tamis")
    parser.add_argument("data_sets", metavar="DATA", nargs="?", default=os.environ.get("TAMIS_DATA"))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--data", type=lambda text: text.split(","), help="these tables alone")
    args = parser.parse_args()
    if not args.data_sets:
        parser.error("set TAMIS_DATA to the folder of the data sets, or name one")
    print("| data | loss | penalty | lambda | precision | solver | ended | s | iterations | gap |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for data, loss, penalty, strength, standardised in PROBLEMS:
            if args.data and data not in args.data:
                continue
            for precision in ("double", "float"):
                command = [args.tamis, "train", table_of(data, args.data_sets, folder), "--loss", loss, "--penalty", penalty]
                command += ["--lambda", strength, "--precision", precision] + ["--standardise"] * standardised
                report, time = run(command, args.seconds)
                name = data + (", standardised" if standardised else "")
                end = ["–", "killed" if time >= args.seconds else "refused", f"{time:.2f}", "–", "–"]
                if report:
                    gap = report["relative_gap"]
                    end = [report["solver"], report["status"], f"{time:.2f}", str(report["iterations"]),
                           "–" if gap is None else f"{gap:.1e}"]
                print("| " + " | ".join([name, loss, penalty, strength, precision] + end) + " |", flush=True)


if __name__ == "__main__":
    main()
