"""Makes tiny random COMET models of every class and option that package comet runs, and
records the scores that unbabel-comet gives to texts of our own.

    pip install unbabel-comet==2.2.7 torch==2.15.0 transformers==4.57.6 tokenizers==0.22.2 \\
        sentencepiece==0.2.0 pytorch-lightning==2.6.6 numpy==1.26.4 entmax==1.3 setuptools==80.9.0
    HF_HUB_OFFLINE=1 python3 scripts/record_comet.py

writes comet/testdata: the encoders' folders (xlmr, bert, minilm: config.json and tokenizer),
those of models, and expected.json: the ids by a tokenizer without tokenizer.json (spm), and
the cases: a model, another hparams.yaml if the case has
one, what of the texts it reads, and scores.
"""
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile
import warnings
from importlib.metadata import version

PINNED = {"unbabel-comet": "2.2.7", "torch": "2.15.0", "transformers": "4.57.6", "tokenizers": "0.22.2",
          "sentencepiece": "0.2.0", "pytorch-lightning": "2.6.6", "numpy": "1.26.4", "entmax": "1.3"}
for package, pinned in PINNED.items():
    if version(package).split("+")[0] != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
os.environ["HF_HUB_OFFLINE"], os.environ["TOKENIZERS_PARALLELISM"] = "1", "false"
warnings.filterwarnings("ignore")

import logging

import pytorch_lightning
import sentencepiece
import torch
import transformers
import yaml
from transformers import BertConfig, XLMRobertaConfig, XLMRobertaTokenizerFast

from comet.models import load_from_checkpoint, str2model

logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
logging.getLogger("comet").setLevel(logging.ERROR)
transformers.logging.set_verbosity_error()
torch.set_num_threads(1)
OUT = pathlib.Path(__file__).resolve().parent.parent / "comet/testdata"
HIDDEN, LAYERS, POSITIONS = 8, 2, 28

# --- texts -------------------------------------------------------------------
TEXTS = [  # source, hypothesis, reference
    ("The cook sold nine pears.", "Der Koch verkaufte neun Birnen.", "Neun Birnen verkaufte der Koch."),
    ("The baker counts the bread.", "Le boulanger compte le pain.", "Le boulanger compte son pain."),
    ("The baker counts the bread.", "Le boulanger compte le pain.", "Le boulanger compte le pain."),
    ("A cold morning.", "", "Ein kalter Morgen."),
    ("", "Ein Morgen.", "Ein kalter Morgen."),
    ("A cold morning.", "Ein kalter Morgen.", ""),
    ("", "", ""),
    ("寒い朝。", "A cold morning.", "It is a cold morning."),
    ("  two   pears\tand bread ", "zwei Birnen\nund Brot  ", " zwei Birnen und Brot"),
    ("The <pad> cook </s> sold", "Der <pad> Koch </s> <mask>", "Der <s> Koch <unk>"),
    ("pears and pears and pears and pears", "Birnen und Birnen und Birnen und Birnen und Birnen und Birnen und Birnen und Birnen", "viele Birnen"),
    ("The cook sold nine pears, and the baker sold bread, and then it was a cold morning, and the cook counts.",
     "Der Koch verkaufte neun Birnen, und der Bäcker verkaufte Brot, und dann war ein kalter Morgen, und der Koch zählt.",
     "Neun Birnen verkaufte der Koch, Brot verkaufte der Bäcker, und dann war ein Morgen, der kalt war, und der Koch zählt."),
    ("🍐 sold?!", "🍐 — «verkauft»!", "?"),
]

# --- encoders ----------------------------------------------------------------
def encoders():
    text = OUT / "train.tmp"
    lines = [t for triple in TEXTS for t in triple if t.strip() and "<" not in t and "🍐" not in t]
    text.write_text("\n".join(lines * 4) + "\n", encoding="utf-8")
    sentencepiece.SentencePieceTrainer.train(
        input=str(text), model_prefix=str(OUT / "sentencepiece.bpe"), model_type="unigram", vocab_size=74, num_threads=1,
        character_coverage=.99, input_sentence_size=0, shuffle_input_sentence=False, normalization_rule_name="identity", minloglevel=2)
    text.unlink()
    xlmr = OUT / "xlmr"
    XLMRobertaTokenizerFast(str(OUT / "sentencepiece.bpe.model"), model_max_length=POSITIONS - 2).save_pretrained(xlmr)
    (OUT / "spm").mkdir()
    shutil.copy(OUT / "sentencepiece.bpe.model", OUT / "spm")
    for path in [OUT / "sentencepiece.bpe.model", OUT / "sentencepiece.bpe.vocab", xlmr / "sentencepiece.bpe.model", xlmr / "special_tokens_map.json"]:
        path.unlink(missing_ok=True)
    size = len(json.loads((xlmr / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"])
    common = dict(hidden_size=HIDDEN, num_hidden_layers=LAYERS, num_attention_heads=2, intermediate_size=12,
                  max_position_embeddings=POSITIONS, hidden_act="gelu")
    XLMRobertaConfig(vocab_size=size, pad_token_id=1, bos_token_id=0, eos_token_id=2, type_vocab_size=1, layer_norm_eps=1e-5,
                     **common).save_pretrained(xlmr)
    shutil.copy(xlmr / "config.json", OUT / "spm")
    minilm = OUT / "minilm"
    minilm.mkdir()
    shutil.copy(xlmr / "tokenizer.json", minilm)
    BertConfig(vocab_size=size, pad_token_id=0, type_vocab_size=2, **common).save_pretrained(minilm)
    bert = OUT / "bert"
    bert.mkdir()
    letters = sorted({c for line in lines for c in line.lower() if c.isalpha() and ord(c) < 300})
    vocab = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "the", "cook", "der", "sold"] + letters + ["##" + c for c in letters]
    (bert / "vocab.txt").write_text("\n".join(vocab) + "\n", encoding="utf-8")
    (bert / "tokenizer_config.json").write_text('{"do_lower_case": true}\n')
    BertConfig(vocab_size=len(vocab), pad_token_id=0, type_vocab_size=2, **common).save_pretrained(bert)


# The program takes MiniLM's tokenizer from the hub.
load_tokenizer = XLMRobertaTokenizerFast.from_pretrained
XLMRobertaTokenizerFast.from_pretrained = lambda name, **kw: load_tokenizer("minilm" if name == "xlm-roberta-base" else name, **kw)

# --- models ------------------------------------------------------------------
REGRESSION, REFERENCELESS, UNIFIED = "regression_metric", "referenceless_regression_metric", "unified_metric"
HEAD = dict(hidden_sizes=[7, 5], activations="Tanh", final_activation=None)
WMT21 = dict(HEAD, encoder_model="XLM-RoBERTa", pretrained_model="xlmr", dropout=.1, pool="avg", layer="mix")
WMT22 = dict(WMT21, layer_norm=False, layer_transformation="sparsemax")
KIWI = dict(HEAD, encoder_model="XLM-RoBERTa", pretrained_model="xlmr", dropout=.1, sent_layer="mix", layer_norm=False,
            layer_transformation="sparsemax", input_segments=["mt", "src"])
MODELS = {  # class, settings, and what of them the checkpoint has not
    "wmt21": (REGRESSION, WMT21, ["layer_norm", "layer_transformation", "class_identifier", "warmup_steps", "pool", "activations", "final_activation"]),
    "wmt22": (REGRESSION, WMT22, []),
    "no-dropout": (REGRESSION, dict(WMT22, dropout=0., layer_norm=True, hidden_sizes=[6], final_activation="Softsign"), []),
    "cls": (REGRESSION, dict(WMT22, pool="cls", layer_norm=True), []),
    "max": (REGRESSION, dict(WMT21, pool="max", layer_norm=True, layer_transformation="no such"), []),
    "default-pool": (REFERENCELESS, dict(WMT22, pool="default"), []),
    "embeddings": (REGRESSION, dict(WMT22, layer=0, pool="max", hidden_sizes=[6, 5, 4], activations="mish"), []),
    "of-bert": (REGRESSION, dict(WMT21, encoder_model="BERT", pretrained_model="bert", layer_transformation="softmax"), []),
    "of-minilm": (REGRESSION, dict(WMT22, encoder_model="MiniLM", pretrained_model="minilm", layer=1), []),
    "qe": (REFERENCELESS, dict(WMT21, layer_norm=False, activations="tanh", final_activation="sigmoid"), []),
    "kiwi": (UNIFIED, KIWI, []),
    "unified": (UNIFIED, dict(KIWI, input_segments=["ref", "mt", "src"]), ["input_segments", "layer_norm", "layer_transformation"]),
    "unified-ref": (UNIFIED, dict(KIWI, input_segments=["mt", "ref"], layer_transformation="softmax"), []),
    "unified-layer": (UNIFIED, dict(KIWI, input_segments=["mt", "src", "ref"], sent_layer=1, final_activation="Sigmoid"), []),
    "tags": (UNIFIED, dict(KIWI, input_segments=["mt", "src", "ref"], word_level_training=True, word_layer=1), []),
}
# Sparsemax gives a layer nothing; of the second kind it is the last.
SCALARS = {"wmt22": [.4, -1.1, .7], "cls": [.9, .5, -2.], "kiwi": [.5, -.9, .2], "tags": [.3, .6, .1]}


def randomize(model, seed):
    g = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in sorted(model.named_parameters()):
            scale = 1. if "scalar_parameters" in name else .6 if "embeddings" in name else .3 if p.dim() == 1 else 1.5 / p.shape[-1] ** .5
            p.copy_(torch.randn(p.shape, generator=g) * scale + (1. if name.endswith("LayerNorm.weight") or name.endswith("gamma") else 0.))


def build(number, name):
    identifier, settings, dropped = MODELS[name]
    model = str2model[identifier](load_pretrained_weights=False, local_files_only=True, **settings)
    randomize(model, 100 + number)
    if name in SCALARS:
        with torch.no_grad():
            for p, v in zip(model.layerwise_attention.scalar_parameters, SCALARS[name]):
                p.fill_(v)
    trainer = pytorch_lightning.Trainer(accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                        enable_model_summary=False)
    trainer.strategy.connect(model)
    trainer.save_checkpoint("tmp.ckpt", weights_only=True)
    checkpoint = torch.load("tmp.ckpt", map_location="cpu", weights_only=False)
    os.remove("tmp.ckpt")
    checkpoint.pop("loops")
    for key in dropped + ["load_pretrained_weights"]:
        checkpoint["hyper_parameters"].pop(key, None)
    if name == "wmt21":  # as old versions of transformers
        checkpoint["state_dict"]["encoder.model.embeddings.position_ids"] = torch.arange(POSITIONS).expand((1, -1)).clone()
    buffer = io.BytesIO()
    torch.save(checkpoint, buffer)
    (OUT / name / "checkpoints").mkdir(parents=True)
    (OUT / name / "checkpoints/model.ckpt").write_bytes(buffer.getvalue())
    (OUT / name / "hparams.yaml").write_text(yaml.safe_dump(dict(settings, class_identifier=identifier)))


# --- cases -------------------------------------------------------------------
ALL = ("src", "mt", "ref")


def cases():
    for name, (identifier, _, _) in MODELS.items():
        sets = {REGRESSION: [ALL], REFERENCELESS: [("src", "mt")], UNIFIED: [ALL, ("src", "mt"), ("mt", "ref")]}[identifier]
        if name == "kiwi":
            sets = [("src", "mt")]
        if name == "unified-ref":
            sets = [("mt", "ref")]
        for keys in sets:
            yield name + (" " + "+".join(keys) if len(sets) > 1 else ""), name, None, keys
    base = dict(WMT22, class_identifier=REGRESSION)
    yield "patch", "wmt22", dict(base, layer_transformation="sparsemax_patch"), ALL
    yield "other yaml", "wmt22", dict(base, layer_transformation="softmax", pool="max", layer=1, layer_norm=True, hidden_sizes=[3]), ALL
    yield "short yaml", "wmt22", dict(class_identifier=REGRESSION), ALL
    yield "kiwi patch", "kiwi", dict(KIWI, class_identifier=UNIFIED, layer_transformation="sparsemax_patch"), ("src", "mt")


def predict(folder, rows, keys):
    model = load_from_checkpoint(folder / "checkpoints/model.ckpt", local_files_only=True)
    samples = [{k: row[k] for k in keys} for row in rows]
    return model.predict(samples, batch_size=1, gpus=0, num_workers=0, progress_bar=False)["scores"]


def main():
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    os.chdir(OUT)
    encoders()
    for number, name in enumerate(MODELS):
        build(number, name)
    rows = [dict(zip(ALL, triple)) for triple in TEXTS]
    recorded = []
    for name, model, hparams, keys in cases():
        with tempfile.TemporaryDirectory() as folder:
            folder = shutil.copytree(OUT / model, pathlib.Path(folder) / "model")
            text = yaml.safe_dump(hparams) if hparams else ""
            if text:
                (folder / "hparams.yaml").write_text(text)
            recorded.append({"name": name, "model": model, "hparams": text, "reads": list(keys), "scores": predict(folder, rows, keys)})
    x = torch.linspace(-25, 25, 21)
    activations, refused = {}, []
    for name in ("Tanh", "tanh", "SIGMOID", "Identity", "mish", "Softplus", "Softsign", "Hardtanh", "hardsigmoid", "Hardswish", "Tanhshrink",
                 "hardshrink", "Softshrink",
                 "gelu", "ReLU", "SiLU", "LeakyReLU", "ELU"):
        if hasattr(torch.nn, name.title()):
            activations[name] = getattr(torch.nn, name.title())()(x).tolist()
        else:
            refused.append(name)
    lines = [t for triple in TEXTS for t in triple] + ["  a   b", "<mask> pears<mask>", " <s>a</s> ▁ b", "\u3000 pears \u00a0 and\r\n", "xyz 朝 寒Ж"]
    tokenizer = load_tokenizer("spm")
    ids = [{"text": t, "ids": tokenizer(t)["input_ids"]} for t in lines]
    out = {"spm": ids, "by": ", ".join(f"{k} {v}" for k, v in PINNED.items()) + ", float32", "texts": rows, "cases": recorded,
           "activations": {"x": x.tolist(), "values": activations, "refused": refused}}
    (OUT / "expected.json").write_text(json.dumps(out, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


main()
