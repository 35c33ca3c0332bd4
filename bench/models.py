"""Times the transformer backend beside PyTorch on one model and one text, on one thread,
in turn, and prints medians of the processes' CPU time.

    MODEL=$(scripts/minilm.sh DIR); PYTHON=… python3 bench/models.py $MODEL TEXT [LAYER]

PYTHON is a Python with torch and transformers (2.11.0 and 4.57.6 were measured); it runs
Hugging Face's model on batches of 64 texts sorted by length, padded, without gradients.
Reading the model is left out, tokenizing is in.
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHILD = r"""
import sys, time, torch
from transformers import AutoModel, AutoTokenizer
torch.set_num_threads(1)
model, text, layer = sys.argv[1], sys.argv[2], int(sys.argv[3])
texts = open(text, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")
tok, m = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model).eval()
tok.backend_tokenizer.no_padding(); tok.backend_tokenizer.no_truncation()
m.encoder.layer = m.encoder.layer[:layer]
start, tokens = time.process_time(), 0
with torch.no_grad():
    texts.sort(key=len)
    for i in range(0, len(texts), 64):
        batch = tok(texts[i:i + 64], return_tensors="pt", padding=True, truncation=True, max_length=512)
        m(**batch)
        tokens += int(batch["attention_mask"].sum())
print(time.process_time() - start, tokens)
"""


def main():
    model, text, layer = sys.argv[1], sys.argv[2], (sys.argv + ["6"])[3]
    python = os.environ.get("PYTHON", sys.executable)
    env = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    with tempfile.TemporaryDirectory() as folder:
        binary = str(pathlib.Path(folder) / "bench")
        subprocess.run(["go", "build", "-o", binary, "./bench"], cwd=HERE.parent, check=True)
        times = {"mteval": [], "PyTorch": []}
        for _ in range(3):
            for name, command in (("mteval", [binary, "embed", model, layer, text]), ("PyTorch", [python, "-c", CHILD, model, text, layer])):
                out = subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
                times[name].append(float(out[0]))
                print(name, *out, flush=True)
        ours = statistics.median(times["mteval"])
        print(f"mteval {ours:.2f} s, {ours / statistics.median(times['PyTorch']):.2f} of PyTorch")


main()
