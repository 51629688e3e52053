#!/usr/bin/env python3
"""Writes runs of the noise benchmark whose answers are known, as doc/formats/bench.md says, without Crosswind's code.

    planted.py RUN.csv [--seed N] [--ratios R,...] [--splits N] [--calls N] [--slow A,B] [--control C] [--hosts N]
               [--clean SECONDS] [--spread S] [--set NAME=VALUE] [--drop SHARE]

Split s of a ratio r is slowed down by (A + B·r) · f, where f takes the quantiles of a lognormal distribution: the median
over splits is A + B·r, whatever the seed. Calls are spread lognormally by S around their split's median.
"""
import argparse
import json
import math
import random
import statistics

COLUMNS = ("block,split,ratio,application_ranks,perturbing_ranks,operation,bytes,root,perturbation,perturbation_bytes,"
           "state,order,goodput,clock_error,sample,start,time,slowest,status")

parser = argparse.ArgumentParser()
parser.add_argument("path")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--ratios", default="0.25,0.5,0.75")
parser.add_argument("--splits", type=int, default=9)
parser.add_argument("--calls", type=int, default=5)
parser.add_argument("--slow", default="1,4")
parser.add_argument("--control", type=float, default=1.0)
parser.add_argument("--hosts", type=int, default=8)
parser.add_argument("--prefix", default="h")
parser.add_argument("--clean", type=float, default=1e-3)
parser.add_argument("--spread", type=float, default=0.05)
parser.add_argument("--set", action="append", default=[])
parser.add_argument("--drop", type=float, default=0)
parser.add_argument("--split-seed", type=int, default=1)
arguments = parser.parse_args()

drawn, roles_drawn = random.Random(arguments.seed), random.Random(arguments.split_seed)
a, b = (float(x) for x in arguments.slow.split(","))
n = arguments.hosts
conditions = {"start": "window", "wait": "sleep", "oversubscribed": False}
conditions.update(item.split("=", 1) for item in arguments.set)
if conditions["oversubscribed"] == "true":
    conditions["oversubscribed"] = True
splits, rows, block, clock = [], [], 0, 0.0


def lognormal(median, spread):
    return median * math.exp(drawn.gauss(0, spread))


def quantiles(count, spread):
    """COUNT factors whose median is 1, in random order."""
    normal = statistics.NormalDist(0, spread)
    factors = [math.exp(normal.inv_cdf((i + 0.5) / count)) for i in range(count)]
    drawn.shuffle(factors)
    return factors


for ratio in (float(r) for r in arguments.ratios.split(",")):
    perturbing = round(ratio * n)
    for factor in quantiles(arguments.splits, 0.1):
        while True:
            ranks = list(range(n))
            roles_drawn.shuffle(ranks)
            letters = "".join("p" if ranks[r] < perturbing else "a" for r in range(n))
            if letters not in splits:
                break
        splits.append(letters)
        clean = lognormal(arguments.clean, 0.1)
        states = [("clean", clean, ""), ("perturbed", clean * (a + b * ratio) * factor, "12500000")]
        if arguments.control > 0:
            states.append(("control", clean * arguments.control * lognormal(1, 0.01), "25000000"))
        for order, (state, median, goodput) in enumerate(states):
            for call in range(arguments.calls):
                # Odd numbers of calls have their median where it is planted.
                time = median if 2 * call + 1 == arguments.calls else median * math.exp(
                    abs(drawn.gauss(0, arguments.spread)) * (-1 if 2 * call + 1 < arguments.calls else 1))
                status = "expired" if drawn.random() < arguments.drop else "ok"
                rows.append([block, len(splits) - 1, ratio, n - perturbing, perturbing, "allreduce", 8, 0, "permutation",
                             10485760, state, order, goodput, 2e-6, call, round(clock, 6), f"{time:.9g}",
                             f"{0.9 * time:.9g}", status])
                clock += 2 * time
            block += 1

with open(arguments.path, "w") as file:
    file.write(COLUMNS + "\n")
    for row in rows:
        file.write(",".join(str(cell) for cell in row) + "\n")
properties = {"seed": arguments.seed, "format": "crosswind-bench", "version": 1, "complete": True,
              "conditions": conditions, "environment": {"made by": "planted.py"},
              "hosts": [f"{arguments.prefix}{r}" for r in range(n)], "splits": splits}
with open(arguments.path + "-metadata.json", "w") as file:
    json.dump({"@context": "http://www.w3.org/ns/csvw", "url": arguments.path.split("/")[-1],
               "prov:wasGeneratedBy": {"schema:softwareVersion": "none", "schema:description": "planted.py",
                                       "schema:additionalProperty": [{"schema:name": name, "schema:value": value}
                                                                     for name, value in properties.items()]}}, file,
              indent=1)
    file.write("\n")
