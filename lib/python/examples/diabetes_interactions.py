"""Interactions: which products of ten measurements tell how diabetes goes on."""

import sys

import tamis
from sklearn.datasets import load_diabetes
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_diabetes(return_X_y=True, as_frame=True)
pipeline = make_pipeline(StandardScaler(), tamis.InteractionRegressor(hierarchy="weak"))
pipeline.set_output(transform="pandas")
search = GridSearchCV(pipeline, {"interactionregressor__lam": [8, 4, 2, 1]}, cv=5).fit(X, y)
model = search.best_estimator_[-1]
names = model.feature_names_in_
for _, first, second, coefficient in sorted(model.terms(), key=lambda term: -abs(term[3]))[:8]:
    print(names[first], "" if second is None else f"x {names[second]}", round(coefficient, 2))
print(f"R2 by five folds {search.best_score_:.3f}")
tamis.plot.interactions(model).figure.savefig(sys.argv[2] + "/interactions.png")
