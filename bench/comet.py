"""Times COMET beside unbabel-comet, on one thread: one system, and all of those that are named
against the same sources and references; and compares the scores.

    PYTHON=… python3 bench/comet.py SIZE SRC REF HYP…

PYTHON is a Python with unbabel-comet (2.2.7 on torch 2.15.0 and transformers 4.57.6 were
measured). The model is a random one of SIZE minilm (12 layers of 384) or base (12 of 768, as
XLM-R base), with a tokenizer of 8,000 pieces that is trained on SRC and REF; LINES lines of each
text are taken (default 500). Times are of processes' CPUs, medians of RUNS runs (default 3), ours
of the whole command, the model's reading among it, and theirs of predict alone and of the whole
process, with what it imports.
"""
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MAKE = r"""
import logging, os, pathlib, sys, warnings
warnings.filterwarnings("ignore")
import pytorch_lightning, sentencepiece, torch, yaml
from comet.models import str2model
from transformers import XLMRobertaConfig, XLMRobertaTokenizerFast
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
size, *texts = sys.argv[1:]
hidden, inner = {"minilm": (384, 1536), "base": (768, 3072)}[size]
torch.manual_seed(1)
sentencepiece.SentencePieceTrainer.train(input=",".join(texts), model_prefix="pieces", vocab_size=8000, hard_vocab_limit=False, minloglevel=2)
tokenizer = XLMRobertaTokenizerFast("pieces.model", model_max_length=512)
tokenizer.save_pretrained("encoder")
XLMRobertaConfig(vocab_size=len(tokenizer), hidden_size=hidden, num_hidden_layers=12, num_attention_heads=12, intermediate_size=inner,
                 max_position_embeddings=514, type_vocab_size=1, layer_norm_eps=1e-5).save_pretrained("encoder")
settings = dict(encoder_model="XLM-RoBERTa", pretrained_model="encoder", pool="avg", layer="mix", layer_norm=False,
                layer_transformation="softmax", hidden_sizes=[3072, 1024], activations="Tanh", final_activation=None, dropout=.1)
model = str2model["regression_metric"](load_pretrained_weights=False, local_files_only=True, **settings)
trainer = pytorch_lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False)
trainer.strategy.connect(model)
os.makedirs("model/checkpoints")
trainer.save_checkpoint("model/checkpoints/model.ckpt", weights_only=True)
pathlib.Path("model/hparams.yaml").write_text(yaml.safe_dump(dict(settings, class_identifier="regression_metric")))
"""
PREDICT = r"""
import json, logging, sys, time, warnings
warnings.filterwarnings("ignore")
import torch
torch.set_num_threads(1)
from comet.models import load_from_checkpoint
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
src, ref, *hyps = sys.argv[1:]
def lines(p): return open(p, encoding="utf-8", newline="\n").read().removesuffix("\n").split("\n")
model = load_from_checkpoint("model/checkpoints/model.ckpt", local_files_only=True)
rows = [{"src": s, "mt": m, "ref": r} for h in hyps for s, m, r in zip(lines(src), lines(h), lines(ref))]
start = time.process_time()
scores = model.predict(rows, batch_size=16, gpus=0, num_workers=0, progress_bar=False)["scores"]
print(json.dumps([time.process_time() - start, scores]))
"""


def spent():
    """CPU seconds of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    size, *texts = sys.argv[1:]
    count, runs = int(os.environ.get("LINES", "500")), int(os.environ.get("RUNS", "3"))
    python = os.environ.get("PYTHON", sys.executable)
    env = dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", TOKENIZERS_PARALLELISM="false", HF_HUB_OFFLINE="1")
    with tempfile.TemporaryDirectory() as folder:
        at = pathlib.Path(folder)
        names = []
        for i, text in enumerate(texts):
            lines = pathlib.Path(text).read_text(encoding="utf-8").split("\n")[:count]
            names.append(f"{i}.txt")
            (at / names[-1]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        src, ref, *hyps = names
        subprocess.run(["go", "build", "-o", str(at / "mteval"), "./cmd/mteval"], cwd=HERE.parent, check=True)
        subprocess.run([python, "-c", MAKE, size, src, ref], cwd=at, env=env, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def ours(systems):
            before = spent()
            out = subprocess.run(["./mteval", "score", "-m", "comet(model=model)", "--source", src, "-r", ref, "-q",
                                  "--sentence-level", "-w", "9", *systems], cwd=at, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
            return spent() - before, [float(line.split("\t")[3]) for line in out.splitlines()]

        def theirs(systems):
            before = spent()
            out = subprocess.run([python, "-c", PREDICT, src, ref, *systems], cwd=at, env=env, check=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True).stdout
            return *json.loads(out.splitlines()[-1]), spent() - before

        for systems in [hyps[:1], hyps] if len(hyps) > 1 else [hyps]:
            mine, peer, whole, off = [], [], [], 0
            for _ in range(runs):
                (a, x), (b, y, c) = ours(systems), theirs(systems)
                mine.append(a)
                peer.append(b)
                whole.append(c)
                off = max(off, *(abs(p - q) for p, q in zip(x, y, strict=True)))
            a, b, c = map(statistics.median, (mine, peer, whole))
            print(f"{size}, {len(systems)} systems of {count} lines: mteval {a:.1f} s of CPU, unbabel-comet's predict {b:.1f}, its process {c:.1f}: "
                  f"{a / b:.2f} and {a / c:.2f} of it; "
                  f"scores differ by {off:.1e} at most; load {os.getloadavg()[0]:.1f}", flush=True)


main()
