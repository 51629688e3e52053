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
    lines = re.findall(r"plan \d of \d, (\w+)  \[[=> ]*\] +(\d+) %([^\r]*)", shown.decode())
    return [(method, int(share), rest) for method, share, rest in lines]


def check(methods, *arguments):
    seen = shares(*arguments, "--method", ",".join(methods))
    all_shares = [share for _, share, _ in seen]
    assert all_shares == sorted(all_shares), "the bar went back"
    assert not any("/s" in rest for _, _, rest in seen), "a rate of what is no thing"
    for i, method in enumerate(methods):
        own = {share for name, share, _ in seen if name == method}
        within = {share for share in own if 100 * i / len(methods) < share < 100 * (i + 1) / len(methods)}
        print(method, "moves" if within else f"stands still: {sorted(own)}")


check(["heuristic", "greedy"], "bgq:512", "--pattern", "87", "--paths", "50", "--bytes", "64MiB")
check(["optimum", "approx"], "torus:8x8", "--pattern", "alltoall")
check(["lp"], "bgq:512", "--pattern", "50", "--paths", "20", "--bytes", "64MiB")
EOF
