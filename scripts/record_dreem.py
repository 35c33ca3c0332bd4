"""Writes small word vectors with gensim, in the formats of word2vec, and records what
gensim reads back from each, for dreem.

    pip install gensim==4.4.0 numpy
    python3 scripts/record_dreem.py dreem/testdata
"""
import json
import sys
from importlib.metadata import version

import numpy
from gensim.models import KeyedVectors

if version("gensim") != "4.4.0":
    sys.exit(f"gensim {version('gensim')} installed, want 4.4.0")
folder = sys.argv[1]
words = ["the", "Bär", ",", "日本", "naïve", "U.S.", "3.5", "-", "x" * 50]
rng = numpy.random.default_rng(20261128)
vectors = KeyedVectors(7)
vectors.add_vectors(words, rng.normal(size=(len(words), 7)).astype(numpy.float32))
recorded = {}
for name, options in {
    "gensim.txt": {"binary": False},
    "gensim.glove.txt": {"binary": False, "write_header": False},
    "gensim.bin": {"binary": True},
}.items():
    vectors.save_word2vec_format(f"{folder}/{name}", **options)
    back = KeyedVectors.load_word2vec_format(f"{folder}/{name}", binary=options["binary"], no_header=not options.get("write_header", True))
    recorded[name] = {"words": back.index_to_key, "vectors": [[float(x) for x in row] for row in back.vectors]}
with open(f"{folder}/gensim.json", "w", encoding="utf-8") as f:
    json.dump(recorded, f, ensure_ascii=False)
    f.write("\n")
