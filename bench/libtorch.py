"""Times the libtorch backend beside PyTorch on one device, in turn, and prints sentences a
second with tokenizing, medians of 3, and their ratio.

    . DIR/env.sh && PYTHON=… THREADS=1 python3 bench/libtorch.py DEVICE MODEL TEXT [REF HYP…]

DEVICE is cpu or cuda:0; DIR is what scripts/libtorch.sh wrote, MODEL what
scripts/minilm.sh fetched. Each TEXT line is a sentence. It runs MODEL at its layer 6 and a
model of BERT-base's size with random weights at layer 9, in fp32 and, on a GPU, fp16 and
bf16; then, if REF and HYP are given, BERTScore of all of them. PYTHON is a Python with
torch and transformers, which runs Hugging Face's model on texts sorted by length.
BINARY=PATH is a bench that was built before (go build -tags libtorch -o PATH ./bench), for
a machine without Go. THREADS are those of the CPU.
"""
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = os.environ.get("PYTHON", sys.executable)
CHILD = r"""
import os, sys, time, torch
from transformers import AutoModel, AutoTokenizer
model, layer, text, device, dtype = sys.argv[1], int(sys.argv[2]), *sys.argv[3:]
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
texts = open(text, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")
kind = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[dtype]
tok, m = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model, dtype=kind).eval().to(device)
tok.backend_tokenizer.no_padding(); tok.backend_tokenizer.no_truncation()
m.encoder.layer = m.encoder.layer[:layer]
size = 64 if device == "cpu" else 256
def run(texts):
    for i in range(0, len(texts), size):
        batch = tok(texts[i:i + size], return_tensors="pt", padding=True, truncation=True, max_length=512).to(device)
        m(**batch)
    if device != "cpu":
        torch.cuda.synchronize()
with torch.no_grad():
    run(texts[:size])
    start = time.perf_counter()
    run(sorted(texts, key=len))
print(time.perf_counter() - start)
"""
RANDOM = r"""
import sys, torch
from transformers import BertConfig, BertModel
torch.manual_seed(1)
BertModel(BertConfig(num_hidden_layers=9)).save_pretrained(sys.argv[1])
"""


def run(command, env):
    return subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def main():
    device, minilm, text, *files = sys.argv[1:]
    threads = os.environ.get("THREADS", "1")
    env = dict(os.environ, GOMAXPROCS=threads, OMP_NUM_THREADS=threads, DEVICE=device, TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    if device != "cpu":
        for name in ("GOMAXPROCS", "TOKENIZERS_PARALLELISM"):
            del env[name]
        env["OMP_NUM_THREADS"] = str(os.cpu_count())
    count = len(open(text, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n"))
    with tempfile.TemporaryDirectory() as folder:
        binary = os.environ.get("BINARY")
        if not binary:
            binary = folder + "/bench"
            subprocess.run(["go", "build", "-tags", "libtorch", "-o", binary, "./bench"], cwd=HERE.parent, check=True)
        base = folder + "/bert-base-random"
        subprocess.run([PYTHON, "-c", RANDOM, base], check=True, stdout=subprocess.DEVNULL)
        for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
            if os.path.exists(f"{minilm}/{name}"):
                shutil.copy(f"{minilm}/{name}", base)
        task = "embed" if device == "cpu" else "hold"
        print(f"{device}, {threads} threads, {count} sentences, sentences/s")
        print("model       dtype   mteval  PyTorch  mteval's time / PyTorch's")
        for name, model, layer in (("MiniLM", minilm, "6"), ("BERT-base", base, "9")):
            for dtype in ("fp32",) if device == "cpu" else ("fp32", "fp16", "bf16"):
                ours, theirs = [], []
                for _ in range(3):
                    ours.append(float(run([binary, task, model, layer, text], dict(env, DTYPE=dtype))[0]))
                    theirs.append(float(run([PYTHON, "-c", CHILD, model, layer, text, device, dtype], env)[0]))
                a, b = statistics.median(ours), statistics.median(theirs)
                print(f"{name:11} {dtype:5} {count / a:8.0f} {count / b:8.0f} {a / b:8.2f}", flush=True)
                if files:
                    out = run([binary, "bertscore", model, layer, *files], dict(env, DTYPE=dtype))
                    print(f"{name:11} {dtype:5} BERTScore of {len(files) - 1} systems: {float(out[1]):.2f} s", flush=True)


if __name__ == "__main__":
    main()
