#!/usr/bin/env bash
# Builds the command, trains a classifier of handwritten digits with it, then builds and serves the page.
# PORT chooses another port than 4173. Ctrl-C ends it.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

main_job=(build/release/tamis train tests/data/digits.csv --scale 16 --hold-out 1/3
  --loss hinge --penalty l1 --lambda 1/300 --weight-map 8x8)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
quietly() {
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    echo "Failed: $*" >&2
    exit 1
  fi
}

bash toolchains/setup.sh main
echo 'Building build/release/tamis.'
quietly cmake --preset release
quietly cmake --build --preset release --target tamis
echo "\$ ${main_job[*]}"
"${main_job[@]}"

echo
echo 'Building the page.'
quietly cmake --build --preset release --target tamis_page
echo 'Building the guide.'
quietly cmake --build --preset release --target tamis_site
page=$PWD/build/release/web/dist
cd web
exec npm run --silent preview -- --outDir "$page" --host 127.0.0.1 --port "${PORT:-4173}" --strictPort
