#!/bin/sh
# The version script of the shared library: what the installed headers declare leaves it, nothing else does.
# usage: exports.sh CC SOURCE-DIRECTORY
#
# The preprocessed umbrella header is cut into declarations; bodies of structures and inline functions are skipped. Of a
# declaration that is not static the first cw_ name before a '(' counts, or, of extern objects, the last of each part.
set -eu
cd "$2"
"$1" -std=c17 -D_GNU_SOURCE -E -Isrc include/crosswind.h | awk '
    BEGIN { print "CROSSWIND_0 {\n    global:" }
    /^# [0-9]+ "/ { own = $3 ~ /^"(src|include)\//; next }
    own { text = text " " $0 }
    END {
        for (i = 1; i <= length(text); i++) {
            c = substr(text, i, 1)
            if (c == "{") depth++
            if (depth == 0) declaration = declaration c
            if (c == "}" && --depth == 0 && declaration ~ /^ *static/) declaration = ""
            if (c == ";" && depth == 0) { declared(declaration); declaration = "" }
        }
        print "    local: *;\n};"
    }
    function declared(text,   parts, n, i) {
        if (text ~ /^ *(static|typedef)/) return
        if (match(text, /cw_[a-z0-9_]+ *\(/)) export(substr(text, RSTART, RLENGTH))
        else if (text ~ /^ *extern/)
            for (i = n = split(text, parts, ","); i > 0; i--)
                if (match(parts[i], /cw_[a-z0-9_]+ *(\[[^]]*\])* *;?$/)) export(substr(parts[i], RSTART))
    }
    function export(name) { sub(/[^a-z0-9_].*/, "", name); print "        " name ";" }'
