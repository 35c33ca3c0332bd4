"""Records, for metaeval, p-values of paired permutations (Thompson et al. 2024) from NumPy.

    pip install numpy==2.4.6
    python3 scripts/record_permutations.py > metaeval/testdata/permutations.json

Scores have many sums that are equal but for rounding, so that the counts depend on the order in which 32-bit
numbers are added: here that of OpenBLAS with one thread on a processor with AVX-512, which this needs.
"""
import json
import os
import sys
from importlib.metadata import version

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OPENBLAS_CORETYPE"] = "SkylakeX"
import numpy as np  # after the settings

if version("numpy") != "2.4.6":
    sys.exit("want numpy 2.4.6")


def reached(scores, permutations, seed):
    signs = 2 * np.rint(np.random.default_rng(seed).random((permutations, scores.shape[1]), dtype=np.float32)) - 1
    scores = np.ascontiguousarray(scores, dtype=np.float32)
    totals, sums = scores.sum(axis=1), signs @ scores.T
    return [[int(np.sum(sums[:, a] - sums[:, b] >= totals[a] - totals[b])) for b in range(a + 1, len(scores))]
            for a in range(len(scores) - 1)]


cases = []
for systems, items, seed in ((2, 3, 4), (9, 130, 4), (8, 449, 0), (12, 820, 4), (10, 900, 2), (15, 1177, 4), (17, 1345, 1)):
    scores = np.array([[((7 * i * i + 13 * k * k + i * k) % 97 + (k < i % 3)) / 10 for i in range(items)] for k in range(systems)])
    cases.append({"systems": systems, "items": items, "seed": seed, "reached": reached(scores, 1000, seed)})
json.dump({"generated_by": "scripts/record_permutations.py, numpy 2.4.6", "cases": cases}, sys.stdout, separators=(",", ":"))
print()
