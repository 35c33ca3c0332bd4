"""Writes the small tree that mtme's tests read: texts of our own, made-up systems, scores and ratings.

    python3 scripts/record_mtme.py tree

writes mtme/testdata/tree. Names of metrics are WMT23's, so that its task sets run; their scores are drawn.
"""
import json
import pathlib
import random
import shutil
import sys

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


if __name__ == "__main__":
    if sys.argv[1:] == ["tree"]:
        tree()
    else:
        sys.exit(__doc__)
