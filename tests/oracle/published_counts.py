"""Endpoints and switches of the networks in Tables 1 and 2 of Hoefler, Schneider, Lumsdaine, "The effect of network
noise on large-scale collective communications" (2009), and the cables that go with them: one per endpoint and level
of a fat tree with full bisection, one per node and dimension of a torus and one to its host. The table prints 728
endpoints for the 9-ary 3-cube and 4912 for the 17-ary, which are not cubes."""
import csv
import io
import sys

from crosswind import run

TREES = {  # endpoints, switches
    "xgft(2,12,6)": (144, 18),
    "xgft(2,24,12)": (288, 36),
    "xgft(3,12,8,12,4)": (1152, 240),
    "xgft(3,12,16,12,8)": (2304, 480),
    "xgft(3,12,24,12,12)": (3456, 720),
    "xgft(4,12,12,6,12,12,3)": (10368, 3024),
    "xgft(4,12,12,12,12,12,6)": (20736, 6048),
}
CUBES = {  # k: endpoints
    2: {10: 100, 14: 196, 17: 289, 20: 400, 22: 484, 24: 576, 26: 676, 28: 784, 30: 900, 31: 961, 44: 1936, 54: 2916,
        70: 4900, 77: 5929},
    3: {4: 64, 5: 125, 6: 216, 7: 343, 8: 512, 9: 729, 10: 1000, 12: 1728, 14: 2744, 15: 3375, 17: 4913, 18: 5832,
        19: 6859, 20: 8000},
}


def main():
    expected = [(tree, endpoints, switches, endpoints * int(tree[5])) for tree, (endpoints, switches) in TREES.items()]
    for n, cubes in CUBES.items():
        expected += [("torus:" + "x".join([str(k)] * n), nodes, nodes, nodes * (n + 1)) for k, nodes in cubes.items()]
    wrong = 0
    for network, *counts in expected:
        row = next(csv.DictReader(io.StringIO(run("topo", network, "--format", "csv"))))
        printed = [int(row[column]) for column in ("endpoints", "switches", "cables")]
        if printed != counts:
            print(f"{network}: {printed}, expected {counts}")
            wrong = 1
    print(f"{len(expected)} networks")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
