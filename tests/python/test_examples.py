"""The gallery, and the README of the package, run as they stand there."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import DATA, SOURCE

PACKAGE = SOURCE / "lib/python"
# What each has to say, and the files that it writes.
EXPECTED = {
    "wine_to_header": (r"[1-9] of 13 measurements, 9\d\.\d% right", ["wine.h"]),
    "digits_path": (r"of 64 pixels, 9\d\.\d% of new digits right", ["path.png"]),
    "gestures_to_board": (r"of 24 features of windows, (9\d\.\d|100\.0)% right, trained in \d+ bytes", ["gestures.h"]),
    "diabetes_interactions": (r"R2 by five folds 0\.4[6-9]", ["interactions.png"]),
    "titanic_kernels": (r"people kept, 7[5-9]\.\d% of 2051 others", ["titanic.json"]),
    "languages_text": (r"sequences of characters, 9\d\.\d% right", []),
    "search_on_dask": (r"lambda 0\.03, 9\d\.\d% right", []),
    "stream_on_dask": (r"averaged [89]\d\.\d% right, in memory [89]\d\.\d%", []),
}


class Examples(unittest.TestCase):
    def run_file(self, path, folder, *arguments):
        run = subprocess.run([sys.executable, "-B", path, *arguments], cwd=folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def test_gallery_runs(self):
        found = {path.stem for path in (PACKAGE / "examples").glob("*.py")}
        self.assertEqual(found, set(EXPECTED))
        for name, (said, files) in EXPECTED.items():
            if "dask" in name and not self.has_dask():
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                out = self.run_file(PACKAGE / f"examples/{name}.py", folder, DATA, folder)
                self.assertRegex(out, said)
                if name == "stream_on_dask":  # what averages cost is a few percent
                    averaged, in_memory = map(float, re.findall(r"(\d+\.\d)%", out))
                    self.assertGreater(averaged, in_memory - 4)
                for file in files:
                    self.assertGreater((Path(folder) / file).stat().st_size, 500)

    def has_dask(self):
        import importlib.util

        return importlib.util.find_spec("distributed") is not None

    def test_readme_runs(self):
        blocks = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
        self.assertEqual(len(blocks), 3)
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(f"{folder}/tests")
            os.symlink(DATA, f"{folder}/tests/data")
            (Path(folder) / "readme.py").write_text("".join(blocks))
            self.run_file("readme.py", folder)
            for file in ("wine.h", "wine8.h", "wine.json"):
                self.assertTrue((Path(folder) / file).exists())

    def test_readme_lists_the_examples_and_estimators(self):
        import tamis

        text = (PACKAGE / "README.md").read_text()
        for name in tamis.__all__:
            if name[0].isupper() and isinstance(getattr(tamis, name), type) and hasattr(getattr(tamis, name), "fit"):
                self.assertIn(f"`{name}", text)


if __name__ == "__main__":
    unittest.main()
