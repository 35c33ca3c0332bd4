"""Writes files as torch.save does, and what is in them, for internal/torchfile and
backend/transformer.

    pip install torch==2.15.0 numpy==1.26.4 safetensors==0.8.0
    python3 scripts/record_torchfile.py [../shared]

writes internal/torchfile/testdata/*.pt, expected.json there, and
backend/transformer/testdata/bin/*.bin from the models beside it. With a folder that has
golden/comet it also reads the checkpoints there, by numpy over zipfile and not by PyTorch,
into internal/torchfile/testdata/comet.json.
"""
import argparse
import hashlib
import io
import json
import pathlib
import pickle
import sys
import tarfile
import types
import zipfile
from collections import OrderedDict
from importlib.metadata import version

PINNED = {"torch": "2.15.0", "numpy": "1.26.4", "safetensors": "0.8.0"}
for package, pinned in PINNED.items():
    if version(package).split("+")[0] != pinned:
        sys.exit(f"{package} {version(package)} installed, want {pinned}")

import numpy
import torch
from safetensors.torch import load_file

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "internal/torchfile/testdata"
BIN = ROOT / "backend/transformer/testdata/bin"
NAMES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
         torch.int32: "I32", torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8", torch.bool: "BOOL",
         torch.complex64: "C64", torch.uint16: "U16", torch.float8_e4m3fn: "F8_E4M3"}
torch.manual_seed(20261129)


class AttributeDict(dict):
    """Stands for Lightning's class of that name, a dict too."""


def module(path, **members):
    """Makes a module of this path that has these members."""
    parts = path.split(".")
    for i in range(len(parts)):
        sys.modules.setdefault(".".join(parts[:i + 1]), types.ModuleType(".".join(parts[:i + 1])))
    for name, member in members.items():
        member.__module__, member.__qualname__ = path, name
        setattr(sys.modules[path], name, member)


module("pytorch_lightning.utilities.parsing", AttributeDict=AttributeDict)


def save(name, value, **options):
    """Saves as torch.save does, by way of a buffer: the folder in the zip is "archive"."""
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    (OUT / name).write_bytes(buffer.getvalue())


OLD = {"_use_new_zipfile_serialization": False}


def tensors():
    """Tensors of all types, and of all that a view can be."""
    base = torch.arange(24, dtype=torch.float32).reshape(4, 6) / 8
    out = OrderedDict()
    for dtype in NAMES:
        if dtype in (torch.uint16, torch.float8_e4m3fn):
            continue  # these have a storage of bytes, see newer()
        out["type." + NAMES[dtype]] = torch.tensor([[0, 1], [2, 3]]).to(dtype) if dtype != torch.bool else torch.tensor([[True, False], [False, True]])
    out["halves"] = torch.tensor([1 / 3, -2.5, 65504, 6e-8, float("inf")], dtype=torch.float16)
    out["scalar"] = torch.tensor(7.25)
    out["empty"] = torch.empty(0, 3)
    out["whole"] = base
    out["tied"] = base
    out["transposed"] = base.t()
    out["rows"] = base[1:3]
    out["columns"] = base[:, 2:5]
    out["steps"] = base[::2, ::3]
    out["permuted"] = torch.arange(24, dtype=torch.int64).reshape(2, 3, 4).permute(2, 0, 1)
    out["one row"] = torch.arange(5).expand((1, -1))
    out["parameter"] = torch.nn.Parameter(torch.randn(3))
    out["tensor with an attribute"] = torch.randn(2)
    out["tensor with an attribute"].note = "kept nowhere"
    return out


def newer():
    return OrderedDict((NAMES[d], torch.tensor([[0, 1], [2, 3]]).to(d)) for d in (torch.uint16, torch.float8_e4m3fn))


def hyper():
    """What may be among hyper-parameters."""
    return {
        "none": None, "true": True, "false": False, "small": 7, "negative": -300, "large": 1 << 40, "least": -(1 << 63), "huge": 1 << 64,
        "huge negative": -(1 << 70), "float": 0.1, "exponent": 3.1e-05, "text": "Wörter, 語", "empty": "", "long text": "x" * 300,
        "tuple": (1, "two", 3.0, None), "pair": (1, 2), "list": [1, [2, [3]], ()], "set": {5}, "frozenset": frozenset(["a"]),
        "bytes": b"\x00\xff", "ordered": OrderedDict(a=1, b=[2]), "namespace": argparse.Namespace(lr=0.5, names=["x"]),
        "attributes": AttributeDict(x=1, y=AttributeDict(z="w")), "keys": {1: "one", None: "none", 2.5: "number"},
        "size": torch.Size([2, 3]), "dtype": torch.float32, "device": torch.device("cuda:1"), "tensor": torch.tensor([1.5, 2.5]),
        "many": list(range(1200)),
    }


def plain(v):
    """The value as internal/torchfile's test writes the one that it read."""
    if isinstance(v, torch.Tensor):
        v = v.detach().contiguous()
        shape = list(v.shape)
        flat = v.reshape(-1).view(torch.uint8).numpy().tobytes()
        return {"tensor": NAMES[v.dtype], "shape": shape, "bytes": flat.hex()}
    if isinstance(v, (argparse.Namespace,)):
        v = vars(v)
    if isinstance(v, dict):
        return {"map": {str(k): plain(x) for k, x in v.items()}}
    if isinstance(v, (list, tuple, set, frozenset)):
        return {"list": [plain(x) for x in v]}
    if isinstance(v, bool) or v is None:
        return {"is": str(v)}
    if isinstance(v, int):
        return {"int": str(v)}
    if isinstance(v, float):
        return {"float": v}
    if isinstance(v, bytes):
        return {"bytes": v.hex()}
    return {"text": str(v)}


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 2)
        self.norm = torch.nn.BatchNorm1d(2)


class Evil:
    def __reduce__(self):
        return print, ("called",)


def files():
    OUT.mkdir(parents=True, exist_ok=True)
    net = Module()
    optimizer = torch.optim.AdamW(net.parameters())
    net.first(torch.randn(1, 3)).sum().backward()
    optimizer.step()
    lightning = {"epoch": 3, "global_step": 17, "pytorch-lightning_version": "2.6.6", "state_dict": net.state_dict(),
                 "optimizer_states": [optimizer.state_dict()], "hparams_name": "kwargs", "hyper_parameters": AttributeDict(hyper())}
    values = {"tensors": tensors(), "lightning": lightning, "newer": newer(), "alone": torch.tensor([1., 2.])}
    for name, value in values.items():
        save(name + ".pt", value)
    save("tensors-old.pt", values["tensors"], **OLD)
    save("lightning-old.pt", lightning, **OLD)
    save("newer-old.pt", values["newer"], **OLD)
    for protocol in (3, 4, 5):
        save(f"lightning-{protocol}.pt", lightning, pickle_protocol=protocol)
    save("lightning-old-4.pt", lightning, pickle_protocol=4, **OLD)
    recorded = {}
    for path in sorted(OUT.glob("*.pt")):
        stem = path.stem.split("-")[0]
        if stem in values:
            recorded[path.name] = stem
    with open(OUT / "expected.json", "w", encoding="utf-8") as f:
        json.dump({"by": "torch " + PINNED["torch"], "files": recorded, "values": {k: plain(v) for k, v in values.items()}}, f, separators=(",", ":"), ensure_ascii=False)
        f.write("\n")

    # The oldest protocols have instructions of their own, for texts without escapes.
    simple = {"none": None, "flags": [True, False], "int": [0, 255, 256, 65536, -1, 1 << 31, -(1 << 40), 1 << 70], "float": [0.1, -1e300, 1e-7],
              "text": "plain, of letters", "long": "y" * 300, "tuple": ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)), "dict": {"a": {"b": {}}},
              "set": {1}, "bytes": b"ab", "ordered": OrderedDict(x=[]), "shared": [[1]] * 3}
    with open(OUT / "pickles.json", "w", encoding="utf-8") as f:
        json.dump({"by": "Python's pickle", "value": plain(simple), "pickles": {str(p): pickle.dumps(simple, p).hex() for p in range(6)}}, f, separators=(",", ":"))
        f.write("\n")

    # Files that are refused.
    save("refused-module.pt", net)
    save("refused-module-old.pt", net, **OLD)
    save("refused-call.pt", {"state_dict": net.state_dict(), "hyper_parameters": {"x": Evil()}})
    save("refused-call-4.pt", {"state_dict": net.state_dict(), "x": Evil()}, pickle_protocol=4)
    save("refused-call-old.pt", Evil(), **OLD)
    save("refused-sparse.pt", {"x": torch.eye(2).to_sparse()})
    save("refused-numpy.pt", {"x": numpy.float64(1.5)})
    save("expanded.pt", {"x": torch.arange(3.).expand(50, 3), "y": torch.ones(2)})
    buffer = io.BytesIO()
    torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), buffer)
    (OUT / "refused-script.pt").write_bytes(buffer.getvalue())
    with zipfile.ZipFile(OUT / "alone.pt") as old, zipfile.ZipFile(OUT / "refused-deflated.pt", "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), old.read(name), zipfile.ZIP_DEFLATED)
    with tarfile.open(OUT / "refused-tar.pt", "w") as tar:  # the members of the form of PyTorch 0.1
        for name in ("sys_info", "pickle", "storages", "tensors"):
            info = tarfile.TarInfo(name)
            info.size = 1
            tar.addfile(info, io.BytesIO(b"."))


def models():
    """pytorch_model.bin of models that are there as safetensors files."""
    BIN.mkdir(parents=True, exist_ok=True)
    folder = BIN.parent

    def write(name, state, **options):
        torch.save(state, BIN / name, **options)

    roberta = load_file(folder / "roberta-f16/model.safetensors")
    # As old files have them: a root, the buffer of positions, a pooler, gamma and beta.
    old = OrderedDict(("roberta." + k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"), v) for k, v in roberta.items())
    old["roberta.embeddings.position_ids"] = torch.arange(42).expand((1, -1))
    old["roberta.pooler.dense.weight"], old["roberta.pooler.dense.bias"] = torch.zeros(24, 24, dtype=torch.half), torch.zeros(24, dtype=torch.half)
    write("roberta-f16-old.bin", old, **OLD)
    names = list(roberta)
    parts = [{n: roberta[n].clone() for n in names[i::2]} for i in range(2)]
    files = [f"roberta-f16-0000{i + 1}-of-00002.bin" for i in range(2)]
    for file, part in zip(files, parts):
        write(file, part)
    with open(BIN / "roberta-f16.bin.index.json", "w") as f:
        json.dump({"metadata": {"total_size": sum(v.nbytes for v in roberta.values())}, "weight_map": {n: f for f, p in zip(files, parts) for n in p}}, f, indent=1)
        f.write("\n")
    # Tied weights, and a matrix that is a view of columns.
    mlm = load_file(folder / "bert-mlm-bf16-gelunew/model.safetensors")
    mlm["cls.predictions.decoder.weight"] = mlm["bert.embeddings.word_embeddings.weight"]
    mlm["cls.predictions.decoder.bias"] = mlm["cls.predictions.bias"]
    up = "bert.encoder.layer.0.intermediate.dense.weight"
    mlm[up] = mlm[up].t().contiguous().t()
    write("bert-mlm-bf16-gelunew.bin", OrderedDict(mlm))


class Reader(pickle.Unpickler):
    """Reads a checkpoint without PyTorch."""

    def __init__(self, archive):
        self.archive = archive
        self.name = next(n for n in archive.namelist() if n.endswith("/data.pkl"))
        super().__init__(io.BytesIO(archive.read(self.name)))

    def find_class(self, module, name):
        known = {"OrderedDict": OrderedDict, "FloatStorage": "<f4", "LongStorage": "<i8", "_rebuild_tensor_v2": self.rebuild}
        return known[name]

    def persistent_load(self, pid):
        _, dtype, key, _, _ = pid
        return numpy.frombuffer(self.archive.read(self.name.replace("data.pkl", "data/" + key)), dtype=dtype)

    @staticmethod
    def rebuild(storage, offset, size, stride, *_):
        return numpy.lib.stride_tricks.as_strided(storage[offset:], size, [s * storage.itemsize for s in stride])


def comet(shared):
    out = {}
    for path in sorted(pathlib.Path(shared).glob("golden/comet/*/checkpoints/model.ckpt")):
        with zipfile.ZipFile(path) as archive:
            value = Reader(archive).load()
        state = value.pop("state_dict")
        out[path.parent.parent.name] = {
            "value": plain(value),
            "tensors": {k: [{"<f4": "F32", "<i8": "I64"}[v.dtype.str], list(v.shape), hashlib.sha256(numpy.ascontiguousarray(v).tobytes()).hexdigest()[:16]] for k, v in state.items()}}
    with open(OUT / "comet.json", "w", encoding="utf-8") as f:
        json.dump({"by": "numpy " + PINNED["numpy"], "files": out}, f, separators=(",", ":"), ensure_ascii=False)
        f.write("\n")


files()
models()
if len(sys.argv) > 1:
    comet(sys.argv[1])
