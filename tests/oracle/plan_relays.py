"""Who relays, and what plans promise, on small networks of every topology but Blue Gene's: from plan files and the
network's JSON alone. Relays are endpoints, whose cables carry all that comes in and leaves; a plan's bandwidth is that
of the most loaded channel, endpoints' cables among them, and no simulation of its flits is faster; and where a plan is
said to be 1.3 times as fast as the network's own routes, they are not faster flit by flit."""
import json
import pathlib
import random
import re
import sys
import tempfile

from crosswind import Failed, run, tables
from plan_bounds import Network

SMALL = {  # of each topology some to draw from
    "xgft": ["xgft:2:3,3:1,2", "xgft:2:2,4:2,2"], "torus": ["torus:5", "torus:3x4", "torus:2x3,doubled"],
    "mesh": ["mesh:3x3", "mesh:6"], "hypercube": ["hypercube:3", "hypercube:5"],
    "dragonfly": ["dragonfly:1,2,1", "dragonfly:2,2,1"], "crossbar": ["crossbar:5"],
    "hyperx": ["hyperx:3x2,2", "hyperx:2x2,1"], "slimfly": ["slimfly:3"], "megafly": ["megafly:1,2,1,1"],
    "jellyfish": ["jellyfish:8,3,1,seed=2"], "rail": ["rail:2,2,2", "rail:2,4,2"]}
METHODS = ["default", "heuristic", "greedy", "lp", "optimum", "approx", "auto"]
PROMISES = [(network, pattern) for network in
            ["torus:4x4", "torus:8x8", "mesh:4x4", "hypercube:4", "dragonfly:2,4,2", "xgft:2:8,8:1,4"]
            for pattern in ["transpose", "shift:by=3", "bitcomp"]]
SIZES = [("128KiB", "16KiB"), ("256KiB", "64KiB")]  # of a pair's data, and of chunks
AGAIN = 1.03  # as much slower a plan may be flit by flit


def check_paths(case, network, plan):
    """The bytes that PLAN has on each channel."""
    carried = [0] * len(network.channels)
    relayed = 0
    for demand in plan["demands"]:
        for path in demand["paths"]:
            at, relays = demand["src"], 0
            for place, channel in enumerate(path["channels"]):
                tail, head, _ = network.channels[channel]
                if tail != at:
                    raise Failed(f"{case}: channel {channel} does not begin at {at}")
                relays += place > 0 and tail < network.endpoints
                carried[channel] += int(path["bytes"])
                at = head
            if at != demand["dst"] or relays > 1:
                raise Failed(f"{case}: path {path} ends at {at} after {relays} relays")
            relayed += relays * int(path["bytes"])
    # what an endpoint relays comes in and leaves by its own cables, beside what it sends and receives
    into = sum(carried[c] for c, (_, head, _) in enumerate(network.channels) if head < network.endpoints)
    out = sum(carried[c] for c, (tail, _, _) in enumerate(network.channels) if tail < network.endpoints)
    everything = sum(int(demand["bytes"]) for demand in plan["demands"]) + relayed
    if (into, out) != (everything, everything):
        raise Failed(f"{case}: endpoints take in {into} and give {out}, expected {everything}")
    return carried


def check_plans(folder, draw, spec):
    net, demands, file, moves = (folder / name for name in ("net.json", "demands.csv", "plan.json", "moves.json"))
    run("topo", spec, "--write", net)
    network = Network(net, False)
    pairs = {tuple(draw.sample(range(network.endpoints), 2)) for _ in range(5)}
    demands.write_text("".join(f"{a},{b},{draw.randint(100000, 200000)}\n" for a, b in sorted(pairs)))
    relayed = 0
    for method in METHODS:
        case = f"{spec} {method}"
        row = tables("plan", spec, "--traffic", f"matrix:{demands}", "--method", method, "--chunk", "8KiB", "--plan",
                     file, "--moves", moves)["plan"][0]
        plan = json.load(open(file))
        if plan["relays"] != "endpoints":
            raise Failed(f"{case}: relays are {plan['relays']}")
        carried = check_paths(case, network, plan)
        bound = max(bytes / capacity for bytes, (_, _, capacity) in zip(carried, network.channels))
        if abs(row["bandwidth_seconds"] - bound) > 1e-9 * bound:
            raise Failed(f"{case}: bandwidth_seconds is {row['bandwidth_seconds']}, expected {bound}")
        if row["predicted_seconds"] < bound * (1 - 1e-9):
            raise Failed(f"{case}: predicted_seconds is {row['predicted_seconds']}, less than {bound}")
        cables = [tail for tail, _, _ in network.channels if tail < network.endpoints]
        if method in ("optimum", "greedy") and len(set(cables)) == len(cables):
            seconds = tables("jobs", spec, "--model", "flits", "--jobs", f"moves:{moves}")["moves"][0]["seconds"]
            if seconds < bound * (1 - 1e-9):
                raise Failed(f"{case}: {seconds} s flit by flit, less than {bound}")
        relayed += row["copies_max"] > 0
    return relayed


def check_promise(folder, spec, pattern, data, chunk):
    """How many times as fast a plan is said to be, and found, where it is said to be 1.3 times or more."""
    if spec == "dragonfly:2,4,2" and pattern == "transpose":
        pattern = "transpose:rows=8"
    rows = tables("plan", spec, "--traffic", pattern, "--bytes", data, "--chunk", chunk, "--moves",
                  folder / "moves.json")["plan"]
    times = rows[0]["predicted_seconds"] / rows[1]["predicted_seconds"]
    if times < 1.3:
        return None
    plan, own = tables("jobs", spec, "--model", "flits", "--jobs", f"moves:{folder}/moves.json")["moves"]
    found = own["seconds"] / plan["seconds"]
    print(f"{spec}, {pattern}, {data}: {times:.3g} times by the simulated transport, {found:.3g} times flit by flit")
    if found < 1 / AGAIN:
        raise Failed(f"{spec}, {pattern}: said to be {times:.3g} times as fast, but {found:.3g} flit by flit")
    return times


def main():
    names = set(re.findall(r"^([a-z]+):", run("help", "topologies"), re.MULTILINE))
    if names - {"bgq"} != set(SMALL):
        raise Failed(f"topologies are {names}, and there are cases of {set(SMALL)}")
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        relayed = [check_plans(folder, draw, draw.choice(SMALL[topology])) for topology in sorted(SMALL)]
        kept = [check_promise(folder, *case, *sizes) for case in PROMISES for sizes in SIZES]
    if sum(n > 0 for n in relayed) < 6 or sum(times is not None for times in kept) < 5:
        raise Failed(f"too few plans relay, {relayed}, or promise, {kept}")
    print(f"{sum(relayed)} plans that relay, {sum(times is not None for times in kept)} promises")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(failure)
        sys.exit(1)
