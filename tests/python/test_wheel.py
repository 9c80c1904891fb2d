"""The wheel as a new user installs it: into a fresh environment, without an index."""

import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

FIVE_LINES = """
import numpy as np, tamis
rng = np.random.default_rng(0)
X = rng.normal(size=(60, 5)); y = (X[:, 0] > 0).astype(int)
print(tamis.SparseClassifier().fit(X, y).predict(X[:2]), tamis.__file__)
"""


class Wheel(unittest.TestCase):
    wheel = next(Path(os.environ["TAMIS_BUILD"]).glob("tamis-*.whl"))

    def test_has_the_library_and_all_modules(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            self.assertIsNone(wheel.testzip())
            record = next(name for name in names if name.endswith("/RECORD"))
            listed = [line.split(",")[0] for line in wheel.read(record).decode().splitlines()]
            metadata = wheel.read(record.replace("RECORD", "METADATA")).decode().splitlines()
        needed = [line for line in metadata if line.startswith("Requires-Dist") and "extra" not in line]
        self.assertEqual(needed, ["Requires-Dist: numpy"])
        self.assertEqual(sorted(listed), sorted(names))
        modules = {path.name for path in (Path(os.environ["TAMIS_SOURCE"]) / "lib/python/tamis").glob("*.py")}
        self.assertEqual({Path(name).name for name in names if name.startswith("tamis/") and name.endswith(".py")},
                         modules | {"_version.py"})
        self.assertEqual(sum("libtamis.so" in name for name in names), 1)

    def test_installs_and_predicts(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder], text=True,
                                  capture_output=True)
            if made.returncode:
                self.skipTest("Not run: python3 -m venv needs python3-venv; toolchains/setup.sh python installs it.")
            python = Path(folder) / "bin/python"
            environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check",
                            self.wheel], check=True, env=environment)
            said = subprocess.run([python, "-B", "-c", FIVE_LINES], check=True, env=environment, text=True,
                                  capture_output=True, cwd=folder).stdout
            self.assertIn(folder, said)

    def test_the_library_shows_its_functions_alone(self):
        with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(self.wheel) as wheel:
            name = next(name for name in wheel.namelist() if "libtamis.so" in name)
            path = wheel.extract(name, folder)
            shown = subprocess.run(["nm", "-D", "--defined-only", path], check=True, text=True, capture_output=True)
            needed = subprocess.run(["objdump", "-p", path], check=True, text=True, capture_output=True).stdout
        symbols = [line.split()[-1] for line in shown.stdout.splitlines()]
        self.assertTrue(all(symbol.startswith("tamis_") for symbol in symbols), symbols)
        headers = "".join(path.read_text() for folder in ("lib/c", "lib/shared")
                          for path in (Path(os.environ["TAMIS_SOURCE"]) / folder).glob("*.h"))
        for symbol in symbols:
            self.assertIn(symbol.removesuffix("_f32").removesuffix("_f64"), headers)
        self.assertIn(f"SONAME               {Path(name).name}", needed)
        self.assertNotIn("libstdc++", needed)


if __name__ == "__main__":
    unittest.main()
