"""Searches, cross-validation and stability selection on a cluster of processes, of which a worker is killed."""

import os
import signal
import tempfile
import threading
import unittest

import joblib
import numpy as np
import tamis
from distributed import Client, LocalCluster
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from support import data


def busy_worker(dask_scheduler, known, finished_before):
    """A worker that has a task while others are done, on the scheduler: its address and the task."""
    done = sum(move[1:3] == ("processing", "memory") for move in dask_scheduler.transition_log)
    if done < finished_before + 2:
        return None
    return next(((worker.address, task.key) for worker in dask_scheduler.workers.values() if worker.address in known
                 for task in worker.processing), None)


def moves(dask_scheduler):
    """(task, from, to) of all that happened on the scheduler."""
    return [tuple(move[:3]) for move in dask_scheduler.transition_log]


class Dask(unittest.TestCase):
    def setUp(self):
        _, X, self.y = data("digits")
        self.X = X / 16
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        cluster = LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None,
                               local_directory=folder.name)
        self.addCleanup(cluster.close)
        self.client = Client(cluster)
        self.addCleanup(self.client.close)
        self.client.amm.stop()  # after two seconds it leaves one copy of what is scattered to all

    def with_a_worker_killed(self, scatter, work):
        """What `work` returns, on the cluster, of which a worker is killed that has one of its tasks."""
        pids = self.client.run(os.getpid)
        self.assertEqual(len(set(pids.values()) - {os.getpid()}), 3)
        before = sum(move[1:] == ("processing", "memory") for move in self.client.run_on_scheduler(moves))
        finished, killed = threading.Event(), []

        def kill():
            while not killed and not finished.is_set():
                busy = self.client.run_on_scheduler(busy_worker, known=list(pids), finished_before=before)
                if busy is not None:
                    os.kill(pids[busy[0]], signal.SIGKILL)
                    killed.append(busy)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            # What is not scattered to all is lost with the one worker that has it.
            with joblib.parallel_backend("dask", scatter=scatter):
                out = work()
        finally:
            finished.set()
            killer.join()
        (address, _), = killed
        self.assertNotIn(pids[address], self.client.run(os.getpid).values())
        lost = {key for key, *way in self.client.run_on_scheduler(moves) if way == ["processing", "released"]}
        self.assertTrue(lost)  # and made by another worker
        return out

    def test_a_killed_worker_loses_nothing_of_a_search(self):
        splits = list(StratifiedKFold(3).split(self.X, self.y))
        scatter = [self.X, self.y, *(half for split in splits for half in split)]

        def search():
            model = tamis.SparseClassifier("hinge", "group-l2", tolerance=1e-3)
            return GridSearchCV(model, {"lam": [0.1, 0.05, 0.02, 0.01, 0.005]}, cv=splits).fit(self.X, self.y)

        def scores():
            return cross_val_score(tamis.SparseClassifier(tolerance=1e-2), self.X, self.y, cv=splits)

        found, alone = self.with_a_worker_killed(scatter, search), search()
        for split in range(3):
            np.testing.assert_array_equal(found.cv_results_[f"split{split}_test_score"],
                                          alone.cv_results_[f"split{split}_test_score"])
        np.testing.assert_array_equal(found.best_estimator_.coef_, alone.best_estimator_.coef_)
        with joblib.parallel_backend("dask", scatter=scatter):
            on_the_cluster = scores()
        np.testing.assert_array_equal(on_the_cluster, scores())

    def test_a_killed_worker_loses_nothing_of_a_stability_selection(self):
        X, y = self.X[::3], self.y[::3]

        def selection(n_jobs):
            selector = tamis.StabilitySelector(pairs=40, random_state=1, tolerance=1e-2, lambdas=10, n_jobs=n_jobs)
            return selector.fit(X, y)

        selected, alone = self.with_a_worker_killed([X, y], lambda: selection(-1)), selection(None)
        np.testing.assert_array_equal(selected.by_lambda_, alone.by_lambda_)
        self.assertEqual(selected.false_selections_, alone.false_selections_)


if __name__ == "__main__":
    unittest.main()
