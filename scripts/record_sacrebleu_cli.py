"""Records what sacreBLEU's program does on the command lines of
cmd/mteval/testdata/sacrebleu/commands.txt, for cmd/mteval.

    pip install 'sacrebleu[ja]==2.6.0' numpy==2.4.6 mecab-python3==1.0.12 ipadic==1.0.0
    python3 scripts/record_sacrebleu_cli.py

writes recorded.json beside them, and the texts of the test sets in cache, which sacreBLEU makes
of the SGML there (with our texts under the names of its own).

Each command runs twice: as it stands, for how it ends, and with more options, so that numbers
have all digits.
"""
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version

for package, pinned in (("sacrebleu", "2.6.0"), ("numpy", "2.4.6"), ("mecab-python3", "1.0.12"), ("ipadic", "1.0.0")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
DATA = pathlib.Path(__file__).resolve().parent.parent / "cmd/mteval/testdata/sacrebleu"


def fill(cache):
    """Has sacreBLEU make the texts of the sets in a cache."""
    made = "import sys; from sacrebleu.dataset import DATASETS; DATASETS[sys.argv[1]].process_to_text('en-de')"
    for name in ("wmt17", "wmt18"):
        archive = cache / name / "raw" / f"{name}.test.tgz"
        archive.write_text("unpacked already")  # else it is downloaded
        subprocess.run([sys.executable, "-c", made, name], check=True, env={**os.environ, "SACREBLEU": str(cache)})
        archive.unlink()
        archive.with_suffix(".tgz.lock").unlink(missing_ok=True)


def run(line, folder, more=()):
    """Runs a command, and returns its status and what it prints."""
    words = shlex.split(line)
    env = {**os.environ, "SACREBLEU": str(folder / "cache"), "NO_COLOR": "1"}
    while "=" in words[0]:
        name, value = words.pop(0).split("=")
        if not (more and name == "SACREBLEU_FORMAT"):
            env[name] = value
    stdin = subprocess.DEVNULL
    if "<" in words:
        at = words.index("<")
        stdin = open(folder / words[at + 1])
        del words[at:at + 2]
    assert words[0] == "sacrebleu", line
    command = [sys.executable, "-m", "sacrebleu", *words[1:], *more]
    p = subprocess.run(command, cwd=folder, env=env, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return p.returncode, p.stdout.decode()


def digits(line):
    """The options with which all digits are printed."""
    words = set(shlex.split(line))
    if {"-sl", "--sentence-level"} & words:
        return ["-w", "10", "-b"]
    if {"-pbs", "--paired-bs", "-par", "--paired-ar"} & words:
        return ["-w", "10", "-f", "latex"]  # it can't write chrF's means as JSON
    return ["-w", "10", "-f", "json"]


fill(DATA / "cache")
recorded = {}
with tempfile.TemporaryDirectory() as t:
    folder = pathlib.Path(t) / "sacrebleu"
    shutil.copytree(DATA, folder)
    for line in (DATA / "commands.txt").read_text().splitlines():
        line = line.split("##")[0].strip()
        if not line or line.startswith("#"):
            continue
        status, printed = run(line, folder)
        r = recorded[line] = {"status": status}
        if status == 0 and "--list" not in line:  # which has sacreBLEU's sentences
            _, r["digits"] = run(line, folder, digits(line))
            if "\\end{tabular}" in r["digits"]:
                r["digits"] = r["digits"].split("\\end{tabular}")[0]
            if "-b" in shlex.split(line):
                r["stdout"] = printed
with open(DATA / "recorded.json", "w", encoding="utf-8") as f:
    json.dump(recorded, f, ensure_ascii=False, indent=1)
    f.write("\n")
