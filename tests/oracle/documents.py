"""Documents whose examples are run: commands in indented blocks, what is shown below each, whether a program prints
that, and what is to be shown instead. A line "..." or "…" leaves lines out, "…" in a line leaves text out."""
import difflib
import re

LEFT_OUT = ("...", "…")
PROMPT = re.compile(r"( {4,8})\$ ")
# what begins a line that a reader would type
TYPED = re.compile(r"\s*(\w+=\S* )*(crosswind(-mpi(\.\w+)?)?|mpi(run|exec|cc|fort)\S*|opensm|ibnetdiscover|make|cmake|"
                   r"for \w+ in) ")


class Example:
    """A command, and the lines shown below it: lines of the document from FIRST up to END, without their indent."""

    def __init__(self, line, indent, command):
        self.line, self.indent, self.command = line, indent, command
        self.first, self.end, self.shown = line, line, []

    def close(self, end):
        """Empty lines at the end are the document's."""
        while self.shown and not self.shown[-1]:
            self.shown.pop()
            end -= 1
        self.end = end


def examples(lines):
    """All examples of a document, and the numbers of lines that are commands without a prompt."""
    found, bare, current, fenced, in_block = [], [], None, False, False
    for at, line in enumerate(lines):
        if line.startswith("```"):
            fenced = not fenced
        prompt = PROMPT.match(line)
        ends = fenced or (line.strip() and not line.startswith("    "))
        if current and (ends or prompt):
            current.close(at)
            current = None
        in_block = not ends and (in_block or prompt is not None)
        if prompt and not fenced:
            current = Example(at, len(prompt[1]), line[prompt.end():])
            current.first = at + 1
            found.append(current)
        elif current:
            text = line[current.indent:]
            if current.first == at and (text.startswith("> ") or current.command.endswith("\\")):
                current.command += "\n" + text.removeprefix("> ")
                current.first = at + 1
            else:
                current.shown.append(text)
        elif line.startswith("    ") and not fenced and not in_block and TYPED.match(line):
            bare.append(at + 1)
    if current:
        current.close(len(lines))
    return found, bare


def fenced_blocks(text):
    return re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def squeezed(lines):
    """Lines that are not empty, by their words, tables without their last column if that is measured."""
    kept, timed = [], False
    for line in lines:
        words = line.split()
        timed = bool(words) and line.strip() not in LEFT_OUT and (timed or words[-1] == "search_seconds")
        if words:
            # the width of a rule is not that of the column below
            kept.append(" ".join("-" if set(word) == {"-"} else word for word in (words[:-1] if timed else words)))
    return kept


def alike(shown, printed):
    pattern = re.sub(r"^…\\ ", "(.* )?", re.escape(shown))
    return re.fullmatch(re.sub(r"(\\ )?…", ".*", pattern), printed) is not None


def missing_line(shown, printed):
    """The first line shown that is not printed where it should be, or None."""
    printed = squeezed(printed)
    at, anywhere = 0, True
    for line in squeezed(shown):
        if line in LEFT_OUT:
            anywhere = True
            continue
        while at < len(printed) and anywhere and not alike(line, printed[at]):
            at += 1
        if at == len(printed) or not alike(line, printed[at]):
            return line
        at, anywhere = at + 1, False
    return None


def is_rule(line):
    return "-" in line and set(line) <= set("- …") and re.search(r"(^|\s)--", line) is not None


def headings(lines):
    """The names of columns of each table."""
    found = []
    for at, line in enumerate(lines):
        if is_rule(line) and at:
            only_units = at > 1 and set(re.sub(r"\[.*?\]", "", lines[at - 1])) <= set(" …")
            found.append(" ".join(lines[at - 2 if only_units else at - 1].split()))
    return found


def missing_heading(shown, printed):
    """The first table shown, of those whose figures are measured, whose columns are not printed in this order."""
    printed, at = headings(printed), 0
    for heading in headings(shown):
        while at < len(printed) and not alike(heading, printed[at]):
            at += 1
        if at == len(printed):
            return heading
        at += 1
    return None


def similar(a, b):
    a, b = (re.sub(r"[\d.,]+", "0", " ".join(line.replace("…", "").split())) for line in (a, b))
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


def best(lines, printed, begins):
    """Where, among the places BEGINS, lines stand that are most like these, and how much they are."""
    def value(begin):
        pairs = zip(lines, printed[begin:begin + len(lines)])
        return sum(similar(*pair) for pair in pairs) / len(lines)

    found = max(begins, key=lambda begin: (value(begin), -begin), default=None)
    return (found, value(found)) if found is not None else (None, 0)


def window(segment, printed, start):
    """Printed lines from, up to, that a segment of shown lines stands for; None if there are none."""
    head, tail = segment[:3], segment[-2:]
    begin, value = best(head, printed, range(start, len(printed)))
    if begin is None or value < 0.6:
        return None
    expected = begin + len(segment) - len(tail)
    last, value = best(tail, printed, range(max(begin, expected - 4), min(len(printed), expected + 5)))
    if last is None or value < 0.6:
        return None
    return begin, min(last + len(tail), len(printed))


def columns(shown, printed):
    """The printed table with the columns that are shown, or None."""
    at = next((i for i, line in enumerate(printed) if is_rule(line)), None)
    names = next((heading.split() for heading in headings(shown)), None)
    if at is None or names is None:
        return None
    spans = [match.span() for match in re.finditer("-+", printed[at])]
    above = next((line for line in reversed(printed[:at]) if "[" not in line), "")
    if any(name != "…" and name not in above.split() for name in names):
        return None
    place = {above[a:b].strip(): (a, b) for a, b in spans}

    def cell(line, name):
        begin, end = place.get(name, (0, 0))
        return line[begin:end].ljust(end - begin) if name != "…" else name

    return ["  ".join(cell(line, name) for name in names).rstrip() if line.strip() else "" for line in printed]


def updated(shown, printed):
    """What is to be shown, and the lines that it could not be found for."""
    lead = shown[:1] if shown and not shown[0] else []
    printed = [line.rstrip() for line in printed]
    segments, lost, made, at = [[]], [], [], 0
    for line in shown[len(lead):]:
        if line.strip() in LEFT_OUT:
            segments += [line, []]
        else:
            segments[-1].append(line)
    for segment in segments:
        if isinstance(segment, str) or not segment:
            made += [segment] if segment else []
            continue
        place = window([line for line in segment if line], [line for line in printed if line], at)
        new = None
        if place:
            numbers = [i for i, line in enumerate(printed) if line]
            new = printed[numbers[place[0]]:numbers[place[1] - 1] + 1]
            if any("…" in line for line in segment):
                new = columns(segment, new) if missing_line(segment, new) else segment
        if new is None:
            lost += segment
            made += segment
        else:
            # empty lines at the ends of a segment are the document's
            head = [""] if not segment[0] else []
            tail = [""] if not segment[-1] else []
            made += head + [line for line in new] + tail if new is not segment else segment
            at = place[1]
    return lead + made, lost
