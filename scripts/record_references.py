"""Records what sacreBLEU makes of references that are empty or missing, for cmd/mteval.

    pip install sacrebleu==2.6.0
    python3 scripts/record_references.py

writes cmd/mteval/testdata/references.json.
"""
import json
import logging
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

from sacrebleu.metrics import BLEU, CHRF, TER

if version("sacrebleu") != "2.6.0":
    sys.exit(f"sacrebleu {version('sacrebleu')} installed, want 2.6.0")
logging.disable(logging.ERROR)
ROOT = pathlib.Path(__file__).resolve().parent.parent

hyps = [
    "The ferry leaves at nine.", "Nobody had told them about the storm.", "Yes.", "",
    "Her brother repairs old clocks in a cellar.", "They sold it, twice.", "Rain again",
    "The bridge is closed until further notice.", "He counted the coins and smiled.", "Never mind",
]
streams = [
    ["The ferry departs at nine.", "", "Yes, of course.", "Please sit down.",
     "Her brother mends old clocks in the cellar.", "", "Rain again.", "   ", "He counted the coins, then smiled.", "Never mind."],
    ["At nine the ferry leaves.", "No one had told them of the storm.", "", "",
     "", "They sold it two times.", "More rain.", "The bridge stays closed until further notice.", "\t", "Forget it"],
    ["", "", "Sure.", "Take a seat", "In a cellar, her brother repairs clocks that are old.",
     "It was sold twice by them.", "", "The bridge remains shut.", "", ""],
]
metrics = {
    "bleu": lambda refs=None, **o: BLEU(references=refs, **o),
    "chrf": lambda refs=None: CHRF(references=refs),
    "ter": lambda refs=None: TER(references=refs),
}


def program(metric, files, *options):
    """What the program prints."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, lines in files.items():
            path = pathlib.Path(folder, name)
            path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
            paths.append(str(path))
        done = subprocess.run([sys.executable, "-m", "sacrebleu", *paths[1:], "-i", paths[0], "-m", metric, "-w", "10", "-b", *options],
                              capture_output=True, text=True)
        return float(done.stdout) if done.returncode == 0 else None


cases = []
for n in (2, 3):
    refs = streams[:n]
    missing = [[line if line.strip() else None for line in stream] for stream in refs]
    case = {"streams": n, "empty": {}, "missing": {}, "columns": {}, "sentences": {}, "nrefs": {}}
    for name, make in metrics.items():
        case["empty"][name] = program(name, {"hyp": hyps, **{f"ref{k}": r for k, r in enumerate(refs)}})
        # A column that is empty at the end of a line is none to the program, so a word stands there.
        table = ["\t".join(r if r.strip() or k < n - 1 else "." for k, r in enumerate(line)) for line in zip(*refs)]
        case["columns"][name] = program(name, {"hyp": hyps, "table": table}, "-nr", str(n))
        scorer = make(missing)
        case["missing"][name] = scorer.corpus_score(hyps, None).score
        case["nrefs"][name] = str(scorer.get_signature().info["nrefs"])
        sentence = make(effective_order=True) if name == "bleu" else make()
        case["sentences"][name] = [sentence.sentence_score(h, [r for r in line if r]).score for h, *line in zip(hyps, *missing)]
    cases.append(case)

# One that has no reference at all is an error to sacreBLEU.
for name, make in metrics.items():
    try:
        make([["a", None], ["b", None]]).corpus_score(["a", "b"], None)
        sys.exit(f"{name}: no error without any reference")
    except (TypeError, ZeroDivisionError, IndexError):
        pass

with open(ROOT / "cmd/mteval/testdata/references.json", "w", encoding="utf-8") as f:
    json.dump({"generated_by": "scripts/record_references.py, sacrebleu 2.6.0", "hyps": hyps, "streams": streams, "cases": cases}, f, indent=0)
    f.write("\n")
