"""Records the utilities that subset2evaluate gives the segments of small systems written here.

    pip install --no-deps subset2evaluate==1.0.27
    pip install scipy==1.17.1 numpy==2.4.6 sacrebleu==2.6.0
    python3 scripts/record_selection.py > selection/testdata/subset2evaluate.json
"""
import json
import sys
import warnings
from importlib.metadata import version

for package, pinned in (("subset2evaluate", "1.0.27"), ("scipy", "1.17.1"), ("numpy", "2.4.6"), ("sacrebleu", "2.6.0")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
import numpy as np
from subset2evaluate import methods

warnings.simplefilter("ignore")  # of constant scores
OUTPUTS = {
    "anna": ["The ferry leaves at nine in the morning.", "He sold the old bicycle.", "", "Rain, rain and more rain!", "Yes.", "The bill was paid by nobody at all.", "two two two"],
    "ben": ["The ferry departs at nine o'clock.", "He sold the old bicycle.", "Nothing here.", "More and more rain!", "No.", "Nobody has paid the bill.", "two"],
    "cleo": ["At nine the ship goes off in morning.", "He sold the old bicycle.", "", "It rains more & more", "Yes.", "Der Zettel wurde bezahlt, 3.5 %.", "three two"],
    "dan": ["The ferry leaves at nine in the morning", "He sold the old bicycle.", "Nothing here, too.", "Regen", "Maybe so, yes.", "The bill was paid by no one.", "two  two two "],
}
SCORES = {
    "anna": [0.91, 0.5, 0.12, 0.70, 0.3, -0.25, 0.61],
    "ben": [0.84, 0.5, 0.47, 0.70, 0.1, 0.75, 0.58],
    "cleo": [0.55, 0.5, 0.12, 0.45, 0.3, 0.05, 0.59],
    "dan": [0.90, 0.5, 0.40, 0.20, 0.2, -0.20, 0.63],
}


def data(names):
    n = len(next(iter(OUTPUTS.values())))
    return [{"i": i, "tgt": {s: OUTPUTS[s][i] for s in names},
             "scores": {s: {"m": SCORES[s][i]} for s in names}} for i in range(n)]


def utilities(names):
    d = data(names)
    run = lambda method, **kw: [float(x) for x in methods.METHODS[method](d, **kw)]
    terms = [(2.0, dict(method="metric_var", metric="m")), (1.0, dict(method="metric_avg", metric="m")),
             (0.5, dict(method="diversity", metric="unigram"))]
    return {"systems": names, "average": run("metric_avg", metric="m"), "variance": run("metric_var", metric="m"),
            "consistency": run("metric_cons", metric="m"),
            "unigram": run("diversity", metric="unigram"), "chrf": run("diversity", metric="chrf"),
            "bleu": run("diversity", metric="bleu"), "sum": run("combinator", methods=terms)}


print(json.dumps({"outputs": OUTPUTS, "scores": SCORES, "random": [float(x) for x in np.random.default_rng(7).random(5)],
                  "cases": [utilities(list(OUTPUTS)), utilities(["ben", "cleo"]), utilities(["anna"])]}, indent=1, ensure_ascii=False))
