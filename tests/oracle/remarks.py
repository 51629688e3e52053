"""What is doubtful in a file is said with the result, and just as well where the command fails afterwards."""
import pathlib
import re
import sys
import tempfile

from crosswind import ROOT, Failed, run, tables

FABRIC = ROOT / "tests/golden/fabric/two-level.ibnetdiscover"
LOOP = ('[9]\t"S-00000000005000a0"[10]\t\t# "leaf-0" lid 11 4xSDR\n'
        '[10]\t"S-00000000005000a0"[9]\t\t# "leaf-0" lid 11 4xSDR\n')


def message_of(*arguments):
    """What a command that is to fail says."""
    try:
        run(*arguments)
    except Failed as failed:
        return str(failed)
    return ""


def main():
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "loop.txt"
        text, heads = re.subn(r'^(Switch\t)8( "S-00000000005000a0".*\n)', lambda m: f"{m[1]}10{m[2]}{LOOP}",
                              FABRIC.read_text(), flags=re.M)
        path.write_text(text)
        line = text.splitlines().index(LOOP.splitlines()[0]) + 1
        begin = f"{path}:{line}: 1 loop-back cable was left out"
        failed = message_of("route", path, "--from", "node-01", "--to", "nowhere")
        checks = {
            "there is one such switch": heads == 1,
            "with the result": [note.startswith(begin) for note in tables("topo", path)["notes"]].count(True) == 1,
            "with the error": failed.count(begin) == 1 and "nowhere is not an endpoint" in failed,
            "not of a sound file": "loop-back" not in message_of("route", FABRIC, "--from", "node-01", "--to", "nowhere"),
        }
    print("\n".join(what for what, good in checks.items() if not good) or "what is doubtful is said")
    return 0 if all(checks.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
