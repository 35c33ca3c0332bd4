"""Times mteval stream by BLEU and chrF on synthetic lines, beside the library in a loop and
sacreBLEU's sentence functions.

    bench/stream.py make LINES > lines.tsv
    PYTHON=$(scripts/sacrebleu.sh DIR) bench/stream.py race lines.tsv [LINES]
    bench/stream.py memory lines.tsv LINES…

make writes a table of id, hypothesis and reference: 5 to 16 words of a vocabulary of 20,000
by Zipf's law, a quarter of which the hypothesis has otherwise.

race takes the first LINES (20,000) of it and runs, in turn and five times: mteval stream;
bench/stream, the library in a loop, with 512 lines a call, and one; sacreBLEU by
`parallel --pipe` over all processors, or where that is not there by split and xargs -P. It
prints medians of processor time and of time, a line, and first that all give the same scores.

memory runs mteval stream on so many lines each, and prints how much memory each took.
"""

import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

THEIRS = """
import sys
from sacrebleu.metrics import BLEU, CHRF
bleu, chrf = BLEU(effective_order=True), CHRF()
for line in sys.stdin:
    line = line.rstrip("\\n")
    _, hyp, ref = line.split("\\t")
    print(line, "%.6f" % bleu.sentence_score(hyp, [ref]).score, "%.6f" % chrf.sentence_score(hyp, [ref]).score, sep="\\t")
"""


def make(n):
    random.seed(1)
    letters = "abcdefghiklmnoprstuvwz"
    vocab = ["".join(random.choice(letters) for _ in range(random.randint(2, 11))) for _ in range(20000)]
    words = random.choices(vocab, [1 / (i + 2) for i in range(20000)], k=400000)
    print("id\thypothesis\treference")
    draw, out = random.random, []
    for i in range(n):
        k, at = 5 + int(draw() * 12), int(draw() * 399000)
        ref = words[at : at + k]
        hyp = ref[:]
        for _ in range(k // 4):
            hyp[int(draw() * k)] = words[int(draw() * 400000)]
        if draw() < 0.3:
            del hyp[int(draw() * k)]
        out.append(f"{i}\t{' '.join(hyp)}, {i}.\t{' '.join(ref)}, {i}.\n")
        if len(out) == 10000:
            sys.stdout.write("".join(out))
            out = []
    sys.stdout.write("".join(out))


def head(path, n, to):
    with open(path) as f, open(to, "w") as out:
        for _, line in zip(range(n + 1), f):
            out.write(line)


def build(dir):
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name in ("./cmd/mteval", "./bench/stream"):
        subprocess.run(["go", "build", "-o", os.path.join(dir, os.path.basename(name)), name], cwd=here, check=True)


def measured(command, out):
    """Runs a command, and returns seconds, processor seconds and KB at most."""
    start = time.time()
    p = subprocess.Popen(command, shell=True, stdout=out, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(p.pid, 0)
    if status:
        sys.exit(f"{command}: status {status}")
    return time.time() - start, used.ru_utime + used.ru_stime, used.ru_maxrss


def race(path, n):
    python = os.environ["PYTHON"]
    with tempfile.TemporaryDirectory() as dir:
        build(dir)
        lines = os.path.join(dir, "lines.tsv")
        head(path, n, lines)
        with open(os.path.join(dir, "theirs.py"), "w") as f:
            f.write(THEIRS)
        jobs = os.cpu_count()
        theirs = f"tail -n +2 {lines} | parallel -j{jobs} --pipe -k --block 256k {python} {dir}/theirs.py"
        if not shutil.which("parallel"):
            theirs = (
                f"cd {dir} && rm -f part.* && tail -n +2 {lines} | split -l {-(-n // jobs)} - part. && "
                f"ls part.?? | xargs -P{jobs} -I@ sh -c '{python} theirs.py < @ > @.out' && cat part.*.out"
            )
        runs = {
            "mteval stream": f"exec {dir}/mteval stream -q -m bleu,chrf {lines} | tail -n +2",
            "the library, 512 lines a call": f"exec {dir}/stream -block 512 {lines}",
            "the library, a line a call": f"exec {dir}/stream -block 1 {lines}",
            "sacreBLEU": theirs,
        }
        took, outs = {name: [] for name in runs}, {}
        for _ in range(5):
            for name, command in runs.items():
                with open(os.path.join(dir, "out"), "w+b") as out:
                    took[name].append(measured(command, out))
                    out.seek(0)
                    outs[name] = out.read()
        for name in runs:
            same = "same" if outs[name] == outs["sacreBLEU"] else "OTHER"
            wall, cpu = (statistics.median(t[i] for t in took[name]) / n * 1e6 for i in (0, 1))
            print(f"{name}: {cpu:.1f} µs of a processor a line, {wall:.1f} µs; {same} scores")


def memory(path, sizes):
    with tempfile.TemporaryDirectory() as dir:
        build(dir)
        for n in sizes:
            feed = f"head -n {n + 1} {path}"
            p = subprocess.Popen(feed.split(), stdout=subprocess.PIPE)
            start = time.time()
            q = subprocess.Popen([f"{dir}/mteval", "stream", "-q", "-m", "bleu,chrf"], stdin=p.stdout, stdout=subprocess.DEVNULL)
            p.stdout.close()
            seen = []
            while True:  # a look at its memory every tenth of a second
                pid, status, used = os.wait4(q.pid, os.WNOHANG)
                if pid:
                    break
                with open(f"/proc/{q.pid}/status") as f:
                    seen += [int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS:")]
                time.sleep(0.1)
            if status or p.wait():
                sys.exit(f"status {status}")
            cpu = (used.ru_utime + used.ru_stime) / n * 1e6
            third = max(len(seen) // 3, 1)
            first, last = statistics.median(seen[:third]), statistics.median(seen[-third:])
            print(
                f"{n} lines: {first:.0f} MiB in the first third, {last:.0f} in the last, {used.ru_maxrss / 1024:.0f} at most; "
                f"{time.time() - start:.0f} s, {cpu:.1f} µs of a processor a line",
                flush=True,
            )


if __name__ == "__main__":
    what, rest = sys.argv[1], sys.argv[2:]
    if what == "make":
        make(int(rest[0]))
    elif what == "race":
        race(rest[0], int(rest[1]) if len(rest) > 1 else 20000)
    else:
        memory(rest[0], [int(n) for n in rest[1:]])
