"""Records agreement, TrueSkill and t-tests of other packages on random data, for human.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 statsmodels==0.15.0 \\
        krippendorff==0.9.0 trueskill==0.4.5 pandas==3.1.1 mpmath==1.4.1
    python3 scripts/record_human.py > human/testdata/recorded.json
"""
import itertools
import json
import math
import sys
import warnings
from importlib.metadata import version

import krippendorff
import mpmath
import numpy as np
import pandas
import trueskill
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

for package, pinned in (("numpy", "2.4.6"), ("scipy", "1.17.1"), ("scikit-learn", "1.9.1"), ("statsmodels", "0.15.0"),
                        ("krippendorff", "0.9.0"), ("trueskill", "0.4.5"), ("pandas", "3.1.1"),
                        ("mpmath", "1.4.1")):
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

fleiss = []
for n in (2, 5, 30, 200):
    for judges in (2, 3, 7):
        for levels in (2, 3, 5):
            truth = rng.integers(0, levels, (n, 1))
            r = np.where(rng.random((n, judges)) < rng.choice([.2, .6, .95]), truth, rng.integers(0, levels, (n, judges)))
            if len(np.unique(r)) < 2:
                continue
            fleiss.append({"units": r.tolist(), "kappa": float(fleiss_kappa(aggregate_raters(r)[0]))})

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

skill = []
for systems, pairs, options in itertools.product((2, 5, 9), (1, 30, 300), (
        {}, {"mu": 25., "sigma": 25 / 3, "beta": 25 / 6, "tau": 25 / 300, "draw": .1},
        {"mu": -3., "sigma": 2., "beta": .05, "tau": 0., "draw": .6})):
    o = {"mu": 0., "sigma": .5, "beta": .5 * pairs / 40, "tau": 0., "draw": .25} | options
    env = trueskill.TrueSkill(o["mu"], o["sigma"], o["beta"], o["tau"], o["draw"], backend="scipy")
    ratings = [env.create_rating() for _ in range(systems)]
    games = []
    for _ in range(pairs):
        a, b = (int(x) for x in rng.choice(systems, 2, replace=False))
        # Better systems come first, mostly.
        human = int(rng.choice([-1, 0, 1], p=[.2, .25, .55] if a < b else [.55, .25, .2]))
        games.append([a, b, human])
        ranks = {1: [0, 1], 0: [0, 0], -1: [1, 0]}[human]
        (ra,), (rb,) = env.rate([(ratings[a],), (ratings[b],)], ranks=ranks)
        ratings[a], ratings[b] = ra, rb
    skill.append({"systems": systems, "games": games, "options": options,
                  "mu": [r.mu for r in ratings], "sigma": [r.sigma for r in ratings]})

# How much a game moves a rating, with 400 digits, where floating point has a hard time.
mpmath.mp.dps = 400
tails = []
for x in (-300., -40., -37.5, -9., -5.1, -4.9, -1., 0., .3, 5., 38., 300.):
    for e in (0., 1e-9, 1e-5, 1.1e-4, .01, .3, 4., 60.):
        t, m = mpmath.mpf(x), mpmath.mpf(e)
        v = mpmath.npdf(t - m) / mpmath.ncdf(t - m)
        row = [x, e, float(v), float(v * (v + t - m)), -x, 1.]
        if e:
            a, b = m - abs(t), -m - abs(t)  # v is odd in t, w even
            z = mpmath.ncdf(a) - mpmath.ncdf(b)
            v = (mpmath.npdf(b) - mpmath.npdf(a)) / z
            row[4:] = [float(v if x > 0 else -v), float(v * v + (a * mpmath.npdf(a) - b * mpmath.npdf(b)) / z)]
        tails.append(row)

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

print(json.dumps({"generated_by": "scripts/record_human.py: scikit-learn 1.9.1, statsmodels 0.15.0, krippendorff 0.9.0, "
                                  "trueskill 0.4.5, scipy 1.17.1, pandas 3.1.1, mpmath 1.4.1",
                  "cohen": cohen, "fleiss": fleiss, "alpha": alpha, "trueskill": skill, "tails": tails, "ttest": tests, "da": da}))
