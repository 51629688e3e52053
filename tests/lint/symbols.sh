#!/bin/sh
# What leaves the shared library is what the installed headers declare, both ways: whatever they declare is marked with
# CW_API, and what is marked elsewhere is not theirs. And it is what Debian's package promises to programs that were linked
# with this library. usage: symbols.sh LIBRARY ROOT
set -eu
library=$1
cd "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="-std=c17 -D_GNU_SOURCE -Isrc -Iinclude"

nm -D --defined-only "$library" | awk '{print $NF}' | sed 's/@.*//' | grep -v '^CROSSWIND_' | sort -u >"$work/exported"

# What the compiler says is declared: functions by its list of prototypes, objects by their extern lines.
echo '#include "crosswind.h"' >"$work/all.c"
# shellcheck disable=SC2086  # a list of flags
gcc $flags -fsyntax-only -aux-info "$work/prototypes" "$work/all.c"
{
    sed -n 's/^\/\* [^ ]*\(src\|include\)\/[^ ]* \*\/ extern [^(]*\(cw_[a-z0-9_]*\) (.*/\2/p' "$work/prototypes"
    # shellcheck disable=SC2086  # a list of flags
    gcc $flags -E -P "$work/all.c" | tr '\n' ' ' | sed 's/__attribute__((visibility("default"))) //g' | tr '};' '\n\n' |
        grep '^ *extern const [^(]*$' | tr ',' '\n' |
        sed -n 's/.*\(cw_[a-z0-9_]*\)\(\[[^]]*\]\)*$/\1/p'
} | sort -u >"$work/declared"

refuse()
{
    echo "$(wc -l <"$2") $1:"
    head -20 "$2"
    exit 1
}
comm -23 "$work/exported" "$work/declared" >"$work/undeclared"
comm -13 "$work/exported" "$work/declared" >"$work/missing"
[ ! -s "$work/undeclared" ] || refuse "leave the library, but no installed header declares them" "$work/undeclared"
[ ! -s "$work/missing" ] || refuse "are declared in an installed header, but do not leave the library" "$work/missing"
n=$(wc -l <"$work/exported")
echo "$n symbols leave the library, each declared in an installed header"
[ "$n" -gt 50 ]

# A symbol that is gone breaks programs, which only another SOVERSION may do; a new one is added to the list. (Debian's
# own check takes it that what came with the version at hand may go, too.)
name=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[libcrosswind\.so\.\(.*\)\]/\1/p')
list=debian/libcrosswind$name.symbols
[ -r "$list" ] || { echo "the library is libcrosswind.so.$name, but there is no $list"; exit 1; }
sed -n 's/^ \(cw_[^@]*\)@CROSSWIND_.*/\1/p' "$list" | sort >"$work/promised"
comm -13 "$work/exported" "$work/promised" >"$work/gone"
comm -23 "$work/exported" "$work/promised" >"$work/new"
[ ! -s "$work/gone" ] || refuse "are in $list, but have gone: programs break, expected another SOVERSION" "$work/gone"
[ ! -s "$work/new" ] || refuse "leave the library, but are not in $list (CONTRIBUTING.md, At a release)" "$work/new"
