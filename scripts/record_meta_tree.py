"""Records what mteval meta --mtme is to find on mtme's small tree, from SciPy and NumPy.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 scripts/record_meta_tree.py > cmd/mteval/testdata/meta/tree.json

Soft pairwise accuracy, acc_eq and the differences' correlation are written down here from
the definitions, plainly.
"""
import itertools
import json
import math
import pathlib
import sys
import warnings
from importlib.metadata import version

import numpy as np
from scipy import stats

for package, pinned in (("scipy", "1.17.1"), ("numpy", "2.4.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
warnings.simplefilter("ignore")  # of constant scores
SET = pathlib.Path("mtme/testdata/tree/wmt23")
PAIRS = {"en-de": ("refA", ["Alpha", "Beta", "Delta", "Epsilon", "Gamma"]),
         "he-en": ("refB", ["Alpha", "Beta", "Delta", "Epsilon", "Eta", "refA"])}


def rows(path):
    return [line.split("\t") for line in (SET / path).read_text(encoding="utf-8").splitlines()]


def scores(path):
    """Returns scores by the name that stands before: of a system, or of a domain and a system."""
    out = {}
    for *name, v in rows(path):
        out.setdefault(tuple(name), []).append(math.nan if v == "None" else float(v))
    return out


def sign(x):
    return int(x > 0) - int(x < 0)


def of_systems(human, metric):
    pairs = list(itertools.combinations(range(len(human)), 2))
    agree = sum(sign(human[a] - human[b]) == sign(metric[a] - metric[b]) for a, b in pairs)
    out = {"agree": agree, "pairs": len(pairs)}
    for name, test in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau),
                       ("tau_c", lambda x, y: stats.kendalltau(x, y, variant="c"))):
        out[name] = [float(v) for v in test(human, metric)[:2]]
    return out


def p_values(table):
    """Of each system being better than each after it, by 1,000 permutations."""
    table = np.array(table, dtype=np.float32)
    flips = np.where(np.random.default_rng(4).random((1000, table.shape[1]), dtype=np.float32) > .5, 1, -1).astype(np.float32)
    sums = flips @ table.T
    return [float(np.mean(sums[:, a] - sums[:, b] >= table[a].sum() - table[b].sum())) for a, b in itertools.combinations(range(len(table)), 2)]


def soft(human, metric):
    return 1 - float(np.mean(np.abs(np.array(p_values(human)) - np.array(p_values(metric)))))


def of_groups(human, metric):
    """Takes a column a group; human scores may be None in the middle, of all systems."""
    x, y = np.array(human).T, np.array(metric).T
    out = {}
    for name, f in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau),
                    ("tau_c", lambda a, b: stats.kendalltau(a, b, variant="c"))):
        values = [float(f(a, b)[0]) for a, b in zip(x, y)]
        values = [v for v in values if not math.isnan(v)]
        out[name] = [float(np.mean(values)), len(values), len(x) - len(values)]
    pairs = list(itertools.permutations(range(x.shape[1]), 2))
    dx = [float(a[i] - a[j]) for a in x for i, j in pairs]
    dy = [float(b[i] - b[j]) for b in y for i, j in pairs]
    out["pairwise_difference_pearson"] = [float(stats.pearsonr(dx, dy)[0])]

    def accuracy(epsilon):
        of = []
        for a, b in zip(x, y):
            right = [sign(a[i] - a[j]) == (0 if abs(b[i] - b[j]) <= epsilon else sign(b[i] - b[j])) for i, j in pairs]
            of.append(sum(right) / len(right))
        return sum(of) / len(of)

    out["acc_eq_0"] = [accuracy(0), len(x), 0]
    out["acc_eq"] = [max(accuracy(e) for e in {0.0, *map(abs, dy)}), len(x), 0]
    out["tau_eq"] = [2 * out["acc_eq"][0] - 1, len(x), 0]
    return out


def by_document(table, documents):
    names = list(dict.fromkeys(documents))
    return [[float(np.mean([v for v, d in zip(row, documents) if d == n])) for n in names] for row in table]


def pair(lp, reference, systems):
    human = {level: scores(f"human-scores/{lp}.mqm.{level}.score") for level in ("seg", "sys", "domain")}
    judged = [i for i, v in enumerate(human["seg"][systems[0],]) if not math.isnan(v)]
    docs = [row[1] for row in rows(f"documents/{lp}.docs")]
    picked = lambda of, level: [[of[level][s,][i] for i in judged] for s in systems]
    out = {"system": {}, "news": {}, "segment": {}, "document": {}}
    for path in sorted((SET / "metric-scores" / lp).glob("*.seg.score")):
        name, _, used = path.name.removesuffix(".seg.score").rpartition("-")
        if used not in (reference, "src"):
            continue
        name += "[noref]" if used == "src" else ""
        metric = {level: scores(str(path.relative_to(SET)).replace(".seg.", f".{level}.")) for level in human}
        h, m = picked(human, "seg"), picked(metric, "seg")
        system = of_systems([human["sys"][s,][0] for s in systems], [metric["sys"][s,][0] for s in systems])
        out["system"][name] = system | {"soft_pairwise_accuracy": soft(h, m)}
        out["news"][name] = of_systems([human["domain"]["news", s][0] for s in systems], [metric["domain"]["news", s][0] for s in systems])
        out["segment"][name] = of_groups(h, m)
        d = [docs[i] for i in judged]
        out["document"][name] = of_groups(by_document(h, d), by_document(m, d))
    return out


def marks(name, systems):
    """Counts errors and sums Google's weights."""
    out = {}
    for system, rating, *_ in rows(f"human-scores/en-de.{name}.seg.rating"):
        if rating == "None" or system not in systems:
            continue
        errors = json.loads(rating)["errors"]
        m = out.setdefault(system, {"rated": 0, "error_free": 0, "errors": {}, "score": 0})
        m["rated"] += 1
        m["error_free"] += not errors
        for e in errors:
            m["errors"][e["severity"]] = m["errors"].get(e["severity"], 0) + 1
            weight = {"minor": .1 if e["category"] == "fluency/punctuation" else 1, "major": 25 if e["category"] == "non-translation" else 5}
            m["score"] -= weight[e["severity"]]
    for m in out.values():
        m["score"] /= m["rated"]
    return out


json.dump({"pairs": {lp: pair(lp, *what) for lp, what in PAIRS.items()}, "marks": marks("mqm.merged", PAIRS["en-de"][1])}, sys.stdout)
print()
