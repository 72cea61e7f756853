package recorder

import (
	"crypto/sha1"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
)

// Summary says what has been recorded.
type Summary struct {
	Connections int64
	Open        int64 // connections that are open
	Commands    int64
	Scripts     int64 // commands that have run a script or function
	Texts       int   // different scripts whose texts are in the recording
	Missing     []string
	Pushes      int64
	Unanswered  int64 // commands without a reply, because their connection had ended
	Unparsed    int64 // connections that are not recorded to their end
	Duration    time.Duration
	Bytes       int64 // size of the file
	Full        bool  // the recording has ended because of its size
}

// maxTexts is the number of SHA1s that are remembered.
const maxTexts = 1 << 14

// counts counts what is recorded. It may be used by several goroutines.
type counts struct {
	mu            sync.Mutex
	s             Summary
	known, called map[string]bool // SHA1s of texts, and of calls by SHA1
}

func (c *counts) init() { c.known, c.called = map[string]bool{}, map[string]bool{} }

func (c *counts) add(f func(*Summary)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

func (c *counts) open() {
	c.add(func(s *Summary) {
		s.Connections++
		s.Open++
	})
}

func (c *counts) close()           { c.add(func(s *Summary) { s.Open-- }) }
func (c *counts) unanswered(n int) { c.add(func(s *Summary) { s.Unanswered += int64(n) }) }

// request counts a request, of which args may be only the end.
func (c *counts) request(args []recording.Arg) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Commands++
	if len(args) < 2 {
		return
	}
	note := func(set map[string]bool, sha string) {
		if len(set) < maxTexts {
			set[sha] = true
		}
	}
	spec := rows.Resolve([]string{args[0].Text, args[1].Text})
	if spec == nil {
		return
	}
	if spec.Runs != cmdtable.RunsNoScript {
		c.s.Scripts++
	}
	switch {
	case spec.Runs == cmdtable.RunsSource:
		note(c.known, shaOf(args[1].Text))
	case spec.Runs == cmdtable.RunsSHA:
		note(c.called, strings.ToLower(args[1].Text))
	case spec.Changes&cmdtable.Scripts != 0 && spec.LuaText > 0 && len(args) > spec.LuaText: // SCRIPT LOAD
		note(c.known, shaOf(args[spec.LuaText].Text))
	}
}

var rows = cmdrows.TableOf(servers.Redis80)

func shaOf(text string) string {
	sum := sha1.Sum([]byte(text))
	return hex.EncodeToString(sum[:])
}

func (c *counts) summary() Summary {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.s
	s.Texts = len(c.known)
	for _, sha := range slices.Sorted(maps.Keys(c.called)) {
		if !c.known[sha] && len(sha) == 2*sha1.Size {
			s.Missing = append(s.Missing, sha)
		}
	}
	return s
}

// sink writes what a dialogue finds to the recording.
type sink struct {
	*recording.Writer
	conn  int64
	count *counts
	more  bool // pieces of the request have come
}

func (s *sink) Request(n int64, args []recording.Arg, more bool) {
	s.Writer.Request(s.conn, n, args, more)
	if !more {
		if s.more {
			args = nil // the name is in an earlier piece
		}
		s.count.request(args)
	}
	s.more = more
}

func (s *sink) Reply(n int64, raw []byte, more bool, cut *recording.Cut) {
	s.Writer.Reply(s.conn, n, raw, more, cut)
}

func (s *sink) HiddenReply(n int64) { s.Writer.HiddenReply(s.conn, n) }
func (s *sink) Silent(n int64)      { s.Writer.Silent(s.conn, n) }

func (s *sink) Push(raw []byte, more bool) {
	s.Writer.Push(s.conn, raw, more)
	if !more {
		s.count.add(func(s *Summary) { s.Pushes++ })
	}
}

func (s *sink) Unparsed(why string) {
	s.Writer.Unparsed(s.conn, why)
	s.count.add(func(s *Summary) { s.Unparsed++ })
}
