"""Model files and headers: those of the command, both ways, with the same numbers to the bit."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import numpy as np
import tamis
from support import DATA, command, data


class Named(np.ndarray):
    """An array with names of columns, as a table has them, without pandas."""


def named(names, X):
    out = X.view(Named)
    out.columns = names
    return out


CASES = [
    ("wine", "train --loss hinge --penalty group-l2 --lambda 0.05", tamis.SparseClassifier("hinge", "group-l2", 0.05)),
    ("wine", "train --loss logistic --penalty l1 --lambda 0.05 --precision float",
     tamis.SparseClassifier(lam=0.05, precision="float")),
    ("iris", "train --loss squared-hinge --penalty sparse-group --lambda 0.02 --groups blocks:2 --no-intercept",
     tamis.SparseClassifier("squared-hinge", "sparse-group", 0.02, groups=2, intercept=False)),
    ("iris", "cv --loss squared-hinge --penalty elastic-net --lambda-values 0.01 --calibrate softmax",
     tamis.SparseClassifier("squared-hinge", "elastic-net", 0.01, calibration="softmax")),
    ("wine", "cv --loss hinge --penalty group-l2 --lambda-values 0.1,0.05,0.02 --calibrate sigmoid",
     tamis.SparseClassifier("hinge", "group-l2", "cv", lambdas=[0.1, 0.05, 0.02], calibration="sigmoid")),
    ("digits", "train --loss logistic --penalty l1 --lambda 0.01", tamis.SparseClassifier(lam=0.01)),
    ("wine", "train --loss hinge --penalty l1 --eta 0.5", tamis.ConstrainedClassifier(0.5)),
    ("iris", "interactions --loss squared-hinge --hierarchy strong --norm l1 --lambda 0.02",
     tamis.InteractionClassifier(0.02)),
    ("wine", "interactions --loss least-squares --hierarchy weak --norm linf --lambda 0.5",
     tamis.InteractionRegressor(0.5, hierarchy="weak", norm="linf")),
    ("iris", "kernels --kernel gaussian:0.5 --kernel linear --p 2 --q 1 --r 1 --lambda 0.01",
     tamis.KernelClassifier(["gaussian:0.5", "linear"], 2, 1, 1, 0.01)),
    ("iris", "interactions --loss squared-hinge --hierarchy strong --norm l1 --lambdas 6 --folds 3 --precision float",
     tamis.InteractionClassifier("cv", lambdas=6, folds=3, precision="float")),
    ("wine", "interactions --loss least-squares --hierarchy strong --norm l1 --lambdas 6 --folds 4 --choose min "
             "--measure loss",
     tamis.InteractionRegressor("cv", lambdas=6, folds=4, choose="min", measure="loss")),
    ("iris", "kernels --kernel gaussian:0.5 --p 2 --q 2 --r 1 --lambdas 5 --folds 3 --precision float",
     tamis.KernelClassifier("gaussian:0.5", q=2, lam="cv", lambdas=5, folds=3, precision="float")),
]


def shortest(text):
    """A file of the command with the shortest decimals of its numbers: it writes a digit more of a few."""
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def train(self, name, arguments):
        path = self.folder / "theirs.json"
        subcommand, *others = arguments.split()
        command(subcommand, DATA / f"{name}.csv", *others, "--quiet", "--model", path)
        return path

    def export(self, path, *more):
        out = self.folder / "theirs.h"
        command("export", path, "--format", "c", "--name", "model", "--output", out, *more)
        return out.read_text()

    def test_are_those_of_the_command(self):
        for name, arguments, estimator in CASES:
            with self.subTest(name + " " + arguments):
                names, X, y = data(name)
                path = self.train(name, arguments)
                estimator.fit(named(names, X), y)
                self.assertEqual(estimator.to_json(), shortest(path.read_text()))
                loaded = tamis.load(path)
                self.assertEqual(loaded.to_json(), shortest(path.read_text()))
                score = "predict" if isinstance(loaded, tamis.InteractionRegressor) else "decision_function"
                mine = np.asarray(getattr(estimator, score)(named(names, X)))
                np.testing.assert_array_equal(getattr(loaded, score)(named(names, X)), mine)
                if hasattr(loaded, "classes_"):
                    np.testing.assert_array_equal(loaded.classes_, estimator.classes_)

    def test_headers_are_those_of_the_command(self):
        for name, arguments, _ in CASES:
            with self.subTest(name + " " + arguments):
                path = self.train(name, arguments)
                loaded = tamis.load(path)
                for precision in ("float", "double"):
                    theirs = self.export(path, "--precision", precision)
                    mine = loaded.to_c(name="model", precision=precision)
                    if not isinstance(loaded, tamis.SparseClassifier):  # theirs has a comment with names of features
                        begin = theirs.index("/* Their names:" if "Their names" in theirs else "/* The features:")
                        theirs = theirs[:begin] + theirs[theirs.index("*/\n", begin) + 3 :]
                    self.assertEqual(mine, theirs)

    def test_headers_of_integers_are_those_of_the_command(self):
        for name, arguments, _ in CASES[:7]:
            _, X, _ = data(name)
            path = self.train(name, arguments)
            for integers in ("int8", "int16"):
                with self.subTest(arguments, integers=integers):
                    theirs = self.export(path, "--quantise", integers, "--data", DATA / f"{name}.csv")
                    theirs = "".join(line for line in theirs.splitlines(True) if not line.startswith("   On "))
                    self.assertEqual(tamis.load(path).to_c(name="model", quantise=integers, data=X), theirs)

    def test_a_header_compiles_and_tests_itself(self):
        _, X, y = data("wine")
        model = tamis.SparseClassifier("hinge", "group-l2", 0.05).fit(X, y)
        model.to_c(self.folder / "wine.h")
        (self.folder / "main.c").write_text('#include "wine.h"\nint main(void) { return wine_self_test(); }\n')
        subprocess.run(["cc", "-std=c99", "-O1", "-ffp-contract=off", "main.c", "-o", "main", "-lm"],
                       cwd=self.folder, check=True)
        subprocess.run(["./main"], cwd=self.folder, check=True)

    def test_models_that_divide_predict_as_the_command_does(self):
        _, X, _ = data("digits")
        path = self.train("digits", "train --scale 16 --standardise --loss squared-hinge --penalty l1 --lambda 0.01")
        out = subprocess.run([os.environ["TAMIS_COMMAND"], "predict", path, DATA / "digits.csv"], check=True,
                             capture_output=True, text=True).stdout.split()
        loaded = tamis.load(path)
        np.testing.assert_array_equal(loaded.predict(X).astype(str), out)
        self.assertEqual(loaded.to_json(), shortest(path.read_text()))

    def test_the_command_reads_those_of_the_package(self):
        for name, _, estimator in CASES:
            with self.subTest(estimator):
                names, X, y = data(name)
                path = self.folder / "mine.json"
                estimator.fit(named(names, X), y).to_json(path)
                out = subprocess.run([os.environ["TAMIS_COMMAND"], "predict", path, DATA / f"{name}.csv"], check=True,
                                     capture_output=True, text=True).stdout.split()
                mine = estimator.predict(named(names, X))
                if isinstance(estimator, tamis.InteractionRegressor):
                    np.testing.assert_array_equal(mine, np.array(out, float))
                else:
                    self.assertEqual(mine.astype(str).tolist(), out)

    def test_families_that_standardise_predict_as_the_command_does(self):
        """Kernels compare standardised features; of interactions their coefficients are those of the data."""
        _, X, y = data("wine")
        for arguments in ("kernels --kernel gaussian:2 --p 2 --q 1 --r 1 --lambda 0.02",
                          "interactions --loss squared-hinge --hierarchy strong --norm l1 --lambda 0.05"):
            with self.subTest(arguments):
                path = self.train("wine", arguments + " --standardise")
                out = subprocess.run([os.environ["TAMIS_COMMAND"], "predict", path, DATA / "wine.csv", "--scores"],
                                     check=True, capture_output=True, text=True).stdout.splitlines()
                loaded = tamis.load(path)
                theirs = np.array([line.split(",")[1:] for line in out[1:]], float)
                np.testing.assert_array_equal(loaded.decision_function(X), theirs)
                self.assertEqual(loaded.to_json(), shortest(path.read_text()))
                self.assertEqual(loaded.intercept_.shape, (3,))
                self.assertIn("numbers", loaded._repr_html_())
                again = loaded.fit((X - X.mean(axis=0)) / X.std(axis=0), y)  # which it does itself now
                np.testing.assert_allclose(again.decision_function((X - X.mean(axis=0)) / X.std(axis=0)), theirs,
                                           atol=0.02)

    def test_faults_of_files_are_named(self):
        path = self.train("wine", "train --loss hinge --penalty group-l2 --lambda 0.05")
        good = json.loads(path.read_text())
        for change, sentence in ((dict(format="other"), "not a tamis model"), (dict(version=2), "a later version"),
                                 (dict(kind="trees"), "a kind of model"), (dict(intercept=[1.0]), "different lengths"),
                                 (dict(coefficients={}), "lacks a part"), (dict(preparation={}), "a preparation"),
                                 (dict(thresholds={}), "thresholds for sets"),
                                 (dict(feature_count=2), "index out of range")):
            with self.subTest(sentence):
                path.write_text(json.dumps({**good, **change}))
                with self.assertRaisesRegex(ValueError, f"theirs.json: .*{sentence}"):
                    tamis.load(path)
        path.write_text("{")
        self.assertRaisesRegex(ValueError, "is not a JSON model", tamis.load, path)

    def test_any_broken_member_is_a_fault_of_the_file(self):
        _, X, y = data("iris")
        path = self.folder / "broken.json"

        def members(json, at=()):
            yield at
            for key in (json if isinstance(json, dict) else range(min(1, len(json))) if isinstance(json, list) else ()):
                yield from members(json[key], (*at, key))

        for model in (tamis.SparseClassifier("hinge", calibration="softmax", folds=2), tamis.InteractionClassifier(),
                      tamis.KernelClassifier(lam=0.1)):
            text = model.fit(X, y).to_json()
            for *way, last in list(members(json.loads(text)))[1:]:
                for value in (None, -1, 2**40, float("nan"), "auto", [], [[1]], {}):
                    document = part = json.loads(text)
                    for key in way:
                        part = part[key]
                    part[last] = value
                    path.write_text(json.dumps(document))
                    with self.subTest(way=way, last=last, value=value):
                        try:
                            tamis.load(path).to_json()
                        except ValueError as error:
                            self.assertTrue(str(error).startswith(str(path)), error)

    def test_a_loaded_model_can_be_fitted_again(self):
        _, X, y = data("digits")
        loaded = tamis.load(self.train("digits", "train --scale 16 --loss logistic --penalty l1 --lambda 0.01"))
        expected = tamis.SparseClassifier(lam=0.01).fit(X, y)
        np.testing.assert_array_equal(loaded.fit(X, y).decision_function(X), expected.decision_function(X))

    def test_refuses_what_a_header_cannot_be(self):
        _, X, y = data("iris")
        model = tamis.SparseClassifier().fit(X, y)
        self.assertRaisesRegex(ValueError, "not a C identifier", model.to_c, name="a-b")
        self.assertRaisesRegex(ValueError, "give data", model.to_c, quantise="int8")
        self.assertRaisesRegex(ValueError, "'int8' or 'int16'", model.to_c, quantise="int4", data=X)
        self.assertRaisesRegex(ValueError, "has 2 features", model.to_c, quantise="int8", data=X[:, :2])
        self.assertRaisesRegex(ValueError, "NaN in sample 0", model.to_c, quantise="int8", data=X * np.nan)
        kernels = tamis.KernelClassifier().fit(X, y)
        self.assertRaisesRegex(ValueError, "linear models", kernels.to_c, quantise="int8", data=X)


if __name__ == "__main__":
    unittest.main()
