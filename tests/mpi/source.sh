# shellcheck shell=sh
# What tests that need others' sources begin with, after launch.sh. $sources: a folder in which they are kept.

# fetch_source PACKAGE: what Debian has released it from is $sources/PACKAGE, or this ends here.
fetch_source()
{
    [ ! -d "$sources/$1" ] || return 0
    mkdir -p "$sources/apt/lists/partial" "$sources/apt/cache"
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    echo "deb-src http://deb.debian.org/debian $release main" >"$sources/apt/sources.list"
    if download "$1" && mkdir -p "$sources/$1.part" &&
        tar -C "$sources/$1.part" --strip-components=1 -xf "$sources/$1"_*.orig.tar.*; then
        mv "$sources/$1.part" "$sources/$1"
    else
        echo "SKIPPED: Debian's source of $1 cannot be had here; what lies in $sources/$1 would be used"
        exit 77
    fi
}

# Without changing what apt knows of this machine.
download()
{
    cd "$sources" || return
    for command in update "source --download-only $1"; do
        # shellcheck disable=SC2086  # a command and its arguments
        apt-get -qq -o Dir::Etc::SourceList="$sources/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$sources/apt/lists" -o Dir::Cache="$sources/apt/cache" $command || {
            cd "$folder"
            return 1
        }
    done
    cd "$folder" || return
}
