"""python_costs.py FOLDER [--wheels FOLDER] [--quick] [--json FILE]: what the Python package takes beside the library.

Of `fit`: the share of processor time that is not in calls of the library; that of the longest, after which an interrupt
is seen; memory at its highest, the samples included, beside 1.2 times the samples and the arena. Of `predict`:
microseconds of CPU time for one row, the least of ten rounds. Of models that parts of the samples make as streams,
and that are averaged as in lib/python/examples/stream_on_dask.py: how many new samples they get right, beside a model
of all in memory. Of the wheel in a folder: seconds from `pip install` into a fresh environment to a first prediction.
FOLDER holds digits.csv; MNIST (the first 20,000) comes from the folder TAMIS_DATA, but for --quick. tamis is found by
PYTHONPATH. Every row is measured in a process of its own. Prints tables, and writes them as JSON.
"""
import copy
import glob
import gzip
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

FIRST_PREDICTION = """
import numpy as np, tamis
X = np.random.default_rng(0).normal(size=(60, 5))
print(tamis.SparseClassifier().fit(X, X[:, 0] > 0).predict(X[:1]))
"""


def samples_of(name, layout):
    """Samples, of which nothing else is left in memory, and labels."""
    import numpy as np

    if name == "digits":
        table = np.loadtxt(os.path.join(sys.argv[1], "digits.csv"), delimiter=",", skiprows=1)
        X, y = np.asfortranarray(table[:, 1:] / 16), table[:, 0].astype(int)
    else:
        rows, source = 20000, os.path.join(os.environ["TAMIS_DATA"], "mnist", "train-")
        images = np.frombuffer(gzip.open(source + "images-idx3-ubyte.gz").read(), np.uint8, offset=16)
        labels = np.frombuffer(gzip.open(source + "labels-idx1-ubyte.gz").read(), np.uint8, offset=8)
        X, y = np.empty((rows, 784), np.float32, order="F"), labels[:rows].astype(int)
        for j in range(784):
            X[:, j] = images[j :: 784][:rows] / np.float32(255)
    if layout == "CSC":
        from scipy.sparse import csc_matrix

        X = csc_matrix(X)
    return (np.ascontiguousarray(X) if layout == "C" else X), y


def resident(name):
    """Bytes of this process as /proc says them: VmRSS now, VmHWM at the highest."""
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith(name))


def measure(name, layout):
    """In a process of its own: one row."""
    import numpy as np
    import tamis
    from tamis import _library

    X, y = samples_of(name, layout)
    parts = [X.data, X.indices, X.indptr] if layout == "CSC" else [X]
    estimator = tamis.SparseClassifier("squared-hinge", "group-l2", 1e-3, tolerance=1e-3)
    calls, call = [], _library.Precision.call  # CPU seconds

    def timed(self, name):
        """The library's function, whose seconds are kept."""
        function = call(self, name)

        def run(*arguments):
            used = time.process_time()
            try:
                return function(*arguments)
            finally:
                calls.append(time.process_time() - used)
        return run

    tamis.SparseClassifier().fit(X[:50], y[:50])  # what the first use loads
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # VmHWM from here on
    before = resident("VmRSS")
    estimator.fit(X, y)
    out = {"data": name, "layout": layout, "samples": sum(part.nbytes for part in parts),
           "arena": estimator.arena_bytes_}
    out["highest"] = out["samples"] + resident("VmHWM") - before
    out["goal"] = 1.2 * out["samples"] + out["arena"]
    shares, seconds, longest = [], [], []
    for _ in range(9):
        calls.clear()
        _library.Precision.call = timed
        began, used = time.perf_counter(), time.process_time()
        estimator.fit(X, y)
        used = time.process_time() - used
        seconds.append(time.perf_counter() - began)
        _library.Precision.call = call
        shares.append(1 - sum(calls) / used)
        longest.append(max(calls))
    out.update(seconds=statistics.median(seconds), share=statistics.median(shares),
               longest=statistics.median(longest))
    row = np.ascontiguousarray(X[:1].toarray() if layout == "CSC" else X[:1])
    rounds = []
    for _ in range(10):
        began = time.process_time()
        for _ in range(1000):
            estimator.predict(row)
        rounds.append(1e3 * (time.process_time() - began))
    out["microseconds"] = min(rounds)
    print(json.dumps(out))


def average(name):
    """In a process of its own: rows of the table of averages. Every third sample is new."""
    import numpy as np
    import tamis

    X, y = samples_of(name, "C")
    new = np.arange(len(y)) % 3 == 0
    train, labels, classes = X[~new], y[~new], np.unique(y)
    whole = tamis.SparseClassifier("squared-hinge", "l1", 1e-4, tolerance=1e-2).fit(train, labels)
    in_memory = float(whole.score(X[new], y[new]))
    for parts in (1, 2, 8):
        stream = tamis.StreamingClassifier("squared-hinge", "l1", 1e-4, passes=10)
        models = [copy.copy(stream).fit(train[k::parts], labels[k::parts]) for k in range(parts)]
        weights = [model.n_samples_seen_ for model in models]
        W = np.average([model.coef_ for model in models], axis=0, weights=weights)
        b = np.average([model.intercept_ for model in models], axis=0, weights=weights)
        right = float((classes[(X[new] @ W.T + b).argmax(axis=1)] == y[new]).mean())
        print(json.dumps({"data": name, "parts": parts, "right": right, "whole": in_memory}))


def installed(wheel):
    """Seconds of each step, from the wheel to a first prediction in a fresh environment."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        python = os.path.join(folder, "bin", "python")
        for step, command in (
                ("environment", [sys.executable, "-m", "venv", "--system-site-packages", folder]),
                ("install", [python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check",
                             wheel]),
                ("prediction", [python, "-c", FIRST_PREDICTION])):
            began = time.perf_counter()
            subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
            out[step] = time.perf_counter() - began
    return out


def apart(*arguments):
    """What a process of its own prints, as JSON."""
    run = subprocess.run([sys.executable, "-B", __file__, sys.argv[1], *arguments], check=True, stdout=subprocess.PIPE,
                         text=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def main():
    out = {"fit": [], "averaged": []}
    sets = ["digits"] + (["MNIST 20,000"] if os.environ.get("TAMIS_DATA") and "--quick" not in sys.argv else [])
    print("| data | samples | arena | highest | 1.2 samples + arena | fit | beyond the solver | longest call | predict |\n"
          "|---|---|---|---|---|---|---|---|---|")
    for name in sets:
        for layout in ("Fortran", "CSC", "C"):
            r, = apart("--measure", name, layout)
            out["fit"].append(r)
            sizes = " | ".join(f"{r[size] / 1e6:.2f} MB" for size in ("samples", "arena", "highest", "goal"))
            print(f"| {name}, {layout} | {sizes} | {r['seconds']:.3g} s | {r['share']:.1%} | {r['longest']:.2g} s | "
                  f"{r['microseconds']:.1f} µs |", flush=True)
    print("\n| averaged, of streams | parts | of new samples right | all in memory |\n|---|---|---|---|")
    for name in sets:
        for r in apart("--average", name):
            out["averaged"].append(r)
            print(f"| {name} | {r['parts']} | {r['right']:.1%} | {r['whole']:.1%} |", flush=True)
    folder = sys.argv[sys.argv.index("--wheels") + 1] if "--wheels" in sys.argv else ""
    if wheels := folder and glob.glob(os.path.join(folder, "tamis-*.whl")):
        out["wheel"] = installed(max(wheels, key=os.path.getmtime))
        print("\nFrom the wheel to a first prediction: "
              + ", ".join(f"{step} {seconds:.1f} s" for step, seconds in out["wheel"].items()))
    if "--json" in sys.argv:
        with open(sys.argv[sys.argv.index("--json") + 1], "w") as file:
            json.dump(out, file)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        measure(*sys.argv[sys.argv.index("--measure") + 1 :][:2])
    elif "--average" in sys.argv:
        average(sys.argv[sys.argv.index("--average") + 1])
    else:
        main()
