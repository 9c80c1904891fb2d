#!/usr/bin/env python3
"""Tables as they come: what `tamis train` makes of data that nobody has scaled.

    python3 bench/tables.py TAMIS DATA [--seconds 20]

TAMIS is the command, DATA the folder of the data sets. Prints for each problem and precision how the run ended, its processor time
(all of the command, reading included), iterations and the certified gap; a run is killed after so many seconds.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile

FILES = {
    "breast_cancer": "breast_cancer/breast_cancer.csv.gz",
    "colon": "colon/colon.csv.gz",
    "digits": "digits/digits.csv.gz",
    "golub": "golub/golub_train.csv.gz",
    "satimage": "satimage/satimage_train.csv.gz",
    "srbct": "srbct/srbct_train.csv.gz",
    "vowel": "vowel/vowel_train.csv.gz",
    "wine": "wine/wine.csv.gz",
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
]


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
    parser.add_argument("data")
    parser.add_argument("--seconds", type=float, default=20)
    args = parser.parse_args()
    print("| data | loss | penalty | lambda | precision | solver | ended | s | iterations | gap |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for data, loss, penalty, strength, standardised in PROBLEMS:
        for precision in ("double", "float"):
            command = [args.tamis, "train", os.path.join(args.data, FILES[data]), "--loss", loss, "--penalty", penalty]
            command += ["--lambda", strength, "--precision", precision] + ["--standardise"] * standardised
            report, time = run(command, args.seconds)
            name = data + (", standardised" if standardised else "")
            end = ["–", "killed", f"{time:.2f}", "–", "–"]
            if report:
                gap = report["relative_gap"]
                end = [report["solver"], report["status"], f"{time:.2f}", str(report["iterations"]), "–" if gap is None else f"{gap:.1e}"]
            print("| " + " | ".join([name, loss, penalty, strength, precision] + end) + " |", flush=True)


if __name__ == "__main__":
    main()
