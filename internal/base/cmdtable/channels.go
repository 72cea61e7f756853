package cmdtable

// Channels says which arguments of a command are names of channels. The user needs permission for
// them.
type Channels uint8

// The places of channels.
const (
	NoChannels  Channels = iota
	OneChannel           // the first argument (PUBLISH)
	AllChannels          // every argument (SUBSCRIBE)
	AllPatterns          // every argument, each a pattern (PSUBSCRIBE)
)

// Count returns how many arguments, from the first on, are names of channels.
func (c Channels) Count(args []string) int {
	switch c {
	case NoChannels:
		return 0
	case OneChannel:
		return min(1, len(args)-1)
	}
	return len(args) - 1
}
