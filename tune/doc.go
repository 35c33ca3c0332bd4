// Package tune finds the parameters under which a metric agrees best with people.
//
// A Set holds texts and what people said of them; OpenSet reads one of a folder or a table.
// Fit keeps the metric's statistics of every judged text, so that no text is looked at again,
// and searches for the parameters of any tunable.Scorer that make an Objective as large as
// possible:
//
//	result, err := tune.Fit(ctx, scorer, train, test, tune.Options{Objective: tune.Kendall})
//	tuned, err := result.Apply(scorer)
//
// The objective changes in steps, as scores change places, so that the search takes no
// gradients: CMA-ES (Krause, Arbonès and Igel 2016), from the values that the scorer has
// and, again, from random ones. The result is never worse on the training data than the
// values that the scorer had, and does not depend on the number of workers. Values that
// are found have four digits.
//
// What is gained on training data says little. Every result also has figures of
// cross-validation and of data that was held out. Both are by source: translations of the
// same source segment are never on both sides.
//
// Package tuned reads the results without any of this.
package tune
