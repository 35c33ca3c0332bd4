"""Records, for internal/moments, sums of float32 and float64 numbers in the order of NumPy.

    pip install numpy==2.4.6
    python3 scripts/record_sums.py > internal/moments/testdata/sums.json
"""
import json
import sys
from importlib.metadata import version

import numpy as np

if version("numpy") != "2.4.6":
    sys.exit("want numpy 2.4.6")

cases = []
for n in (0, 1, 7, 8, 13, 100, 128, 129, 140, 300, 820, 1177, 4000):
    # Numbers of all sizes and both signs, whose sum depends on the order.
    values = np.array([((7 * i * i + 3 * i) % 101 - 50) / (1 + i % 13) for i in range(n)])
    cases.append({"n": n, "float64": float(values.sum()), "float32": float(values.astype(np.float32).sum())})
json.dump({"generated_by": "scripts/record_sums.py, numpy 2.4.6", "cases": cases}, sys.stdout, separators=(",", ":"))
print()
