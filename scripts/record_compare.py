"""Records SciPy's and sacreBLEU's paired tests of the scores of compare/testdata/scores.json.

    pip install scipy==1.17.1 numpy==2.4.6 sacrebleu==2.6.0
    python3 scripts/record_compare.py > compare/testdata/scipy.json

"t" is ttest_rel on float64, "t32" on float32, which is what comet-compare (unbabel-comet 2.2) calls it
with. "permutation" swaps the scores of a segment: all ways on the short table, where the p-value is exact,
and 200,000 of them on the long one. "bs" and "ar" are the p-values of sacreBLEU's paired tests with the
samples and the seed of its command, called with a metric whose texts are the scores and whose score of a
corpus is their mean, which is what comparing tables of scores is. It takes float32 for bs.
"""
import itertools
import json
import sys
from importlib.metadata import version

import numpy as np
from sacrebleu.significance import Result, _paired_ar_test, _paired_bs_test
from scipy import stats

for package, pinned in (("scipy", "1.17.1"), ("numpy", "2.4.6"), ("sacrebleu", "2.6.0")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
with open("compare/testdata/scores.json") as f:
    tables = json.load(f)


def difference(x, y, axis):
    return np.abs(np.mean(x - y, axis=axis))


class Mean:
    """What sacreBLEU's tests ask of a metric."""

    def _extract_corpus_statistics(self, hypotheses, references):
        return np.array([[float(h), 1] for h in hypotheses])

    def _compute_score_from_stats(self, stats):
        return Result(float(stats[0] / stats[1]))

    def _aggregate_and_compute(self, stats):
        return self._compute_score_from_stats(np.sum(stats, axis=0))


def sacrebleu_p(test, baseline, system, samples):
    metric = Mean()
    stats_of = metric._extract_corpus_statistics(baseline, None)
    info = {"mean": (stats_of, metric._aggregate_and_compute(stats_of))}
    _, results = test(info, "x", [str(v) for v in system], None, {"mean": metric}, n_samples=samples, seed=12345)
    return float(results["mean"].p_value)


out = []
for table, scores in tables.items():
    for a, b in itertools.combinations(scores, 2):
        x, y = np.array(scores[a]), np.array(scores[b])
        t, t32 = stats.ttest_rel(x, y), stats.ttest_rel(x.astype("float32"), y.astype("float32"))
        samples = np.inf if table == "short" else 200000
        p = stats.permutation_test((x, y), difference, permutation_type="samples", vectorized=True, batch=1000,
                                   n_resamples=samples, alternative="greater", rng=np.random.default_rng(1)).pvalue
        out.append({"table": table, "a": a, "b": b, "t": float(t.statistic), "p": float(t.pvalue),
                    "t32": float(t32.statistic), "p32": float(t32.pvalue), "permutation": float(p),
                    "bs": sacrebleu_p(_paired_bs_test, scores[a], scores[b], 1000),
                    "ar": sacrebleu_p(_paired_ar_test, scores[a], scores[b], 10000)})
json.dump(out, sys.stdout, indent=1)
print()
