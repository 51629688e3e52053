"""Mutants of C sources: small wrong changes of an operator, chosen at random for tools/mutate.

Only what stands in bodies of functions is changed; comments, strings and preprocessor lines are not. Calls whose only
effect is that memory is given back are not dropped: the sanitizers of preset dev look for those."""
import random
import re

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\s+)
      |(?P<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*(?![\w.])|\.?\d(?:[eE][+-]|[\w.])*)
      |(?P<word>[A-Za-z_]\w*)
      |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE)
SWAPS = {
    "comparison": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "sign": {"+": "-", "-": "+", "+=": "-=", "-=": "+="},
    "logic": {"&&": "||", "||": "&&"},
}
OPERATORS = [*SWAPS, "constant", "call"]
# Lines that mean the same with any of their mutants of a kind: the lesser of two that are equal, more room than is needed,
# what comparisons for qsort give, of which only the sign counts.
SAME = {
    "comparison": re.compile(r"if \((.+) (?:[<>]|[<>]=) (.+)\) (?:\2 = \1|\1 = \2);"),
    "constant": re.compile(r"(?:static )?(?:unsigned )?(?:char|\w+_t) \w+\[\d+\](?:, \w+\[\d+\])*;"
                           r"|(?:if \(\D+\) )?return \D+ \? -1 : 1;"),
}
NO_CALLS = {"if", "for", "while", "switch", "return", "sizeof", "else", "do"}


class Mutant:
    """FILE's text from START to END becomes NEW."""

    def __init__(self, file, text, start, end, new):
        self.file, self.start, self.end, self.new = file, start, end, new
        first = text.rfind("\n", 0, start) + 1
        last = text.find("\n", end)
        self.line = text.count("\n", 0, start) + 1
        self.before = text[first:last].strip()
        self.after = (text[first:start] + new + text[end:last]).strip()
        self.name = f"{file}:{self.line}"
        self.what = f"{self.before}  =>  {self.after}"

    def planted(self, text):
        return text[:self.start] + self.new + text[self.end:]


def bodies(text):
    """The tokens (kind, text, start) in bodies of functions, those of each statement's level as they stand."""
    depth, body, found, before = 0, 0, [], ""
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match.group()
        if kind == "skip":
            continue
        if word == "{":
            body = body or (depth + 1 if before == ")" and depth == 0 else 0)
            depth += 1
        elif word == "}":
            depth -= 1
            body = body if depth >= body else 0
        if body:
            found.append((kind, word, match.start()))
        before = word
    return found


def end_of_call(tokens, at):
    """Where the statement ends that is one call and begins at tokens[AT]: the place of its semicolon, or None."""
    level = 0
    for i in range(at + 1, len(tokens)):
        level += {"(": 1, ")": -1}.get(tokens[i][1], 0)
        if level == 0:
            return tokens[i + 1][2] if i + 1 < len(tokens) and tokens[i + 1][1] == ";" else None
    return None


def places(file, text):
    """All mutants of FILE, whose content is TEXT, by operator."""
    found = {operator: [] for operator in OPERATORS}
    tokens = bodies(text)
    for i in range(1, len(tokens)):
        (_, before, _), (kind, word, start) = tokens[i - 1], tokens[i]
        end = start + len(word)
        binary = tokens[i - 1][0] in ("word", "number") and before not in NO_CALLS or before in (")", "]")
        for operator, swaps in SWAPS.items():
            if word in swaps and binary:
                found[operator].append(Mutant(file, text, start, end, swaps[word]))
        if kind == "number" and re.fullmatch(r"\d+[uUlL]*", word):
            digits = re.match(r"\d+", word).group()
            found["constant"].append(Mutant(file, text, start, end, str(int(digits) + 1) + word[len(digits):]))
        if kind == "word" and word not in NO_CALLS and before in (";", "{", "}", ")", "else") and not re.search(
                r"free$|destroy$", word) and i + 1 < len(tokens) and tokens[i + 1][1] == "(":
            if stop := end_of_call(tokens, i):
                found["call"].append(Mutant(file, text, start, stop, ""))
    return found


def choose(root, folder, seed):
    """Mutants of src/FOLDER without end, each once: an operator at random, then a place among all of its."""
    everywhere = {operator: [] for operator in OPERATORS}
    for path in sorted((root / "src" / folder).rglob("*.c")):
        for operator, found in places(str(path.relative_to(root)), path.read_text()).items():
            everywhere[operator] += found
    rng = random.Random(f"{seed} {folder}")
    while any(everywhere.values()):
        operator = rng.choice([name for name in OPERATORS if everywhere[name]])
        mutant = everywhere[operator].pop(rng.randrange(len(everywhere[operator])))
        if operator not in SAME or not SAME[operator].fullmatch(mutant.before):
            yield mutant
