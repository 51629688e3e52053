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

# Headers of the user's with names of ours come first on his paths, and do not matter; C++ takes all of ours, too.
for header in base/decls.h net/network.h error.h route/routes.h; do
    mkdir -p "$prefix/hostile/$(dirname "$header")"
    echo "#error this is the user's own" >"$prefix/hostile/$header"
done
find "$prefix/include/crosswind" -name '*.h' ! -path '*/mpi/*' -printf '#include <crosswind/%P>\n' | sort >"$prefix/all.cpp"
lib=$(dirname "$(find "$prefix" -name crosswind.pc | head -1)")
flags=$(PKG_CONFIG_PATH=$lib pkg-config --cflags --libs crosswind)
# The examples, as a user compiles and runs them.
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
export LD_LIBRARY_PATH="$(dirname "$lib")"
# example FILE COMPILER ARGUMENTS... must print what stands on standard input
example()
{
    source=$1
    compiler=$2
    shift 2
    # shellcheck disable=SC2086  # lists of flags
    $compiler -Wall -Wextra -Werror -I"$prefix/hostile" "$examples/library/$source" -o "$prefix/example" $flags
    "$prefix/example" "$@" >"$prefix/printed"
    diff - "$prefix/printed" || { echo "examples/library/$source prints something else"; exit 1; }
}
sample=$examples/sample
example bisection.c "cc -std=c17" "$sample/fabric.ibnetdiscover" "$sample/opensm-lfts.dump" <<'END'
effective bisection bandwidth: 0.806 ± 0.002
END
example engines.c "cc -std=c17" 'xgft(2,12,6)' minhop dmodk <<'END'
minhop       messages on the hottest channel: 2
dmodk        messages on the hottest channel: 1
END
example noise.c "cc -std=c17" torus:8x8 ring-allreduce 1048576 <<'END'
1.323 ± 0.043 times as long
END
example plan.c "cc -std=c17" bgq:512 disjoint:32x128 <<'END'
default  z = 0.2500 on 128 paths
optimum  z = 1.0000 on 604 paths
END
example own_network.cpp "c++ -std=c++17" <<'END'
h0/1>s0/1, s0/2>s1/1, s1/3>s2/1, s2/2>h2/1
END
# shellcheck disable=SC2086  # a list of flags
c++ -std=c++17 -Wall -Werror -I"$prefix/hostile" -fsyntax-only "$prefix/all.cpp" $flags
[ "$(find "$examples/library" -type f | wc -l)" -eq 5 ] || { echo "an example is not tried"; exit 1; }
