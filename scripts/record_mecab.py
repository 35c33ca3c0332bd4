"""Records the words of MeCab with its IPA dictionary, as sacreBLEU splits Japanese
with, on lines of our own, for tokenize/jamecab.

    pip install sacrebleu[ja]==2.6.0 mecab-python3==1.0.12 ipadic==1.0.0
    python3 scripts/record_mecab.py > tokenize/jamecab/testdata/mecab.json
"""
import json
import sys
from importlib.metadata import version

from sacrebleu.metrics import BLEU

for package, pinned in (("sacrebleu", "2.6.0"), ("mecab-python3", "1.0.12"), ("ipadic", "1.0.0")):
    if version(package) != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")
lines = [
    "", " ", "水門の番人は六時に門を開けた。", "誰も彼女にストライキのことを話していなかった。", "昨日、図書館で3冊の本を借りました。",
    "価格は1,250円上がって、12.5%高くなりました！", "「おはよう」と彼は言った。", "すもももももももものうち", "東京都に住んでいる友達から手紙が来た。",
    "コンピューターのプログラムを書くのが好きです。", "ＡＢＣとabc、１２３と123", "今日は2026年11月27日（金）です", "  前後の空白　 ", "全角　スペース",
    "サッカーの試合は雨で中止になった", "駅前のラーメン屋さんは、いつも混んでいるよね？", "新しい機械翻訳システムの評価", "彼は「それは違う」とつぶやき、部屋を出て行った。",
    "http://example.org を見てください", "お茶を飲みながら、ゆっくり話しましょう。", "猫が好き 犬も好き", "ヴァイオリンとピアノの二重奏", "行ってらっしゃい！", "ﾊﾝｶｸｶﾅ", "食べられなかったらしい",
]
f = BLEU(tokenize="ja-mecab").tokenizer
print(json.dumps({"generated_by": "scripts/record_mecab.py", "cases": [[t, f(t)] for t in lines]}, ensure_ascii=False, indent=0))
