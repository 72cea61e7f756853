package server

import (
	"math/bits"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/reply"
)

// The checks of the gate, in the order in which Redis makes them.
const (
	checkShared = iota
	checkDebug
	checkLogin
	checkMulti
	checkStaleScript
	checkACL
	checkMigrate
	checkReadOnlyScript
	checkReplicaScript
	checkSlots
	checkClientMemory
	checkMemory
	checkTracked
	checkDisk
	checkGoodReplicas
	checkScriptMemory
	checkScriptSlots
	checkScriptKeys
	checkReplica
	checkSubscriber
	checkStale
	checkLoading
	checkBusy
	checkReceiver
	checkPause
	checkCompiler
	checkProbe
	checkCount
)

// check is a condition that a command must meet before its handler runs. Each rule of the gate is
// one check: its place in the list, the doors and commands that it concerns, and its error.
type check struct {
	doors uint8                     // a bit 1<<Door for each door that it guards
	rows  func(*cmdtable.Spec) bool // the commands that it can refuse; nil: all
	run   func(a attempt) (problem string, v verdict)
}

// attempt is a command on its way through the gate.
type attempt struct {
	s    *Server
	sess *Session
	door cmdtable.Door
	spec *cmdtable.Spec
	args []string
}

// verdict is what a check decides.
type verdict uint8

const (
	passes          verdict = iota
	holds                   // the command has no reply now: it waits, or its client is gone
	rejects                 // with the problem
	rejectsBySlot           // with the problem; counted as Redis counts a redirection
	rejectsInMiddle         // with the problem, as the reply of one command of an EXEC
	answers                 // with the answer of the probe
)

// refuse returns the verdict for a problem. "" means that there is no problem.
func refuse(problem string) (string, verdict) {
	if problem == "" {
		return "", passes
	}
	return problem, rejects
}

const (
	fromClient  = 1 << cmdtable.DoorClient
	fromScripts = 1<<cmdtable.DoorScript | 1<<cmdtable.DoorScriptRO
	fromAll     = fromClient | fromScripts | 1<<cmdtable.DoorExec
)

// onFirstWrite are the checks that a script passes or fails with its first write. As in Redis, it
// is not stopped half-way if the server changes while it runs.
const onFirstWrite = 1<<checkDisk | 1<<checkReplicaScript | 1<<checkGoodReplicas | 1<<checkScriptMemory

// notInMulti is the error of a command that MULTI may not queue. NAME stands for its name.
var notInMulti = errtext.Usual("ERR Command not allowed inside a transaction").
	Since("-/9.1.0", "ERR Command 'NAME' not allowed inside a transaction")

// checks lists the rules of the gate.
var checks = [checkCount]check{
	checkShared: {doors: fromClient, rows: (*cmdtable.Spec).ChangesSession,
		run: func(a attempt) (string, verdict) {
			return errNeedsSession(a.args[0]), rejects
		}},
	checkDebug: {doors: fromClient, rows: func(c *cmdtable.Spec) bool { return c.NeedsDebugPermission },
		run: func(a attempt) (string, verdict) {
			if a.s.debugAllowed(a.sess) {
				return "", passes
			}
			return errtext.DebugRefused, rejects
		}},
	checkLogin: {doors: fromClient, rows: func(c *cmdtable.Spec) bool { return c.Flags&cmdtable.NoAuth == 0 },
		run: func(a attempt) (string, verdict) {
			if !a.s.authRequired(a.sess) {
				return "", passes
			}
			return errtext.NoAuth, rejects
		}},
	checkMulti: {doors: fromClient, rows: func(c *cmdtable.Spec) bool { return c.Flags&cmdtable.NoMulti != 0 },
		run: func(a attempt) (string, verdict) {
			return strings.ReplaceAll(notInMulti.Of(a.s.Follows), "NAME", a.spec.FullName()), rejects
		}},
	checkStaleScript: {doors: fromScripts, run: func(a attempt) (string, verdict) { return refuse(a.s.staleError(a)) }},
	checkACL: {doors: fromAll,
		run: func(a attempt) (string, verdict) {
			switch {
			case !a.s.forbidden(a.sess, a.spec, a.args):
				return "", passes
			case a.door == cmdtable.DoorExec:
				return a.s.deny(a.sess, a.door, a.spec, a.args), rejectsInMiddle
			}
			return a.s.deny(a.sess, a.door, a.spec, a.args), rejects
		}},
	checkMigrate: {doors: fromScripts, rows: func(c *cmdtable.Spec) bool { return c.Name == "migrate" },
		run: func(attempt) (string, verdict) {
			return "ERR MIGRATE is refused in scripts, because it connects to other servers: engine.Options.ScriptMigrate, or " +
				"--script-migrate, allows it", rejects
		}},
	checkReadOnlyScript: {doors: 1 << cmdtable.DoorScriptRO,
		rows: func(c *cmdtable.Spec) bool { return c.Flags&(cmdtable.Write|cmdtable.MayReplicate) != 0 },
		run: func(attempt) (string, verdict) {
			return "ERR Write commands are not allowed from read-only scripts.", rejects
		}},
	checkReplicaScript: {doors: fromScripts,
		run: func(a attempt) (string, verdict) { return refuse(a.s.readOnlyError(a)) }},
	checkSlots: {doors: fromClient,
		run: func(a attempt) (string, verdict) {
			if problem := a.s.checkSlot(a.sess, a.spec, a.args); problem != "" {
				return problem, rejectsBySlot
			}
			return "", passes
		}},
	checkClientMemory: {doors: fromClient,
		run: func(a attempt) (string, verdict) {
			if a.s.LimitsClientMemory() {
				if a.s.evictClients(a.sess); a.sess.gone {
					return "", holds
				}
			}
			return "", passes
		}},
	checkMemory: {doors: fromClient,
		run: func(a attempt) (string, verdict) {
			if a.s.outOfMemory(a.sess, a.spec, a.args) {
				return errtext.OutOfMemory, rejects
			}
			return "", passes
		}},
	checkTracked: {doors: fromClient,
		run: func(a attempt) (string, verdict) {
			a.s.limitTracking(a.sess) // its messages come before the reply or error
			return "", passes
		}},
	checkDisk: {doors: fromClient | fromScripts,
		rows: func(c *cmdtable.Spec) bool { return changesOrExec(c) || c.Name == "ping" },
		run:  func(a attempt) (string, verdict) { return refuse(a.s.diskError(a)) }},
	checkGoodReplicas: {doors: fromClient | fromScripts, rows: changesOrExec,
		run: func(a attempt) (string, verdict) { return refuse(a.s.lackingReplicas(a)) }},
	checkScriptMemory: {doors: fromScripts, rows: func(c *cmdtable.Spec) bool { return c.Flags&cmdtable.DenyOOM != 0 },
		run: func(a attempt) (string, verdict) {
			if a.s.Config.Memory.Limit == 0 { // the script has turned it off
				return "", passes
			}
			return errtext.OutOfMemory, rejects
		}},
	checkScriptSlots: {doors: fromScripts,
		run: func(a attempt) (string, verdict) { return refuse(a.s.checkSlotInScript(a.sess, a.spec, a.args)) }},
	checkScriptKeys: {doors: fromScripts, rows: usesKeys,
		run: func(a attempt) (string, verdict) { return refuse(a.s.undeclared(a)) }},
	checkReplica: {doors: fromClient,
		run: func(a attempt) (string, verdict) { return refuse(a.s.readOnlyError(a)) }},
	checkSubscriber: {doors: fromClient, rows: func(c *cmdtable.Spec) bool { return !c.AllowedSubscribed },
		run: func(a attempt) (string, verdict) {
			if !a.sess.SubscribeOnly() {
				return "", passes
			}
			return errSubscribeOnly(a.spec), rejects
		}},
	checkStale: {doors: fromClient, run: func(a attempt) (string, verdict) { return refuse(a.s.staleError(a)) }},
	checkLoading: {doors: fromClient,
		run: func(a attempt) (string, verdict) { return refuse(a.s.loadingError(a)) }},
	checkBusy: {doors: fromClient, rows: func(c *cmdtable.Spec) bool { return c.Flags&cmdtable.AllowBusy == 0 },
		run: func(a attempt) (string, verdict) { return refuse(a.s.Run.Busy) }},
	checkReceiver: {doors: fromClient,
		rows: func(c *cmdtable.Spec) bool {
			return c.Flags&(cmdtable.Write|cmdtable.ReadOnly|cmdtable.MayReplicate) != 0
		},
		run: func(attempt) (string, verdict) {
			return "ERR Replica can't interact with the keyspace", rejects
		}},
	checkPause: {doors: fromClient,
		run: func(a attempt) (string, verdict) {
			if a.s.postpone(a.sess, a.spec, a.args) {
				return "", holds
			}
			return "", passes
		}},
	checkCompiler: {doors: fromClient, rows: func(c *cmdtable.Spec) bool { return c.LuaText != 0 },
		run: func(a attempt) (string, verdict) {
			if !a.queued() && a.s.awaitCompiler(a.sess, a.spec, a.args) {
				return "", holds
			}
			return "", passes
		}},
	checkProbe: {doors: fromClient | fromScripts | 1<<cmdtable.DoorExec,
		run: func(a attempt) (string, verdict) { return a.s.probed(a) }},
}

// changesOrExec reports whether a command may change the keyspace itself or by what it runs.
func changesOrExec(c *cmdtable.Spec) bool {
	return c.Flags&cmdtable.Write != 0 || c.IsExec || c.Runs != cmdtable.RunsNoScript
}

// queued reports whether MULTI queues the command.
func (a *attempt) queued() bool { return a.sess.Queueing && !a.spec.RunsInMulti }

// due returns the checks that can refuse a command of the session now. Most commands need none.
func (s *Server) due(sess *Session, door cmdtable.Door, spec *cmdtable.Spec) (due uint32) {
	due = s.standing
	if sess.User != nil && sess.User.Restricted {
		due |= 1 << checkACL
	}
	if s.Persistence != nil && !sess.MustObey {
		due |= 1 << checkDisk
	}
	if door != cmdtable.DoorClient {
		due |= 1 << checkReadOnlyScript
		if !s.Rules.Migrate {
			due |= 1 << checkMigrate
		}
		if s.Following.Active {
			due |= 1<<checkReplicaScript | 1<<checkStaleScript
		}
		if s.Memory.scriptOut {
			due |= 1 << checkScriptMemory
		}
		if s.lacksReplicas {
			due |= 1 << checkGoodReplicas
		}
		if door.FromScript() && s.Run.Wrote {
			due &^= onFirstWrite
		}
		return due & s.commands.checks[spec.ID][door]
	}
	if s.tracking.clients > 0 && (s.overfull() || s.tracking.overfull > 0) {
		due |= 1 << checkTracked
	}
	if sess.MustObey {
		return due & (1 << checkTracked) & s.commands.checks[spec.ID][door] // who sends these commands has checked them
	}
	if s.Following.Active {
		due |= 1<<checkReplica | 1<<checkStale
	}
	due |= 1<<checkDebug | 1<<checkCompiler // few rows have these
	if sess.shared {
		due |= 1 << checkShared
	}
	if !sess.Authenticated {
		due |= 1 << checkLogin
	}
	if sess.Queueing {
		due |= 1 << checkMulti
	}
	if s.Clients.pendingWork {
		due |= 1 << checkClientMemory
	}
	if s.Config.Memory.Limit != 0 {
		due |= 1 << checkMemory
	}
	if s.lacksReplicas {
		due |= 1 << checkGoodReplicas
	}
	if sess.subscribed > 0 {
		due |= 1 << checkSubscriber
	}
	if s.Loading.Active {
		due |= 1 << checkLoading
	}
	if s.Run.Busy != "" {
		due |= 1 << checkBusy
	}
	if sess.Monitors || sess.Peer == PeerReplica {
		due |= 1 << checkReceiver
	}
	if s.Pause.Mode != PauseNone {
		due |= 1 << checkPause
	}
	return due & s.commands.checks[spec.ID][door]
}

// updateStanding notes the checks that are due for every session, which seldom change.
func (s *Server) updateStanding() {
	s.standing = 0
	if s.probe != nil {
		s.standing |= 1 << checkProbe
	}
	if s.slotted {
		s.standing |= 1<<checkSlots | 1<<checkScriptSlots
	}
	if s.strict.policy != AnyKeys {
		s.standing |= 1 << checkScriptKeys
	}
}

// runChecks makes the checks that are due. It returns the reply and true if the command must not
// run now.
func (s *Server) runChecks(due uint32, sess *Session, door cmdtable.Door, spec *cmdtable.Spec, args []string) (v reply.Value, stop bool) {
	for ; due != 0; due &= due - 1 {
		problem, verdict := checks[bits.TrailingZeros32(due)].run(attempt{s, sess, door, spec, args})
		switch verdict {
		case holds:
			return reply.None(), true
		case rejects:
			return s.reject(sess, door, spec, args, problem), true
		case rejectsBySlot:
			return s.refuseSlot(sess, spec, problem), true
		case answers:
			return s.probe.answer, true
		case rejectsInMiddle:
			v = reply.Err(problem)
			s.Stats.CountError(v)
			return v, true
		}
	}
	return v, false
}
