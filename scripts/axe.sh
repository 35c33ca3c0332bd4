#!/usr/bin/env bash
# Fetches axe-core, which looks for what keeps people from reading a page (MPL-2.0, for tests
# only), with npm, into a folder, and prints the name of its file: for MTEVAL_AXE.
#
#   MTEVAL_AXE=$(scripts/axe.sh DIR) go test -C report/browsertest
set -euo pipefail
dir=${1:?usage: axe.sh DIR}
name=axe-core-4.14.1
if [ ! -f "$dir/$name.js" ]; then
	mkdir -p "$dir"
	(cd "$dir" && npm pack --silent "axe-core@${name#axe-core-}" >&2)
	(cd "$dir" && sha256sum --quiet -c - >&2 <<<"e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745  $name.tgz")
	tar -xzf "$dir/$name.tgz" -C "$dir" --strip-components=1 package/axe.min.js
	mv "$dir/axe.min.js" "$dir/$name.js"
	rm "$dir/$name.tgz"
fi
printf '%s\n' "$(cd "$dir" && pwd)/$name.js"
