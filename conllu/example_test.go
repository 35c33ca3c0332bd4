package conllu_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/mteval/mteval/conllu"
)

func Example() {
	file := strings.ReplaceAll(`# text = Dogs bark.
1 Dogs dog NOUN _ _ 2 nsubj _ _
2 bark bark VERB _ _ 0 root _ SpaceAfter=No
3 . . PUNCT _ _ 2 punct _ _

`, " ", "\t")
	file = strings.ReplaceAll(file, "#\ttext\t=\tDogs\tbark.", "# text = Dogs bark.")
	sentences, err := conllu.Read(strings.NewReader(file), "dogs.conllu")
	if err != nil {
		log.Fatal(err)
	}
	var bank conllu.Bank
	if err := bank.Add([]string{"Dogs bark."}, sentences, "dogs.conllu"); err != nil {
		log.Fatal(err)
	}
	parses, err := bank.Parse(context.Background(), "Dogs bark.")
	if err != nil {
		log.Fatal(err)
	}
	for _, w := range parses[0].Words {
		fmt.Println(w.Form, w.Relation, w.Head)
	}
	// Output:
	// Dogs nsubj 2
	// bark root 0
	// . punct 2
}
