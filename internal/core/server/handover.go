package server

import (
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugMode is the mode that SCRIPT DEBUG has set for the scripts of a session.
type DebugMode uint8

// The modes.
const (
	NotDebugged DebugMode = iota
	DebugForked           // SCRIPT DEBUG YES: on a copy of the data
	DebugSync             // SCRIPT DEBUG SYNC
)

// HandedScript is an EVAL or EVAL_RO that is to be debugged. It has passed the gate; the server of
// the connection runs it.
type HandedScript struct {
	Sync, ReadOnly bool
	Muted          bool // CLIENT REPLY drops the reply
	Source         string
	Keys, Args     []string
	Error          reply.Value // the error reply if the number of keys is wrong, else null
}

// Handed returns the script that is handed over instead of a wait, or nil.
func (w *BlockedClient) Handed() *HandedScript {
	if w.HandedOver != nil {
		w.HandedOver.Muted = w.muted
	}
	return w.HandedOver
}
