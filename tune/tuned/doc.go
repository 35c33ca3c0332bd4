// Package tuned holds the result of tuning a metric: the values of its parameters, how
// they were found, and how far they agree with people. It writes that as JSON, reads it,
// and gives a scorer the values. Who scores with tuned parameters needs this package only,
// and not package tune, which finds them.
package tuned
