"""Records the table of sacreBLEU's test sets: where each is, which files its language pairs are.

    pip install sacrebleu==2.6.0
    python3 scripts/record_testsets.py

writes testsets/table.json.gz, a line for each set. Descriptions are ours.
"""
import gzip
import json
import pathlib
import re
import sys
from importlib.metadata import version

from sacrebleu.dataset import DATASETS, SUBSETS

if version("sacrebleu") != "2.6.0":
    sys.exit(f"sacrebleu {version('sacrebleu')} installed, want 2.6.0")
ROOT = pathlib.Path(__file__).resolve().parent.parent

KINDS = {
    "PlainTextDataset": "text",
    "TSVDataset": "tsv",
    "FakeSGMLDataset": "sgm",
    "IWSLTXMLDataset": "iwslt",
    "WMTAdditionDataset": "addition",
    "WMTXMLDataset": "xml",
}

# What the part of a WMT set's name behind the slash stands for.
PARTS = {
    "dev": "development set",
    "systems": "with the systems' outputs",
    "A": "reference A", "B": "reference B", "C": "reference C", "D": "reference D",
    "AB": "references A and B", "AC": "references A and C",
    "tworefs": "two references",
    "improved": "Chinese corrected",
    "ms": "Chinese-English with three references, two of them Microsoft's",
    "full": "before sentences were left out",
    "test-ts": "with the test suites between",
    "nc": "news commentary",
    "europarl": "Europarl",
    "robust/set1": "robustness task, set 1",
    "robust/set2": "robustness task, set 2",
    "robust/set3": "robustness task, set 3",
    "google/ar": "Google's reference",
    "google/arp": "paraphrase of Google's reference",
    "google/wmtp": "paraphrase of the reference",
    "google/hqr": "the better of WMT's and Google's reference",
    "google/hqp": "the better of both paraphrases",
    "google/hqall": "the best of both references and both paraphrases",
}


def describe(name):
    head, _, part = name.partition("/")
    if head.startswith("wmt"):
        year = 2000 + int(head[3:])
        text = f"WMT {year}"
        if not part.startswith(("robust", "nc", "europarl")):
            text += ", general task" if year >= 2022 else ", news task"
        return text + (f", {PARTS[part]}" if part else "")
    if head == "iwslt17":
        return f"IWSLT 2017, TED talks, {part or 'tst2017'}"
    if head == "mtedx":
        return f"Multilingual TEDx, {'development set' if part == 'valid' else 'test set'}"
    if head == "multi30k":
        return f"Multi30k, captions of images of Flickr, test set of {part}"
    if head == "mtnt2019":
        return "MTNT 2019, noisy text, of WMT 2019's robustness task"
    if head == "mtnt1.1":
        return "MTNT 1.1, noisy text, " + {"train": "training set", "valid": "development set", "test": "test set"}[part]
    sys.exit(f"no rule to describe {name}")


lines = []
for name in sorted(DATASETS):
    d = DATASETS[name]
    pairs = []
    for pair, files in d.langpairs.items():
        value = {"pair": pair}
        if isinstance(files, dict):
            value["files"], value["refs"] = [files["path"]], files["refs"]
        else:
            value["files"] = files
        pairs.append(value)
    entry = {"name": name, "kind": KINDS[type(d).__name__], "description": describe(name)}
    if d.citation:
        # Without abstracts, which are other people's prose.
        # TeX's \v became a control character where the text is not a raw one.
        citation = re.sub(r"\r\n?", "\n", d.citation).replace("\v", r"\v")
        entry["citation"] = re.sub(r"\n *abstract *= *\{[^{}]*\},?", "", citation).strip()
    entry["archives"] = [{"url": u, "md5": m} for u, m in zip(d.data, d.md5, strict=True)]
    if d.kwargs.get("refs"):
        entry["refs"] = d.kwargs["refs"]
    entry["pairs"] = pairs
    if name in SUBSETS:
        entry["documents"] = SUBSETS[name]
    lines.append(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
text = "[\n" + ",\n".join(lines) + "\n]\n"
(ROOT / "testsets/table.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
