#!/bin/bash
# Debian's packages of the tree: they are built twice with the same bytes, lintian finds no error, and in a fresh root they
# are installed, do their work, and leave nothing when they are removed. Needs root, and the mirror that apt uses.
# usage: debian.sh ROOT
set -euo pipefail
cd "$1"
root=$(pwd)
skip()
{
    echo "SKIPPED: $1"
    exit 77
}
for tool in dh dh_python3 debootstrap lintian doxygen; do
    command -v $tool >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" = 0 ] || skip "a fresh root needs root's rights"
release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
mirror=$(apt-cache policy | sed -n "s,^ *[0-9]* \(http[^ ]*\) $release/main .*,\1,p" | head -1)
[ -n "$mirror" ] || skip "apt has no mirror of Debian"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fresh=$work/root
said()
{
    "$@" >"$work/said" 2>&1 || {
        tail -n 40 "$work/said"
        echo "failed: $*"
        exit 1
    }
}
modules=(build/npm-*) # a package is built without a network
[ -d "${modules[0]}" ] || skip "the packages that pages are made of are missing (cmake/page.cmake)"
export PATH="/usr/lib/ccache:/usr/bin:$PATH"
mkdir -p "$work/source/build"
git ls-files -z --cached --others --exclude-standard | tar --null -T - -c | tar -x -C "$work/source"
cp -r "${modules[0]}" "$work/source/build"
for build in first second; do
    mkdir "$work/$build"
    cp -r "$work/source" "$work/$build/crosswind"
    (cd "$work/$build/crosswind" && said env DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" CCACHE_BASEDIR="$work/$build" \
        dpkg-buildpackage -us -uc -b)
    (cd "$work/$build" && sha256sum -- *.deb) >"$work/$build.sums"
done
diff "$work/first.sums" "$work/second.sums" || { echo "two builds differ"; exit 1; }

cd "$work/first"
said lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file ./*.changes

said debootstrap --variant=minbase "$release" "$fresh" "$mirror"
mkdir "$fresh/packages"
cp ./*_*.deb "$fresh/packages"
rm "$fresh"/packages/*-dbgsym_*
cp "$root/examples/library/plan.c" "$fresh/packages"
cat >"$fresh/packages/try" <<'END'
set -eux
export DEBIAN_FRONTEND=noninteractive
mount -t proc proc /proc
install() { apt-get install -y -qq --no-install-recommends "$@"; }
of() { echo /packages/$1_*.deb; }
# The program by itself, with no more than it depends on, and its manual.
install man-db $(of crosswind)
crosswind topo 'xgft(2,12,6)' | grep -q 'xgft(2,12,6)'
cd /usr/share/crosswind/sample
crosswind noise fabric.ibnetdiscover --lft opensm-lfts.dump --ratio 0.5 --trials 100 --html /tmp/page.html | grep -q 'take 1\.4'
grep -q '<body' /tmp/page.html
man crosswind-noise | grep -q 'crosswind noise'
bash -c '. /usr/share/bash-completion/completions/crosswind'
# A program in C, by pkg-config and by CMake.
install gcc libc6-dev pkg-config $(of libcrosswind0.1) $(of libcrosswind-dev)
cc /packages/plan.c -o /tmp/plan $(pkg-config --cflags --libs crosswind)
/tmp/plan bgq:512 disjoint:32x128 | grep -q 'optimum  z = 1.0000'
# Python, without what it merely recommends.
install $(of python3-crosswind)
python3 -c 'import crosswind; n = crosswind.Network("torus:4x4"); print(len(n.route().path(0, 1)), len(n.names))' | grep -q '^3 32$'
# Ranks of either MPI.
install $(of crosswind-mpi) $(of crosswind-openmpi) openmpi-bin
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ranks() { timeout 60 $1 -n 2 crosswind-mpi noise torus:4x4 --ratio 0.5 --trials 20 | grep '^  0.5'; }
ranks 'mpirun.openmpi --oversubscribe' >/tmp/openmpi
apt-get purge -y -qq crosswind-openmpi crosswind-mpi
install $(of crosswind-mpi) $(of crosswind-mpich) mpich
ranks mpirun.mpich | cmp - /tmp/openmpi
install $(of crosswind-doc) $(of crosswind-openmpi)
grep -q 'cw_network_read' /usr/share/doc/crosswind/reference/formats_8h.html
apt-get check
apt-get purge -y -qq '.*crosswind.*'
left=$(find / -xdev -name '*crosswind*' ! -path '/packages/*' ! -path '/tmp/*' ! -path '/proc/*' ! -path '/var/lib/apt/*' \
    ! -path '/var/cache/man/*') # where man keeps the pages that it has shown
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
END
# Whatever is mounted or begun there ends with it.
unshare --mount --pid --fork chroot "$fresh" sh /packages/try >"$work/said" 2>&1 || {
    tail -n 40 "$work/said"
    echo "the packages do not do their work"
    exit 1
}
echo "$(find "$fresh/packages" -name '*.deb' | wc -l) packages"
