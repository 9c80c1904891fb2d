"""scikit-learn's own checks of estimators; its pipelines, searches, clones; and life without it."""

import pickle
import unittest
import warnings

import numpy as np
import pandas
import tamis
from sklearn.base import BaseEstimator, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator, check_sample_weights_invariance
from support import data, python

ESTIMATORS = [
    tamis.SparseClassifier(), tamis.SparseClassifier("hinge"), tamis.SparseClassifier("hinge", tolerance=1e-8),
    tamis.SparseClassifier("squared-hinge", "group-l2"),
    tamis.SparseClassifierCV(lambdas=5, folds=2), tamis.SparsePathClassifier(lambdas=10),
    # Labels drawn at random, as the checks draw them, have no model of a smaller mean loss.
    tamis.ConstrainedClassifier(0.99), tamis.InteractionClassifier(), tamis.InteractionRegressor(),
    tamis.KernelClassifier(), tamis.StreamingClassifier(), tamis.StabilitySelector(pairs=3)]
# All that is not checked, with its reason: that a sample of weight zero is none, which these have but for digits or
# order that the check asks for.
WEIGHTS = "check_sample_weights_invariance"
EXCEPTIONS = {repr(tamis.SparseClassifier("hinge")): "the tolerance leaves more digits of the hinge's scores open",
              repr(tamis.ConstrainedClassifier(0.99)): "several intercepts satisfy the constraint",
              repr(tamis.StreamingClassifier()): "samples in their order"}


class Checks(unittest.TestCase):
    def test_check_estimator_passes_and_skips_what_is_listed(self):
        for estimator in ESTIMATORS:
            with self.subTest(estimator), warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                check_estimator(estimator)
                skipped = {str(warning.message) for warning in caught if warning.category is SkipTestWarning}
                listed = EXCEPTIONS.get(repr(estimator))
                self.assertEqual(len(skipped), listed is not None, skipped)
                for message in skipped:
                    self.assertIn(f"Skipping {WEIGHTS} for {type(estimator).__name__}", message)
                    self.assertIn(listed, message)

    def test_exceptions_are_needed(self):
        """The other half of the check, weights of one, passes for all."""
        for estimator in ESTIMATORS:
            with self.subTest(estimator), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if repr(estimator) in EXCEPTIONS:
                    check_sample_weights_invariance(type(estimator).__name__, estimator, kind="ones")
                    with self.assertRaises(AssertionError):
                        check_sample_weights_invariance(type(estimator).__name__, estimator, kind="zeros")
            without = tamis.ConstrainedClassifier(0.99, intercept=False)
            check_sample_weights_invariance("ConstrainedClassifier", without, kind="zeros")

    def test_samples_of_weight_zero_are_none_in_a_stream(self):
        """Where the order stays."""
        _, X, y = data("iris")
        weights = np.arange(150) % 3
        some = tamis.StreamingClassifier(passes=2).fit(X, y, sample_weight=weights)
        without = tamis.StreamingClassifier(passes=2).fit(X[weights > 0], y[weights > 0], weights[weights > 0])
        np.testing.assert_allclose(some.coef_, without.coef_, atol=1e-12)

    def test_all_public_estimators_are_checked(self):
        """But for those whose samples are images and readings, which the checks do not make."""
        public = {name for name in tamis.__all__ if isinstance(getattr(tamis, name), type)
                  and issubclass(getattr(tamis, name), BaseEstimator)}
        checked = {type(estimator).__name__ for estimator in ESTIMATORS}
        self.assertEqual(public - checked, {"ScatteringTransformer", "SensorWindows"})
        for name in public - checked:
            self.assertNotIn("2darray", getattr(tamis, name)()._get_tags()["X_types"])

    def test_those_of_images_and_readings_keep_what_does_not_ask_for_samples(self):
        X = np.random.default_rng(0).normal(size=(20, 64))
        for estimator in (tamis.ScatteringTransformer(), tamis.SensorWindows(8)):
            name = type(estimator).__name__
            for check in (estimator_checks.check_parameters_default_constructible, estimator_checks.check_set_params,
                          estimator_checks.check_no_attributes_set_in_init,
                          estimator_checks.check_get_params_invariance):
                with self.subTest(name, check=check.__name__):
                    check(name, estimator)
            fitted = clone(estimator).fit(X)
            self.assertEqual(fitted.get_params(), estimator.get_params())
            np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).transform(X), estimator.fit_transform(X))
        self.assertRaises(NotFittedError, tamis.ScatteringTransformer().transform, X)
        self.assertRaisesRegex(ValueError, "is expecting 64 features",
                               tamis.ScatteringTransformer().fit(X).transform, X[:, :49])


class Habits(unittest.TestCase):
    def test_pickles_and_clones(self):
        _, X, y = data("wine")
        for fitted in (tamis.SparseClassifier(calibration="softmax").fit(X, y), tamis.InteractionClassifier().fit(X, y),
                       tamis.KernelClassifier().fit(X, y)):
            again = pickle.loads(pickle.dumps(fitted))
            np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
            self.assertTrue(again.to_json() == fitted.to_json())
            self.assertRaises(NotFittedError, clone(fitted).predict, X)
        linear = pickle.loads(pickle.dumps(tamis.SparseClassifier().fit(X, y)))
        self.assertTrue(np.shares_memory(linear.coef_, linear._model.table))

    def test_pickles_of_another_version_warn(self):
        _, X, y = data("iris")
        state = pickle.dumps(tamis.SparseClassifier().fit(X, y))
        again = state.replace(tamis.__version__.encode(), b"9.9.9"[: len(tamis.__version__)])
        with self.assertWarnsRegex(UserWarning, "was pickled by tamis 9.9.9"):
            pickle.loads(again)

    def test_names_of_outputs(self):
        _, X, y = data("digits")
        pipeline = make_pipeline(tamis.ScatteringTransformer(), tamis.StabilitySelector(pairs=1, lambdas=3))
        pipeline.set_output(transform="pandas")
        frame = pipeline.fit(X[:100], y[:100]).transform(X[:100])
        self.assertEqual(frame.columns.tolist(), pipeline.get_feature_names_out().tolist())
        with self.assertRaisesRegex(ValueError, "input_features is not equal"):
            pipeline[-1].get_feature_names_out(["a"])

    def test_searches_and_pipelines(self):
        _, X, y = data("wine")
        pipeline = make_pipeline(StandardScaler(), tamis.SparseClassifier("hinge", "group-l2"))
        search = GridSearchCV(pipeline, {"sparseclassifier__lam": [3, 0.03]}, cv=3).fit(X, y)
        self.assertEqual(search.best_params_, {"sparseclassifier__lam": 0.03})
        self.assertGreater(cross_val_score(pipeline, X, y, cv=3).mean(), 0.9)
        chosen = SelectFromModel(tamis.SparseClassifier("hinge", "group-l2", 0.1), threshold=1e-12)
        kept = make_pipeline(StandardScaler(), chosen).fit(X, y)[-1].get_support()
        self.assertTrue(0 < kept.sum() < 13)

    def test_probabilities_of_families_without_their_own(self):
        """By scikit-learn's own calibration."""
        _, X, y = data("wine")
        X = StandardScaler().fit_transform(X)
        for estimator in (tamis.KernelClassifier("gaussian:3"), tamis.InteractionClassifier(0.05)):
            probabilities = CalibratedClassifierCV(estimator, cv=3).fit(X[::2], y[::2]).predict_proba(X[1::2])
            np.testing.assert_allclose(probabilities.sum(axis=1), 1)
            self.assertGreater((probabilities.argmax(axis=1) == y[1::2]).mean(), 0.9)

    def test_takes_pandas(self):
        names, X, y = data("wine")
        frame = pandas.DataFrame(X, columns=names)
        of_frame = tamis.SparseClassifier().fit(frame, pandas.Series(y))
        self.assertEqual(of_frame.feature_names_in_.tolist(), names)
        np.testing.assert_array_equal(of_frame.coef_, tamis.SparseClassifier().fit(X, y).coef_)
        with self.assertRaisesRegex(ValueError, "feature names"):
            of_frame.predict(frame.rename(columns={names[0]: "another"}))
        with self.assertWarnsRegex(UserWarning, "valid feature names"):
            of_frame.predict(X)

    def test_says_what_it_is_in_a_notebook(self):
        _, X, y = data("wine")
        model = tamis.SparseClassifier(lam=0.05).fit(X, y)
        html = model._repr_html_()
        kept = model.kept_features()
        for part in (f"{model.gap_:.2g}, relative {model.relative_gap_:.2g}", "0.05", "converged",
                     f"{len(kept)} of 13: " + ", ".join(f"x{j}" for j in kept[:10]),
                     f"{np.count_nonzero(model.coef_) + np.count_nonzero(model.intercept_)} numbers",
                     f"{model.arena_bytes_} bytes"):
            self.assertIn(part, html)
        self.assertIn("not fitted", tamis.KernelClassifier()._repr_html_())
        for estimator in [*ESTIMATORS, tamis.ScatteringTransformer((2, 4), scales=1), tamis.SensorWindows(4)]:
            with self.subTest(estimator):
                html = clone(estimator).fit(X[:, :8], y)._repr_html_()
                self.assertTrue(html.startswith("<table>") and "not fitted" not in html, html)

    def test_sparsifies(self):
        _, X, y = data("wine")
        model = tamis.SparseClassifier().fit(X, y)
        dense = model.coef_.copy()
        self.assertEqual(model.sparsify().coef_.nnz, np.count_nonzero(dense))
        np.testing.assert_array_equal(model.densify().coef_, dense)


class Without(unittest.TestCase):
    def test_works_where_the_check_of_names_is_a_function(self):
        """As from scikit-learn 1.6 on."""
        said = python("""
import sklearn.base, sklearn.utils.validation as validation
if hasattr(sklearn.base.BaseEstimator, "_check_feature_names"):
    validation._check_feature_names = sklearn.base.BaseEstimator._check_feature_names
    del sklearn.base.BaseEstimator._check_feature_names
import numpy as np, pandas, tamis
X = pandas.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=list("abc"))
model = tamis.SparseClassifier().fit(X, X.a > 0)
try: model.predict(X[["b", "a", "c"]])
except ValueError as error: print(model.feature_names_in_, error)
""")
        self.assertIn("['a' 'b' 'c'] The feature names should match", said)

    def test_works_where_scikit_learn_is_not(self):
        said = python("""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sklearn", "scipy", "pandas"): raise ImportError(name)
sys.meta_path.insert(0, Blocked())
import numpy as np, tamis
X = np.random.default_rng(0).normal(size=(60, 4)); y = (X[:, 0] > 0).astype(int)
model = tamis.SparseClassifier(lam=0.02)
try: model.predict(X)
except ValueError as error: print(error)
class Named(np.ndarray): pass
for names in ("abcd", "bacd"):
    table = X.view(Named)
    table.columns = list(names)
    try: model.predict(table) if hasattr(model, "classes_") else model.fit(table, y)
    except ValueError as error: print(error)
model.set_params(lam=0.01).fit(X, y)
print(repr(model), model.score(X, y) > 0.9, model.get_params()["loss"])
print(tamis.StabilitySelector(pairs=4).fit_transform(X, y).shape[0])
print(tamis.InteractionRegressor().fit(X, X[:, 0] * X[:, 1]).score(X, X[:, 0] * X[:, 1]) > 0.5)
""")
        self.assertIn("not fitted yet", said)
        self.assertIn("The feature names should match", said)
        self.assertIn("SparseClassifier() True logistic\n60\nTrue", said)


if __name__ == "__main__":
    unittest.main()
