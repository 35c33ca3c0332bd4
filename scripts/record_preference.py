"""Records fits of weights, figures on what was left out, and strengths of Bradley and Terry, for preference.

    pip install numpy==2.4.6
    python3 scripts/record_preference.py > preference/testdata/recorded.json

All is written down here from the package's comments, with other algorithms: weights by golden section,
strengths by the MM algorithm of Hunter (Annals of Statistics 32, 2004). Sets are random.
"""
import json
import math
import sys
from importlib.metadata import version

import numpy as np

if version("numpy") != "2.4.6":
    sys.exit(f"numpy {version('numpy')} installed, want 2.4.6")
rng = np.random.default_rng(20261128)


def judged(name, campaign, k, missing=0, equal=0):
    """Systems with people's scores and z of two metrics, which know some of it."""
    quality = rng.normal(size=k)
    z = []
    for noise in (1.0, 1.6):
        q = quality + noise * rng.normal(size=k)
        z.append(np.round(6 * (q[:, None] - q[None, :]), 3).tolist())
    human = np.round(quality + .7 * rng.normal(size=k), 2).tolist()
    for i in range(missing):
        human[i] = None
    for i in range(equal):
        human[-1 - i] = human[-2 - equal]
    return {"name": name, "campaign": campaign, "human": human, "z": z}


def pairs(sets):
    """By pair that people scored differently, people's side first: set, whether it is clear, z of all terms."""
    out = []
    for s, j in enumerate(sets):
        there = [h for h in j["human"] if h is not None]
        least = np.std(there, ddof=1) / 4
        for a, h in enumerate(j["human"]):
            for b, g in enumerate(j["human"]):
                if h is not None and g is not None and h > g:
                    out.append((s, h - g > least, [m[a][b] for m in j["z"]]))
    return out


def shaped(z, log):
    return math.copysign(math.log(1 + abs(z)), z) if log else z


def golden(f, low, high):
    """The largest of a function of one top."""
    ratio = (math.sqrt(5) - 1) / 2
    while high - low > 1e-11:
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if f(a) < f(b):
            low = a
        else:
            high = b
    return (low + high) / 2


def weight(x, n):
    """The most likely one, to the digits of the slope: golden section has half of them."""
    scale = math.sqrt(np.sum(n * x * x) / np.sum(n))
    v = x / scale

    def likelihood(w):
        return np.sum(n * -np.logaddexp(0, -w * v)) - w * w / 2

    top = golden(likelihood, -100, 100)
    low, high = top - 1e-3, top + 1e-3
    for _ in range(100):
        w = (low + high) / 2
        slope = np.sum(n * v / (1 + np.exp(w * v))) - w
        low, high = (w, high) if slope > 0 else (low, w)
    assert abs(w - top) < 1e-5
    return w / scale


def fit(x, sets):
    """Each set counts alike, all together as their pairs do."""
    counts = {s: int(np.sum(sets == s)) for s in set(sets.tolist())}
    n = np.array([1 / counts[s] for s in sets.tolist()])
    n *= len(n) / n.sum()
    return weight(x, n)


def right(p):
    return np.where(p > .5, 1.0, np.where(p == .5, .5, 0.0))


def figures(p):
    confidence = np.maximum(p, 1 - p)
    edges = [.5, .55, .6, .65, .7, .75, .8, .85, .9, .95]
    where = np.searchsorted(edges, confidence, side="right") - 1
    error = 0
    for b in range(10):
        if (where == b).any():
            error += (where == b).sum() / len(p) * abs(confidence[where == b].mean() - right(p[where == b]).mean())
    return {"pairs": len(p), "accuracy": right(p).mean(), "log_loss": -np.log(p).mean(), "brier": ((1 - p) ** 2).mean(), "calibration_error": error}


def interval(values):
    values = np.sort(values)
    return [values.mean(), values[25], values[-26]]


def part(p, base, sets, chosen):
    p, base, sets = p[chosen], base[chosen], sets[chosen]
    out = {"figures": figures(p), "gain": right(p).mean() - right(base).mean()}
    there = np.unique(sets)
    sums = np.array([[np.sum(sets == s), right(p)[sets == s].sum(), right(base)[sets == s].sum()] for s in there])
    draws = np.random.default_rng(12345).choice(len(there), (1000, len(there)))
    t = sums[draws].sum(axis=1)
    out["sets"] = len(there)
    out["interval"] = interval(t[:, 1] / t[:, 0])
    out["gain_interval"] = interval((t[:, 1] - t[:, 2]) / t[:, 0])
    return out


def validation(sets):
    listed = pairs(sets)
    where = np.array([s for s, _, _ in listed])
    clear = np.array([c for _, c, _ in listed])
    z = np.array([z for _, _, z in listed])
    campaign = np.array([sets[s]["campaign"] for s in where])
    folds = [campaign == c for c in sorted(set(campaign.tolist()))]
    if len(folds) == 1:
        folds = [where == s for s in range(len(sets))]
    total = z[:, 0] + np.array([shaped(v, True) for v in z[:, 1]])
    xs = [total, z[:, 0], z[:, 1]]

    def held_out(x):
        p = np.zeros(len(x))
        for left in folds:
            p[left] = 1 / (1 + np.exp(-fit(x[~left], where[~left]) * x[left]))
        return p

    base = held_out(xs[1])
    out = []
    for x in xs:
        p = held_out(x)
        chosen = {"all": np.ones(len(p), bool), "clear": clear, "|z| below 2": np.abs(z[:, 0]) < 2}
        for c in sorted(set(campaign.tolist())):
            chosen[c] = campaign == c
        out.append({"weight": fit(x, where), "parts": {name: part(p, base, where, c) for name, c in chosen.items()}})
    return out


def strengths(p):
    """Bradley-Terry by MM, from probabilities as shares of wins; until they do not change."""
    k = len(p)
    wins = p.sum(axis=1) - p.diagonal()
    s = np.ones(k)
    for _ in range(1_000_000):
        new = wins / ((1 / (s[:, None] + s[None, :])).sum(axis=1) - 1 / (2 * s))
        new /= new.sum()
        if np.abs(new / s - 1).max() < 1e-14:
            break
        s = new
    return s


def probabilities(k, spread):
    q = spread * rng.normal(size=k)
    odds = np.round(q[:, None] - q[None, :] + np.triu(rng.normal(size=(k, k)), 1), 3)
    odds = np.triu(odds, 1)
    odds -= odds.T
    return 1 / (1 + np.exp(-odds))


def strength_cases():
    for k, spread in ((3, .5), (4, 2), (5, 0), (12, 1.5), (30, 1)):
        p = probabilities(k, spread)
        yield {"p": p.tolist(), "best": strengths(p).tolist()}


several = [judged("a1", "a", 5), judged("a2", "a", 9, missing=1), judged("b1", "b", 4), judged("b2", "b", 6, equal=2), judged("c1", "c", 12, missing=2, equal=1)]
one = [judged("a1", "a", 6), judged("a2", "a", 7), judged("a3", "a", 4)]
json.dump({"generated_by": "scripts/record_preference.py, numpy 2.4.6",
           "validations": [{"sets": s, "want": validation(s)} for s in (several, one)], "strengths": list(strength_cases())},
          sys.stdout, default=float)
