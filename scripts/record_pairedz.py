"""Records z of pairs of systems for significance.PairedZ, on the texts of testdata/sacrebleu.json.

    pip install sacrebleu==2.6.0 numpy==2.4.6
    python3 scripts/record_pairedz.py > significance/testdata/pairedz.json

"jackknife" leaves each segment out of sacreBLEU's corpus score. "delta" takes the variance of the difference
of two scores from the gradients in the sums, on all segments four times over: that of BLEU by hand, those of
chrF and TER by differences. "paired_t" is of the means of sentence BLEU. More is better: TER has its sign turned.
"""
import json
import logging
import sys
from importlib.metadata import version

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER

for package, pinned in (("sacrebleu", "2.6.0"), ("numpy", "2.4.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
logging.disable(logging.WARNING)
with open("significance/testdata/sacrebleu.json") as f:
    data = json.load(f)
refs, systems = data["refs"], data["systems"]


def statistics(metric):
    """Sufficient statistics, by system and segment."""
    return [np.array(metric._extract_corpus_statistics(s["hyps"], [refs]), dtype=float) for s in systems]


def score(metric, sums, sign):
    return sign * metric._compute_score_from_stats([float(v) if isinstance(metric, TER) else int(v) for v in sums]).score


def pairs(z):
    """z of all pairs, 0 for equal ones."""
    return [[0.0 if a == b else float(z(a, b)) for b in range(len(systems))] for a in range(len(systems))]


def jackknife(metric, stats, sign):
    n = len(refs)
    whole = [score(metric, x.sum(axis=0), sign) for x in stats]
    without = np.array([[score(metric, x.sum(axis=0) - row, sign) for row in x] for x in stats])

    def z(a, b):
        left = without[a] - without[b]
        variance = (n - 1) / n * ((left - left.mean()) ** 2).sum()
        return (whole[a] - whole[b]) / np.sqrt(variance) if whole[a] != whole[b] else 0

    return pairs(z)


def gradient_bleu(sums):
    """Of BLEU in sums of [hypothesis length, reference length, matches by order, n-grams by order]."""
    h, r, matches, totals = sums[0], sums[1], sums[2:6], sums[6:10]
    penalty = min(0.0, 1 - r / h)
    bleu = 100 * np.exp(penalty + (np.log(matches) - np.log(totals)).mean())
    lengths = [r / h**2, -1 / h] if h < r else [0, 0]
    return bleu * np.concatenate([lengths, 1 / matches / 4, -1 / totals / 4])


def gradient(metric, sums, sign):
    """By central differences of the score of sums that need not be whole: of 1e6 times the sums."""
    out = np.zeros(len(sums))
    for i in range(len(sums)):
        step = np.zeros(len(sums))
        step[i] = 1000
        out[i] = (score(metric, sums * 1e6 + step, sign) - score(metric, sums * 1e6 - step, sign)) / 2000 * 1e6
    return out


def delta(metric, stats, sign):
    stats = [np.concatenate([x] * 4) for x in stats]
    n = 4 * len(refs)
    whole = [score(metric, x.sum(axis=0), sign) for x in stats]
    g = [gradient_bleu(x.sum(axis=0)) if isinstance(metric, BLEU) else gradient(metric, x.sum(axis=0), sign) for x in stats]

    def z(a, b):
        d = stats[a] @ g[a] - stats[b] @ g[b]
        return (whole[a] - whole[b]) / np.sqrt(n * d.var(ddof=1)) if whole[a] != whole[b] else 0

    return pairs(z)


def paired_t():
    metric = BLEU(effective_order=True)
    x = np.array([[metric.sentence_score(h, [r]).score for h, r in zip(s["hyps"], refs)] for s in systems])

    def z(a, b):
        d = x[a] - x[b]
        return d.mean() / (d.std(ddof=1) / np.sqrt(len(d))) if d.any() else 0

    return {"scores": x.tolist(), "z": pairs(z)}


cases = []
for name, metric, sign in (("bleu", BLEU(), 1), ("chrf", CHRF(), 1), ("chrf++", CHRF(word_order=2), 1), ("ter", TER(), -1)):
    stats = statistics(metric)
    cases.append({"metric": name, "jackknife": jackknife(metric, stats, sign), "delta": delta(metric, stats, sign)})
print(json.dumps({"generated_by": "scripts/record_pairedz.py, sacrebleu 2.6.0, numpy 2.4.6", "cases": cases, "paired_t": paired_t()}))
