"""hinge_l1_highs.py DATA.csv LAMBDA: hinge + l1 with free intercepts as a linear program, solved by HiGHS.

minimise (1/n) sum t_i + lambda sum (P + N), with t_i >= [k != y_i] + x_i'(w_k - w_y) + b_k - b_y and W = P - N.
Prints the objective and the seconds of the solver as JSON.
"""
import json
import sys
import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
lam = float(sys.argv[2])
y, x = table[:, 0].astype(int), table[:, 1:]
(n, p), classes = x.shape, int(y.max()) + 1

# Variables: P (p x K), N (p x K), b (K), t (n), in this order.
weights = p * classes
row, column, value, bound = [], [], [], []
rows = 0
for i in range(n):
    for k in range(classes):
        if k == y[i]:
            continue  # t >= 0 says it
        for sign, c in ((1.0, k), (-1.0, y[i])):
            for j in range(p):
                row += [rows, rows]
                column += [j * classes + c, weights + j * classes + c]
                value += [sign * x[i, j], -sign * x[i, j]]
            row.append(rows)
            column.append(2 * weights + c)
            value.append(sign)
        row.append(rows)
        column.append(2 * weights + classes + i)
        value.append(-1.0)
        bound.append(-1.0)
        rows += 1
cost = np.concatenate([np.full(2 * weights, lam), np.zeros(classes), np.full(n, 1.0 / n)])
limits = [(0, None)] * (2 * weights) + [(None, None)] * classes + [(0, None)] * n
matrix = coo_matrix((value, (row, column)), shape=(rows, cost.size)).tocsr()

started = time.perf_counter()
result = linprog(cost, A_ub=matrix, b_ub=bound, bounds=limits, method="highs")
seconds = time.perf_counter() - started
if result.status != 0:
    sys.exit(result.message)
print(json.dumps({"objective": result.fun, "seconds": seconds}))
