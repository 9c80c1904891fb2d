"""signals.py TAMIS OUTPUT: ridge and sparse models of two sensors' signals, through the tamis command.

wand are strokes of 32 points with 2 coordinates, fsdd spoken digits as 16 segments of time with the logarithms of 20 bands'
energies; both have a customary test part. Every model is chosen on the training part by 5 folds, at the least held-out
error, the sparse ones within one standard error of it. Prints a table, and writes it to OUTPUT as CSV.
"""
import json
import os
import subprocess
import sys

tamis, output = sys.argv[1], sys.argv[2]
data = os.environ.get("TAMIS_DATA")
if not data:
    sys.exit("skipped: set TAMIS_DATA")

problems = {
    "wand/wand": ["--windows 8,hop=4,channels=2,bands=4", "--windows 4,hop=2,channels=2,bands=2"],
    "fsdd/fsdd_logmel": ["--windows 8,hop=4,channels=20,bands=2", "--windows 4,hop=2,channels=20",
                         "--scattering 16x20,scales=1"],
}
models = {
    "ridge": "--penalty ridge --choose min",
    "group-l2": "--penalty group-l2 --choose 1se",
}


def measured(problem, features, model):
    parts = [os.path.join(data, f"{problem}_{part}.csv.gz") for part in ("train", "test")]
    command = [tamis, "cv", parts[0], "--test", parts[1], "--loss", "squared-hinge", "--standardise", "--lambdas", "20",
               "--tolerance", "1e-3", *models[model].split(), *features.split()]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip())
    found = json.loads(done.stdout)
    held_out = min(found["points"], key=lambda point: abs(point["lambda"] - found["lambda"]))
    return found["model"], held_out


with open(output, "w") as out:
    print("data,features,penalty,lambda,held_out_error,test_error,kept_features", file=out)
    for problem, transforms in problems.items():
        name = problem.split("/")[0]
        for model in models:
            for features in ["", *transforms]:
                best, held_out = measured(problem, features, model)
                row = (name, features or "as given", model, best["lambda"], 100 * held_out["mean_error"],
                       100 * (1 - best["test_accuracy"]), best["nonzero_rows"])
                print("%s,\"%s\",%s,%.4g,%.2f,%.2f,%d" % row, file=out, flush=True)
                print("%-5s %-38s %-9s lambda %-8.3g held out %5.2f %%  test %5.2f %%  %4d features" % row, flush=True)
