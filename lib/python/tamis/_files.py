"""Model files: the JSON of the command, both ways, and C headers."""

from __future__ import annotations

import ctypes
import json
import os
import re
from ctypes import byref, c_char_p, c_size_t, c_uint32, c_void_p
from typing import Any, NoReturn

import numpy as np

from . import _library as lib
from ._library import DOUBLE, FLOAT, NO_FEATURE, Precision, address, precision_of
from ._models import KernelsModel, LinearModel, TermsModel
from ._samples import MOST, checked, is_sparse, refuse_value

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
    return [str(int(c)) if isinstance(c, float) else c.decode() if isinstance(c, bytes) else str(c)
            for c in classes.tolist()]


def _feature_names(estimator: Any) -> list[str]:
    names = [str(name) for name in estimator._names_in()]
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
            "samples": {"indices": model.origins.tolist(), "values": _numbers(model.samples)},
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


class _Fault(ValueError):
    """Of a model file, which it names."""


class _Document:
    """A model file."""

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        with open(path, encoding="utf-8") as file:
            try:
                self.json = json.load(file, parse_constant=lambda name: self.fail(f"has the number {name}"))
            except _Fault:
                raise
            except ValueError:
                self.fail("is not a JSON model")
        if not isinstance(self.json, dict) or self.json.get("format") != "tamis-model":
            self.fail("is JSON, but not a tamis model")
        if self.json.get("version") != 1:
            self.fail("is a model of a later version of tamis")
        if self.json.get("thresholds") is not None:
            self.fail("has thresholds for sets of labels, which the command does alone: tamis predict --sets")
        if self.json.get("preparation") is not None:
            self.fail("has a preparation of samples, which the command does alone: train it on features that are "
                      "prepared, by tamis.ScatteringTransformer or a pipeline")

    def fail(self, what: str) -> NoReturn:
        raise _Fault(f"{self.path}: {what}")

    def number(self, member: str, or_null: bool = False) -> float:
        """NaN for null."""
        value = self.json[member]
        if value is None and or_null:
            return float("nan")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not np.isfinite(value):
            raise TypeError
        return float(value)

    def text(self, member: str, *possible: str) -> str:
        value = self.json[member]
        if not isinstance(value, str) or possible and value not in possible:
            self.fail(f"has a {member} that is unknown")
        return value

    def texts(self, values: Any) -> list[str]:
        if not isinstance(values, list) or not all(isinstance(text, str) for text in values):
            raise TypeError
        return values

    def numbers(self, values: Any, shape: tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
        out = np.zeros(shape, dtype) if values == [] and 0 in shape else np.array(values, dtype)
        if out.shape != shape:
            self.fail("has parts of different lengths")
        if not np.isfinite(out).all():
            self.fail("has a number that is not finite")
        return out

    def indices(self, values: Any, end: int, shape: tuple[int, ...] | None = None) -> np.ndarray:
        out = np.array(values or np.zeros(0, int))
        if out.dtype.kind != "i" or out.ndim != 1 or (out < 0).any() or (out >= end).any():
            self.fail("has an index out of range")
        if out.shape != (shape or out.shape):
            self.fail("has parts of different lengths")
        return out


def load(path: Any) -> Any:
    """The fitted estimator of a model file, which this package or the command has written. Its parameters are those
    that the file records; classes that are whole numbers are numbers."""
    document = _Document(path)
    try:
        return _read(document)
    except _Fault:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, MemoryError):
        document.fail("lacks a part of a model, or has one of the wrong type")


def _read(d: _Document) -> Any:
    from . import ConstrainedClassifier, InteractionClassifier, InteractionRegressor, KernelClassifier, SparseClassifier
    from ._interactions import HIERARCHIES, NORMS

    j = d.json
    p = precision_of(d.text("precision", "float", "double"), None)
    features, kind, coefficients, names = j["feature_count"], j["kind"], j["coefficients"], j["classes"]
    outputs = 1 if names is None else len(d.texts(names))
    if not (isinstance(features, int) and 1 <= features <= MOST) or (names is None) != (j["loss"] == "least-squares"):
        d.fail("has an impossible shape")
    if names is not None and not 2 <= outputs <= 65535:
        d.fail("has an impossible number of classes")
    lam = d.number("lambda", or_null=kind == "linear")
    if kind == "linear":
        penalty = d.text("penalty")
        if j.get("eta") is not None:
            e = ConstrainedClassifier(d.number("eta"), penalty, precision=p.name)
        else:
            e = SparseClassifier(d.text("loss"), penalty, 0.0 if np.isnan(lam) else lam, precision=p.name)
        kept = d.indices(coefficients["indices"], features)
        if (np.diff(kept) <= 0).any():
            d.fail("has feature indices out of order")
        weights = np.zeros((features, outputs))
        weights[kept] = d.numbers(coefficients["values"], (len(kept), outputs))
        model = LinearModel.from_weights(p, weights, d.numbers(j["intercept"], (outputs,)))
        by = j.get("calibration")
        if by and by["kind"] not in ("sigmoid", "softmax"):
            d.fail("has a calibration that is unknown")
        calibrated = by and (by["kind"], d.numbers(by["slopes"], (outputs,)), d.numbers(by["offsets"], (outputs,)))
        e._set_model(model, calibrated or None)
        if calibrated:
            e.calibration = by["kind"]
    elif kind == "interactions":
        kept = d.indices(coefficients["indices"], features)
        lam2 = d.number("lambda2", or_null=True)
        make = InteractionRegressor if names is None else InteractionClassifier
        e = make(lam, lambda2=None if np.isnan(lam2) else lam2, hierarchy=d.text("hierarchy", *HIERARCHIES),
                 norm=d.text("norm", *NORMS), precision=p.name)
        e.lambda2_ = lam2
        main, products = coefficients["main_effects"], coefficients["products"]
        size = len(main["values"])
        terms = np.zeros(size + len(products["values"]), TermsModel.dtype(p))
        terms["second"][:size] = NO_FEATURE
        for part, of, ends in ((terms[:size], main, {"first": "indices"}),
                               (terms[size:], products, {"first": "first", "second": "second"})):
            part["output"] = d.indices(of["outputs"], outputs, part.shape)
            part["coefficient"] = d.numbers(of["values"], part.shape, p.dtype)
            for field, member in ends.items():
                part[field] = d.indices(of[member], features, part.shape)
        order = np.lexsort((terms["second"], terms["first"], terms["second"] != NO_FEATURE, terms["output"]))
        e._model = TermsModel(p.name, terms[order], d.numbers(j["intercept"], (outputs,), p.dtype), features)
        e.intercept_ = e._model.intercepts if names is not None else e._model.intercepts[0]
        kept = e._model.kept()
        if coefficients["indices"] != kept.tolist():
            d.fail("has parts of different lengths")
    elif kind == "kernels":
        kept = np.arange(features)
        texts = [":".join([k["kind"], ",".join(map(repr, k["parameters"]))]).rstrip(":") for k in j["kernels"]]
        e = KernelClassifier(texts, j["p"], j["q"], j["r"], lam, precision=p.name)
        kernels = np.zeros(len(texts), KernelsModel.kernel_dtype(p))
        for row, k in zip(kernels, j["kernels"]):
            size = PARAMETERS.get(k["kind"], 0)
            row["kind"] = KERNELS.index(k["kind"])
            row["a"], row["b"] = [*d.numbers(k["parameters"], (size,)), 0, 0][:2]
        origins = d.indices(coefficients["samples"]["indices"], MOST).astype(np.uint32)
        of = coefficients["terms"]
        terms = np.zeros(len(of["values"]), KernelsModel.TERM)
        terms["kernel"] = d.indices(of["kernels"], len(kernels), terms.shape)
        terms["sample"] = d.indices(of["samples"], len(origins), terms.shape)
        width = 1 if d.text("form", "binary", "multiclass") == "binary" else outputs
        e._model = KernelsModel(p.name, kernels, d.numbers(coefficients["samples"]["values"], (len(origins), features),
                                                           p.dtype), terms,
                                d.numbers(of["values"], (len(terms), width), p.dtype),
                                d.numbers(j["intercept"], (width,), p.dtype), origins)
        e.intercept_, e.support_ = e._model.intercepts, origins
        if j["standardisation"] is not None:
            e._compared = [d.numbers(j["standardisation"][of], (features,)) for of in ("mean", "scale")]
            if not (e._compared[1] > 0).all():
                d.fail("has an impossible standardisation")
    else:
        d.fail("is a kind of model that this package does not read")
    e.n_features_in_ = features
    if names is not None:
        whole = all(re.fullmatch(r"0|-?[1-9][0-9]{0,17}", name) for name in names)
        e.classes_ = np.array([int(name) for name in names] if whole else names)
    of_kept = d.texts(j["features"])
    if len(of_kept) not in (0, len(kept)):
        d.fail("has names of other features than it keeps")
    if any(name != f"x{k}" for k, name in zip(kept, of_kept)):
        e._names_of_file = dict(zip(kept.tolist(), of_kept))
        if len(kept) == features:
            e.feature_names_in_ = np.array(of_kept, dtype=object)
    e._divisor, e._standardisation, e.lambda_, e._trained_on = d.number("scale"), j["standardisation"], lam, 0
    if e._divisor <= 0:
        d.fail("has a scale that is not positive")
    if "samples" in j:
        e._trained_on = d.indices([j["samples"]], MOST)[0].item()
    tested = j.get("self_test", [])
    e._tested = d.numbers(tested, (len(tested), len(kept)))
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
        own = KernelsModel(p.name, model.kernels.astype(KernelsModel.kernel_dtype(p)),
                           _decimals(model.samples).astype(p.dtype), model.terms, model.coefficients.astype(p.dtype),
                           model.intercepts.astype(p.dtype), model.origins)
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
    refuse_value(data)
    used = e._model.kept()
    ranges = np.zeros((e.n_features_in_, 2), np.float32)
    own = (data.tocsc()[:, used].toarray() if is_sparse(data) else data[:, used]).astype(np.float64)
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
