"""Races minimum Bayes risk of 100 candidates against fastchrf and mbrs, in turn, on one
thread, and prints medians and ratios.

    pip install --no-deps mbrs==0.1.8
    pip install fastchrf==0.2.1 sacrebleu==2.6.0 simple-parsing torch transformers
    python3 bench/mbr.py HYP…      (such as WMT19's sys/*.txt, of one language pair)

It needs Go. The candidates of a segment are made of the systems' outputs, each with a few
words that another system has in their place, and differ, as we would score equal ones once.
Times are of the work alone: reading, starting
up and importing are left out, and each round is a new process. sacreBLEU's chrF, which mbrs
calls unless it is told to take fastchrf, and its BLEU are timed on fewer segments, and their
time is multiplied: "of 1". The sums of utilities show whether the same was done.
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
from importlib.metadata import version

HERE = pathlib.Path(__file__).resolve().parent
SEGMENTS, CANDIDATES, ROUNDS = 10, 100, 5

CHILD = r'''
import sys, time
name, metric, how, n, path = *sys.argv[1:4], int(sys.argv[4]), sys.argv[5]
with open(path, encoding="utf-8", newline="\n") as f:
    lines = f.read().removesuffix("\n").split("\n")
segments = [lines[i:i + n] for i in range(0, len(lines), n)]
import fastchrf
if name == "fastchrf":
    start = time.perf_counter()
    if how == "pairwise":
        total = sum(sum(map(sum, m)) / n for s in segments for m in fastchrf.pairwise_chrf([s], [s]))
    else:
        total = sum(sum(map(sum, fastchrf.aggregate_chrf([s], [s]))) for s in segments)
else:
    import mbrs_alone
    mbrs_alone.without("bert_score", "bleurt_pytorch", "comet")
    import torch
    torch.set_num_threads(1)
    from mbrs.metrics.bleu import MetricBLEU
    from mbrs.metrics.chrf import MetricChrF
    from mbrs.decoders.mbr import DecoderMBR
    from mbrs.decoders.aggregate_mbr import DecoderAggregateMBR
    make, options = {"bleu": (MetricBLEU, {}), "chrf": (MetricChrF, {"fastchrf": name == "mbrs, fastchrf"})}[metric]
    m = make(make.Config(num_workers=1, **options))
    decoder = DecoderMBR if how == "pairwise" else DecoderAggregateMBR
    decoder = decoder(decoder.Config(), m)
    start = time.perf_counter()
    total = sum(sum(decoder.decode(s, s, nbest=n).score) for s in segments)
print(time.perf_counter() - start, total)
'''


def candidates(paths):
    """SEGMENTS times CANDIDATES lines."""
    systems = [pathlib.Path(p).read_text(encoding="utf-8").removesuffix("\n").split("\n") for p in paths]
    rng = random.Random(7)
    lines = []
    for i in range(SEGMENTS):
        outputs = [s[len(s) * i // SEGMENTS].split() for s in systems]
        for k in range(CANDIDATES):
            words = list(outputs[k % len(outputs)])
            for changed in range(100):
                at, other = rng.randrange(max(1, len(words))), rng.choice(outputs)
                if at < min(len(words), len(other)):
                    words[at] = other[at]
                if changed >= 2 and " ".join(words) not in lines:
                    break
            lines.append(" ".join(words))
    return lines


def main():
    for package, pinned in (("mbrs", "0.1.8"), ("sacrebleu", "2.6.0"), ("fastchrf", "0.2.1")):
        if version(package) != pinned:
            sys.exit(f"{package} {version(package)} installed, want {pinned}")
    env = dict(os.environ, PYTHONPATH=str(HERE.parent / "scripts"), GOMAXPROCS="1", OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", RAYON_NUM_THREADS="1")
    lines = candidates(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "mbr")
        subprocess.run(["go", "build", "-o", binary, "./bench/mbr"], cwd=HERE.parent, check=True)
        files = {}
        for n in (1, SEGMENTS):
            files[n] = str(pathlib.Path(folder) / str(n))
            pathlib.Path(files[n]).write_text("".join(line + "\n" for line in lines[:n * CANDIDATES]), encoding="utf-8", newline="\n")
        print(f"{SEGMENTS} segments, {CANDIDATES} candidates against {CANDIDATES}")
        for metric, how, peers in (
            ("chrf", "pairwise", {"fastchrf": SEGMENTS, "mbrs, fastchrf": SEGMENTS, "mbrs": 1}),
            ("chrf", "aggregate", {"fastchrf": SEGMENTS, "mbrs, fastchrf": SEGMENTS, "mbrs": 1}),
            ("bleu", "pairwise", {"mbrs": 1}),
            ("bleu", "aggregate", {"mbrs": 1}),
        ):
            taken = {"mteval": [], **{p: [] for p in peers}}
            totals = {}
            for k in range(ROUNDS):
                for name in taken:
                    segments = peers.get(name, SEGMENTS)
                    if k > 0 and segments < SEGMENTS and how == "pairwise":
                        continue
                    command = [binary] if name == "mteval" else [sys.executable, "-c", CHILD, name]
                    out = subprocess.run([*command, metric, how, str(CANDIDATES), files[segments]], env=env, check=True, capture_output=True, text=True).stdout
                    seconds, total = map(float, out.split())
                    taken[name].append(seconds * SEGMENTS / segments)
                    totals[name] = total
            ours = statistics.median(taken["mteval"])
            print(f"{metric} {how}\n  mteval {ours:.4f} s, utilities {totals['mteval']:.3f}")
            for p, segments in peers.items():
                t = statistics.median(taken[p])
                of = f", utilities {totals[p]:.3f}" if segments == SEGMENTS else f" (of {segments})"
                print(f"  {p} {t:.4f} s, {t / ours:.2f} times as long{of}")
            sys.stdout.flush()


main()
