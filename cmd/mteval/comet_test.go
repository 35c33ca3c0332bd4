package main

// cometModels are tiny models: see scripts/record_comet.py.
const cometModels = "../../comet/testdata/"
