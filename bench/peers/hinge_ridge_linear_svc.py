"""hinge_ridge_linear_svc.py DATA.csv LAMBDA: hinge + ridge without intercepts by LinearSVC(crammer_singer).

Its C is 1 / (lambda n). Prints the objective, as tamis defines it, and the seconds of the solver as JSON.
"""
import json
import sys
import time

import numpy as np
from sklearn.svm import LinearSVC

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
lam = float(sys.argv[2])
y, x = table[:, 0].astype(int), table[:, 1:]
n = len(y)

model = LinearSVC(multi_class="crammer_singer", C=1 / (lam * n), fit_intercept=False, tol=1e-4)
started = time.perf_counter()
model.fit(x, y)
seconds = time.perf_counter() - started

scores = x @ model.coef_.T
margins = scores + 1 - scores[np.arange(n), y][:, None]
margins[np.arange(n), y] = 0
objective = margins.max(axis=1).mean() + lam / 2 * (model.coef_**2).sum()
print(json.dumps({"objective": objective, "seconds": seconds}))
