#!/usr/bin/env bash
# Makes the calibration that package preference embeds, from the archive of 60 judged sets of
# WMT17 to 21 (folders such as wmt19-en-de with ref.txt, sys/ and human.tsv), and prints what
# it is worth. The texts are WMT's and no part of this project, the archive not either.
# Options of mteval calibrate may follow.
#
#   scripts/calibration.sh wmt17-21.tar.xz preference/calibration.json --svg docs/calibration.svg
set -euo pipefail
archive=${1:?usage: calibration.sh ARCHIVE OUT [OPTION…]}
out=${2:?usage: calibration.sh ARCHIVE OUT [OPTION…]}
shift 2
sets=$(mktemp -d)
trap 'rm -rf "$sets"' EXIT
tar -xJf "$archive" -C "$sets"
# A reference's name tells its language, which a folder's name ends in.
for folder in "$sets"/*/; do
	folder=${folder%/}
	mv "$folder/ref.txt" "$folder/ref.${folder##*-}"
done
go run ./cmd/mteval calibrate "$sets"/* -o "$out" "$@" --note "60 sets of WMT 2017 to 2019 and 2021: machine translation only, one reference. \
People's scores: WMT17 to 19 direct assessment, standardised (AIPHES/ACL20-Reference-Free-MT-Evaluation); \
WMT21 direct assessment, standardised (wmt-conference/wmt21-news-systems), out of English, de-fr and fr-de averaged \
without regard to documents; wmt21ted (TED talks) MQM, negated (google/wmt-mqm-human-evaluation)."
