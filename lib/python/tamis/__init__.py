"""tamis: sparse multiclass classifiers that are certified, and that train and predict on anything down to a board."""

from . import plot
from ._files import load
from ._interactions import InteractionClassifier, InteractionRegressor
from ._kernels import KernelClassifier
from ._library import ConvergenceWarning, Refused
from ._linear import (LOSSES, PENALTIES, SOLVERS, ConstrainedClassifier, SparseClassifier, SparseClassifierCV,
                      SparsePathClassifier)
from ._selection import StabilitySelector
from ._stream import StreamingClassifier
from ._transform import ScatteringTransformer, SensorWindows
from ._version import __version__

__all__ = ["ConstrainedClassifier", "ConvergenceWarning", "InteractionClassifier", "InteractionRegressor",
           "KernelClassifier", "LOSSES", "PENALTIES", "Refused", "SOLVERS", "ScatteringTransformer", "SensorWindows",
           "SparseClassifier", "SparseClassifierCV", "SparsePathClassifier", "StabilitySelector",
           "StreamingClassifier", "__version__", "load", "plot"]
