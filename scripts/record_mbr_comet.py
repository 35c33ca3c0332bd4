"""Records what the package mbrs makes of candidates written here, by the tiny COMET models of
comet/testdata (scripts/record_comet.py).

    pip install unbabel-comet==2.2.7 torch==2.15.0 transformers==4.57.6 tokenizers==0.22.2 \\
        sentencepiece==0.2.0 pytorch-lightning==2.6.6 numpy==1.26.4 entmax==1.3 setuptools==80.9.0 \\
        sacrebleu==2.6.0 fastchrf==0.2.1
    pip install --no-deps mbrs==0.1.8 simple_parsing==0.1.9 docstring_parser==0.18.0
    HF_HUB_OFFLINE=1 python3 scripts/record_mbr_comet.py > mbr/testdata/mbrs_comet.json
"""
import json
import logging
import os
import pathlib
import sys
import warnings
from importlib.metadata import version

for package, pinned in (("mbrs", "0.1.8"), ("unbabel-comet", "2.2.7"), ("torch", "2.15.0"), ("transformers", "4.57.6")):
    if version(package).split("+")[0] != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
os.environ["HF_HUB_OFFLINE"], os.environ["TOKENIZERS_PARALLELISM"] = "1", "false"
warnings.filterwarnings("ignore")

import mbrs_alone

mbrs_alone.without("bert_score", "bleurt_pytorch")
import torch
from comet.models import load_from_checkpoint

import mbrs.metrics.comet
from mbrs.decoders.aggregate_mbr import DecoderAggregateMBR
from mbrs.decoders.mbr import DecoderMBR
from mbrs.metrics.comet import MetricCOMET

logging.disable(logging.WARNING)
torch.set_num_threads(1)
# Models are not fetched: they are in folders here, and so are their encoders.
os.chdir(pathlib.Path(__file__).resolve().parent.parent / "comet/testdata")
mbrs.metrics.comet.download_model = lambda name: f"{name}/checkpoints/model.ckpt"
mbrs.metrics.comet.load_from_checkpoint = lambda path: load_from_checkpoint(path, local_files_only=True)

SOURCE = "The cook sold nine pears."
CANDIDATES = [
    "Der Koch verkaufte neun Birnen.", "Neun Birnen verkaufte der Koch.", "Der Koch zählt Birnen.", "Ein kalter Morgen.",
    "Der Koch verkaufte neun Birnen.", "und und und und", "Birnen!", "",
]
REFERENCES = ["Neun Birnen verkaufte ein Koch.", "Der Koch hat Birnen verkauft.", "neun und neun"]
WEIGHTS = {8: [.3, .1, .2, .05, .05, .1, 0, .2], 3: [.5, .3, .2]}


def utilities(decoder, refs, p):
    """A decoder's scores by candidate."""
    out = decoder.decode(CANDIDATES, refs, SOURCE, nbest=len(CANDIDATES), reference_lprobs=p)
    by = dict(zip(out.idx, out.score))
    return [by[i] for i in range(len(CANDIDATES))]


cases = []
for name in ("wmt22", "no-dropout", "max"):
    metric = MetricCOMET(MetricCOMET.Config(model=name, cpu=True))
    for refs in (CANDIDATES, REFERENCES):
        scores = metric.pairwise_scores(CANDIDATES, refs, SOURCE).tolist()
        for weights in (None, WEIGHTS[len(refs)]):
            p = None if weights is None else torch.tensor(weights, dtype=torch.float64).log()
            cases.append({"metric": name, "references": refs, "weights": weights, "scores": scores,
                          "expected": utilities(DecoderMBR(DecoderMBR.Config(), metric), refs, p),
                          "aggregate": utilities(DecoderAggregateMBR(DecoderAggregateMBR.Config(), metric), refs, p)})
print(json.dumps({"source": SOURCE, "candidates": CANDIDATES, "cases": cases}, indent=1, ensure_ascii=False))
