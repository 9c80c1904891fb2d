"""What the tests of iterates share: the program that prints those of the library, and how numbers are compared."""
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("Not run: the transcriptions of the papers need numpy (python3-numpy).")
    sys.exit(77)

program = sys.argv.pop(1)
tolerance = 1e-12


def library(algorithm, **entries):
    """The lines that the program prints for a problem: (name, numbers)."""
    lines = [algorithm]
    for name, value in entries.items():
        numbers = np.asarray(value, dtype=float).ravel()
        lines.append(" ".join([name, str(numbers.size), *map(repr, numbers.tolist())]))
    done = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True)
    assert done.returncode == 0, f"{algorithm} ended with {done.returncode}: {done.stderr}"
    return [(name, np.array(rest[1:], dtype=float)) for name, *rest in map(str.split, done.stdout.splitlines())]


def distance(ours, theirs):
    """The largest difference, relative to the largest number where that is above 1."""
    assert ours.size == theirs.size, f"{ours.size} numbers, {theirs.size} in the transcription"
    apart = np.abs(ours - theirs.ravel()).max()
    assert np.isfinite(apart)
    return apart / max(1.0, np.abs(theirs).max())


def soft(x, threshold):
    return np.sign(x) * np.maximum(np.abs(x) - threshold, 0)


def simplex(v, total):
    """The projection onto {u ≥ 0, Σu = total}, by sorting."""
    sorted_ = np.sort(v)[::-1]
    thresholds = (np.cumsum(sorted_) - total) / np.arange(1, v.size + 1)
    return np.maximum(v - thresholds[sorted_ > thresholds][-1], 0)


def l1_ball(v, radius):
    """The projection onto {‖u‖₁ ≤ radius}."""
    return v if np.abs(v).sum() <= radius else np.sign(v) * simplex(np.abs(v), radius)
