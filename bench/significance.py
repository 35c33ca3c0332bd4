"""Races mteval's PERM-BOTH, of two metrics' correlations with people, against the same in
NumPy and SciPy, in turn, and prints medians and ratios: 1,000 permutations on 20 systems
and 2,000 segments. Then the p-values of soft pairwise accuracy, of all pairs of systems.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 bench/significance.py [THREADS]

It needs Go. Both sides have one thread unless told otherwise. Times are of the work
alone, without reading files. Where 1,000 permutations would take Python minutes, it does
fewer, and its time is multiplied: "of 20". The p-values differ as chance does, as each
side tosses its own coins.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SYSTEMS, ITEMS, PERMUTATIONS = 20, 2000, 1000

CHILD = r'''
import sys, time, warnings
import numpy as np
from scipy import stats
warnings.simplefilter("ignore")
name, systems, level, coefficient, n = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
x, y, z = np.fromfile(name, dtype="<f8").reshape(3, systems, -1)
f = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}.get(coefficient)
rng = np.random.default_rng(12345)

def correlate(a):
    if level == "system":
        return f(a.mean(axis=1), z.mean(axis=1))[0]
    if level == "segment":
        return f(a.ravel(), z.ravel())[0]
    return np.nanmean([f(u, v)[0] for u, v in (zip(a.T, z.T) if level == "item" else zip(a, z))])

def permutation_test(x, y):
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    given = abs(correlate(x) - correlate(y))
    large = 0
    for _ in range(n):
        swap = rng.random(x.shape) < .5
        large += abs(correlate(np.where(swap, y, x)) - correlate(np.where(swap, x, y))) >= given
    return (large + 1) / (n + 1)

def pairs(scores):
    """As Thompson et al. (2024) do it, with one matrix product."""
    signs = np.rint(rng.random((n, scores.shape[1]), dtype=np.float32)) * 2 - 1
    scores = scores.astype(np.float32)
    total, partial = scores.sum(axis=1), signs @ scores.T
    p = np.full((systems, systems), np.nan)
    for i in range(systems):
        for j in range(i + 1, systems):
            p[i, j] = np.sum(partial[:, i] - partial[:, j] >= total[i] - total[j]) / n
    return p[0, 1]

start = time.perf_counter()
p = pairs(x) if level == "pairs" else permutation_test(x, y)
print(time.perf_counter() - start, p)
'''


def main():
    threads = sys.argv[1] if len(sys.argv) > 1 else "1"
    env = dict(os.environ, GOMAXPROCS=threads, OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads)
    rng = np.random.default_rng(20261128)
    quality = rng.normal(size=(SYSTEMS, 1)) / 3 + rng.normal(size=(1, ITEMS))
    human, x, y = (quality + rng.normal(size=(SYSTEMS, ITEMS)) * s for s in (1, 1, 1.02))
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "significance")
        subprocess.run(["go", "build", "-o", binary, "./bench/significance"], cwd=HERE.parent, check=True)
        files = {}
        for title, levels in (("no ties", None), ("ties", 1000), ("many ties", 10)):
            files[title] = str(pathlib.Path(folder) / title)
            np.concatenate([s if levels is None else np.round(s * levels) / levels for s in (x, y, human)]).astype("<f8").tofile(files[title])
        print(f"{threads} thread(s)")
        tasks = [("no ties", c, "system", 1000, 5) for c in ("pearson", "spearman", "kendall")]
        tasks += [(t, c, "segment", 30, 3) for t in files for c in ("pearson", "spearman", "kendall")]
        tasks += [("many ties", c, level, 3, 3) for level in ("by-system", "item") for c in ("pearson", "spearman", "kendall")]
        tasks += [("no ties", "-", "pairs", 1000, 5)]
        for title, coefficient, level, n, rounds in tasks:
            ours, theirs = [], []
            for _ in range(rounds):
                for command, times, factor in (
                    ([binary, files[title], str(SYSTEMS), level, coefficient], ours, 1),
                    ([sys.executable, "-c", CHILD, files[title], str(SYSTEMS), level, coefficient, str(n)], theirs, PERMUTATIONS / n),
                ):
                    took, p = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout.split()
                    times.append((float(took) * factor, p))
            a, b = (statistics.median(t for t, _ in times) for times in (ours, theirs))
            of = "" if n == PERMUTATIONS else f" (of {n})"
            print(f"{level} {coefficient}, {title}: mteval {a:.4f} s, p {float(ours[0][1]):.3f}; "
                  f"NumPy and SciPy {b:.3f} s{of}, p {float(theirs[0][1]):.3f}; {b / a:.0f} times as long")
            sys.stdout.flush()


main()
