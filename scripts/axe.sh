#!/usr/bin/env bash
# Fetches axe-core, which looks for what keeps people from reading a page (MPL-2.0, for tests
# only), from npm's registry into a folder, and prints the name of its file: for MTEVAL_AXE.
#
#   MTEVAL_AXE=$(scripts/axe.sh DIR) go test -C report/browsertest
set -euo pipefail
dir=${1:?usage: axe.sh DIR}
name=axe-core-4.14.1
if [ ! -f "$dir/$name.js" ]; then
	mkdir -p "$dir"
	curl -sSfL --retry 3 -o "$dir/$name.tgz" "https://registry.npmjs.org/axe-core/-/$name.tgz"
	# The registry's sha512 of it is FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==.
	(cd "$dir" && sha256sum --quiet -c - >&2 <<<"e6b0ce02b84d892e2e33e403485e7f3d6c29e2be6df65daf44d89ba564139745  $name.tgz")
	tar -xzf "$dir/$name.tgz" -C "$dir" --strip-components=1 package/axe.min.js
	mv "$dir/axe.min.js" "$dir/$name.js"
	rm "$dir/$name.tgz"
fi
printf '%s\n' "$(cd "$dir" && pwd)/$name.js"
