"""Records SciPy's paired tests of the scores of compare/testdata/scores.json.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 scripts/record_compare.py > compare/testdata/scipy.json

"t" is ttest_rel on float64, "t32" on float32, which is what comet-compare (unbabel-comet 2.2) calls it
with. "permutation" swaps the scores of a segment: all ways on the short table, where the p-value is exact,
and 200,000 of them on the long one.
"""
import itertools
import json
import sys
from importlib.metadata import version

import numpy as np
from scipy import stats

for package, pinned in (("scipy", "1.17.1"), ("numpy", "2.4.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
with open("compare/testdata/scores.json") as f:
    tables = json.load(f)


def difference(x, y, axis):
    return np.abs(np.mean(x - y, axis=axis))


out = []
for table, scores in tables.items():
    for a, b in itertools.combinations(scores, 2):
        x, y = np.array(scores[a]), np.array(scores[b])
        t, t32 = stats.ttest_rel(x, y), stats.ttest_rel(x.astype("float32"), y.astype("float32"))
        samples = np.inf if table == "short" else 200000
        p = stats.permutation_test((x, y), difference, permutation_type="samples", vectorized=True, batch=1000,
                                   n_resamples=samples, alternative="greater", rng=np.random.default_rng(1)).pvalue
        out.append({"table": table, "a": a, "b": b, "t": float(t.statistic), "p": float(t.pvalue),
                    "t32": float(t32.statistic), "p32": float(t32.pvalue), "permutation": float(p)})
json.dump(out, sys.stdout, indent=1)
print()
