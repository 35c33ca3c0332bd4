"""Records what mteval meta is to find on its test data, from SciPy, NumPy and statsmodels.

    pip install scipy==1.17.1 numpy==2.4.6 statsmodels==0.15.0
    python3 scripts/record_meta.py > cmd/mteval/testdata/meta/recorded.json

The forms of Kendall's tau, acc_eq, and the bootstrap over segments are written down here
from the papers, plainly.
"""
import itertools
import json
import sys
import warnings
from importlib.metadata import version

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

for package, pinned in (("scipy", "1.17.1"), ("numpy", "2.4.6"), ("statsmodels", "0.15.0")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
warnings.simplefilter("ignore")  # of constant scores
FOLDER = "cmd/mteval/testdata/meta/"
ERRORS = {"ter"}
THRESHOLD, SAMPLES, SEED = 25, 1000, 12345


def rows(name):
    with open(FOLDER + name, encoding="utf-8") as f:
        return [line.rstrip("\n").split("\t") for line in f]


human = {(s, i): float(v) for s, i, v in rows("human.tsv")[1:]}
systems = list(dict.fromkeys(s for s, _ in human))
items = list(dict.fromkeys(i for _, i in human))
metrics = {}
for s, m, i, v, *_ in rows("scores.tsv"):
    metrics.setdefault(m, {})[s, i] = float(v)
metrics["length"] = {(s, i): float(v) for s, i, v in rows("length.tsv")}

# What a pair adds and whether it is counted, by (people, metric): worse, tied, better.
FORMS = {
    "4a": {(h, m): h * m for h in (-1, 1) for m in (-1, 1)},
    "4b": {(h, m): h * m for h in (-1, 1) for m in (-1, 0, 1)},
    "4c": {(h, m): h * m if m else -1 for h in (-1, 1) for m in (-1, 0, 1)},
    "5": {(h, m): h * m if h or m else 1 for h in (-1, 0, 1) for m in (-1, 0, 1)},
}


def sign(x):
    return int(x > 0) - int(x < 0)


def pairs_of(item):
    have = [s for s in systems if (s, item) in human]
    return list(itertools.combinations(have, 2))


def relations(scores, item):
    """People's relation and the metric's of each pair."""
    out = []
    for a, b in pairs_of(item):
        d = human[a, item] - human[b, item]
        out.append((sign(d) if abs(d) >= THRESHOLD else 0, sign(scores[a, item] - scores[b, item])))
    return out


def taus(scores):
    """Each form's tau, such that more is better, and those of the samples."""
    paired = [i for i in items if pairs_of(i)]
    relation = [relations(scores, i) for i in paired]
    draws = np.random.default_rng(SEED).choice(len(paired), (SAMPLES, len(paired)))
    out = {}
    for name, form in FORMS.items():
        added = np.array([sum(form.get(r, 0) for r in one) for one in relation])
        counted = np.array([sum(r in form for r in one) for one in relation])
        out[name] = (added.sum() / counted.sum(), added[draws].sum(1) / counted[draws].sum(1))
    return out


def by_item(f, scores):
    values = []
    for i in items:
        have = [s for s in systems if (s, i) in human]
        v = f([human[s, i] for s in have], [scores[s, i] for s in have])[0] if len(have) > 1 else np.nan
        if not np.isnan(v):
            values.append(v)
    return float(np.mean(values))


def acc_eq(scores):
    """The best acc_eq over all thresholds that could matter, and the least of those."""
    groups = []
    for i in items:
        pairs = pairs_of(i)
        if pairs:
            h = np.array([sign(human[a, i] - human[b, i]) for a, b in pairs])
            groups.append((h, np.array([scores[a, i] - scores[b, i] for a, b in pairs])))
    best = (-1, 0)
    for e in sorted({0.0} | {abs(float(d)) for _, ds in groups for d in ds}):
        v = np.mean([np.mean(np.where(np.abs(d) <= e, h == 0, h == np.sign(d))) for h, d in groups])
        if v > best[0] + 1e-9:
            best = (float(v), e)
    return best


def system_level(scores):
    x = [np.mean([human[s, i] for i in items if (s, i) in human]) for s in systems]
    y = [np.mean([scores[s, i] for i in items if (s, i) in human]) for s in systems]
    right = [sign(x[a] - x[b]) == sign(y[a] - y[b]) for a, b in itertools.combinations(range(len(systems)), 2)]
    return {"pearson": stats.pearsonr(x, y)[0], "spearman": stats.spearmanr(x, y)[0],
            "kendall": stats.kendalltau(x, y)[0], "pairwise_accuracy": float(np.mean(right))}


out = {"generated_by": "scripts/record_meta.py, scipy 1.17.1, numpy 2.4.6, statsmodels 0.15.0",
       "segment": {}, "system": {}, "comparisons": []}
found = {}
for name, scores in metrics.items():
    if name in ERRORS:
        scores = {k: -v for k, v in scores.items()}
    found[name] = taus(scores)
    value, epsilon = acc_eq(scores)
    measures = {"acc_eq": [value], "epsilon": [epsilon],
                **{k: [by_item(f, scores)] for k, f in
                   (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau))}}
    for form, (tau, samples) in found[name].items():
        s = np.sort(samples)
        low, high = s[SAMPLES // 40], s[SAMPLES - SAMPLES // 40 - 1]
        if form == "5" and name in ERRORS:
            tau, low, high = -tau, -high, -low
        measures["kendall_" + form] = [tau, low, high]
    out["segment"][name] = measures
    out["system"][name] = system_level(scores)
names = list(metrics)
for form in FORMS:
    compared = [(names[a], names[b]) for b in range(len(names)) for a in range(b)]
    p = []
    for x, y in compared:
        d = found[x][form][0] - found[y][form][0]
        samples = found[x][form][1] - found[y][form][1]
        p.append((1 + int(np.sum(np.abs(samples - d) >= abs(d) - 1e-12))) / (SAMPLES + 1))
    adjusted = multipletests(p, method="holm")[1]
    out["comparisons"] += [{"measure": "kendall_" + form, "x": x, "y": y, "p_value": q, "adjusted_p_value": float(r)}
                           for (x, y), q, r in zip(compared, p, adjusted)]
print(json.dumps(out, indent=1, default=float))
