package server

import (
	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/reply"
)

const (
	errCrossSlot     = "CROSSSLOT Keys in request don't hash to the same slot"
	ErrSlotUnserved  = "CLUSTERDOWN Hash slot not served"
	ErrClusterDown   = "CLUSTERDOWN The cluster is down"
	errClusterReads  = "CLUSTERDOWN The cluster is down and only accepts read commands"
	errScriptNoWrite = "ERR Script attempted to execute a write command while the cluster is down and readonly"
	errScriptDown    = "ERR Script attempted to execute a command while the cluster is down"
	errScriptForeign = "ERR Script attempted to access a non local key in a cluster node"
	errScriptSlots   = "ERR Script attempted to access keys that do not hash to the same slot"
)

// slotOf finds the slot of a command's keys, [noSlot] when it has none, or the error that says why
// this node does not serve it. before is the slot of the transaction's commands before it.
func (s *Server) slotOf(spec *cmdtable.Spec, args []string, before int) (slot int, problem string) {
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
	case len(spec.Keys) > 0 || spec.Locate != nil:
		for _, k := range spec.SlotKeys(args) {
			if slot, problem = s.join(slot, args[k.Pos]); problem != "" {
				return noSlot, problem
			}
		}
	}
	return slot, ""
}

// join is the slot of keys that are in slot, or are none yet, and one more.
func (s *Server) join(slot int, key string) (joined int, problem string) {
	switch at := s.slots.Slot(key); {
	case slot == noSlot && s.Cluster != nil && !s.Cluster.Owns(at):
		return noSlot, s.Cluster.unserved(at)
	case slot != noSlot && slot != at:
		return noSlot, errCrossSlot
	default:
		return at, ""
	}
}

// place finds the slot of a client's command line, as the session's, or says why this node does not
// serve it. EXEC has the keys of all commands that it is to run.
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
		problem = s.down(spec, s.declaresWrites(spec, args))
	}
	if problem == "" {
		sess.slot = slot
	}
	return problem
}

// down tells why a command with keys is refused while the cluster is down, or "".
func (s *Server) down(spec *cmdtable.Spec, writes bool) string {
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

// declaresWrites reports whether a command writes. Scripts and functions do as their flags say, and
// scripts without flags do not: what they call is looked at.
func (s *Server) declaresWrites(spec *cmdtable.Spec, args []string) bool {
	if spec.Runs != cmdtable.RunsNoScript {
		f := s.scriptFlags(spec, args)
		return f.Declared && !f.NoWrites
	}
	return spec.Flags&cmdtable.Write != 0
}

// checkSlotInScript is place for a command of a script: all keys must have the slot that the script
// has, which are those of its declared keys or of the first that it uses.
func (s *Server) checkSlotInScript(sess *Session, spec *cmdtable.Spec, args []string) (problem string) {
	if spec.OneKey && sess.Caller.slot != noSlot && s.slots.Slot(args[1]) == sess.Caller.slot && s.ClusterUp() {
		return "" // the slot has been looked at
	}
	slot, problem := s.slotOf(spec, args, noSlot)
	if problem == "" && slot != noSlot && !s.ClusterUp() {
		problem = s.down(spec, spec.Flags&cmdtable.Write != 0)
	}
	switch problem {
	case "":
	case errClusterReads:
		return errScriptNoWrite
	case ErrClusterDown:
		return errScriptDown
	default:
		return errScriptForeign
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

// refuseSlot answers a client's command that this node does not serve. A transaction is spoiled,
// and an EXEC ends it.
func (s *Server) refuseSlot(sess *Session, spec *cmdtable.Spec, problem string) reply.Value {
	v := reply.Err(problem)
	s.Stats.Calls[spec.ID].Rejected++
	switch {
	case spec.IsExec:
		s.EndMulti(sess)
	case sess.Queueing:
		sess.QueueFailed = true
	}
	s.CountError(v)
	return v
}
