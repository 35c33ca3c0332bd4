"""Records tests of significance from SciPy, NumPy and statsmodels, for significance.

    pip install scipy==1.17.1 numpy==2.4.6 statsmodels==0.15.0
    python3 scripts/record_tests.py > significance/testdata/tests.json

What none of them has (the permutations of two metrics' scores, the p-values of soft
pairwise accuracy, the tests of two dependent correlations) is written down here from the
papers, plainly, with SciPy's correlations and distributions.
"""
import itertools
import json
import math
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
rng = np.random.default_rng(20261128)
COEFFICIENTS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


def scores(systems, items, levels=1024, missing=0.0):
    """Random scores, so many to the unit, some missing. A power of two keeps sums of them exact."""
    s = rng.normal(size=(systems, items)) + rng.normal(size=(systems, 1)) / 2 + rng.normal(size=(1, items))
    s = np.round(s * levels) / levels
    s[rng.random(s.shape) < missing] = np.nan
    return s


def settled(x):
    """Values of about 1, equal where they are so but for rounding."""
    x = x.copy()
    order = np.argsort(x)
    for a, b in zip(order, order[1:]):
        if x[b] - x[a] <= 1e-12:
            x[b] = x[a]
    return x


def correlate(coefficient, level, x, z):
    """The correlation, NaN where it does not exist."""
    f = COEFFICIENTS[coefficient]
    if level == "system":
        z = np.nanmean(z, axis=1)
        judged = ~np.isnan(z)
        return f(settled(np.nanmean(x[judged], axis=1)), z[judged])[0]
    pairs = {"segment": [(x.ravel(), z.ravel())], "item": zip(x.T, z.T), "by system": zip(x, z)}[level]
    r = []
    for a, b in pairs:
        judged = ~np.isnan(a) & ~np.isnan(b)
        if judged.sum() > 1:
            r.append(f(a[judged], b[judged])[0])
    r = [v for v in r if not math.isnan(v)]
    return np.mean(r) if r else math.nan


def masks(swap, systems, items, permutations, seed):
    """What each permutation swaps, True; all there are if they are not more."""
    rows, width = {"outputs": (systems, items), "items": (1, items), "systems": (1, systems)}[swap]
    exact = 2 ** (rows * width) <= permutations
    if exact:
        ways = itertools.product((0, 1), repeat=rows * width)
        coins = (np.array(way[::-1]).reshape(rows, width) for way in ways)
    else:
        words = (width + 63) // 64
        seeds = np.random.default_rng(seed).bit_generator.random_raw(permutations)
        coins = (np.unpackbits(np.random.default_rng(int(s)).bit_generator.random_raw(rows * words).reshape(rows, words)
                               .view(np.uint8), axis=1, bitorder="little")[:, :width] for s in seeds)
    for c in coins:
        yield np.broadcast_to(c.T if swap == "systems" else c, (systems, items)).astype(bool)


def permutation_test(x, y, z, coefficient, level, swap, permutations, seed):
    used = np.broadcast_to(~np.isnan(np.nanmean(z, axis=1, keepdims=True)), x.shape) if level == "system" else ~np.isnan(z)
    used = used & ~np.isnan(x)
    standard = [(s - np.nanmean(s[used])) / np.nanstd(s[used]) for s in (x, y)]

    def difference(a, b):
        return np.nan_to_num(correlate(coefficient, level, a, z)) - np.nan_to_num(correlate(coefficient, level, b, z))

    given = difference(*standard)
    d = []
    for mask in masks(swap, *x.shape, permutations, seed):
        d.append(difference(np.where(mask, standard[1], standard[0]), np.where(mask, standard[0], standard[1])))
    d = np.array(d)
    counts = [np.sum(np.abs(d) >= abs(given) - 1e-12), np.sum(d >= given - 1e-12), np.sum(d <= given + 1e-12)]
    exact = len(d) < permutations or 2 ** {"outputs": x.size, "items": x.shape[1], "systems": x.shape[0]}[swap] == len(d)
    p = [float(c / len(d) if exact else (c + 1) / (len(d) + 1)) for c in counts]
    return {"want": {"x": correlate(coefficient, level, x, z), "y": correlate(coefficient, level, y, z), "p": p[0], "greater": p[1],
            "less": p[2], "permutations": len(d), "exact": bool(exact)}, "differences": d[:20].tolist()}


def listed(s):
    return [None if math.isnan(v) else float(v) for v in s.ravel()]


def permutation_data():
    x, y, z = scores(6, 66), scores(6, 66, levels=2), scores(6, 66, levels=1, missing=.3)
    x, y = x + np.nan_to_num(z) * .5, y + np.nan_to_num(z) * .5
    z[:, 3], z[:, 4], z[5] = np.nan, 1, np.nan  # not judged, all equal, a system not judged
    x[:, 5], x[2, 3:9], y[2, 3:9] = 2, np.nan, np.nan  # all equal, scores that neither has
    yield x, y, z, 100
    x, y, z = scores(5, 4, levels=1), scores(5, 4, levels=1), scores(5, 4, levels=1)
    yield x, y, z, 100
    x, y, z = scores(2, 5), scores(2, 5), scores(2, 5)
    yield x, y, z, 1024  # of outputs, all there are


def permutations():
    for x, y, z, n in permutation_data():
        cases = []
        for coefficient, level, swap in itertools.product(COEFFICIENTS, ("system", "segment", "item", "by system"),
                                                          ("outputs", "items", "systems")):
            cases.append({"coefficient": coefficient, "level": level, "swap": swap, "samples": n, "seed": 77,
                          **permutation_test(x, y, z, coefficient, level, swap, n, 77)})
        yield {"systems": x.shape[0], "items": x.shape[1], "x": listed(x), "y": listed(y), "z": listed(z), "cases": cases}


def bootstraps():
    """Samples of systems, of items, or both, systems first, by numbers of default_rng."""
    x, y, z = scores(4, 30), scores(4, 30, levels=2), scores(4, 30, levels=1, missing=.2)
    x, y = x + np.nan_to_num(z) * .5, y + np.nan_to_num(z) * .5
    x[2, 3], y[2, 3], z[1], z[:, 7] = np.nan, np.nan, np.nan, np.nan
    cases = []
    for coefficient, level, sampling, apart in itertools.product(COEFFICIENTS, ("system", "segment", "item", "by system"),
                                                                 ("items", "systems", "both"), (False, True)):
        if apart and level != "system":
            continue
        judged = ~np.isnan(z)
        rows = judged.any(axis=1).nonzero()[0]
        columns = np.arange(30) if level == "system" else judged.any(axis=0).nonzero()[0]
        human = np.nanmean(z, axis=1, keepdims=True) if apart else z
        values = []
        draw = np.random.default_rng(78)
        for _ in range(40):
            r, c = rows, columns
            if sampling != "items":
                r = r[draw.choice(len(r), len(r))]
            if sampling != "systems":
                c = c[draw.choice(len(c), len(c))]
            h = human[r] if apart else human[np.ix_(r, c)]
            values.append([correlate(coefficient, level, s[np.ix_(r, c)], h) for s in (x, y)])
        cases.append({"coefficient": coefficient, "level": level, "sampling": sampling, "apart": apart, "seed": 78,
                      "values": [[None if np.isnan(v).any() else list(map(float, v))][0] for v in values]})
    return {"systems": 4, "items": 30, "x": listed(x), "y": listed(y), "z": listed(z),
            "apart": listed(np.nanmean(z, axis=1)), "cases": cases}


def pairwise():
    """All pairs of systems, with one matrix of signs, as Thompson et al. do it in float32, and one pair after the other."""
    for s, seed, n in ((scores(5, 130), 4, 1000), (scores(4, 65, levels=1), 12345, 500), (scores(4, 40, missing=.1), 4, 300),
                       (scores(3, 8, levels=2), 4, 256)):
        m, items = s.shape
        uniform = np.random.default_rng(seed).random(size=(n, items), dtype=np.float32)
        signs = np.rint(uniform) * 2 - 1.0
        if 2 ** items <= n:
            signs = np.array(list(itertools.product((-1.0, 1.0), repeat=items)))
        p = np.ones((m, m))
        for a, b in itertools.permutations(range(m), 2):
            d = np.nan_to_num(s[a] - s[b])
            p[a, b] = np.mean(signs @ d >= d.sum() - 1e-9)
        yield {"systems": m, "items": items, "scores": listed(s), "seed": seed, "samples": n, "p": p.tolist()}


def signs():
    cases = [(41, 12, 59), (0, 0, 1), (1, 0, 0), (3, 5, 3), (0, 0, 10), (7, 1, 2), (85, 0, 86), (171, 3, 171), (150, 0, 200),
             (480, 40, 520), (3, 0, 1100), (499000, 10, 501000), (49_990_000, 0, 50_010_000), (1, 0, 2000)]
    return [[a, t, b, stats.binomtest(a, a + b).pvalue] for a, t, b in cases]


def tails():
    return [[df, t, 2 * stats.t.sf(t, df)] for df in (1, 2, 3, 4, 7, 17, 27, 100, 643, 5102, 39997, 999997)
            for t in (1e-5, 1e-3, .1, .84, 1.5, 2, 3, 5, 9, 15, 30, 37)]


def williams(r12, r13, r23, n):
    """r.test of R's psych, for r12 and r13."""
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    t = (r12 - r13) * math.sqrt((n - 1) * (1 + r23) / (2 * (n - 1) / (n - 3) * determinant + ((r12 + r13) / 2)**2 * (1 - r23)**3))
    return [t, 2 * stats.t.sf(abs(t), n - 3), stats.t.sf(t, n - 3)]


def dependent():
    for n in (4, 5, 11, 30, 200, 40_000):
        for _ in range(6):
            r = np.corrcoef(rng.normal(size=(3, 6)) + rng.normal(size=6) * rng.choice([0, .5, 3]))
            args = float(r[0, 1]), float(r[0, 2]), float(r[1, 2]), n
            yield {"rx": args[0], "ry": args[1], "rxy": args[2], "n": n, "williams": williams(*args)}


def multiple():
    for p in ([], [.5], [0.0, 1.0], [.01, .04, .03, .005], [.02] * 4, rng.random(25).tolist(), (rng.random(60) ** 4).round(3).tolist()):
        yield {"p": p, "holm": multipletests(p, method="holm")[1].tolist() if p else []}


if __name__ == "__main__":
    json.dump({"generated_by": "scripts/record_tests.py, scipy 1.17.1, numpy 2.4.6, statsmodels 0.15.0", "signs": signs(), "tails": tails(),
               "dependent": list(dependent()), "multiple": list(multiple()), "pairwise": list(pairwise()), "bootstraps": bootstraps(),
               "permutations": list(permutations())}, sys.stdout)
