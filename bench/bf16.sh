#!/usr/bin/env bash
# What bfloat16 gains on this machine: by what it is multiplied here and why, whether AMX passes
# its tests, how fast products are in both types, and how long a model takes beside PyTorch.
#
#   PYTHON=… bench/bf16.sh $(scripts/minilm.sh DIR) TEXT [LAYER]
#
# PYTHON is as for bench/models.py. Without AMX, of which the first line tells, its tests and
# benchmark are skipped.
set -euo pipefail
: "${2:?usage: bf16.sh MODEL TEXT [LAYER]}"
model=$(realpath "$1") text=$(realpath "$2")
cd "$(dirname "$0")/.."
go run ./bench bf16
go test -count 1 -run 'BF16|AMX' ./internal/simd
go test -cpu 1 -run '^$' -bench 'BF16|AMX' -benchtime 300ms ./internal/simd
exec python3 bench/models.py "$model" "$text" "${3:-6}" --dtype bf16
