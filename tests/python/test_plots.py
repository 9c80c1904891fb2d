"""Pictures show what the models have."""

import unittest

import matplotlib
import numpy as np
import tamis
from support import data

matplotlib.use("Agg")


class Plots(unittest.TestCase):
    def setUp(self):
        _, self.X, self.y = data("wine")
        self.X = (self.X - self.X.mean(axis=0)) / self.X.std(axis=0)

    def test_path_has_a_line_for_every_feature_that_is_kept(self):
        model = tamis.SparsePathClassifier(lambdas=12, max_features=6).fit(self.X, self.y)
        axes = tamis.plot.path(model, names=3)
        lines = {int(line.get_label()[1:]): line for line in axes.lines}
        self.assertEqual(sorted(lines), np.flatnonzero(model.coefs_.any(axis=(0, 1))).tolist())
        for j, line in lines.items():
            np.testing.assert_allclose(line.get_ydata(), np.sqrt((model.coefs_[:, :, j] ** 2).sum(axis=1)))
        largest = sorted(lines, key=lambda j: -lines[j].get_ydata()[-1])[:3]
        self.assertEqual([text.get_text() for text in axes.get_legend().get_texts()], [f"x{j}" for j in largest])
        for handle, j in zip(axes.get_legend().legend_handles if hasattr(axes.get_legend(), "legend_handles")
                             else axes.get_legend().legendHandles, largest):
            self.assertEqual(handle.get_color(), lines[j].get_color())

    def test_names_are_in_the_picture(self):
        names = [f"a rather long name of feature {j}" for j in range(13)]
        model = tamis.SparseClassifier("hinge", "group-l2", 0.02)
        model.fit(self.X, self.y)
        model.feature_names_in_ = np.array(names, object)
        figure = tamis.plot.coefficients(model).figure
        figure.canvas.draw()
        for text in figure.axes[0].get_xticklabels():
            box = text.get_window_extent()
            self.assertTrue(box.y0 >= 0 and box.x0 >= 0 and box.x1 <= figure.bbox.x1, text)

    def test_many_names_are_thinned_out(self):
        X = np.random.default_rng(0).normal(size=(60, 200))
        model = tamis.SparseClassifier("hinge", "ridge", 1.0).fit(X, X[:, 0] > 0)
        self.assertEqual([t.get_text() for t in tamis.plot.coefficients(model).get_xticklabels()],
                         [f"x{j}" for j in range(0, 200, 5)])

    def test_coefficients_are_those_of_the_model(self):
        model = tamis.SparseClassifier("hinge", "group-l2", 0.1).fit(self.X, self.y)
        axes = tamis.plot.coefficients(model)
        kept = model.kept_features()
        np.testing.assert_array_equal(axes.images[0].get_array(), model.coef_[:, kept])
        self.assertEqual([t.get_text() for t in axes.get_xticklabels()], [f"x{j}" for j in kept])
        tamis.plot.coefficients(model.sparsify())

    def test_coefficients_of_images_are_where_the_pixels_are(self):
        _, X, y = data("digits")
        model = tamis.SparseClassifier("squared-hinge", "l1", 0.01, tolerance=1e-2).fit(X / 16, y)
        picture = np.ma.filled(tamis.plot.coefficients(model, shape=(8, 8)).images[0].get_array(), np.nan)
        for k in range(10):
            down, right = divmod(k, 4)
            np.testing.assert_array_equal(picture[9 * down : 9 * down + 8, 9 * right : 9 * right + 8],
                                          model.coef_[k].reshape(8, 8))
        self.assertRaisesRegex(ValueError, "63 pixels, and the model has 64", tamis.plot.coefficients, model,
                               shape=(7, 9))

    def test_reliability_is_a_share_of_right_ones(self):
        model = tamis.SparseClassifier(lam=0.1).fit(self.X, self.y)
        line = tamis.plot.reliability(model, self.X, self.y, bins=1).lines[1]
        np.testing.assert_allclose(line.get_xydata(), [[model.predict_proba(self.X).max(axis=1).mean(),
                                                        model.score(self.X, self.y)]])

    def test_reliability_shows_how_many(self):
        model = tamis.SparseClassifier(lam=0.1).fit(self.X, self.y)
        sizes = tamis.plot.reliability(model, self.X, self.y).collections[0].get_sizes()
        confidence = model.predict_proba(self.X).max(axis=1)
        counts = np.histogram(confidence, np.linspace(0, 1, 11))[0]
        np.testing.assert_allclose(sizes, 6 + 600 * counts[counts > 0] / len(self.y))

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
