#!/bin/sh
# What is installed works from where it is installed: the program, its pages, the library through pkg-config.
# usage: install.sh BUILD
set -eu
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
cmake --install "$1" --prefix "$prefix" >/dev/null
python3 -B "$(dirname "$0")/binaries.py" "$prefix"
"$prefix/bin/crosswind" --version
test -r "$prefix/libexec/crosswind/libcrosswind-ranks.so" # where testbeds look for it
for page in crosswind crosswind-noise crosswind-topo; do
    test -s "$prefix/share/man/man1/$page.1"
done
for program in "$prefix"/bin/crosswind-mpi.*; do
    [ ! -e "$program" ] || test -s "$prefix/share/man/man1/crosswind-mpi-move.1"
done
for file in LICENSE README.md CHANGELOG.md doc/guide/network-noise.md doc/formats/README.md; do
    test -s "$prefix/share/doc/crosswind/$file"
done
# A page without warnings (man's own checks), where man is there.
if command -v man >/dev/null; then
    warnings=$(MANWIDTH=80 man --warnings -l "$prefix/share/man/man1/crosswind-noise.1" 2>&1 >/dev/null)
    [ -z "$warnings" ] || { echo "$warnings"; exit 1; }
fi
bash -n "$prefix/share/bash-completion/completions/crosswind"
bash -c ". '$prefix/share/bash-completion/completions/crosswind'; COMP_WORDS=(crosswind noise --ra); COMP_CWORD=2
         _crosswind; test \"\${COMPREPLY[*]}\" = --ratio"

cat >"$prefix/user.c" <<'C'
#include <stdio.h>

#include <crosswind.h>

int main(void)
{
    struct cw_network *net;
    if (cw_network_open("torus:4x4", &net) != 0) {
        puts(cw_error_message());
        return 1;
    }
    printf("%u endpoints\n", net->n_endpoints);
    cw_network_free(net);
    return 0;
}
C
# Headers of the user's with names of ours come first on his paths, and do not matter; C++ takes all of ours, too.
for header in base/decls.h net/network.h error.h route/routes.h; do
    mkdir -p "$prefix/hostile/$(dirname "$header")"
    echo "#error this is the user's own" >"$prefix/hostile/$header"
done
find "$prefix/include/crosswind" -name '*.h' ! -path '*/mpi/*' -printf '#include <crosswind/%P>\n' | sort >"$prefix/all.cpp"
lib=$(dirname "$(find "$prefix" -name crosswind.pc | head -1)")
flags=$(PKG_CONFIG_PATH=$lib pkg-config --cflags --libs crosswind)
# shellcheck disable=SC2086  # a list of flags
cc -std=c17 -Wall -Werror -I"$prefix/hostile" "$prefix/user.c" -o "$prefix/user" $flags
# shellcheck disable=SC2086
c++ -std=c++17 -Wall -Werror -I"$prefix/hostile" -fsyntax-only "$prefix/all.cpp" $flags
LD_LIBRARY_PATH=$(dirname "$lib") "$prefix/user" | grep -x '16 endpoints'
