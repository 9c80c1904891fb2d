"""Runs that are interrupted, that run beside others, and in forked processes; and slices of a run."""

import os
import signal
import sys
import threading
import time
import unittest
from ctypes import byref, c_size_t, c_void_p

import numpy as np
import tamis
from support import data
from tamis import _library as lib

# Iterations whose certificate never reaches the tolerance, of which there is no end.
ENDLESS = dict(loss="squared-hinge", penalty="l1", lam=0.001, solver="forward-backward", tolerance=1e-300,
               max_iterations=2**31)


class Slices(unittest.TestCase):
    def seconds_of(self, seconds_of_step, total):
        """What slices of a run take, by a clock that steps advance."""
        now, done, took = [0.0], [0], []

        def step(steps):
            took.append(sum(seconds_of_step(done[0] + i) for i in range(steps)))
            now[0] += took[-1]
            done[0] += steps
            return lib.RUNNING if done[0] < total else lib.CONVERGED

        clock, lib.time.perf_counter = lib.time.perf_counter, lambda: now[0]
        try:
            self.assertFalse(lib.run_to_end(step, lambda: None))
        finally:
            lib.time.perf_counter = clock
        return took

    def test_take_a_tenth_of_a_second_or_one_step(self):
        for seconds in (1e-7, 1e-3, 0.03, 0.4):
            took = self.seconds_of(lambda _: seconds, 300)
            self.assertLess(max(took), max(0.11, 1.01 * seconds))
            self.assertGreater(max(took), min(0.05, 10 * seconds))  # and not much less, where steps are many

    def test_are_short_again_once_steps_are_long(self):
        took = self.seconds_of(lambda number: 1e-4 if number < 200 else 0.05, 400)
        long = [seconds for seconds in took if seconds > 0.11]
        self.assertLess(sum(long), 1)


class Interrupts(unittest.TestCase):
    def setUp(self):
        _, self.X, self.y = data("digits")

    def interrupted(self, fit, wait_for=1000):
        """Sends SIGINT, as Ctrl-C does, once so many steps are made."""
        usual = signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process ignores it
        started, run, made = threading.Event(), lib.run_to_end, []

        def watched(step, stop, *more):
            def watched_step(steps):
                made.append(steps)
                if sum(made) >= wait_for:
                    started.set()
                return step(steps)
            return run(watched_step, stop, *more)

        def send():
            started.wait()
            os.kill(os.getpid(), signal.SIGINT)

        lib.run_to_end = watched
        thread = threading.Thread(target=send)
        thread.start()
        try:
            return fit()
        finally:
            started.set()
            thread.join()
            lib.run_to_end = run
            signal.signal(signal.SIGINT, usual)

    def test_leave_the_best_model_so_far(self):
        model = tamis.SparseClassifier(**ENDLESS)
        with self.assertWarnsRegex(tamis.ConvergenceWarning, "KeyboardInterrupt has ended training"):
            self.interrupted(lambda: model.fit(self.X, self.y))
        self.assertEqual(model.status_, "stopped")
        self.assertGreater(model.score(self.X, self.y), 0.2)

    def test_pass_where_there_is_no_model_yet(self):
        with self.assertRaises(KeyboardInterrupt):
            self.interrupted(lambda: tamis.SparseClassifierCV(tolerance=1e-300).fit(self.X, self.y), wait_for=1)

    def test_end_a_fit_that_calibrates(self):
        """Which has no probabilities yet, and does not begin to make some."""
        with self.assertRaises(KeyboardInterrupt):
            self.interrupted(lambda: tamis.SparseClassifier(**ENDLESS, calibration="softmax").fit(self.X, self.y))

    def at_step(self, fit, number=3):
        """With SIGINT in the step of this number, in whatever run that is."""
        usual, run, left = signal.signal(signal.SIGINT, signal.default_int_handler), lib.run_to_end, [number]

        def watched(step, stop, *more):
            def watched_step(_):
                left[0] -= 1
                if left[0] == 0:
                    signal.raise_signal(signal.SIGINT)
                return step(1)
            return run(watched_step, stop, *more)

        lib.run_to_end = watched
        try:
            return fit(self.X[:300] / 16, self.y[:300])
        finally:
            lib.run_to_end = run
            signal.signal(signal.SIGINT, usual)
            self.assertLessEqual(left[0], 0)

    def test_of_all_families_leave_the_best_model_so_far(self):
        for model in (tamis.InteractionClassifier(0.001), tamis.InteractionRegressor(0.001),
                      tamis.KernelClassifier("gaussian:3", lam=1e-4, q=2),
                      tamis.ConstrainedClassifier(0.9, tolerance=1e-12)):
            with self.subTest(model):
                with self.assertWarnsRegex(tamis.ConvergenceWarning, "KeyboardInterrupt has ended training"):
                    self.at_step(model.fit)
                self.assertEqual(model.status_, "stopped")
                self.assertTrue(np.isfinite(model.predict(self.X / 16)).all())
        path = tamis.SparsePathClassifier()
        with self.assertWarns(tamis.ConvergenceWarning):
            self.at_step(path.fit, 12)
        self.assertTrue(1 < len(path.lambdas_) < 100)  # those that are done
        np.testing.assert_array_equal(path.coef_, path.coefs_[-1])

    def test_of_selections_pass(self):
        for model in (tamis.StabilitySelector(pairs=5), tamis.InteractionClassifier("cv"), tamis.KernelClassifier(lam="cv"),
                      tamis.SparseClassifier("squared-hinge", calibration="sigmoid", tolerance=1e-2)):
            with self.subTest(model), self.assertRaises(KeyboardInterrupt):
                self.at_step(model.fit)
            self.assertFalse(model.__sklearn_is_fitted__())

    def test_limits_warn(self):
        with self.assertWarnsRegex(tamis.ConvergenceWarning, "the iteration limit was reached"):
            model = tamis.SparseClassifier(**{**ENDLESS, "max_iterations": 10}).fit(self.X, self.y)
        self.assertEqual(model.status_, "iteration_limit")


class Beside(unittest.TestCase):
    def setUp(self):
        _, self.X, self.y = data("digits")
        self.fit = lambda: tamis.SparseClassifier("hinge", "group-l2").fit(self.X, self.y).coef_

    def test_threads_run_while_one_trains(self):
        """The library is called without the interpreter's lock."""
        steps = []
        p = lib.DOUBLE
        problem = tamis.SparseClassifier(**ENDLESS)._problem(self.X, self.y, None)
        problem.struct.lambda_ = 0.001
        state, arena = problem._state("training", "fast_bytes")
        status = p.call("start")(state, byref(problem.struct), c_void_p(lib.address(arena)),
                                 c_size_t(arena.size))
        self.assertEqual(status, lib.RUNNING)
        counted, ready, interval = [0], threading.Event(), sys.getswitchinterval()

        def work():
            ready.set()
            steps.append((p.call("step")(state, 600), counted[0]))

        sys.setswitchinterval(1000)  # nobody gets the interpreter that is not given it
        try:
            thread = threading.Thread(target=work)
            thread.start()
            ready.wait()
            while thread.is_alive():
                counted[0] += 1
                time.sleep(0)
        finally:
            sys.setswitchinterval(interval)
        (status, counted_meanwhile), = steps
        self.assertEqual(status, lib.RUNNING)
        self.assertGreater(counted_meanwhile, 0)

    def test_threads_train_at_once(self):
        expected, found = self.fit(), []
        threads = [threading.Thread(target=lambda: found.append(self.fit())) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 4)
        for coefficients in found:
            np.testing.assert_array_equal(coefficients, expected)

    def test_a_fork_while_training_trains_too(self):
        expected = self.fit()
        stop, busy = threading.Event(), threading.Event()

        def work():
            while not stop.is_set():
                busy.set()
                self.fit()

        thread = threading.Thread(target=work)
        thread.start()
        busy.wait()
        child = os.fork()
        if child == 0:
            os._exit(0 if (self.fit() == expected).all() else 1)
        _, status = os.waitpid(child, 0)
        stop.set()
        thread.join()
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        np.testing.assert_array_equal(self.fit(), expected)


if __name__ == "__main__":
    unittest.main()
