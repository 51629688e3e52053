"""Bounds of plan files, recomputed from the file and the network's JSON alone: weak duality (doc/formats/plan.md), with
Dijkstra's algorithm where every switch relays, and elsewhere with the routes that `crosswind route` prints. So is z, from
the shares. Where the directions of cables differ, too. Plans that are rules are written out first, by the same page."""
import heapq
import json
import math
import pathlib
import random
import sys
import tempfile

from crosswind import Failed, run, tables

FREE = [  # network, traffic, method; nodes are switches: those of Blue Gene, and of the others on demand
    ("torus:4x4@1GB/s", "disjoint:4x8", "optimum"),
    ("torus:4x4x2,doubled", "overlap:8x4,2", "approx"),
    ("mesh:3x5", "alltoall", "auto"),
    ("bgq:512,merge2", "3", "lp"),
    ("hypercube:4", "bitcomp", "default"),
]
RULES = [  # all-to-alls where nodes are switches: sizes of the torus, every which endpoint takes part, method
    ([18, 16], 1, "optimum"),
    ([24, 24], 2, "default"),
]
ROUTED = [  # the same, and relays on a path
    ("xgft:2:2,4:1,2", "permutation", "optimum", 1),
    ("xgft:2:3,3:1,2:1,2", "aggregation:2", "optimum", 2),
    ("dragonfly:1,2,1", "alltoall", "approx", 3),
    ("dragonfly:1,2,1", "permutation", "lp", 1),
    ("torus:3x3", "alltoall", "optimum", 0),
    ("torus:4x4", "transpose", "optimum", 1),
    ("hypercube:3", "shift:by=3", "approx", 2),
]


class Network:
    """Channels in the order of their tail, then of the port there, as plan files number them."""

    def __init__(self, path, nodes_are_switches):
        file = json.load(open(path))
        self.endpoints = file["endpoints"]
        ends = []
        for a, port_a, b, port_b, *link in file["cables"]:
            there = link[0] if link else file["capacity"]
            back = link[2] if len(link) > 2 else there
            ends += [(a, port_a, b, there), (b, port_b, a, back)]
        ends.sort()
        self.first = {}
        for c, (tail, *_) in enumerate(ends):
            self.first.setdefault(tail, c)
        self.at = {end[:2]: c for c, end in enumerate(ends)}
        self.channels = []
        for tail, _, head, capacity in ends:
            inside = nodes_are_switches and min(tail, head) < self.endpoints
            self.channels.append((tail, head, math.inf if inside else capacity))
        self.unit = max(capacity for *_, capacity in self.channels if capacity < math.inf)


class FreePaths:
    """Distances where every switch relays."""

    def __init__(self, network, lengths):
        self.endpoints = network.endpoints
        self.out, self.found = {}, {}
        for c, (tail, head, _) in enumerate(network.channels):
            self.out.setdefault(tail, []).append((head, lengths.get(c, 0)))

    def distance(self, source, destination):
        if source not in self.found:
            self.found[source] = self.search(source)
        return self.found[source][destination]

    def search(self, source):
        distance, waiting = {}, [(0, source)]
        while waiting:
            at, vertex = heapq.heappop(waiting)
            if vertex in distance:
                continue
            distance[vertex] = at
            if vertex < self.endpoints and vertex != source:
                continue
            for head, length in self.out.get(vertex, []):
                if head not in distance:
                    heapq.heappush(waiting, (at + length, head))
        return distance


class RoutedPaths:
    """Distances where endpoints relay, each leg being the network's route."""

    def __init__(self, network, lengths, spec, relays):
        ends = range(network.endpoints)
        self.leg = [[self.length(network, lengths, spec, a, b) for b in ends] for a in ends]
        self.best = self.leg
        for _ in range(relays):
            self.best = [[min(self.best[a][b], *(self.leg[a][w] + self.best[w][b] for w in ends if w not in (a, b)))
                          for b in ends] for a in ends]

    @staticmethod
    def length(network, lengths, spec, a, b):
        if a == b:
            return math.inf
        at, sum_of = a, 0
        for hop in tables("route", spec, "--from", f"h{a}", "--to", f"h{b}")["route"]:
            c = network.at[at, hop["port"]]
            sum_of += lengths.get(c, 0)
            at = network.channels[c][1]
        assert at == b
        return sum_of

    def distance(self, source, destination):
        return self.best[source][destination]


def write_out(network, plan, sizes):
    """The demands that a rule lists, and all that they stand for."""
    def nodes(size):
        return [[x0, x1] for x1 in range(size[1]) for x0 in range(size[0])]

    def carry(vertex, by):
        node = vertex % network.endpoints
        at = [(node % sizes[0] + by[0]) % sizes[0], (node // sizes[0] + by[1]) % sizes[1]]
        return vertex - node + at[0] + sizes[0] * at[1]

    def carry_channel(c, by):
        tail = network.channels[c][0]
        return network.first[carry(tail, by)] + c - network.first[tail]

    step, listed, plan["demands"] = plan.pop("step"), plan["demands"], []
    assert all(demand["src"] % sizes[0] < step[0] and demand["src"] // sizes[0] < step[1] for demand in listed)
    for by in ([x0, x1] for x0, x1 in nodes(sizes) if x0 % step[0] == 0 and x1 % step[1] == 0):
        for demand in listed:
            paths = [path | {"channels": [carry_channel(c, by) for c in path["channels"]]} for path in demand["paths"]]
            plan["demands"].append(demand | {"src": carry(demand["src"], by), "dst": carry(demand["dst"], by),
                                             "paths": paths})


def check_rule(folder, sizes, every, method):
    spec, net, file = "torus:{}x{}".format(*sizes), folder / "net.json", folder / "plan.json"
    who = folder / "who.txt"
    who.write_text("".join(f"h{e}\n" for e in range(0, sizes[0] * sizes[1], every)))
    run("topo", spec, "--write", net)
    run("plan", spec, "--endpoints", who, "--traffic", "alltoall", "--method", method, "--relays", "switches",
        "--transport", "none", "--plan", file)
    network, plan = Network(net, True), json.load(open(file))
    n = network.endpoints // every * (network.endpoints // every - 1)
    assert plan["step"] == [every, 1] and len(plan["demands"]) < n / 100
    write_out(network, plan, sizes)
    ends = {(demand["src"], demand["dst"]) for demand in plan["demands"]}
    assert len(ends) == len(plan["demands"]) == n and all(src != dst for src, dst in ends)
    for demand in plan["demands"]:
        assert sum(path["bytes"] for path in demand["paths"]) == demand["bytes"]
        for path in demand["paths"]:
            at = demand["src"]
            for c in path["channels"]:
                assert network.channels[c][0] == at
                at = network.channels[c][1]
            assert at == demand["dst"]
    compare(f"{spec}, rule: z", plan["z"], rate_of(network, plan))


def bound_of(network, plan, lengths, paths):
    assert all(length > 0 and network.channels[c][2] < math.inf for c, length in lengths.items())
    supply = sum(network.channels[c][2] / network.unit * length for c, length in lengths.items())
    use = sum(demand["bytes"] / plan["unit_bytes"] * paths.distance(demand["src"], demand["dst"])
              for demand in plan["demands"])
    return supply / use


def rate_of(network, plan):
    load = {}
    for demand in plan["demands"]:
        for path in demand["paths"]:
            for c in path["channels"]:
                load[c] = load.get(c, 0) + path["share"] * demand["bytes"] / plan["unit_bytes"]
    return min(network.channels[c][2] / network.unit / use for c, use in load.items())


def compare(what, printed, found):
    if not abs(printed - found) <= 1e-9 * found:
        raise Failed(f"{what} is {printed}, expected {found}")


def check(folder, spec, traffic, method, relays=None):
    net, file, forged = folder / "net.json", folder / "plan.json", folder / "forged.json"
    who = [] if str(spec).startswith("bgq") else ["--relays", "switches"]
    if relays is not None:
        who = ["--relays", "all", "--max-relays", relays] if relays else ["--relays", "none"]
    run("topo", spec, "--write", net)
    run("plan", spec, "--traffic", traffic, "--method", method, "--plan", file, *who)
    network, plan = Network(net, relays is None), json.load(open(file))
    case = " ".join(map(str, [spec, traffic, method, *who]))
    compare(f"{case}: z", plan["z"], rate_of(network, plan))
    if method == "default":
        assert plan["bound"] is None and not plan["lengths"]
        return
    lengths = dict(plan["lengths"])
    paths = FreePaths(network, lengths) if relays is None else RoutedPaths(network, lengths, spec, relays)
    compare(f"{case}: bound", plan["bound"], bound_of(network, plan, lengths, paths))
    run("plan", spec, "--check", file, *who)
    forged.write_text(json.dumps(plan | {"bound": plan["bound"] * (1 - 1e-6)}))
    run("plan", spec, "--check", forged, *who, good=(1,))


def lopsided(folder, spec):
    """SPEC with cables that have another capacity back than there."""
    draw, net = random.Random(spec), folder / "lopsided.json"
    run("topo", spec, "--write", net)
    file = json.load(open(net))
    for cable in file["cables"]:
        cable[4:] = [draw.randint(1, 9) * 1e9, 1e-7, draw.randint(1, 9) * 1e9, 1e-7]
    net.write_text(json.dumps(file))
    return net


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for case in FREE + ROUTED:
            check(folder, *case)
        for case in RULES:
            check_rule(folder, *case)
        check(folder, lopsided(folder, "torus:4x4"), "alltoall", "optimum")
        check(folder, lopsided(folder, "xgft:2:2,4:1,2"), "alltoall", "optimum", 1)
    print(f"{len(FREE + ROUTED + RULES) + 2} plans")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(failure)
        sys.exit(1)
