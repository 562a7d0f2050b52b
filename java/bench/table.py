"""Prints the results of java/bench/run.sh as a table: the minimum time and the minimum allocation over all rounds."""

import json
import sys
from collections import defaultdict

times, allocated = defaultdict(list), defaultdict(list)
for name in sys.argv[1:]:
    with open(name, encoding="utf-8") as results:
        for result in json.load(results):
            params = result["params"]
            case = (result["benchmark"].rsplit(".", 1)[1], int(params["keyBits"]), int(params["bytes"]))
            key = case, params["provider"].rsplit(".", 1)[-1]
            times[key].append(result["primaryMetric"]["scorePercentiles"]["0.0"])
            allocated[key].append(result["secondaryMetrics"]["gc.alloc.rate.norm"]["score"])

providers = sorted({provider for _, provider in times}, key=lambda name: (name == "Kasoku", name))
heads = [head for name in providers for head in (f"{name} ns", "B/op")] + [f"/ {name}" for name in providers[:-1]]
print(f"{'':10} {'key':>4} {'bytes':>6} " + " ".join(f"{head:>12}" for head in heads))
for case in sorted({case for case, _ in times}):
    best = {name: min(times[case, name]) for name in providers}
    cells = [cell for name in providers for cell in (f"{best[name]:.0f}", f"{min(allocated[case, name]):.0f}")]
    cells += [f"{best[name] / best[providers[-1]]:.2f}" for name in providers[:-1]]
    print(f"{case[0]:10} {case[1]:>4} {case[2]:>6} " + " ".join(f"{cell:>12}" for cell in cells))
