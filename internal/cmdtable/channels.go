package cmdtable

// Channels says which arguments of a command are names of channels, and so need a user's permission.
type Channels uint8

// The kinds.
const (
	NoChannels  Channels = iota
	OneChannel           // the first argument (PUBLISH)
	AllChannels          // every argument (SUBSCRIBE)
	AllPatterns          // every argument, each a pattern (PSUBSCRIBE)
)

// count is how many arguments, from the first on, are names of channels.
func (c Channels) Count(args []string) int {
	switch c {
	case NoChannels:
		return 0
	case OneChannel:
		return min(1, len(args)-1)
	}
	return len(args) - 1
}
