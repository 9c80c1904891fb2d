"""Pictures show what the models have."""

import unittest

import matplotlib
import numpy as np
import tamis
import tamis.plot
from support import data

matplotlib.use("Agg")


class Plots(unittest.TestCase):
    def setUp(self):
        _, self.X, self.y = data("wine")
        self.X = (self.X - self.X.mean(axis=0)) / self.X.std(axis=0)

    def test_path_has_a_line_for_every_feature_that_is_kept(self):
        model = tamis.SparsePathClassifier(lambdas=12, max_features=6).fit(self.X, self.y)
        lines = tamis.plot.path(model).lines
        kept = np.flatnonzero(model.coefs_.any(axis=(0, 1)))
        self.assertEqual([line.get_label() for line in lines], [f"x{j}" for j in kept])
        for line, j in zip(lines, kept):
            np.testing.assert_allclose(line.get_ydata(), np.sqrt((model.coefs_[:, :, j] ** 2).sum(axis=1)))

    def test_coefficients_are_those_of_the_model(self):
        model = tamis.SparseClassifier("hinge", "group-l2", 0.1).fit(self.X, self.y)
        axes = tamis.plot.coefficients(model)
        kept = model.kept_features()
        np.testing.assert_array_equal(axes.images[0].get_array(), model.coef_[:, kept])
        self.assertEqual([t.get_text() for t in axes.get_xticklabels()], [f"x{j}" for j in kept])
        tamis.plot.coefficients(model.sparsify())

    def test_reliability_is_a_share_of_right_ones(self):
        model = tamis.SparseClassifier(lam=0.1).fit(self.X, self.y)
        line = tamis.plot.reliability(model, self.X, self.y, bins=1).lines[1]
        np.testing.assert_allclose(line.get_xydata(), [[model.predict_proba(self.X).max(axis=1).mean(),
                                                        model.score(self.X, self.y)]])

    def test_interactions_are_the_sizes_of_terms(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 4))
        model = tamis.InteractionRegressor(0.05).fit(X, X[:, 0] + X[:, 0] * X[:, 2])
        picture = np.asarray(tamis.plot.interactions(model).images[0].get_array())
        kept = model._model.kept().tolist()
        for _, first, second, coefficient in model.terms():
            a, b = kept.index(first), kept.index(first if second is None else second)
            self.assertAlmostEqual(picture[a, b], abs(coefficient))
            self.assertAlmostEqual(picture[b, a], abs(coefficient))


if __name__ == "__main__":
    unittest.main()
