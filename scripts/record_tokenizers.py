"""Writes the character classes and the recorded values of internal/subword, from
Hugging Face tokenizers.

    pip install tokenizers==0.22.2
    python3 scripts/record_tokenizers.py && gofmt -l internal/subword

writes internal/subword/tables.go, by asking the library about every character, and
internal/subword/testdata: tiny tokenizers, trained here on text of our own, and what
they make of lines of our own.
"""
import gzip
import json
import pathlib
import random
import struct
import sys
from importlib.metadata import version

from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

PINNED = "0.22.2"
if version("tokenizers") != PINNED:
    sys.exit(f"tokenizers {version('tokenizers')} installed, want {PINNED}")
ROOT = pathlib.Path(__file__).resolve().parent.parent / "internal" / "subword"
CHARS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]


def charsmap(entries):
    """A precompiled charsmap of SentencePiece that maps the keys to the values: a
    double array (darts-clone's format), and the values."""
    blob, root = b"", {}
    for key, value in entries.items():
        node = root
        for b in key.encode():
            node = node.setdefault(b, {})
        node[0] = len(blob)
        blob += value.encode() + b"\0"
    units, used = [0] * 256, {0}

    def place(node, at):
        labels = sorted(node)
        base = 1
        while (base >= 1 << 21 and base & 255) or any(at ^ base ^ b in used for b in labels):
            base += 1
        while len(units) <= (at ^ base | 255):
            units.append(0)
        units[at] |= base << 10 | (256 if 0 in node else 0)
        used.update(at ^ base ^ b for b in labels)
        for b in labels:
            if b == 0:
                units[at ^ base] = 1 << 31 | node[0]
            else:
                units[at ^ base ^ b] = b
        for b in labels:
            if b:
                place(node[b], at ^ base ^ b)

    place(root, 0)
    # Reading a byte that the array does not hold must stay inside it.
    units += [0] * 256
    return struct.pack("<I", 4 * len(units)) + struct.pack(f"<{len(units)}I", *units) + blob


# --- character classes ----------------------------------------------------
LETTER, NUMBER, SPACE = 1, 2, 3  # what ByteLevel's expression tells apart
PUNCT, OTHER, MN, MARK, WORD, CASED = 4, 8, 16, 32, 64, 128
CONTROL, EXTEND, PREPEND = 256, 512, 768  # grapheme clusters


def classes():
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bert, white, word = pre_tokenizers.BertPreTokenizer(), pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Whitespace()
    punctuation = pre_tokenizers.Punctuation()
    clean = normalizers.BertNormalizer(clean_text=True, handle_chinese_chars=False, strip_accents=False, lowercase=False)
    accents = normalizers.BertNormalizer(clean_text=False, handle_chinese_chars=False, strip_accents=True, lowercase=False)
    strip, lower = normalizers.StripAccents(), normalizers.Lowercase()
    cluster = normalizers.Precompiled(charsmap({"A": "x"}))
    runs, lowers = [], []
    for c in CHARS:
        bits = 0
        # c joins a letter, a number, a sign before it, or none of them.
        joins = [len(byte_level.pre_tokenize_str(x + c)) == 1 for x in "a1!"]
        if joins == [True, False, False]:
            bits |= LETTER
        elif joins == [False, True, False]:
            bits |= NUMBER
        elif joins == [False, False, False]:
            bits |= SPACE
        elif joins != [False, False, True]:
            raise ValueError(f"{c!r}: {joins}")
        space = len(white.pre_tokenize_str("a" + c + "a")) == 2
        if space != (bits == SPACE):
            raise ValueError(f"{c!r}: white space or not?")
        pieces = [p for p, _ in bert.pre_tokenize_str("a" + c + "a")]
        if pieces == ["a", c, "a"]:
            bits |= PUNCT
        elif pieces != (["a", "a"] if space else ["a" + c + "a"]):
            raise ValueError(f"{c!r}: {pieces}")
        if (len(punctuation.pre_tokenize_str("a" + c + "a")) == 3) != bool(bits & PUNCT):
            raise ValueError(f"{c!r}: punctuation or not?")
        cleaned = clean.normalize_str("a" + c + "a")
        if cleaned == "aa":
            bits |= OTHER
        elif cleaned != ("a a" if space else "a" + c + "a"):
            raise ValueError(f"{c!r}: {cleaned!r}")
        if accents.normalize_str("a" + c) == "a":
            bits |= MN
        if strip.normalize_str(c) == "":
            bits |= MARK
        if len(word.pre_tokenize_str("a" + c)) == 1 and not space:
            bits |= WORD
        l = lower.normalize_str(c)
        if l != c:
            bits |= CASED
            if len(l) == 1:
                lowers.append([ord(c), ord(l)])
            elif c != "\u0130":
                raise ValueError(f"{c!r}: {l!r}")
        if cluster.normalize_str("A" + c) == "x" or c == "\u200d":
            bits |= EXTEND
        elif cluster.normalize_str(c + "A\u0301") == c + "x\u0301":
            bits |= PREPEND
        elif c < "\u0020" or c < "\U00010000" and (bits & OTHER or c in "\u2028\u2029"):
            if c == "\0" or normalizers.Precompiled(charsmap({c: "x"})).normalize_str(c + "\u0301") == "x\u0301":
                bits |= CONTROL
        if not runs or runs[-1][1] != bits:
            runs.append([ord(c), bits])
    return runs, lowers


def decompositions():
    """Runs of characters that the library's normalization, of an old Unicode version,
    does not decompose or move: compared by the test with golang.org/x/text."""
    nfkd = normalizers.NFKD()
    moved = []
    for c in CHARS:
        inert = nfkd.normalize_str(c) == c and nfkd.normalize_str("a\u0345" + c) == "a\u0345" + c \
            and nfkd.normalize_str("a" + c + "\u0334") == "a" + c + "\u0334"
        if inert:
            if moved and moved[-1][1] == ord(c) - 1:
                moved[-1][1] = ord(c)
            else:
                moved.append([ord(c), ord(c)])
    return moved


def write_tables():
    runs, lowers = classes()
    with open(ROOT / "tables.go", "w") as f:
        p = lambda *a: print(*a, file=f)
        p(f"// Code generated by scripts/record_tokenizers.py from Hugging Face tokenizers {PINNED}; DO NOT EDIT.\n")
        p("package subword\n")
        p("// classRuns holds the first character of every run of characters of the same classes,\n// shifted left by 10 bits, and the classes.")
        p("var classRuns = [...]uint32{")
        for i in range(0, len(runs), 12):
            p("\t" + " ".join(f"{c << 10 | b:#x}," for c, b in runs[i:i + 12]))
        p("}\n")
        groups = []
        for c, l in lowers:
            g = groups[-1] if groups else None
            if g and l - c == g[3] and g[2] in (0, c - g[1]) and c - g[1] in (1, 2):
                g[1], g[2] = c, c - g[1]
            else:
                groups.append([c, c, 0, l - c])
        p("// lowerRuns holds the lower case of all characters but İ, which becomes two.")
        p("var lowerRuns = [...]lowerRun{")
        for lo, hi, step, d in groups:
            p(f"\t{{{lo:#x}, {hi:#x}, {max(step, 1)}, {d}}},")
        p("}\n")
        p("// inertRuns holds, first and last, the characters that normalization does not touch.")
        p("var inertRuns = [...][2]rune{")
        inert = decompositions()
        for i in range(0, len(inert), 6):
            p("\t" + " ".join(f"{{{lo:#x}, {hi:#x}}}," for lo, hi in inert[i:i + 6]))
        p("}")


# --- tokenizers and what they make of lines --------------------------------
# Written for this file. Training is not the same in every run.
TEXT = """
The kettle hums on the stove while rain taps at the window.
Nobody in the village had ever seen the old bridge without fog.
She wasn't sure they'd come, but he'll bring the bread and we're happy.
Walking, talking, singing and dancing until the morning came, 1999 to 2026.
An unhappy translator retranslates the untranslatable translation again.
Die Bäckerin öffnet früh, und über den Dächern zieht süßer Duft nach Brötchen.
Der Zug fährt um 7:45 Uhr vom größten Bahnhof der Straße gegenüber ab.
L'été dernier, nous avons mangé des crêpes près de la forêt enneigée.
¿Dónde está el niño que pidió más piñas para la mañana?
Příliš tichý kůň stál u řeky a čekal na večer.
İstanbul'da ılık bir akşam, ışıklar şehri süslüyor.
Старый мост стоял над рекой, и вода тихо шумела под ним.
Її бабуся пекла хліб щонеділі, а ми їли його з медом.
Το παλιό σπίτι είχε μεγάλα παράθυρα προς τη θάλασσα.
البيت القديم يقع قرب النهر والجسر الطويل.
הבית הישן עומד ליד הגשר מעל הנהר.
पुराना घर नदी के पास है और पुल लंबा है।
บ้านเก่าอยู่ใกล้แม่น้ำและสะพานยาว
古い家は川の近くにあり、橋はとても長い。
老房子在河边，桥很长，水很清。
오래된 집은 강가에 있고 다리는 아주 길다.
Ngôi nhà cũ ở gần sông và cây cầu rất dài.
x = f(a, b) + 3.14 * [i] - {k: "v"} # 100% && <tag> http://example.org/a?b=c_d
""".strip().split("\n")

NASTY = [
    "", " ", "   ", "\t", "\n", "\r\n", "a", " a", "a ", "  a  b  ", "a\r\nb", "a\rb\nc\td\ve\ff", "x\u0085y",
    "no\u00a0break\u202fspace", "ideographic\u3000space", "\u2003em\u2009thin\u200azero\u200bwidth", "a\u00adb soft", "\ufeffbom",
    "\u200ert\u200fl\u202amark\u202c", "join\u200der\u200cnon", "nul\x00byte", "ctl\x01\x1f\x7f\x9f end", "repl\ufffdaced \ufffd",
    "cafe\u0301 caf\u00e9 e\u0301e\u0301", "a\u0323\u0301 a\u0301\u0323 a\u0316\u0301\u0345", "\u0301start", " \u0301 alone", "q\u0307\u0323 \u1e0d\u0307 d\u0323\u0307",
    "A\u030a \u212b \u00c5", "\u0344 \u0958 \u2adc \U0001d15e \U0001d160\U0001d165", "\u302e\u302f 한\u302e \u16ff0 a\u302e\u0301",
    "İstanbul I ı i̇ İİ", "ẞ ß ſ K Å ﬁ ﬂ ﬃ", "ΑΣ ΣΑΣ σς", "ǅ ǈ Ⅷ ⅷ Ⓐ ⓐ", "𐐀𐐨 Ა ა Ꭰ ꭰ",
    "한글 \u1112\u1161\u11ab\u1100\u1173\u11af", "\u1112\u1161 \uac00\u11a8 \u1100\u1161\u11a8\u11a8", "ﾊﾟｶﾞ ｱ ガ か\u3099",
    "１２３ ＡＢＣ ａｂｃ ｶ", "½ ¾ ² ³ ① ㈱ ㍿ ™ ℡ …", "ﷺ ﷻ", "…", "‼⁇⁈", "™\ufe0f ℹ\ufe0f ©\ufe0f ®\u0301 ª\u0301 ½\u0301 ²\u0323x",
    "👍🏽 👨‍👩‍👧‍👦 🇩🇪🇫🇷 🏳️‍🌈 😀😀", "❤️ ☃ →←", "🤷🏾‍♂️!", "\U000e0001\U000e0061 tag", "\U0010ffff\ufffe\ufdd0",
    "क्षत्रिय ज़िन्दगी हिंदी", "ກຳ ຳ ำ กำ", "தமிழ் நாடு", "မြန်မာ", "ភាសាខ្មែរ", "\u0600123 \u06dd٤ \u070f\u0712",
    "赛车模拟器2018", "中文abc中文", "𠀀𪜀豈", "、。「」！？", "日本語のテキスト", "（括弧）",
    "don't won't they're we've I'll he'd it's I'M 'S '' 's'", "'tis 'twas rock'n'roll", "''s 're've'll",
    "Hello,world!How are you?", "a.b,c;d:e!f?g", "1,000.50 3.14 1e10 0x1F ٣٤ ໑ Ⅳ", "a1b2 3c 4d5", "C++ C# .NET @home #tag $5 ^_^ ~`|\\",
    "e-mail@example.org http://example.org/a?b=c&d=e#f_g", "under_score ‿ _x_", "«Où ?» „quer“ “so” ‘x’ – — ―", "·•‧ §¶ ¡¿ ،؛؟ ।॥ ᠁ ⸘ 、",
    "[CLS] hello [SEP]", "[MASK]", "a[MASK]b", "[ MASK ]", "[mask] [Mask]", "the [MASK] kettle [UNK][PAD]", "[MASK][MASK] [MASK]  [MASK]",
    "<s>hello</s>", "a <mask> b", "a<mask>b", "  <mask>  x", "<mask> <mask>", "<unk> <pad>", "x<unk>y", "<unk>\u2603<unk>\u2603", "<", "<s", "< s>",
    "NEW new News new. (new) anew new_ ènew", "  new   new", "Été ÉTÉ été e\u0301te\u0301", "▁a▁b ▁▁", "▁", "a▁", "Ġhello Ċ ā", "##ing ing ##", "a##b",
    "ab" * 60, "a" * 99, "a" * 100, "a" * 101, "é" * 100, "é" * 101, "e\u0301" * 60, "中" * 40, "a" + "\u0301" * 40, "😀" * 12, "\u0301" * 20, " " * 50 + "x" + " " * 50, "x\n" * 10,
    "kettlekettlekettle " * 3, "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen", "untranslatability", "ааааа ооооо", "\u180e \u1680 \u205f \u2028 \u2029",
    "\u0378 \u0897 \U0001fae9 \U00010d4a unassigned", "\ue000 private \U000f0000", "\u20e3 1\ufe0f\u20e3 #\u20e3", "a\u034fb \u115f\u1160 \uffa0", "क\u094d\u200dष", "ใช้ เวลา",
]
ATOMS = list("aAbe E0.,-'\u0301\u0323ß") + ["  ", "the", "ing", "é", "Ä", "İ", "中", "한", "\u1112\u1161", "の", "а", "\u00a0", "\u3000", "\r\n", "\u200d", "😀", "ﬁ",
        "™", "½", "\u0345", "\u302e", "[MASK]", "<mask>", "new", "<unk>", "▁", "\u0e33", "क", "\u094d", "\u00ad", "'s", "\ufe0f", "\x01", "\u212b", "\u0958"]


def lines():
    rng = random.Random(20261128)
    out = list(NASTY)
    for _ in range(40):
        out.append("".join(rng.choice(ATOMS) for _ in range(rng.randrange(2, 16))))
    return out + TEXT[::3]


def train():
    """The tokenizers, by name, as they are saved."""
    out = {}
    bert = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    roberta = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    for lower in (True, False):
        t = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        t.normalizer = normalizers.BertNormalizer(lowercase=lower)
        t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        t.train_from_iterator(TEXT, trainers.WordPieceTrainer(vocab_size=600, special_tokens=bert, show_progress=False))
        t.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
        out["wordpiece uncased" if lower else "wordpiece cased"] = t
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=600, special_tokens=roberta[:4], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    t.add_special_tokens([AddedToken("<mask>", lstrip=True, normalized=False)])
    t.post_processor = processors.RobertaProcessing(sep=("</s>", 2), cls=("<s>", 0), trim_offsets=True, add_prefix_space=False)
    out["byte bpe"] = t
    t = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, end_of_word_suffix="</w>"))
    t.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    t.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    t.train_from_iterator(TEXT, trainers.BpeTrainer(vocab_size=400, special_tokens=roberta, end_of_word_suffix="</w>", show_progress=False))
    t.post_processor = processors.BertProcessing(sep=("</s>", 2), cls=("<s>", 0))
    out["char bpe"] = t
    t = Tokenizer(models.Unigram())
    t.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap(MAP)), normalizers.Strip(left=False, right=True), normalizers.Replace(Regex(" {2,}"), "▁")])
    t.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="always")
    t.train_from_iterator(TEXT, trainers.UnigramTrainer(vocab_size=500, special_tokens=roberta, unk_token="<unk>", show_progress=False))
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    out["unigram"] = t
    return {name: json.loads(t.to_str()) for name, t in out.items()}


# A charsmap with replacements that are longer, shorter, empty, and of clusters.
MAP = {"\t": " ", "\n": " ", "\r": " ", "\x01": "", "\x7f": "", "\u00ad": "", "\u200b": "", "\u200e": "", "\u200f": "", "\ufeff": "", "\u00a0": " ", "\u3000": " ", "\u2003": " ",
       "\u202f": " ", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "™": "TM", "½": "1⁄2", "²": "2", "ª": "a", "…": "...", "ﷺ": "صلى الله عليه وسلم", "Å": "Å", "K": "K", "e\u0301": "é", "a\u0301": "á",
       "a\u0323": "ạ", "a\u0323\u0301": "x", "A\u030a": "Å", "か\u3099": "が", "ｶ": "カ", "ｶﾞ": "ガ", "１": "1", "２": "2", "Ａ": "A", "①": "1", "㈱": "(株)", "ß": "ss", "İ": "i\u0307",
       "‼": "!!", "\u0344": "\u0308\u0301", "ำ": "\u0e4d\u0e32", "豈": "豈", "\u0301": "", "\u1112\u1161": "하", "😀": ":)", "\U000e0001": "", "\u0600": "", "中": "中中"}


def record(t, texts):
    cases = []
    for text in texts:
        e = t.encode(text)
        cases.append({"text": text, "ids": e.ids, "tokens": e.tokens, "offsets": e.offsets})
    return cases


def patches(trained):
    """What else is recorded: a tokenizer with other fields in the place of its own."""
    seq = lambda kind, *parts: {"type": "Sequence", kind: list(parts)}
    byte = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    def split(behavior, pattern, invert=False):
        return {"pre_tokenizer": seq("pretokenizers", {"type": "Split", "pattern": pattern, "behavior": behavior, "invert": invert}, byte)}
    def meta(**options):
        return {"type": "Metaspace", "replacement": "▁", **options}
    def token(id, content, **options):
        return dict({"id": id, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False}, **options)
    yield "wordpiece cased", {}
    yield "wordpiece uncased", {}
    yield "byte bpe", {}
    yield "char bpe", {}
    yield "unigram", {}
    n = len(trained["wordpiece uncased"]["model"]["vocab"])
    yield "wordpiece uncased", {"added_tokens": [token(n, "new", single_word=True, normalized=True), token(n + 1, "Été", normalized=True, rstrip=True), token(4, "[MASK]", lstrip=True, rstrip=True, special=True)]}
    bert = trained["wordpiece cased"]["normalizer"]
    yield "wordpiece cased", {"normalizer": dict(bert, strip_accents=True, handle_chinese_chars=False)}
    yield "wordpiece uncased", {"normalizer": dict(bert, lowercase=True, strip_accents=False, clean_text=False)}
    yield "wordpiece cased", {"normalizer": {"type": "NFKD"}, "pre_tokenizer": {"type": "Whitespace"}}
    yield "wordpiece cased", {"normalizer": seq("normalizers", {"type": "Strip", "strip_left": True, "strip_right": False}, {"type": "Lowercase"}), "pre_tokenizer": seq("pretokenizers", {"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": "MergedWithNext"})}
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        yield "byte bpe", {"normalizer": {"type": form}}
    prefix = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    yield "byte bpe", {"pre_tokenizer": prefix, "post_processor": dict(trained["byte bpe"]["post_processor"], add_prefix_space=True)}
    yield "byte bpe", {"normalizer": {"type": "Prepend", "prepend": "»x"}, "pre_tokenizer": prefix, "post_processor": seq("processors", dict(prefix, add_prefix_space=False), trained["unigram"]["post_processor"])}
    model = trained["byte bpe"]["model"]
    yield "byte bpe", {"post_processor": None, "model": dict(model, merges=[" ".join(m) for m in model["merges"]][::2], ignore_merges=True)} if isinstance(model["merges"][0], list) else {"post_processor": None}
    for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        yield "byte bpe", split(behavior, {"String": "a"})
        yield "byte bpe", split(behavior, {"Regex": "[a-e ]"}, True)
        yield "byte bpe", {"pre_tokenizer": seq("pretokenizers", {"type": "Punctuation", "behavior": behavior}, byte)}
    yield "unigram", {"normalizer": {"type": "NFKC"}, "pre_tokenizer": meta(prepend_scheme="first", split=True), "added_tokens": [token(4, "<mask>", special=True, lstrip=True), token(3, "<unk>", special=True)]}
    yield "unigram", {"normalizer": {"type": "Replace", "pattern": {"String": "e"}, "content": "é"}, "pre_tokenizer": meta(prepend_scheme="never", split=False)}
    model = trained["unigram"]["model"]
    pieces = [[f"<0x{b:02X}>", -20.0] for b in range(256) if b != 0xE2]
    yield "unigram", {"normalizer": None, "model": dict(model, byte_fallback=True, vocab=model["vocab"] + pieces)}
    yield "unigram", {"normalizer": trained["unigram"]["normalizer"]["normalizers"][0], "pre_tokenizer": seq("pretokenizers", {"type": "WhitespaceSplit"}, meta(add_prefix_space=True))}
    quotes = {"type": "Replace", "pattern": {"String": "''"}, "content": '"'}
    yield "unigram", {"normalizer": seq("normalizers", quotes, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}, trained["unigram"]["normalizer"]["normalizers"][0]), "pre_tokenizer": meta()}
    gpt = {"Regex": "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"}
    yield "byte bpe", {"normalizer": {"type": "NFC"}, **split("Isolated", gpt), "added_tokens": trained["byte bpe"]["added_tokens"] + [token(601, "   ", normalized=True), token(602, "  ", normalized=True)]}
    model = trained["char bpe"]["model"]
    yield "char bpe", {"normalizer": None, "pre_tokenizer": meta(prepend_scheme="always"), "model": dict(model, fuse_unk=False)}
    vocab = dict(model["vocab"])
    for text, _ in pieces:
        vocab[text] = len(vocab)
    yield "char bpe", {"model": dict(model, unk_token=None, end_of_word_suffix=None, byte_fallback=True, vocab=vocab)}


def write_values():
    trained = train()
    sets = []
    for i, (base, patch) in enumerate(patches(trained)):
        t = Tokenizer.from_str(json.dumps(dict(trained[base], **patch)))
        texts = lines()
        sets.append({"base": base, "patch": patch, "cases": record(t, texts if i < 5 else texts[i % 2::2])})
    value = {"generated_by": f"scripts/record_tokenizers.py, tokenizers {PINNED}", "tokenizers": trained, "sets": sets}
    data = json.dumps(value, ensure_ascii=True, separators=(",", ":")).encode()
    (ROOT / "testdata").mkdir(exist_ok=True)
    (ROOT / "testdata" / "tokenizers.json.gz").write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    if sys.argv[1:] != ["values"]:
        write_tables()
    write_values()
