"""Correlates metrics with people on judged rows of one system each, as WMT17's direct
assessments are, and prints Pearson's correlation and Kendall's tau-b for every file and
their means. `mteval meta` compares systems on a segment, which such rows have not.

    python3 bench/wmt17.py FILE… [-- OPTIONS]

A FILE is a table with the columns human_z, reference and hypothesis. Where PARSES is set,
PARSES/NAME.txt and PARSES/NAME.conllu, NAME being the file's up to the first dot, are texts
and their parses for the metrics that take some. OPTIONS are mteval score's, and those of METEOR
stand in the variable METEOR, such as jar=meteor-1.5.jar,normalize. It needs SciPy.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from scipy import stats

HERE = pathlib.Path(__file__).resolve().parent
PLAIN, PARSED = ["bleu", "meteor", "multilevel-meteor", "dreem", "multilevel-dreem"], ["multilevel-meteor", "dreem", "multilevel-dreem"]


def with_options(metric):
    options = os.environ.get("METEOR")
    return f"{metric}({options})" if options and metric.endswith("meteor") else metric


def column(rows, header, name):
    return [r[header.index(name)] for r in rows]


def main():
    args = sys.argv[1:]
    cut = args.index("--") if "--" in args else len(args)
    files, options = args[:cut], args[cut + 1:]
    parses = os.environ.get("PARSES")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        binary = folder + "/mteval"
        subprocess.run(["go", "build", "-o", binary, "./cmd/mteval"], cwd=HERE.parent, check=True)
        for path in files:
            lines = pathlib.Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")
            header, *rows = [line.split("\t") for line in lines]
            human = [float(x) for x in column(rows, header, "human_z")]
            ref, hyp = folder + "/ref", folder + "/hyp"
            for name, what in ((ref, "reference"), (hyp, "hypothesis")):
                pathlib.Path(name).write_text("".join(x + "\n" for x in column(rows, header, what)), encoding="utf-8")
            name = pathlib.Path(path).name.split(".")[0]
            runs = [("", PLAIN, [])]
            if parses:
                runs.append((" and triples", PARSED, ["--parses", f"{parses}/{name}.txt={parses}/{name}.conllu"]))
            for suffix, metrics, more in runs:
                command = [binary, "score", "-r", ref, "-m", ",".join(map(with_options, metrics)), "--force", "--sentence-level", "-w", "10", *more, *options, hyp]
                out = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
                scores = {}
                for line in out.splitlines():
                    _, metric, _, score, *_ = line.split("\t")
                    scores.setdefault(metric + suffix, []).append(float(score))
                for metric, x in scores.items():
                    results.setdefault(metric, []).append((stats.pearsonr(x, human).statistic, stats.kendalltau(x, human).statistic))
    for i, what in enumerate(("Pearson", "tau-b")):
        print(f"{what:32}" + "".join(f"{pathlib.Path(p).name[:5]:>7}" for p in files) + "   mean")
        for metric, values in results.items():
            x = [v[i] for v in values]
            print(f"{metric:32}" + "".join(f"{v:7.3f}" for v in x) + f"{sum(x) / len(x):7.4f}")


main()
