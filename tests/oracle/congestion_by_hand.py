"""Congestions by walking a fabric's tables hop by hop, from the files alone: a second opinion on `crosswind
congestion`.

    congestion_by_hand.py FABRIC LFTS PAIRS

FABRIC is what ibnetdiscover printed, LFTS OpenSM's opensm-lfts.dump, PAIRS has lines of two host names, source and
destination. Prints the messages on every channel in use, then the congestion of every message."""
import collections
import re
import sys

NODE = re.compile(r'(Switch|Ca)\s+\d+ "(\S+)"\s+# "(.*?)"(?: base port 0 lid (\d+))?')
PORT = re.compile(r'\[(\d+)\](?:\(\w+\))?\s+"(\S+)"\[(\d+)\].*?#\s+(?:lid (\d+))?(?: lmc (\d+))?')
TABLE = re.compile(r"Unicast lids .* of switch Lid (\d+) guid 0x(\w+)")
ENTRY = re.compile(r"0x(\w+) (\d+) ")


class Fabric:
    """names[id], lids[id] of hosts (the first of their 2^lmc[id]), cables[id][port] = (id, port) at the other end,
    tables[id][lid] = port; ids are those of ibnetdiscover, such as S-0000000000200000."""

    def __init__(self, fabric, lfts):
        self.names, self.lids, self.lmc, self.cables, self.tables = {}, {}, {}, {}, {}
        for line in open(fabric):
            if node := NODE.match(line):
                at = node[2]
                self.names[at], self.cables[at] = node[3], {}
            elif port := PORT.match(line):
                self.cables[at][int(port[1])] = (port[2], int(port[3]))
                if at.startswith("H"):
                    self.lids[at], self.lmc[at] = int(port[4]), int(port[5] or 0)
        for line in open(lfts):
            if table := TABLE.match(line):
                entries = self.tables.setdefault(f"S-{table[2]}", {})
            elif entry := ENTRY.match(line):
                entries[int(entry[1], 16)] = int(entry[2])
        self.hosts = {self.names[host]: host for host in self.lids}

    def way(self, at, target, number=0):
        """The channels from one host to that LID of another, by ids: (tail, tail_port, head, head_port)."""
        (port,) = self.cables[at]
        while at != target:
            head, head_port = self.cables[at][port]
            yield at, port, head, head_port
            at = head
            if at != target:
                port = self.tables[at][self.lids[target] + number]

    def walk(self, src, dst):
        """The same to the first LID, by names."""
        for at, port, head, head_port in self.way(self.hosts[src], self.hosts[dst]):
            yield self.names[at], port, self.names[head], head_port

    def loads(self, pairs):
        """The number of messages on every channel in use."""
        return collections.Counter(channel for pair in pairs for channel in self.walk(*pair))

    def congestions(self, pairs):
        """The greatest load on the way of each message."""
        loads = self.loads(pairs)
        return [max(loads[channel] for channel in self.walk(*pair)) for pair in pairs]


def main():
    fabric = Fabric(*sys.argv[1:3])
    pairs = [tuple(line.split()) for line in open(sys.argv[3]) if line.strip()]
    for channel, load in sorted(fabric.loads(pairs).items()):
        print("channel %s[%d] %s[%d]" % channel, load)
    for pair, congestion in zip(pairs, fabric.congestions(pairs)):
        print("message", *pair, congestion)


if __name__ == "__main__":
    main()
