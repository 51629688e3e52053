#!/bin/sh
# Only cw_* symbols leave the shared library. usage: symbols.sh LIBRARY
set -eu
exported=$(nm -D --defined-only "$1" | awk '{print $NF}' | sed 's/@.*//' | grep -v '^CROSSWIND_')
foreign=$(printf '%s\n' "$exported" | grep -v '^cw_' || true)
[ -z "$foreign" ] || { echo "foreign symbols: $foreign"; exit 1; }
n=$(printf '%s\n' "$exported" | wc -l)
echo "$n symbols, all cw_*"
[ "$n" -gt 50 ]
