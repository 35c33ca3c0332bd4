"""Writes the small tree that mtme's tests read: texts of our own, made-up systems, scores and ratings; and
records what mt-metrics-eval's statistics are on it, by their definitions, from SciPy and NumPy.

    python3 scripts/record_mtme.py tree
    pip install scipy==1.17.1 numpy==2.4.6
    python3 scripts/record_mtme.py values

write mtme/testdata/tree and mtme/testdata/mtme.json. Names of metrics are WMT23's, so that its task sets run;
their scores are drawn. mt-metrics-eval's own program is not on PyPI: 0.0.1 there is another.
"""
import itertools
import json
import math
import pathlib
import random
import shutil
import sys
import warnings
from importlib.metadata import version

if sys.argv[1:] == ["values"]:
    import numpy as np
    from scipy import stats

    if version("scipy") != "1.17.1" or version("numpy") != "2.4.6":
        sys.exit("want scipy 1.17.1 and numpy 2.4.6")
    warnings.simplefilter("ignore")

ROOT = pathlib.Path(__file__).resolve().parent.parent
SET = ROOT / "mtme/testdata/tree/wmt23"

# DOMAIN, DOCUMENT, source, the standard reference, another.
EN_DE = [
    ("news", "news1", "The bridge is closed until Monday.", "Die Brücke ist bis Montag gesperrt.", "Bis Montag bleibt die Brücke zu."),
    ("news", "news1", "Nobody was hurt.", "Niemand wurde verletzt.", "Es gab keine Verletzten."),
    ("news", "news1", "Engineers are checking the cables.", "Ingenieure prüfen die Seile.", "Die Kabel werden von Ingenieuren geprüft."),
    ("news", "news1", "The mayor asked for patience.", "Die Bürgermeisterin bat um Geduld.", "Der Bürgermeister bat um Geduld."),
    ("news", "news1", "Buses run through the old town.", "Busse fahren durch die Altstadt.", "Die Busse fahren durch die alte Stadt."),
    ("speech", "talk1", "So, what did we learn?", "Also, was haben wir gelernt?", "Nun, was lernten wir daraus?"),
    ("speech", "talk1", "First, that bees can count.", "Erstens, dass Bienen zählen können.", "Zuerst, dass Bienen zählen können."),
    ("speech", "talk1", "They count up to four.", "Sie zählen bis vier.", "Bis vier zählen sie."),
    ("speech", "talk1", "And they remember faces 🐝.", "Und sie merken sich Gesichter 🐝.", "Und Gesichter merken sie sich 🐝."),
    ("speech", "talk1", "Thank you.", "Danke.", "Vielen Dank."),
    ("news", "news2", "The harvest was poor this year.", "Die Ernte war dieses Jahr schlecht.", "Dieses Jahr fiel die Ernte schlecht aus."),
    ("news", "news2", "Prices rose by a tenth.", "Die Preise stiegen um ein Zehntel.", "Die Preise sind um zehn Prozent gestiegen."),
    ("news", "news2", "Farmers hope for rain.", "Die Bauern hoffen auf Regen.", "Landwirte hoffen auf Regen."),
    ("news", "news2", "It has not come yet.", "Er ist noch nicht gekommen.", "Bisher blieb er aus."),
]
HE_EN = [
    ("news", "page1", "הגשר סגור עד יום שני.", "The bridge is shut until Monday.", "The bridge is closed till Monday."),
    ("news", "page1", "איש לא נפגע.", "No one was hurt.", "Nobody was injured."),
    ("news", "page1", "המהנדסים בודקים את הכבלים.", "The engineers are checking the cables.", "Engineers check the cables."),
    ("news", "page1", "האוטובוסים עוברים בעיר העתיקה.", "The buses go through the old town.", "Buses are passing through the old city."),
    ("user_review", "review1", "המרק היה קר.", "The soup was cold.", "The soup came cold."),
    ("user_review", "review1", "הלחם היה טרי.", "The bread was fresh.", "The bread was just baked."),
    ("user_review", "review1", "לא נחזור לשם.", "We won't be going back.", "We will not return there."),
    ("news", "page2", "היבול היה דל השנה.", "The harvest was poor this year.", "This year's yield was meagre."),
    ("news", "page2", "המחירים עלו בעשירית.", "Prices rose by a tenth.", "Prices went up a tenth."),
    ("news", "page2", "החקלאים מקווים לגשם.", "The farmers are hoping for rain.", "Farmers hope for rain."),
    ("user_review", "review2", "המלצר חייך.", "The waiter smiled.", "The waiter was smiling."),
    ("user_review", "review2", "המחיר היה הוגן.", "The price was fair.", "It was fairly priced."),
]
# Systems, each with its errors in a hundred words. Zeta was not judged.
PAIRS = {
    "en-de": dict(rows=EN_DE, refs=("refA", "synthetic_ref"), unjudged=(2, 9),
                  systems={"Alpha": 8, "Beta": 15, "Gamma": 22, "Delta": 26, "Epsilon": 45, "Zeta": 30}),
    "he-en": dict(rows=HE_EN, refs=("refB", "refA"), unjudged=(5,),
                  systems={"Alpha": 10, "Beta": 18, "Delta": 20, "Epsilon": 38, "Eta": 28}),
}
# Metrics, each with its noise and the digits it has. The one without reference stands once.
METRICS = {"BLEU": (9, 1), "chrF": (7, 0), "XCOMET-Ensemble": (2, 6), "MetricX-23": (3, 4), "eBLEU": (8, 3)}
FREE = {"CometKiwi": (4, 5), "GEMBA-MQM": (3, 0)}
KINDS = [("minor", "fluency/punctuation", .1), ("minor", "fluency/grammar", 1), ("minor", "style/awkward", 1),
         ("major", "accuracy/mistranslation", 5), ("major", "accuracy/omission", 5), ("major", "non-translation", 25)]


def write(path, lines):
    path = SET / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def translated(rng, text, percent):
    """Returns a text with words left out, doubled or in capitals, and the errors in it."""
    words, errors = [], []
    for word in text.split(" "):
        if rng.randrange(100) >= percent:
            words.append(word)
            continue
        severity, category, score = KINDS[min(rng.randrange(len(KINDS)), rng.randrange(len(KINDS)))]
        if category == "accuracy/omission":
            start = end = 0
        else:
            start = len(" ".join(words)) + (1 if words else 0)
            word = word.upper() if severity == "major" else word + "s"
            words.append(word)
            end = start + len(word)
        errors.append(dict(start=start, end=end, category=category, severity=severity, score=score,
                           is_source_error=category == "accuracy/omission"))
    return " ".join(words) or ".", errors


def number(x):
    return repr(round(x, 6))


def mean(values):
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def show(x):
    return "None" if x is None else number(x)


def three(path, scores, domains, digits=None):
    """Writes scores of segments, and their means by domain and system."""
    write(path + ".seg.score", [f"{s}\t{show(v)}" for s, row in scores.items() for v in row])
    write(path + ".sys.score", [f"{s}\t{show(mean(row))}" for s, row in scores.items()])
    names = list(dict.fromkeys(domains))
    write(path + ".domain.score", [f"{d}\t{s}\t{show(mean([v for v, e in zip(row, domains) if e == d]))}"
                                   for d in names for s, row in scores.items()])


def ratings(path, blocks):
    write(path, ["\t".join([system] + [("None" if e is None else json.dumps({"errors": e}))] + ([rater] if rater else []))
                 for system, rater, block in blocks for e in block])


def tree():
    shutil.rmtree(SET.parent, ignore_errors=True)
    for seed, (lp, pair) in enumerate(PAIRS.items()):
        language_pair(random.Random(20261129 + seed), lp, **pair)


def language_pair(rng, lp, rows, refs, unjudged, systems):
    domains = [r[0] for r in rows]
    write(f"sources/{lp}.txt", [r[2] for r in rows])
    write(f"documents/{lp}.docs", [r[0] + "\t" + r[1] for r in rows])
    texts, marked = {}, {}
    for k, ref in enumerate(refs):
        texts[ref], marked[ref] = [r[3 + k] for r in rows], [[] for r in rows]
        write(f"references/{lp}.{ref}.txt", texts[ref])
    for system, percent in systems.items():
        both = [translated(rng, r[3 if system != "Beta" else 4], percent) for r in rows]
        texts[system], marked[system] = [t for t, _ in both], [e for _, e in both]
    marked["refA"][1] = [dict(start=0, end=2, category="style/awkward", severity="minor", score=1.0, is_source_error=False)]
    for system, text in texts.items():
        write(f"system-outputs/{lp}/{system}.txt", text)
    human(rng, lp, marked, domains, unjudged)
    badness = {s: [sum(e["score"] for e in es) for es in row] for s, row in marked.items()}
    for metric, (noise, digits) in METRICS.items():
        for ref in refs:
            # eBLEU scores the reference that it used too, as that of WMT23 does.
            judged = [s for s in texts if s != ref or metric == "eBLEU"]
            rng.shuffle(judged)
            drawn(rng, lp, f"{metric}-{ref}", {s: badness[s] for s in judged}, domains, noise, digits)
    for metric, (noise, digits) in FREE.items():
        drawn(rng, lp, f"{metric}-src", badness, domains, noise, digits)
    write(f"metric-scores/{lp}/SysOnly-src.sys.score", [f"{s}\t{number(-mean(row) + rng.random())}" for s, row in badness.items()])


def drawn(rng, lp, name, badness, domains, noise, digits):
    scores = {s: [round(80 - 2 * v - noise * rng.random() * rng.random(), digits) for v in row] for s, row in badness.items()}
    three(f"metric-scores/{lp}/{name}", scores, domains)


def human(rng, lp, marked, domains, unjudged):
    standard = PAIRS[lp]["refs"][0]
    rated = {s: [None if i in unjudged or s == "Zeta" else e for i, e in enumerate(row)]
             for s, row in marked.items() if s != standard or lp == "en-de"}
    three(f"human-scores/{lp}.mqm", {s: [None if e is None else -sum(x["score"] for x in e) + 0.0 for e in row]
                                     for s, row in rated.items()}, domains)
    if lp != "en-de":
        return
    ratings(f"human-scores/{lp}.mqm.merged.seg.rating", [(s, "", row) for s, row in rated.items()])
    # Some outputs again, by raters who are named: Alpha by two of them.
    fewer = lambda system: [e if e is None or i % 2 else e[:1] for i, e in enumerate(rated[system])]
    ratings(f"human-scores/{lp}.mqm.second.seg.rating",
            [("Alpha", "rater1", rated["Alpha"]), ("Beta", "rater2", fewer("Beta")), ("Alpha", "rater2", fewer("Alpha"))])
    # Direct assessments by whole numbers, with outputs left out at random.
    da = {s: [None if rng.randrange(10) == 0 else max(0, 100 - 3 * round(sum(x["score"] for x in e)) - rng.randrange(6)) for e in row]
          for s, row in marked.items() if s != "synthetic_ref"}
    three(f"human-scores/{lp}.da-sqm", da, domains)


# --- values ---------------------------------------------------------------------------

def read(path):
    return (SET / path).read_text(encoding="utf-8").splitlines()


def rows(path):
    return [line.split("\t") for line in read(path)]


def value(text):
    return math.nan if text == "None" else float(text)


def segments(path):
    out = {}
    for system, score in rows(path):
        out.setdefault(system, []).append(value(score))
    return out


def sign(x):
    return int(x > 0) - int(x < 0)


def grouped_by(human, metric, by):
    """The scores to compare, by group, where people have one."""
    all_rows = {"none": [(human.ravel(), metric.ravel())], "sys": list(zip(human, metric)),
                "item": [(human[:, i], metric[:, i]) for i in range(human.shape[1])]}[by]
    return [(h[~np.isnan(h)], m[~np.isnan(h)]) for h, m in all_rows]


def kendall_variant(h, m, variant, epsilon=0.0):
    if variant in "bc":
        return stats.kendalltau(h, m, variant=variant).statistic
    pairs = list(itertools.combinations(range(len(h)), 2))
    right = sum(sign(h[i] - h[j]) == (0 if abs(m[i] - m[j]) <= epsilon else sign(m[i] - m[j])) for i, j in pairs)
    return right / len(pairs) if variant == "acc23" else (2 * right - len(pairs)) / len(pairs)


def averaged(groups, statistic, zeros=False):
    values = []
    for h, m in groups:
        constant = len(set(h)) < 2 or len(set(m)) < 2
        v = math.nan if constant and statistic not in ("23", "acc23") else {
            "pearson": lambda: stats.pearsonr(h, m).statistic, "spearman": lambda: stats.spearmanr(h, m).statistic,
        }.get(statistic, lambda: kendall_variant(h, m, statistic))()
        if zeros or not math.isnan(v):
            values.append(0.0 if math.isnan(v) else float(v))
    return [float(np.mean(values)), len(values)]


def best_epsilon(groups, variant):
    """The value and epsilon of a running sum over groups while epsilon grows."""
    right, size, changes = [], [], []
    for k, (h, m) in enumerate(groups):
        pairs = list(itertools.combinations(range(len(h)), 2))
        right.append(0)
        size.append(len(pairs))
        for i, j in pairs:
            now, tied = int(sign(h[i] - h[j]) == sign(m[i] - m[j])), int(h[i] == h[j])
            right[k] += now
            changes.append((abs(m[i] - m[j]), k, tied - now))
    of = lambda k: right[k] / size[k] if variant == "acc23" else (2 * right[k] - size[k]) / size[k]
    total = 0.0
    for k in range(len(right)):
        total += of(k)
    at, best, epsilon = 0.0, -math.inf, 0.0
    for difference, k, change in sorted(changes, key=lambda c: c[0]) + [(math.inf, 0, 0)]:
        if difference != at:
            if total / len(size) > best:
                best, epsilon = total / len(size), at
            at = difference
        total -= of(k)
        right[k] += change
        total += of(k)
    return best, float(epsilon)


def pairwise_differences(human, metric):
    x, y = [], []
    for h, m in grouped_by(human, metric, "item"):
        x += (h[:, None] - h[None, :]).ravel().tolist()
        y += (m[:, None] - m[None, :]).ravel().tolist()
    return [float(stats.pearsonr(x, y).statistic), 1]


def kendall_like(human, metric, threshold):
    counts = [0, 0]
    for h, m in grouped_by(human, metric, "item"):
        for i, j in itertools.combinations(range(len(h)), 2):
            if abs(h[i] - h[j]) >= threshold:
                counts[0] += 1 if sign(h[i] - h[j]) == sign(m[i] - m[j]) else -1
                counts[1] += 1
    return [counts[0] / counts[1], counts[1]] if counts[1] else None


def p_values(scores, permutations, seed):
    """One-sided p-values of paired sign flips (Thompson et al. 2024), which all pairs of systems share."""
    signs = 2 * np.rint(np.random.default_rng(seed).random((permutations, scores.shape[1]), dtype=np.float32)) - 1
    scores = np.ascontiguousarray(scores, dtype=np.float32)
    totals, sums = scores.sum(axis=1), signs @ scores.T
    return [[float(np.mean(sums[:, a] - sums[:, b] >= totals[a] - totals[b])) for b in range(a + 1, len(scores))]
            for a in range(len(scores) - 1)]


def soft(human, metric, permutations, seed):
    h, m = p_values(human, permutations, seed), p_values(metric, permutations, seed)
    return 1 - float(np.mean([abs(x - y) for r, s in zip(h, m) for x, y in zip(r, s)]))


def system_values(h, m, human, metric):
    pairs = list(itertools.combinations(range(len(h)), 2))
    agree = sum(sign(h[a] - h[b]) == sign(m[a] - m[b]) for a, b in pairs)
    both = lambda r: [float(r.statistic), float(r.pvalue)]
    out = {"accuracy": agree / len(pairs), "agree": agree, "pairs": len(pairs), "kv_acc23": agree / len(pairs),
           "kv_23": 2 * agree / len(pairs) - 1, "pearson_p": both(stats.pearsonr(h, m)), "spearman_p": both(stats.spearmanr(h, m)),
           "kendall_b_p": both(stats.kendalltau(h, m)), "kendall_c_p": both(stats.kendalltau(h, m, variant="c"))}
    if not np.isnan(human).any():
        out["pce_1000_seed4"] = soft(human, metric, 1000, 4)
        out["pce_1000_seeds0to9"] = [soft(human, metric, 1000, seed) for seed in range(10)]
    return out


def segment_values(human, metric):
    out = {"pdp_item": pairwise_differences(human, metric)}
    for by in ("none", "item", "sys"):
        groups = grouped_by(human, metric, by)
        for statistic in ("pearson", "spearman"):
            out[f"{statistic}_{by}"] = averaged(groups, statistic)
        for variant in ("b", "c", "23", "acc23"):
            out[f"kv_{by}_{variant}"] = averaged(groups, variant)
    groups = grouped_by(human, metric, "item")
    out["pearson_item_nan0"] = averaged(groups, "pearson", zeros=True)
    out["acc_t_item"], out["acc_t_item_eps"] = best_epsilon(groups, "acc23")
    out["tau23_t_item"], out["tau23_t_item_eps"] = best_epsilon(groups, "23")
    at = [kendall_variant(h, m, "acc23", out["acc_t_item_eps"]) for h, m in groups]
    out["kv_item_acc23_at_eps"] = [float(np.mean(at)), len(at)]
    for threshold in (1, 25):
        if v := kendall_like(human, metric, threshold):
            out[f"kendall_like_item_{threshold}"] = v
    return out


def metrics_of(lp, reference):
    return sorted(p.name.removesuffix(".seg.score") for p in (SET / "metric-scores" / lp).glob("*.seg.score")
                  if p.name.removesuffix(".seg.score").rsplit("-", 1)[1] in (reference, "src"))


def configuration(lp, reference, include_human, gold, outliers):
    outputs = sorted(p.stem for p in (SET / "system-outputs" / lp).glob("*.txt"))
    references = [p.name.split(".")[1] for p in (SET / "references").glob(lp + ".*")]
    human_sys = {s: value(v) for s, v in rows(f"human-scores/{lp}.{gold}.sys.score")}
    systems = [s for s in outputs if s != reference and (include_human or s not in references) and s not in outliers
               and not math.isnan(human_sys.get(s, math.nan))]
    seg = segments(f"human-scores/{lp}.{gold}.seg.score")
    human = np.array([seg[s] for s in systems])
    judged = [i for i in range(human.shape[1]) if not np.isnan(human[:, i]).all()]
    domains = [r[0] for r in rows(f"documents/{lp}.docs")]
    by_domain = {(d, s): value(v) for d, s, v in rows(f"human-scores/{lp}.{gold}.domain.score")}
    out = {"refs": [reference], "include_human": include_human, "gold": gold, "systems_sorted": systems,
           "seg_scores_used": int((~np.isnan(human)).sum()), "metrics": {}, "domains": {}}
    if not np.isnan(human[:, judged]).any():
        out["gold_pvalues_1000_seed4"] = p_values(human[:, judged], 1000, 4)
    for name in metrics_of(lp, reference):
        m = segments(f"metric-scores/{lp}/{name}.seg.score")
        metric = np.array([m[s] for s in systems])
        m_sys = {s: value(v) for s, v in rows(f"metric-scores/{lp}/{name}.sys.score")}
        out["metrics"][name] = {"sys": system_values([human_sys[s] for s in systems], [m_sys[s] for s in systems], human[:, judged], metric[:, judged]),
                                "seg": segment_values(human[:, judged], metric[:, judged])}
        m_domain = {(d, s): value(v) for d, s, v in rows(f"metric-scores/{lp}/{name}.domain.score")}
        for d in dict.fromkeys(domains):
            some = [i for i in judged if domains[i] == d]
            in_domain = out["domains"].setdefault(d, {"seg_scores_used": int((~np.isnan(human[:, some])).sum()), "metrics": {}})
            in_domain["metrics"][name] = {"sys": system_values([by_domain[d, s] for s in systems], [m_domain[d, s] for s in systems], human[:, some], metric[:, some]),
                                          "seg": segment_values(human[:, some], metric[:, some])}
    return out


def evalset(lp, outliers, configs):
    return {"n_segments": len(read(f"sources/{lp}.txt")), "outliers": outliers,
            "sys_names": sorted(p.stem for p in (SET / "system-outputs" / lp).glob("*.txt")),
            "n_docs": len({r[1] for r in rows(f"documents/{lp}.docs")}),
            "refs": sorted(p.name.split(".")[1] for p in (SET / "references").glob(lp + ".*")),
            "human_score_names": sorted({p.name.split(".")[1] for p in (SET / "human-scores").glob(lp + ".*.score")}),
            "domains_canonical": sorted({r[0] for r in rows(f"documents/{lp}.docs")}),
            "configs": {name: configuration(lp, *c, outliers) for name, c in configs.items()}}


def document_values():
    """Pearson's correlation of documents' means over judged segments, of all systems of en-de together."""
    cfg = configuration("en-de", "refA", False, "da-sqm", ["synthetic_ref"])
    documents = [r[1] for r in rows("documents/en-de.docs")]
    human = segments("human-scores/en-de.da-sqm.seg.score")
    metric = segments("metric-scores/en-de/chrF-refA.seg.score")
    out = {}
    for s in cfg["systems_sorted"]:
        for d in dict.fromkeys(documents):
            some = [i for i, e in enumerate(documents) if e == d and not math.isnan(human[s][i])]
            out[f"{s} {d}"] = [float(np.mean([human[s][i] for i in some])), float(np.mean([metric[s][i] for i in some]))]
    return out


def rating_values():
    """By system, people's scores of both rating files together, and how many errors there are."""
    outputs, errors = {}, {}
    for name in ("merged", "second"):
        at = {}
        for row in rows(f"human-scores/en-de.mqm.{name}.seg.rating"):
            n = at[row[0]] = at.get(row[0], -1) + 1
            if row[1] != "None":
                marked = json.loads(row[1])["errors"]
                outputs.setdefault((row[0], n % 14), []).append(-sum(e["score"] for e in marked))
                count = errors.setdefault(row[0], {"free": {}, "severities": {}})
                count["free"][n % 14] = count["free"].get(n % 14, True) and not marked
                for e in marked:
                    count["severities"][e["severity"]] = count["severities"].get(e["severity"], 0) + 1
    return {s: {"mean": float(np.mean([np.mean(v) for (t, _), v in outputs.items() if t == s])),
                "rated": len(e["free"]), "error_free": sum(e["free"].values()), "severities": e["severities"]} for s, e in errors.items()}


def values():
    return {"generated_by": "scripts/record_mtme.py, scipy 1.17.1, numpy 2.4.6", "evalsets": {
        "en-de": evalset("en-de", ["synthetic_ref"], {"official": ("refA", False, "mqm"), "alt_ref": ("synthetic_ref", True, "mqm"),
                                                      "da_sqm": ("refA", False, "da-sqm")}),
        "he-en": evalset("he-en", [], {"official": ("refB", True, "mqm"), "alt_ref": ("refA", True, "mqm"), "no_human": ("refB", False, "mqm")}),
    }, "documents": document_values(), "ratings": rating_values()}


if __name__ == "__main__":
    if sys.argv[1:] == ["tree"]:
        tree()
    elif sys.argv[1:] == ["values"]:
        with open(SET.parent.parent / "mtme.json", "w") as f:
            json.dump(values(), f, separators=(",", ":"))
            f.write("\n")
    else:
        sys.exit(__doc__)
