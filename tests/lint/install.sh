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
if "$prefix/bin/crosswind" topo torus:2 --html "$prefix/page.html" >/dev/null 2>&1; then
    test -s "$prefix/share/doc/crosswind/page-licences.txt" # of what a page has in it
    grep -q 'Apache License' "$prefix/page.html"
fi
# A page without warnings (man's own checks), where man is there.
if command -v man >/dev/null; then
    warnings=$(MANWIDTH=80 man --warnings -l "$prefix/share/man/man1/crosswind-noise.1" 2>&1 >/dev/null)
    [ -z "$warnings" ] || { echo "$warnings"; exit 1; }
fi
# Completion, from where each shell looks for it, of the program that is on PATH.
for name in crosswind $([ ! -e "$prefix/bin/crosswind-mpi" ] || echo crosswind-mpi); do
    PATH=$prefix/bin:$PATH bash -c ". '$prefix/share/bash-completion/completions/$name'; COMP_WORDS=($name noise --ra)
        COMP_CWORD=2 COMP_LINE=\${COMP_WORDS[*]}; COMP_POINT=\${#COMP_LINE}
        _\${COMP_WORDS/-/_}; test \"\${COMPREPLY[*]}\" = --ratio"
    head -1 "$prefix/share/zsh/site-functions/_$name" | grep -qx "#compdef $name"
    grep -q "^complete --command $name " "$prefix/share/fish/vendor_completions.d/$name.fish"
done

# Headers of the user's with names of ours come first on his paths, and do not matter; C++ takes all of ours, too.
for header in base/decls.h net/network.h error.h route/routes.h; do
    mkdir -p "$prefix/hostile/$(dirname "$header")"
    echo "#error this is the user's own" >"$prefix/hostile/$header"
done
find "$prefix/include/crosswind" -name '*.h' ! -path '*/mpi/*' -printf '#include <crosswind/%P>\n' | sort >"$prefix/all.cpp"
lib=$(dirname "$(find "$prefix" -name crosswind.pc | head -1)")
flags=$(PKG_CONFIG_PATH=$lib pkg-config --cflags --libs crosswind)
# What Python needs to know is the same from installed headers as from those of the tree.
declared()
{
    PKG_CONFIG_PATH=$1 python3 -B -c 'import runpy, sys; b = runpy.run_path(sys.argv[1])
print(b["declarations"](b["preprocessed"](b["pkg_config"]("--cflags"))))' \
        "$(dirname "$0")/../../python/crosswind/_build.py"
}
if python3 -c 'import cffi' 2>/dev/null; then
    declared "$lib" >"$prefix/declared"
    declared "$(realpath "$1")" | diff - "$prefix/declared"
    grep -q 'cw_noise_run_sized' "$prefix/declared"
fi
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
effective bisection bandwidth: 0.788 ± 0.002
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
example faults.c "cc -std=c17" xgft:2:8,8:1,4 <<'END'
 0% of the cables failed: 0.642 ± 0.005
 5% of the cables failed: 0.593 ± 0.005
10% of the cables failed: 0.573 ± 0.005
20% of the cables failed: 0.538 ± 0.005
END
example saturation.cpp "c++ -std=c++17" dragonfly:2,4,2 ugal-l group-adversarial <<'END'
offered 0.1, accepted 0.100, 51 cycles
offered 0.2, accepted 0.200, 52 cycles
offered 0.4, accepted 0.399, 88 cycles
offered 0.8, accepted 0.526, 2490 cycles and growing
END
example own_engine.c "cc -std=c17" torus:4x4 <<'END'
240 of 240 pairs, 240 of them on shortest ways; 12 routes on the busiest channel
END

# The static library needs what it was made of, and none of ours. All that it defines has our prefix, but for what the C++
# library's templates leave behind.
taken=$(nm -g --defined-only "$prefix/lib/libcrosswind.a" 2>/dev/null | awk 'NF == 3 && $2 !~ "[uVW]" && $3 !~ /^cw_/')
[ -z "$taken" ] || { echo "libcrosswind.a takes names of its users: $taken"; exit 1; }
flags=$(PKG_CONFIG_PATH=$lib pkg-config --static --cflags --libs crosswind | sed 's/-lcrosswind /-l:libcrosswind.a /')
example plan.c "cc -std=c17" bgq:512 disjoint:32x128 <<'END'
default  z = 0.2500 on 128 paths
optimum  z = 1.0000 on 604 paths
END
alone()
{
    readelf -d "$1" | grep -q 'libcrosswind' && { echo "$1 needs libcrosswind.so"; exit 1; } || :
}
alone "$prefix/example"


# Plug-ins, for the installed program; what is none is refused with the reason. Each is a FILE.so in $prefix.
crosswind=$prefix/bin/crosswind
# plug_in SOURCE NAME FLAGS...
plug_in()
{
    from=$1
    to=$2
    shift 2
    # shellcheck disable=SC2086  # a list of flags
    cc -std=c17 -Wall -Wextra -Werror -shared -fPIC "$@" "$from" -o "$prefix/$to.so" \
        $(PKG_CONFIG_PATH=$lib pkg-config --cflags crosswind)
}
# shows TEXT COMMAND... : the command prints it
shows()
{
    text=$1
    shift
    "$@" >"$prefix/printed" 2>&1 || true
    grep -qF -- "$text" "$prefix/printed" || { echo "$*: expected '$text' in"; cat "$prefix/printed"; exit 1; }
}
plug_in "$examples/library/own_topology.c" ladder -I"$prefix/hostile"
plug_in "$examples/library/own_traffic.c" traffic -I"$prefix/hostile"
export CROSSWIND_PLUGINS="$prefix/ladder.so:$prefix/traffic.so"
shows "ladder:4          8         8      18" "$crosswind" topo ladder:4
shows '"path": "'"$prefix/traffic.so"'"' "$crosswind" topo ladder:4 --format json
shows "ladder:N" "$crosswind" help topologies
shows "Rank r of n sends to rank n - 1 - r" "$crosswind" help patterns
shows "chain-bcast" "$crosswind" completion -- noise --schedule chain
shows "mirror" "$crosswind" congestion torus:4x4 --traffic mirror
shows "mirror" "$crosswind" flit ladder:4 --traffic mirror --load 0.2 --cycles 1000
shows "chain-bcast" "$crosswind" noise ladder:8 --schedule chain-bcast --ratio 0.5 --trials 10
shows "did you mean 'ladder'?" "$crosswind" topo lader:4
unset CROSSWIND_PLUGINS
shows "ladder:4          8         8      18" "$crosswind" topo ladder:4 --plugin "$prefix/ladder.so:$prefix/ladder.so"
shows "none.so cannot be opened: No such file" "$crosswind" topo torus:4 --plugin none.so
shows "cannot be loaded: " "$crosswind" topo torus:4 --plugin "$prefix/all.cpp"
cp "$prefix/ladder.so" "$prefix/again.so"
shows "again.so: there is a topology 'ladder' already" "$crosswind" topo torus:4 --plugin "$prefix/ladder.so:$prefix/again.so"
echo '#include <crosswind.h>
CW_PLUGIN { return cw_topology_register(&(const struct cw_topology){.name = "bare"}); }' >"$prefix/bare.c"
plug_in "$prefix/bare.c" bare
shows "topology 'bare' lacks a help or a synopsis" "$crosswind" topo torus:4 --plugin "$prefix/bare.so"
echo 'int enter;' >"$prefix/other.c"
plug_in "$prefix/other.c" other
shows "is no plug-in: it has no function cw_plugin_enter" "$crosswind" topo torus:4 --plugin "$prefix/other.so"
echo 'int cw_missing(void); int cw_plugin_enter(void); int cw_plugin_enter(void) { return cw_missing(); }' >"$prefix/missing.c"
plug_in "$prefix/missing.c" missing
shows "undefined symbol: cw_missing" "$crosswind" topo torus:4 --plugin "$prefix/missing.so"
mkdir "$prefix/later"
cp -r "$prefix/include/crosswind" "$prefix/include/crosswind.h" "$prefix/later"
sed -i 's/^#define CW_INTERFACE .*/#define CW_INTERFACE 1000/' "$prefix/later/crosswind/base/registry.h"
plug_in "$examples/library/own_topology.c" later -I"$prefix/later"
shows "was compiled for interface 1000 " "$crosswind" topo torus:4 --plugin "$prefix/later.so"

# Who was compiled when a setup had a field less, or will be when it has one more that says nothing, gets the same.
for edit in '/struct cw_executor \*executor;/d' 's/struct cw_executor \*executor;/& double added;/'; do
    rm -rf "$prefix/other"
    mkdir "$prefix/other"
    cp -r "$prefix/include/crosswind" "$prefix/include/crosswind.h" "$prefix/other"
    sed -i "$edit" "$prefix/other/crosswind/sim/ebb.h"
    if cmp -s "$prefix/other/crosswind/sim/ebb.h" "$prefix/include/crosswind/sim/ebb.h"; then
        echo "ebb.h has no such field any more"
        exit 1
    fi
    example bisection.c "cc -std=c17 -I$prefix/other" "$sample/fabric.ibnetdiscover" "$sample/opensm-lfts.dump" <<'END'
effective bisection bandwidth: 0.788 ± 0.002
END
done

# shellcheck disable=SC2086  # a list of flags
c++ -std=c++17 -Wall -Werror -I"$prefix/hostile" -fsyntax-only "$prefix/all.cpp" $flags
for file in "$examples"/library/*; do
    grep -q "$(basename "$file")" "$0" || { echo "$file is not tried"; exit 1; }
done

# The library by find_package, from a place with a blank in its name.
mkdir "$prefix/of a user"
mv "$prefix/lib" "$prefix/include" "$prefix/of a user"
unset LD_LIBRARY_PATH
cat >"$prefix/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(Crosswind 0.1 REQUIRED COMPONENTS static)
foreach(kind crosswind crosswind_static)
    add_executable(by_\${kind} $examples/library/plan.c)
    target_link_libraries(by_\${kind} PRIVATE Crosswind::\${kind})
endforeach()
END
cmake -S "$prefix" -B "$prefix/built" "-DCMAKE_PREFIX_PATH=$prefix/of a user" >"$prefix/printed" 2>&1 &&
    cmake --build "$prefix/built" >"$prefix/printed" 2>&1 || { cat "$prefix/printed"; exit 1; }
alone "$prefix/built/by_crosswind_static"
for kind in crosswind crosswind_static; do
    shows "optimum  z = 1.0000 on 604 paths" "$prefix/built/by_$kind" bgq:512 disjoint:32x128
done
for wrong in "0.2 REQUIRED" "0.1 REQUIRED COMPONENTS dynamic"; do
    sed -i "s/^find_package.*/find_package(Crosswind $wrong)/" "$prefix/CMakeLists.txt"
    ! cmake -S "$prefix" -B "$prefix/built" >"$prefix/printed" 2>&1 || { echo "there is a Crosswind $wrong"; exit 1; }
done
