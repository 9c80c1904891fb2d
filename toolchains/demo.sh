#!/usr/bin/env bash
# Builds the command, trains a classifier of handwritten digits with it, then builds and serves the page and the guide.
# PORT chooses another port than 4173. Ctrl-C ends it.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

main_job=(build/release/tamis train tests/data/digits.csv --scale 16 --hold-out 1/3
  --loss hinge --penalty l1 --lambda 1/300 --weight-map 8x8)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# In a terminal the build says how far it is; elsewhere what it says is shown when it fails.
quietly() {
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "Failed: $*" >&2
    exit 1
  fi
}
build() {
  if [[ -t 1 ]]; then
    NINJA_STATUS='  %f of %t: ' cmake --build --preset release --target "$1"
  else
    quietly cmake --build --preset release --target "$1"
  fi
}

echo '1 of 5: what builds the command.'
bash toolchains/setup.sh command
echo '2 of 5: the command, build/release/tamis.'
quietly cmake --preset release -DTAMIS_BUILD_WASM=OFF
build tamis
echo "\$ ${main_job[*]}"
"${main_job[@]}"

echo
echo '3 of 5: what builds the page and the guide.'
bash toolchains/setup.sh main
echo '4 of 5: the page, and the WebAssembly modules in it.'
quietly cmake --preset release
build tamis_page
echo '5 of 5: the guide.'
build tamis_site
page=$PWD/build/release/web/dist
echo "The page is at http://127.0.0.1:${PORT:-4173}/, the guide at http://127.0.0.1:${PORT:-4173}/guide/index.html. Ctrl-C ends both."
cd web
exec npm run --silent preview -- --outDir "$page" --host 127.0.0.1 --port "${PORT:-4173}" --strictPort
