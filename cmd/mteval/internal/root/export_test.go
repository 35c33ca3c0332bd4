package root

// What tests from outside use.

var (
	RootCommand = rootCommand
)
