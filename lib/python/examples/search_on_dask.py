"""A pipeline under GridSearchCV on Dask: here a cluster of two processes, elsewhere Client("scheduler:8786")."""

import sys

import joblib
import numpy as np
import tamis
from distributed import Client, LocalCluster
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def main() -> None:
    table = np.loadtxt(sys.argv[1] + "/wine.csv", delimiter=",", skiprows=1)
    X, y = table[:, 1:], table[:, 0].astype(int)
    splits = list(StratifiedKFold(5, shuffle=True, random_state=0).split(X, y))
    pipeline = make_pipeline(StandardScaler(), tamis.SparseClassifier("hinge", "group-l2"))
    search = GridSearchCV(pipeline, {"sparseclassifier__lam": [0.3, 0.1, 0.03, 0.01]}, cv=splits)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        # What all tasks need is scattered to every worker, and stays there: one that is lost takes nothing with it.
        client.amm.stop()
        with joblib.parallel_backend("dask", scatter=[X, y, *(half for split in splits for half in split)]):
            search.fit(X, y)
    print(f"lambda {search.best_params_['sparseclassifier__lam']}, {search.best_score_:.1%} right by five folds")


if __name__ == "__main__":
    main()
