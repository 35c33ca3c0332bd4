// Package mert tunes the weights of a log-linear model on n-best lists, so that the candidates
// that the model puts first have the best corpus score of a metric: minimum error rate
// training (Och, ACL 2003, https://aclanthology.org/P03-1021). It works with any metric, as
// rows add up: when the model's choice for a segment changes, its row is replaced in the total.
//
// [New] scores all candidates once. [Lists.Search] then looks for weights, [Lists.Line] along
// one line of them.
package mert
