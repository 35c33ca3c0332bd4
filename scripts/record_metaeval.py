"""Records, for metaeval, SciPy's correlations and p-values on random data with many ties,
and what a plain reference in NumPy gives for what SciPy lacks: every pair is looked at,
every threshold tried, and shares are fractions.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 scripts/record_metaeval.py > metaeval/testdata/metaeval.json
"""
import itertools
import json
import math
import sys
import warnings
from fractions import Fraction
from importlib.metadata import version

import numpy as np
from scipy import stats

if version("scipy") != "1.17.1" or version("numpy") != "2.4.6":
    sys.exit("want scipy 1.17.1 and numpy 2.4.6")
warnings.simplefilter("ignore")
rng = np.random.default_rng(20261128)


def null(x):
    """A number, or None for NaN, which JSON lacks."""
    return None if x is None or math.isnan(x) else float(x)


def sign(x):
    return int(x > 0) - int(x < 0)


def tau_a(x, y):
    pairs = list(itertools.combinations(range(len(x)), 2))
    return float(Fraction(int(sum(sign(x[i] - x[j]) * sign(y[i] - y[j]) for i, j in pairs)), len(pairs)))


# --- correlations and their p-values -----------------------------------------------

def correlation(x, y):
    case = {"x": x.tolist(), "y": y.tolist(), "tau_a": tau_a(x, y)}
    for name, variant in (("tau_b", "b"), ("tau_c", "c")):
        case[name] = stats.kendalltau(x, y, variant=variant).statistic
    case["kendall_auto"] = null(stats.kendalltau(x, y).pvalue)
    # SciPy divides 0 by 0 for two pairs.
    case["kendall_normal"] = null(stats.kendalltau(x, y, method="asymptotic").pvalue) if len(x) > 2 else None
    ties = len(set(x)) < len(x) or len(set(y)) < len(y)
    case["kendall_exact"] = None if ties else null(stats.kendalltau(x, y, method="exact").pvalue)
    r = stats.pearsonr(x, y)
    case["pearson"], case["pearson_p"] = r.statistic, null(r.pvalue)
    r = stats.spearmanr(x, y)
    case["spearman"], case["spearman_p"] = r.statistic, null(r.pvalue)
    return case


correlations = []
for n in (2, 3, 4, 5, 8, 13, 33, 34, 60, 172):
    for levels in (2, 3, 5, 10, 0):
        for slope in (0, .5, -2):
            x = rng.normal(size=n) if levels == 0 else rng.integers(0, levels, n) / 4
            y = rng.normal(size=n) if levels == 0 else rng.integers(0, levels, n) / 4
            y = y + slope * x
            if len(set(x)) < 2 or len(set(y)) < 2 or n > 60 and slope < 0:
                continue
            x, y = np.round(x, 6), np.round(y, 6)
            correlations.append(correlation(x, y))
# Nearly the same order, and the opposite one, where the exact test holds for any n.
for n in (8, 40, 172):
    for last in (1, -1):
        x = np.arange(n, dtype=float)
        y = last * x
        correlations.append(correlation(x, y))
        y[[2, 3]] = y[[3, 2]]
        correlations.append(correlation(x, y))

student = []
for n in (3, 4, 5, 10, 30, 100, 1000, 10_000, 1_000_000):
    for r in (1e-3, .1, .3, .5, .9, .99999):
        t = r * math.sqrt((n - 2) / ((1 - r) * (1 + r)))
        student.append({"n": n, "r": r, "p": 2 * stats.t.sf(t, n - 2)})

# --- tables of scores ---------------------------------------------------------------


def relation(d, threshold):
    return 0 if d == 0 or abs(d) < threshold else sign(d)


# [human][metric], < = >: what a pair adds, None where it is not counted.
TABLES = {
    "4a": [[1, None, -1], [None, None, None], [-1, None, 1]],
    "4b": [[1, 0, -1], [None, None, None], [-1, 0, 1]],
    "4c": [[1, -1, -1], [None, None, None], [-1, -1, 1]],
    "5": [[1, 0, -1], [0, 1, 0], [-1, 0, 1]],
    "5 error": [[1, 0, -1], [0, -1, 0], [-1, 0, 1]],
}


def wmt(counts, table):
    total = added = 0
    for h in range(3):
        for m in range(3):
            if table[h][m] is not None:
                total += counts[h][m]
                added += table[h][m] * counts[h][m]
    return None if total == 0 else float(Fraction(added, total))


def sweep(human, metric, same):
    points = []
    for threshold in (0, 1, 5, 25, 50):
        for own in (0, .1, .5):
            counts = [[0] * 3 for _ in range(3)]
            ranked = ties = identical = missing = 0
            for i in range(human.shape[1]):
                for a, b in itertools.combinations(range(human.shape[0]), 2):
                    if np.isnan(human[a, i]) or np.isnan(human[b, i]):
                        continue
                    h = relation(human[a, i] - human[b, i], threshold)
                    if same[i][a] == same[i][b]:
                        h, identical = 0, identical + 1
                    ranked, ties = ranked + (h != 0), ties + (h == 0)
                    if np.isnan(metric[a, i]) or np.isnan(metric[b, i]):
                        missing += 1
                        continue
                    counts[h + 1][relation(metric[a, i] - metric[b, i], own) + 1] += 1
            negated = [row[::-1] for row in counts]
            taus = {k: wmt(counts, t) for k, t in TABLES.items() if k != "5 error"}
            lower = {k: wmt(negated, t) for k, t in TABLES.items() if not k.startswith("5")}
            lower["5"] = wmt(counts, TABLES["5 error"])
            points.append({"threshold": threshold, "own": own, "ranked": ranked, "ties": ties, "identical": identical,
                           "missing": missing, "counts": counts, "taus": taus, "taus_lower": lower})
    return points


def groups(human, metric, by):
    rows = {"none": [(human.ravel(), metric.ravel())],
            "item": [(human[:, i], metric[:, i]) for i in range(human.shape[1])],
            "system": list(zip(human, metric))}[by]
    for h, m in rows:
        keep = ~np.isnan(h) & ~np.isnan(m)
        yield h[keep], m[keep]


def segment_level(human, metric):
    functions = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau,
                 "kendall_a": None, "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c")}
    out = []
    for by in ("none", "item", "system"):
        for name, f in functions.items():
            values, undefined, missing = [], [], human.size
            for k, (h, m) in enumerate(groups(human, metric, by)):
                missing -= len(h)
                if len(h) < 2 or len(set(h)) < 2 or len(set(m)) < 2:
                    undefined.append(k)
                else:
                    values.append(tau_a(h, m) if f is None else f(h, m).statistic)
            out.append({"by": by, "correlation": name, "value": math.fsum(values) / len(values),
                        "groups": len(values), "undefined": undefined, "missing": missing})
    return out


def acc_eq(human, metric, by, epsilon):
    """The share of pairs of which both say the same, averaged over groups with a pair."""
    shares = []
    for h, m in groups(human, metric, by):
        pairs = list(itertools.combinations(range(len(h)), 2))
        if pairs:
            right = sum((0 if abs(m[i] - m[j]) <= epsilon else sign(m[i] - m[j])) == sign(h[i] - h[j]) for i, j in pairs)
            shares.append(Fraction(int(right), len(pairs)))
    return sum(shares) / len(shares)


def calibrated(human, metric, by):
    """The best share, and of epsilons that have it, the first for which mt-metrics-eval's running sum is highest."""
    candidates, right, size, changes = {0.0}, [], [], []
    for h, m in groups(human, metric, by):
        pairs = list(itertools.combinations(range(len(m)), 2))
        if not pairs:
            continue
        right.append(0)
        size.append(len(pairs))
        for i, j in pairs:
            now, tied = sign(h[i] - h[j]) == sign(m[i] - m[j]), h[i] == h[j]
            right[-1] += int(now)
            changes.append((float(abs(m[i] - m[j])), len(right) - 1, int(tied) - int(now)))
    candidates |= {c[0] for c in changes}
    total = 0.0
    for r, n in zip(right, size):
        total += r / n
    at, best, epsilon = 0.0, -math.inf, 0.0
    for difference, k, change in sorted(changes, key=lambda c: c[0]) + [(math.inf, 0, 0)]:
        if difference != at:
            if total / len(size) > best:
                best, epsilon = total / len(size), at
            at = difference
        total -= right[k] / size[k]
        right[k] += change
        total += right[k] / size[k]
    best = max(acc_eq(human, metric, by, e) for e in candidates)
    assert acc_eq(human, metric, by, epsilon) == best
    return float(best), epsilon


def draw(systems, items, human_levels, metric_levels, gaps):
    quality = rng.normal(size=(systems, 1)) * .5
    latent = quality + rng.normal(size=(systems, items))
    human = np.round(np.clip(70 + 20 * (latent + .7 * rng.normal(size=latent.shape)), 0, 100))
    if human_levels:
        human = np.round(human / 100 * human_levels)
    metric = latent + .7 * rng.normal(size=latent.shape)
    if metric_levels:
        metric = np.round(metric * metric_levels) / metric_levels
    metric = np.round(metric, 4)
    human[rng.random(human.shape) < gaps] = np.nan
    metric[rng.random(human.shape) < gaps / 2] = np.nan
    # Outputs that are the same have the same number.
    same = [rng.integers(0, 3 * systems, systems).tolist() for _ in range(items)]
    return human, metric, same


tables = []
for systems, items, human_levels, metric_levels, gaps in (
    (5, 12, 0, 0, .2),
    (4, 15, 4, 0, .1),
    (6, 8, 3, 2, .25),
    (3, 10, 0, 3, 0),
    (7, 9, 5, 0, .4),
):
    human, metric, same = draw(systems, items, human_levels, metric_levels, gaps)
    with np.errstate(invalid="ignore"):
        h, m = np.nanmean(human, axis=1), np.nanmean(metric, axis=1)
    pairs = list(itertools.combinations(range(systems), 2))
    p_human, p_metric = np.round(rng.random((2, systems, systems)), 3)
    tables.append({
        "human": [[null(v) for v in row] for row in human],
        "metric": [[null(v) for v in row] for row in metric],
        "same": same,
        "sweep": sweep(human, metric, same),
        "segment_level": segment_level(human, metric),
        "system_level": {"pearson": stats.pearsonr(h, m).statistic, "spearman": stats.spearmanr(h, m).statistic,
                         "kendall": stats.kendalltau(h, m).statistic},
        "pairwise_accuracy": [int(sum(sign(h[a] - h[b]) == sign(m[a] - m[b]) for a, b in pairs)), len(pairs)],
        "acc_eq": [{"by": by, "epsilon": e, "value": float(acc_eq(human, metric, by, e))}
                   for by in ("none", "item", "system") for e in (0, .25, 1)],
        "calibrated": [dict(zip(("by", "value", "epsilon"), (by, *calibrated(human, metric, by))))
                       for by in ("none", "item", "system")],
        "p_human": p_human.tolist(), "p_metric": p_metric.tolist(),
        "soft_pairwise_accuracy": math.fsum(1 - abs(p_human[a, b] - p_metric[a, b]) for a, b in pairs) / len(pairs),
    })

# --- outliers -----------------------------------------------------------------------

outliers = []
for n in (3, 4, 9, 16):
    x = np.round(rng.standard_t(2, size=n), 2)
    away = np.abs(x - np.median(x))
    spread = 1.483 * stats.median_abs_deviation(x)
    for cutoff in (1, 2.5):
        outliers.append({"x": x.tolist(), "cutoff": cutoff, "outliers": np.flatnonzero(away / spread > cutoff).tolist()})

json.dump({"generated_by": "scripts/record_metaeval.py, scipy 1.17.1, numpy 2.4.6", "correlations": correlations,
           "student": student, "tables": tables, "outliers": outliers}, sys.stdout, separators=(",", ":"))
print()
