package report

// A Made is one thing that a page rests on. Name can be "".
type Made struct{ Name, Text string }

const madeTitle = "How this was made"
