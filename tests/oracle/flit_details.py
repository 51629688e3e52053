"""The details of `crosswind flit` agree with one another: flits are added up on every channel, in every batch and every
bin, and give accepted load, utilisation, fairness and latency once more. Who is starved is seen on its channel."""
import collections
import csv
import pathlib
import re
import sys
import tempfile

from crosswind import run, tables

WARMUP, CYCLES = 3000, 4000
BUFFER = 64  # flits of an input and of an output queue
DELAY = 8    # cycles of a channel of 100 ns at 40 Gbit/s


def read(path):
    return list(csv.DictReader(open(path)))


def close(a, b, slack=1e-9):
    return abs(a - b) <= slack * max(1, abs(a), abs(b))


def simulate(folder, network, *arguments):
    files = {name: folder / f"{name}.csv" for name in ("channels", "series", "histogram")}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    result = tables("flit", network, *arguments, *options, "--warmup", WARMUP, "--cycles", CYCLES, "--unsteady",
                    "--threads", 1, "--top", 3)
    return result, {name: read(path) for name, path in files.items()}


def jain(shares):
    shares = list(shares)
    return sum(shares) ** 2 / (len(shares) * sum(share**2 for share in shares))


def ends(channel):
    """The vertices and ports of "h0/1>g0s0/1"."""
    return [end.rsplit("/", 1) for end in channel.split(">")]


def group_of(switch):
    return re.match(r"g(\d+)s", switch).group(1)


def class_of(channel):
    (tail, _), (head, _) = ends(channel)
    if tail.startswith("h"):
        return "injection"
    if head.startswith("h"):
        return "ejection"
    return "local" if group_of(tail) == group_of(head) else "global"


def check_channels(result, rows):
    """Of a uniform load on a dragonfly, of single flits."""
    flits = {row["channel"]: int(row["flits"]) for row in rows["channels"]}
    by_class, into, out = collections.defaultdict(list), collections.Counter(), collections.Counter()
    for channel, n in flits.items():
        by_class[class_of(channel)].append(n)
        (tail, _), (head, _) = ends(channel)
        out[tail] += n
        into[head] += n
    (row,), (use,), (fair,) = result["flit"], result["utilisation"], result["fairness"]
    hosts, switches = len(by_class["injection"]), [v for v in out if not v.startswith("h")]
    under_way = DELAY * hosts / CYCLES / hosts  # on the channels into endpoints, at both ends of the window
    inside = {s: 4 * 2 * BUFFER * sum(s == end[0] for c in flits for end in ends(c)) for s in switches}
    hottest = sorted((n for c, n in flits.items() if class_of(c) in ("local", "global")), reverse=True)[:3]
    shares = [n / CYCLES for n in by_class["injection"]]
    return {
        "classes": all(row["class"] == class_of(row["channel"]) for row in rows["channels"]),
        "utilisation is flits a cycle, and one at most":
            all(close(float(row["utilisation"]), int(row["flits"]) / CYCLES) and int(row["flits"]) <= CYCLES
                for row in rows["channels"]),
        "accepted load is what the channels into endpoints moved":
            abs(sum(by_class["ejection"]) / CYCLES / hosts - row["accepted_mean"]) <= under_way,
        "what goes into a switch comes out, or is in its queues": all(abs(into[s] - out[s]) <= inside[s] for s in switches),
        "flit-hops are what switches moved":
            abs(sum(out[s] for s in switches) - row["flit_hops"]) <= sum(inside.values()),
        "mean utilisation of the classes":
            all(close(use[name], sum(by_class[name]) / CYCLES / len(by_class[name]))
                for name in ("injection", "local", "global")),
        "the busiest": close(use["busiest"], hottest[0] / CYCLES),
        "the hottest": [round(row["utilisation"] * CYCLES) for row in result["hottest"]] == hottest,
        "Jain's index": close(fair["fairness"], jain(shares)),
        "least, mean and most injected":
            all(close(fair[f"injected_{name}"], value) for name, value in
                (("min", min(shares)), ("mean", sum(shares) / hosts), ("max", max(shares)))),
    }


def check_series(result, rows):
    (row,), (latency,) = result["flit"], result["latency"]
    batches = [(int(b["first_cycle"]), int(b["cycles"]), float(b["accepted"]), b["latency"]) for b in rows["series"]]
    ends_at = [first + cycles for first, cycles, _, _ in batches]
    measured = [batch for batch in batches if batch[0] >= WARMUP]
    accepted = sum(cycles * load for _, cycles, load, _ in measured)
    # Messages are of one flit, so that a batch completes as many as it accepts.
    late = sum(cycles * load * float(mean) for _, cycles, load, mean in measured if load > 0)
    messages = sum(int(bin["messages"]) for bin in rows["histogram"])
    least = sum(int(bin["messages"]) * int(bin["latency_from"]) for bin in rows["histogram"])
    return {
        "batches follow one another": [b[0] for b in batches] == [0, *ends_at[:-1]] and ends_at[-1] == WARMUP + CYCLES,
        "the batches' accepted load": close(accepted / CYCLES, row["accepted_mean"], 1e-6),
        "the batches' latency": close(late / accepted, row["latency_mean"], 1e-6),
        "messages of the histogram": messages == latency["messages"],
        "latencies of the histogram": least / messages <= row["latency_mean"] <= 2 ** (1 / 8) * least / messages + 1,
    }


def check_starved(folder):
    """All send to one endpoint, and flits in transit come first: who has none of the channels is named, and nobody else."""
    result, rows = simulate(folder, "torus:8", "--traffic", "hotspot:1,share=1", "--hardware", "transit-first=yes",
                            "--load", 1)
    injected = {ends(row["channel"])[0][0]: int(row["flits"]) for row in rows["channels"] if row["class"] == "injection"}
    starved = [host for host, flits in injected.items() if flits == 0]
    (fair,), said = result["fairness"], [note for note in result["notes"] if "starved" in note]
    return {
        "who is starved": 0 < len(starved) <= 5 and fair["starved"] == len(starved) and len(said) == 1
        and re.findall(r"\bh\d+", said[0]) == starved,
        "Jain's index of unequal shares": close(fair["fairness"], jain(injected.values())) and fair["fairness"] < 0.5,
    }


def check_not_starved(folder):
    """Who has next to nothing to send is not starved for sending nothing, nor is a job whose flits are long under way."""
    few, rows = simulate(folder, "torus:8", "--load", 0.0005)
    silent = [row for row in rows["channels"] if row["class"] == "injection" and int(row["flits"]) == 0]
    some, rows = simulate(folder, "torus:8", "--load", 0.01)
    sent = [int(row["flits"]) for row in rows["channels"] if row["class"] == "injection"]
    delay = 5000  # cycles from switch to switch: the tree's last rank is 3 levels away at least
    tree = tables("jobs", "torus:8", "--model", "flits", "--jobs", "binomial-bcast", "--placement", "random", "--hardware",
                  f"local-latency={delay}", "--trials", 2, "--threads", 1)
    return {
        "who has sent nothing yet is not starved": 0 < len(silent) and few["fairness"][0]["starved"] == 0
        and not any("starved" in note for note in few["notes"]),
        "nor is who has sent little": all(0 < flits < 100 for flits in sent) and some["fairness"][0]["starved"] == 0
        and not any("starved" in note for note in some["notes"]),
        "a job may wait for long": tree["jobs"][0]["cycles_mean"] >= 3 * delay,
    }


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result, rows = simulate(folder, "dragonfly:2,3,2", "--traffic", "uniform", "--routing", "minimal", "--load", 0.7)
        checks = check_channels(result, rows) | check_series(result, rows)
        checks |= check_starved(folder) | check_not_starved(folder)
    print("\n".join(what for what, good in checks.items() if not good) or "all details agree")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
