"""Records what the package mbrs chooses, by chrF, of candidates written here when it gives up
those that are most likely not the best (decoder pruning_mbr).

    pip install --no-deps mbrs==0.1.8
    pip install fastchrf==0.2.1 sacrebleu==2.6.0 simple-parsing torch==2.15.0 transformers
    python3 scripts/record_mbr_prune.py > mbr/testdata/pruned.json

It is run with several seeds, as draws are its own. The candidates are such that all agree.
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
from mbrs.decoders.mbr import DecoderMBR
from mbrs.decoders.pruning_mbr import DecoderPruningMBR
from mbrs.metrics.chrf import MetricChrF

WORDS = "the old keeper of the lock opened its gate at six and nobody told her".split()


def changed(i):
    """The words but for two to six, which are read backwards and numbered."""
    words = WORDS[:]
    for k in range(2 + i % 5):
        at = (i + 4 * k) % len(words)
        words[at] = words[at][::-1] + str(i)
    return " ".join(words)


# The text without a change is nearest to all others.
CANDIDATES = [changed(i) for i in range(20)] + [" ".join(WORDS)] + [changed(i) for i in range(20, 49)]
WEIGHTS = [1 + (7 * i) % 5 for i in range(len(CANDIDATES))]

m = MetricChrF(MetricChrF.Config(num_workers=1))
cases = []
for weights in (None, WEIGHTS):
    p = None if weights is None else (torch.tensor(weights) / sum(weights)).log()
    whole = DecoderMBR(DecoderMBR.Config(), m).decode(CANDIDATES, CANDIDATES, reference_lprobs=p)
    runs = [DecoderPruningMBR(DecoderPruningMBR.Config(seed=seed), m).decode(CANDIDATES, CANDIDATES, reference_lprobs=p) for seed in range(5)]
    if any(r.idx != whole.idx for r in runs):
        sys.exit("the candidates are not clear enough")
    cases.append({"weights": weights, "best": whole.idx[0], "utility": runs[0].score[0]})
print(json.dumps({"candidates": CANDIDATES, "cases": cases}, indent=1))
