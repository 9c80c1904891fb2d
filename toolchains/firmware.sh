#!/usr/bin/env bash
# Builds the firmware for every board, runs it in an emulator, compares every bit with the host and WebAssembly and every
# figure with tests/firmware/figures.csv, and prints the table of what training costs on a board.
set -euo pipefail
CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

bash toolchains/setup.sh tests

jobs=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
cmake --preset test '-DTAMIS_COST_BOARDS=m0plus;m3;m4f;m7;m55;rv32imafc;rv32imc'
cmake --build --preset test --parallel "$jobs" --target firmware
ctest --preset test --parallel "$jobs" -R '^firmware\.'
cat tests/firmware/figures.md
