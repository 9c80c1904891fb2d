"""Model files: the JSON of the command, both ways, and C headers."""

from __future__ import annotations

import ctypes
import json
import os
import re
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_void_p
from typing import Any

import numpy as np

from . import _library as lib
from ._library import DOUBLE, FLOAT, NO_FEATURE, Precision, address, precision_of
from ._models import KernelsModel, LinearModel, TermsModel
from ._samples import checked

KERNELS = ["linear", "polynomial", "gaussian", "laplacian", "sigmoid", "distance", "chi2", "kl", "constant"]
PARAMETERS = {"polynomial": 2, "gaussian": 1, "laplacian": 1, "sigmoid": 2}


def write(path: Any, text: str) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    return text


def _numbers(array: Any) -> Any:
    """Lists of the shortest decimals: of a float those that give the same float."""
    array = np.asarray(array)
    if array.dtype != np.float32:
        return array.astype(np.float64).tolist()
    return [_numbers(row) for row in array] if array.ndim > 1 else [float(str(x)) for x in array]


def _decimals(array: np.ndarray) -> np.ndarray:
    """In double, those of the decimals that stand in a file."""
    return np.array(_numbers(array), np.float64).reshape(array.shape)


def _class_names(classes: np.ndarray) -> list[str]:
    return [str(int(c)) if isinstance(c, float) else str(c) for c in classes.tolist()]


def _feature_names(estimator: Any) -> list[str]:
    given = getattr(estimator, "feature_names_in_", None)
    names = [f"x{j}" for j in range(estimator.n_features_in_)] if given is None else [str(name) for name in given]
    for j, name in getattr(estimator, "_names_of_file", {}).items():
        names[j] = name
    return names


def _finite(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None


def to_json(e: Any) -> str:
    model, names = e._model, _feature_names(e)
    p: Precision = model.precision
    regression = not hasattr(e, "classes_")
    kind = {LinearModel: "linear", TermsModel: "interactions", KernelsModel: "kernels"}[type(model)]
    kept = model.kept()
    out: dict[str, Any] = {"format": "tamis-model", "version": 1, "kind": kind,
                           "written_by": f"tamis {lib.__version__}",
                           "classes": None if regression else _class_names(e.classes_),
                           "feature_count": e.n_features_in_, "features": [names[j] for j in kept]}
    if kind == "linear":
        out["coefficients"] = {"indices": kept.tolist(), "values": _numbers(model.weights[kept])}
    elif kind == "interactions":
        product = model.terms["second"] != NO_FEATURE
        main, products = model.terms[~product], model.terms[product]
        out["coefficients"] = {
            "indices": kept.tolist(),
            "main_effects": {"outputs": main["output"].tolist(), "indices": main["first"].tolist(),
                             "values": _numbers(main["coefficient"])},
            "products": {"outputs": products["output"].tolist(), "first": products["first"].tolist(),
                         "second": products["second"].tolist(), "values": _numbers(products["coefficient"])}}
    else:
        out["kernels"] = [{"kind": KERNELS[k["kind"]],
                           "parameters": [float(k["a"]), float(k["b"])][: PARAMETERS.get(KERNELS[k["kind"]], 0)]}
                          for k in model.kernels]
        out["coefficients"] = {
            "samples": {"indices": model.origins.tolist(), "values": model.samples.astype(float).tolist()},
            "terms": {"kernels": model.terms["kernel"].tolist(), "samples": model.terms["sample"].tolist(),
                      "values": _numbers(model.coefficients)}}
    out["intercept"] = _numbers(model.intercepts)
    out["scale"] = float(e._divisor)
    out["standardisation"] = getattr(e, "_standardisation", None)
    out["preparation"] = None
    out["loss"] = e.loss
    if kind == "linear":
        out["penalty"] = e.penalty
        out["lambda"] = _finite(e.lambda_)
        if getattr(e, "eta", None) is not None:
            out["eta"] = float(e.eta)
        if e._trained_on:
            out["samples"] = e._trained_on
        out["precision"] = p.name
        calibrated = e._calibrated
        out["calibration"] = calibrated and {"kind": calibrated[0], "slopes": _numbers(calibrated[1]),
                                             "offsets": _numbers(calibrated[2])}
    else:
        if kind == "kernels":
            out["form"] = "binary" if len(model.intercepts) == 1 else "multiclass"
        out["penalty"] = "hierarchical" if kind == "interactions" else e._penalty_name()
        if kind == "interactions":
            out["hierarchy"], out["norm"] = e.hierarchy, e.norm
        else:
            out["p"], out["q"], out["r"] = e.p, e.q, e.r
        out["lambda"] = float(e.lambda_)
        if kind == "interactions":
            out["lambda2"] = _finite(e.lambda2_)
        out["samples"] = e._trained_on
        out["precision"] = p.name
    tested = e._tested
    out["self_test"] = _numbers(tested.astype(np.float32) if kind == "linear" and p is FLOAT else tested)
    return json.dumps(out, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


class _Document:
    """A model file, whose faults are ValueErrors that name it."""

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        with open(path, encoding="utf-8") as file:
            try:
                self.json = json.load(file)
            except ValueError:
                self.fail("is not a JSON model")
        if not isinstance(self.json, dict) or self.json.get("format") != "tamis-model":
            self.fail("is JSON, but not a tamis model")
        if self.json.get("version") != 1:
            self.fail("is a model of a later version of tamis")
        if self.json.get("preparation") is not None:
            self.fail("has a preparation of samples, which the command does alone: train it on features that are "
                      "prepared, by tamis.ScatteringTransformer or a pipeline")

    def fail(self, what: str) -> None:
        raise ValueError(f"{self.path}: {what}")

    def numbers(self, values: Any, shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
        out = np.array(values, dtype) if np.size(values) else np.zeros(shape, dtype)
        if out.shape != shape:
            self.fail("has parts of different lengths")
        return out

    def indices(self, values: Any, end: int) -> np.ndarray:
        out = np.array(values, np.int64)
        if out.ndim != 1 or (out < 0).any() or (out >= end).any():
            self.fail("has an index out of range")
        return out


def load(path: Any) -> Any:
    """The fitted estimator of a model file, which this package or the command has written. Its parameters are those
    that the file records; classes that are whole numbers are numbers."""
    document = _Document(path)
    try:
        return _read(document)
    except (KeyError, TypeError, IndexError, AttributeError):
        document.fail("lacks a part of a model, or has one of the wrong type")


def _read(d: _Document) -> Any:
    from . import ConstrainedClassifier, InteractionClassifier, InteractionRegressor, KernelClassifier, SparseClassifier

    j = d.json
    p = precision_of(j["precision"], None)
    features = int(j["feature_count"])
    kind, coefficients = j["kind"], j["coefficients"]
    names = j["classes"]
    outputs = 1 if names is None else len(names)
    if features < 1 or (names is not None and outputs < 2):
        d.fail("has an impossible shape")
    if kind == "linear":
        if j.get("eta") is not None:
            e = ConstrainedClassifier(j["eta"], j["penalty"], precision=p.name)
        else:
            lam = j["lambda"]
            e = SparseClassifier(j["loss"], j["penalty"], 0.0 if lam is None else lam, precision=p.name)
        kept = d.indices(coefficients["indices"], features)
        if (np.diff(kept) <= 0).any():
            d.fail("has feature indices out of order")
        weights = np.zeros((features, outputs))
        weights[kept] = d.numbers(coefficients["values"], (len(kept), outputs))
        model = LinearModel.from_weights(p, weights, d.numbers(j["intercept"], (outputs,)))
        by = j.get("calibration")
        calibrated = by and (by["kind"], d.numbers(by["slopes"], (outputs,)), d.numbers(by["offsets"], (outputs,)))
        e._set_model(model, calibrated or None)
        if calibrated:
            e.calibration = by["kind"]
    elif kind == "interactions":
        kept = d.indices(coefficients["indices"], features)
        lam2 = j["lambda2"]
        make = InteractionRegressor if names is None else InteractionClassifier
        e = make(j["lambda"], lambda2=lam2, hierarchy=j["hierarchy"], norm=j["norm"], precision=p.name)
        e.lambda2_ = float("nan") if lam2 is None else lam2
        main, products = coefficients["main_effects"], coefficients["products"]
        size = len(main["values"])
        terms = np.zeros(size + len(products["values"]), TermsModel.dtype(p))
        terms["second"][:size] = NO_FEATURE
        for part, of, ends in ((terms[:size], main, {"first": "indices"}),
                               (terms[size:], products, {"first": "first", "second": "second"})):
            part["output"] = d.indices(of["outputs"], outputs)
            part["coefficient"] = of["values"]
            for field, member in ends.items():
                part[field] = d.indices(of[member], features)
        order = np.lexsort((terms["second"], terms["first"], terms["second"] != NO_FEATURE, terms["output"]))
        e._model = TermsModel(p.name, terms[order], d.numbers(j["intercept"], (outputs,), p.dtype), features)
    elif kind == "kernels":
        kept = np.arange(features)
        texts = [":".join([k["kind"], ",".join(map(repr, k["parameters"]))]).rstrip(":") for k in j["kernels"]]
        e = KernelClassifier(texts, j["p"], j["q"], j["r"], j["lambda"], precision=p.name)
        kernels = np.zeros(len(texts), KernelsModel.kernel_dtype(p))
        for row, k in zip(kernels, j["kernels"]):
            a, b = (list(k["parameters"]) + [0.0, 0.0])[:2]
            row["kind"], row["a"], row["b"] = KERNELS.index(k["kind"]), a, b
        origins = np.array(coefficients["samples"]["indices"], np.uint32)
        of = coefficients["terms"]
        terms = np.zeros(len(of["values"]), KernelsModel.TERM)
        terms["kernel"] = d.indices(of["kernels"], len(kernels))
        terms["sample"] = d.indices(of["samples"], len(origins))
        width = 1 if j["form"] == "binary" else outputs
        e._model = KernelsModel(p.name, kernels, d.numbers(coefficients["samples"]["values"], (len(origins), features),
                                                           p.dtype), terms,
                                d.numbers(of["values"], (len(terms), width), p.dtype),
                                d.numbers(j["intercept"], (width,), p.dtype), origins)
    else:
        d.fail("is a kind of model that this package does not read")
    e.n_features_in_ = features
    if names is not None:
        whole = all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) for name in names)
        e.classes_ = np.array([int(name) for name in names] if whole else names)
    if j["features"] and any(name != f"x{k}" for k, name in zip(kept, j["features"])):
        e._names_of_file = dict(zip(kept.tolist(), j["features"]))
        if len(kept) == features:
            e.feature_names_in_ = np.array(j["features"], dtype=object)
    e._divisor, e._standardisation = j["scale"], j["standardisation"]
    e.lambda_ = float("nan") if j["lambda"] is None else j["lambda"]
    e._trained_on = j.get("samples", 0)
    e._tested = np.array(j.get("self_test", []), np.float64).reshape(-1, len(kept))
    return e


def _identifier(path: Any) -> str:
    stem = "model" if path is None else os.path.splitext(os.path.basename(os.fspath(path)))[0]
    name = "".join(c if c.isascii() and c.isalnum() else "_" for c in stem)
    return name if name and not name[0].isdigit() else f"model_{name}"


def to_c(e: Any, path: Any, name: str | None, precision: str, quantise: str | None, data: Any) -> str:
    name = _identifier(path) if name is None else name
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError(f"name: {name!r} is not a C identifier")
    if quantise is not None and type(e._model) is not LinearModel:
        raise ValueError("quantise is for linear models: products and kernels need floating point")
    if quantise is not None:
        return _integers(e, name, quantise, data)
    if data is not None:
        raise ValueError("data are for quantise, which makes integers of their ranges")
    p = precision_of(precision, np.float32)
    model, kept = e._model, e._model.kept()
    classes = lib.strings(_class_names(e.classes_)) if hasattr(e, "classes_") else None
    tested = np.zeros((len(e._tested), e.n_features_in_), p.dtype)
    tested[:, kept] = e._tested * e._divisor
    if isinstance(model, LinearModel):
        own = LinearModel.from_weights(p, _decimals(model.weights) / e._divisor, _decimals(model.intercepts))
        if not np.isfinite(own.table).all():
            raise ValueError("the numbers of this model do not fit in float, take double")
        names = lib.strings(_feature_names(e))
        by = None
        if e._calibrated or e.loss == "logistic":
            kind, slopes, offsets = e._calibrated or ("softmax", None, None)
            slopes, offsets = (None if x is None else np.asarray(x, p.dtype) for x in (slopes, offsets))
            by = p.calibration(address(slopes), address(offsets), model.classes, ["sigmoid", "softmax"].index(kind))
        text = c_char_p(name.encode())
        header = p.header(ctypes.cast(text, c_void_p), ctypes.cast(classes, c_void_p),
                          ctypes.cast(names, c_void_p), address(tested),
                          None if by is None else ctypes.addressof(by), len(tested))
        scratch = np.empty(model.classes, p.dtype)
        return lib.text_of(lambda out, size: p.call("export_header")(
            byref(own.struct), byref(header), c_void_p(address(scratch)), out, c_size_t(size)))
    if e._divisor != 1 or getattr(e, "_standardisation", None) is not None:
        raise ValueError("this model divides features before they are used: the command exports it")
    arguments = (c_char_p(name.encode()), classes, c_void_p(address(tested)), c_uint32(len(tested)))
    if isinstance(model, TermsModel):
        terms = model.terms.astype(TermsModel.dtype(p))
        own = TermsModel(p.name, terms, model.intercepts.astype(p.dtype), model.features)
        scratch = np.empty(model.features, np.uint32)
        call = p.call("interactions_export_c")
    else:
        own = KernelsModel(p.name, model.kernels.astype(KernelsModel.kernel_dtype(p)), model.samples.astype(p.dtype),
                           model.terms, model.coefficients.astype(p.dtype), model.intercepts.astype(p.dtype),
                           model.origins)
        scratch = np.empty(model.features + len(model.intercepts), p.dtype)
        call = p.call("kernels_export_c")
    return lib.text_of(lambda out, size: call(byref(own.struct), *arguments, c_void_p(address(scratch)), out,
                                              c_size_t(size)))


def _integers(e: Any, name: str, quantise: str, data: Any) -> str:
    if quantise not in ("int8", "int16"):
        raise ValueError(f"quantise is 'int8' or 'int16', not {quantise!r}")
    if data is None:
        raise ValueError("quantise: how features become integers is not known: give data, such as that of training")
    data = checked(data, "to_c")
    if data.shape[1] != e.n_features_in_:
        raise ValueError(f"data has {data.shape[1]} features, but the model has {e.n_features_in_}")
    data = np.asarray(data.todense() if hasattr(data, "todense") else data, np.float64)
    used = e._model.kept()
    ranges = np.zeros((e.n_features_in_, 2), np.float32)
    own = data[:, used]
    if not ((own == np.floor(own)) & (own >= -32768) & (own <= 32767)).all():
        ranges[used, 0], ranges[used, 1] = own.min(axis=0), own.max(axis=0)
    tested = np.zeros((len(e._tested), e.n_features_in_), np.float32)
    tested[:, used] = e._tested * e._divisor
    names, classes = lib.strings(_feature_names(e)), lib.strings(_class_names(e.classes_))
    text = c_char_p(name.encode())
    header = FLOAT.header(ctypes.cast(text, c_void_p), ctypes.cast(classes, c_void_p),
                          ctypes.cast(names, c_void_p), address(tested), None, len(tested))
    model = LinearModel.from_weights(DOUBLE, _decimals(e._model.weights) / e._divisor, _decimals(e._model.intercepts))
    scratch = np.empty(lib.library.tamis_integer_header_bytes(c_uint32(model.features), c_uint32(model.classes)) + 8,
                       np.uint8)
    out = lib.text_of(lambda out, size: lib.library.tamis_export_integer_header(
        byref(model.struct), byref(header), c_uint32(int(quantise[3:])), c_void_p(address(ranges)), None,
        c_void_p(address(scratch)), out, c_size_t(size)))
    if not out:
        raise ValueError("the numbers of this model are too many, too large or too small for sums of 32 bits")
    return out
