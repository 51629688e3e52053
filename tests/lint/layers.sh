#!/bin/sh
# Every #include in src/ obeys layers.txt: own folder or a lower floor. usage: layers.sh ROOT
set -eu
cd "$1"
awk '
    FILENAME == "layers.txt" { if ($0 !~ /^#/) for (i = 2; i <= NF; i++) floor[$i] = $1; next }
    FNR == 1 { split(FILENAME, part, "/"); folder = part[2]
               if (!(folder in floor)) { print FILENAME ": folder " folder " is not in layers.txt"; bad = 1; nextfile } }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\""); split(quoted[2], part, "/"); to = part[1]; checked++
        if (to == "crosswind.h") { print FILENAME ":" FNR ": sources include the module they use, not the umbrella"; bad = 1 }
        else if (!(to in floor)) { print FILENAME ":" FNR ": " quoted[2] " is not written as folder/file.h"; bad = 1 }
        else if (to != folder && floor[to] >= floor[folder]) {
            print FILENAME ":" FNR ": " folder " (floor " floor[folder] ") includes " to " (floor " floor[to] ")"; bad = 1 } }
    END { print checked + 0 " includes checked"; exit bad || checked == 0 }
' layers.txt $(find src -name '*.[ch]' -o -name '*.cpp')

# A name is used once in the tree, so that anyone finds the file by it.
twice=$(find src \( -name '*.[ch]' -o -name '*.cpp' \) -printf '%f\n' | sort | uniq -d)
[ -z "$twice" ] || { echo "file names used twice: $twice"; exit 1; }

# A folder that has grown too large to be seen at a glance gets sub-folders that say what is in them.
large=$(find src -type f -exec awk '{ folder = FILENAME; sub("/[^/]*$", "", folder); lines[folder]++ }
    END { for (folder in lines) if (lines[folder] > 7000) print folder " has " lines[folder] " lines" }' {} +)
[ -z "$large" ] || { echo "$large, expected sub-folders from 7,000 on"; exit 1; }

# What is particular to a shape stands in its descriptor, its generator, and the engines and models made for it, which
# name it once each, where it is checked for all of them in the same way.
shapes=$(sed -n 's/^ *EACH(\([a-z_]*\)).*/\1/p' src/net/shape.h | paste -sd '|')
named=$(grep -rnE "cw_shape_($shapes)\\b" src |
    grep -vE '^src/(net|topo)/|\.shape = &cw_shape_|^src/(model/dragonfly_model|flow/transport/adaptive_torus)\.c:') || true
[ -z "$named" ] || { echo "shapes named outside of descriptors:"; echo "$named"; exit 1; }
