package cmdtable

import (
	"slices"
)

// Spread says which nodes of a cluster a command without keys goes to, and what is made of their replies.
type Spread uint8

// The ways to spread a command.
const (
	SpreadNot    Spread = iota // it is about one node
	SpreadAny                  // to any node: all would answer the same
	SpreadAll                  // to all; if all succeed, the reply of the first
	SpreadSum                  // to all; numbers are added, in lists each to those in its place
	SpreadMin                  // to all; the least number
	SpreadAnd                  // to all; in a list of 1 and 0, what all say
	SpreadOne                  // to all; the first that succeeds
	SpreadJoin                 // to all; one list of the elements of all lists, each once
	SpreadScan                 // SCAN: one node after the other
	SpreadRandom               // RANDOMKEY: each key of all nodes is as likely
	SpreadSlot                 // to the owner of the slot whose number is argument 2
)

// spread derives from the row's tips, which say most, how a command without keys is spread.
func (s *Spec) spread() Spread {
	switch name := s.FullName(); {
	case s.ChangesSession || len(s.Subs) > 0 || s.Name == "help" || s.Parent != nil && s.Parent.Name == "command" || slices.Contains(spreadAny, name):
		return SpreadAny
	case slices.Contains(spreadAll, name):
		return SpreadAll
	case name == "publish" || name == "pubsub|numpat" || name == "pubsub|numsub" || name == "pubsub|shardnumsub":
		return SpreadSum
	case name == "pubsub|channels" || name == "pubsub|shardchannels":
		return SpreadJoin
	case name == "cluster|countkeysinslot" || name == "cluster|getkeysinslot":
		return SpreadSlot
	case name == "scan":
		return SpreadScan
	case name == "randomkey":
		return SpreadRandom
	}
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

// spreadAny are commands whose replies depend on nothing that nodes do not share, or on chance.
var spreadAny = []string{"command", "echo", "time", "lolwut", "config|get", "acl|cat", "acl|dryrun", "acl|genpass", "acl|getuser", "acl|list", "acl|users",
	"acl|whoami", "acl|save", "function|list", "function|dump", "module|list", "cluster|keyslot", "pfselftest"}

// spreadAll are commands that change what all nodes share, though no tip says so.
var spreadAll = []string{"acl|setuser", "acl|deluser", "acl|load", "config|resetstat", "client|pause", "client|unpause"}

// Spread says how the command is spread over a cluster when a command line of it has no keys.
func (s *Spec) Spread() Spread { return s.spreads }
