"""What documents.py finds and writes, on a document of a few lines: a figure that differs, a line that is not printed,
a command without a prompt; and outputs that are brought up to date, with what was left out still left out."""
import sys

import documents
from crosswind import Failed

DOCUMENT = """A guide.

    $ crosswind one \\
    >     --more
    method   z    …  seconds  …
                  …      [s]  …
    -------  ---  …  -------  …
    default  0.5  …    0.038  …
    ...
    Written to plan.json.

    $ export A=b

```
crosswind fenced
```

    crosswind bare

    a file of the reader's
    $ crosswind last --all
""".splitlines()

PRINTED = """Plans on bgq:512

method   z    gap  seconds  search_seconds
                      [ms]             [s]
-------  ---  ---  -------  --------------
default  0.5    0       38         0.00001
best     1      0       20             0.2

Relayed chunk by chunk.
Written to plan.json.
""".splitlines()

WANTED = """method   z    …  seconds  …
              …     [ms]  …
-------  ---  …  -------  …
default  0.5  …       38  …
...
Written to plan.json.""".splitlines()


def expect(found, wanted, what):
    if found != wanted:
        raise Failed(f"{what}: {found}, expected {wanted}")


def main():
    examples, bare = documents.examples(DOCUMENT)
    expect([example.command for example in examples],
           ["crosswind one \\\n    --more", "export A=b", "crosswind last --all"], "commands")
    expect(bare, [18], "commands without a prompt")
    expect(DOCUMENT[examples[0].first:examples[0].end], ["    " + line for line in examples[0].shown], "its lines")
    shown = examples[0].shown
    expect(documents.missing_line(shown, PRINTED), "… [s] …", "the line that differs")
    expect(documents.missing_line(WANTED, PRINTED), None, "nothing differs")
    expect(documents.missing_line(["Relayed chunk by chunk.", "…", "Written to moves.json."], PRINTED),
           "Written to moves.json.", "a line that is not printed")
    expect(documents.missing_line(["Written to plan.json.", "...", "Relayed chunk by chunk."], PRINTED),
           "Relayed chunk by chunk.", "a line that is printed before")
    expect(documents.missing_line(["Relayed …", "Plans"], PRINTED), "Plans", "a line that does not follow")
    expect(documents.missing_heading(shown, PRINTED), None, "columns are those printed")
    expect(documents.missing_heading(["method  seconds  z", "------  -------  -"], PRINTED), "method seconds z",
           "columns in another order")
    expect(documents.updated(shown, PRINTED), (WANTED, []), "what is shown instead")
    expect(documents.updated(["Relayed byte by byte.", "Written to plan.csv."], PRINTED),
           (PRINTED[-2:], []), "lines that are shown instead")
    lost = ["A sentence about something else altogether."]
    expect(documents.updated(lost, PRINTED), (lost, lost), "what stands for nothing that is printed")
    print("documents.py finds what differs, and brings it up to date")


if __name__ == "__main__":
    try:
        main()
    except Failed as failure:
        print(failure)
        sys.exit(1)
