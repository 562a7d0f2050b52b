"""Contenders timed in interleaved rounds, and their ratios with intervals."""

import random
import statistics


def measured(contenders, rounds, slice_seconds):
    """Seconds a call of each contender, a list with one figure a round. Contenders are timeit.Timer by name; each is
    visited once a round, in an order drawn for it."""
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
    """The median over the rounds of theirs / ours, and its 95 % interval by the bootstrap."""
    pairs = [their / our for our, their in zip(ours, theirs)]
    fixed = random.Random(1)
    medians = sorted(statistics.median(fixed.choices(pairs, k=len(pairs))) for _ in range(2000))
    return statistics.median(pairs), medians[50], medians[1949]


def cpu():
    """The name of this machine's CPU."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
