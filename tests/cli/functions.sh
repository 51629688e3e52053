# What cases are written with.

# Shows a command, what it prints, and its exit status unless that is 0.
run()
{
    echo "\$ $*"
    status=0
    "$@" || status=$?
    [ $status -eq 0 ] || echo "[exit status $status]"
}

# Leaves a case that cannot run here. tools/test lists the reason at the end.
skip()
{
    echo "SKIPPED: $*"
    exit 77
}

# As run, for a crosswind command that must print the same with every number of threads.
run_threads()
{
    run "$@" --threads 1 >threads-1.txt 2>&1
    sed 's/ --threads 1$//' threads-1.txt
    for n in 2 4; do
        "$@" --threads $n >threads-$n.txt 2>&1 || :
        sed 1d threads-1.txt | cmp - threads-$n.txt && echo "the same with $n threads"
    done
}

# Says whether two files are equal.
same()
{
    cmp "$1" "$2" && echo "$1 and $2 are equal"
}

# Says whether two files differ, as they should: an option that changes nothing is none.
differ()
{
    if cmp -s "$1" "$2"; then echo "$1 and $2 are EQUAL"; else echo "$1 and $2 differ"; fi
}

# The columns of the CSV in standard input that are called NAMES (separated by commas); with "-" before them all others.
# "context" stands for the columns of the context. Several tables may follow one another.
columns()
{
    awk -v names="$1" '
        function row(line, fields,   n, c, quoted, i) {
            n = 1
            fields[1] = ""
            for (i = 1; i <= length(line); i++) {
                c = substr(line, i, 1)
                if (c == "\"") quoted = !quoted
                if (c == "," && !quoted) fields[++n] = ""; else fields[n] = fields[n] c
            }
            return n
        }
        BEGIN {
            others = sub(/^-/, "", names)
            for (n = split(names, list, ","); n > 0; n--) wanted[list[n]] = 1
            CONTEXT = "network,endpoints,routes,placement,traffic,background,seed"
            if ("context" in wanted) for (n = split(CONTEXT, list, ","); n > 0; n--) wanted[list[n]] = 1
        }
        NR == 1 || fresh { n = row($0, header) }
        { fresh = $0 == "" }
        fresh { print; next }
        {
            row($0, fields)
            line = ""
            for (i = 1; i <= n; i++) if ((header[i] in wanted) != others) line = line "," fields[i]
            print substr(line, 2)
        }'
}
