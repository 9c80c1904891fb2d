"""A search and a stability selection on a cluster of processes, of which one is killed in the middle."""

import os
import signal
import tempfile
import threading
import unittest

import joblib
import numpy as np
import tamis
from distributed import Client, LocalCluster
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from support import data


class Dask(unittest.TestCase):
    def test_a_killed_worker_loses_nothing(self):
        _, X, y = data("digits")
        X = X / 16
        splits = list(StratifiedKFold(3).split(X, y))

        def search():
            model = tamis.SparseClassifier("hinge", "group-l2", tolerance=1e-3)
            return GridSearchCV(model, {"lam": [0.1, 0.05, 0.02, 0.01, 0.005]}, cv=splits).fit(X, y)

        def selection(n_jobs):
            return tamis.StabilitySelector(pairs=15, random_state=1, tolerance=1e-2, n_jobs=n_jobs).fit(X, y)

        alone, selected_alone = search(), selection(None)
        with tempfile.TemporaryDirectory() as folder, \
                LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
                             local_directory=folder) as cluster, Client(cluster) as client:
            workers = list(client.run(os.getpid).values())
            self.assertEqual(len(set(workers) - {os.getpid()}), 3)
            busy = []

            def kill():
                """Kills a worker that has a task, after others are done."""
                while not busy:
                    busy.extend(client.run_on_scheduler(lambda dask_scheduler: [
                        worker.nanny for worker in dask_scheduler.workers.values()
                        if worker.processing and len(dask_scheduler.tasks) > 12]))
                os.kill(workers[0], signal.SIGKILL)

            killer = threading.Thread(target=kill)
            killer.start()
            # What is not scattered to all is lost with the one worker that has it.
            with joblib.parallel_backend("dask", scatter=[X, y, *(half for split in splits for half in split)]):
                found = search()
            killer.join()
            self.assertNotIn(workers[0], client.run(os.getpid).values())
            with joblib.parallel_backend("dask", scatter=[X, y]):
                selected = selection(-1)
        self.assertTrue(busy)
        for split in range(3):
            np.testing.assert_array_equal(found.cv_results_[f"split{split}_test_score"],
                                          alone.cv_results_[f"split{split}_test_score"])
        np.testing.assert_array_equal(found.best_estimator_.coef_, alone.best_estimator_.coef_)
        np.testing.assert_array_equal(selected.by_lambda_, selected_alone.by_lambda_)


if __name__ == "__main__":
    unittest.main()
