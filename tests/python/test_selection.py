"""Stability selection, scattering and windows beside the command."""

import json
import tempfile
import unittest
from pathlib import Path

import numpy as np
import tamis
from support import command, data


def csv(path, y, X):
    path.write_text("label," + ",".join(f"x{j}" for j in range(X.shape[1])) + "\n" + "".join(
        f"{label}," + ",".join(map(repr, row)) + "\n" for label, row in zip(y.tolist(), X.tolist())))


class Stability(unittest.TestCase):
    def test_frequencies_are_those_of_the_command(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(120, 8))
        y = (X[:, 1] - X[:, 4] + 0.5 * rng.normal(size=120) > 0).astype(int)
        selector = tamis.StabilitySelector(pairs=5, lambdas=10, max_features=4, tolerance=1e-4).fit(X, y)
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            csv(folder / "data.csv", y, X)
            command("stability", folder / "data.csv", "--loss", "logistic", "--penalty", "group-l2", "--subsamples", 10,
                    "--lambdas", 10, "--lambda-ratio", 0.1, "--max-features", 4, "--report", folder / "report.json",
                    "--quiet")
            report = json.loads((folder / "report.json").read_text())
        theirs = {unit["name"]: unit["frequency"] for unit in report["ranked"]}
        for j, frequency in enumerate(selector.frequencies_):
            self.assertAlmostEqual(theirs.get(f"x{j}", 0), frequency, places=12)
        self.assertEqual(set(selector.get_support(indices=True)), {1, 4})
        np.testing.assert_array_equal(selector.transform(X), X[:, [1, 4]])
        self.assertEqual(selector.get_feature_names_out().tolist(), ["x1", "x4"])

    def test_is_the_same_in_processes(self):
        _, X, y = data("iris")
        alone = tamis.StabilitySelector(pairs=12, random_state=3).fit(X, y)
        many = tamis.StabilitySelector(pairs=12, random_state=3, n_jobs=2).fit(X, y)
        np.testing.assert_array_equal(alone.by_lambda_, many.by_lambda_)
        self.assertEqual(alone.false_selections_, many.false_selections_)
        np.testing.assert_allclose(alone.by_lambda_ * 24, np.round(alone.by_lambda_ * 24), atol=1e-9)  # of 24 halves
        self.assertEqual(alone.frequencies_.max().round(12), 1)


class Transforms(unittest.TestCase):
    def trained(self, arguments, X, y, transformed):
        """A model of the command on samples that it transforms itself, and on ours."""
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for name, table, more in (("own", X, arguments), ("ours", transformed, [])):
                csv(folder / f"{name}.csv", y, table)
                command("train", folder / f"{name}.csv", "--loss", "logistic", "--penalty", "l1", "--lambda", "0.01",
                        "--quiet", "--model", folder / f"{name}.json", *more)
            return [json.loads((folder / f"{name}.json").read_text()) for name in ("own", "ours")]

    def test_scattering_is_that_of_the_command(self):
        _, X, y = data("digits")
        X, y = X[:300], y[:300]
        transformed = tamis.ScatteringTransformer(by_position=True).fit_transform(X)
        own, ours = self.trained(["--scattering", "8x8"], X, y, transformed)
        self.assertEqual(own["coefficients"], ours["coefficients"])
        self.assertEqual(own["feature_count"], ours["feature_count"])

    def test_scattering_of_signals_has_the_mean(self):
        X = np.random.default_rng(0).normal(size=(3, 128))
        scattered = tamis.ScatteringTransformer(128, scales=3).fit_transform(X.astype(np.float32))
        self.assertEqual(scattered.dtype, np.float32)
        self.assertEqual(scattered.shape[0], 3)
        self.assertEqual(tamis.ScatteringTransformer(128).fit_transform(np.ones((1, 128))).round(9).max(), 1)

    def test_windows_are_their_formulas(self):
        X = np.random.default_rng(0).normal(size=(100, 2))
        windows = tamis.SensorWindows(16, 8, bands=4)
        out = windows.transform(X)
        ends = windows.ends(len(X))
        self.assertEqual(out.shape, (len(ends), 2 * 8))
        for row, end in zip(out, ends):
            window = X[end - 15 : end + 1]
            for channel in range(2):
                mean, deviation, energy, crossings, *powers = row[8 * channel : 8 * channel + 8]
                values = window[:, channel]
                self.assertAlmostEqual(mean, values.mean())
                self.assertAlmostEqual(deviation, values.std())
                self.assertAlmostEqual(energy, (values**2).mean())
                self.assertAlmostEqual(sum(powers), values.var())


if __name__ == "__main__":
    unittest.main()
