#!/usr/bin/env bash
# Installs the packages that are missing for a group of work. `command` is what builds the command, `main` adds the page and the
# guide; `python` and `tests` include both, and `bench` all, with what comes from npm as well: the peers in bench/peers, and
# what drives the browser.
# Exit codes: 0 all there, 1 the installation failed, 2 wrong use,
#             3 something is missing and this system is not one the script installs on,
#             4 something is missing and there is neither root nor sudo.
set -euo pipefail
shopt -s extglob

usage='Use: bash toolchains/setup.sh command|main|python|tests|bench'

groups=() names=() versions=() probes=() reasons=()
need() { groups+=("$1") names+=("$2") versions+=("$3") probes+=("$4") reasons+=("$5"); }

# To add a package, add a line; a new group also goes into the usage above and into the check of the arguments.
#    group   Debian package      least    found by                  reason
need command cmake               3.25     command:cmake             'configures the build'
need command ninja-build         any      command:ninja             'runs the build'
need main    make                any      command:make              'runs a plain cmake build'
need command g++                 12       command:g++               'compiles the library and the command'
need command libcli11-dev        2.1      header:CLI/CLI.hpp        'reads the options of the command'
need command nlohmann-json3-dev  3.11     header:nlohmann/json.hpp  'reads and writes JSON in the command'
need command zlib1g-dev          1.2      header:zlib.h             'reads gzipped data in the command'
need main    emscripten          3.1      command:em++              'compiles the WebAssembly modules'
need main    nodejs              18       command:node              'builds and serves the page'
need main    npm                 9        command:npm               'installs what the page is built with'
need main    doxygen             1.9      command:doxygen           'reads the headers for the guide'
need main    python3             3.9      command:python3           'reads the Python package for the guide'
need tests   libeigen3-dev       3.4      header:eigen3/Eigen/Core  'matrices of C++ programs, which tests hand over'
need tests   libgtest-dev        1.12     header:gtest/gtest.h      'the test framework'
need tests   libbenchmark-dev    1.7      header:benchmark/benchmark.h  'the benchmark framework'
need tests   clang               14       command:clang++           'compiles the tests with a second compiler'
need tests   clang-tidy          14       command:clang-tidy        'says what is a mistake in sources'
need tests   libclang-rt-dev     any      header:sanitizer/asan_interface.h  'the sanitizers of that compiler'
need tests   chromium            any      command:chromium          'shows the page to its tests'
need tests   python3-numpy       any      python:numpy              'computes what the published algorithms do, for their tests'

need python  python3-numpy       any      python:numpy              'arrays'
need python  python3-scipy       any      python:scipy              'sparse samples, and HiGHS'
need python  python3-sklearn     any      python:sklearn            'checks of estimators; liblinear and libsvm'
need python  python3-pandas      any      python:pandas             'tables'
need python  python3-joblib      any      python:joblib             'processes'
need python  python3-distributed any      python:distributed        'clusters'
need python  python3-matplotlib  any      python:matplotlib         'pictures'
need python  python3-pytest      any      python:pytest             'runs the tests of the package'
need python  python3-pip         any      python:pip                'installs its wheel'
need python  python3-venv        any      python:ensurepip          'into a fresh environment'

need tests   gcc-arm-none-eabi   12       command:arm-none-eabi-g++ 'compiles the firmware'
need tests   libnewlib-arm-none-eabi  any  arm:math.h               'the C library of the firmware'
need tests   libstdc++-arm-none-eabi-newlib  any  arm:span          'the C++ headers of the firmware'
need tests   qemu-system-arm     any      command:qemu-system-arm   'runs the firmware'
need tests   gcc-riscv64-unknown-elf  12  command:riscv64-unknown-elf-g++ 'compiles the firmware for RISC-V'
need tests   picolibc-riscv64-unknown-elf  any  riscv:math.h        'the C library of the firmware for RISC-V'
need tests   qemu-system-misc    any      command:qemu-system-riscv32  'runs the firmware for RISC-V'

need bench   r-cran-glmnet       any      r:glmnet                  'glmnet'
need bench   valgrind            3.19     command:valgrind          'counts instructions'

case "$#:${1-}" in
  1:command | 1:main | 1:python | 1:tests | 1:bench) group=$1 ;;
  *)
    echo "$usage" >&2
    exit 2
    ;;
esac

declare -A includes=([command]=' command ' [main]=' command main ' [python]=' command main python '
                     [tests]=' command main tests ' [bench]=' command main python tests bench ')
wanted() { [[ ${includes[$group]} == *" ${groups[$1]} "* ]]; }

at_least() { # least found
  local least found i
  IFS=. read -r -a least <<<"$1"
  IFS=. read -r -a found <<<"$2"
  for i in "${!least[@]}"; do
    ((10#${found[i]:-0} > 10#${least[i]})) && return 0
    ((10#${found[i]:-0} < 10#${least[i]})) && return 1
  done
  return 0
}

command_version() {
  local line
  line=$("$1" --version 2>/dev/null </dev/null) || return 1
  # g++ puts the name and version of its packager in brackets before its own version.
  line=${line%%$'\n'*}
  line=${line//\(*([!\)])\)/}
  [[ $line =~ [0-9]+(\.[0-9]+)* ]] && echo "${BASH_REMATCH[0]}"
}

debian=no
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null && [[ -r /etc/os-release ]]; then
  # shellcheck source=/dev/null
  system=$(. /etc/os-release && echo "${ID-}:${VERSION_ID-}")
  case $system in
    ubuntu:*) debian=yes ;;
    debian:) debian=yes ;; # testing and unstable carry no number
    debian:*) if at_least 12 "${system#debian:}"; then debian=yes; fi ;;
  esac
fi

find_installed() {
  installed=' '
  if [[ $debian == yes ]]; then
    installed+=$(dpkg-query -W -f '${db:Status-Status} ${Package} ' "${names[@]}" 2>/dev/null || true)
  fi
}

present() {
  local what=${probes[$1]#*:} version
  case ${probes[$1]} in
    command:*)
      version=$(command_version "$what") || return 1
      [[ ${versions[$1]} == any ]] || at_least "${versions[$1]}" "$version"
      ;;
    python:*) /usr/bin/python3 -c "import $what" >/dev/null 2>&1 ;;
    r:*) Rscript -e "library($what)" >/dev/null 2>&1 ;;
    header:* | arm:* | riscv:*)
      # On Debian the package counts: a header alone does not tell that the library and its CMake files are there.
      local compiler=("${CXX:-c++}")
      case ${probes[$1]} in
        arm:*) compiler=(arm-none-eabi-g++) ;;
        riscv:*) compiler=(riscv64-unknown-elf-g++ --specs=picolibc.specs) ;;
      esac
      if [[ $debian == yes ]]; then
        [[ $installed == *" installed ${names[$1]} "* ]]
      else
        "${compiler[@]}" -x c++ -std=c++20 -E - >/dev/null 2>&1 <<<"#include <$what>"
      fi
      ;;
  esac
}

find_missing() {
  local i
  missing=() packages=()
  find_installed
  for i in "${!names[@]}"; do
    if wanted "$i" && ! present "$i"; then
      missing+=("$i")
      packages+=("${names[i]}")
    fi
  done
}

list_missing() {
  local i least
  for i in "${missing[@]}"; do
    least=''
    if [[ ${versions[i]} != any ]]; then least="${versions[i]} or newer"; fi
    printf '  %-20s %-15s %s\n' "${names[i]}" "$least" "${reasons[i]}"
  done
}

from_npm() {
  local folder root
  [[ $group == bench ]] || return 0
  root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
  for folder in bench/peers tests/browser; do
    [[ -d $root/$folder/node_modules ]] && continue
    if ! (cd "$root/$folder" && npm ci >/dev/null); then
      echo "\`npm ci\` in $folder failed; its part of the report will say 'not run'." >&2
    fi
  done
}

find_missing
if ((${#missing[@]} == 0)); then
  from_npm
  echo "Setup $group: everything needed is installed."
  exit 0
fi
echo 'Missing on this system:'
list_missing

if [[ $debian == no ]]; then
  echo 'This script installs packages on Debian 12 or newer and on Ubuntu only.'
  echo 'Please install the above (the names are those of Debian), then start again.'
  echo "Headers are looked for where ${CXX:-c++} looks; CPATH adds folders."
  exit 3
fi

as_root=()
if ((EUID != 0)); then
  as_root=(sudo)
  if ! command -v sudo >/dev/null || ! sudo true; then
    echo 'Installing needs root. Please run this line as root, then start again:'
    echo "  apt-get update && apt-get install -y --no-install-recommends ${packages[*]}"
    exit 4
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  # dpkg insists on the sbin folders, and a plain `su` leaves them out of PATH.
  ${as_root[@]+"${as_root[@]}"} env PATH="$PATH:/usr/sbin:/sbin" LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" </dev/null >>"$log" 2>&1
}
echo 'Installing with apt-get. This can take a minute or two.'
# A package list that cannot be fetched need not be one that matters here.
apt update || true
if ! apt install -y --no-install-recommends "${packages[@]}"; then
  cat "$log" >&2
  echo 'The installation failed; the output of apt-get is above.' >&2
  exit 1
fi

hash -r
find_missing
if ((${#missing[@]} != 0)); then
  echo 'Still missing or too old after the installation:' >&2
  list_missing >&2
  exit 1
fi
from_npm
echo "Setup $group: everything needed is installed."
