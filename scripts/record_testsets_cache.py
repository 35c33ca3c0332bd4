"""Records what sacreBLEU makes of files of its test sets: texts of our own in each kind's form,
laid where it has unpacked archives.

    pip install sacrebleu==2.6.0 lxml==6.1.3
    python3 scripts/record_testsets_cache.py

writes testsets/testdata/sacrebleu.json.
"""
import contextlib
import io
import json
import logging
import os
import pathlib
import sys
import tempfile
from importlib.metadata import version

for package, pinned in (("sacrebleu", "2.6.0"), ("lxml", "6.1.3")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ["SACREBLEU"] = tempfile.mkdtemp()

from sacrebleu import utils  # noqa: E402, after the variable is set
from sacrebleu.dataset import DATASETS, SUBSETS  # noqa: E402
from sacrebleu.dataset.base import Dataset  # noqa: E402

logging.disable(logging.CRITICAL)
Dataset.maybe_download = lambda self: None
known = [next(d for d, v in SUBSETS["wmt19"].items() if v == want) for want in ("US-politics", "GB-sport", "GB-crime")]

source = f"""<srcset setid="newstest2019" srclang="any">
<seg id="0">Before any document.</seg>
<doc sysid="ref" docid="{known[0]}" genre="news" origlang="en">
<p>
<seg id="1">The  first &amp; best,\tby far.</seg>
<seg id="2"> Ends\u00a0\u2003are trimmed \u3000</seg> what follows stays
</p>
</doc>
<doc origlang="de" docid="{known[1]}">
<seg id="1">one</seg><seg id="2">two on a line</seg>
 <seg id="3">indented, and so none</seg>
<seg id="4">without an end
<seg id="5">over two
lines</seg>
<SEG id="6">in upper case, and so none</SEG>
<seg id='7'>R&D < 3 > 2 "x" &quot;y&quot; <b>z</b></seg>\r
<seg>without an attribute, and so none</seg>
<seg id="8"></seg>
<seg id="9" a=">">b</seg> <seg
</doc>
<doc docid='single' origlang='fr' genre='blog'>
<seg id="1">Attributes in single quotes.</seg>
</doc>
<doc genre="x" origlang="en-GB" xoriglang="no" docid="" docid="{known[2]}">
<seg id="1">\x1cSome controls\x1f\x85</seg>
</doc>
<DOC docid="upper" origlang="cs">
<seg id="1">Of the document before.</seg>
</DOC>
<doc docid="last" genre="" origlang="en">
<seg id="1">The end has no line end.</seg>"""
count = sum(line.startswith("<seg ") for line in source.split("\n"))
reference = "<refset>\n<doc>\n" + "".join(f'<seg id="{i}">Zeile {i} &lt;ref&gt;</seg>\n' for i in range(count)) + "</doc></refset>\n"
other = reference.replace("Zeile", "Rivi")

xml21 = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021">
  <collection id="general">
  <doc origlang="en" id="doc 1">
    <src lang="en"><p><seg id="10">Tenth  in the file.</seg><seg id="2">R&amp;D &#233; <![CDATA[<x> & y]]> z</seg></p>
      <p><seg id="3">No reference has this.</seg><seg id="4">Cut <b>in</b> two</seg></p></src>
    <ref lang="de" translator="B"><p><seg id="2"> zwei
 Zeilen </seg><seg id="10">B zehn</seg><seg id="3"></seg><seg id="4">B vier</seg></p></ref>
    <ref lang="de" translator="A"><p><seg id="2">A zwei<!-- nicht --> mehr</seg><seg id="10">A zehn</seg><seg id="3"/></p></ref>
  </doc>
  <doc id="suite" origlang="en" testsuite="x"><src lang="en"><seg id="1">left out</seg></src><ref lang="de" translator="C"><seg id="1">C</seg></ref></doc>
  </collection>
  <doc id="doc2" origlang="de">
    <src lang="en"><seg id="1">Only A.</seg></src>
    <ref translator="A" lang="de"><seg id=" 1 ">Nur\u00a0 A.</seg></ref>
  </doc>
</dataset>
"""
xml24 = """<?xml version="1.0" encoding="UTF-8"?>
<dataset id="wmttest2024">
  <doc id="a" origlang="en" domain="news">
    <src lang="en"><p><seg id="1">Grüße</seg><seg id="2">two</seg></p></src>
    <ref lang="de" translator="refA"><p><seg id="1">eins</seg><seg id="2">zwei</seg></p></ref>
    <hyp system="Sys-1" lang="de"><p><seg id="1">one  out</seg><seg id="2"></seg></p></hyp>
    <hyp system="ONLINE:B" lang="de"><p><seg id="1">b1</seg><seg id="2">b2</seg></p></hyp>
  </doc>
  <doc id="b" origlang="fr" domain="social\tmedia">
    <src lang="en"><p><seg id="1">three</seg></p></src>
    <ref lang="de" translator="refA"><p><seg id="1">drei</seg></p></ref>
    <hyp system="ONLINE:B" lang="de"><p><seg id="1">b3</seg></p></hyp>
    <hyp system="Sys-1" lang="de"><p><seg id="1">s3</seg></p></hyp>
  </doc>
</dataset>
"""
xml_plain = """<dataset>
  <doc id="a" origlang="liv"><src lang="liv"><seg id="1">yks</seg></src><ref lang="en"><seg id="1">one</seg></ref></doc>
</dataset>
"""
broken = {
    "a bare &": xml_plain.replace("yks", "R&D"),
    "an entity that is none": xml_plain.replace("yks", "&nbsp;"),
    "an end tag missing": xml_plain.replace("</ref>", ""),
    "cut off": xml_plain[:60],
    "text behind the root": xml_plain + "x",
    "two roots": xml_plain + "<x/>",
    "an attribute twice": xml_plain.replace('id="a"', 'id="a" id="b"'),
    "a control character": xml_plain.replace("yks", "\x01"),
    "two source languages": xml_plain.replace("</dataset>", '<doc id="b" origlang="x"><src lang="x"/></doc></dataset>'),
    "two reference languages": xml_plain.replace("</dataset>", '<doc id="b" origlang="x"><ref lang="x"/></doc></dataset>'),
    "no reference": xml_plain.replace("ref lang", "bef lang").replace("</ref>", "</bef>"),
    "no source": xml_plain.replace("src lang", "brc lang").replace("</src>", "</brc>"),
    "no document": "<dataset></dataset>",
    "no origlang": xml_plain.replace(' origlang="liv"', ""),
    "no id": xml_plain.replace(' id="a"', ""),
    "an id that is no number": xml_plain.replace('<seg id="1">one', '<seg id="x">one'),
    "a segment without id": xml_plain.replace('<seg id="1">yks', "<seg>yks"),
    "a system lacks a segment": xml_plain.replace("</doc>", '<hyp system="s"><seg id="2">x</seg></hyp></doc>'),
    "empty": "",
}

plain = "first line \t\r\n\u00a0second\x0bline\u2028 goes on\n\n  spaces  \n\ufeffmark\nlast"
table = "1\t7\tsource one \tréférence un\n2\t8\t\t\n3\t9\tthree\ttrois\textra\n"

cases = [  # set, pair, files in raw, whether its references stand in one order only
    ("wmt19", "en-de", {"sgm/newstest2019-ende-src.en.sgm": source, "sgm/newstest2019-ende-ref.de.sgm": reference}),
    ("wmt16/tworefs", "en-fi", {"test/newstest2016-enfi-src.en.sgm": source, "test/newstest2016-enfi-ref.fi.sgm": reference,
                                "test/newstestB2016-enfi-ref.fi.sgm": other}),
    ("wmt08", "cs-en", {"test/newstest2008-src.cz.sgm": source, "test/newstest2008-src.en.sgm": reference}),
    ("iwslt17", "en-de", {"en-de/IWSLT17.TED.tst2017.en-de.en.xml": "<?xml version=\"1.0\"?>\n<mteval>\n" + source + "\n</mteval>\n",
                          "de-en/IWSLT17.TED.tst2017.de-en.de.xml": reference}),
    ("wmt17/ms", "zh-en", {
        "newstest2017-zhen-src.zh.sgm": '<srcset>\n<doc docid="d" genre="news" origlang="zh">\n' + "".join(f'<seg id="{i}">句子{i}。</seg>\n' for i in range(6)) + "</doc>\n</srcset>\n",
        "newstest2017-zhen-ref.en.sgm": "".join(f'<seg id="{i}">Line {i}</seg>\n' for i in range(6)),
        "Translator-HumanParityData-master/Translator-HumanParityData/References/Translator-HumanParityData-Reference-HT.txt": plain,
        "Translator-HumanParityData-master/Translator-HumanParityData/References/Translator-HumanParityData-Reference-PE.txt": plain + "\n"}),
    ("wmt20/robust/set1", "en-de", {"robustness20-3-sets/robustness20-set1-ende.en": plain, "robustness20-3-sets/robustness20-set1-ende.de": plain[::-1].replace("\r", "")}),
    ("mtnt2019", "en-fr", {"MTNT2019/en-fr.final.tsv": table}),
    ("mtnt1.1/test", "fr-en", {"MTNT/test/test.fr-en.tsv": table}),
    ("wmt21", "en-de", {"test/newstest2021.en-de.xml": xml21}),
    ("wmt21/B", "de-en", {"test/newstest2021.de-en.xml": xml21}),
    ("wmt21/AB", "en-zh", {"test/newstest2021.en-zh.xml": xml21}),
    ("wmt22", "liv-en", {"wmt22-news-systems-1.1/xml/wmttest2022.liv-en.all.xml": xml_plain}),
    ("wmt22", "cs-en", {"wmt22-news-systems-1.1/xml/wmttest2022.cs-en.all.xml": xml21}),
    ("wmt24", "en-de", {"xml/wmttest2024.en-de.all.xml": xml24}),
]
choices = [(o, s) for o in (None, "en", "de", "fr", "non-en", "non-de", "non-", "xx")
           for s in (None, "politics", "country:GB", "^GB-(sport|crime)$", "sport|politics", "news", ".", "country:", "media$")][1:]
asked = [["src"], ["ref"], ["docid"], ["src", "ref"], ["ref", "src", "src"], ["all"], ["nothing"], ["src", "all"], ["ref:0"], ["ref:B"], ["domain"], ["Sys-1"]]


def lay(set_, files):
    for path, text in files.items():
        at = pathlib.Path(os.environ["SACREBLEU"], set_, "raw", path)
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_bytes(text.encode())


def in_order(names):
    """References by name: those of WMT's XML are in the order of a Python set."""
    refs = iter(sorted(n for n in names if n.startswith("ref")))
    return [next(refs) if n.startswith("ref") else n for n in names]


def attempt(f):
    """What f prints or returns, None if it fails."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            value = f()
    except (Exception, SystemExit):
        return None
    return value if value is not None else out.getvalue()


def record(set_, pair, files):
    lay(set_, files)
    d = DATASETS[set_]
    paths = d.get_files(pair)
    names = d.fieldnames(pair)
    indexes = [str(i) for i in range(len(open(paths[0], newline="\n").readlines()))]
    several = d.__class__.__name__ == "WMTXMLDataset" and sum(n.startswith("ref") for n in names) > 1
    as_dict = isinstance(d.langpairs[pair], dict)  # filtering fails on these, which is a fault
    return {
        "set": set_, "pair": pair, "raw": files, "fields": in_order(names),
        "texts": {os.path.relpath(p, os.environ["SACREBLEU"]): open(p, newline="").read() for p in sorted(paths)},
        "references": sorted(os.path.relpath(p, os.environ["SACREBLEU"]) for p in d.get_reference_files(pair)),
        "echo": [{"fields": f, "out": attempt(lambda f=f: utils.print_test_set(set_, pair, list(f)))}
                 for f in asked if not (several and f == ["all"])],
        # A document without an original language gives its whole tag.
        "languages": None if as_dict else attempt(lambda: [x for x in utils.get_available_origlangs(set_, pair) if not x.startswith("<doc")]),
        "subsets": None if as_dict else attempt(lambda: utils.get_available_subsets(set_, pair)),
        "kept": [] if as_dict else [
            {"language": o or "", "subset": s or "", "lines": attempt(lambda o=o, s=s: utils.filter_subset([indexes], set_, pair, o, s)[0])}
            for o, s in choices],
    }


def fails(text):
    lay("wmt21", {"test/newstest2021.en-ja.xml": text})
    at = os.path.join(os.environ["SACREBLEU"], "wmt21", "raw", "test/newstest2021.en-ja.xml")
    return attempt(lambda: list(DATASETS["wmt21"]._unwrap_wmt21_or_later(open(at, encoding="utf-8", newline="\n")))) is None


for name, text in broken.items():
    if not fails(text):
        sys.exit(f"sacreBLEU takes {name}")
with open(ROOT / "testsets/testdata/sacrebleu.json", "w", encoding="utf-8") as f:
    json.dump({"generated_by": "scripts/record_testsets_cache.py, sacrebleu 2.6.0, lxml 6.1.3",
               "cases": [record(*c) for c in cases], "broken": broken}, f, ensure_ascii=True, indent=0)
    f.write("\n")
