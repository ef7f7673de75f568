#!/bin/bash
# A folder never includes one to its right in the way of the data, and a
# library that one folder owns is known nowhere else (STYLE "Layout").
set -u
cd "$(dirname "$0")/.."
status=0

# $1 may include only the folders in $2
allow() {
    local folder=$1 allowed=$2 hits
    [ -d "$folder" ] || return 0
    hits=$(grep -rnE '^#include "' --include='*.[ch]' "$folder" |
        grep -vE "#include \"($allowed)/") || return 0
    echo "$hits" | sed "s|\$|  <- $folder/ may include: $allowed|" >&2
    status=1
}

# the header $1 may be included only by files that match $2
own() {
    local header=$1 owner=$2 hits
    hits=$(grep -rnE "^#include [<\"]$header" --include='*.[ch]' \
        base ir profiles search db runtime report api cli 2>/dev/null |
        grep -vE "^$owner") || return 0
    echo "$hits" | sed "s|\$|  <- only $owner may include it|" >&2
    status=1
}

allow base 'base'
allow ir 'base|ir'
allow profiles 'base|ir|profiles'
allow search 'base|ir|profiles|search'
allow db 'base|ir|profiles|db'
allow runtime 'base|ir|profiles|runtime'
allow report 'base|ir|profiles|search|report'
allow api 'base|ir|profiles|search|report|meshwright'
allow cli 'base|ir|profiles|search|db|runtime|report|cli|meshwright'

own 'glpk\.h' 'search/solvers/glpk\.c:'
own 'mpi\.h' 'runtime/mpi/'
own '(cblas|openblas|dnnl).*\.h' 'runtime/kernels/'
own 'sqlite3\.h' 'db/'
own 'nettle/' 'base/'
own '(hwloc|numa)\.h' '(profiles|runtime)/'

# malloc and its kin appear in base/ only
hits=$(grep -rnE '(^|[^_[:alnum:].>])(malloc|calloc|realloc|strdup|strndup|asprintf)\(' \
    --include='*.c' ir profiles search db runtime report api cli 2>/dev/null)
if [ -n "$hits" ]; then
    echo "$hits" | sed 's|$|  <- allocation passes through base/|' >&2
    status=1
fi
exit $status
