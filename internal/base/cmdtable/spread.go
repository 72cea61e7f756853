package cmdtable

import "slices"

// Spread says to which nodes of a cluster a command without keys goes, and how their replies are
// merged.
type Spread uint8

// The ways to spread a command.
const (
	SpreadByTips Spread = iota // in a row: as its tips say. A table has no such row.
	SpreadNot                  // not spread: the command is about one node
	SpreadAny                  // to any node: all reply the same
	SpreadAll                  // to all nodes; if all succeed, the reply of the first
	SpreadSum                  // to all nodes; numbers are added, those of arrays element by element
	SpreadMin                  // to all nodes; the least number
	SpreadAnd                  // to all nodes; arrays of 1 and 0 are combined by logical and
	SpreadOne                  // to all nodes; the first reply that is not an error
	SpreadJoin                 // to all nodes; the union of the arrays
	SpreadScan                 // SCAN: one node after the other
	SpreadRandom               // RANDOMKEY: the keys of all nodes are equally likely
	SpreadSlot                 // to the owner of the slot whose number is argument 2
)

// resolveSpread replaces SpreadByTips.
func (s *Spec) resolveSpread() {
	switch {
	case s.ChangesSession() || len(s.Subs) > 0 || s.Name == "help":
		s.Spread = SpreadAny
	case s.Spread == SpreadByTips:
		s.Spread = s.spreadOfTips()
	}
}

// spreadOfTips reads the request policy and the response policy of the row's tips.
func (s *Spec) spreadOfTips() Spread {
	if !slices.Contains(s.Tips, "request_policy:all_shards") && !slices.Contains(s.Tips, "request_policy:all_nodes") {
		return SpreadNot
	}
	for _, tip := range s.Tips {
		switch tip {
		case "response_policy:all_succeeded":
			return SpreadAll
		case "response_policy:agg_sum":
			return SpreadSum
		case "response_policy:agg_min":
			return SpreadMin
		case "response_policy:agg_logical_and":
			return SpreadAnd
		case "response_policy:one_succeeded":
			return SpreadOne
		case "response_policy:special":
			return SpreadNot
		}
	}
	return SpreadJoin
}
