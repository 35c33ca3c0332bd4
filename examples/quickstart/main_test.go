package main

// The first number is what sacreBLEU 2.6.0 prints for these texts. A sentence of less than four
// words has no 4-gram, and so BLEU 0.
func Example() {
	main()
	// Output:
	// 72.28 nrefs:var|case:mixed|eff:no|tok:13a|smooth:exp|version:mteval-0.1.0
	// [79.56 61.30]
	// 0.00
	// 100.00
}
