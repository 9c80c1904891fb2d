"""run.py TEST.py: its tests by pytest, or by unittest where there is none. Exit code 77 where nothing can run."""

import importlib.util
import subprocess
import sys
from pathlib import Path

NEEDS = {"sklearn": ["sklearn", "pandas"], "plots": ["matplotlib"], "selection": ["joblib"],
         "dask": ["sklearn", "distributed"], "examples": ["sklearn", "scipy", "matplotlib"], "layouts": ["scipy"],
         "refusals": ["scipy", "pandas"], "solutions": ["sklearn"]}

path = Path(sys.argv[1]).resolve()
missing = [name for name in ["numpy", *NEEDS.get(path.stem.removeprefix("test_"), [])]
           if importlib.util.find_spec(name) is None]
if missing:
    print(f"Not run: {path.name} needs {', '.join(missing)}; toolchains/setup.sh python installs what there is.")
    sys.exit(77)
if importlib.util.find_spec("pytest"):
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
else:
    command = ["-m", "unittest", "-v", path.stem]
sys.exit(subprocess.call([sys.executable, "-B", *command], cwd=path.parent))
