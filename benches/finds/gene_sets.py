"""How good a plain model is on the features that `dpsis select` finds in the gene sets.

    python benches/finds/gene_sets.py DPSIS SETS [--eps 2,5] [--folds 10] [-- OPTIONS OF SELECT]

DPSIS is the program, SETS a folder of CSV files (.csv, .csv.gz) whose last column is the class. In each of the folds, which
are stratified, five features are selected from the rows of the others, a logistic model with a cross-validation of its
own is fitted to them, and the rows left out give its balanced accuracy: the mean over all folds of all sets. A run that
private counts end counts as a guess. For comparison:
the same by five random columns, and by the five that are strongest without noise (F statistic; not private).
Needs numpy, pandas and scikit-learn; draws are seeded.
"""

import argparse
import pathlib
import subprocess
import tempfile
import warnings

import numpy as np
import pandas as pd
from sklearn.feature_selection import f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

K = 5


def accuracy(x, y, train, test, columns):
    if len(columns) == 0:
        return 1 / len(set(y))
    model = GridSearchCV(
        make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", max_iter=2000)),
        {"logisticregression__C": [1e-3, 1e-2, 0.1, 1, 10]},
        cv=3,
        scoring="balanced_accuracy",
    )
    model.fit(x[np.ix_(train, columns)], y[train])
    return balanced_accuracy_score(y[test], model.predict(x[np.ix_(test, columns)]))


def selected(dpsis, path, classes, eps, seed, options):
    command = [dpsis, "select", "--k", str(K), "--eps", eps, "--seed", str(seed), "--quiet", "--format", "tsv"]
    command += ["--classes", ",".join(classes), *options, str(path)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode == 3:
        # Private counts of a class ended the run: there are not features.
        return []
    run.check_returncode()
    out = run.stdout
    return [int(line.split("\t")[1]) - 1 for line in out.splitlines()[1:]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dpsis")
    parser.add_argument("sets", type=pathlib.Path)
    parser.add_argument("--eps", default="2,5")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    epsilons = arguments.eps.split(",")
    all_folds = {name: [] for name in ["random", "no noise", *epsilons]}
    for path in sorted(arguments.sets.glob("*.csv*")):
        table = pd.read_csv(path)
        x, y = table.iloc[:, :-1].to_numpy(dtype=np.float32), table.iloc[:, -1].astype(str).to_numpy()
        classes = sorted(set(y))
        x = np.nan_to_num(x)
        here = {name: [] for name in all_folds}
        folds = StratifiedKFold(arguments.folds, shuffle=True, random_state=0).split(x, y)
        for number, (train, test) in enumerate(folds):
            random = np.random.default_rng(number).choice(x.shape[1], K, replace=False)
            best = np.argsort(-np.nan_to_num(f_classif(x[train], y[train])[0]))[:K]
            here["random"].append(accuracy(x, y, train, test, random))
            here["no noise"].append(accuracy(x, y, train, test, best))
            with tempfile.NamedTemporaryFile(suffix=".npz") as file:
                np.savez(file, X=x[train], y=y[train].astype("U"))
                file.flush()
                for eps in epsilons:
                    columns = selected(arguments.dpsis, file.name, classes, eps, number, arguments.options)
                    here[eps].append(accuracy(x, y, train, test, columns))
        print(path.name, *(f"{name}: {np.mean(values):.3f}" for name, values in here.items()), flush=True)
        for name, values in here.items():
            all_folds[name] += values
    for name, values in all_folds.items():
        print(f"{name}: {np.mean(values):.3f} (standard error {np.std(values) / len(values) ** 0.5:.3f}, {len(values)} folds)")


if __name__ == "__main__":
    main()
