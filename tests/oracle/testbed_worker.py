"""What live_testbed.py runs on the hosts of a testbed."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import threading
import time

PORT = 4000
IP_RECVERR = 11  # of linux/in.h
MY_NAME = socket.gethostname()
HOSTS = os.environ["CROSSWIND_TESTBED_HOSTS"].split(",")
AGENT = os.environ["CROSSWIND_TESTBED_AGENT"]
ENTER = AGENT.removesuffix("agent") + "enter"


def names_of_addresses():
    lines = [line.split() for line in open("/etc/hosts")]
    return {words[0]: words[1] for words in lines}


def wait_until(condition, what):
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            sys.exit(f"{MY_NAME}: no {what}")
        time.sleep(0.01)


def everyone(folder, stage):
    """Waits for all hosts."""
    (folder / f"{stage}-{MY_NAME}").touch()
    wait_until(lambda: all((folder / f"{stage}-{host}").exists() for host in HOSTS), f"{stage} of all hosts")


def echo(server):
    while True:
        data, sender = server.recvfrom(100)
        server.sendto(data, sender)


def reporter(host, ttl):
    """Who reports on packets to a host with this time to live; Linux bounds how many reports it sends in a second."""
    for _ in range(10):
        address = report(host, ttl)
        if address:
            return address
    sys.exit(f"{MY_NAME}: nothing from {host}, {ttl} hops")


def report(host, ttl):
    """The address of the host, or of whoever reports that a packet is too old; None without a report."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.setsockopt(socket.IPPROTO_IP, IP_RECVERR, 1)
        probe.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
        probe.settimeout(0.5)
        probe.sendto(b"?", (host, PORT))
        try:
            return probe.recvfrom(100)[1][0]
        except TimeoutError:
            return None
        except OSError:
            control = probe.recvmsg(100, 512, socket.MSG_ERRQUEUE)[1]
            # struct sock_extended_err, then the sockaddr_in of the offender
            return socket.inet_ntoa(control[0][2][16 + 4:16 + 8])


def hops(folder):
    """The names of those whom packets to each other host meet."""
    folder = pathlib.Path(folder)
    names = names_of_addresses()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("", PORT))
        threading.Thread(target=echo, args=(server,), daemon=True).start()
        everyone(folder, f"ready-{len(HOSTS)}")
        seen = {}
        for host in HOSTS:
            way = []
            while host != MY_NAME and (not way or way[-1] != host):
                way.append(names[reporter(host, len(way) + 1)])
            seen[host] = way
        (folder / f"{MY_NAME}.json").write_text(json.dumps(seen))
        everyone(folder, f"end-{len(HOSTS)}")


def sent(nodes):
    """Packets sent by each device."""
    counts = {}
    for node in nodes:
        text = subprocess.run([ENTER, node, "cat", "/proc/net/dev"], check=True, capture_output=True, text=True).stdout
        for line in text.splitlines()[2:]:
            device, figures = line.split(":")
            if device.strip() != "lo":
                counts[f"{node}/{device.strip()}"] = int(figures.split()[9])
    return counts


def counters(to, *nodes):
    """The devices that 100 packets to a host pass; nobody answers."""
    block = subprocess.Popen([AGENT, to, f"exec '{sys.executable}' -B '{__file__}' swallow"], stdout=subprocess.PIPE)
    block.stdout.readline()
    before = sent(nodes)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as source:
        for _ in range(100):
            source.sendto(b"!", (to, PORT))
    block.wait()  # all of them have arrived
    after = sent(nodes)
    print(json.dumps([device for device in after if after[device] - before[device] >= 100]))


def swallow():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("", PORT))
        server.settimeout(60)
        print("ready", flush=True)
        for _ in range(100):
            server.recv(100)


def transfer(size, *pairs):
    """The seconds until SIZE bytes have arrived over every pair at once."""
    receivers, senders = [], []
    python = f"exec '{sys.executable}' -B '{__file__}'"
    for pair in pairs:
        receiver = subprocess.Popen([AGENT, pair.split(":")[1], f"{python} receive {size}"], stdout=subprocess.PIPE)
        receiver.stdout.readline()
        receivers.append(receiver)
    begin = time.monotonic()
    for pair in pairs:
        senders.append(subprocess.Popen([AGENT, pair.split(":")[0], f"{python} send {size} {pair.split(':')[1]}"]))
    if any(process.wait() for process in senders + receivers):
        sys.exit("a transfer failed")
    print(time.monotonic() - begin)


def receive(size):
    with socket.create_server(("", PORT)) as server:
        server.settimeout(120)
        print("ready", flush=True)
        connection = server.accept()[0]
        connection.settimeout(120)
        missing = int(size)
        while missing:
            missing -= len(connection.recv(min(missing, 65536))) or sys.exit("the sender stopped")


def send(size, to):
    with socket.create_connection((to, PORT), timeout=120) as connection:
        connection.sendall(bytes(int(size)))


if __name__ == "__main__":
    {"hops": hops, "counters": counters, "swallow": swallow, "transfer": transfer, "receive": receive,
     "send": send}[sys.argv[1]](*sys.argv[2:])
