"""Records bert_score's values on small random embeddings of our own, for bertscore.

    pip install bert-score==0.3.13 torch==2.11.0 transformers==4.57.6 pandas==3.1.1
    python3 scripts/record_bertscore.py

writes bertscore/testdata/bert_score.json.

The program runs whole, bert_score.score, but for its model and its tokenizer,
which are stubs: words are split at spaces, and every text has random vectors of
its own, which are recorded too. batch_size=1 keeps it from padding, so that each
pair goes to greedy_cos_idf alone; what padding changes is a fault that bertscore
does not follow. No model is loaded and nothing is downloaded.
"""
import importlib
import json
import math
import pathlib
import random
import sys
import tempfile
from importlib.metadata import version

PINNED = {"bert-score": "0.3.13", "torch": "2.11.0", "transformers": "4.57.6", "pandas": "3.1.1"}
for package, pinned in PINNED.items():
    if version(package).split("+")[0] != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")

import torch
from bert_score import utils

# The package's name "score" is the function, which hides the module of that name.
program = importlib.import_module("bert_score.score")
ROOT = pathlib.Path(__file__).resolve().parent.parent
rng = random.Random(20261127)
DIM = 8
WORDS = "the a cat dog sat ran on under mat tree quickly .".split()
# Words that hypotheses have and no reference: they weigh log(N+1).
UNSEEN = "zebra yonder".split()
SPECIAL = ["[CLS]", "[SEP]"]
IDS = {w: i for i, w in enumerate(SPECIAL + WORDS + UNSEEN)}
BASELINE = {"P": .25, "R": .125, "F": .1875}  # exact in float32


class Tokenizer:
    cls_token_id, sep_token_id, pad_token_id = 0, 1, len(IDS)
    model_max_length = 512

    def build_inputs_with_special_tokens(self, ids):
        return [0] + ids + [1]

    def encode(self, text, add_special_tokens, max_length, truncation):
        return self.build_inputs_with_special_tokens([IDS[w] for w in text.split(" ")])


class Model(torch.nn.Module):
    """Looks vectors up. Only unpadded batches of one text can be found."""

    def __init__(self, vectors):
        super().__init__()
        self.anything = torch.nn.Parameter(torch.zeros(1))
        self.vectors = {tuple(Tokenizer().build_inputs_with_special_tokens([IDS[w] for w in t.split()])): v
                        for t, v in vectors.items()}

    def forward(self, x, attention_mask, output_hidden_states):
        assert x.size(0) == 1 and attention_mask.all()
        return (torch.tensor([self.vectors[tuple(x[0].tolist())]], dtype=torch.float32),)


texts = {}


def vectors_of(text, bias):
    """Random vectors in steps of 1/16, of any length but 0. With a bias, texts
    of one sign are far from those of the other: similarities below 0."""
    if text not in texts:
        out = []
        for _ in range(len(text.split()) + 2):
            v = [0]
            while not any(v):
                v = [round(16 * (rng.gauss(0, 1) + bias)) / 16 for _ in range(DIM)]
            out.append(v)
        texts[text] = out
    return text


def sentence(least=1, most=7, words=WORDS, bias=0):
    return vectors_of(" ".join(rng.choice(words) for _ in range(rng.randint(least, most))), bias)


def fresh(**kwargs):
    """A sentence that no other corpus has, so that its bias is its own."""
    while True:
        n = len(texts)
        s = sentence(**kwargs)
        if len(texts) > n:
            return s


vectors_of("", 0)
corpora = {
    "one reference each": ([sentence() for _ in range(12)], [[sentence()] for _ in range(12)]),
    "several references": ([sentence() for _ in range(9)],
                           [[sentence() for _ in range(1 + i % 4)] for i in range(9)]),
    "unseen words": ([sentence(words=WORDS[:3] + UNSEEN) for _ in range(6)],
                     [[sentence(words=WORDS[:6]) for _ in range(2)] for _ in range(6)]),
}
same = [sentence() for _ in range(4)]
corpora["equal sides and repeated references"] = (same + same[:2], [[s] for s in same] + [[same[2], same[2]], [same[3]]])
# Mild and strong opposition: P and R of different signs, and both below 0.
opposed = [(fresh(least=2, bias=.25 + i / 12), [fresh(least=2, bias=-.25 - i / 12)]) for i in range(14)]
corpora["opposed"] = ([h for h, _ in opposed], [r for _, r in opposed])
corpora["empty sides"] = (["", sentence(), "", sentence()], [[sentence()], [""], [""], ["", sentence()]])
# One reference among all: IDF has nothing to go by.
corpora["a single reference"] = ([vectors_of("the zebra cat yonder", 0)], [[vectors_of("a cat sat on the mat", 0)]])
corpora["a hypothesis of a word that every reference has"] = (
    [vectors_of("the the", 0), sentence(words=WORDS[2:])],
    [[vectors_of("the cat sat", 0)], [vectors_of("dog under the tree", 0)]])


def numbers(tensor):
    return [None if math.isnan(x) else x for x in tensor.tolist()]


out = []
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "baseline.tsv"
    path.write_text("LAYER,P,R,F\n0,%(P)r,%(R)r,%(F)r\n" % BASELINE)
    program.get_tokenizer = lambda model_type, use_fast: Tokenizer()
    program.get_model = lambda model_type, num_layers, all_layers: Model(texts)
    for name, (hyps, refs) in corpora.items():
        runs = []
        for idf in (False, True):
            for rescaled in (False, True):
                single = all(len(r) == 1 for r in refs)
                p, r, f = program.score(
                    hyps, [r[0] for r in refs] if single else refs, model_type="stub", num_layers=0, idf=idf,
                    device="cpu", batch_size=1, nthreads=0, lang="en", rescale_with_baseline=rescaled,
                    baseline_path=str(path))
                runs.append({"idf": idf, "rescaled": rescaled, "p": numbers(p), "r": numbers(r), "f": numbers(f)})
        weights = utils.get_idf_dict([t for r in refs for t in r], Tokenizer(), nthreads=0)
        out.append({"name": name, "hyps": hyps, "refs": refs,
                    "idf": {w: weights[i] for w, i in IDS.items()}, "runs": runs})

target = ROOT / "bertscore/testdata/bert_score.json"
target.parent.mkdir(exist_ok=True)
target.write_text(json.dumps({
    "generated_by": "scripts/record_bertscore.py, " + ", ".join(f"{k} {v}" for k, v in PINNED.items()),
    "dim": DIM, "baseline": BASELINE,
    "texts": [{"text": t, "tokens": [SPECIAL[0], *t.split(), SPECIAL[1]], "vectors": v} for t, v in texts.items()],
    "corpora": out,
}, indent=0) + "\n")
