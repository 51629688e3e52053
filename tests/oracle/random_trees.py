"""Random small fabrics, most of them nearly fat trees: net files of ibsim. Levels of any width, one or several cables
between two switches, what is missing or too much, hosts in the wrong places or with several ports, and GUIDs and port
numbers in any order."""


class Draft:
    def __init__(self, random):
        self.random = random
        self.levels, self.hosts, self.cables = [], [], []  # hosts: number of ports of each
        self.n_switches = 0

    def add_level(self, n):
        self.levels.append(list(range(self.n_switches, self.n_switches + n)))
        self.n_switches += n

    def add_hosts(self, switches, most, ports=1):
        """Each switch gets up to MOST hosts; one of several ports has each at the next switch."""
        for at, switch in enumerate(switches):
            for _ in range(most):
                for port in range(ports):
                    self.cables.append((("s", switches[(at + port) % len(switches)]), ("h", len(self.hosts), port + 1)))
                self.hosts.append(ports)

    def lose(self, share, between_switches=True):
        kept = [c for c in self.cables
                if (c[1][0] == "s") != between_switches or self.random.random() >= share]
        self.cables = kept


def build(random):
    """Levels joined as an XGFT is: switches of a level and of the next in blocks, all with all or every second."""
    draft = Draft(random)
    height = random.choice((2, 2, 2, 3, 3, 3, 3, 4))
    down = [random.randint(2, 4 if height < 4 else 2) for _ in range(height - 1)]
    up = [random.randint(1, 3 if height < 4 else 2) for _ in range(height - 1)]
    parallel = [random.choice((1, 1, 2, 3)) for _ in range(height - 1)]
    for level in range(height):
        n = 1
        for i in range(height - 1):
            n *= up[i] if i < level else down[i]
        draft.add_level(n)
    for level in range(height - 1):
        below = 1  # switches of this level that differ in what is decided below it
        for i in range(level):
            below *= up[i]
        for block in range(len(draft.levels[level]) // (below * down[level])):
            for at in range(below):
                for d in range(down[level]):
                    for u in range(up[level]):
                        lower = draft.levels[level][(block * down[level] + d) * below + at]
                        upper = draft.levels[level + 1][(block * up[level] + u) * below + at]
                        draft.cables += [(("s", lower), ("s", upper))] * parallel[level]
    draft.add_hosts(draft.levels[0], random.randint(1, 4), random.choice((1, 1, 1, 1, 2)))
    return draft


def join(draft, level):
    """Two switches of a level get cables to each other."""
    if len(level) > 1:
        pair = tuple(("s", s) for s in draft.random.sample(level, 2))
        draft.cables += [pair] * draft.random.choice((1, 1, 2, 3))


def damage(draft):
    random = draft.random
    kinds = ("hosts", "some", "upper", "cables", "cable", "extra", "sideways", "skip", "lonely", "none")
    several = [random.choice(kinds) for _ in range(random.choice((0, 1, 1, 1, 2)))]
    flat = [s for level in draft.levels for s in level]
    for kind in several:
        if kind == "hosts":
            draft.lose(random.random(), False)
        elif kind == "some":
            draft.lose(0.15, False)
        elif kind == "upper":
            draft.add_hosts(random.sample(flat, random.randint(1, 2)), random.randint(1, 2))
        elif kind == "cables":
            draft.lose(0.3 * random.random())
        elif kind == "cable":
            between = [c for c in draft.cables if c[1][0] == "s"]
            draft.cables.remove(random.choice(between))
        elif kind == "extra":
            level = random.randrange(len(draft.levels) - 1)
            ends = random.choice(draft.levels[level]), random.choice(draft.levels[level + 1])
            draft.cables.append(tuple(("s", s) for s in ends))
        elif kind == "sideways":
            join(draft, random.choice(draft.levels))
        elif kind == "skip" and len(draft.levels) > 2:
            draft.cables.append((("s", random.choice(draft.levels[0])), ("s", random.choice(draft.levels[-1]))))
        elif kind == "lonely":
            draft.add_level(1)
            if random.random() < 0.5:
                draft.cables.append((("s", random.choice(flat)), ("s", draft.n_switches - 1)))


def join_ranks(draft, n):
    """Up to N pairs of switches of a rank get cables, but for leaf switches."""
    for _ in range(n):
        join(draft, draft.random.choice(draft.levels[1:]))


def reached(draft):
    """Switches that can be reached from the first host's, where OpenSM sits."""
    near = {}
    for a, b in draft.cables:
        near.setdefault(a[:2], []).append(b[:2])
        near.setdefault(b[:2], []).append(a[:2])
    first = next((c[1][:2] for c in draft.cables if c[1][0] == "h"), None)
    seen, queue = {first}, [first]
    for vertex in queue:
        new = [v for v in near.get(vertex, ()) if v not in seen]
        for v in new:
            if v not in seen:
                seen.add(v)
                queue.append(v)
    return seen


def guid_maker(random):
    """Distinct GUIDs: counted, random in their low bytes, or random in all."""
    kind, used = random.randrange(3), set()

    def make():
        while True:
            guid = (0x100000 + 16 * len(used), 0x2c9020000000000 + 16 * random.getrandbits(20),
                    random.getrandbits(63) | 0xf ^ 0xf)[kind]
            guid = guid & ~15
            if guid and guid not in used:
                used.add(guid)
                return guid
    return make


def text(draft):
    """The net file of what is connected."""
    random, seen, guid = draft.random, reached(draft), guid_maker(draft.random)
    shuffled = random.random() < 0.5
    cables = [c for c in draft.cables if c[0][:2] in seen]
    ports = {}  # of each switch: (peer, its port)
    ends = {}
    order = list(range(len(cables)))
    if shuffled:
        random.shuffle(order)
    for at in order:
        for end, peer in (0, 1), (1, 0):
            node = cables[at][end]
            used = ports.setdefault(node[:2], {})
            number = node[2] if node[0] == "h" else len(used) + 1
            used[number] = (cables[at][peer][:2], at, peer)
            ends[at, end] = number
    nodes = sorted((node for node in ports if node in seen), key=lambda node: (node[0] == "h", node[1]))
    lines = []
    for node in nodes:
        host = node[0] == "h"
        lines += [f"{'ca' if host else 'switch'}guid=0x{guid():x}",
                  f"{'Hca' if host else 'Switch'} {draft.hosts[node[1]] if host else max(ports[node])} "
                  f"\"{'HS'[not host]}-{node[1]}\" # \"{'hs'[not host]}{node[1]}\""]
        for number, (peer, at, end) in sorted(ports[node].items()):
            lines.append(f"[{number}] \"{'HS'[peer[0] == 's']}-{peer[1]}\"[{ends[at, end]}]")
        lines.append("")
    return "\n".join(lines)


def fabric(random, joined=0):
    """The text of a net file."""
    draft = build(random)
    damage(draft)
    join_ranks(draft, joined)
    return text(draft)
