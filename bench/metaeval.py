"""Races mteval's Kendall's tau-b against SciPy's on 1,000,000 pairs, in turn, on one
thread, and prints medians and ratios.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 bench/metaeval.py

It needs Go. Times are of the call alone; each round is a new process, so that nobody
profits from a cache. The two values must agree to 1e-12.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
N, ROUNDS = 1_000_000, 7

CHILD = r'''
import sys, time
import numpy as np
from scipy import stats
v = np.fromfile(sys.argv[1], dtype="<f8")
x, y = np.split(v, 2)
start = time.perf_counter()
tau = stats.kendalltau(x, y).statistic
print(time.perf_counter() - start, float(tau))
'''


def main():
    rng = np.random.default_rng(20261128)

    def draw(levels):
        return rng.normal(size=N) if levels is None else rng.integers(0, levels, N).astype(float)

    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "metaeval")
        subprocess.run(["go", "build", "-o", binary, "./bench/metaeval"], cwd=HERE.parent, check=True)
        env = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        for title, levels in (
            ("5 and 5 distinct values", (5, 5)),
            ("101 and 101 distinct values", (101, 101)),
            ("101 distinct values, and no ties", (101, None)),
            ("100,000 and 100,000 distinct values", (100_000, 100_000)),
            ("no ties", (None, None)),
        ):
            x, y = (draw(k) for k in levels)
            if levels[1] is None:
                y += x / (levels[0] or 1)
            else:
                y = np.floor((y * 7 + x * 3) / 10)
            file = pathlib.Path(folder) / "pairs"
            np.concatenate([x, y]).astype("<f8").tofile(file)
            times, taus = {"mteval": [], "SciPy": []}, {}
            for _ in range(ROUNDS):
                for name, command in (("mteval", [binary]), ("SciPy", [sys.executable, "-c", CHILD])):
                    out = subprocess.run([*command, file], env=env, check=True, capture_output=True, text=True).stdout.split()
                    times[name].append(float(out[0]))
                    taus[name] = float(out[1])
            if abs(taus["mteval"] - taus["SciPy"]) > 1e-12:
                sys.exit(f"{title}: {taus}")
            ours, theirs = (statistics.median(times[k]) for k in ("mteval", "SciPy"))
            print(f"{title}: mteval {ours:.3f} s, SciPy {theirs:.3f} s, {theirs / ours:.1f} times as long", flush=True)


main()
