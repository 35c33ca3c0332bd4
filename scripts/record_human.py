"""Records agreement and t-tests of other packages on random data, for human.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 krippendorff==0.9.0 pandas==3.1.1
    python3 scripts/record_human.py > human/testdata/recorded.json
"""
import itertools
import json
import math
import sys
import warnings
from importlib.metadata import version

import krippendorff
import numpy as np
import pandas
from scipy import stats
from sklearn.metrics import cohen_kappa_score

for package, pinned in (("numpy", "2.4.6"), ("scipy", "1.17.1"), ("scikit-learn", "1.9.1"),
                        ("krippendorff", "0.9.0"), ("pandas", "3.1.1")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
warnings.simplefilter("ignore")
rng = np.random.default_rng(20261128)


def clean(x):
    """None for NaN, which JSON has not."""
    if isinstance(x, list):
        return [clean(v) for v in x]
    return None if x is None or isinstance(x, float) and not math.isfinite(x) else x


cohen = []
for n in (2, 3, 5, 12, 60, 400):
    for levels in (2, 3, 5, 101):
        for skill in (0, .5, .9):
            a = rng.integers(0, levels, n)
            b = np.where(rng.random(n) < skill, a, rng.integers(0, levels, n))
            labels = list(range(levels))  # all, so that weights are of differences of the scores
            missing = rng.random(n) < .1
            keep = ~missing
            k = [float(cohen_kappa_score(a[keep], b[keep], labels=labels, weights=w)) if keep.any() else math.nan
                 for w in (None, "linear", "quadratic")]
            b = b.astype(float)
            b[missing] = np.nan
            cohen.append({"a": a.tolist(), "b": clean(b.tolist()), "kappa": clean(k)})

# The numbers of two coefficients that are no longer recorded are drawn still, so that the
# data after them stay as they are.
for n in (2, 5, 30, 200):
    for judges in (2, 3, 7):
        for levels in (2, 3, 5):
            rng.integers(0, levels, (n, 1))
            rng.random((n, judges)), rng.choice([.2, .6, .95]), rng.integers(0, levels, (n, judges))

alpha = []
for n in (3, 8, 40, 150):
    for judges in (2, 3, 5):
        for draw in ("few", "many", "real", "tiny"):
            truth = rng.integers(0, 5 if draw == "few" else 101, (n, 1)).astype(float)
            noise = rng.normal(0, 2 if draw == "few" else 15, (n, judges))
            r = truth + noise
            if draw in ("few", "many"):
                r = np.clip(np.round(r), 0, 5 if draw == "few" else 100)
            r = np.abs(r) * (1e-7 if draw == "tiny" else 1)
            r[rng.random(r.shape) < .25] = np.nan
            pairable = (~np.isnan(r)).sum(1) > 1
            if len(np.unique(r[pairable][~np.isnan(r[pairable])])) < 2:
                continue
            alpha.append({"ratings": clean(r.tolist()),
                          "alpha": [float(krippendorff.alpha(r.T, level_of_measurement=level))
                                    for level in ("nominal", "ordinal", "interval", "ratio")]})

for systems, pairs, _ in itertools.product((2, 5, 9), (1, 30, 300), range(3)):
    for _ in range(pairs):
        a, b = (int(x) for x in rng.choice(systems, 2, replace=False))
        rng.choice([-1, 0, 1], p=[.2, .25, .55] if a < b else [.55, .25, .2])

tests = []
for n in (2, 3, 4, 5, 10, 11, 40, 301):
    for effect in (-1, 0, .3, 1, 3):
        d = np.round(rng.normal(effect * 10, 15, n), 1)
        t = stats.ttest_1samp(d, 0, alternative="greater")
        tests.append({"d": d.tolist(), "p": float(t.pvalue), "mean": float(d.mean())})

# Direct assessment as WMT21 scores it: pandas groups by judge, then by segment, then by system.
judged = []
for judge in range(6):
    strict, use = rng.normal(70, 12), rng.uniform(3, 20)
    for segment in range(40):
        for system in range(5):
            if rng.random() < .3:
                score = int(np.clip(round(strict + 2 * system + rng.normal(0, use)), 0, 100))
                judged.append((f"judge{judge}", f"sys{system}", str(segment), score))
judged += [("same", f"sys{i % 5}", str(i % 40), 90) for i in range(25)]
df = pandas.DataFrame(judged, columns=["judge", "system", "segment", "score"])
by_judge = df.groupby("judge")["score"].agg(["mean", "std"]).reset_index()
df = df.merge(by_judge, on="judge")
df = df[df["std"] > 0]
df["z"] = (df["score"] - df["mean"]) / df["std"]
segments = df.groupby(["system", "segment"])[["score", "z"]].mean().reset_index()
systems = segments.groupby("system")[["score", "z"]].mean()
da = {"judgements": judged, "raw": systems["score"].to_dict(), "z": systems["z"].to_dict()}

print(json.dumps({"generated_by": "scripts/record_human.py: scikit-learn 1.9.1, krippendorff 0.9.0, "
                                  "scipy 1.17.1, pandas 3.1.1",
                  "cohen": cohen, "alpha": alpha, "ttest": tests, "da": da}))
