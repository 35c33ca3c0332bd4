// Package stream scores lines as they come: a table with tabs between its columns, or JSON lines,
// goes in, and the same lines come out in the same order with a column or a field more for each
// metric. Memory does not grow with the number of lines, and all processors work.
//
// [Run] reads and writes streams. [RunFile] writes a file that is there whole or not at all, and
// can go on after it was ended in the middle.
//
// Lines are scored in blocks, so that a metric over a model has many texts at once. No score
// depends on the blocks, on the number of workers or on where a run was ended, for a row depends
// on its own segment only; a metric that looks at all references together, as BERTScore with IDF
// does, is not for this package.
package stream
