"""Times BERTScore of several systems end to end, reading the model left out, beside
bert_score called once a system, on THREADS threads (default 1), and compares the scores.

    PYTHON=… THREADS=1 python3 bench/bertscore.py MODEL LAYER REF HYP…

PYTHON is a Python with torch, transformers and bert_score (2.11.0, 4.57.6 and 0.3.13 were
measured). Times are of the processes' CPUs.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHILD = r"""
import os, sys, time, torch, logging, warnings
logging.disable(logging.WARNING); warnings.filterwarnings("ignore")
from bert_score import BERTScorer
torch.set_num_threads(int(os.environ["GOMAXPROCS"]))
model, layer, ref, hyps = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
def lines(p): return open(p, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")
s = BERTScorer(model_type=model, num_layers=layer, device="cpu", batch_size=64)
start = time.process_time(); wall = time.perf_counter()
scores = [s.score(lines(h), lines(ref))[2].mean().item() for h in hyps]
print(time.process_time() - start, time.perf_counter() - wall, *scores)
"""


def main():
    model, layer, *files = sys.argv[1:]
    threads = os.environ.get("THREADS", "1")
    env = dict(os.environ, GOMAXPROCS=threads, OMP_NUM_THREADS=threads, TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "bench")
        subprocess.run(["go", "build", "-o", binary, "./bench"], cwd=HERE.parent, check=True)
        cpu = {}
        for name, command in (("mteval", [binary, "bertscore", model, layer, *files]),
                              ("bert_score", [os.environ.get("PYTHON", sys.executable), "-c", CHILD, model, layer, *files])):
            out = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
            cpu[name] = float(out[0])
            print(f"{name}: {cpu[name]:.2f} s of CPU, {float(out[1]):.2f} s in all; F", *out[2:], flush=True)
        print(f"bert_score takes {cpu['bert_score'] / cpu['mteval']:.1f} times as long")


main()
