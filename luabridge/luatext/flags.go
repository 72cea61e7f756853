package luatext

// Flags are the flags that a script declares on its first line, as in "#!lua flags=no-writes".
type Flags uint8

// The flags of Redis 7.0.
const (
	Shebang            Flags = 1 << iota // the script has such a line, so Redis's strict rules apply
	NoWrites                             // no-writes
	AllowOOM                             // allow-oom
	AllowStale                           // allow-stale
	NoCluster                            // no-cluster
	AllowCrossSlotKeys                   // allow-cross-slot-keys
)

// flags are the flags that a text can name, in Redis's order.
var flags = []struct {
	name string
	flag Flags
}{
	{"no-writes", NoWrites},
	{"allow-oom", AllowOOM},
	{"allow-stale", AllowStale},
	{"no-cluster", NoCluster},
	{"allow-cross-slot-keys", AllowCrossSlotKeys},
}

// FlagNamed returns the flag with a name, which is in lower case; ok is false if there is none.
func FlagNamed(name string) (flag Flags, ok bool) {
	for _, f := range flags {
		if f.name == name {
			return f.flag, true
		}
	}
	return 0, false
}

// FlagNames returns the names of the flags that are set, in Redis's order.
func (f Flags) FlagNames() []string {
	var names []string
	for _, other := range flags {
		if f&other.flag != 0 {
			names = append(names, other.name)
		}
	}
	return names
}
