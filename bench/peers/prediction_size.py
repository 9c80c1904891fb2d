"""prediction_size.py TAMIS FOLDER SOURCE: headers of `tamis export` beside code that others generate.

Each predictor is compiled with -Os for a Cortex-M4F and run in the emulator (SOURCE/tests/prediction): bytes of flash for
code, constants and what they need of the compiler's libraries, instructions a prediction, and training samples that it has
right, of iris.csv and wine.csv in FOLDER. Theirs are trained by scikit-learn, with its defaults but for what the name says;
ours with hinge and l1 at lambda = 0.02. micromlgen, emlearn and m2cgen are packages of PyPI; Debian and npm have none of
them. The first two are measured where PYTHONPATH has them, and named as not run where it has not; this project does not
install them. Their forms are written here: a linear model as
nested sums into an array of scores and a tree as nested ifs that copy shares of classes (m2cgen, which has them in
double; the same in float), a tree as nested ifs that return a class (emlearn inline, micromlgen). The tree of the same
accuracy has the fewest leaves with as many samples right as the logistic regression. Prints a table.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.filterwarnings("ignore")
tamis, shipped, source = sys.argv[1], sys.argv[2], sys.argv[3]
folder = tempfile.TemporaryDirectory()
here = os.path.join(source, "tests", "prediction")
missing = {}


def path(*names):
    out = os.path.join(folder.name, *names)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    return out


def write(text, *names):
    with open(path(*names), "w") as out:
        out.write(text)
    return path(*names)


def table(values):
    return ",\n".join("{" + ",".join(repr(float(x)) + "f" for x in row) + "}" for row in values)


FLOATS = """#include <cstdint>
#include "predictor.h"
#include "model.h"
static const float *sample;
%s
void prepare(const float *s) { sample = s; }
int predict() { return %s; }
int self_test() { return %s; }
"""

# Integers as a sensor would give them: how they come about is not counted.
INTEGERS = """#include <cstdint>
#include "predictor.h"
#include "model.h"
std::int16_t counts[%d];
void prepare(const float *s) { %s }
int predict() { return %s; }
int self_test() { return %s; }
"""


# C99 in the forms that generators have. What is predicted is converted outside of the count.
FORM = """#include <string.h>
#include "predictor.h"
typedef %(number)s number;
static number input[%(features)d];
void prepare(const float *s) {
  for (int j = 0; j < %(features)d; ++j) input[j] = (number)s[j];
}
%(score)s
int predict(void) {
  %(call)s
}
int self_test(void) { return 0; }
"""
SCORES = """number output[%d];
  score(input, output);
  int top = 0;
  for (int k = 1; k < %d; ++k)
    if (output[k] > output[top]) top = k;
  return top;"""


def copied(shares, suffix):
    return "memcpy(output, (number[]){%s}, %d * sizeof(number));" % (
        ", ".join(share if isinstance(share, str) else repr(float(share)) + suffix for share in shares), len(shares))


def nested_sums(model, suffix):
    def term(intercept, weights):
        out = "(%r%s)" % (float(intercept), suffix)
        for j, weight in enumerate(weights):
            out = "(%s + ((input[%d]) * (%r%s)))" % (out, j, float(weight), suffix)
        return out

    scores = [term(b, w) for b, w in zip(model.intercept_, model.coef_)]
    return "static void score(const number *input, number *output) {\n  %s\n}" % copied(scores, suffix)


def nested_ifs(model, suffix, leaf):
    tree = model.tree_

    def node(at):
        if tree.children_left[at] < 0:
            return leaf(tree.value[at][0])
        return "if (input[%d] <= %r%s) { %s } else { %s }" % (
            tree.feature[at], float(tree.threshold[at]), suffix, node(tree.children_left[at]), node(tree.children_right[at]))

    return node(0)


def forms(name, linear, trees, features, classes):
    """Predictors in the forms of generators, and what the conversion of a sample costs beside."""
    for number, suffix in (("double", ""), ("float", "f")):
        scores = SCORES % (classes, classes)
        sources = {"nothing in " + number: ("", "return 0;"),
                   "nested sums (m2cgen), logistic regression, in " + number: (nested_sums(linear, suffix), scores)}
        for what, tree in trees.items():
            body = nested_ifs(tree, suffix, lambda shares: copied(shares / shares.sum(), suffix))
            sources["nested ifs (m2cgen), %s, in %s" % (what, number)] = (
                "static void score(const number *input, number *output) { %s }" % body, scores)
            if number == "float":
                body = nested_ifs(tree, suffix, lambda shares: "return %d;" % shares.argmax())
                sources["nested ifs (emlearn, micromlgen), %s, in float" % what] = ("", body)
        for what, (score, call) in sources.items():
            text = FORM % {"number": number, "features": features, "score": score, "call": call}
            at = name + "_" + re.sub(r"\W+", "_", what)
            yield what, write(text, at, "p.c"), path(at, "")


def ours(name, features):
    """Sources of our predictors and of what counting costs itself, in floats and in integers."""
    data, model = os.path.join(shipped, name + ".csv"), path(name, "model.json")
    subprocess.run([tamis, "train", data, "--standardise", "--loss", "hinge", "--penalty", "l1", "--lambda", "0.02",
                    "--quiet", "--model", model], check=True)
    take = "for (int j = 0; j < MODEL_KEPT; ++j) counts[j] = model_count(s[model_features[j]], j);"
    for kind in ("float", "int8", "int16"):
        options = [] if kind == "float" else ["--quantise", kind, "--data", data]
        at = name + "_tamis_" + kind
        subprocess.run([tamis, "export", model, "--format", "c", "--name", "model", "--output", path(at, "model.h"),
                        *options], check=True, stderr=subprocess.DEVNULL)
        form = FLOATS if kind == "float" else INTEGERS
        first = "" if kind == "float" else (features, take)
        for what, call in (("tamis " + kind, "model_predict(sample)" if kind == "float" else "model_predict_kept(counts)"),
                           ("nothing " + kind, "0")):
            arguments = (first, call, "0") if kind == "float" else (*first, call, "0")
            yield what, write(form % arguments, at, what.replace(" ", "_") + ".cpp"), path(at, "")


def theirs(name, x, y):
    try:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import SVC
        from sklearn.tree import DecisionTreeClassifier
    except ImportError:
        missing["scikit-learn"] = "python3-sklearn has it"
        return
    mean, scale = x.mean(0), x.std(0)
    sparse = LogisticRegression(penalty="l1", C=0.3, solver="saga", max_iter=10000).fit((x - mean) / scale, y)
    kept = int((sparse.coef_ != 0).any(0).sum())
    sparse.coef_ = sparse.coef_ / scale
    sparse.intercept_ = sparse.intercept_ - sparse.coef_ @ mean
    tree = DecisionTreeClassifier(random_state=0).fit(x, y)
    wanted = (sparse.predict(x) == y).sum()
    smaller = (DecisionTreeClassifier(random_state=0, max_leaf_nodes=leaves).fit(x, y) for leaves in range(2, len(y)))
    same = next(tree for tree in smaller if (tree.predict(x) == y).sum() >= wanted)
    trees = {"decision tree of the same accuracy": same, "decision tree": tree}
    yield from forms(name, sparse, trees, x.shape[1], len(sparse.classes_))
    try:
        from micromlgen import port

        for what, model in (("micromlgen logistic regression, l1 (%d features kept)" % kept, sparse),
                            ("micromlgen SVC, linear kernel", SVC(kernel="linear", gamma=0.001).fit(x, y)),
                            ("micromlgen decision tree", tree)):
            at = name + "_" + re.sub(r"\W+", "_", what)
            write(port(model), at, "model.h")
            declared = "static Eloquent::ML::Port::%s model;" % type(model).__name__.replace("Classifier", "")
            declared = declared.replace("SVC", "SVM")
            yield what, write(FLOATS % (declared, "model.predict(const_cast<float *>(sample))", "0"), at, "p.cpp"), path(at, "")
    except ImportError as error:
        missing["micromlgen"] = str(error)
    try:
        import emlearn

        steps = 8192 / np.abs(x).max(0)
        for dtype in ("float", "int16_t"):
            values = x if dtype == "float" else np.round(x * steps)
            model = DecisionTreeClassifier(random_state=0).fit(values, y)
            at = name + "_emlearn_" + dtype
            converted = emlearn.convert(model, method="inline", dtype=dtype)
            write(converted.save(name="model", inference=["inline"], include_proba=False), at, "model.h")
            call = "model_predict(%s, %d)" % ("sample" if dtype == "float" else "counts", x.shape[1])
            if dtype == "float":
                text = FLOATS % ("", call, "0")
            else:
                take = " ".join("counts[%d] = std::int16_t(s[%d] * %rf + 0.5f);" % (j, j, float(s)) for j, s in enumerate(steps))
                text = INTEGERS % (x.shape[1], take, call, "0")
            write(text, at, "p.cpp")
            write(INTEGERS % (x.shape[1], take if dtype != "float" else "", "0", "0"), at, "nothing.cpp")
            include = path(at, "")
            for header in os.listdir(emlearn.includedir):
                if header.endswith(".h"):
                    shutil.copy(os.path.join(emlearn.includedir, header), include)
            if dtype != "float":
                yield "nothing emlearn", path(at, "nothing.cpp"), include
            yield "emlearn decision tree, " + dtype, path(at, "p.cpp"), include
    except ImportError as error:
        missing["emlearn"] = str(error)


def measure(name, predictors, x, y):
    write("#pragma once\n#include <cstdint>\ninline constexpr std::uint32_t sample_count = %d;\n"
          "inline constexpr float samples[][%d] = {\n%s};\ninline constexpr int labels[] = {%s};\n"
          % (*x.shape, table(x), ",".join(str(k) for k in y)), name, "samples.hpp")
    programs = ["p%d|%s|%s|PEER" % (i, file, include) for i, (_, file, include) in enumerate(predictors)]
    build = path(name, "build", "")
    run = lambda *command: subprocess.run(command, check=True, capture_output=True, text=True)
    try:
        run("cmake", "-G", "Ninja", "-S", os.path.join(here, "device"), "-B", build, "-DTAMIS_CORE=m4f",
            "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(source, "toolchains", "cortex-m", "cortex-m.cmake"),
            "-DCMAKE_C_COMPILER=arm-none-eabi-gcc", "-DTAMIS_SOURCE=" + source, "-DSAMPLES=" + path(name, ""),
            "-DPROGRAMS=" + ";".join(programs))
        run("cmake", "--build", build)
    except subprocess.CalledProcessError as error:
        sys.exit(error.stdout + error.stderr)
    for i, (what, _, _) in enumerate(predictors):
        program = os.path.join(build, "p%d.elf" % i)
        result = subprocess.run(["qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none",
                                 "-icount", "shift=0", "-semihosting-config", "enable=on,target=native", "-kernel", program],
                                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        said = re.search(r"right (\d+) of \d+\ninstructions a prediction ([\d.]+)", result.stdout + result.stderr)
        sizes = run("arm-none-eabi-size", program).stdout.splitlines()[1].split()
        yield what, int(sizes[0]) + int(sizes[1]), float(said[2]), int(said[1])


def main():
    for name in ("iris", "wine"):
        rows = np.loadtxt(os.path.join(shipped, name + ".csv"), delimiter=",", skiprows=1)
        x, y = rows[:, 1:], rows[:, 0].astype(int)
        predictors = [*ours(name, x.shape[1]), *theirs(name, x, y)]
        measured = list(measure(name, predictors, x, y))
        base = {what[8:]: (flash, count) for what, flash, count, _ in measured if what.startswith("nothing ")}
        print("%s: %d samples, %d features" % (name, *x.shape))
        for what, flash, count, right in measured:
            if what.startswith("nothing "):
                continue
            kind = "emlearn" if what.endswith("int16_t") else what[6:] if what.startswith("tamis ") else "float"
            if what.startswith("nested "):
                kind = what[what.rindex("in "):]
            print("  %-72s %6d bytes %8.0f instructions %4d right"
                  % (what, flash - base[kind][0], count - base[kind][1], right))
    for what, why in missing.items():
        print("not run: %s (%s)" % (what, why))


main()
