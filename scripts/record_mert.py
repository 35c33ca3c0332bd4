"""Records, for mert, the best interval of lines of weights on n-best lists, found without
envelopes: the corpus score of sacreBLEU between any two of the points at which two
candidates of a segment change places. Writes the lists too.

    pip install sacrebleu==2.6.0 numpy==2.4.6
    python3 scripts/record_mert.py mert/testdata
"""
import json
import random
import sys
from importlib.metadata import version

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER

for package, pinned in (("sacrebleu", "2.6.0"), ("numpy", "2.4.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
folder = sys.argv[1]
rng = random.Random(20261129)
refs = [
    "the ferry leaves the north pier at seven every morning",
    "nobody in the village remembers when the bridge was built",
    "she asked the baker for two loaves and a bag of flour",
    "heavy rain is expected in the valley until late on friday",
    "the museum will lend the painting to a gallery in the south",
    "our neighbour repairs old radios and sells them at the market",
    "after the meeting the members agreed on a smaller budget",
    "the train was late because a tree had fallen on the line",
    "he writes letters to his brother but never sends them",
    "a small stove keeps the whole hut warm in winter",
    "the teacher read the story twice so that all could follow",
    "most of the apples were sold before noon",
]
others = sorted({w for r in refs for w in r.split()})


def worse(words):
    out = []
    for w in words:
        x = rng.random()
        if x < .12:
            continue
        out.append(rng.choice(others) if x < .3 else w)
        if x > .95:
            out.append(rng.choice(others))
    return out or ["the"]


# Four features: two that know something of the errors, the length, and a noise. Whole
# numbers make equal slopes, and every list has a text twice.
lists = []
for ref in refs:
    candidates = []
    for _ in range(14):
        words = worse(ref.split())
        bad = sum(w not in ref.split() for w in words)
        candidates.append((" ".join(words), [
            round(-bad + rng.gauss(0, 1.5), 2),
            round(-2 * len(words) - bad + rng.gauss(0, 2), 2),
            -len(words),
            round(rng.gauss(0, 1), 1),
        ]))
    text, features = candidates[0]
    candidates.append((text, [f - 1 for f in features]))
    lists.append([(t, [float(f) for f in fs]) for t, fs in candidates])
with open(f"{folder}/lists.nbest", "w") as f:
    for i, candidates in enumerate(lists):
        for text, (tm1, tm2, length, noise) in candidates:
            print(f"{i} ||| {text} ||| TranslationModel0= {tm1} {tm2} WordPenalty0= {length} LM0= {noise} ||| 0", file=f)
with open(f"{folder}/refs.txt", "w") as f:
    print(*refs, sep="\n", file=f)

metrics = {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}
values = [np.array([fs for _, fs in candidates]) for candidates in lists]
scores = {}


def first(point):
    return tuple(int(np.argmax(v @ point)) for v in values)


def score(name, chosen):
    if (name, chosen) not in scores:
        hyps = [lists[i][c][0] for i, c in enumerate(chosen)]
        scores[name, chosen] = metrics[name].corpus_score(hyps, [refs]).score
    return scores[name, chosen]


def intervals(weights, direction):
    """Parts of the line on which no choice changes, with the choices."""
    points = set()
    for v in values:
        height, slope = v @ weights, v @ direction
        for i in range(len(v)):
            for j in range(i):
                if abs(slope[i] - slope[j]) > 1e-9:
                    points.add((height[j] - height[i]) / (slope[i] - slope[j]))
    points = sorted(points)
    points = [x for i, x in enumerate(points) if i == 0 or x - points[i - 1] > 1e-9]
    inner = [points[0] - 1] + [(a + b) / 2 for a, b in zip(points, points[1:])] + [points[-1] + 1]
    out = []
    for i, t in enumerate(inner):
        chosen = first(weights + t * direction)
        low = points[i - 1] if i > 0 else None
        high = points[i] if i < len(points) else None
        if out and out[-1][2] == chosen:
            out[-1][1] = high
        else:
            out.append([low, high, chosen])
    return out


cases = []
lines = [([0, 0, 0, 1], [1, 0, 0, 0]), ([.3, .1, -.2, .4], [0, 0, 1, 0])]
for d in range(4):
    lines.append(([.25, .25, .25, .25], [float(d == j) for j in range(4)]))
for _ in range(6):
    lines.append(([round(rng.uniform(-1, 1), 3) for _ in range(4)], [round(rng.uniform(-1, 1), 3) for _ in range(4)]))
for weights, direction in lines:
    parts = intervals(np.array(weights), np.array(direction))
    for name in metrics:
        scored = [(score(name, c), low, high) for low, high, c in parts]
        best = (min if name == "ter" else max)(s for s, _, _ in scored)
        near = [(max(0, -float("inf") if low is None else low, -float("inf") if high is None else -high), s, low, high)
                for s, low, high in scored if abs(s - best) < 1e-9]
        _, s, low, high = min(near, key=lambda x: x[0])
        cases.append({"metric": name, "weights": weights, "direction": direction, "intervals": len(parts),
                      "score": s, "low": low, "high": high})
with open(f"{folder}/lines.json", "w") as f:
    json.dump({"generated_by": "scripts/record_mert.py, sacrebleu 2.6.0, numpy 2.4.6", "cases": cases}, f, indent=1)
    print(file=f)
