package command

import (
	"github.com/redmoon-lua/redmoon/internal/reply"
)

const (
	errCrossSlot     = "CROSSSLOT Keys in request don't hash to the same slot"
	errSlotUnserved  = "CLUSTERDOWN Hash slot not served"
	errClusterDown   = "CLUSTERDOWN The cluster is down"
	errClusterReads  = "CLUSTERDOWN The cluster is down and only accepts read commands"
	errScriptNoWrite = "ERR Script attempted to execute a write command while the cluster is down and readonly"
	errScriptDown    = "ERR Script attempted to execute a command while the cluster is down"
	errScriptForeign = "ERR Script attempted to access a non local key in a cluster node"
	errScriptSlots   = "ERR Script attempted to access keys that do not hash to the same slot"
)

// slotOf finds the slot of a command's keys, [noSlot] when it has none, or the error that says why this node does not serve it. before is
// the slot of the transaction's commands before it.
func (s *Server) slotOf(spec *Spec, args []string, before int) (slot int, problem string) {
	slot = before
	switch {
	case spec.inRanges:
		for i := range spec.Keys {
			k := &spec.Keys[i]
			last := min(k.lastArg(k.Index, len(args)), len(args)-1)
			for pos := k.Index; pos <= last; pos += k.Step {
				if slot, problem = s.join(slot, args[pos]); problem != "" {
					return noSlot, problem
				}
			}
		}
	case spec.counted && isInteger(args, spec.Keys[0].Index+spec.Keys[0].NumIdx):
		first, last := spec.Keys[0].span(args)
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
	case slot == noSlot && s.cluster != nil && !s.cluster.owns(at):
		return noSlot, s.cluster.unserved(at)
	case slot != noSlot && slot != at:
		return noSlot, errCrossSlot
	default:
		return at, ""
	}
}

// place finds the slot of a client's command line, as the session's, or says why this node does not serve it. EXEC has the keys of
// all commands that it is to run.
func (s *Server) place(sess *Session, spec *Spec, args []string) (problem string) {
	sess.slot = noSlot
	if s.cluster == nil && !spec.runsScript {
		return ""
	}
	slot := noSlot
	if !spec.runsQueue {
		slot, problem = s.slotOf(spec, args, slot)
	} else if sess.inMulti {
		for _, queued := range sess.queue {
			if slot, problem = s.slotOf(s.Table.Resolve(queued), queued, slot); problem != "" {
				break
			}
		}
	}
	if problem == "" && slot != noSlot && !s.up() {
		problem = s.down(spec, s.declaresWrites(spec, args))
	}
	if problem == "" {
		sess.slot = slot
	}
	return problem
}

// down tells why a command with keys is refused while the cluster is down, or "".
func (s *Server) down(spec *Spec, writes bool) string {
	switch {
	case spec.Channels != NoChannels:
		if s.Config.Value("cluster-allow-pubsubshard-when-down") == "no" {
			return errClusterDown
		}
	case s.Config.Value("cluster-allow-reads-when-down") == "no":
		return errClusterDown
	case writes:
		return errClusterReads
	}
	return ""
}

// declaresWrites reports whether a command writes. Scripts and functions do as their flags say, and scripts without flags do not:
// what they call is looked at.
func (s *Server) declaresWrites(spec *Spec, args []string) bool {
	switch spec.Name {
	case "eval", "eval_ro":
		return s.Scripts.Writes(args[1], "")
	case "evalsha", "evalsha_ro":
		return s.Scripts.Writes("", args[1])
	case "fcall", "fcall_ro":
		return s.Functions.Has(args[1]) && !s.Functions.ReadOnly(args[1])
	}
	return spec.Flags&Write != 0
}

// placeInScript is place for a command of a script: all keys must have the slot that the script has, which are those of its declared keys
// or of the first that it uses.
func (s *Server) placeInScript(sess *Session, spec *Spec, args []string) (problem string) {
	if spec.oneKey && sess.caller.slot != noSlot && s.slots.Slot(args[1]) == sess.caller.slot && s.up() {
		return "" // the slot has been looked at
	}
	slot, problem := s.slotOf(spec, args, noSlot)
	if problem == "" && slot != noSlot && !s.up() {
		problem = s.down(spec, spec.Flags&Write != 0)
	}
	switch problem {
	case "":
	case errClusterReads:
		return errScriptNoWrite
	case errClusterDown:
		return errScriptDown
	default:
		return errScriptForeign
	}
	if slot == noSlot || sess.crossSlot {
		return ""
	}
	if caller := sess.caller; caller.slot == noSlot {
		caller.slot = slot
	} else if caller.slot != slot {
		return errScriptSlots
	}
	return ""
}

// refuseSlot answers a client's command that this node does not serve. A transaction is spoiled, and an EXEC ends it.
func (s *Server) refuseSlot(sess *Session, spec *Spec, problem string) reply.Value {
	v := reply.Err(problem)
	s.Stats.Calls[spec.ID].Rejected++
	switch {
	case spec.runsQueue:
		s.endMulti(sess)
	case sess.inMulti:
		sess.dirty = true
	}
	s.countError(v)
	return v
}
