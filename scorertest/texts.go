package scorertest

import "strings"

// Texts returns the kit's own texts: hypotheses, and before them the references of each. They
// have several scripts, punctuation, entities, empty texts on either side and on
// both, repeated words, duplicates within and across segments, a text that is not
// valid UTF-8, and lines of more than a hundred words. The slices are the caller's.
//
// They are for tests that have to prepare something for the kit, such as
// difficulty's weights, and for Options of such scorers.
func Texts() (refs [][]string, hyps []string) {
	for _, s := range texts() {
		hyps = append(hyps, s[0])
		refs = append(refs, append([]string(nil), s[1:]...))
	}
	return refs, hyps
}

// texts returns the segments, each a hypothesis and its references.
func texts() [][]string {
	words := strings.Fields("the old river runs past a mill and under nine low bridges to sea")
	var long, longRef []string
	for i := range 110 {
		long = append(long, words[(i*i+3*i)%len(words)])
		if i < 102 {
			longRef = append(longRef, words[(i*i+i)%len(words)])
		}
	}
	return [][]string{
		{"The night train to the coast was late again .", "The night train to the coast was late again .", "Once more the night train to the coast ran late ."},
		{"She didn't buy 1,250.50 litres of oil, did she?", "She did not buy 1,250.5 litres of oil, did she?"},
		{"Die Fähre legt um 7:30 Uhr ab, nicht früher.", "Die Fähre fährt um 7:30 Uhr ab – nicht früher!", "Um halb acht legt die Fähre ab.", "Die Fähre legt um 7:30 Uhr ab, nicht früher."},
		{"the the the the the the the", "the cat is on the mat", "there is a cat on the mat"},
		{"", "A hypothesis is missing here ."},
		{"A reference is missing here .", ""},
		{"", ""},
		{" \t ", "white space only on the other side", "  "},
		{"one of two references is empty", "", "one of the two references is empty"},
		{"same line in two segments", "the same line in two segments", "the same line in two segments"},
		{"same line in two segments", "but with another reference"},
		{"same line in two segments", "the same line in two segments", "the same line in two segments"},
		{"both references are equal", "the two references are equal", "the two references are equal"},
		{"Yes", "Yes"},
		{"No", "Perhaps"},
		{"« Où est l'élève ? » demanda-t-il…", "« Où est l'e\u0301le\u0300ve ? » demanda-t-il..."},
		{"\u0130STANBUL'da I\u015f\u0131k s\u00f6nd\u00fc", "istanbul'da \u0131\u015f\u0131k s\u00f6nd\u00fc"},
		{"Ο ΔΡΟΜΟΣ ΕΙΝΑΙ ΜΑΚΡΥΣ", "ο δρόμος είναι μακρύς ·"},
		{"Поезд прибыл вовремя; все вышли.", "Поезд пришёл вовремя, и все вышли."},
		{"\u0627\u0644\u0628\u064a\u062a \u0639\u0644\u0649 \u0627\u0644\u062a\u0644\u0629\u060c \u0648\u0627\u0644\u0646\u0647\u0631 \u062a\u062d\u062a\u0647\u0627\u061f", "\u0627\u0644\u0628\u064a\u062a \u0641\u0648\u0642 \u0627\u0644\u062a\u0644 \u0648\u0627\u0644\u0646\u0647\u0631 \u062a\u062d\u062a\u0647\u061f"},
		{"\u05d4\u05e8\u05db\u05d1\u05ea \u05d0\u05d9\u05d7\u05e8\u05d4.", "\u05d4\u05e8\u05db\u05d1\u05ea \u05de\u05d0\u05d7\u05e8\u05ea."},
		{"नदी पुल के नीचे बहती है।", "पुल के नीचे नदी बहती है।"},
		{"รถไฟมาสาย", "รถไฟขบวนนี้มาสาย"},
		{"火车晚点了,大家都在等。", "火车又晚点了,所有人都在等。", "列车晚点,大家在等待。"},
		{"電車は遅れています。", "電車が遅れている。"},
		{"기차가 또 늦었다.", "기차가 또다시 늦었다."},
		{"Fish &amp; chips &quot;to go&quot; &lt;now&gt; <skipped>", "Fish & chips \"to go\" <now>"},
		{"thumbs \U0001F44D\U0001F3FD up, family \U0001F468\u200d\U0001F469\u200d\U0001F467 !", "thumbs \U0001F44D up, family \U0001F468\u200d\U0001F469\u200d\U0001F467!"},
		{"odd\u00a0spaces\u2003and\u3000ends\u2028in\rhere\t", "odd spaces and ends\vin\fhere"},
		{"bad \xff\xfebytes \xc3 here", "bad bytes \xe2\x82 here"},
		{"... --- ,,, !!! ((( )))", "... - , ! ( )"},
		{strings.Join(long, " "), strings.Join(longRef, " ")},
	}
}
