package backendtest

import "strings"

// texts returns texts of many scripts, with punctuation, entities, repeated words,
// odd white space, bytes that are not valid UTF-8, and nothing at all.
func texts() []string {
	return []string{
		"The night train to the coast was late again.",
		"She didn't buy 1,250.50 litres of oil, did she?",
		"Die Fähre legt um 7:30 Uhr ab – nicht früher!",
		"",
		"word",
		"the the the the the the",
		"THE The the",
		" \t ",
		"  spaces   at both ends  ",
		"« Où est l'e\u0301le\u0300ve ? » demanda-t-il…",
		"\u0130STANBUL'da I\u015f\u0131k s\u00f6nd\u00fc",
		"Ο ΔΡΟΜΟΣ ΕΙΝΑΙ ΜΑΚΡΥΣ",
		"Поезд прибыл вовремя; все вышли.",
		"\u0627\u0644\u0628\u064a\u062a \u0639\u0644\u0649 \u0627\u0644\u062a\u0644\u0629\u060c \u0648\u0627\u0644\u0646\u0647\u0631 \u062a\u062d\u062a\u0647\u0627\u061f",
		"\u05d4\u05e8\u05db\u05d1\u05ea \u05d0\u05d9\u05d7\u05e8\u05d4.",
		"नदी पुल के नीचे बहती है।",
		"รถไฟมาสาย",
		"火车晚点了,大家都在等。",
		"電車は遅れています。",
		"기차가 또 늦었다.",
		"Fish &amp; chips &quot;to go&quot; &lt;now&gt; <skipped> &amp;lt;",
		"[CLS] is not special here [SEP], nor is <s> or [UNK]",
		"thumbs \U0001F44D\U0001F3FD up, family \U0001F468\u200d\U0001F469\u200d\U0001F467 !",
		"odd\u00a0spaces\u2003and\u3000ends\u2028in\rhere\n and hy-\nphens\t",
		"bad \xff\xfebytes \xc3 here",
		"nul \x00 and \ufffd and \ufeff",
		"... --- ,,, !!! ((( )))",
		"a" + strings.Repeat("\u0301", 20) + " z",
		strings.Repeat("unbroken", 20),
	}
}
