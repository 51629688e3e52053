#!/usr/bin/env python3
"""Writes headers as Doxygen wants them, into FOLDER. usage: document.py FOLDER HEADER ...

Headers are the manuals of their modules, in plain comments. Here the comment before a declaration, and that behind a
member, become Doxygen's; a comment before several declarations becomes that of each; a line of dashes becomes the heading
of what follows. crosswind.h, which names all others, becomes the main page."""
import html
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
HEADING = re.compile(r"^-+ (.*?) -+$")
FUNCTION = re.compile(r"\b(cw_[a-z0-9_]+)\(")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def lines_of(comment):
    """The lines of a comment without its margin, and without blank ones at either end."""
    lines = [re.sub(r"^\s*\* ?", "", line) if n else line.strip() for n, line in enumerate(comment.split("\n"))]
    return "\n".join(line.rstrip() for line in lines).strip("\n").split("\n")


class Text:
    """Text of comments for Doxygen, in which functions that there are, and parameters, are marked."""

    def __init__(self, headers):
        self.functions = set()
        for header in headers:
            self.functions.update(FUNCTION.findall(COMMENT.sub("", header.read_text())))

    def word(self, word, parameters, after):
        if word in self.functions and not re.match(r"\((?!\))", after):
            return f"#{word}"
        if word.isupper() and word.lower() in parameters:
            return f"<code>{word.lower()}</code>"
        return word

    def sentence(self, line, parameters):
        pieces = re.split(r"([A-Za-z_][A-Za-z0-9_]*)", line)
        for at, piece in enumerate(pieces):
            pieces[at] = self.word(piece, parameters, pieces[at + 1]) if at % 2 else re.sub(r'([@\\#%$&<>"]|--)', r"\\\1", piece)
        marked = re.sub(r"`([^`]+)`", r"<code>\1</code>", "".join(pieces))
        return re.sub(r"\b(e\.g\.|i\.e\.|cf\.) ", r"\1\\ ", marked)  # the first sentence does not end there

    def by_convention(self, declaration):
        """What is said of a function by its name, where nothing else is."""
        name = FUNCTION.search(declaration)
        if name and name.group(1).endswith("_free"):
            return "Gives back what it is given; NULL is accepted."
        if name and name.group(1).endswith("_sized") and name.group(1)[:-len("_sized")] in self.functions:
            return f"What #{name.group(1)[:-len('_sized')]} calls, with the size that the setup has for its caller."
        return None

    def of(self, lines, parameters=()):
        out, shown = [], False
        for at, line in enumerate(lines):
            blank_before = at == 0 or not lines[at - 1] or shown
            if line.startswith("    ") and (shown or blank_before):
                out += [] if shown else ["@verbatim"]
                out.append(line[4:])
                shown = True
            elif not line and shown and any(rest.startswith("    ") for rest in lines[at + 1:at + 2]):
                out.append("")
            else:
                out += ["@endverbatim"] if shown else []
                shown = False
                out.append(self.sentence(line, parameters))
        return "\n".join(out + (["@endverbatim"] if shown else []))


def declarations_after(code):
    """The declarations that follow a comment without a blank line or another comment between them: each with the place of
    its beginning. What is in braces is part of one."""
    found, begin, depth = [], 0, 0
    for token in re.finditer(r"[{};]|/\*|\n[ \t]*(?=\n)|\n\{", code):
        if token.start() < begin:
            continue  # in the body of a function
        if token.group() == "\n{":
            found.append((begin, code[begin:token.start()]))
            begin = code.index("\n}\n", token.start()) + 3
        elif token.group() == "{":
            depth += 1
        elif token.group() == "}":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and token.group() == ";":
            end = code.index("\n", token.end()) + 1
            found.append((begin, code[begin:end]))
            begin = end
            if not code[end:].split("\n", 1)[0].strip():
                break
        elif depth == 0:
            break
    return found or [(0, code.split("\n", 1)[0])]


def main_page(text, headers, comment, rest):
    """The comment of crosswind.h, and all headers by the sections in which it names them."""
    by_name = {name_of(header): header for header in headers}

    def entries(names):
        for name in names:
            manual = COMMENT.match(by_name.pop(name).read_text())
            first = " ".join(lines_of(manual.group(1))).strip() if manual else ""
            first = re.split(r"(?<=[a-z0-9)])(?<!e\.g)(?<!i\.e)\.(?: |$)", first)[0]
            yield f"- {name}: {text.sentence(first, ())}\n"

    out = ["/** @mainpage The C interface", text.of(comment), ""]
    by_name.pop("crosswind.h", None)
    decls = by_name.pop("base/decls.h", None)
    for section, block in re.findall(r"/\*(.*?)\*/\n((?:#include [^\n]*\n)+)", rest, re.S):
        out += [f"<h2>{html.escape(' '.join(section.split())).capitalize()}</h2>", ""]
        out += entries(re.findall(r'"(.*?)"', block))
    if by_name:
        out += ["<h2>Ranks of MPI: headers of their own, and libraries of each MPI</h2>", ""]
        out += entries(sorted(by_name))
    out += [f"\nAll of them begin with {'base/decls.h' if decls else ''}.", "*/", "/** @file crosswind.h",
            "Includes all headers of the library. */"]
    return "\n".join(out)


def document(path, headers, text):
    source, name = path.read_text(), name_of(path)
    first = COMMENT.match(source)
    if not first:
        sys.exit(f"{path}: begins with no comment, expected the manual of the module")
    if name == "crosswind.h":
        return main_page(text, headers, lines_of(first.group(1)), source[first.end():]) + source[first.end():]
    out = [f"/** @file {name}\n{text.of(lines_of(first.group(1)))}\n*/"]
    at, grouped = first.end(), False
    while True:
        comment = COMMENT.search(source, at)
        if not comment:
            break
        before, after = source[at:comment.start()], source[comment.end():]
        out.append(before)
        lines = lines_of(comment.group(1))
        heading = HEADING.match(lines[0])
        at = comment.end()
        line_begin = source.rfind("\n", 0, comment.start()) + 1
        leading = source[line_begin:comment.start()].strip() == ""
        if source[:comment.start()].rfind("\n{") > source[:comment.start()].rfind("\n}"):  # within a function
            out.append(comment.group())
        elif heading:
            out += ["/** @} */\n" if grouped else "", f"/** @name {heading.group(1).capitalize()}\n",
                    text.of(lines[1:]), "*/\n/** @{ */"]
            grouped = True
        elif not leading:
            brief = "" if before.rstrip().endswith(")") else "@brief "  # Doxygen knows none of what a macro stands for
            out.append(f"/**< {brief}{text.of(lines)} */")
        else:
            begin, declarations = 0, declarations_after(after)
            parameters = {word for _, declaration in declarations for word in WORD.findall(declaration)}
            for place, declaration in declarations:
                said = place and text.by_convention(declaration) or text.of(lines, parameters)
                out += [after[begin:place], f"/** {said} */", "\n" if place else ""]
                begin = place
            at += begin
    rest = source[at:]
    if grouped:
        rest = rest.replace("CW_END_DECLS", "/** @} */\nCW_END_DECLS", 1)

    def said(bare):
        convention = text.by_convention(bare.group(1))
        return f"\n\n/** {convention} */\n{bare.group(1)}" if convention else bare.group()
    return re.sub(r"(?<!\*/)\n\n?(CW_API [^;]*;)(?! */\*)", said, "".join(out) + rest)


def name_of(header):
    """As it is included: headers are in src/ or include/."""
    return re.sub(r"^(.*/)?(src|include)/", "", str(header))


def main(folder, *headers):
    headers = [pathlib.Path(header) for header in headers]
    text = Text(headers)
    for header in headers:
        place = pathlib.Path(folder, name_of(header))
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(document(header, headers, text))


main(*sys.argv[1:])
