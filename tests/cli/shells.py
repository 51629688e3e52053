#!/usr/bin/env python3
"""bash, zsh and fish complete alike: each shell is started once, and is asked to complete command lines by its script.

CASES have their candidates here. For an option of each verb after another, as many as a day's sample has, the three
must have the same candidates and some of them where the option has names to choose from. zsh completes on a terminal, as
it does for users; fish has a command that says what it would; bash calls its function with the words that readline makes."""
import os
import pathlib
import pty
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "oracle"))
from crosswind import PROGRAM, run, sampled, skip  # noqa: E402  pylint: disable=wrong-import-position

SHELLS = ("bash", "zsh", "fish")
SAMPLE = 12
LONGEST = 120  # seconds that a shell may take
MARK = "------"
HELP = "How much the background"  # of the first case
FILES = ("fabric.x", "two words", "pictures/a.csv")
CASES = {
    "n": "noise",
    "model sp": "split-tree",
    "completion ": "bash fish zsh",
    "noise --sched": "--schedule",
    "noise --quiet --q": "",
    "noise --schedule allr": "allreduce",
    "noise --schedule=allr": "--schedule=allreduce",
    "noise --quiet=": "--quiet=no --quiet=yes",
    "noise --trials ": "",
    "noise 'hyp": "hypercube: hyperx:",
    "noise dragonfly:1,2,1,arr": "dragonfly:1,2,1,arrangement=",
    "noise dragonfly:1,2,1,arrangement=p": "dragonfly:1,2,1,arrangement=palmtree",
    "noise --routing dfsssp:la": "dfsssp:lanes=",
    "noise --routing=dfsssp:la": "--routing=dfsssp:lanes=",
    "noise --routing minhop,up": "",
    "compare x --routing minhop,up": "minhop,updn",
    "compare x --routing dfsssp:lanes=4,l": "dfsssp:lanes=4,lash dfsssp:lanes=4,lmc=",
    "compare x --measure ebb,noi": "ebb,noise",
    "flit x --traffic 'uniform;bitc": "uniform;bitcomp",
    "plan --export m": "mps:",
    "plan --export mps:fa": "mps:fabric.x",
    "plan --transport bgq:list": "bgq:list-search=",
    "noise --lft fab": "fabric.x",
    "noise --lft=fab": "--lft=fabric.x",
    "noise --lft=pict": "--lft=pictures",
    "noise two": "two words",
    "compare x --lft fabric.x,pict": "fabric.x,pictures",
    "reproduce --directory ": "pictures",
    "testbed torus:2 -- fab": "fabric.x",
    "nothing-such --": "",
}


def words_of(line):
    """The words that readline makes of LINE: what is not quoted is also taken apart at : and =."""
    blanks = re.findall(r"'[^']*|[^ ]+", line) + ([""] if line.endswith(" ") else [])
    return [part for word in blanks for part in ([word] if word[:1] == "'" or not word else re.findall("[:=]+|[^:=]+", word))]


def kept_of(line):
    """What of the last word bash keeps, so that its candidates lack it."""
    last = line.rsplit(" ", 1)[-1]
    return "" if "'" in line else last[:len(last) - len(re.split("[:=]", last)[-1])]


def ask_bash(lines):
    yield "source <(crosswind completion)\ncompopt() { :; }\n"
    for line in lines:
        words = words_of(line)
        yield (f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)} COMP_CWORD={len(words) - 1}\n"
               f"COMP_WORDS=({shlex.join(words)})\n_crosswind\n"
               f"printf '%s\\n' {MARK} \"${{COMPREPLY[@]}}\"\n")


def ask_fish(lines):
    yield "crosswind completion fish | source\n"
    for line in lines:
        yield f"echo {MARK}; complete -C {shlex.quote(line)}\n"


def ask_zsh(lines):
    """As .zshrc: the first prompt completes all lines, and leaves. Only the basis of zsh's completions is loaded: all of
    them take seconds."""
    yield r"""
all=($fpath)
fpath=(${(M)fpath:#*/Completion(|/Base)})
(( $#fpath )) || fpath=($all)
autoload -Uz compinit
compinit -u -D
fpath=($all)
autoload -Uz _files _path_files _list_files
source <(crosswind completion zsh)
compadd() {
    builtin compadd "$@"
    local ended=$? shown=${@[${@[(i)-(l|)d]} + 1]}
    local -a found
    if [[ ${@[1,(i)--]} != *-[OAD]* ]]; then
        builtin compadd -A found "$@"
        print -rC1 -- "$IPREFIX"${(Q)^found} >>../answer
        print -r -- ${(P)shown}
    fi
    return $ended
}
zle -C ask list-choices ask
ask() { _main_complete "$@" }
zle-line-init() {
    local line
    for line in "${asked[@]}"; do
        print -- $mark >>../answer
        BUFFER=$line CURSOR=$#line
        zle ask
    done
    BUFFER=
    exit
}
zle -N zle-line-init
"""
    yield f"mark={MARK}\nasked=({shlex.join(lines)})\n"


def on_terminal(command, environment, folder):
    """What COMMAND shows on a terminal of its own until it ends."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, environment)
    shown = b""
    try:
        while select.select([terminal], [], [], LONGEST)[0]:
            shown += os.read(terminal, 65536)
        os.kill(child, signal.SIGKILL)
    except OSError:  # it has ended
        pass
    if os.waitpid(child, 0)[1] != 0:
        sys.exit(f"{command[0]} has failed, or took {LONGEST} s:\n{shown.decode(errors='replace')}")
    return shown.decode(errors="replace")


def asked(shell, lines, folder):
    """What SHELL completes each of LINES to, a sorted list of words; and what it shows of them."""
    environment = os.environ | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder / "home"), "TERM": "dumb",
                                "ZDOTDIR": str(folder / "home"), "LC_ALL": "C.UTF-8"}
    (folder / "home").mkdir(exist_ok=True)
    lines = [f"crosswind {line}" for line in lines]
    work = folder / "work"
    if shell == "zsh":
        (folder / "home/.zshrc").write_text("".join(ask_zsh(lines)))
        shown = on_terminal(["zsh", "-d", "-i"], environment, work)
        answer = (folder / "answer").read_text()
        (folder / "answer").unlink()
    else:
        done = subprocess.run([shell, "--norc" if shell == "bash" else "--no-config"], cwd=work, env=environment, text=True,
                              input="".join(ask_bash(lines) if shell == "bash" else ask_fish(lines)), capture_output=True,
                              timeout=LONGEST, check=False)
        shown = answer = done.stdout
        if done.returncode != 0 or done.stderr:
            sys.exit(f"{shell} has failed:\n{done.stderr}")
    answers = []
    for part, line in zip(answer.split(MARK + "\n")[1:], lines, strict=True):
        words = [word.split("\t")[0].rstrip("/") for word in part.splitlines()]
        if shell == "bash":
            words = [kept_of(line) + word for word in words]
        answers.append(sorted({word for word in words if word}))
    return answers, shown


def completed(line):
    """What the program answers to LINE, for which no shell is needed."""
    return [candidate.split("\t")[0] for candidate in run("completion", "--", *line.split(" ")).splitlines()[2:]]


def walk():
    """Every option of every verb, once where several have it."""
    lines = {}
    for verb in [*completed(""), "model split-tree"]:
        for option in completed(f"{verb} --"):
            lines.setdefault(option, f"{verb} {option} ")
    return list(lines.values())


def main():
    missing = [shell for shell in SHELLS if not shutil.which(shell)]
    if missing:
        skip(f"{' and '.join(missing)} is missing (tools/bootstrap installs it)")
    lines = [*CASES, *sampled(walk(), SAMPLE)]
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file in FILES:
            (folder / "work" / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / "work" / file).touch()
        (folder / "bin").mkdir()
        (folder / "bin/crosswind").symlink_to(PROGRAM)
        found = {shell: asked(shell, lines, folder) for shell in SHELLS}
    for i, line in enumerate(lines):
        answers = {shell: found[shell][0][i] for shell in SHELLS}
        expected = CASES.get(line)
        if expected is not None:
            expected = [expected] if expected in FILES else sorted(expected.split())
        for shell, answer in answers.items():
            if answer != (answers["bash"] if expected is None else expected):
                faults.append(f"crosswind {line}: {shell} has {answer}, expected {answers['bash'] if expected is None else expected}")
    for shell in ("zsh", "fish"):
        if HELP not in found[shell][1]:
            faults.append(f"{shell} does not show what a verb is for")
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len(lines)} lines are completed alike by {', '.join(SHELLS)}")


main()
