"""Times the transformer backend beside PyTorch on one model and one text, in turn, and prints
medians of the processes' CPU time.

    MODEL=$(scripts/minilm.sh DIR); PYTHON=… python3 bench/models.py $MODEL TEXT [LAYER] [--threads 2] [--base] [--dtype bf16]

Both have as many threads as --threads says, one by default. With --base the model is one of the
size of BERT-base, 12 layers of random numbers, and MODEL has its tokenizer. With --dtype bf16
it also times both in bfloat16, and says by what each multiplies, and why: on processors without
AMX or AVX512_BF16 that is no faster than float32 in either.

PYTHON is a Python with torch and transformers (2.11.0 and 4.57.6 were measured); it runs
Hugging Face's model on batches of 64 texts sorted by length, padded, without gradients.
Reading the model is left out, tokenizing is in: of mteval, the time of a run on no text is
taken off. PyTorch's threads sleep while they wait, as ours do.
"""
import argparse
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHILD = r"""
import sys, time, torch
from transformers import AutoModel, AutoTokenizer
model, text, layer = sys.argv[1], sys.argv[2], int(sys.argv[3])
torch.set_num_threads(int(sys.argv[5]))
dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[sys.argv[4]]
texts = open(text, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")
tok, m = AutoTokenizer.from_pretrained(model), AutoModel.from_pretrained(model, dtype=dtype).eval()
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
# One product, of which oneDNN says by what it is computed.
PRODUCT = """
import torch
with torch.no_grad():
    torch.nn.Linear(384, 384, dtype=torch.bfloat16)(torch.ones(256, 384, dtype=torch.bfloat16))
"""


def torchs_way(python, env):
    command = [python, "-c", PRODUCT]
    out = subprocess.run(command, env=dict(env, ONEDNN_VERBOSE="1"), check=True, stdout=subprocess.PIPE, text=True).stdout
    ways = re.findall(r"exec,cpu,(?:matmul|inner_product),([^,]*)", out)
    return ", ".join(dict.fromkeys(ways)) or "not by oneDNN"


BASE = r"""
import pathlib, shutil, sys
from transformers import BertConfig, BertModel
model, folder = map(pathlib.Path, sys.argv[1:])
BertModel(BertConfig()).save_pretrained(folder)
for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
    shutil.copy(model / name, folder)
"""


def cpu_time(command, env):
    """CPU time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("text")
    parser.add_argument("layer", nargs="?")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--base", action="store_true")
    parser.add_argument("--dtype", choices=["fp32", "bf16"], default="fp32")
    args = parser.parse_args()
    python = os.environ.get("PYTHON", sys.executable)
    layer = args.layer or ("12" if args.base else "6")
    env = dict(os.environ, GOMAXPROCS=args.threads, OMP_NUM_THREADS=args.threads, OMP_WAIT_POLICY="passive", TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    dtypes = ["fp32"] if args.dtype == "fp32" else ["fp32", "bf16"]
    with tempfile.TemporaryDirectory() as folder:
        binary, nothing = str(pathlib.Path(folder) / "bench"), pathlib.Path(folder) / "nothing"
        nothing.write_text("\n")
        model = args.model
        if args.base:
            model = str(pathlib.Path(folder) / "base")
            subprocess.run([python, "-c", BASE, args.model, model], env=env, check=True)
        subprocess.run(["go", "build", "-o", binary, "./bench"], cwd=HERE.parent, check=True)
        if args.dtype == "bf16":
            how = subprocess.run([binary, "bf16"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
            print("mteval's bfloat16:", how)
            print("PyTorch's bfloat16:", torchs_way(python, env), flush=True)
        times = {(name, d): [] for d in dtypes for name in ("mteval", "PyTorch")}
        for _ in range(3):
            for name, d in times:
                if name == "mteval":
                    seconds = [cpu_time([binary, "embed", model, layer, text], dict(env, DTYPE=d)) for text in (args.text, nothing)]
                    times[name, d].append(seconds[0] - seconds[1])
                else:
                    command = [python, "-c", CHILD, model, args.text, layer, d, args.threads]
                    times[name, d].append(float(subprocess.run(command, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout.split()[0]))
                print(name, d, f"{times[name, d][-1]:.2f}", flush=True)
        median = {key: statistics.median(t) for key, t in times.items()}
        for d in dtypes:
            ours, theirs = median["mteval", d], median["PyTorch", d]
            print(f"{d}: mteval {ours:.2f} s, {ours / theirs:.2f} of PyTorch, {ours / median['mteval', 'fp32']:.2f} of mteval's fp32")


main()
