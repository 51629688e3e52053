"""Small noise trials, simulated a second time from the definitions and compared with `crosswind noise --trial` figure
by figure: D-mod-k and dimension-order routes, collectives, congestions, times, the longest path.

    brute_force_noise.py [-n CASES] [--seed S] [--write DIR]

--write leaves the case files with their figures in DIR, and makes only such as need no options to be replayed. So
were those in tests/golden/noise made."""
import argparse
import collections
import pathlib
import random
import sys
import tempfile

from crosswind import Failed, differences, replay, run


class Tree:
    """XGFT(h; m_1…m_h; w_1…w_h) of switches with `radix` ports, w_1 = 1, by D-mod-k. Where a vertex has `up` cables to
    the next level, cable k of the child with digit c goes to parent (up·c + k) mod w. Destination d owns up cable u =
    ⌊d / (m_1…m_{l-1})⌋ mod up of its ancestor at level l, and messages to it come down there; on the way up to that
    parent, number ⌊(up·c_d + u) / w⌋ of the n parallel cables is taken (modulo n)."""

    def __init__(self, m, w, radix):
        self.m, self.w, self.radix, self.n = m, w, radix, 1
        self.up = [1]  # cables of a vertex, by level
        for children, parents in zip(m, w):
            self.n *= children
            down = children * self.up[-1] // parents
            self.good = down * parents == children * self.up[-1] and down <= radix and parents <= self.up[-1]
            self.up.append(radix - down)
            if not self.good:
                break
        self.net = f"xgft {len(m)} {' '.join(map(str, m + w))} {radix}"
        self.specification = f"xgft:{len(m)}:{','.join(map(str, m))}:{','.join(map(str, w))}:radix={radix}"

    def route(self, src, dst):
        up_channels, down_channels, below, digits = [], [], 1, ()
        for level, (m, w) in enumerate(zip(self.m, self.w)):
            own, others = dst // below, src // below  # ancestors at this level; (ancestor, digits) is a vertex
            if own == others:
                break
            up = self.up[level]
            k = dst // (below // self.m[level - 1]) % up if level > 0 else 0
            cable = up * (own % m) + k
            parallel = [i for i in range(up) if (up * (others % m) + i) % w == cable % w]
            up_channels.append(("up", level, others, digits, parallel[cable // w % len(parallel)]))
            down_channels.append(("down", level, own, digits, k))
            digits += (cable % w,)
            below *= m
        return up_channels + down_channels


class Torus:
    """k_0 × k_1 × … nodes; one dimension after the other, the shorter way round, the tie to "+"."""

    def __init__(self, sizes):
        self.sizes, self.n = sizes, 1
        for size in sizes:
            self.n *= size
        self.net = f"torus {sizes[0]} {len(sizes)}" if len(set(sizes)) == 1 else None
        self.specification = "torus:" + "x".join(map(str, sizes))

    def route(self, src, dst):
        channels, at, step = [("from", src)], src, 1
        for dimension, size in enumerate(self.sizes):
            forward = (dst // step - at // step) % size
            way = 1 if forward <= size - forward else -1
            while at // step % size != dst // step % size:
                channels.append((at, dimension, way))
                x = at // step % size
                at += ((x + way) % size - x) * step
            step *= size
        return channels + [("to", dst)]


def powers(n):
    """1, 2, 4, … below n."""
    return [1 << i for i in range((n - 1).bit_length())]


COLLECTIVES = {  # the (source, destination) pairs of each round
    "binomial-bcast": lambda n: [[(r, r + s) for r in range(s) if r + s < n] for s in powers(n)],
    "binomial-reduce": lambda n: [[(r + s, r) for r in range(s) if r + s < n] for s in reversed(powers(n))],
    "recursive-doubling": lambda n: [[(r, r ^ s) for r in range(n)] for s in powers(n)],  # n is a power of two
    "dissemination": lambda n: [[(r, (r + s) % n) for r in range(n)] for s in powers(n)],
    "ring-allgather": lambda n: [[(r, (r + 1) % n) for r in range(n)]] * (n - 1),
}


class Timing:
    """Unit time, or LogGP's: o + L + bytes·G·congestion, L of as many channels as the message takes. In none of the
    collectives above does a rank send a part of its message."""

    def __init__(self, random, loggp):
        self.loggp, self.options, self.link = loggp, [], ""
        if not loggp:
            return
        self.bytes = random.choice([0, 8, 4096, 1 << 20])
        gbits, self.latency = random.choice([10, 40, 100]), random.choice([0, 50e-9, 100e-9])
        self.gap, self.overhead, self.stated_latency = 8 / (gbits * 1e9), random.choice([0.5e-6, 1e-6, 2e-6]), None
        self.link = f"@{gbits}Gbit/s,{self.latency * 1e9:.0f}ns"
        self.options = ["--bytes", self.bytes, "--o", f"{self.overhead * 1e6}us"]
        if random.random() < 0.3:
            self.gap = 0.4e-9
            self.options += ["--G", random.choice(["0.4ns", "20Gbit/s"])]
        if random.random() < 0.3:
            self.stated_latency = 3e-6
            self.options += ["--L", "3us"]

    def carry(self, collective):
        """Of messages of COLLECTIVE: barriers carry nothing, and take no size."""
        if self.loggp and collective == "dissemination":
            self.bytes = 0
            self.options = self.options[2:] + ["--time", "loggp"]

    def costs(self, net, messages, congestion):
        """(what is shared of the time that each takes, and what is not) of messages between endpoints."""
        if not self.loggp:
            return [(c, 0) for c in congestion]
        return [(self.overhead + self.bytes * self.gap * c, self.latency_of(net.route(*pair)))
                for pair, c in zip(messages, congestion)]

    def alone(self):
        """How long a channel takes for a message that has it for itself."""
        return self.bytes * self.gap if self.loggp else 1

    def latency_of(self, route):
        if not self.loggp:
            return 0
        return self.latency * len(route) if self.stated_latency is None else self.stated_latency


def congestions(net, messages, background=()):
    """The greatest number of messages on any channel of each message's route."""
    load = collections.Counter(c for pair in [*messages, *background] for c in net.route(*pair))
    return [max(load[c] for c in net.route(*pair)) for pair in messages]


def finish(n, rounds, costs):
    """When the last message arrives, if each takes its cost and starts once all that its sender got in earlier rounds is
    there."""
    there = [0] * n
    for messages, cost in zip(rounds, costs):
        arrivals = [(dst, there[src] + sum(taken)) for (src, dst), taken in zip(messages, cost)]
        for dst, time in arrivals:
            there[dst] = max(there[dst], time)
    return max(there)


def carry_all(net, app, rounds, background, timing, in_order):
    """(when the last message arrives, when the last channel is done) if channels carry round after round: each message
    waits for those of earlier rounds on its channels, shares them with its round and the background, and keeps its
    sender until it is through. Unless IN_ORDER, nobody waits, and only the channels count. (In the collectives above no
    rank sends or receives twice in a round.)"""
    there, busy, until = [0] * len(app), [0] * len(app), collections.Counter()
    alone, overhead = timing.alone(), timing.overhead if timing.loggp else 0
    noise = collections.Counter(c for pair in background for c in net.route(*pair))
    for messages in rounds:
        routes = [net.route(app[src], app[dst]) for src, dst in messages]
        own = collections.Counter(c for route in routes for c in route)
        starts = [(max(there[src], busy[src]) if in_order else 0) + overhead for src, dst in messages]
        throughs = [max((max(start, until[c]) + (own[c] + noise[c]) * alone for c in route), default=start)
                    for start, route in zip(starts, routes)]
        for start, route in zip(starts, routes):
            for c in route:
                until[c] = max(start, until[c]) + alone * (own[c] + noise[c]) / own[c]
        for (src, dst), route, through in zip(messages, routes, throughs):
            busy[src] = through
            there[dst] = max(there[dst], through + timing.latency_of(route))
    return max(there), max(until.values(), default=0)


def path_length(path, rounds, costs):
    """The greatest cost of messages path[0] → path[1] → … in rounds one after the other, or None."""
    best = {0: 0}  # number of hops made by the rounds so far: cost
    for messages, cost in zip(rounds, costs):
        of = dict(zip(messages, cost))
        for hops in sorted(best, reverse=True):
            step = tuple(path[hops:hops + 2])
            if step in of:
                best[hops + 1] = max(best.get(hops + 1, 0), best[hops] + sum(of[step]))
    return best.get(len(path) - 1)


def random_network(random, uniform):
    if random.random() < 0.5:
        sizes = [random.randint(2, 6) for _ in range(random.randint(1, 3))]
        return Torus([sizes[0]] * len(sizes) if uniform or random.random() < 0.5 else sizes)
    while True:
        radix, h = random.choice([4, 6, 8, 9]), random.randint(2, 3)
        tree = Tree([random.randint(2, radix - 1) for _ in range(h)],
                    [1] + [random.randint(1, radix - 1) for _ in range(h - 1)], radix)
        if tree.good:
            return tree


def pairs(words):
    return [(words[i], words[i + 1]) for i in range(0, len(words), 2)]


def simulate(net, collective, app, pert, bisection, in_order, timing):
    """The expected lines, and what is needed to judge a longest path."""
    lines, costs = [], ([], [])
    rounds = COLLECTIVES[collective](len(app))
    for number, messages in enumerate(rounds, 1):
        placed = [(app[src], app[dst]) for src, dst in messages]
        clean, perturbed = congestions(net, placed), congestions(net, placed, pert)
        costs[0].append(timing.costs(net, placed, clean))
        costs[1].append(timing.costs(net, placed, perturbed))
        lines.append(["level", number, len(placed), sum(clean), max(clean), sum(perturbed), max(perturbed)])
    alone = congestions(net, pert)
    lines.append(["perturbation_only", len(pert), sum(alone), max(alone, default=0)])
    carried = [carry_all(net, app, rounds, background, timing, in_order) for background in ([], pert)]
    times = [last for last, done in carried] if in_order else [finish(len(app), rounds, cost) for cost in costs]
    if timing.loggp and not in_order:  # seconds bear what the channels carry
        times = [max(time, done) for time, (last, done) in zip(times, carried)]
    lines.append(["time", *times])
    if bisection:
        alone = congestions(net, bisection)
        lines.append(["bisect_result", sum(1 / c for c in alone), max(alone)])
    return lines, rounds, costs[1]


def try_case(random, directory, number, plain):
    """Makes a random case, if PLAIN one without options, simulates it and compares. Returns what is wrong, as lines."""
    net = random_network(random, plain)
    endpoints = random.sample(range(net.n), net.n)
    collective = "binomial-bcast" if plain else random.choice(list(COLLECTIVES))
    ranks = random.randint(2, net.n)
    if collective == "recursive-doubling":
        ranks = 1 << ranks.bit_length() - 1
    app, others = endpoints[:ranks], endpoints[ranks:]
    pert = []
    if len(others) > 1:
        if random.random() < 0.5:  # a derangement: each of a cycle sends to the next
            pert = list(zip(others, others[1:] + others[:1]))
        else:  # anything
            pert = [(src, random.choice([e for e in others if e != src])) for src in others]
    shuffled = random.sample(range(net.n), net.n // 2 * 2)
    bisection = pairs(shuffled) if random.random() < 0.5 else []
    sends = [] if plain or random.random() < 0.5 else ["--sends", random.choice(["at-once", "in-order"])]
    timing = Timing(random, not plain and random.random() < 0.4)
    timing.carry(collective)
    in_order = sends[1] == "in-order" if sends else timing.loggp
    lines, rounds, costs = simulate(net, collective, app, pert, bisection, in_order, timing)

    options = ["--schedule", collective] + timing.options + sends
    path = pathlib.Path(directory) / f"{number:02}-{(net.net or net.specification).replace(' ', '-')}.txt"
    with open(path, "w") as file:
        if net.net:
            print("net", net.net, file=file)
        print("app", len(app), *app, file=file)
        print("pert", len(pert), *(e for pair in pert for e in pair), file=file)
        if bisection:
            print("bisect", len(bisection), *(e for pair in bisection for e in pair), file=file)
        for line in lines:
            print(*line, file=file)

    network = [] if net.net and not timing.link else [net.specification + timing.link]
    arguments = network + options + ["--trial", path]
    try:
        printed, longest = replay(*arguments)
        wrong = differences(printed, lines)
        run("noise", *arguments)  # which compares, too
    except Failed as failure:
        return [str(failure)]
    if not in_order and abs(path_length(longest, rounds, costs) - finish(len(app), rounds, costs)) > 1e-12:
        wrong.append(f"{longest} is not a longest path")
    return [f"{path.name} ({collective}): {line}" for line in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=200, help="number of cases")
    parser.add_argument("--seed", type=int, default=2009)
    parser.add_argument("--write", metavar="DIR")
    options = parser.parse_args()
    source = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as directory:
        wrong = [line for i in range(options.n)
                 for line in try_case(source, options.write or directory, i, options.write is not None)]
    print("\n".join(wrong) or f"{options.n} cases agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
