"""Records the paired tests of sacreBLEU on random text, for significance.

    pip install sacrebleu==2.6.0 numpy==2.4.6
    python3 scripts/record_significance.py > significance/testdata/sacrebleu.json
"""
import json
import logging
import random
import sys
from importlib.metadata import version

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

for package, pinned in (("sacrebleu", "2.6.0"), ("numpy", "2.4.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
logging.disable(logging.WARNING)
rng = random.Random(20261127)
words = [f"w{i}" for i in range(60)]
base = [[rng.choice(words) for _ in range(rng.randrange(4, 18))] for _ in range(70)]


def system(keep):
    return [" ".join(w if rng.random() < keep else rng.choice(words) for w in s) for s in base]


refs = [" ".join(s) for s in base]
systems = [("base", system(.75)), ("close", system(.75)), ("better", system(.85))]
systems.append(("same", systems[0][1]))
cases = []
for name, metric in (("BLEU", BLEU), ("chrF2", CHRF), ("TER", TER)):
    for kind, samples in (("bs", 0), ("ar", 0), ("bs", 37), ("ar", 100)):
        _, got = PairedTest(systems, {name: metric(references=[refs])}, None, test_type=kind, n_samples=samples)()
        key = [k for k in got if k != "System"][0]
        def number(x):
            return None if x is None else float(x)
        cases.append({"metric": name, "test": kind, "samples": samples,
                      "results": [{k: number(v) for k, v in vars(r).items()} for r in got[key]]})
print(json.dumps({"generated_by": "scripts/record_significance.py, sacrebleu 2.6.0, numpy 2.4.6", "refs": refs,
                  "systems": [{"name": n, "hyps": h} for n, h in systems], "cases": cases}))
