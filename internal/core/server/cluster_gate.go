package server

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

const (
	errCrossSlot    = "CROSSSLOT Keys in request don't hash to the same slot"
	ErrSlotUnserved = "CLUSTERDOWN Hash slot not served"
	ErrClusterDown  = "CLUSTERDOWN The cluster is down"
	errClusterReads = "CLUSTERDOWN The cluster is down and only accepts read commands"
	errScriptSlots  = "ERR Script attempted to access keys that do not hash to the same slot"
)

// The texts of what a script is refused; NAME stands for the command.
var (
	scriptNoWrite = errtext.Usual("ERR Script attempted to execute a write command while the cluster is down and readonly").
			Since("-/9.1.0", "ERR Can not execute a write command 'NAME' while the cluster is down and readonly")
	scriptDown = errtext.Usual("ERR Script attempted to execute a command while the cluster is down").
			Since("-/9.1.0", "ERR Can not execute a command 'NAME' while the cluster is down")
	scriptUnserved = errtext.Usual(scriptForeign).Since("7.2.0", "ERR Script attempted to access a slot not served").
			Since("-/9.1.0", accessForeign)
	scriptCrossSlot = errtext.Usual(scriptForeign).
			Since("7.2.0", "ERR Command 'NAME' in script attempted to access keys that don't hash to the same slot").
			Since("-/9.1.0", accessForeign)
	scriptMoved = errtext.Usual(scriptForeign).Since("-/9.1.0", accessForeign)
)

const (
	scriptForeign = "ERR Script attempted to access a non local key in a cluster node"
	accessForeign = "ERR Attempted to access a non local key in a cluster node"
)

// slotOf returns the slot of a command's keys, [noSlot] if it has no keys, or the error that says
// why this node does not serve the slot. before is the slot of the preceding commands of the
// transaction.
func (s *slotRules) slotOf(spec *cmdtable.Spec, args []string, before int) (slot int, problem string) {
	slot = before
	switch {
	case spec.InRanges:
		for i := range spec.Keys {
			k := &spec.Keys[i]
			last := min(k.LastArg(k.Index, len(args)), len(args)-1)
			for pos := k.Index; pos <= last; pos += k.Step {
				if slot, problem = s.join(slot, args[pos]); problem != "" {
					return noSlot, problem
				}
			}
		}
	case spec.Counted && cmdtable.IsInteger(args, spec.Keys[0].Index+spec.Keys[0].NumIdx):
		first, last := spec.Keys[0].Span(args)
		for pos := first; pos <= last; pos += spec.Keys[0].Step {
			if slot, problem = s.join(slot, args[pos]); problem != "" {
				return noSlot, problem
			}
		}
	case spec.HasKeys():
		for _, k := range spec.SlotKeys(args) {
			if slot, problem = s.join(slot, args[k.Pos]); problem != "" {
				return noSlot, problem
			}
		}
	}
	return slot, ""
}

// join adds a key to keys that are in slot (or noSlot) and returns their common slot.
func (s *slotRules) join(slot int, key string) (joined int, problem string) {
	switch at := s.slots.Slot(key); {
	case slot == noSlot && s.Cluster != nil && !s.Cluster.Owns(at):
		return noSlot, s.Cluster.unserved(at)
	case slot != noSlot && slot != at:
		return noSlot, errCrossSlot
	default:
		return at, ""
	}
}

// checkSlot finds the slot of a client's command line and stores it in the session, or returns the
// error that says why this node does not serve it. The keys of EXEC are those of all queued
// commands.
func (s *Server) checkSlot(sess *Session, spec *cmdtable.Spec, args []string) (problem string) {
	sess.slot = noSlot
	if s.Cluster == nil && spec.Runs == cmdtable.RunsNoScript {
		return ""
	}
	slot := noSlot
	if !spec.IsExec {
		slot, problem = s.slotOf(spec, args, slot)
	} else if sess.Queueing {
		for _, queued := range sess.Queue {
			if slot, problem = s.slotOf(s.Table.Resolve(queued), queued, slot); problem != "" {
				break
			}
		}
	}
	if problem == "" && slot != noSlot && !s.ClusterUp() {
		problem = s.down(spec, writes(s.flagsOf(spec, args)))
	}
	if problem == "" {
		sess.slot = slot
	}
	return problem
}

// down returns why a command with keys is refused while the cluster is down, or "".
func (s *settings) down(spec *cmdtable.Spec, writes bool) string {
	switch {
	case spec.Channels != cmdtable.NoChannels:
		if s.Config.Value("cluster-allow-pubsubshard-when-down") == "no" {
			return ErrClusterDown
		}
	case s.Config.Value("cluster-allow-reads-when-down") == "no":
		return ErrClusterDown
	case writes:
		return errClusterReads
	}
	return ""
}

// checkSlotInScript is checkSlot for a command of a script. All keys must be in the slot of the
// script: that of its declared keys, or else of the first key that it uses.
func (s *Server) checkSlotInScript(sess *Session, spec *cmdtable.Spec, args []string) (problem string) {
	if spec.OneKey && sess.Caller.slot != noSlot && s.slots.Slot(args[1]) == sess.Caller.slot && s.ClusterUp() {
		return "" // the slot has been checked
	}
	slot, problem := s.slotOf(spec, args, noSlot)
	if problem == "" && slot != noSlot && !s.ClusterUp() {
		problem = s.down(spec, spec.Flags&cmdtable.Write != 0)
	}
	if problem != "" {
		return s.slotTextInScript(spec, problem)
	}
	if slot == noSlot || sess.crossSlot {
		return ""
	}
	if caller := sess.Caller; caller.slot == noSlot {
		caller.slot = slot
	} else if caller.slot != slot {
		return errScriptSlots
	}
	return ""
}

// slotTextInScript returns the words in which a script gets the error of a client.
func (s *Server) slotTextInScript(spec *cmdtable.Spec, problem string) string {
	text := scriptMoved
	switch problem {
	case errClusterReads:
		text = scriptNoWrite
	case ErrClusterDown:
		text = scriptDown
	case errCrossSlot:
		text = scriptCrossSlot
	case ErrSlotUnserved:
		text = scriptUnserved
	}
	return strings.ReplaceAll(text.Of(s.Follows), "NAME", spec.FullName())
}

// refuseSlot refuses a client's command whose slot this node does not serve. An open transaction is
// marked as failed, and EXEC ends it.
func (s *Server) refuseSlot(sess *Session, spec *cmdtable.Spec, problem string) reply.Value {
	v := reply.Err(problem)
	s.Stats.Calls.Of(spec.ID).Rejected++
	switch {
	case spec.IsExec:
		s.EndMulti(sess)
	case sess.Queueing:
		s.failQueue(sess)
	}
	s.Stats.CountError(v)
	return v
}
