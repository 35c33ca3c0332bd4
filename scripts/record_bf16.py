"""Records what transformers makes of the tiny models of backend/transformer in bfloat16.

    pip install torch==2.15.0 transformers==4.57.6
    python3 scripts/record_bf16.py

writes backend/transformer/testdata/bf16.json: of each model and each case of its
expected.json the first 8 numbers of every token after the last layer,

  whole   the model in bfloat16, all of it,
  linear  in float32 but for the matrices: these and what they are multiplied with are rounded
          to bfloat16, which is what backend/transformer does.
"""
import json
import pathlib
import sys
from importlib.metadata import version

import torch
from transformers import AutoModel

PINNED = {"torch": "2.15.0", "transformers": "4.57.6"}
for package, pinned in PINNED.items():
    if not version(package).startswith(pinned):
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
ROOT = pathlib.Path(__file__).resolve().parent.parent / "backend/transformer/testdata"


def rounded(x):
    return x.bfloat16().float()


class Linear(torch.nn.Linear):
    def forward(self, x):
        return torch.nn.functional.linear(rounded(x), rounded(self.weight), self.bias)


class Conv(torch.nn.Conv1d):
    def forward(self, x):
        return self._conv_forward(rounded(x), rounded(self.weight), self.bias)


def run(model, cases):
    out = []
    for ids in cases:
        ids = torch.tensor(ids)
        with torch.no_grad():
            h = model(input_ids=ids[None], attention_mask=torch.ones(1, len(ids), dtype=torch.long), output_hidden_states=True).hidden_states[-1]
        out.append([[round(x, 5) for x in t[:8]] for t in h[0].float().tolist()])
    return out


def rms(a, b):
    if not a:
        return float("nan")
    a, b = (torch.tensor([x for case in v for token in case for x in token]) for v in (a, b))
    return float((a - b).square().mean().sqrt())


recorded = {}
for name in sorted(p.parent.name for p in ROOT.glob("*/expected.json")):
    cases = [c["ids"] for c in json.loads((ROOT / name / "expected.json").read_text())["cases"]]
    try:
        whole = run(AutoModel.from_pretrained(ROOT / name, dtype=torch.bfloat16).eval(), cases)
    except RuntimeError:  # DeBERTa of version 1 mixes types
        whole = []
    model = AutoModel.from_pretrained(ROOT / name, dtype=torch.float32).eval()
    exact = run(model, cases)
    for m in model.modules():
        if type(m) is torch.nn.Linear:
            m.__class__ = Linear
        elif type(m) is torch.nn.Conv1d:
            m.__class__ = Conv
    linear = run(model, cases)
    recorded[name] = {"whole": whole, "linear": linear}
    print(f"{name:24} whole {rms(whole, exact):.4f}, linear {rms(linear, exact):.4f}")
with open(ROOT / "bf16.json", "w") as f:
    json.dump({"by": "transformers 4.57.6, torch 2.15.0", "models": recorded}, f, separators=(",", ":"))
    f.write("\n")
