"""crosswind-mpi move on a testbed: a plan that relays is as much faster than MPI_Alltoallv as predicted, and where it
would be slower its default is taken, which is not slower."""
import json
import pathlib
import tempfile

from on_testbed import LAUNCHER, PROGRAM, PROGRAM_MPI, attempts, expect, expect_figure, run_on_testbed, script

# Two rows of switches. By default h0's data for h2 and h1's for h3 share a cable of the first row. Hosts of the second
# row can relay. Efficiency is that of TCP over Ethernet, 1448 of 1514 bytes; a chunk fits the eager messages of MPIs.
TRANSPORT = {"format": "crosswind-transport", "version": 1, "chunk": "32KiB", "credits": 4, "efficiency": 0.956,
             "hop-latency": "1ms"}
ATTEMPTS = 4  # others may compute on this machine, and hold packets up


def move(folder, rate, size, method, transport, *arguments):
    """The two rows of the table, of a plan for demands of this size and of MPI_Alltoallv."""
    network = f"torus:4x2@{rate}"
    (folder / "demands.csv").write_text(f"h0,h2,{size}\nh1,h3,{size}\n")
    (folder / "relays").write_text("h4\nh5\nh6\nh7\n")
    (folder / "transport.json").write_text(json.dumps(transport))
    making = f"{PROGRAM} plan {network} --traffic matrix:demands.csv --relays relays --host-limit yes " \
        f"--method {method} --transport transport.json --moves moves.json"
    moving = f"{LAUNCHER} {PROGRAM_MPI} move moves.json --format json --timeout 60s {' '.join(arguments)}"
    out = run_on_testbed(network, ["sh", "-ec", f"cd {folder}; {making} >plan.out; {moving}"],
                         options=("--rate", rate))
    result = json.loads(out)
    expect(any("Every byte arrived right" in note for note in result["notes"]), f"bytes are not said to be right: {out}")
    if "fit.json" in arguments:
        return json.loads((folder / "fit.json").read_text())
    return result["tables"]["move"]["rows"]


def check_gain(folder):
    """With parameters that were measured here, from a plan by others."""
    guess = TRANSPORT | {"efficiency": 1, "hop-latency": 0}
    fitted = move(folder, "25Mbit/s", "256KiB", "default,auto", guess, "--repeat 1 --fit", "fit.json",
                  "--network torus:4x2@25Mbit/s")
    print({key: fitted[key] for key in ("efficiency", "chunk-overhead", "hop-latency", "copy")})
    expect_figure(0.9 < fitted["efficiency"] < 1, f"efficiency {fitted['efficiency']}, expected 1448 / 1514 = 0.956")
    expect_figure(fitted["hop-latency"] < 0.02, f"a relay knows of a chunk after {fitted['hop-latency']} s")
    own, other = move(folder, "25Mbit/s", "2MiB", "default,auto", fitted, "--repeat 6")
    gain, predicted = other["seconds"] / own["seconds"], other["predicted_seconds"] / own["predicted_seconds"]
    print(f"{own['method']}: {gain:.2f} times as fast, predicted {predicted:.2f} times")
    expect_figure(predicted > 1.8, f"the plan is predicted to gain {predicted:.2f} times")
    expect_figure(0.75 < gain / predicted < 1.25, f"the plan gains {gain:.2f} times, predicted {predicted:.2f} times")
    for row in own, other:
        expect_figure(0.75 < row["seconds"] / row["predicted_seconds"] < 1.25, f"predicted wrongly: {row}")


def check_loss(folder, method, transport):
    """A chunk that a relay stores takes as long as two that share a cable, and the relay knows of it late. The default
    is taken by the plan itself, and by who carries out a plan that relays all the same."""
    own, other = move(folder, "5Mbit/s", "32KiB", method, transport, "--repeat 9")
    print(f"{method}: {own['method']}: {own['seconds']:.4f} s, MPI_Alltoallv {other['seconds']:.4f} s")
    expect(own["method"] == "direct", f"{own['method']} is carried out, expected direct sends")
    expect_figure(own["seconds"] < 1.1 * other["seconds"],
                  f"the default takes {own['seconds']} s, MPI_Alltoallv {other['seconds']} s")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        attempts(ATTEMPTS, check_gain, folder)
        attempts(ATTEMPTS, check_loss, folder, "default,auto", TRANSPORT)
        attempts(ATTEMPTS, check_loss, folder, "optimum", TRANSPORT | {"hop-latency": "50ms"})


script(main)
