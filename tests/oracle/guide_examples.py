"""README.md, the guides and the pages of formats are typed. Each command ("$ ", continued by "> " or a backslash) is
run in a copy of examples/sample, in order, one copy a document, and what stands below it must be what it prints, in
that order. A line "..." leaves lines out, "…" in a line leaves text out; search times may differ, and of what is
measured only the columns count. Every indented command has a prompt and is run, unless it says itself that it takes
minutes, or NOT_RUN says why it cannot be. Who takes more than 20 s of processor time has to say so.

    guide_examples.py DOCUMENT...            checks
    guide_examples.py --update DOCUMENT...   writes what is printed below the commands, and says what it could not place

In tables of doc/guide/data-movement.md that begin with "arguments" each cell is z of the arguments of its row and its
column."""
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

import documents
from crosswind import NO_PAGES, PROGRAM, ROOT, Failed, has_pages, skip

PLAN_GUIDE = ROOT / "doc/guide/data-movement.md"
PAGE_GUIDES = (ROOT / "doc/guide/report.md", ROOT / "doc/guide/map.md")
BUILD = pathlib.Path(PROGRAM).resolve().parent
LONG = 20  # s of processor time
TIMEOUT = 800  # s, for a busy machine

NO_TESTBED = "testbeds need root, iproute2 and network namespaces, which are not here"

# What is in the documents and cannot be run here, and why.
NOT_RUN = {
    r"^(sudo )?(ibnetdiscover|opensm|dump_fts)\b": "needs the adapter of an InfiniBand subnet",
    r"\bperfquery\b": "needs an InfiniBand fabric",
    r"^make ": "installs packages, and runs this very suite",
    r"mpirun\S* (.* )?-n (7|42|48|60|64) ": "has more ranks than a small machine has cores",
    r"-hosts node1,node2": "needs two hosts",
    r"\bosu_ibcast\b": "needs OSU's benchmarks",
    r"--runs openmpi\.csv": "draws what was measured on 48 cores",
    r"--runs two-leaf\.csv": "draws what was measured for ten minutes",
    r"^cc -shared": "needs the installed library: lint/install compiles the same",
    r"^(python3 -m venv|\. env/bin/activate|cd python &&)":
        "needs the installed library: python/package does the same with that of the build tree",
    r"^mpicc\S* (app|program)\.c": "is about a program of the reader's, and the installed library",
}
# What a command measures differs from run to run: of its tables only the columns are compared.
MEASURED = r"crosswind-mpi(\.\w+)? (bench|move|overlap)"
# Who may fail although no message of failure is shown, and why.
FAILS = {
    r"crosswind study torus\.yaml$": "dmodk routes no torus",
    r"diff fabric\.ibnetdiscover --lft opensm-lfts\.dump --failed leaf05/20$": "pairs lose their route",
    r"route fabric\.ibnetdiscover --lft opensm-lfts\.dump --failed leaf02/31$": "pairs lose their route",
}
# What a reader has: blocks of the document as files, and commands that stand for what a subnet manager leaves.
FILES = {
    "doc/formats/anycast.md": {"io.txt": 0},
    "doc/formats/goal.md": {"halo.goal": 0},
    "doc/formats/matrix.md": {"traffic.csv": 1},
    "doc/formats/noise-case.md": {"case.txt": 0},
    "doc/formats/paths.md": {"detour.paths": 0},
    "doc/formats/placement.md": {"hosts": 0},
    "doc/formats/recording.md": {"pair.rec": 0},
    "doc/formats/study.md": {"study.yaml": 0},
    "doc/guide/overlap.md": {"forgot.c": 0},
    "doc/guide/studies.md": {"engines.yaml": 0},
}
PREPARED = {
    "doc/formats/service-levels.md": [
        "crosswind route fabric.ibnetdiscover --routing updn --write-path-records path-records.txt "
        "--write-sl2vl opensm-sl2vl.dump"],
    "doc/guide/opensm-routes.md": [  # two cables have gone, and updn has routed anew
        "cp fabric.ibnetdiscover monday.ibnetdiscover; cp opensm-lfts.dump monday.lfts",
        r"""awk '/^(Switch|Ca)/ { name = $0 } {
            gone = name ~ /"leaf02"/ && /^\[31\]/ || name ~ /"spine4"/ && /^\[7\]/ ||
                   name ~ /"leaf05"/ && /^\[20\]/ || name ~ /"spine1"/ && /^\[20\]/
            if (!gone) print }' monday.ibnetdiscover > tuesday.ibnetdiscover""",
        "crosswind route tuesday.ibnetdiscover --routing updn --write tuesday.lfts"],
}
# Counters of jobs that have run, and of what is no job's.
PREPARED["doc/guide/jobs.md"] = [
    "printf 'alltoall ranks=40 bytes=64KiB placement=switches\\nring-allreduce ranks=24 bytes=16MiB\\n' > running.txt",
    f"python3 -B {ROOT}/tests/oracle/counters.py --plant before.txt after.txt running.txt 900,3000 leaf03/20=4e10 fabric.ibnetdiscover "
    "--lft opensm-lfts.dump"]
# What NOT_RUN compiles, with the headers of the tree.
PREPARED["doc/guide/plug-ins.md"] = [
    f"cc -shared -fPIC -I{ROOT}/include -I{ROOT}/src ../library/own_{source}.c -o {name}.so"
    for source, name in (("topology", "ladder"), ("traffic", "traffic"))]
SEVERAL_CORES = r"mpirun|crosswind (testbed|cores)"
REMARK = re.compile(r"#.*\b(\d+|an?|one|two|three|several|some|many|few) (second|minute|hour)s?\b")


def documents_of_project():
    return [ROOT / "README.md", ROOT / "examples/sample/README.md", *sorted((ROOT / "doc/guide").glob("*.md")),
            *sorted((ROOT / "doc/formats").glob("*.md"))]


def why_not(command, can_have_testbed):
    """Why a command is not run here, or None."""
    for pattern, reason in NOT_RUN.items():
        if re.search(pattern, command):
            return reason
    remark = REMARK.search(command)
    if remark and remark[2] != "second":
        return "takes minutes, as it says"
    if re.search(r"crosswind testbed (?!.*--print)", command) and not can_have_testbed:
        return NO_TESTBED
    return None


def testbeds_possible():
    if os.geteuid() != 0 or not (shutil.which("ip") and shutil.which("tc")):
        return False
    name = f"crosswind-probe-{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], capture_output=True).returncode:
        return False
    subprocess.run(["ip", "netns", "del", name], check=True)
    return True


def on_one_core():
    """Figures do not depend on threads, but threads that wait for each other on a busy machine take long."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})


class Reader:
    """A shell in a copy of examples/sample, whose folder and variables last from one command to the next."""

    def __init__(self, root):
        self.state = root / "state"
        self.folder = root / "examples/sample"
        shutil.copytree(ROOT / "examples", root / "examples")
        shutil.copytree(ROOT / "tests/golden/worked-example", root / "tests/golden/worked-example")
        self.state.write_text(f"cd '{self.folder}'\n")
        (root / "home").mkdir()
        self.environment = os.environ | {
            "PATH": f"{BUILD}:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(BUILD), "HOME": str(root / "home"),
            "XDG_CACHE_HOME": str(root / "home"), "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none"}
        for name in ("app", "stencil"):  # the reader's program, by the launcher that starts it
            program = self.folder / name
            program.write_text(f'#!/bin/sh\nexec "{BUILD}/tests/mpi/'
                               '${OMPI_COMM_WORLD_SIZE:+openmpi}${PMI_SIZE:+mpich}/programs/stencil"\n')
            program.chmod(0o755)

    def types(self, command):
        """What a command prints, its exit status, and the processor time that it took."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        script = '. "$0"; eval "$1"; status=$?; { export -p; printf "cd %q; cd %q\\n" "${OLDPWD:-$PWD}" "$PWD"; } '
        script += '>"$0"; exit $status'
        shell = subprocess.Popen(["bash", "-c", script, str(self.state), command], env=self.environment, text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 start_new_session=True,
                                 preexec_fn=None if re.search(SEVERAL_CORES, command) else on_one_core)
        try:
            printed = shell.communicate(timeout=TIMEOUT)[0]
        except subprocess.TimeoutExpired as late:
            os.killpg(shell.pid, signal.SIGTERM)  # a testbed takes itself down
            raise Failed(f"{command}\nhas not ended after {TIMEOUT} s") from late
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = sum(getattr(after, field) - getattr(before, field) for field in ("ru_utime", "ru_stime"))
        return printed, shell.returncode, used


def complaint(example, printed, status, used):
    """What is wrong with an example, or None."""
    lines = printed.splitlines()
    if status and not any(line.startswith("crosswind") and ": " in line for line in example.shown) and not any(
            re.search(pattern, example.command) for pattern in FAILS):
        return f"ends with exit status {status} and prints\n{printed}"
    missing = documents.missing_heading if re.search(MEASURED, example.command) else documents.missing_line
    line = missing(example.shown, lines)
    if line is not None:
        return f"shows\n{line}\nbut prints\n{printed}"
    if used > LONG and not REMARK.search(example.command):
        return f"takes {used:.0f} s of processor time, of which its line says nothing (# 20 seconds)"
    return None


def prepare(document, reader, text):
    name = document.relative_to(ROOT).as_posix()
    blocks = documents.fenced_blocks(text)
    for file, number in FILES.get(name, {}).items():
        (reader.folder / file).write_text(blocks[number])
    for command in PREPARED.get(name, ()):
        printed, status, _ = reader.types(command)
        if status:
            raise Failed(f"{command}\nfails: {printed}")


def check_document(document, update):
    """The number of examples that were run, and why others were not that can be run elsewhere."""
    text = document.read_text()
    lines = text.splitlines()
    examples, bare = documents.examples(lines)
    if bare:
        raise Failed("\n".join(f"{document}:{line}: a command without a prompt" for line in bare))
    if document in PAGE_GUIDES and not has_pages():
        return 0, NO_PAGES
    count, wrong, changes, skipped, can_have_testbed = 0, [], [], None, testbeds_possible()
    with tempfile.TemporaryDirectory() as root:
        reader = Reader(pathlib.Path(root))
        prepare(document, reader, text)
        for example in examples:
            place = f"{document.relative_to(ROOT)}:{example.line + 1}: {example.command}"
            reason = why_not(example.command, can_have_testbed)
            if reason:
                print(f"{place}\n    not run: {reason}")
                skipped = NO_TESTBED if reason == NO_TESTBED else skipped
                continue
            printed, status, used = reader.types(example.command)
            count += 1
            problem = complaint(example, printed, status, used)
            if used > 2:
                print(f"{place}\n    {used:.1f} s of processor time")
            if problem and update:
                new, lost = documents.updated(example.shown, printed.splitlines())
                if not lost:
                    problem = complaint_after(example, new, printed, status, used)
                    changes += [(example, new)] if new != example.shown else []
                else:
                    problem += "\nNOT UPDATED, for these lines stand for nothing that is printed:\n" + "\n".join(lost)
            if problem:
                wrong.append(f"{place}\n{problem}")
    if changes:
        write(document, lines, changes)
    if wrong:
        raise Failed("\n\n".join(wrong))
    return count, skipped


def complaint_after(example, new, printed, status, used):
    old, example.shown = example.shown, new
    problem = complaint(example, printed, status, used)
    example.shown = old
    return problem


def write(document, lines, changes):
    for example, new in reversed(changes):
        lines[example.first:example.end] = [" " * example.indent + line if line else "" for line in new]
    document.write_text("\n".join(lines) + "\n")
    print(f"{document.relative_to(ROOT)}: {len(changes)} outputs were updated")


def z_of(reader, arguments):
    """z of the optimum, unless the arguments say another method, as the guide writes it: "none" where there is no
    plan."""
    method = "" if "--method" in arguments else "--method optimum"
    printed, status, _ = reader.types(f"crosswind plan {arguments} {method} --format json")
    if status == 0:
        return f"{json.loads(printed)['tables']['plan']['rows'][0]['z']:.4g}"
    if "no route" not in printed:
        raise Failed(f"{arguments}: {printed}")
    return "none"


def check_tables():
    """The examples write the files that are arguments here."""
    count, heading = 0, None
    with tempfile.TemporaryDirectory() as root:
        reader = Reader(pathlib.Path(root))
        for example in documents.examples(PLAN_GUIDE.read_text().splitlines())[0]:
            if not re.match("crosswind", example.command):
                reader.types(example.command)
        for line in PLAN_GUIDE.read_text().splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
            options = [re.findall("`(.*?)`", cell) for cell in cells]
            if cells and cells[0] == "arguments":
                heading = options[1:]
            elif not cells:
                heading = None
            elif heading and options[0]:
                for column, cell in zip(heading, cells[1:]):
                    arguments = f"{options[0][0]} {column[0]}"
                    z = z_of(reader, arguments)
                    if z != cell:
                        raise Failed(f"{PLAN_GUIDE}: {arguments} has z = {z}, not {cell}")
                    count += 1
    if count == 0:
        raise Failed(f"{PLAN_GUIDE} has no such table")
    print(f"{count} cells of tables")


def check_lists():
    """Whatever is excused is in some document."""
    commands = [example.command for document in documents_of_project()
                for example in documents.examples(document.read_text().splitlines())[0]]
    for pattern in [*NOT_RUN, *FAILS]:
        if not any(re.search(pattern, command) for command in commands):
            raise Failed(f"no document has a command that is excused by {pattern}")


def main(arguments):
    update = "--update" in arguments
    named = [pathlib.Path(name).resolve() for name in arguments if name != "--update"]
    failed, skips = False, set()
    check_lists()
    for document in named or documents_of_project():
        try:
            count, skipped = check_document(document, update)
            print(f"{document.relative_to(ROOT)}: {count} examples were run")
            skips |= {skipped} if skipped else set()
            if document == PLAN_GUIDE:
                check_tables()
        except Failed as failure:
            failed = True
            print(failure)
    if skips and not failed:
        skip("; ".join(skips))
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failure:
        print(failure)
        sys.exit(1)
