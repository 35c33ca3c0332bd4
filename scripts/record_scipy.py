"""Records SciPy's correlations on random data with ties, for metaeval.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 scripts/record_scipy.py > metaeval/testdata/scipy.json
"""
import json
import sys
from importlib.metadata import version

import numpy as np
from scipy import stats

if version("scipy") != "1.17.1":
    sys.exit(f"scipy {version('scipy')} installed, want 1.17.1")
rng = np.random.default_rng(20261127)
cases = []
for n in (2, 3, 4, 5, 8, 13, 22, 60, 200):
    for levels in (2, 3, 10, 0):
        for scale in (1.0, 1e-9, 1e150):
            def draw():
                v = rng.normal(size=n) if levels == 0 else rng.integers(0, levels, size=n) / 4
                return v * scale
            x, y = draw(), draw()
            if len(set(x)) < 2 or len(set(y)) < 2:
                continue
            y = y + x * rng.choice([0, .5, -1])
            if len(set(y)) < 2:
                continue
            cases.append({"x": x.tolist(), "y": y.tolist(),
                          # SciPy's own squares overflow at 1e150: Pearson does not depend on the scale.
                          "pearson": stats.pearsonr(x / scale, y / scale)[0],
                          "spearman": stats.spearmanr(x, y)[0],
                          "kendall": stats.kendalltau(x, y)[0]})
print(json.dumps({"generated_by": "scripts/record_scipy.py, scipy 1.17.1", "cases": cases}))
