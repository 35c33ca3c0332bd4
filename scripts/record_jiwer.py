"""Records jiwer's error rates on random text, for overlap.

    pip install jiwer==4.0.0 rapidfuzz==3.14.6
    python3 scripts/record_jiwer.py > overlap/testdata/jiwer.json
"""
import json
import random
import sys
from importlib.metadata import version

import jiwer

for package, pinned in (("jiwer", "4.0.0"), ("rapidfuzz", "3.14.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
rng = random.Random(20261127)
cases = []
for i in range(240):
    words = "a b c d e über f, g. h i".split()[: rng.choice((2, 4, 10))]
    def line():
        return " ".join(rng.choice(words) for _ in range(rng.randrange(0, rng.choice((4, 12, 40, 90)))))
    refs = [line() for _ in range(rng.choice((1, 1, 3)))]
    hyps = []
    for r in refs:
        kept = [w if rng.random() < .8 else rng.choice(words) for w in r.split() if rng.random() < .9]
        hyps.append(" ".join(kept) if rng.random() < .7 else line())
    w, c = jiwer.process_words(refs, hyps), jiwer.process_characters(refs, hyps)
    cases.append({"refs": refs, "hyps": hyps, "wer": w.wer, "mer": w.mer, "wil": w.wil, "cer": c.cer,
                  "hits": w.hits, "substitutions": w.substitutions, "deletions": w.deletions, "insertions": w.insertions})
print(json.dumps({"generated_by": "scripts/record_jiwer.py, jiwer 4.0.0, rapidfuzz 3.14.6", "cases": cases}))
