"""Races mteval's string metrics against their peers, in turn, on one thread, and prints
medians and ratios.

    python3 bench/race.py REF HYP…      (such as WMT19's ref.de and sys/*.txt)

It needs Go, and Python 3.9 or newer, of which it makes a virtual environment with the
peers in bench/.venv. Times are of the work alone: reading files, starting up and
importing are left out, and each round is a new process, so that nobody profits from a
cache. The references are prepared once a system by everybody.
"""
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ["sacrebleu==2.6.0", "bleuscore==0.2.0", "fastchrf==0.2.1", "jiwer==4.0.0", "werx==0.3.1", "rapidfuzz==3.14.6"]

# What each peer does: a function of the references, the systems' outputs, and done(),
# which starts the clock.
CHILD = r'''
import json, sys, time
name, ref, hyps = sys.argv[1], sys.argv[2], sys.argv[3:]
def lines(p):
    with open(p, encoding="utf-8", newline="\n") as f:
        return f.read().removesuffix("\n").split("\n")
refs, systems = lines(ref), [lines(h) for h in hyps]
if name.startswith("sacrebleu"):
    import logging; logging.disable(logging.WARNING)
    from sacrebleu.metrics import BLEU, CHRF, TER
    import sacrebleu.significance as sig
def sacre(metric):
    return sum(metric.corpus_score(s, [refs]).score for s in systems)
if name == "sacrebleu samples":
    m = BLEU(references=[refs])
    stats = [m._extract_corpus_statistics(s, None) for s in systems]
start = time.perf_counter()
if name == "sacrebleu bleu": total = sacre(BLEU())
elif name == "sacrebleu ter": total = sacre(TER())
elif name == "sacrebleu chrf":
    m = CHRF(); total = sum(m.sentence_score(h, [r]).score for s in systems for h, r in zip(s, refs))
elif name == "sacrebleu samples":
    for s in stats: sig._bootstrap_resample(s, m, 1000)
    total = 0
elif name == "sacrebleu bootstrap":
    sig.PairedTest([(str(i), s) for i, s in enumerate(systems)], {"BLEU": BLEU(references=[refs])}, None, test_type="bs")()
    total = 0
elif name == "bleuscore":
    import bleuscore
    start = time.perf_counter()
    total = sum(bleuscore.compute([[r] for r in refs], s)["bleu"] for s in systems)
elif name == "fastchrf":
    import fastchrf
    start = time.perf_counter()
    total = sum(x[0] for s in systems for x in fastchrf.aggregate_chrf([[h] for h in s], [[r] for r in refs]))
elif name == "werx":
    import werx
    start = time.perf_counter()
    total = sum(werx.wer(refs, s) for s in systems)
elif name == "jiwer":
    import jiwer
    start = time.perf_counter()
    total = sum(jiwer.wer(refs, s) for s in systems)
elif name == "rapidfuzz":
    from rapidfuzz.distance import Levenshtein
    start = time.perf_counter()
    total = sum(Levenshtein.distance(r.split(), h.split()) for s in systems for h, r in zip(s, refs))
print(time.perf_counter() - start, total)
'''


def environment():
    """The Python with the peers, installed when it is not there."""
    folder = HERE / ".venv"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    mark = folder / "peers.json"
    if not mark.exists() or json.loads(mark.read_text()) != PEERS:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *PEERS], check=True)
        mark.write_text(json.dumps(PEERS))
    return python


def cut(path, n, folder):
    """The first n lines of a file."""
    with open(path, encoding="utf-8", newline="\n") as f:
        text = "".join(f.readlines()[:n])
    out = pathlib.Path(folder) / f"{n}-{pathlib.Path(path).name}"
    out.write_text(text, encoding="utf-8", newline="\n")
    return str(out)


def moved(folder):
    """A pair of 400 tokens of which 12 blocks have moved."""
    rng = random.Random(7)
    words = [f"w{rng.randrange(250)}" for _ in range(400)]
    ref, hyp = words[:], words[:]
    for _ in range(12):
        n, start = rng.randrange(3, 9), rng.randrange(390)
        block = hyp[start:start + n]
        del hyp[start:start + n]
        at = max(0, min(len(hyp), start + rng.randrange(-30, 31)))
        hyp[at:at] = block
    paths = []
    for name, text in (("ref", ref), ("hyp", hyp)):
        p = pathlib.Path(folder) / f"moved.{name}"
        p.write_text(" ".join(text) + "\n", encoding="utf-8")
        paths.append(str(p))
    return paths


def main():
    ref, hyps = sys.argv[1], sys.argv[2:]
    python = environment()
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "bench")
        subprocess.run(["go", "build", "-o", binary, "./bench"], cwd=HERE.parent, check=True)
        short = [cut(p, 500, folder) for p in [ref, *hyps[:2]]]
        tasks = [  # name, files, mteval's task, peers, rounds
            (f"BLEU 13a, corpus, {len(hyps)} systems", [ref, *hyps], "bleu", ["sacrebleu bleu", "bleuscore"], 5),
            (f"chrF, sentences, {len(hyps)} systems", [ref, *hyps], "chrf", ["sacrebleu chrf", "fastchrf"], 3),
            (f"TER, 500 segments, {len(short) - 1} systems", short, "ter", ["sacrebleu ter"], 3),
            ("TER, one pair of 400 tokens, 12 blocks moved", moved(folder), "ter", ["sacrebleu ter"], 3),
            (f"WER, corpus, {len(hyps)} systems", [ref, *hyps], "wer", ["jiwer", "werx", "rapidfuzz"], 5),
            (f"1,000 bootstrap samples of {len(hyps)} systems, counts given", [ref, *hyps], "samples", ["sacrebleu samples"], 3),
            (f"paired bootstrap of {len(hyps)} systems, all of it", [ref, *hyps], "bootstrap", ["sacrebleu bootstrap"], 1),
        ]
        env = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", RAYON_NUM_THREADS="1")
        for title, files, task, peers, rounds in tasks:
            times = {"mteval": [], **{p: [] for p in peers}}
            for _ in range(rounds):
                for name in times:
                    command = [binary, task] if name == "mteval" else [str(python), "-c", CHILD, name]
                    out = subprocess.run([*command, *files], env=env, check=True, capture_output=True, text=True).stdout
                    times[name].append(float(out.split()[0]))
            ours = statistics.median(times["mteval"])
            print(f"{title}\n  mteval {ours:.4f} s")
            for p in peers:
                t = statistics.median(times[p])
                print(f"  {p} {t:.4f} s, {t / ours:.1f} times as long")
            sys.stdout.flush()


main()
