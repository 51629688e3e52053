"""`crosswind flit --lft` on the sample fabric, flit by flit by OpenSM's own tables, beside loads of channels counted by
hand: if all hosts send to all others, the slow cables limit the fabric, and where is known to a few per cent."""
import sys

from channel_times import FILES, rates
from congestion_by_hand import Fabric
from crosswind import tables


def main():
    fabric = Fabric(*FILES)
    speed = rates(fabric)
    hosts, fastest = list(fabric.hosts), max(speed.values())
    loads = fabric.loads([(src, dst) for src in hosts for dst in hosts if src != dst])
    # At load 1 each pair has a share 1/(n - 1) of a host's bandwidth.
    time = {channel: load * fastest / speed[channel[:2]] / (len(hosts) - 1) for channel, load in loads.items()}
    order = sorted(time, key=time.get, reverse=True)
    names = ["%s/%d>%s/%d" % channel for channel in order]
    fair, full = 1 / time[order[0]], 0.4  # a load beyond saturation
    options = FILES[0], "--lft", FILES[1], "--threads", 1
    result = tables("flit", *options, "--load", f"0.1,{full}", "--analytic", "--warmup", 30000, "--cycles", 10000, "--top", 4,
                    "--unsteady")
    light, heavy = result["flit"]
    uses = {row["channel"]: row["utilisation"] for row in result["hottest"] if row["offered"] == full}
    (found,) = tables("flit", *options)["saturation"]
    checks = {
        "the slow cables are the hottest by hand": all(speed[channel[:2]] == 8 for channel in order[:2]),
        "a light load is accepted": abs(light["accepted_mean"] - 0.1) < 0.002 and light["model_bound"] == 0.1,
        "a heavy one as far as the hottest channel lets it": 0.97 * fair < heavy["accepted_mean"] < 1.05 * fair,
        "and within the bound, but for the draws of destinations": heavy["accepted_mean"] <= 1.02 * heavy["model_bound"],
        "the hottest in the simulation are slow cables": set(uses) == set(names[:4]),
        "which are full": 0.98 < max(uses.values()) <= 1.001,
        "where it saturates": found["accepted_load"] < 1.05 * fair and found["refused_load"] > fair
                              and found["refused_load"] - found["accepted_load"] <= 0.051 * found["refused_load"],
    }
    print("\n".join(what for what, good in checks.items() if not good) or "the fabric saturates where its tables say")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
