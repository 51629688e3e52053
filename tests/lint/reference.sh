#!/bin/sh
# Every public function is documented, and what the reference says of others can be followed. One that is planted without a
# word must be the only one that Doxygen complains of. usage: reference.sh DOXYFILE DOCUMENT HEADER...
set -eu
doxyfile=$1
document=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B "$document" "$work/headers" "$@"
echo 'CW_API int cw_planted(void);' >>"$work/headers/base/version.h"
{
    cat "$doxyfile"
    # What is extracted in any case is not complained of.
    printf '%s\n' "INPUT = $work/headers" "OUTPUT_DIRECTORY = $work" "STRIP_FROM_PATH = $work/headers" EXTRACT_ALL=NO \
        GENERATE_HTML=NO GENERATE_XML=YES "WARN_LOGFILE = $work/warnings"
} | doxygen -
# Fields, constants and structures may speak for themselves.
sed "s,^$work/headers/,," "$work/warnings" |
    grep -vE 'warning: (Compound .*|Member .* \((variable|enumeration|macro definition|typedef)\) of .*) is not documented' |
    sort -u >"$work/complaints"
[ "$(grep -c . "$work/complaints")" = 1 ] && grep -q 'Member cw_planted(void) (function)' "$work/complaints" ||
    { cat "$work/complaints"; echo "expected of cw_planted a complaint, and no other"; exit 1; }
