"""Simulates loops on Apple's M1, for which llvm-mca has no usable model.

The simulator models the decode width, the size of the out-of-order window, the number of execution ports of each kind,
and latencies, all from published measurements (dougallj's tables). Fused pairs count as one operation: an AESE with its
AESMC, and a PMULL with the following EOR that changes the same register. All loads hit the first-level cache.
"""

import re

WIDTH = 8
WINDOW = 330
PIPES = {"vector": 4, "load": 3, "store": 2, "integer": 6, "branch": 2}
LATENCIES = {"aes": 3, "pmull": 3, "load": 5, "integer": 1, "branch": 1, "store": 1, "to vector": 5}
VECTOR_LATENCY = 2
TURNS = 40


def cycles(body):
    """Returns the cycles per iteration of a loop whose AESMC instructions were removed."""
    operations = parsed(body)
    ends = []
    for number, cycle in enumerate(begun(operations * TURNS)):
        if (number + 1) % len(operations) == 0:
            ends.append(cycle)
    warm = TURNS // 3
    return (ends[-1] - ends[warm]) / (TURNS - 1 - warm)


def parsed(body):
    """Returns the operations: mnemonic, port, latency, registers read and registers written."""
    operations = []
    for line in body:
        mnemonic, _, operands = line.replace("\t", " ").partition(" ")
        fused = operations and mnemonic == "eor" and operations[-1][0] == "pmull" and \
            registers(operands)[:1] == operations[-1][4] and operations[-1][4][0] in registers(operands)[1:]
        if fused:
            operations[-1] = (*operations[-1][:3], operations[-1][3] + registers(operands)[1:], operations[-1][4])
        else:
            operations.append(operation(mnemonic, operands))
    return operations


def operation(mnemonic, operands):
    memory = re.search(r"\[([^]]*)\](!?)(,)?", operands)
    if memory and mnemonic.startswith(("ld", "st")):
        outside, address = registers(operands[:memory.start()]), registers(memory[1])
        moved = address[:1] if memory[2] or memory[3] else []
        if mnemonic.startswith("ld"):
            return mnemonic, "load", LATENCIES["load"], address, outside + moved
        return mnemonic, "store", LATENCIES["store"], outside + address, moved
    names = registers(operands)
    if mnemonic.startswith(("b.", "cb", "tb")) or mnemonic == "b":
        return mnemonic, "branch", LATENCIES["branch"], ["flags"] if mnemonic.startswith("b.") else names, []
    if mnemonic in ("cmp", "tst"):
        return mnemonic, "integer", LATENCIES["integer"], names, ["flags"]
    to, reads = names[:1], names[1:]
    if not to[0].startswith("v"):
        flags = ["flags"] if mnemonic in ("subs", "adds", "ands") else []
        return mnemonic, "integer", LATENCIES["integer"], reads, to + flags
    if mnemonic == "aese" or re.match(r"v\d+\.\w+\[", operands):
        reads = names
    if any(name.startswith("x") for name in reads):
        return mnemonic, "load", LATENCIES["to vector"], reads, to
    kind = "aes" if mnemonic == "aese" else "pmull" if mnemonic.startswith("pmull") else None
    return kind or mnemonic, "vector", LATENCIES.get(kind, VECTOR_LATENCY), reads, to


def registers(text):
    """Returns the names of the registers in an operand list, without their width."""
    found = re.findall(r"\b([vqdxw])(\d+)\b|\b(sp)\b", text)
    return [f"{'v' if kind in 'vqd' else 'x'}{number}" if number else sp for kind, number, sp in found]


def begun(operations):
    """Returns the cycle in which each operation begins."""
    begins = [None] * len(operations)
    ready = [0] * len(operations)
    last, sources = {}, []
    for number, (_, _, _, reads, writes) in enumerate(operations):
        sources.append([last[name] for name in reads if name in last])
        last |= dict.fromkeys(writes, number)
    waiting, entered, oldest, cycle = [], 0, 0, 0
    while oldest < len(operations):
        free = dict(PIPES)
        still = []
        for number in waiting:
            _, pipe, latency, _, _ = operations[number]
            if free[pipe] and all(begins[s] is not None and ready[s] <= cycle for s in sources[number]):
                free[pipe] -= 1
                begins[number], ready[number] = cycle, cycle + latency
            else:
                still.append(number)
        waiting = still
        while oldest < entered and begins[oldest] is not None and ready[oldest] <= cycle:
            oldest += 1
        room = min(WIDTH, WINDOW - (entered - oldest), len(operations) - entered)
        waiting.extend(range(entered, entered + room))
        entered += room
        cycle += 1
    return begins
