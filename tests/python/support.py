"""Data that ship with the project, and the command."""

import os
import subprocess
from pathlib import Path

import numpy as np

SOURCE = Path(os.environ["TAMIS_SOURCE"])
DATA = SOURCE / "tests/data"


def data(name):
    """Names of the features, samples, labels."""
    lines = (DATA / f"{name}.csv").read_text().splitlines()
    table = np.array([line.split(",") for line in lines[1:]], float)
    return lines[0].split(",")[1:], table[:, 1:], table[:, 0].astype(int)


def command(*arguments):
    subprocess.run([os.environ["TAMIS_COMMAND"], *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


def python(code, *arguments):
    """A program of its own: what it prints."""
    import sys

    run = subprocess.run([sys.executable, "-B", "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout
