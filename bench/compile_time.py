"""Seconds of the processor that compilers take for one file: the examples of README.md and what they include.

compile_time.py SNIPPETS INCLUDES EIGEN COMPILER...  prints the table of README.md. Each is compiled three times with -O2, the least counts.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

TRAINS = """
int train(const float* samples, const tamis::Label* labels, const float* reading) {
  int label = -1;
  {
#include "first_snippet.hpp"
  }
  return label;
}
"""
TRAINS_ON_EIGEN = """
void train(const Eigen::MatrixXf& X, const Eigen::VectorXi& y, Eigen::VectorXi& labels) {
#include "eigen_snippet.hpp"
}
"""
FILES = [
    ("nothing but `tamis/tamis.hpp`", "#include <tamis/tamis.hpp>\n"),
    ("nothing but `tamis/eigen.hpp`", "#include <tamis/eigen.hpp>\n"),
    ("nothing but `Eigen/Core` and `Eigen/SparseCore`", "#include <Eigen/Core>\n#include <Eigen/SparseCore>\n"),
    ("the example on plain buffers", "#include <tamis/tamis.hpp>\n" + TRAINS),
    ("the same by the fastest solver", "#include <tamis/tamis.hpp>\n" + TRAINS),
    ("the example on Eigen's matrices", "#include <tamis/eigen.hpp>\n" + TRAINS_ON_EIGEN),
]
GOAL = 3.5


def seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(snippets, includes, eigen, *compilers):
    versions = []
    for compiler in compilers:
        versions.append(subprocess.run([compiler, "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0])
    print("| one file, `-O2` | " + " | ".join(versions) + " |\n|---|" + "--:|" * len(compilers))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "one.cpp"
        for title, text in FILES:
            own = []
            if "fastest" in title:  # the example without its choice
                own = ["-I" + folder]
                snippet = (pathlib.Path(snippets) / "first_snippet.hpp").read_text()
                (pathlib.Path(folder) / "first_snippet.hpp").write_text(snippet.replace(", tamis::Smallest", ""))
            source.write_text(text)
            row = []
            for compiler in compilers:
                command = [compiler, "-std=c++20", "-ffp-contract=off", "-O2", *own, "-I" + snippets, "-I" + includes, "-isystem", eigen]
                command += ["-c", str(source), "-o", os.devnull]
                row.append(min(seconds(command) for _ in range(3)))
            print(f"| {title} | " + " | ".join(f"{time:.2f} s{' (more than the goal)' if time > GOAL else ''}" for time in row) + " |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
