"""mpirun in a testbed needs no option: ranks are on the hosts, in their order, and talk over the network; it ends by
itself, and everything ends with it, in good and in bad luck."""
import os
import signal
import time

from on_testbed import FOLDER, LAUNCHER, expect, namespaces, run_on_testbed, run_ranks, script, testbed

RING = FOLDER / "program_ring"
FAT_TREE = "xgft:2:4,2:1,2"
BYTES = 300000


def check_places():
    """Rank by rank: hosts in order, as many ranks on each as asked for."""
    for network, hosts, each in ((FAT_TREE, 8, 1), ("crossbar:3", 3, 2), ("torus:2x2", 4, 1), ("xgft:2:2,2:2,2", 4, 1)):
        lines = run_ranks(network, RING, 1000, options=("--ranks-per-host", str(each))).splitlines()
        wanted = [f"{rank} {hosts * each} h{rank // each}" for rank in range(hosts * each)]
        expect(lines == wanted, f"ranks on {network}: {lines}, expected {wanted}")


def check_library():
    """Ranks have the library by which they sleep while they wait, once."""
    for line in run_ranks("crossbar:2", "sh", "-c", "echo $LD_PRELOAD").splitlines():
        expect(line.count("libcrosswind-ranks.so") == 1, f"loaded into ranks: {line}")


def check_bytes():
    """What ranks send is on the cables, not on the loopback device."""
    count = "for h in $(echo $CROSSWIND_TESTBED_HOSTS | tr , ' '); do " \
        "$CROSSWIND_TESTBED_AGENT $h cat /sys/class/net/eth0/statistics/tx_bytes /sys/class/net/lo/statistics/tx_bytes; done"
    out = run_on_testbed("crossbar:4", ["sh", "-ec", f"{LAUNCHER} {RING} {BYTES}; {count}"]).split()[-8:]
    for host, (cable, loopback) in enumerate(zip(map(int, out[::2]), map(int, out[1::2]))):
        expect(BYTES < cable < 2 * BYTES, f"h{host} sent {cable} byte on its cable, expected some {BYTES}")
        expect(loopback < BYTES / 2, f"h{host} sent {loopback} byte to itself")


def check_rank_killed():
    """A rank that is killed ends the launcher and the testbed within seconds, or half a minute on a busy machine."""
    with testbed(FAT_TREE, [LAUNCHER, RING, 1000, "sleep"]) as bed:
        ranks = bed.ranks(RING, 8)
        time.sleep(1)  # until MPI_Init is over
        begin = time.monotonic()
        os.kill(ranks[3], signal.SIGKILL)
        status = bed.finish()
        expect(status != 0, "a job whose rank was killed ended well")
        expect(time.monotonic() - begin < 30, f"a job whose rank was killed ended after {time.monotonic() - begin} s")


def check_testbed_killed():
    """A testbed that is killed leaves its ranks, until the next one."""
    with testbed(FAT_TREE, [LAUNCHER, RING, 1000, "sleep"]) as bed:
        bed.ranks(RING, 8)
        os.kill(bed.pid, signal.SIGKILL)
        bed.process.wait()
        expect(namespaces(bed.pid), "a killed testbed left nothing to remove")
        run_on_testbed("crossbar:2", ["true"])
        expect(not bed.sweep(), "left by a killed testbed, after the next one")


def main():
    check_places()
    check_library()
    check_bytes()
    check_rank_killed()
    check_testbed_killed()


script(main)
