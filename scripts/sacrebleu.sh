#!/usr/bin/env bash
# Installs sacreBLEU, as the values in testdata were recorded with it, into a folder, and prints
# a Python that has it, for tests.
#
#   MTEVAL_SACREBLEU=$(scripts/sacrebleu.sh DIR) go test ./cmd/mteval/internal/root -run 'TestSacreBLEU$'
set -euo pipefail
dir=${1:?usage: sacrebleu.sh DIR}
packages=(sacrebleu==2.6.0 numpy==2.4.6 mecab-python3==1.0.12 ipadic==1.0.0)
if [ "$(cat "$dir/installed" 2>/dev/null)" != "${packages[*]}" ]; then
	rm -rf "$dir"
	mkdir -p "$dir"
	python3 -m pip install -q --disable-pip-version-check --target "$dir/packages" "${packages[@]}" >&2
	cat >"$dir/python" <<-'SH'
		#!/bin/sh
		PYTHONPATH=$(dirname "$0")/packages exec python3 "$@"
	SH
	chmod +x "$dir/python"
	echo "${packages[*]}" >"$dir/installed"
fi
printf '%s\n' "$(cd "$dir" && pwd)/python"
