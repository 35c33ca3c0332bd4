"""Makes tiny random models of every kind that backend/transformer runs, and records
their hidden states by the reference implementation.

    pip install torch==2.11.0 transformers==4.57.6
    python3 scripts/record_models.py

writes backend/transformer/testdata/NAME/{config.json,model.safetensors,expected.json}.
"""
import json
import pathlib
import shutil
import string
import sys
from importlib.metadata import version

import torch
from transformers import (BertConfig, BertForMaskedLM, BertModel, DistilBertConfig, DistilBertModel, MPNetConfig,
                          MPNetModel, RobertaConfig, RobertaModel, XLMRobertaConfig, XLMRobertaModel)

for package, pinned in (("torch", "2.11.0"), ("transformers", "4.57.6")):
    if not version(package).startswith(pinned):
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
OUT = pathlib.Path(__file__).resolve().parent.parent / "backend/transformer/testdata"
VOCAB, LONGEST = 90, 40
common = dict(vocab_size=VOCAB, hidden_size=24, num_hidden_layers=2, num_attention_heads=3, intermediate_size=40)
MODELS = {  # name: class, config, number type, least id that a text may have, tensors to a file
    "bert": (BertModel, BertConfig(**common, max_position_embeddings=LONGEST), torch.float32, 1, None),
    "bert-mlm-bf16-gelunew": (BertForMaskedLM, BertConfig(**common, max_position_embeddings=LONGEST, hidden_act="gelu_new"), torch.bfloat16, 1, None),
    "roberta-f16": (RobertaModel, RobertaConfig(**common, max_position_embeddings=LONGEST + 2, type_vocab_size=1, pad_token_id=1), torch.float16, 0, None),
    "xlm-roberta-sharded": (XLMRobertaModel, XLMRobertaConfig(**common, max_position_embeddings=LONGEST + 2, type_vocab_size=1, pad_token_id=1), torch.float32, 0, "8KB"),
    "distilbert": (DistilBertModel, DistilBertConfig(vocab_size=VOCAB, dim=24, n_layers=2, n_heads=3, hidden_dim=40, max_position_embeddings=LONGEST), torch.float32, 1, None),
    "mpnet": (MPNetModel, MPNetConfig(**common, max_position_embeddings=LONGEST + 2, pad_token_id=1), torch.float32, 0, None),
}
# Pieces for the first model, so that it can be run on text.
PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *string.ascii_lowercase, *("##" + c for c in string.ascii_lowercase),
          *string.digits, *("##" + c for c in string.digits), *".,!?-'\"", "der", "die", "und", "##en"][:VOCAB]
for number, (name, (kind, config, dtype, least, shard)) in enumerate(MODELS.items()):
    torch.manual_seed(1000 + number)
    model = kind(config).eval()
    with torch.no_grad():
        for p in model.parameters():  # biases and norms too, and large enough to matter
            p.normal_(0, .3)
        for n, p in model.named_parameters():
            if "LayerNorm.weight" in n or "layer_norm.weight" in n:
                p.add_(1)
    model = model.to(dtype)
    folder = OUT / name
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder, **({"max_shard_size": shard} if shard else {}))
    (folder / "generation_config.json").unlink(missing_ok=True)
    if name == "bert":
        (folder / "vocab.txt").write_text("".join(p + "\n" for p in PIECES))
    model = model.float()
    cases = []
    for length in (3, 1, 17, LONGEST, 2, 33):
        ids = torch.randint(least, VOCAB, (length,))
        with torch.no_grad():
            out = model(input_ids=ids[None], attention_mask=torch.ones(1, length, dtype=torch.long), output_hidden_states=True)
        # The first 8 of the 24 numbers of each token.
        cases.append({"ids": ids.tolist(), "hidden": [[[round(x, 5) for x in t[:8]] for t in h[0].tolist()] for h in out.hidden_states]})
    with open(folder / "expected.json", "w") as f:
        json.dump({"by": "transformers 4.57.6, torch 2.11.0, float32", "cases": cases}, f, separators=(",", ":"))
        f.write("\n")
