package meta

// What tests from outside use.

type (
	BetterJSON     = betterJSON
	ComparisonJSON = comparisonJSON
	MarksJSON      = marksJSON
	MetaMetricJSON = metaMetricJSON
	MetaPartsJSON  = metaPartsJSON
	PeopleJSON     = peopleJSON
	TasksJSON      = tasksJSON
)
