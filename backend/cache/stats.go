package cache

// Stats says what a cache was asked for, and what it holds. Hits and Misses together are the
// texts of all calls, an Encoder's sequences, each as often as it was asked for. Calls that
// ended in an error are not counted.
type Stats struct {
	// Misses are the texts that the backend within embedded. A call asks it once for a text,
	// however often that is in the call; calls at the same time may both ask.
	Misses int64
	// Hits are all others: texts that were in memory or in the folder, and those that were
	// in the call before.
	Hits int64
	// DirHits are those of Hits that were read from the folder.
	DirHits int64
	// Texts are those that are in memory now, and Bytes what they take of Options.Bytes.
	Texts int
	Bytes int64
}

// Stats returns the counts since New. They are of one moment: those of a call are all there
// or none. After Close nothing is in memory, and the counts stay.
func (c *Backend) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.counts
	s.Texts, s.Bytes = len(c.kept), c.size
	return s
}

// Stats returns the sum of the counts of all mixes.
func (c *Encoder) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	var sum Stats
	for _, b := range c.mixes {
		s := b.Stats()
		sum.Misses += s.Misses
		sum.Hits += s.Hits
		sum.DirHits += s.DirHits
		sum.Texts += s.Texts
		sum.Bytes += s.Bytes
	}
	return sum
}
