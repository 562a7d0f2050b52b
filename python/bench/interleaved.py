"""Times contenders in interleaved rounds, and computes their ratios with intervals."""

import random
import statistics


def measured(contenders, rounds, slice_seconds):
    """Returns seconds per call of each contender, one figure for each round. Contenders are timeit.Timer objects by
    name. Each round visits all of them in random order."""
    counts = {name: max(1, round(slice_seconds / per_call(timer))) for name, timer in contenders.items()}
    samples = {name: [] for name in contenders}
    for _ in range(rounds):
        for name in random.sample(list(contenders), len(contenders)):
            samples[name].append(contenders[name].timeit(counts[name]) / counts[name])
    return samples


def per_call(timer):
    count, seconds = timer.autorange()
    return seconds / count


def ratio(ours, theirs):
    """Returns the median ratio theirs / ours over the rounds, and its 95 % bootstrap interval."""
    pairs = [their / our for our, their in zip(ours, theirs)]
    fixed = random.Random(1)
    medians = sorted(statistics.median(fixed.choices(pairs, k=len(pairs))) for _ in range(2000))
    return statistics.median(pairs), medians[50], medians[1949]


def cpu():
    """Returns the name of this machine's CPU."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
