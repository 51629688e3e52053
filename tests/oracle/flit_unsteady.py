"""What `crosswind flit` says of loads that have no steady state. Every cable takes 400 cycles and nothing is warmed up,
so that for the first 400 of 1,000 measured cycles nothing arrives: whatever the load, there is a trend."""
import sys

from crosswind import tables

NETWORK = ["flit", "torus:4x4", "--hardware", "local-latency=400", "--threads", 1]
BEGINNING = ["--warmup", 1, "--cycles", 1000]
TRAFFIC = ["--traffic", "shift:1"]


def no_interval(rows, name="accepted_ci95"):
    return all(row[name] is None for row in rows)


def unsteady(result):
    rows = result["flit"]
    return all(row["steady"] == "no" for row in rows) and no_interval(rows) and no_interval(result["steady"], "accepted_ci")


def main():
    one = tables(*NETWORK, *TRAFFIC, *BEGINNING, "--load", 0.5, good=(1,))
    two = tables(*NETWORK, *TRAFFIC, *BEGINNING, "--load", "0.1,0.5", "--unsteady")
    jobs = tables(*NETWORK, *BEGINNING, "--traffic", "shift ranks=8 load=0.5; bitcomp ranks=8 load=0.3", "--unsteady")
    sweep = tables(*NETWORK, *TRAFFIC, *BEGINNING)
    later = tables(*NETWORK, *TRAFFIC, "--warmup", 3000, "--cycles", 4000, "--load", 0.3)
    least = min(row["offered"] for row in sweep["flit"])
    checks = {
        "who did not ask for an unsteady load gets its row, and a failure": len(one["flit"]) == 1 and unsteady(one)
        and any("is not steady" in note for note in one["notes"]),
        "who asked for it gets it": len(two["flit"]) == 2 and unsteady(two) and two["flit"][1] == one["flit"][0],
        "jobs have no interval, either": unsteady(jobs) and len(jobs["jobs"]) == 2 and no_interval(jobs["jobs"]),
        "a sweep goes on": unsteady(sweep) and len(sweep["flit"]) > 5 and sweep["saturation"][0]["refused_load"] >= least,
        "what is steady has an interval": later["flit"][0]["steady"] == "yes" and later["flit"][0]["accepted_ci95"] > 0,
        "a steady load arrives": abs(later["flit"][0]["accepted_mean"] - 0.3) < 0.02,
    }
    print("\n".join(what for what, good in checks.items() if not good) or "unsteady loads are told from steady ones")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
