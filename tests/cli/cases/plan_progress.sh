# The bar of plan moves within a search, and never back.
python3 - <<'EOF'
import os, pty, re, subprocess, sys

try:
    master, slave = pty.openpty()
except OSError:
    print("SKIPPED: this system gives no pseudo-terminal")
    sys.exit(77)


def shares(*arguments):
    """What the bar shows, by label."""
    master, slave = pty.openpty()
    program = subprocess.Popen(["crosswind", "plan", *arguments], stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown = b""
    while True:
        try:
            piece = os.read(master, 4096)
        except OSError: # the other end is closed
            break
        shown += piece
    os.close(master)
    assert program.wait() == 0
    lines = re.findall(r"(?:plan|simulating) \d of \d, (\w+)  \[[=> ]*\] +(\d+) %([^\r]*)", shown.decode())
    return [(method, int(share), rest) for method, share, rest in lines]


def check(method, stages, *arguments):
    """STAGES: the shares at which a part of the work begins and ends; the bar must stop in between."""
    seen = shares(*arguments, "--method", method)
    own = [share for _, share, _ in seen]
    assert own == sorted(own), "the bar went back"
    assert not any("/s" in rest for _, _, rest in seen), "a rate of what is no thing"
    for begin, end in zip(stages, stages[1:]):
        moves = any(begin < share < end for share in own)
        print(method, f"{begin} to {end}:", "moves" if moves else f"stands still: {sorted(set(own))}")


many = ["bgq:512", "--traffic", "50", "--k", "300", "--bytes", "64KiB"]
hard = ["bgq:512", "--traffic", "50", "--bytes", "1MiB"]
check("heuristic", [0, 30], *many)  # paths are found; it is quick itself, as is greedy
check("approx", [0, 70], *hard)
check("optimum", [0, 42, 70], *hard)  # the gap is closed, paths are shortened
check("lp", [30, 70], *hard, "--k", "20")

# several methods: one bar for all
seen = [share for _, share, _ in shares(*many, "--method", "default,heuristic,greedy")]
print("forward" if seen == sorted(seen) and seen[-1] == 100 else f"BACK, or not to the end: {seen}")
EOF
