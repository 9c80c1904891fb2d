"""Titanic by kernels: few passengers to compare with, by a narrow and a wide kernel. Needs TAMIS_DATA."""

import os
import sys

import numpy as np
import tamis

if "TAMIS_DATA" not in os.environ:
    print("skipped: set TAMIS_DATA")
    sys.exit()
folder = os.environ["TAMIS_DATA"] + "/titanic/titanic_"
train, test = (np.loadtxt(f"{folder}{part}.csv.gz", delimiter=",", skiprows=1) for part in ("train", "test"))
model = tamis.KernelClassifier(["gaussian:0.5", "gaussian:2"], p=2, q=1, r=1, lam=0.01, intercept=True)
model.fit(train[:, 1:], train[:, 0].astype(int))
print(f"{len(model.support_)} of {len(train)} passengers kept, "
      f"{model.score(test[:, 1:], test[:, 0].astype(int)):.1%} of {len(test)} others right")
model.to_json(sys.argv[2] + "/titanic.json")
