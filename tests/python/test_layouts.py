"""Samples in all layouts give the same model; which are copied; how much memory fit takes."""

import json
import tempfile
import tracemalloc
import unittest

import numpy as np
import scipy.sparse as sp
import tamis
from support import data
from tamis._samples import Columns, Rows


def dense_layouts(X):
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), X.dtype)
    wide[::2, ::3] = X
    read_only = np.asfortranarray(X).copy(order="F")
    read_only.flags.writeable = False
    backwards = X[::-1, ::-1].copy()[::-1, ::-1]
    unaligned = np.frombuffer(b"x" + X.tobytes(), X.dtype, offset=1).reshape(X.shape) if X.itemsize > 1 else X
    return {"C": np.ascontiguousarray(X), "F": np.asfortranarray(X), "of a larger one": wide[::2, ::3],
            "read-only": read_only, "backwards": backwards, "unaligned": unaligned, "big-endian": X.astype(">f8"),
            "object": X.astype(object), "list": X.tolist()}


class Layouts(unittest.TestCase):
    def test_all_give_the_same_model(self):
        _, X, y = data("wine")
        expected = tamis.SparseClassifier().fit(X, y)
        for name, layout in dense_layouts(X).items():
            with self.subTest(name):
                model = tamis.SparseClassifier().fit(layout, y)
                np.testing.assert_array_equal(model.coef_, expected.coef_)
                np.testing.assert_array_equal(model.decision_function(layout), expected.decision_function(X))

    def test_sparse_formats_give_the_same_model(self):
        _, X, y = data("digits")
        X = X / 16
        expected = tamis.SparseClassifier(lam=0.02).fit(sp.csc_matrix(X), y)
        scores = tamis.SparseClassifier(lam=0.02).fit(X, y).decision_function(X)
        np.testing.assert_allclose(expected.decision_function(X), scores, atol=2e-3)  # what the tolerance leaves open
        columns = np.indices(X.shape)[1]
        twice = sp.csr_matrix((np.hstack([X / 2, X / 2]).ravel(), np.hstack([columns, columns]).ravel(),
                               np.arange(0, 2 * X.size + 1, 2 * X.shape[1])), X.shape)
        for matrix in (sp.csr_matrix(X), sp.coo_matrix(X), sp.dok_matrix(X), sp.csc_array(X), twice,
                       sp.csc_matrix(X)[:, ::-1][:, ::-1]):
            with self.subTest(type(matrix).__name__):
                model = tamis.SparseClassifier(lam=0.02).fit(matrix, y)
                np.testing.assert_array_equal(model.coef_, expected.coef_)
                np.testing.assert_array_equal(model.decision_function(matrix), expected.decision_function(X))
                first = np.sort(np.unique(y, return_index=True)[1])
                self.assertEqual(json.loads(model.to_json())["self_test"], X[first][:, model.kept_features()].tolist())
        empty = sp.csr_matrix((3, X.shape[1]))
        np.testing.assert_array_equal(expected.decision_function(empty),
                                      expected.decision_function(empty.toarray()))

    def test_integers_and_halves_are_numbers(self):
        _, X, y = data("digits")
        expected = tamis.SparseClassifier().fit(X, y)
        for dtype in (np.int64, np.uint8):
            np.testing.assert_array_equal(tamis.SparseClassifier().fit(X.astype(dtype), y).coef_, expected.coef_)
        halves = tamis.SparseClassifier().fit(X.astype(np.float16), y)
        self.assertEqual(halves.coef_.dtype, np.float32)
        bits = tamis.SparseClassifier().fit(X.astype(">f4"), y)
        self.assertEqual(bits.coef_.dtype, np.float32)
        np.testing.assert_array_equal(halves.coef_, tamis.SparseClassifier().fit(X.astype(np.float32), y).coef_)

    def test_precision_is_that_of_the_samples_or_as_asked(self):
        _, X, y = data("wine")
        for dtype, precision, expected in ((np.float32, "auto", np.float32), (np.float64, "auto", np.float64),
                                           (np.float32, "double", np.float64), (np.float64, "float", np.float32)):
            model = tamis.SparseClassifier(precision=precision).fit(X.astype(dtype), y)
            self.assertEqual(model.coef_.dtype, expected)
            self.assertEqual(model.decision_function(X).dtype, expected)


class Copies(unittest.TestCase):
    def test_columns_are_taken_as_they_are(self):
        X = np.random.default_rng(0).normal(size=(50, 7))
        for dtype in (np.float32, np.float64):
            own = np.asfortranarray(X.astype(dtype))
            for taken in (own, own[:, 1:4], own[10:30], own[:, ::2]):
                self.assertTrue(np.shares_memory(Columns(taken, "auto").values, own))
            matrix = sp.csc_matrix(X.astype(dtype))
            columns = Columns(matrix, "auto")
            for mine, theirs in ((columns.values, matrix.data), (columns.rows, matrix.indices),
                                 (columns.starts, matrix.indptr)):
                self.assertTrue(np.shares_memory(mine, theirs))
        for copied in (np.ascontiguousarray(X), X[::2].copy(order="F")[::2]):
            self.assertFalse(np.shares_memory(Columns(copied, "auto").values, copied))

    def test_numbers_that_are_not_zero_are_counted(self):
        rng = np.random.default_rng(0)
        for shape in ((1, 1), (1, 300), (300, 1), (700, 900), (3, 200000)):
            X = rng.integers(0, 3, shape).astype(float)
            for taken in (np.asfortranarray(X), X, sp.csc_matrix(X)):
                self.assertEqual(Columns(taken, "auto").entries, np.count_nonzero(X))

    def test_columns_too_far_apart_are_copied(self):
        """Of a file of more rows than 32 bits count."""
        X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
        y = (X[:, 0] + X[:, 2] > 0).astype(int)
        expected = tamis.SparseClassifier().fit(X, y)
        for rows, shared in ((2**31, True), (2**32 + 8, False)):
            with tempfile.TemporaryFile() as file:  # whose holes take no room
                table = np.memmap(file, np.float32, "w+", shape=(rows, 3), order="F")
                table[:40] = X
                self.assertEqual(np.shares_memory(Columns(np.asarray(table[:40]), "auto").values, table), shared)
                np.testing.assert_array_equal(tamis.SparseClassifier().fit(table[:40], y).coef_, expected.coef_)

    def test_rows_are_taken_as_they_are(self):
        X = np.random.default_rng(0).normal(size=(50, 7))
        for taken in (X, np.asfortranarray(X), X[::2, 1::3]):
            self.assertTrue(np.shares_memory(Rows(taken, tamis._library.DOUBLE).values, taken))
        matrix = sp.csr_matrix(X)
        self.assertTrue(np.shares_memory(Rows(matrix, tamis._library.DOUBLE).values, matrix.data))

    def test_fit_takes_a_fifth_of_the_data_beside_the_arena(self):
        """Of samples in columns; others are copied once."""
        rng = np.random.default_rng(0)
        X = np.asfortranarray(rng.normal(size=(20000, 100)))
        y = (X[:, :3] @ rng.normal(size=(3, 4))).argmax(axis=1)
        for more, samples in ((0, X), (1, np.ascontiguousarray(X)), (0, sp.csc_matrix(X))):
            tracemalloc.start()
            model = tamis.SparseClassifier(lam=0.05, tolerance=1e-2).fit(samples, y)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            self.assertLess(peak, (0.2 + more) * X.nbytes + model.arena_bytes_)


if __name__ == "__main__":
    unittest.main()
