// Package dreem is DREEM, a metric that compares a translation with a reference by
// representations of the two sentences, of four kinds (Chen and Guo 2015; here as in
// Chen, Guo and Kuhn 2015, "Multi-level evaluation for machine translation", equations 7
// to 10):
//
//	Score = Cos^α · P_len                                               (7)
//	Cos   = Σ v_i(t)·v_i(r) / (√Σ v_i(t)² · √Σ v_i(r)²)                  (8)
//	P_len = exp(1 − longer/shorter), of the two lengths in tokens       (9)
//	V     = ⟨w1·V_one-hot, w2·V_words, w3·V_greedy, w4·V_tree⟩          (10)
//
// The paper names the two lengths under equation 9 the wrong way round; P_len is the same.
// A corpus's score is the mean of its segments' weighted by their references' lengths in
// tokens (equation 2).
//
// Where the paper is silent, these are our readings:
//
//   - Each part is scaled to unit length before its weight, so that Cos is
//     Σ w²·cos / Σ w² over the parts' own cosines.
//   - The one-hot part holds how often each token occurs.
//   - The part of words is the mean of the words' vectors, as they are: how long a vector
//     is says how much its word counts.
//   - The greedy part is the vector that an unsupervised recursive autoencoder (Socher,
//     Pennington, Huang, Ng and Manning, EMNLP 2011) makes of the sentence by combining,
//     again and again, the adjacent pair that it can reconstruct best. The tree part is
//     made by the same autoencoder along a parse tree. Several trees of one text are
//     combined from left to right.
//   - Without levels the weights are Plain and α is PlainAlpha, tuned on WMT19's
//     judgements of lt-en, gu-en and kk-en. The paper gives no α, and weights by level only: Low,
//     Medium and High.
//   - A negative cosine counts as 0 in equation 7, after the parts are put together.
//   - A text without tokens scores 0.
//   - A part that one of the two texts has not, or that the scorer was given nothing for
//     (no trees, no autoencoder), is left out with its weight, from both sums. So the score
//     of identical texts is 1 in any case, and 0 only where all that is left has weight 0.
//   - A word without a vector has the one that its pieces make, if the vectors have pieces
//     (Vectors.WithPieces; those for English do). One that has none still is left out of
//     the parts made of vectors, or has the one that stands for unknown words
//     (Options.Unknown).
//
// Tokens are sacreBLEU's 13a of the text in lower case.
//
// The zero value of Options needs no files: English comes with vectors and an autoencoder
// (see English). For other languages, OpenVectors reads word2vec's, GloVe's and fastText's
// files. What made the English model makes one of plain text in any language, in a checkout of
// the project, for OpenModel:
//
//	go run dreem/internal/train/gen.go -out model.bin TEXT...
package dreem
