// Package testsets has sacreBLEU's test sets: which there are, and their sources, references
// and document data, from sacreBLEU's folder or from the net.
//
// # Shape
//
//	Names()                           → names of all sets; NamesOf("en-de") of those with a pair
//	Find("wmt24")                     → *Set{Name, Description, Citation}, or an error with the nearest name
//	(*Set).Pairs()                    → "cs-uk", "en-cs", …
//	(*Set).Fields(ctx, pair, o)       → "src", "ref:refA", "docid", "origlang", …
//	(*Set).Download(ctx, pair, o)     → has all files of a pair there, "" for all pairs
//	Open("wmt20,wmt21", pair, o)      → *Data, the sets behind one another
//	(*Data).References(ctx)           → one text for each reference, for scoring
//	(*Data).Field(ctx, "src")         → one text
//	(*Data).Columns(ctx, "src", "ref") → what sacreBLEU's --echo prints, field by field; "all" too
//	(*Data).OriginalLanguages(ctx)    → "de", "en", … for --detail
//	(*Data).Subsets(ctx)              → "country:GB", "sport", … or domains, for --detail
//	(*Data).Keep(ctx, "non-en", "sport") → which segments are kept, for --origlang and --subset
//
// A text is a slice of segments, in order. All texts of a Data have as many.
//
// # The folder
//
// It is sacreBLEU's, in its form: Options.Dir, or $SACREBLEU, or .sacrebleu in the home folder.
// Archives are in NAME/raw, what they hold beside them, and the texts made of them in
// NAME/NAME.PAIR.FIELD, with "_" for each slash of a set's name in the file's, and "-" for the
// colon of a field. Texts that are there are taken as they are. What is missing is made of the
// archive, and written, byte for byte as sacreBLEU writes it; an archive that is missing is
// downloaded, and its MD5 checksum compared. So both programs can share a folder. Of an archive
// only those files are unpacked that the set's pairs need.
//
// Where the folder can't be written, but has what the texts are made of, they are made in
// memory.
//
// # Texts
//
// What sacreBLEU does to the files of WMT is done here too. SGML is read line by line: a segment
// is a line that begins with "<seg ", what is between its tags is its text, entities stay as
// they are, and white space is collapsed. WMT's XML, of 2021 and later, is parsed; segments
// without any reference, and test suites, are left out.
//
// Some of its faults are not copied. Several references of WMT's XML are in the order of their
// names, which changes there from run to run. An empty source segment is an empty line, where
// sacreBLEU ends with an exception. Parts of WMT 2022 and 2023 whose references the table names
// for the pair can be chosen by language and domain, and citations can be had.
package testsets
