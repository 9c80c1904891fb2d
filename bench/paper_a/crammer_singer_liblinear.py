"""crammer_singer_liblinear.py RESULTS: figure 4's problems by LinearSVC(multi_class='crammer_singer').

Reads RESULTS/figure4_rows.csv and figure4.csv (the values of alpha), MNIST from the folder TAMIS_DATA, and writes
RESULTS/figure4_liblinear.csv with the columns of figure4.csv. Without intercepts; C = 1/(lambda n) = 1/(2 alpha). CPU
time of the process, which has one thread.
"""
import csv
import gzip
import os
import sys
import time
import warnings
from collections import defaultdict

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
data = os.environ.get("TAMIS_DATA")
if not data:
    sys.exit(0)
try:
    import numpy as np
    from sklearn.svm import LinearSVC
except ImportError:
    print("liblinear: not run, scikit-learn is missing; install python3-sklearn")
    sys.exit(0)
warnings.filterwarnings("ignore")


def mnist(part):
    source = os.path.join(data, "mnist", part)
    images = np.frombuffer(gzip.open(source + "-images-idx3-ubyte.gz").read()[16:], np.uint8).reshape(-1, 784)
    return images, np.frombuffer(gzip.open(source + "-labels-idx1-ubyte.gz").read()[8:], np.uint8)


results = sys.argv[1]
subsets, alphas = defaultdict(list), []
with open(os.path.join(results, "figure4_rows.csv")) as file:
    for line in csv.DictReader(file):
        subsets[int(line["per_class"]), int(line["seed"])].append(int(line["row"]))
with open(os.path.join(results, "figure4.csv")) as file:
    columns = file.readline().strip()
    for line in csv.DictReader(file, columns.split(",")):
        if line["alpha"] not in alphas:
            alphas.append(line["alpha"])
images, labels = mnist("train")
test_images, test_labels = mnist("t10k")
test = test_images / 255

with open(os.path.join(results, "figure4_liblinear.csv"), "w") as out:
    print(columns, file=out)
    for (per_class, seed), rows in subsets.items():
        x, y = images[rows] / 255, labels[rows]
        for alpha in alphas:
            c = 1 / (2 * float(alpha))
            model = LinearSVC(multi_class="crammer_singer", C=c, fit_intercept=False, tol=1e-3, max_iter=100000)
            started = time.process_time()
            model.fit(x, y)
            seconds = time.process_time() - started
            scores = x @ model.coef_.T
            margins = scores + 1 - scores[np.arange(len(y)), y][:, None]
            margins[np.arange(len(y)), y] = 0
            objective = margins.max(axis=1).mean() + (model.coef_**2).sum() / (2 * c * len(y))
            errors = 100 * np.mean(np.argmax(test @ model.coef_.T, axis=1) != test_labels)
            significant = int((np.abs(model.coef_) > 1e-5).sum())
            print("pixels", per_class, "liblinear", alpha, seed, "stopping_rule", model.n_iter_, f"{objective:.9g}", "nan", significant,
                  f"{errors:.4f}", f"{seconds:.6f}", sep=",", file=out, flush=True)
    print(f"liblinear: {len(subsets) * len(alphas)} solves")
