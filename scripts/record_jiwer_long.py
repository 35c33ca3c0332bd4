"""Records what jiwer counts in long pairs, whose alignment RapidFuzz divides, for overlap.

    pip install jiwer==4.0.0 rapidfuzz==3.14.6
    python3 scripts/record_jiwer_long.py > overlap/testdata/jiwer_long.json

The texts are not recorded: overlap's TestJiwerLong makes the same.
"""
import json
import sys
from importlib.metadata import version

import jiwer

for package, pinned in (("jiwer", "4.0.0"), ("rapidfuzz", "3.14.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")


class Numbers:
    """The generator of ANSI C's example."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = (self.state * 1103515245 + 12345) % 2**31
        return (self.state >> 16) % n


def pair(seed, words, different, of):
    """A reference, and a hypothesis in which about one word of so many is another, left out
    or put in; with 0 it has nothing to do with the reference."""
    numbers = Numbers(seed)
    ref = [numbers.below(different) for _ in range(words)]
    if of == 0:
        return ref, [numbers.below(different) for _ in range(words)]
    hyp = []
    for w in ref:
        edit = numbers.below(3 * of)
        if edit == 0:
            hyp.append(numbers.below(different))
        elif edit == 1:
            hyp += [w, numbers.below(different)]
        elif edit != 2:
            hyp.append(w)
    return ref, hyp


cases = []
for seed, (words, different, of) in enumerate([
    (2047, 30, 0), (2049, 30, 0), (2100, 2, 3), (3000, 5, 2), (4000, 30, 0), (5000, 100, 2), (6000, 3, 10),
    (8000, 1000, 1), (12000, 4, 4), (20000, 20000, 50), (20000, 10, 1000),
]):
    ref, hyp = (" ".join(map(str, x)) for x in pair(seed, words, different, of))
    w = jiwer.process_words(ref, hyp)
    cases.append({"seed": seed, "words": words, "different": different, "of": of,
                  "counts": [w.hits, w.substitutions, w.deletions, w.insertions], "wil": w.wil})
print(json.dumps({"generated_by": "scripts/record_jiwer_long.py, jiwer 4.0.0, rapidfuzz 3.14.6", "cases": cases}, indent=1))
