"""Records what sacreBLEU prints with --format json, for mteval score --format sacrebleu-json.

    pip install sacrebleu==2.6.0 numpy==2.4.6
    python3 scripts/record_sacrebleu_json.py

writes cmd/mteval/testdata/sacrebleu-json.json. The texts are those of examples/data, copied so
that systems are called as here, and two that are made: one is empty, one has a name that is not
ASCII.

sacreBLEU 2.6.0 ends with a TypeError where --paired-bs meets json: numpy's float32 is no number
to the module json. It is run here with numbers of numpy taken for floats.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version

for package, pinned in (("sacrebleu", "2.6.0"), ("numpy", "2.4.6")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "examples/data"

RUN = """
import functools, json, sys
json.dumps = functools.partial(json.dumps, default=float)
sys.argv[0] = "sacrebleu"
from sacrebleu.sacrebleu import main
main()
"""

# Options of sacreBLEU, those of mteval, and systems.
CASES = [
    ("-m bleu", "-m bleu", "aspen"),
    ("-m ter chrf bleu", "-m ter,chrf,bleu", "elder"),
    ("-m chrf --chrf-word-order 2 --chrf-beta 3", "-m chrf --chrf-word-order 2 --chrf-beta 3", "birch"),
    ("-m chrf --chrf-word-order 2", "-m chrf++", "birch"),
    ("-m chrf --chrf-word-order 3", "-m chrf --chrf-word-order 3", "birch"),
    ("-m bleu chrf ter -ci -cin 50 -w 3", "-m bleu,chrf,ter --confidence --confidence-n 50 -w 3", "cedar"),
    ("-m bleu ter -ci -cin 20", "-m bleu,ter --confidence --confidence-n 20", "empty"),
    ("-m bleu chrf ter", "-m bleu,chrf,ter", "ref"),
    ("-m bleu -w 0", "-m bleu -w 0", "aspen"),
    ("-m bleu -w 8", "-m bleu -w 8", "aspen"),
    ("-m bleu -lc --tokenize intl --smooth-method floor --smooth-value 0.5 -sh", "-m bleu --lowercase --tokenize intl --smooth-method floor --smooth-value 0.5 --short", "aspen"),
    ("-m bleu chrf ter", "-m bleu,chrf,ter", "aspen Übersetzer-😀 empty"),
    ("-m bleu -w 4", "-m bleu -w 4", "aspen birch"),
    ("-m bleu ter -par -parn 50", "-m bleu,ter --paired ar --paired-n 50", "aspen Übersetzer-😀 dogwood"),
    ("-m bleu chrf ter -pbs -pbsn 50", "-m bleu,chrf,ter --paired bs --paired-n 50", "aspen birch empty"),
    ("-m bleu -pbs -pbsn 20", "-m bleu --paired bs --paired-n 20", "empty aspen"),
]

out = []
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    for name in ("aspen", "birch", "cedar", "dogwood", "elder"):
        shutil.copy(DATA / "sys" / f"{name}.txt", folder / name)
    shutil.copy(DATA / "ref.de", folder / "ref")
    shutil.copy(DATA / "sys/birch.txt", folder / "Übersetzer-😀")
    lines = (DATA / "ref.de").read_text(encoding="utf-8").count("\n")
    (folder / "empty").write_text("\n" * lines)
    env = {k: v for k, v in os.environ.items() if not k.startswith("SACREBLEU")}
    for theirs, ours, systems in CASES:
        command = [sys.executable, "-c", RUN, "ref", "-i", *systems.split(), *theirs.split(), "-q"]
        text = subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True, text=True).stdout
        out.append({"sacrebleu": theirs, "mteval": ours, "systems": systems.split(), "output": text})

with open(ROOT / "cmd/mteval/testdata/sacrebleu-json.json", "w", encoding="utf-8") as f:
    json.dump({"generated_by": "scripts/record_sacrebleu_json.py, sacrebleu 2.6.0, numpy 2.4.6", "cases": out}, f, ensure_ascii=True, indent=0)
    f.write("\n")
