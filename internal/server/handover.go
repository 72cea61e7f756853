package server

import (
	"github.com/redmoon-lua/redmoon/reply"
)

// DebugMode is what SCRIPT DEBUG has said of the scripts of a session.
type DebugMode uint8

// HandedScript is an EVAL or EVAL_RO that is to be debugged: it has passed the gate, and who serves
// the session runs it.
type HandedScript struct {
	Sync, ReadOnly bool
	Muted          bool // CLIENT REPLY drops the reply
	Source         string
	Keys, Args     []string
	Error          reply.Value // the error reply, where the number of keys is wrong; else a null
}

// Handed is the script that is handed over in place of a wait, or nil.
func (w *BlockedClient) Handed() *HandedScript {
	if w.HandedOver != nil {
		w.HandedOver.Muted = w.muted
	}
	return w.HandedOver
}
