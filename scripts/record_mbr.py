"""Records what the package mbrs makes of candidates written here, by chrF and BLEU.

    pip install --no-deps mbrs==0.1.8
    pip install fastchrf==0.2.1 sacrebleu==2.6.0 torch==2.15.0 transformers
    python3 scripts/record_mbr.py > mbr/testdata/mbrs.json
"""
import json
import sys
from importlib.metadata import version

for package, pinned in (("mbrs", "0.1.8"), ("sacrebleu", "2.6.0"), ("fastchrf", "0.2.1")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
import torch

import mbrs_alone

mbrs_alone.without("bert_score", "bleurt_pytorch", "comet")
from mbrs.metrics.bleu import MetricBLEU
from mbrs.metrics.chrf import MetricChrF

CANDIDATES = [
    "The lock keeper opened the gate at six.", "The lock guard opened the gate at six o'clock.",
    "At six the lock keeper has opened the gates.", "The castle opened at six.", "the the the the gate",
    "The lock keeper opened the gate at six.", "Six!", "",
]
REFERENCES = ["The keeper of the lock opened its gate at 6.", "At six o'clock, the lock keeper opened the gate.", "the gate the gate the gate"]
WEIGHTS = {8: [.3, .1, .2, .05, .05, .1, .15, .05], 3: [.5, .3, .2]}


def matrix(m, hyps, refs):
    return [[m.score(h, r) for r in refs] for h in hyps]


cases = []
for name, make, options in (("chrf", MetricChrF, {}), ("chrf++", MetricChrF, {"word_order": 2}), ("bleu", MetricBLEU, {})):
    m = make(make.Config(num_workers=1, **options))
    for refs in (CANDIDATES, REFERENCES):
        for weights in (None, WEIGHTS[len(refs)]):
            p = None if weights is None else torch.tensor(weights, dtype=torch.float64).log()
            scores = torch.tensor(matrix(m, CANDIDATES, refs), dtype=torch.float64)
            w = torch.tensor(weights or [1 / len(refs)] * len(refs), dtype=torch.float64)
            cases.append({"metric": name, "references": refs, "weights": weights, "scores": scores.tolist(),
                          "expected": (scores * w).sum(dim=1).tolist(),
                          "aggregate": m.expected_scores_reference_aggregation(CANDIDATES, refs, reference_lprobs=p).tolist()})
print(json.dumps({"candidates": CANDIDATES, "cases": cases}, indent=1))
