"""Data that no machine holds: each worker of a Dask cluster streams its blocks through a learner of fixed memory, and
the models are averaged by the number of their samples. What that costs, beside training with all in memory."""

import sys

import dask
import dask.array as da
import numpy as np
import tamis
from distributed import Client, LocalCluster

CLASSES = np.arange(10)


@dask.delayed
def learn(blocks: list) -> tuple[np.ndarray, np.ndarray, int]:
    """A worker's blocks of (n_samples, 1 + n_features), one after the other."""
    model = tamis.StreamingClassifier("squared-hinge", "l1", 1e-4)
    for _ in range(10):
        for block in blocks:
            model.partial_fit(block[:, 1:], block[:, 0].astype(int), classes=CLASSES)
    return model.coef_, model.intercept_, model.n_samples_seen_


def main() -> None:
    table = np.loadtxt(sys.argv[1] + "/digits.csv", delimiter=",", skiprows=1)
    table[:, 1:] /= 16
    train, test = table[:1200], table[1200:]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        blocks = da.from_array(train, chunks=(150, -1)).to_delayed().ravel().tolist()
        learned = dask.compute(*(learn(blocks[worker::2]) for worker in range(2)))
    weights = [samples for _, _, samples in learned]
    coefficients = np.average([c for c, _, _ in learned], axis=0, weights=weights)
    intercepts = np.average([b for _, b, _ in learned], axis=0, weights=weights)
    averaged = (CLASSES[(test[:, 1:] @ coefficients.T + intercepts).argmax(axis=1)] == test[:, 0]).mean()
    whole = tamis.SparseClassifier("squared-hinge", "l1", 1e-4, tolerance=1e-2)
    whole.fit(train[:, 1:], train[:, 0].astype(int))
    in_memory = whole.score(test[:, 1:], test[:, 0].astype(int))
    print(f"averaged {averaged:.1%} right, in memory {in_memory:.1%}")


if __name__ == "__main__":
    main()
