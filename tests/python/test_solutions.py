"""Solutions beside solvers that are not ours, and beside their own formulas in numpy."""

import pickle
import unittest
import warnings

import numpy as np
import scipy.sparse
import tamis
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from support import data


def standard(name):
    _, X, y = data(name)
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1), y


def mean_loss(loss, scores, y, weights=None):
    right = scores[np.arange(len(y)), y][:, None]
    others = np.ones_like(scores)
    others[np.arange(len(y)), y] = 0
    losses = {"logistic": lambda: np.log(np.exp(scores - right).sum(axis=1)),
              "hinge": lambda: (scores + others - right).max(axis=1),
              "squared-hinge": lambda: (others * np.maximum(0, 1 + scores - right) ** 2).sum(axis=1)}[loss]()
    return np.average(losses, weights=weights)


def objective(model, X, y, weights=None):
    W = model.coef_.T
    penalty = {"l1": lambda: np.abs(W).sum(), "ridge": lambda: (W**2).sum() / 2,
               "group-l2": lambda: np.linalg.norm(W, axis=1).sum(),
               "group-linf": lambda: np.abs(W).max(axis=1).sum()}[model.penalty]()
    return mean_loss(model.loss, X @ W + model.intercept_, y, weights) + model.lambda_ * penalty


class Solutions(unittest.TestCase):
    def test_objective_is_that_of_the_formula(self):
        X, y = standard("wine")
        weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
        for loss in ("logistic", "hinge", "squared-hinge"):
            for penalty in ("l1", "ridge", "group-l2", "group-linf"):
                for w in (None, weights):
                    model = tamis.SparseClassifier(loss, penalty, 0.05).fit(X, y, sample_weight=w)
                    self.assertEqual(model.status_, "converged")
                    self.assertAlmostEqual(model.objective_, objective(model, X, y, w), places=9)
                    self.assertLessEqual(model.relative_gap_, 1e-4)

    def test_raw_columns_have_a_solver_that_ends(self):
        _, X, y = data("wine")  # a column of hundreds, others below one
        fit = lambda **given: tamis.SparseClassifier("hinge", "ridge", 1e-3, max_iterations=5000, **given).fit(X, y)
        model, named = fit(), fit(solver="two-phase")
        self.assertEqual(model.status_, "converged")
        np.testing.assert_array_equal(model.coef_, named.coef_)

    def test_scikit_learn_finds_nothing_better(self):
        X, y = standard("wine")
        n = len(y)
        for penalty, theirs in (
                ("l1", lambda lam: LogisticRegression(penalty="l1", C=1 / (n * lam), solver="saga", tol=1e-8,
                                                      multi_class="multinomial", max_iter=20000)),
                ("ridge", lambda lam: LogisticRegression(C=1 / (n * lam), tol=1e-10, multi_class="multinomial",
                                                         max_iter=20000))):
            for lam in (0.1, 0.01):
                other = theirs(lam).fit(X, y)
                model = tamis.SparseClassifier("logistic", penalty, lam, tolerance=1e-8).fit(X, y)
                model_of_theirs = tamis.SparseClassifier("logistic", penalty, lam)
                model_of_theirs.coef_, model_of_theirs.intercept_ = other.coef_, other.intercept_
                model_of_theirs.lambda_ = lam
                best = objective(model_of_theirs, X, y)
                self.assertLessEqual(model.objective_, best * (1 + 1e-8))
                self.assertGreaterEqual(model.report_["dual_objective"], 0)
                self.assertLessEqual(model.report_["dual_objective"], best)
                np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-3)

    def test_liblinear_finds_nothing_better(self):
        X, y = standard("wine")
        lam = 0.05
        other = LinearSVC(multi_class="crammer_singer", C=1 / (len(y) * lam), fit_intercept=False, tol=1e-8,
                          max_iter=100000).fit(X, y)
        model = tamis.SparseClassifier("hinge", "ridge", lam, intercept=False, tolerance=1e-7).fit(X, y)
        theirs = mean_loss("hinge", X @ other.coef_.T, y) + lam * (other.coef_**2).sum() / 2
        self.assertLessEqual(model.objective_, theirs * (1 + 1e-7))

    def test_weights_are_repetitions(self):
        X, y = standard("iris")
        times = np.random.default_rng(0).integers(1, 4, len(y))
        weighted = tamis.SparseClassifier(tolerance=1e-10).fit(X, y, sample_weight=times)
        repeated = tamis.SparseClassifier(tolerance=1e-10).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-4)
        balanced = tamis.SparseClassifier(class_weight="balanced").fit(X[30:], y[30:])
        by_hand = tamis.SparseClassifier(class_weight={0: 6.0, 1: 2.4, 2: 2.4}).fit(X[30:], y[30:])
        np.testing.assert_allclose(balanced.coef_, by_hand.coef_, atol=1e-9)
        self.assertGreater(np.abs(balanced.coef_ - tamis.SparseClassifier().fit(X[30:], y[30:]).coef_).max(), 1e-3)

    def test_groups_go_together(self):
        X, y = standard("wine")
        groups = np.arange(13) % 4
        model = tamis.SparseClassifier("squared-hinge", "group-l2", 4, groups=groups).fit(X, y)
        kept = {j for j in model.kept_features().tolist()}
        self.assertTrue(0 < len(kept) < 13)
        for g in range(4):
            members = set(np.flatnonzero(groups == g).tolist())
            self.assertIn(kept & members, (set(), members))

    def test_constraint_holds(self):
        X, y = standard("wine")
        model = tamis.ConstrainedClassifier(0.2).fit(X, y)
        loss = mean_loss("hinge", X @ model.coef_.T + model.intercept_, y)
        self.assertLessEqual(loss, 0.2 * (1 + 1e-4))
        self.assertAlmostEqual(model.objective_, np.abs(model.coef_).sum(), places=9)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            penalised = tamis.SparseClassifier("hinge", "l1", 1 / model.multiplier_).fit(X, y)
        self.assertAlmostEqual(np.abs(penalised.coef_).sum(), model.objective_, delta=0.05 * model.objective_)

    def test_path_is_that_of_its_points(self):
        X, y = standard("wine")
        path = tamis.SparsePathClassifier(lambdas=15).fit(X, y)
        self.assertEqual(path.coefs_.shape, (15, 3, 13))
        self.assertEqual(np.count_nonzero(path.coefs_[0]), 0)
        for at in (4, 9, 14):
            alone = tamis.SparseClassifier(lam=path.lambdas_[at]).fit(X, y)
            self.assertAlmostEqual(alone.objective_, path.reports_[at]["objective"], delta=2e-4 * alone.objective_)
        np.testing.assert_array_equal(path.coef_, path.coefs_[-1])
        self.assertLessEqual(len(tamis.SparsePathClassifier(max_features=4).fit(X, y).kept_features()), 4)

    def test_lambda_by_cross_validation(self):
        X, y = standard("wine")
        model = tamis.SparseClassifierCV(lambdas=8, folds=3, random_state=1).fit(X, y)
        errors = [point["error"] for point in model.held_out_]
        least = int(np.argmin(errors))
        within = errors[least] + model.held_out_[least]["error_deviation"]
        first = next(i for i, error in enumerate(errors) if error <= within)
        self.assertEqual(model.lambda_, model.held_out_[first]["lambda"])

    def test_interactions_are_their_terms(self):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(200, 5))
        y = X[:, 0] + 2 * X[:, 0] * X[:, 1]
        model = tamis.InteractionRegressor(0.01).fit(X, y)
        by_hand = sum(c * X[:, a] * (1 if b is None else X[:, b]) for _, a, b, c in model.terms()) + model.intercept_
        np.testing.assert_allclose(model.predict(X), by_hand, atol=1e-10)
        self.assertIn((0, 1), {(a, b) for _, a, b, c in model.terms() if abs(c) > 0.5})
        self.assertGreater(model.score(X, y), 0.99)

    def test_kernels_are_their_expansion(self):
        X, y = standard("iris")
        model = tamis.KernelClassifier(["gaussian:2"], lam=0.01).fit(X, y)
        kept = X[model.support_]
        squares = ((X[:, None] - kept[None]) ** 2).sum(axis=2)
        scores = np.exp(-squares / 8) @ model._model.coefficients + model.intercept_
        np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-10)
        self.assertGreater(model.score(X, y), 0.95)
        two = tamis.KernelClassifier(["linear"]).fit(X[:100], y[:100] + 3)
        self.assertEqual(two.score(X[:100], y[:100] + 3), 1)

    def test_probabilities_are_calibrated(self):
        _, X, y = data("digits")
        X = X / 16
        for kind in ("softmax", "sigmoid"):
            model = tamis.SparseClassifier("squared-hinge", "l1", 0.002, calibration=kind, folds=3).fit(X[::2], y[::2])
            probabilities = model.predict_proba(X[1::2])
            np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
            confidence = probabilities.max(axis=1).mean()
            right = (model.classes_[probabilities.argmax(axis=1)] == y[1::2]).mean()
            if kind == "softmax":  # normalised sigmoids are known to be less sure than they could be
                self.assertLess(abs(confidence - right), 0.02)
            self.assertGreater(right, 0.9)
            np.testing.assert_allclose(np.exp(model.predict_log_proba(X[:5])), model.predict_proba(X[:5]))


class Streams(unittest.TestCase):
    def test_blocks_are_the_whole(self):
        X, y = standard("wine")
        whole = tamis.StreamingClassifier(passes=1).fit(X, y)
        for sparse in (False, True):
            blocks = tamis.StreamingClassifier()
            for begin in range(0, len(y), 40):
                part = X[begin : begin + 40]
                blocks.partial_fit(scipy.sparse.csr_matrix(part) if sparse else part, y[begin : begin + 40],
                                   classes=[0, 1, 2])
            np.testing.assert_array_equal(blocks.coef_, whole.coef_)
        self.assertEqual(blocks.n_samples_seen_, len(y))

    def test_comes_near_the_certified_optimum(self):
        X, y = standard("wine")
        certified = tamis.SparseClassifier(lam=0.01, tolerance=1e-6).fit(X, y)
        streamed = tamis.StreamingClassifier(lam=0.01, passes=200).fit(X, y)
        self.assertLessEqual(objective(streamed, X, y), 1.05 * certified.objective_)
        self.assertGreaterEqual(objective(streamed, X, y), certified.report_["dual_objective"])

    def test_goes_on_after_pickling_and_refuses_whole_blocks(self):
        X, y = standard("wine")
        model = pickle.loads(pickle.dumps(tamis.StreamingClassifier(passes=1).fit(X, y)))
        before = model.coef_.copy()
        bad = X.copy()
        bad[7, 2] = np.nan
        self.assertRaisesRegex(ValueError, "sample 7, feature 2", model.partial_fit, bad, y)
        self.assertRaisesRegex(ValueError, "labels that classes has not", model.partial_fit, X, y + 1)
        np.testing.assert_array_equal(model.coef_, before)
        self.assertEqual(model.partial_fit(X, y).n_samples_seen_, 2 * len(y))
        self.assertRaisesRegex(ValueError, "classes must be given", tamis.StreamingClassifier().partial_fit, X, y)


if __name__ == "__main__":
    unittest.main()
