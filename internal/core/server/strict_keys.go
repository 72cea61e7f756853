package server

import (
	"slices"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
)

// KeyPolicy says what becomes of a command of a script that uses a key with which the script was
// not called.
type KeyPolicy uint8

// The policies.
const (
	AnyKeys    KeyPolicy = iota // it runs, as in Redis
	WarnKeys                    // it runs, and a warning is logged
	RefuseKeys                  // it is an error
)

// Limits of the log: of each script so many keys are named, and so many scripts.
const (
	warnedKeys    = 10
	warnedScripts = 1000
)

// keyRules are what the policy needs while it is not AnyKeys.
type keyRules struct {
	policy KeyPolicy
	keys   []string            // those of the running script
	set    map[string]struct{} // the same, if they are many
	name   string              // of the running script; "" until the log needs it
	warned map[string][]string // the keys that the log has named, by script; nil before the first
}

// manyKeys is from how many keys on a set is made of them.
const manyKeys = 16

// keptKeys is the number of keys for which the set keeps its memory.
const keptKeys = 1 << 10

// SetKeyPolicy sets what becomes of a command of a script that uses an undeclared key. Caller must
// not have opened a session.
func (s Control) SetKeyPolicy(p KeyPolicy) {
	s.strict.policy = p
	s.updateStanding()
}

// begin notes the keys with which a script is called. A function that is being registered has none.
func (k *keyRules) begin(c *Ctx) {
	k.keys, k.name = nil, ""
	clear(k.set)
	if c.Spec == nil || c.Spec.Runs == cmdtable.RunsNoScript || len(c.Args) < 3 {
		return
	}
	n := int(min(cmdtable.LeadingInt(c.Args, 2), len(c.Args)-3))
	k.keys = c.Args[3 : 3+max(n, 0)]
	if len(k.keys) < manyKeys {
		return
	}
	if k.set == nil {
		k.set = make(map[string]struct{}, len(k.keys))
	}
	for _, key := range k.keys {
		k.set[key] = struct{}{}
	}
}

// end forgets the keys of a script that has ended.
func (k *keyRules) end() {
	if clear(k.set); len(k.keys) > keptKeys {
		k.set = nil
	}
	k.keys = nil
}

// declares reports whether a key is one of the running script.
func (k *keyRules) declares(key string) bool {
	if len(k.keys) >= manyKeys {
		_, ok := k.set[key]
		return ok
	}
	return slices.Contains(k.keys, key)
}

// usesKeys reports whether a command may use keys.
func usesKeys(c *cmdtable.Spec) bool {
	return len(c.Keys) > 0 || c.Locate != nil || c.LocateSlots != nil || c.Patterns != nil
}

// undeclared returns the error for a command of the running script that uses an undeclared key. It
// is "" if there is none, or only a warning is wanted.
func (s *Server) undeclared(a attempt) string {
	if a.sess.MustObey {
		return "" // the master has run it
	}
	if a.spec.OneKey {
		if s.strict.declares(a.args[1]) {
			return ""
		}
		return s.foundUndeclared("the key", a.args[1])
	}
	for _, k := range a.spec.SlotKeys(a.args) {
		if !s.strict.declares(a.args[k.Pos]) {
			if problem := s.foundUndeclared("the key", a.args[k.Pos]); problem != "" {
				return problem
			}
		}
	}
	if a.spec.Patterns != nil {
		for _, pattern := range a.spec.Patterns(a.args) {
			if problem := s.foundUndeclared("the keys", pattern); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// foundUndeclared returns the error for an undeclared key, or logs it and returns "". what is "the
// key", or "the keys" if key is a pattern.
func (s *Server) foundUndeclared(what, key string) string {
	const longest = 128
	are := " is"
	if what == "the keys" {
		are = " are"
	}
	quoted := strconv.Quote(key[:min(len(key), longest)])
	if len(key) > longest {
		quoted += "..."
	}
	which := what + " " + quoted + ", which" + are + " not in KEYS"
	if s.strict.policy == RefuseKeys {
		return "ERR Script attempted to access " + which
	}
	if s.strict.mayWarn(s, quoted) {
		s.Log.Warn("Script " + s.strict.name + " accesses " + which)
	}
	return ""
}

// mayWarn reports whether the log has not named a key yet and is not full, and notes the key.
func (k *keyRules) mayWarn(s *Server, key string) bool {
	if k.name == "" {
		k.name = s.scriptName()
	}
	named, known := k.warned[k.name]
	if len(named) >= warnedKeys || !known && len(k.warned) >= warnedScripts || slices.Contains(named, key) {
		return false
	}
	if k.warned == nil {
		k.warned = map[string][]string{}
	}
	k.warned[k.name] = append(named, key)
	return true
}
