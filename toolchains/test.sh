#!/usr/bin/env bash
# Builds and tests the presets given: `test sanitizers` unless told, which between them have every test (tests/README.md);
# `clang` is there too. Every one is run, even if one before it fails.
# Tests that need the large data sets find them through TAMIS_DATA.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

if (($# == 0)); then set -- test sanitizers; fi

bash toolchains/setup.sh tests
bash toolchains/setup.sh python || echo 'The tests of the Python package skip what is missing.'

jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
tests=$((jobs + 1)) # at a time: browsers wait most of it
log=$(mktemp)
trap 'rm -f "$log"' EXIT
summary='' failed=''
for preset; do
  echo "Preset $preset: configure, build, test."
  if ! cmake --preset "$preset"; then
    result='The configuration failed.'
  elif ! cmake --build --preset "$preset" --parallel "$jobs"; then
    result='The build failed.'
  elif ! ctest --preset "$preset" --parallel "$tests" 2>&1 | tee "$log"; then
    result=$(sed -n '/% tests passed/,$p' "$log")
    result=${result:-The test run failed.}
  else
    summary+=$'\n'"Preset $preset:"$'\n'$(sed -n '/% tests passed/,$p' "$log")$'\n'
    continue
  fi
  failed+=" $preset"
  summary+=$'\n'"Preset $preset:"$'\n'$result$'\n'
done

printf '%s' "$summary"
if [[ -n $failed ]]; then
  printf '\nFailed:%s\n' "$failed"
  exit 1
fi
