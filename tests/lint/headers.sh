#!/bin/sh
# Every header compiles alone in C17, and the public ones (those crosswind.h names) in C++17 too, without a warning. The
# build itself shows that of a header which a .c file includes before all others; the rest are compiled here. What
# headers define is defined once.
# usage: headers.sh ROOT
set -eu
cd "$1"
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -Isrc -Iinclude"
n=0
built=$(grep -m1 -rH '^#include' src --include='*.c' | sed -nE 's/^[^:]*:#include "(.*)"$/src\/\1/p')
mpi=$(pkg-config --cflags ompi-c 2>/dev/null || pkg-config --cflags mpich 2>/dev/null || true)
mpi=$(echo "$mpi" | sed 's/-I/-isystem /g')
[ -n "$mpi" ] || echo "no MPI: headers of src/mpi are not compiled"
for header in $(find src include -name '*.h' | grep -vxF "$built"); do
    case $header in src/mpi/*) [ -n "$mpi" ] || continue ;; esac
    printf '#include "%s"\nextern int not_empty;\n' "${header#*/}" | gcc -std=c17 -D_GNU_SOURCE $flags $mpi -x c -
    n=$((n + 1))
done
# A name of the project means one thing: structures, inline functions and constants are defined in one place.
twice=$({
    find src -name '*.[ch]' -exec grep -hoE '^(struct|union|enum) cw_[a-z0-9_]+ \{' {} +
    find src -name '*.h' -exec grep -hE '^static inline ' {} + | grep -oE '\<cw_[a-z0-9_]+\('
    find src -name '*.h' -exec grep -hoE '^#define CW_[A-Z0-9_]+' {} + | grep -vE 'CW_(BEGIN|END)_DECLS'
} | sort | uniq -d)
[ -z "$twice" ] || { echo "defined twice:"; echo "$twice"; exit 1; }
public="crosswind.h $(sed -n 's/^#include "\(.*\)"$/\1/p' include/crosswind.h)"
for header in $public; do echo "#include \"$header\"" | g++ -std=c++17 $flags -x c++ -; done
n=$((n + $(echo "$built" | sort -u | wc -l)))
echo "$n headers compile alone in C, $(echo "$public" | wc -w) in C++"
[ "$n" -ge "$(find src include -name '*.h' | wc -l)" ] || [ -z "$mpi" ]
