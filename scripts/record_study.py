"""Records what mteval study is to find with the F of words on the sample data, from NumPy,
SciPy and statsmodels.

    pip install scipy==1.17.1 numpy==2.4.6 statsmodels==0.15.0
    python3 scripts/record_study.py > cmd/mteval/testdata/study/recorded.json

The difficulty over exact words is written down here from the paper's equations, the
bootstrap and PERM-INPUTS from theirs, plainly.
"""
import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

for package, pinned in (("scipy", "1.17.1"), ("numpy", "2.4.6"), ("statsmodels", "0.15.0")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
warnings.simplefilter("ignore")  # of constant scores
FOLDER = Path("examples/data")
SAMPLES, SEED = 400, 7
COEFFICIENTS = {"pearson": stats.pearsonr, "kendall": stats.kendalltau, "spearman": stats.spearmanr}


def words(path):
    return [line.split() for line in path.read_text(encoding="utf-8").splitlines()]


human = [line.split("\t") for line in (FOLDER / "human.tsv").read_text().splitlines()[1:]]
human = sorted(((n, float(v)) for n, v in human), key=lambda x: -x[1])
people = np.array([v for _, v in human])
refs = words(FOLDER / "ref.de")
hyps = [words(FOLDER / "sys" / f"{name}.txt") for name, _ in human]
N = len(refs)


def align(ref, hyp):
    """For each word of either side, whether it is matched."""
    free, of_hyp = list(ref), []
    of_ref = [0.0] * len(ref)
    for w in hyp:
        if w in free:
            at = free.index(w)
            free[at] = None
            of_ref[at] = 1.0
            of_hyp.append(1.0)
        else:
            of_hyp.append(0.0)
    return of_ref, of_hyp


ALIGNED = [[align(refs[i], h[i]) for i in range(N)] for h in hyps]


def f(p, r):
    return 2 * p * r / (p + r) if p + r > 0 else 0.0


def rows(k, mode, loo):
    """P and R of the k best systems by segment, or F."""
    out = np.zeros((k, N, 2))
    for i in range(N):
        d = [1 - sum(ALIGNED[s][i][0][j] for s in range(k)) / k for j in range(len(refs[i]))]
        for s in range(k):
            of_ref, of_hyp = ALIGNED[s][i]
            dk = d
            if loo:
                dk = [(k * x - (1 - of_ref[j])) / (k - 1) for j, x in enumerate(d)]
            weight = {}
            for j, w in enumerate(refs[i]):
                weight.setdefault(w, []).append(dk[j])
            for w, values in weight.items():
                if mode == "released":
                    folded = values[0]
                    for v in values[1:]:
                        folded = (folded + v) / 2
                    weight[w] = folded
                else:
                    weight[w] = sum(values) / len(values)
            dh = [weight.get(w, 1.0) for w in hyps[s][i]]
            for side, (d_side, sim) in enumerate(((dh, of_hyp), (dk, of_ref))):
                total = sum(a * b for a, b in zip(d_side, sim))
                if mode == "combined":
                    plain = sum(sim) / len(sim) if sim else 0.0
                    easy = sum(d_side) < 1e-6 * len(sim)
                    out[s, i, side] = plain if easy or not sim else (total / sum(d_side) + plain) / 2
                    continue
                by = sum(d_side) if mode == "normalized" else len(sim)
                out[s, i, side] = total / by if by > 1e-12 else 0.0
    if mode == "combined":  # whose score is the mean of F
        return np.array([[[f(*out[s, i])] for i in range(N)] for s in range(k)])
    return out


# A metric is its rows, and what makes a score of a sum of them.
BASE = np.array([[[sum(ALIGNED[s][i][1]), len(hyps[s][i]), len(refs[i])] for i in range(N)] for s in range(len(hyps))])


def of_counts(row):
    return f(row[0] / row[1] if row[1] else 0.0, row[0] / row[2] if row[2] else 0.0)


def of_means(row):
    return f(row[0], row[1]) if len(row) == 2 else row[0]


def correlate(name, x, y):
    if name != "pearson":
        x = np.round(x, 12)  # equal but for rounding is equal
    r = COEFFICIENTS[name](x, y).statistic
    return None if np.isnan(r) else float(r)


def interval(samples):
    have = sorted(v for v in samples if v is not None)
    cut = len(have) // 40
    return {"low": have[cut], "high": have[len(have) - cut - 1], "undefined": len(samples) - len(have)}


def permutation(coefficient, x, y, k):
    """PERM-INPUTS of scores of segments: [k, N]."""
    x, y = ((m - m.mean()) / m.std() for m in (x, y))

    def difference(swapped):
        a, b = np.where(swapped, y, x).mean(axis=1), np.where(swapped, x, y).mean(axis=1)
        return (correlate(coefficient, a, people[:k]) or 0) - (correlate(coefficient, b, people[:k]) or 0)

    given = difference(np.zeros(N, bool))
    far = 1
    for word in np.random.default_rng(SEED).bit_generator.random_raw(SAMPLES):
        raw = np.random.default_rng(int(word)).bit_generator.random_raw((N + 63) // 64)
        swapped = np.array([int(raw[i // 64]) >> (i % 64) & 1 for i in range(N)], bool)
        far += abs(difference(swapped)) >= abs(given) - 1e-12
    return given, far / (SAMPLES + 1)


def samples_of(k, metric):
    data, score = metric
    by_segment = [[score(data[s].take(draws, axis=0).sum(axis=0) / N) for s in range(k)]
                  for draws in np.random.default_rng(SEED).choice(N, (SAMPLES, N))]
    whole = np.array([score(data[s].sum(axis=0) / N) for s in range(k)])
    out = {}
    for c in COEFFICIENTS:
        out[c] = (correlate(c, whole, people[:k]), [correlate(c, np.array(x), people[:k]) for x in by_segment],
                  [correlate(c, whole[draws], people[:k][draws]) for draws in np.random.default_rng(SEED).choice(k, (SAMPLES, k))])
    return out


def less(xs, ys):
    return [None if x is None or y is None else x - y for x, y in zip(xs, ys)]


metrics = [("", False)] + [(mode, loo) for mode in ("combined", "paper", "normalized", "released") for loo in (False, True)]
found = []
for mode, loo in metrics:
    curve = []
    for k in range(3, len(human) + 1):
        base = (BASE[:k], of_counts)
        metric = (rows(k, mode, loo), of_means) if mode else base
        plain, own = samples_of(k, base), samples_of(k, metric)
        at = {}
        for c, (value, segments, systems) in own.items():
            at[c] = {"value": value, "segments": interval(segments), "systems": interval(systems)}
            if not mode:
                continue
            value_of, segments_of, systems_of = plain[c]
            d, by_segment = value - value_of, less(segments, segments_of)
            have = [v for v in by_segment if v is not None]
            given, perm = permutation(c, *(np.array([[score(data[s, i]) for i in range(N)] for s in range(k)]) for data, score in (metric, base)), k)
            at[c]["difference"] = {
                "value": d, "segments": interval(by_segment), "systems": interval(less(systems, systems_of)),
                "p": (1 + sum(abs(v - d) >= abs(d) - 1e-12 for v in have)) / (len(have) + 1),
                "p_perm": perm, "perm_difference": given}
        curve.append({"k": k, "correlation": at})
    if mode:
        for c in COEFFICIENTS:
            of = [p["correlation"][c]["difference"] for p in curve]
            for d, p in zip(of, multipletests([d["p"] for d in of], method="holm")[1]):
                d["p_holm"] = float(p)
    found.append({"difficulty": mode, "leave_one_out": loo, "curve": curve})
print(json.dumps({"generated_by": "scripts/record_study.py, scipy 1.17.1, numpy 2.4.6, statsmodels 0.15.0", "samples": SAMPLES, "seed": SEED, "metrics": found}))
