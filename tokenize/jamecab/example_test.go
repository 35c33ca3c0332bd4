package jamecab_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/jamecab"
)

func ExampleNew() {
	tok, err := jamecab.New()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tokenize.String(tok, "猫は日向で寝ている。"))
	// Output: 猫 は 日向 で 寝 て いる 。
}
