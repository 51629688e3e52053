"""Carries out files of moves (doc/formats/moves.md) on ranks that hold real bytes: every rank sees its own steps and
the chunks that others send it, and nothing else. At the end every destination must have its source's data, by checksum.
Nothing of Crosswind is used but the file; what channels carry is compared with what the plan says."""
import csv
import hashlib
import json
import pathlib
import random
import sys
import tempfile

from crosswind import ROOT, run

SAMPLE = ROOT / "examples/sample"


class Rank:
    def __init__(self, number, steps, file):
        self.number, self.file = number, file
        self.steps = {step["stream"]: step for step in steps}
        self.queue = {step["stream"]: [] for step in steps}  # chunks here that are to be sent on, in their order
        self.sent = {step["stream"]: 0 for step in steps}
        self.in_flight = {step["stream"]: 0 for step in steps}  # chunks that the next rank has not sent on
        self.data = {}  # by demand, what has arrived for this rank
        self.most = 0  # chunks buffered at any time

    def load(self, demand, data):
        size = self.file["chunk_bytes"]
        for stream, step in self.steps.items():
            if step["do"] == "send" and step["demand"] == demand:
                part = data[int(step["offset"]):int(step["offset"]) + int(step["bytes"])]
                self.queue[stream] = [part[i:i + size] for i in range(0, len(part), size)]

    def buffered(self):
        return sum(len(queue) for stream, queue in self.queue.items() if self.steps[stream]["do"] == "forward")

    def take(self, sender, stream, chunk, number):
        step = self.steps[stream]
        assert step["do"] != "send" and step["from"] == sender
        if step["do"] == "forward":
            self.queue[stream].append(chunk)
            self.most = max(self.most, self.buffered())
        else:
            demand = self.file["demands"][step["demand"]]
            assert demand["dst"] == self.number
            place = self.data.setdefault(step["demand"], bytearray(int(demand["bytes"])))
            begin = int(step["offset"]) + number * self.file["chunk_bytes"]
            place[begin:begin + len(chunk)] = chunk


def send(ranks, rank, stream, credits):
    """Sends the next chunk of STREAM from RANK, if there is one and room for it."""
    step = rank.steps[stream]
    if step["do"] == "receive" or not rank.queue[stream]:
        return False
    peer = ranks[step["to"]]
    relays = peer.steps[stream]["do"] == "forward"
    if relays and rank.in_flight[stream] == credits:
        return False
    chunk = rank.queue[stream].pop(0)
    peer.take(rank.number, stream, chunk, rank.sent[stream])
    rank.sent[stream] += 1
    rank.in_flight[stream] += relays
    if step["do"] == "forward":
        ranks[step["from"]].in_flight[stream] -= 1  # a credit goes back
    return True


def carry_out(file, rng):
    """The differences between what was sent and what is there, and the ranks."""
    ranks = [Rank(number, rank["steps"], file) for number, rank in enumerate(file["ranks"])]
    sums = []
    for number, demand in enumerate(file["demands"]):
        data = rng.randbytes(int(demand["bytes"]))
        sums.append(hashlib.sha256(data).hexdigest())
        ranks[demand["src"]].load(number, data)
    moved = True
    while moved:
        tries = [(rank, stream) for rank in ranks for stream in rank.steps]
        rng.shuffle(tries)
        moved = sum(send(ranks, rank, stream, file["credits"]) for rank, stream in tries)
    wrong = []
    for number, demand in enumerate(file["demands"]):
        there = ranks[demand["dst"]].data.get(number, b"")
        if hashlib.sha256(there).hexdigest() != sums[number]:
            wrong.append(f"demand {number} is not at its destination")
    return wrong, ranks


def channel_bytes(file):
    """What the steps have each channel carry."""
    carried = {}
    for rank in file["ranks"]:
        for step in rank["steps"]:
            for channel in step.get("channels", []):
                carried[channel] = carried.get(channel, 0) + int(step["bytes"])
    return carried


def ends(name):
    """The vertices of a channel called TAIL/PORT>HEAD/PORT."""
    return tuple(side.rsplit("/", 1)[0] for side in name.split(">"))


def check(folder, rng, *arguments):
    run("plan", *arguments, "--moves", folder / "moves.json", "--channels", folder / "channels.csv")
    file = json.load(open(folder / "moves.json"))
    rows = list(csv.DictReader(line for line in open(folder / "channels.csv") if not line.startswith("#")))
    wrong, ranks = carry_out(file, rng)
    for rank in ranks:
        forwards = sum(step["do"] == "forward" for step in rank.steps.values())
        if rank.most > forwards * file["credits"]:
            wrong.append(f"rank {rank.number} had {rank.most} chunks")
    for number, rank in enumerate(file["ranks"]):
        for step in rank["steps"]:
            if "to" in step:
                at = rank["name"]
                for channel in step["channels"]:
                    tail, head = ends(rows[channel]["name"])
                    if tail != at:
                        wrong.append(f"rank {number}: channel {channel} does not begin at {at}")
                    at = head
                if at != file["ranks"][step["to"]]["name"]:
                    wrong.append(f"rank {number}: channels end at {at}")
    # inside a node, to its endpoint and back, a plan has nothing
    carried = channel_bytes(file)
    for channel, row in enumerate(rows):
        if row["capacity"] and int(row["bytes"]) != carried.get(channel, 0):
            wrong.append(f"channel {row['name']} carries {carried.get(channel, 0)}, the plan has {row['bytes']}")
    forwards = sum(step["do"] == "forward" for rank in file["ranks"] for step in rank["steps"])
    print(f"{len(file['ranks'])} ranks, {forwards} forwards:", " ".join(map(str, arguments[1:])))
    return wrong, forwards


def main():
    rng = random.Random(1)
    fabric = SAMPLE / "fabric.ibnetdiscover", "--lft", SAMPLE / "opensm-lfts.dump"
    cases = [
        ("torus:4x4@1GB/s", "--relays", "switches", "--traffic", "disjoint:4x8", "--bytes", "100kB", "--method", "optimum", "--chunk", "4KiB"),
        ("torus:4x4@1GB/s", "--relays", "switches", "--traffic", "3", "--bytes", "65537B", "--method", "greedy", "--transport", "auto:credits=3"),
        ("torus:4x4@1GB/s", "--traffic", "tornado", "--bytes", "10kB", "--method", "default", "--chunk", "1000B"),
        ("torus:4x4@1GB/s", "--traffic", "transpose", "--bytes", "30kB", "--method", "optimum", "--chunk", "2KiB"),
        ("xgft:2:4,4:1,4", "--traffic", "permutation", "--bytes", "30kB", "--method", "optimum", "--chunk", "2KiB",
         "--max-relays", "3"),
        (*fabric, "--traffic", "permutation", "--bytes", "20kB", "--method", "optimum", "--chunk", "3kB"),
    ]
    wrong, forwards = [], []
    with tempfile.TemporaryDirectory() as name:
        for case in cases:
            found, n = check(pathlib.Path(name), rng, *case)
            wrong += found
            forwards.append(n)
    if [n > 0 for n in forwards] != [True, True, False, True, True, True]:
        wrong.append(f"forwards {forwards}")
    print("\n".join(wrong) or "all data arrived")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
