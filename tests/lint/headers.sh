#!/bin/sh
# Every header compiles alone in C17, and the public ones (those crosswind.h names) in C++17 too, without a warning.
# usage: headers.sh ROOT
set -eu
cd "$1"
flags="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -Isrc -Iinclude"
n=0
for header in $(find src include -name '*.h'); do
    printf '#include "%s"\nextern int not_empty;\n' "${header#*/}" | gcc -std=c17 -D_GNU_SOURCE $flags -x c -
    n=$((n + 1))
done
public="crosswind.h $(sed -n 's/^#include "\(.*\)"$/\1/p' include/crosswind.h)"
for header in $public; do echo "#include \"$header\"" | g++ -std=c++17 $flags -x c++ -; done
echo "$n headers compile alone in C, $(echo "$public" | wc -w) in C++"
[ "$n" -gt 20 ]
