"""Bad input: exceptions of scikit-learn's types with the sentences of the library."""

import unittest

import numpy as np
import pandas
import scipy.sparse
import tamis
from support import data, python

FIT = [
    ("sample 3, feature 2: a sample holds a value that is not finite", lambda X, y: (nan_at(X, 3, 2, np.nan), y)),
    ("X has infinity in sample 0, feature 1", lambda X, y: (nan_at(X, 0, 1, -np.inf), y)),
    ("holds <U3 instead of numbers", lambda X, y: (np.full(X.shape, "one"), y)),
    ("X holds what is no number, could not convert string to float: 'one': encode",
     lambda X, y: (np.full(X.shape, "one", object), y)),
    ("Reshape your data", lambda X, y: (X[:, 0], y)),
    ("got 3D array", lambda X, y: (X[:, :, None], y)),
    ("0 sample", lambda X, y: (X[:0], y[:0])),
    ("0 feature", lambda X, y: (X[:, :0], y)),
    ("inconsistent numbers of samples", lambda X, y: (X, y[1:])),
    ("Complex data not supported", lambda X, y: (X * 1j, y)),
    ("two classes: y has the one class 1", lambda X, y: (X, np.ones_like(y))),
    ("Unknown label type: 'continuous'", lambda X, y: (X, y + 0.5)),
    ("y contains NaN", lambda X, y: (X, np.where(y == 1, np.nan, y))),
    ("Unknown label type", lambda X, y: (X, np.array([None, *y[1:]], object))),
    ("y should be a 1d array", lambda X, y: (X, np.c_[y, y])),
    ("X has masked values", lambda X, y: (np.ma.masked_greater(X, 7), y)),
    ("y has masked values", lambda X, y: (X, np.ma.masked_equal(y, 2))),
    ("X has 4294967295 samples", lambda X, y: (np.broadcast_to(1.0, (2**32 - 1, 1)), y)),
]
SETTINGS = [
    (dict(lam=-1.0), "lambda must be zero or positive"), (dict(lam=np.nan), "lambda must be zero or positive"),
    (dict(tolerance=0.0), "the tolerance must be positive"), (dict(lam="best"), "a number or 'cv'"),
    (dict(loss="hinges"), "loss is one of hinge, squared-hinge"), (dict(penalty="l0"), "penalty is one of ridge, l1"),
    (dict(solver="newton"), "solver is one of auto"), (dict(precision="half"), "'auto', 'float' or 'double'"),
    (dict(loss="hinge", solver="fista"), "it needs a smooth loss"),
    (dict(loss="hinge", penalty="elastic-net", l1_ratio=1.0, solver="crammer-singer-dual"), "it needs an l1 ratio below 1"),
    (dict(loss="ranking-squared-hinge"), "needs label sets"),
    (dict(groups=[0, 1]), "expected one number for each of the 4 features"), (dict(groups=0), "groups of 0"),
    (dict(class_weight="even"), "'balanced' or a dictionary"), (dict(class_weight={7: 1.0}), "y has not: .'7'"),
    (dict(class_weight={0: 0.0}), "class 0: a class has no sample of positive weight"),
    (dict(calibration="isotonic"), "'softmax' or 'sigmoid'"), (dict(lam="cv", folds=1), "at least 2 folds"),
    (dict(lam="cv", folds=60), "as many samples of every class: class 0 has fewer"),
    (dict(lam="cv", choose="best"), "'1se' or 'min'"), (dict(lam="cv", lambdas=[0.1, 0.2]), "lambda"),
    (dict(penalty="elastic-net", l1_ratio=2.0), "parameters in range"),
    (dict(max_iterations=-1), "max_iterations takes a whole number"), (dict(lam=None), "takes a number, not None"),
    (dict(max_iterations=2**32 + 1), "max_iterations takes a whole number"), (dict(groups=2**32 + 1), "groups of"),
    (dict(lam="cv", lambdas=-3), "a number from 1 to 100000"), (dict(lam="cv", lambda_ratio=2.0), "at most 1, not 2"),
    (dict(lam="cv", random_state=np.random.default_rng(0)), "random_state is None.* not Generator"),
    (dict(groups=[0, 1, 1, np.nan]), "groups has a number that is not finite"),
    (dict(lam="cv", folds=2**32 + 3), "folds need"), (dict(class_weight=[0, 1, 2]), "'balanced' or a dictionary"),
]


def nan_at(X, row, column, value):
    X = X.copy()
    X[row, column] = value
    return X


class Refusals(unittest.TestCase):
    def setUp(self):
        _, self.X, self.y = data("iris")

    def test_of_samples_and_labels(self):
        for estimator in (tamis.SparseClassifier(), tamis.InteractionClassifier(), tamis.KernelClassifier(),
                          tamis.ConstrainedClassifier(), tamis.StabilitySelector(pairs=1)):
            for sentence, change in FIT:
                with self.subTest(sentence, estimator=estimator), self.assertRaisesRegex(ValueError, sentence):
                    estimator.fit(*change(self.X, self.y))

    def test_of_settings(self):
        for settings, sentence in SETTINGS:
            with self.subTest(settings), self.assertRaisesRegex(ValueError, sentence):
                tamis.SparseClassifier(**settings).fit(self.X, self.y)

    def test_of_weights(self):
        n = len(self.y)
        for weights, sentence in ((np.ones(n - 1), "expected .150,"), (np.ones((n, 2)), "1D array"),
                                  (-np.ones(n), "sample 0: a sample weight is negative"),
                                  (np.where(self.y == 1, 0, 1), "class 1: a class has no sample of positive weight"),
                                  (np.full(n, "a"), "sample_weight holds <U1"),
                                  (np.ones(n) * 1j, "sample_weight holds complex128"),
                                  (np.full(n, np.nan), "a sample weight is negative or not finite")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                tamis.SparseClassifier().fit(self.X, self.y, sample_weight=weights)

    def test_of_broken_sparse_matrices(self):
        """SciPy makes them without a look at their indices."""
        model = tamis.SparseClassifier().fit(self.X, self.y)
        for form, call in (("csr", model.predict), ("csc", lambda X: model.fit(X, self.y))):
            for part, at, value in (("indices", 5, 2**30), ("indices", 5, -7), ("indptr", 1, 10**9), ("indptr", 1, -9)):
                X = getattr(scipy.sparse, f"{form}_matrix")(self.X)
                getattr(X, part)[at] = value
                X.has_canonical_format = True
                with self.subTest(form, part=part, value=value), self.assertRaisesRegex(ValueError, "out of range"):
                    call(X)
        with self.assertRaisesRegex(ValueError, "at most 4294967294"):
            tamis._samples._unsigned(np.array([0, 2**32]))

    def test_of_another_fit_leaves_no_model(self):
        """Whose samples had more features than those that it would read."""
        model = tamis.SparseClassifier().fit(self.X, self.y)
        self.assertRaises(ValueError, model.fit, np.full((150, 2), np.nan), self.y)
        self.assertRaises(tamis._base.NotFittedError, model.predict, self.X[:, :2])

    def test_of_numbers_too_large(self):
        model = tamis.SparseClassifier(precision="float").fit(self.X, self.y)
        self.assertRaisesRegex(ValueError, "infinity in sample 0", model.predict, self.X[:1] * 1e300)
        model = tamis.SparseClassifier().fit(self.X, self.y)
        self.assertRaisesRegex(ValueError, "too large for double", model.predict, np.full((1, 4), 1e308))
        stream = tamis.StreamingClassifier(precision="float")
        self.assertRaisesRegex(ValueError, "infinity in sample 0", stream.fit, self.X * 1e300, self.y)

    def test_of_streams(self):
        stream = tamis.StreamingClassifier().partial_fit(self.X, self.y, classes=[0, 1, 2])
        self.assertRaisesRegex(ValueError, "classes are", stream.partial_fit, self.X, self.y, classes=[0, 1, 3])
        self.assertRaisesRegex(ValueError, "labels that classes", stream.partial_fit, self.X, np.full(150, "a"))
        balanced = tamis.StreamingClassifier(class_weight="balanced")
        with self.assertRaisesRegex(ValueError, "not known from a block"):
            balanced.partial_fit(self.X, self.y, classes=[0, 1, 2])
        self.assertRaisesRegex(ValueError, "at least 1", tamis.StreamingClassifier(passes=0).fit, self.X, self.y)
        for weight in (-1.0, np.inf, 1e308):
            with self.assertRaisesRegex(ValueError, "sample weight"):
                tamis.StreamingClassifier().fit(self.X, self.y, sample_weight=np.full(150, weight))

    def test_of_targets(self):
        """Of a regression, which numpy would make numbers."""
        for y, sentence in ((self.y * 1j, "complex128 instead of real"), (np.full(150, "a"), "could not convert"),
                            (self.y.astype("M8[s]"), "datetime64"), (np.where(self.y == 1, np.inf, 0), "infinity")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                tamis.InteractionRegressor().fit(self.X, y)

    def test_of_sparse_matrices_where_only_dense_ones_are_taken(self):
        for estimator in (tamis.InteractionClassifier(), tamis.InteractionRegressor(), tamis.KernelClassifier(),
                          tamis.ScatteringTransformer((2, 2), scales=1), tamis.SensorWindows(4)):
            for form in ("csr", "coo", "dok"):
                with self.subTest(estimator, form=form), self.assertRaisesRegex(TypeError, "X.toarray.. makes them"):
                    X = getattr(scipy.sparse, f"{form}_matrix")(self.X)
                    estimator.fit(X, self.y).transform(X)
        complex_numbers = scipy.sparse.csc_matrix(self.X * 1j)
        self.assertRaisesRegex(ValueError, "Complex data", tamis.SparseClassifier().fit, complex_numbers, self.y)

    def test_before_fit(self):
        for estimator in (tamis.SparseClassifier(), tamis.KernelClassifier(), tamis.InteractionRegressor()):
            with self.assertRaisesRegex(tamis._base.NotFittedError, "not fitted yet"):
                estimator.predict(self.X)
            self.assertRaises(tamis._base.NotFittedError, estimator.to_json)

    def test_of_prediction(self):
        for estimator in (tamis.SparseClassifier(), tamis.InteractionClassifier(), tamis.KernelClassifier()):
            model = estimator.fit(self.X, self.y)
            for value in (np.nan, np.inf):
                for column in range(4):  # features that are not kept, too
                    with self.assertRaisesRegex(ValueError, f"sample 5, feature {column}"):
                        model.predict(nan_at(self.X, 5, column, value))
            with self.assertRaisesRegex(ValueError, "X has 3 features, but .* is expecting 4 features"):
                model.predict(self.X[:, :3])
            self.assertEqual(model.score(self.X, np.full(150, 9)), 0)  # labels that training has not seen

    def test_of_probabilities(self):
        model = tamis.SparseClassifier("hinge").fit(self.X, self.y)
        self.assertFalse(hasattr(model, "predict_proba"))
        self.assertRaisesRegex(AttributeError, "calibration='softmax'", getattr, model, "predict_proba")
        self.assertTrue(hasattr(tamis.SparseClassifier("hinge", calibration="sigmoid"), "predict_proba"))

    def test_of_what_has_no_solution(self):
        with self.assertRaisesRegex(ValueError, "no coefficients satisfy the constraint: raise eta .*least mean loss"):
            tamis.ConstrainedClassifier(1e-6).fit(self.X, np.arange(150) % 3)
        for settings, sentence in ((dict(kernels=["gauss:1"]), "a kernel is one of"), (dict(p=3), "1 or 2"),
                                   (dict(kernels=["gaussian"]), "takes 1 numbers"),
                                   (dict(kernels="gaussian:x"), "kernel 'gaussian:x': could not convert"),
                                   (dict(lam=0.0), "lambda"),
                                   (dict(kernels=["gaussian:-1"]), "width"), (dict(p=1.9), "whole number")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                tamis.KernelClassifier(**settings).fit(self.X, self.y)
        for settings, sentence in ((dict(hierarchy="flat"), "hierarchy is one of"), (dict(norm="l3"), "norm is one of"),
                                   (dict(lam=-1.0), "lambda"), (dict(norm="ridge"), "does not accept")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                tamis.InteractionClassifier(**settings).fit(self.X, self.y)
        for transformer, X, sentence in ((tamis.ScatteringTransformer(), np.ones((2, 9)), "2.scales"),
                                         (tamis.ScatteringTransformer((8, 8)), np.ones((2, 65)), "shape has 64 values"),
                                         (tamis.SensorWindows(4, bands=9), np.ones((20, 2)), "bands"),
                                         (tamis.ScatteringTransformer((8, 8, 3)), np.ones((2, 192)), "height, width"),
                                         (tamis.ScatteringTransformer(order=2**32), np.ones((2, 64)), "order takes"),
                                         (tamis.SensorWindows(4, 0), np.ones((20, 2)), "hop is 0"),
                                         (tamis.SensorWindows(4, -1), np.ones((20, 2)), "hop takes"),
                                         (tamis.SensorWindows(4), np.full((20, 2), np.nan), "NaN")):
            with self.subTest(sentence), self.assertRaisesRegex(ValueError, sentence):
                transformer.fit_transform(X)

    def test_of_a_library_of_another_version(self):
        said = python("""
import os, runpy, sys
from pathlib import Path
import importlib.util
folder = Path(importlib.util.find_spec("tamis").origin).parent
library = next(folder.glob("libtamis.so*"))
other = Path(sys.argv[1]) / "libtamis.so"
content = library.read_bytes()
version = runpy.run_path(str(folder / "_version.py"))["__version__"].encode()
assert content.count(version + b"\\0") >= 1
other.write_bytes(content.replace(version + b"\\0", b"9.9.9\\0"))
os.environ["TAMIS_LIBRARY"] = str(other)
try: import tamis
except ImportError as error: print(error)
""", self.folder())
        self.assertRegex(said, "is tamis 9.9.9, and this package is of tamis .*: install one version")

    def test_of_another_library(self):
        said = python("""
import _ctypes, os, sys
for path in (sys.argv[1] + "/none.so", _ctypes.__file__):
    os.environ["TAMIS_LIBRARY"] = path
    try: import tamis
    except ImportError as error: print(error)
""", self.folder())
        self.assertRegex(said, "none.so is no library of tamis: .*\n.*_ctypes.* is no library of tamis: .*tamis_version")

    def test_of_tables_with_what_is_no_number(self):
        frame = pandas.DataFrame(self.X)
        for column, error in ((pandas.Categorical(["u", "v", "w"] * 50), ValueError),
                              (pandas.Timestamp("2020"), TypeError),
                              (pandas.array([None] + [1] * 149, "Int64"), TypeError)):
            with self.subTest(column), self.assertRaisesRegex(error, "X holds what is no number"):
                tamis.SparseClassifier().fit(frame.assign(another=column), self.y)

    def folder(self):
        import tempfile

        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name


if __name__ == "__main__":
    unittest.main()
