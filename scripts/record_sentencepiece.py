"""Writes the recorded values of internal/subword and tokenize/spm for models of
SentencePiece, and small models, from the package itself and from sacreBLEU.

    pip install sentencepiece==0.2.3 protobuf==7.36.2 sacrebleu==2.6.0
    python3 scripts/record_sentencepiece.py

The models are trained here, on sentences made of words of our own. The maps of characters
that come with SentencePiece are large: they are kept once, as a normalizer_spec that goes
after a model that has none, which is how protocol buffers are joined.
"""
import base64
import gzip
import io
import json
import os
import pathlib
import random
import sys
import tempfile
from importlib.metadata import version

for package, pinned in {"sentencepiece": "0.2.3", "protobuf": "7.36.2", "sacrebleu": "2.6.0"}.items():
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")

import sentencepiece
from sentencepiece import sentencepiece_model_pb2 as proto

ROOT = pathlib.Path(__file__).resolve().parent.parent
PIECE = proto.ModelProto.SentencePiece

# --- sentences -------------------------------------------------------------
WORDS = {
    "en": "the a old small kettle river garden window baker teacher sings waits opens carries breaks unhappily kindly near under without yesterday tomorrow and but reading rereads reader unreadable 12 1984 3.50 don't can't co-operate e.g. Mr. Smith's".split(),
    "de": "der die das alte kleine Bäckerin Straße Fluss Gärten Überraschung öffnet trägt bricht freundlich gestern übermorgen und aber Donaudampfschiff Schifffahrt größer".split(),
    "fr": "le la l'ancien l'été garçon fenêtre rivière boulangère ouvre lève chante demain aujourd'hui où déjà naïve cœur sœur".split(),
    "pl": "stary mała rzeka ogród okno piekarka śpiewa czeka źródło łąka wczoraj jutro żółty gęś".split(),
    "ru": "старый маленькая река сад окно пекарь поёт ждёт открывает вчера завтра и но ёлка объявление".split(),
    "el": "ο παλιός μικρή ποτάμι κήπος παράθυρο φούρναρης τραγουδά περιμένει χθες αύριο".split(),
    "ar": "البيت القديم نهر حديقة نافذة خباز يغني ينتظر أمس غدا مدرسة كتاب".split(),
    "hi": "पुराना छोटी नदी बगीचा खिड़की गाता इंतज़ार कल किताब विद्यालय".split(),
    "ko": "오래된 작은 강 정원 창문 빵집 노래한다 기다린다 어제 내일 학교 책".split(),
    "ja": "古い 小さな 川 庭 窓 パン屋 歌う 待つ 昨日 明日 学校で 本を 読みました カタカナ".split(),
    "zh": "古老 的 小 河流 花园 窗户 面包师 唱歌 等待 昨天 明天 学校 图书馆 里".split(),
}
MARKS = [".", ".", "!", "?", "...", "。", "؟", ";", ":"]


def sentences(n):
    r = random.Random(18)
    out = []
    for i in range(n):
        language = list(WORDS)[i % len(WORDS)] if i % 3 else "en"
        words = [r.choice(WORDS[language]) for _ in range(r.randint(3, 12))]
        if r.random() < 0.3:
            words.insert(r.randrange(len(words)), r.choice([",", "(", ")", "“", "”", "–", "%", "&", "7", "2024", "42,000"]))
        sep = "" if language in ("ja", "zh") else " "
        line = sep.join(words)
        out.append(line[:1].upper() + line[1:] + r.choice(MARKS))
    return out


# --- models ----------------------------------------------------------------
# A map with what matters in maps: one to many, many to one, to nothing, to a space, with
# a space at an end, keys that begin others.
RULES = [("ﬁ", "fi"), ("ﬀ", "ff"), ("…", "..."), ("\u00a0", " "), ("\u3000", " "), ("\t", " "), ("\u200b", ""), ("\u00ad", ""),
         ("a\u0301", "á"), ("e\u0301", "é"), ("e\u0301\u0323", "ẹ\u0301"), ("A\u030a", "Å"), ("Å", "å"), ("Ａ", "A"), ("Ｂ", "B"), ("！", "!"),
         ("№", "No "), ("℀", " a/c "), ("½", " 1/2"), ("ß", "ss"), ("&", " and "), ("qu", "kw"), ("\ufeff", "")]

SYMBOLS = ["<ent>", "<ent><ent>", "ing", "ngx", "▁the", "♥", "a b", "中文字"]
CONTROLS = ["<2de>", "<2fr>", "¤"]
KINDS = {
    "unigram": dict(model_type="unigram", normalization_rule_name="identity"),
    "unigram-nmt": dict(model_type="unigram", normalization_rule_name="nmt_nfkc"),
    "unigram-cf": dict(model_type="unigram", normalization_rule_name="nmt_nfkc_cf", byte_fallback=True),
    "unigram-bytes": dict(model_type="unigram", normalization_rule_name="identity", byte_fallback=True, split_digits=True),
    "unigram-symbols": dict(model_type="unigram", normalization_rule_tsv=RULES, user_defined_symbols=SYMBOLS, control_symbols=CONTROLS),
    "unigram-suffix": dict(model_type="unigram", normalization_rule_tsv=RULES, treat_whitespace_as_suffix=True),
    "unigram-extra": dict(model_type="unigram", normalization_rule_name="identity", remove_extra_whitespaces=False, allow_whitespace_only_pieces=True),
    "unigram-bare": dict(model_type="unigram", normalization_rule_tsv=RULES, add_dummy_prefix=False, remove_extra_whitespaces=False, split_by_whitespace=False),
    "unigram-unused": dict(model_type="unigram", normalization_rule_name="identity"),
    "bpe": dict(model_type="bpe", normalization_rule_name="identity"),
    "bpe-nmt": dict(model_type="bpe", normalization_rule_name="nmt_nfkc"),
    "bpe-bytes": dict(model_type="bpe", normalization_rule_tsv=RULES, byte_fallback=True, split_digits=True),
    "bpe-symbols": dict(model_type="bpe", normalization_rule_tsv=RULES, user_defined_symbols=SYMBOLS, control_symbols=CONTROLS),
    "bpe-symbols-bytes": dict(model_type="bpe", normalization_rule_name="identity", user_defined_symbols=SYMBOLS, control_symbols=CONTROLS, byte_fallback=True, add_dummy_prefix=False),
    "bpe-suffix": dict(model_type="bpe", normalization_rule_name="identity", treat_whitespace_as_suffix=True, remove_extra_whitespaces=False),
    "bpe-unused": dict(model_type="bpe", normalization_rule_name="identity", vocab_size=700),
    "bpe-unescaped": dict(model_type="bpe", normalization_rule_name="identity"),
    "char": dict(model_type="char", normalization_rule_tsv=RULES, user_defined_symbols=SYMBOLS, control_symbols=CONTROLS),
    "char-bytes": dict(model_type="char", normalization_rule_name="identity", byte_fallback=True),
    "char-unused": dict(model_type="char", normalization_rule_name="identity"),
    "word-unused": dict(model_type="word", normalization_rule_name="identity"),
    "word": dict(model_type="word", normalization_rule_name="identity", user_defined_symbols=["<ent>"], control_symbols=CONTROLS),
    "word-suffix": dict(model_type="word", normalization_rule_name="identity", treat_whitespace_as_suffix=True),
}


def train(lines, options):
    o = dict(vocab_size=500, character_coverage=0.98, num_threads=1, minloglevel=2, hard_vocab_limit=False)
    o.update(options)
    if o.get("byte_fallback"):
        o["vocab_size"] += 256
    with tempfile.TemporaryDirectory() as d:
        if rules := o.pop("normalization_rule_tsv", None):
            path = pathlib.Path(d) / "rules.tsv"
            path.write_text("".join(" ".join(f"{ord(c):X}" for c in k) + "\t" + " ".join(f"{ord(c):X}" for c in v) + "\n" for k, v in rules), encoding="utf-8")
            o["normalization_rule_tsv"] = str(path)
        if o["model_type"] == "word":
            o["vocab_size"] = 150
        out = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), model_writer=out, **o)
    m = proto.ModelProto.FromString(out.getvalue())
    m.normalizer_spec.normalization_rule_tsv = ""
    return m


def models(lines):
    """Yields names, models, and what their charsmap is called if it is a large one."""
    for name, options in KINDS.items():
        m = train(lines, options)
        if name.endswith("-unused"):
            r = random.Random(name)
            for p in m.pieces:
                if p.type == PIECE.NORMAL and r.random() < 0.3:
                    p.type = PIECE.UNUSED
        if name == "bpe-unescaped":
            m.normalizer_spec.escape_whitespaces = False
        rule = options.get("normalization_rule_name")
        yield name, m, rule if rule and rule != "identity" else ""


# --- texts -----------------------------------------------------------------
EDGES = ["", " ", "   ", "\t", "\u00a0", "\u3000", "\n", "a", " a", "a ", "  a  b  ", "a\tb", "a\u00a0b", "a\u3000b", "a\r\nb", "\u2028a\u2029",
         "▁", "▁▁", "a▁b", "▁a", " ▁ a ▁ ", "a ▁b▁ ", "\0", "a\0b", "\0\0a", " \0 ", "\u200b", " \u200b ", "a\u200bb", "\u200b \u200ba", "\u00ad", "\ufeff", "\ufffd", "a\ufffdb",
         "👩\u200d👩\u200d👧", "🇩🇪🇫🇷", "👍🏽", "☃☃☃", "☃ ☃", "a☃☄b", "the☃the", "☃", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢", "𠀀𠀁", "e\u0301\u0323\u0301", "a\u0301 A\u030a Å", "\u0301\u0301",
         "ﬁne oﬀ…", "№5 ½ ℀ ½", "&", "a&b", "& a", "a &", "℀", " ℀ ℀ ", "queue qu q", "ＡＢＣ！", "カﾞ が", "각 ᄀ\u1161\u11a8", "İstanbul ıI", "ΣΑΣ ς", "ǅ ﷺ ㎏ ㍿",
         "<ent>", "<ent><ent>", "<ent><ent><ent>", "a<ent>b", "<ent", "<<ent>>", "singing", "ingx ngx singx", "ingingx", "the▁the", " the", "▁the the", "a b", "a  b", "xa by", "♥♥ ♥", "中文字中文", "in中文字g",
         "<s>", "</s>", "<unk>", "<pad>", "<2de> das", "<2fr>", "¤", "¤¤ a¤b", "<0x41>", "<0xE2>", "1234567890 12,345.67", "don't can't", "Donaudampfschifffahrt", "unreadable rereading", "aaaaaaaaaaaaaaaaaaaaaaaa",
         "the kettle sings", "The old kettle sings near the river.", "THE KETTLE", "größer Größer GRÖSSER", "الكتاب القديم", "इंतज़ार विद्यालय", "오래된 학교", "学校で本を読みました。", "图书馆里等待", "שלום עולם", "ไทย ภาษา",
         b"\xff", b"a\xffb", b"\xc3", b"\xe2\x96", b"\xe2\x96\x81", b"a \xed\xa0\x80 b", b"\xf5\x80\x80\x80", b"\xc0\x80", b"\xff\xff the \xfe", b"<en\xfft>", b"\x80\x80", b" \xff ", b"\xf0\x9f\x98 \xf0\x9f\x98\x80"]


def texts(lines):
    r = random.Random(2)
    yield from EDGES
    yield from lines[-25:]
    parts = [" ", "  ", "▁", "\t", "the", "ing", "ngx", "<ent>", "☃", "é", "e\u0301", "a\u0301", "ﬁ", "ß", "&", "qu", "№", "\u200b", "中", "文字", "中文字", "읽", "a", "b", "x", "5", "42", ".", "👍", "\0", "♥", "¤", "река", "Ａ"]
    for _ in range(60):
        yield "".join(r.choice(parts) for _ in range(r.randint(1, 14)))
    yield " ".join(lines[:10])
    yield "☃" * 200 + "a" * 200


def cases(model, all_texts):
    sp = sentencepiece.SentencePieceProcessor(model_proto=model)
    for text in all_texts:
        p = sp.encode_as_proto(text)
        ids = sp.encode_as_ids(text)
        pieces = [x.piece for x in p.pieces]
        # The three ways of the package say the same.
        if ids != [x.id for x in p.pieces] or isinstance(text, str) and pieces != sp.encode_as_pieces(text):
            sys.exit(f"{text!r}: SentencePiece differs from itself")
        yield {"pieces": pieces, "ids": ids, "starts": [x.begin for x in p.pieces]}


def write_gz(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())


def record(lines):
    charsmaps, recorded = {}, []
    all_texts = list(texts(lines))
    for name, m, rule in models(lines):
        whole = m.SerializeToString()
        if rule:
            spec = proto.ModelProto()
            spec.normalizer_spec.precompiled_charsmap = m.normalizer_spec.precompiled_charsmap
            m.normalizer_spec.ClearField("precompiled_charsmap")
            charsmaps[rule] = base64.b64encode(spec.SerializePartialToString()).decode()
        data = m.SerializeToString()
        joined = data + (base64.b64decode(charsmaps[rule]) if rule else b"")
        if proto.ModelProto.FromString(joined) != proto.ModelProto.FromString(whole):
            sys.exit(f"{name}: the parts do not make the whole")
        recorded.append({"name": name, "model": base64.b64encode(data).decode(), "charsmap": rule, "cases": list(cases(joined, all_texts))})
        print(name, len(data), len(m.pieces), file=sys.stderr)
    all_texts = [base64.b64encode(x if isinstance(x, bytes) else x.encode()).decode() for x in all_texts]
    write_gz(ROOT / "internal/subword/testdata/sentencepiece.json.gz", {"texts": all_texts, "charsmaps": charsmaps, "models": recorded})


# --- sacreBLEU -------------------------------------------------------------
def record_sacrebleu(lines):
    """Scores with tokenizer spm, where a small model lies in the cache."""
    folder = ROOT / "tokenize/spm/testdata"
    folder.mkdir(parents=True, exist_ok=True)
    m = train(lines, dict(model_type="unigram", normalization_rule_tsv=RULES, vocab_size=400))
    (folder / "small.model").write_bytes(m.SerializeToString())
    r = random.Random(5)
    refs = lines[100:160]
    hyps = []
    for line in refs:
        words = line.split(" ")
        r.shuffle(words)
        hyps.append(" ".join(w if r.random() < 0.8 else r.choice(WORDS["en"]) for w in words) + r.choice(["", " ", "\u3000", "☃", "ﬁ"]))
    with tempfile.TemporaryDirectory() as d:
        os.environ["SACREBLEU"] = d
        models = pathlib.Path(d) / "models"
        models.mkdir()
        (models / "sacrebleu_tokenizer_spm.model").write_bytes(m.SerializeToString())
        from sacrebleu.metrics import BLEU
        from sacrebleu.tokenizers.tokenizer_spm import Flores101Tokenizer
        bleu = BLEU(tokenize="flores101", effective_order=True)
        tokenizer = Flores101Tokenizer()
        score = BLEU(tokenize="flores101").corpus_score(hyps, [refs])
        write = {
            "references": refs, "hypotheses": hyps, "lines": [tokenizer(x) for x in hyps + EDGES if isinstance(x, str)],
            "edges": [x for x in EDGES if isinstance(x, str)], "corpus": score.score,
            "segments": [bleu.sentence_score(h, [x]).score for h, x in zip(hyps, refs)],
        }
    (folder / "sacrebleu.json").write_text(json.dumps(write, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    made = sentences(600)
    record(made)
    record_sacrebleu(made)
