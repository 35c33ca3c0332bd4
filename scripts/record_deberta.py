"""Makes tiny random DeBERTa models of every kind that backend/transformer runs, and records
their hidden states by the reference implementation; and tiny tokenizers of DeBERTa's two
kinds, and what they make of lines of our own.

    pip install torch==2.15.0 transformers==4.57.6 tokenizers==0.22.2 sentencepiece==0.2.0 protobuf==4.25.9
    python3 scripts/record_deberta.py

writes backend/transformer/testdata/deberta-NAME/{config.json,model.safetensors,expected.json}
and internal/bert/testdata/NAME/, the files of a tokenizer and what it gives (ids.json).
"""
import json
import pathlib
import shutil
import sys
from importlib.metadata import version

PINNED = {"torch": "2.15.0", "transformers": "4.57.6", "tokenizers": "0.22.2", "sentencepiece": "0.2.0"}
for package, pinned in PINNED.items():
    if not version(package).startswith(pinned):
        sys.exit(f"{package} {version(package)} installed, want {pinned}")

import sentencepiece
import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import (AutoTokenizer, DebertaConfig, DebertaForMaskedLM, DebertaForSequenceClassification, DebertaModel,
                          DebertaV2Config, DebertaV2ForMaskedLM, DebertaV2Model)

ROOT = pathlib.Path(__file__).resolve().parent.parent
BY = "transformers 4.57.6, torch 2.15.0, float32"

# --- models ----------------------------------------------------------------
VOCAB, LONGEST = 70, 40
common = dict(vocab_size=VOCAB, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
              max_position_embeddings=LONGEST, relative_attention=True, position_biased_input=False)
both = dict(pos_att_type=["c2p", "p2c"])
MODELS = {  # name: class, config, type of numbers, what the file of the config gets besides
    # As microsoft/deberta-xlarge-mnli.
    "v1": (DebertaForSequenceClassification, DebertaConfig(**common, **both), torch.float32, dict(pos_att_type="c2p|p2c")),
    # Far tokens count as 7 apart, absolute positions and token types beside, and narrow embeddings.
    "v1-all": (DebertaForMaskedLM, DebertaConfig(**{**common, "position_biased_input": True}, pos_att_type=["c2p"], max_relative_positions=8,
                                                 type_vocab_size=2, embedding_size=12, hidden_act="gelu_new"), torch.float16, {}),
    "v1-p2c": (DebertaModel, DebertaConfig(**common, pos_att_type=["p2c"], max_relative_positions=50), torch.bfloat16, {}),
    "v1-plain": (DebertaModel, DebertaConfig(**{**common, "relative_attention": False, "position_biased_input": True}, **both), torch.bfloat16, {}),
    # As microsoft/deberta-v2-xlarge; the second with the convolution that a config has which does not say how.
    "v2-conv": (DebertaV2Model, DebertaV2Config(**common, **both, position_buckets=8, share_att_key=True, norm_rel_ebd="layer_norm", attention_head_size=8,
                                                conv_kernel_size=3, conv_act="gelu"), torch.float32, dict(pos_att_type="p2c|c2p")),
    "v2-conv-tanh": (DebertaV2ForMaskedLM, DebertaV2Config(**common, **both, conv_kernel_size=5, embedding_size=20, type_vocab_size=1),
                     torch.float16, dict(pos_att_type=" P2C | c2p")),
    # As microsoft/deberta-v3-base.
    "v3": (DebertaV2ForMaskedLM, DebertaV2Config(**common, **both, position_buckets=6, share_att_key=True, norm_rel_ebd="layer_norm"), torch.float32,
           dict(pos_att_type="p2c|c2p")),
    # Far tokens are beyond the last bucket.
    "v3-far": (DebertaV2Model, DebertaV2Config(**common, pos_att_type=["c2p"], position_buckets=8, max_relative_positions=16, norm_rel_ebd="none",
                                               layer_norm_eps=1e-5), torch.float16, {}),
    "v2-p2c": (DebertaV2Model, DebertaV2Config(**{**common, "position_biased_input": True}, pos_att_type=["p2c"], norm_rel_ebd="layer_norm"), torch.bfloat16, {}),
}


def model(name, number):
    kind, config, dtype, more = MODELS[name]
    torch.manual_seed(2000 + number)
    m = kind(config).eval()
    with torch.no_grad():
        for n, p in sorted(m.named_parameters()):  # biases and norms too, and large enough to matter
            p.normal_(0, .3)
            if "LayerNorm.weight" in n:
                p.add_(1)
    m = m.to(dtype)
    folder = ROOT / "backend/transformer/testdata" / ("deberta-" + name)
    shutil.rmtree(folder, ignore_errors=True)
    m.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    written = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**written, **more}, indent=2) + "\n")
    m = m.float()
    cases = []
    for length in (3, 1, 17, LONGEST, 2):
        ids = torch.randint(1, VOCAB, (length,))
        with torch.no_grad():
            out = m(input_ids=ids[None], attention_mask=torch.ones(1, length, dtype=torch.long), output_hidden_states=True)
        # The first 8 of the 16 numbers of each token.
        cases.append({"ids": ids.tolist(), "hidden": [[[round(x, 5) for x in t[:8]] for t in h[0].tolist()] for h in out.hidden_states]})
    with open(folder / "expected.json", "w") as f:
        json.dump({"by": BY, "cases": cases}, f, separators=(",", ":"))
        f.write("\n")


# --- tokenizers ------------------------------------------------------------
TRAIN = """The old kettle sings beside the window while the baker waits for rain.
Nobody reads the long letters that the harbour master's sister writes.
Don't ask who'll carry the boxes: they've been there since 1984, I'm told.
Die alte Bäckerin öffnet das Fenster, und draußen trägt jemand Kisten über die Straße.
Größere Überraschungen gibt es gestern und übermorgen.
La boulangère ouvre déjà la fenêtre ; l'été, elle chante près de la rivière.
Старый пекарь ждёт у окна, маленькая река поёт.
ο παλιός φούρναρης περιμένει στο παράθυρο
古い 窓の そばで パン屋が 待つ。
老面包师在窗户旁边等待。
البيت القديم عند النهر
3.50 EUR, 42 %, a+b=c; (see page 7) "yes" – no… http://example.org/x?y=1
""".splitlines()
LINES = [
    "The old baker waits.", "", " ", "x", "  two  spaces\tand a tab ", "Don't you'll we've I'm it's", "öffnet die Fenster über Nacht",
    "OPEN THE WINDOW", "İstanbul ΣΑΣ", "?!... — (yes)", "a,b;c--d", "3.50 EUR, 42 %", "The [MASK] sings [SEP] near [PAD] it [CLS].", "[MASK]", "x[MASK] [UNK] y", "[mask] [Sep]",
    " [SEP] ", "<s>the</s> [unused1]", "ＡＢＣ１２３ ﬁsh café ½", "cafe\u0301 \u00a0 no\u200bbreak \u00ad soft", "Старый пекарь", "老面包师 パン屋", "البيت القديم", "The 🦊 sold Ƣ boxes 🦊🦊",
    "▁the ▁▁ old", "a\nb\r\nc", "\u3000wide\u3000space\u3000", "zero\u0000byte", "don’t “quote”", "1984 12 ④ Ⅳ", "ﷺ ㌀", "the  kettle   sings", "e.g. U.S.A.", "x" * 60, "a b c d e f g h",
]


def record(name, files=(), **options):
    folder = ROOT / "internal/bert/testdata" / name
    config = json.loads((folder / "config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps(options) + "\n")
    for file, content in dict(files).items():
        (folder / file).write_text(json.dumps(content) + "\n")
    fast = AutoTokenizer.from_pretrained(folder)
    slow = AutoTokenizer.from_pretrained(folder, use_fast=False)
    cases = []
    for line in LINES:
        ids, other = fast(line)["input_ids"], slow(line)["input_ids"]
        cases.append({"text": line, "ids": ids, "tokens": fast.convert_ids_to_tokens(ids), **({"slow": other} if other != ids else {})})
    with open(folder / "ids.json", "w", encoding="utf-8") as f:
        f.write('{"by": "transformers 4.57.6, tokenizers 0.22.2, %s", "pieces": %d, "cases": [\n' % (type(fast).__name__, len(fast)))
        f.write(",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]}\n")
    (folder / "config.json").write_text(json.dumps(config) + "\n")


def folder(name, kind):
    f = ROOT / "internal/bert/testdata" / name
    shutil.rmtree(f, ignore_errors=True)
    f.mkdir(parents=True)
    (f / "config.json").write_text(json.dumps({"model_type": kind}) + "\n")
    return f


def bpe(name, size, **options):
    f = folder(name, "deberta")
    t = ByteLevelBPETokenizer()
    t.train_from_iterator(TRAIN, vocab_size=size, min_frequency=2, special_tokens=["[PAD]", "[CLS]", "[SEP]", "[UNK]"])
    t.save_model(str(f))
    vocab = json.loads((f / "vocab.json").read_text(encoding="utf-8"))
    vocab["[MASK]"] = len(vocab)
    (f / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False) + "\n", encoding="utf-8")
    record(name, **options)


RULES = [("Ａ", "A"), ("Ｂ", "B"), ("１", "1"), ("ﬁ", "fi"), ("é", "e\u0301"), ("\t", " "), ("\n", " "), ("\u3000", " "), ("\u00a0", " "), ("\u200b", " "), ("½", "1/2"), ("\u00ad", ""), ("…", "...")]


def spm(name, size, rules, symbols=(), **options):
    f = folder(name, "deberta-v2")
    (f / "train.txt").write_text("\n".join(TRAIN) + "\n", encoding="utf-8")
    kind = dict(normalization_rule_name="identity")
    if rules:
        points = lambda s: " ".join("%X" % ord(c) for c in s)
        (f / "rules.tsv").write_text("".join(f"{points(a)}\t{points(b)}\n" for a, b in RULES), encoding="utf-8")
        kind = dict(normalization_rule_tsv=str(f / "rules.tsv"))
    sentencepiece.SentencePieceTrainer.train(
        input=str(f / "train.txt"), model_prefix=str(f / "spm"), model_type="unigram", vocab_size=size, character_coverage=.98, num_threads=1,
        shuffle_input_sentence=False, minloglevel=2, pad_id=0, bos_id=1, eos_id=2, unk_id=3, pad_piece="[PAD]", bos_piece="[CLS]", eos_piece="[SEP]",
        unk_piece="[UNK]", user_defined_symbols=",".join(symbols), **kind)
    for extra in ("train.txt", "rules.tsv", "spm.vocab"):
        (f / extra).unlink(missing_ok=True)
    record(name, **options)


if __name__ == "__main__":
    for number, name in enumerate(MODELS):
        model(name, number)
    bpe("deberta-bpe", 330, do_lower_case=False, vocab_type="gpt2")  # as the hub's microsoft/deberta-base
    bpe("deberta-bpe-prefix", 280, add_prefix_space=True)
    spm("deberta-spm", 200, True, do_lower_case=False, vocab_type="spm")  # as the hub's microsoft/mdeberta-v3-base
    # The files of old, of tokens that are looked for in texts.
    bpe("deberta-bpe-old", 270, files={"added_tokens.json": {"[MASK]": 270, "kettle": 271, "The old": 272}, "special_tokens_map.json": {
        "mask_token": "[MASK]", "cls_token": {"content": "[CLS]", "lstrip": False, "rstrip": False, "single_word": False, "normalized": False},
        "additional_special_tokens": ["<s>", "waits."]}})
    spm("deberta-spm-listed", 185, True, additional_special_tokens=["<s>", "baker"], added_tokens_decoder={
        str(i): dict(content=c, lstrip=left, rstrip=right, normalized=normal, single_word=word, special=False)
        for i, c, left, right, normal, word in ((185, "[MASK]", True, True, False, False), (186, "sings", False, False, True, True), (187, "fi", False, True, True, False))})
    spm("deberta-spm-lower", 190, False, ["[MASK]", "kettle", "[unused1]"], do_lower_case=True, split_by_punct=True)
