"""Records what the tests of mtme/tasks expect of WMT23's tasks on the small tree.

    python3 -m venv v && v/bin/pip install numpy==2.4.6
    v/bin/python scripts/record_tasks.py

writes mtme/tasks/testdata/wmt23.json. It follows the definitions of mt-metrics-eval plainly, with NumPy's
own random numbers: one numpy.random.seed, and then all tests of all tasks.
"""
import json
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "mtme/testdata/tree/wmt23"
RULES = {"en-de": ("refA", {"refA", "synthetic_ref"}), "he-en": ("refB", {"refB"})}
METRICS = ["BLEU", "CometKiwi", "GEMBA-MQM", "MetricX-23", "XCOMET-Ensemble", "chrF", "eBLEU"]
K, SEED, BLOCK, ALPHA = 250, 5, 100, .05


def scores(path):
    out = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        system, value = line.split("\t")
        out.setdefault(system, []).append(np.nan if value == "None" else float(value))
    return out


def read(lp, level):
    """People's scores and metrics', by system, of what was judged; systems are sorted."""
    reference, out_of_it = RULES[lp]
    human = scores(TREE / f"human-scores/{lp}.mqm.{level}.score")
    systems = sorted(s for s in human if s not in out_of_it and not np.all(np.isnan(human[s])))
    gold = np.array([human[s] for s in systems])
    kept = ~np.all(np.isnan(gold), axis=0)
    metrics = {}
    for m in METRICS:
        for ref in (reference, "src"):
            path = TREE / f"metric-scores/{lp}/{m}-{ref}.{level}.score"
            if path.exists():
                of = scores(path)
                metrics[m + ("[noref]" if ref == "src" else "")] = np.array([of[s] for s in systems])[:, kept]
    return gold[:, kept], metrics


def signs(x):
    return np.sign(x[:, None] - x[None, :])


def pearson(groups, values):
    return float(np.corrcoef(np.concatenate(groups), values)[0, 1])


def accuracy(groups, values):
    agree = pairs = at = 0
    for g in groups:
        v = values[at:at + len(g)]
        at += len(g)
        upper = np.triu_indices(len(g), 1)
        agree += int((signs(g)[upper] == signs(v)[upper]).sum())
        pairs += len(upper[0])
    return agree / pairs


def verdicts(groups, values, epsilon):
    out, at = [], 0
    for g in groups:
        v = values[at:at + len(g)]
        at += len(g)
        d = v[:, None] - v[None, :]
        out.append((signs(g) == np.where(np.abs(d) <= epsilon, 0, np.sign(d)))[np.triu_indices(len(g), 1)])
    return out


def calibrated(groups, values):
    """The first epsilon with the best mean of the groups' accuracies, whose sum is kept as it changes: of
    epsilons that are equally good, rounding takes one."""
    right, pairs, changes, at = [], [], [], 0
    for k, g in enumerate(groups):
        v = values[at:at + len(g)]
        at += len(g)
        upper = np.triu_indices(len(g), 1)
        d, h = (v[:, None] - v[None, :])[upper], signs(g)[upper]
        right.append(int((np.sign(d) == h).sum()))
        pairs.append(len(d))
        changes += [(abs(x), k, int(y == 0) - int(np.sign(x) == y)) for x, y in zip(d.tolist(), h)]
    total = sum(r / n for r, n in zip(right, pairs))
    best, epsilon, threshold = -1., 0., 0.
    for x, k, change in sorted(changes, key=lambda c: c[0]) + [(np.inf, 0, 0)]:
        if x != threshold:
            if total / len(groups) > best:
                best, epsilon = total / len(groups), threshold
            threshold = x
        total -= right[k] / pairs[k]
        right[k] += change
        total += right[k] / pairs[k]
    return epsilon


def mean_right(all_verdicts):
    return float(np.mean([v.mean() for v in all_verdicts]))


def permute(groups, measure, a, b):
    """PERM-BOTH of whether b is better than a."""
    z = [(x - x.mean()) / x.std() for x in (a, b)]
    delta = measure(groups, z[1]) - measure(groups, z[0])
    draws = []
    while len(draws) < K:
        for _ in range(min(BLOCK, K - len(draws))):
            w = np.random.binomial(1, .5, len(a))
            c1 = measure(groups, w * z[0] + (1 - w) * z[1])
            c2 = measure(groups, (1 - w) * z[0] + w * z[1])
            draws.append((c2, c1))
        p = sum(c2 - c1 >= delta for c2, c1 in draws) / len(draws)
        if len(draws) % BLOCK == 0 and (p < .02 or p > .5):
            break
    return p, draws


def permute_pairs(groups, a, b):
    """The same of verdicts; it looks whether to stop only where a draw counts."""
    delta = mean_right(b) - mean_right(a)
    draws, hits = [], 0
    for k in range(1, K + 1):
        x, y = [], []
        for g, va, vb in zip(groups, a, b):
            w = np.random.binomial(1, .5, (len(g), len(g)))[np.triu_indices(len(g), 1)] == 1
            x.append(np.where(w, va, vb))
            y.append(np.where(w, vb, va))
        c1, c2 = mean_right(x), mean_right(y)
        draws.append((c2, c1))
        if c2 - c1 >= delta:
            hits += 1
            if k % BLOCK == 0 and (hits / k < .02 or hits / k > .5):
                break
    return hits / len(draws), draws


def ranks(p):
    out, current, start = [], 1, 0
    for i in range(len(p)):
        if any(p[j][i] <= ALPHA for j in range(start, i)):
            current, start = current + 1, i
        out.append(current)
    return out


def task(groups, metrics, measure):
    """metrics are vectors in the order of the groups; measure is acc_eq for None."""
    of = {}
    for m, x in metrics.items():
        v = verdicts(groups, x, calibrated(groups, x)) if measure is None else None
        of[m] = (measure(groups, x) if measure else mean_right(v), x, v)
    order = sorted(sorted(of), key=lambda m: -of[m][0])
    n = len(order)
    p, used, draws = np.zeros((n, n)), np.zeros((n, n), dtype=int), {}
    for i in range(n):
        for j in range(i + 1, n):
            high, low = of[order[i]], of[order[j]]
            p[i, j], d = permute(groups, measure, low[1], high[1]) if measure else permute_pairs(groups, low[2], high[2])
            used[i, j], draws[order[i], order[j]] = len(d), np.array(d)
    return dict(order=order, values=[of[m][0] for m in order], ranks=ranks(p), p=p, used=used, draws=draws,
                least=-1 if measure is pearson else 0)


def main():
    np.random.seed(SEED)
    tasks, weights = [], [2 / 8] + 6 * [1 / 8]
    sys = {lp: read(lp, "sys") for lp in RULES}
    common = set(sys["en-de"][1]) & set(sys["he-en"][1])
    tasks.append(task([g[:, 0] for g, _ in sys.values()],
                      {m: np.concatenate([ms[m][:, 0] for _, ms in sys.values()]) for m in common}, accuracy))
    for lp in RULES:
        gold, metrics = sys[lp]
        tasks.append(task([gold[:, 0]], {m: x[:, 0] for m, x in metrics.items()}, pearson))
        gold, metrics = read(lp, "seg")
        kept = ~np.isnan(gold)
        tasks.append(task([gold[kept]], {m: x[kept] for m, x in metrics.items()}, pearson))
        groups = [g[k] for g, k in zip(gold.T, kept.T)]
        tasks.append(task(groups, {m: x.T[kept.T] for m, x in metrics.items()}, None))

    share = lambda t, v: (v - t["least"]) / (1 - t["least"])
    names = [m for m in tasks[0]["order"] if all(m in t["order"] for t in tasks)]
    average = {m: sum(w * share(t, t["values"][t["order"].index(m)]) for w, t in zip(weights, tasks)) for m in names}
    order = sorted(names, key=lambda m: -average[m])
    p = np.zeros((len(order), len(order)))
    for i, a in enumerate(order):
        for j, b in enumerate(order[i + 1:], i + 1):
            most = max(len(t["draws"].get((a, b), t["draws"].get((b, a)))) for t in tasks)
            sums = np.zeros(most)
            for w, t in zip(weights, tasks):
                d = t["draws"][a, b] if (a, b) in t["draws"] else t["draws"][b, a][:, ::-1]
                d = share(t, np.resize(d, (most, 2)))
                sums += w * (d[:, 0] - d[:, 1])
            p[i, j] = np.mean(sums >= average[a] - average[b])
    out = dict(
        permutations=K, seed=SEED, order=order, averages=[average[m] for m in order], ranks=ranks(p), p=p.tolist(),
        average_ranks=[sum(w * t["ranks"][t["order"].index(m)] for w, t in zip(weights, tasks)) for m in order],
        tasks=[dict(order=t["order"], values=t["values"], ranks=t["ranks"], p=t["p"].tolist(), used=t["used"].tolist())
               for t in tasks])
    path = ROOT / "mtme/tasks/testdata/wmt23.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(out) + "\n")


main()
