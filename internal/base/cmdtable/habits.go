package cmdtable

// Range says which part of a collection the reply to a command has, or its effect concerns.
type Range struct {
	Kind RangeKind
	At   int // the argument that is the first end; the other one follows it
}

// RangeKind is a kind of ends.
type RangeKind uint8

// The kinds.
const (
	NoRange         RangeKind = iota
	AllElements               // no ends: the whole collection, or all keys
	ByIndex                   // indexes; -1 is the last
	ByScore                   // scores
	ByLex                     // members, behind [ or (
	ByID                      // IDs of a stream
	ByIndexOrOption           // indexes, or with BYSCORE and BYLEX what these say
)

// ReadForm is the command to use instead of a Write command that only reads.
type ReadForm struct {
	Name   string   // "": there is none
	Unless []string // keywords with which the command writes
}

// Lifetime says what a command does to the time to live of its key.
type Lifetime uint8

// The effects.
const (
	LifetimeStays  Lifetime = iota
	LifetimeSet             // the key gets a time to live, or loses the one that it had for another
	LifetimeOption          // the same, with one of the options EX, PX, EXAT, PXAT
	LifetimeEnds            // the key is removed
)
