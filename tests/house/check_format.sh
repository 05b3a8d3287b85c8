#!/usr/bin/env bash
# Every C++ file of the tree is formatted as .clang-format says. Usage: check_format.sh ROOT
set -euo pipefail
cd "$1"
mapfile -t files < <(find app engine gpu server tests bench -name '*.h' -o -name '*.cpp' | sort)
[ ${#files[@]} -gt 0 ] || { echo "no source files found"; exit 1; }
clang-format --dry-run -Werror "${files[@]}" && echo "${#files[@]} files are formatted"
