package tokenize_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/tokenize"
)

func Example() {
	for _, name := range []string{"none", "13a", "char"} {
		t, err := tokenize.ByName(name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tokenize.String(t, "It's &quot;on&quot;, 9.5%!"))
	}
	// Output:
	// It's &quot;on&quot;, 9.5%!
	// It's " on " , 9.5 % !
	// I t ' s   & q u o t ; o n & q u o t ; ,   9 . 5 % !
}

// Tokens without memory for each.
func ExampleEach() {
	var buf []byte
	for _, line := range []string{"Hello, world!", "Bye."} {
		n := 0
		buf = tokenize.Each(buf, tokenize.V13a, line, func([]byte) { n++ })
		fmt.Println(n, line)
	}
	// Output:
	// 4 Hello, world!
	// 2 Bye.
}

// Where each token stands in the line.
func ExampleAppendLowerSpans() {
	line := "Fish &amp; Chips"
	for _, s := range tokenize.AppendLowerSpans(nil, tokenize.V13a, line) {
		fmt.Printf("%s %q\n", s.Text, line[s.Start:s.End])
	}
	// Output:
	// fish "Fish"
	// & "&amp;"
	// chips "Chips"
}
