"""The examples of plans in the guide and in README.md are what the program prints: commands ("$ ", continued by "> "
or a backslash) are run in a copy of examples/sample, and what stands below each must be among their output, in that
order. A line "..." leaves lines out, "…" in a line leaves text out; times of searches may differ. Reproductions,
which take minutes, are not run. In tables that begin with "arguments" each cell is z of the arguments of its row and
its column."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from crosswind import PROGRAM, ROOT, Failed

GUIDE = ROOT / "doc/guide/data-movement.md"
README = ROOT / "README.md"  # where commands have no "$ "
SAMPLE = ROOT / "examples/sample"
LEFT_OUT = ("...", "…")
SLOW = "crosswind reproduce"


def blocks(text):
    """Indented blocks that begin with a command, as (number of the first line, lines)."""
    found, block = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("    $ ") and block is None:
            block = (number, [])
            found.append(block)
        if line.strip() and not line.startswith("    "):
            block = None
        if block:
            block[1].append(line[4:])
    return found


def examples(lines):
    """Pairs of a command and the lines shown below it."""
    pairs = []
    for line in lines:
        if line.startswith("$ "):
            pairs.append([line[2:], []])
        elif not pairs[-1][1] and (line.startswith("> ") or pairs[-1][0].endswith("\\")):
            pairs[-1][0] += "\n" + line.removeprefix("> ")
        else:
            pairs[-1][1].append(line)
    return pairs


def untimed(lines):
    """Lines that are not empty, tables without their last column if it is measured."""
    kept, timed = [], False
    for line in lines:
        words = line.split()
        timed = bool(words) and line.strip() not in LEFT_OUT and (timed or words[-1] == "search_seconds")
        if words:
            # the width of a rule is not that of the column below
            kept.append(" ".join("-" if set(word) == {"-"} else word for word in (words[:-1] if timed else words)))
    return kept


def alike(shown, printed):
    return re.fullmatch(re.sub(r"(\\ )?…", ".*", re.escape(shown)), printed) is not None


def missing_line(shown, printed):
    """The first line shown that is not printed where it should be, or None."""
    printed = untimed(printed)
    at, anywhere = 0, True
    for line in untimed(shown):
        if line in LEFT_OUT:
            anywhere = True
            continue
        while at < len(printed) and anywhere and not alike(line, printed[at]):
            at += 1
        if at == len(printed) or not alike(line, printed[at]):
            return line
        at, anywhere = at + 1, False
    return None


def shell(command, folder):
    path = f"{pathlib.Path(PROGRAM).resolve().parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-c", command], cwd=folder, env=os.environ | {"PATH": path}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def check_examples(file, text, folder):
    count, wrong = 0, []
    for number, lines in blocks(text):
        for command, shown in examples(lines):
            if command.startswith(SLOW):
                continue
            printed = shell(command, folder).stdout
            line = missing_line(shown, printed.splitlines())
            if line is not None:
                wrong.append(f"{file}:{number}: {command}\nshows\n{line}\nbut prints\n{printed}")
            count += 1
    if wrong:
        raise Failed("\n".join(wrong))
    return f"{file.name}: {count} examples"


def z_of(arguments, folder):
    """z of the optimum, unless the arguments say another method, as the guide writes it: "none" where there is no
    plan."""
    method = "" if "--method" in arguments else "--method optimum"
    done = shell(f"crosswind plan {arguments} {method} --format json", folder)
    if done.returncode == 0:
        return f"{json.loads(done.stdout)['tables']['plan']['rows'][0]['z']:.4g}"
    if "no route" not in done.stdout:
        raise Failed(f"{arguments}: {done.stdout}")
    return "none"


def check_tables(folder):
    """The examples have written the files that are arguments here."""
    count, heading = 0, None
    for line in GUIDE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        options = [re.findall("`(.*?)`", cell) for cell in cells]
        if cells and cells[0] == "arguments":
            heading = options[1:]
        elif not cells:
            heading = None
        elif heading and options[0]:
            for column, cell in zip(heading, cells[1:]):
                arguments = f"{options[0][0]} {column[0]}"
                z = z_of(arguments, folder)
                if z != cell:
                    raise Failed(f"{GUIDE}: {arguments} has z = {z}, not {cell}")
                count += 1
    if count == 0:
        raise Failed(f"{GUIDE} has no such table")
    return f"{count} cells"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
        print(check_examples(GUIDE, GUIDE.read_text(), folder))
        plans = README.read_text().replace("\n    crosswind plan", "\n    $ crosswind plan")
        print(check_examples(README, plans, folder))
        print(check_tables(folder))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        print(failure)
        sys.exit(1)
