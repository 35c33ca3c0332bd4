"""Races METEOR against meteor-1.5.jar, in turn, on one core, and prints medians and ratios.

    python3 bench/meteor.py FOLDER REF HYP [ROUNDS]

FOLDER is what scripts/meteor.sh prints; it has the jar and its English paraphrases. REF
and HYP are English, such as the 2,000 lines of WMT19's ref.en and a sys/*.txt. It needs
Go, Java, taskset, and Python 3.9 or newer, on Linux. ROUNDS is 5.

Every measurement is a new process, and start-up is left out. Ours is timed inside the
process, around what makes words of both sides and scores them. The jar's is the
difference of two processes of one round:

- cold: the run over the text less the run over its first line. It holds what the JVM's
  compiler does meanwhile;
- warm: the run over the text five times less the run over it once, divided by four, as
  in the later parts of a long text. Ours is taken alike, and knows all words by then.

Reading the paraphrases is, of the jar, the run over one line with all stages less that
without paraphrases.

CPU time (getrusage) is user and system time of all threads, the JVM's compiler and
either's garbage collector among them. It is the figure to go by where others use the
machine. Memory is the peak of a process. Where the system scores differ by more than
1e-12, the race ends with an error.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TIMES = 5  # how often the long text has the text


def run(cores, command, env):
    """The output of a command on these cores, its wall and CPU seconds, and its peak MB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.perf_counter()
        child = subprocess.Popen(["taskset", "-c", ",".join(map(str, cores)), *command], env=env, stdout=out, stderr=err)
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if child.returncode != 0:
            sys.exit(f"{command[0]} failed: {err.read().decode()[-2000:]}")
        return out.read().decode().split(), (wall, used.ru_utime + used.ru_stime), used.ru_maxrss / 1024


class Race:
    def __init__(self, folder, binary, texts, cores):
        self.jar = str(folder / "meteor-1.5.jar")
        self.table = str(folder / "data" / "paraphrase-en.gz")
        self.binary, self.texts, self.cores = binary, texts, cores
        self.figures = {}  # (what, whose): a pair of wall and CPU seconds of each round
        self.peaks = {}

    def add(self, what, whose, pair):
        self.figures.setdefault((what, whose), []).append(pair)

    def jar_run(self, text, full, cores):
        ref, hyp = self.texts[text]
        stages = [] if full else ["-m", "exact stem synonym"]
        out, took, peak = run(cores, ["java", "-XX:+UseSerialGC", "-Xmx2G", "-jar", self.jar, hyp, ref, "-l", "en", "-norm", "-q", *stages], None)
        return float(out[-1]), took, peak

    def our_run(self, text, full, cores):
        ref, hyp = self.texts[text]
        out, _, peak = run(cores, [self.binary, self.jar, ref, hyp, *([self.table] if full else [])],
                           dict(os.environ, GOMAXPROCS=str(len(cores))))
        x = [float(f) for f in out]
        return x[4], x[0:2], x[2:4], peak

    def both(self, text, full, cores):
        """The jar's times of the process, and ours of reading and of scoring."""
        theirs, took, peak = self.jar_run(text, full, cores)
        score, read, scored, our_peak = self.our_run(text, full, cores)
        if not abs(theirs - score) <= 1e-12:
            sys.exit(f"SCORES DIFFER, text {text}, {'all stages' if full else 'exact, stem, synonym'}: the jar has {theirs!r}, we have {score!r}")
        if full and text == "once":
            self.peaks.setdefault("jar", []).append(peak)
            self.peaks.setdefault("ours", []).append(our_peak)
        return took, read, scored

    def round(self):
        one, two = self.cores[:1], self.cores[:2]
        first = {}
        for full, stages in ((False, "exact stem synonym"), (True, "all stages")):
            line, _, _ = self.both("line", full, one)
            once, read, cold = self.both("once", full, one)
            long, _, warm = self.both("long", full, one)
            first[full] = line
            self.add(stages + ", cold", "jar", less(once, line))
            self.add(stages + ", cold", "ours", cold)
            self.add(stages + ", warm", "jar", less(long, once, TIMES - 1))
            self.add(stages + ", warm", "ours", less(warm, cold, TIMES - 1))
        self.add("paraphrases, one core", "jar", less(first[True], first[False]))
        self.add("paraphrases, one core", "ours", read)
        if len(two) == 2:
            short, _, _ = self.both("line", False, two)
            full, read, _ = self.both("line", True, two)
            self.add("paraphrases, two cores", "jar", less(full, short))
            self.add("paraphrases, two cores", "ours", read)

    def print(self):
        print(f"{'seconds (medians)':26}{'jar wall':>10}{'ours wall':>10}{'ratio':>7}{'jar CPU':>10}{'ours CPU':>10}{'ratio':>7}")
        for what in dict.fromkeys(w for w, _ in self.figures):
            cells = ""
            for k in range(2):
                jar, ours = (statistics.median(pair[k] for pair in self.figures[what, whose]) for whose in ("jar", "ours"))
                cells += f"{jar:10.3f}{ours:10.3f}{jar / ours:7.1f}"
            print(f"{what:26}{cells}")
        jar, ours = (statistics.median(self.peaks[whose]) for whose in ("jar", "ours"))
        print(f"peak memory, all stages: jar {jar:.0f} MB, ours {ours:.0f} MB")


def less(a, b, by=1):
    return tuple((x - y) / by for x, y in zip(a, b))


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit("usage: meteor.py FOLDER REF HYP [ROUNDS]")
    meteor, ref, hyp = map(pathlib.Path, sys.argv[1:4])
    rounds = int(sys.argv[4]) if len(sys.argv) == 5 else 5
    cores = sorted(os.sched_getaffinity(0))[::-1]
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "meteor")
        subprocess.run(["go", "build", "-o", binary, "./bench/meteor"], cwd=HERE.parent, check=True)
        texts = {}
        for name in ("line", "once", "long"):
            texts[name] = []
            for side, path in (("ref", ref), ("hyp", hyp)):
                text = path.read_bytes().removesuffix(b"\n") + b"\n"
                if name == "line":
                    text = text.split(b"\n", 1)[0] + b"\n"
                out = pathlib.Path(folder) / f"{name}.{side}"
                out.write_bytes(text * (TIMES if name == "long" else 1))
                texts[name].append(str(out))
        race = Race(meteor, binary, texts, cores)
        for k in range(rounds):
            race.round()
            print(f"round {k + 1} of {rounds}", file=sys.stderr)
        segments = len(ref.read_bytes().removesuffix(b"\n").split(b"\n"))
        print(f"METEOR, {segments:,} segments, -l en -norm, {rounds} rounds, one core but where it says two")
        race.print()


main()
