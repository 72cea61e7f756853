package lint

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
	"github.com/redmoon-lua/redmoon/internal/testing/seeds"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/reply"
)

// step is a command of a case file with what the engine replied.
type step struct {
	place string
	args  []string
	reply reply.Value
	ok    bool // the reply was not an error
}

// playCaseFiles runs the commands of all case files that need one session and do not wait.
func playCaseFiles(t *testing.T) (steps []step) {
	table := cmdrows.TableOf(servers.Redis70)
	paths, err := filepath.Glob(filepath.Join(difftest.Root(), "internal/testing/difftest/testdata/*/*.rdt"))
	require.NoError(t, err)
	require.Greater(t, len(paths), 100)
	for _, path := range paths {
		f, err := difftest.ParseFile(path)
		require.NoError(t, err)
		if f.Cluster || f.Compat() != "" || len(f.Seeds) > 0 {
			continue
		}
		e := redmoontest.New(t)
		s, err := e.NewSession()
		require.NoError(t, err)
		for _, st := range f.Steps {
			if st.Busy || st.Blocks || st.Name != "" || st.Raw != "" {
				break
			}
			if len(st.Args) == 0 || !plain(table, st.Args) {
				continue
			}
			v, err := s.DoStrings(context.Background(), st.Args...)
			place := filepath.Base(path) + ":" + strings.Join(st.Args[:min(3, len(st.Args))], " ")
			steps = append(steps, step{place, st.Args, v.Clone(), err == nil && !v.IsError()})
		}
		require.NoError(t, s.Close())
	}
	return steps
}

// The rules agree with what the commands and scripts of the case files do.
func TestCaseFiles(t *testing.T) {
	tier.Landing(t)
	steps := playCaseFiles(t)
	t.Run("accepted commands fit their syntax", func(t *testing.T) { acceptedFit(t, steps) })
	t.Run("replies have the types that the rules know", func(t *testing.T) { repliesOfTheirTypes(t, steps) })
	t.Run("scripts that run have no finding that they fail", func(t *testing.T) { runningPass(t, steps) })
}

// plain reports whether a command neither waits nor changes the session.
func plain(table *cmdtable.Table, args []string) bool {
	s := table.Resolve(args)
	if s == nil || s.Flags&cmdtable.Blocking != 0 {
		return false
	}
	return s.Flags&(cmdtable.NoScript|cmdtable.Admin|cmdtable.NoMulti) == 0 || slices.Contains([]string{"scripting"}, s.Group)
}

// notRead are commands whose later arguments Redis does not read: the key is absent, or the value
// is empty.
var notRead = map[string]bool{
	"GEORADIUSBYMEMBER nokey Palermo x yd":                            true,
	"GEORADIUSBYMEMBER nokey Palermo x yd STORE r3":                   true,
	"GEOSEARCH Sicily FROMMEMBER Palermo BYRADIUS 300 mi any count 3": true,
	"ZSCAN nokey 0 foo 1":                                             true,
	"bitpos nokey 0 5 7 x x":                                          true,
	"bitfield_ro k overflow fail get u8 0 overflow sat":               true,
	"bitfield o overflow fail":                                        true,
	"bitfield nokey overflow fail":                                    true,
	"bitcount s -1 -2 x":                                              true,
	"bitcount nokey x":                                                true,
	"bitcount nokey 1":                                                true,
	"bitcount nokey 0 1 bit x":                                        true,
	"bitcount nokey 0 1 x":                                            true,
	"XPENDING s g - + 10 a x":                                         true,
	"MIGRATE 127.0.0.1 1 nokey 0 1 AUTH a AUTH2 a b":                  true,
	"MIGRATE 127.0.0.1 1  0 1 KEYS":                                   true,
	"bitpos nokey 0 x":                                                true,
	"bitpos nokey 1 x":                                                true,
	"LINDEX nokey x":                                                  true,
	"getex nokey ex x":                                                true,
	"getex nokey ex 0":                                                true,
	"GETEX nokey EX 0":                                                true,
	"BITCOUNT nokey 1  ":                                              true,
	"BITCOUNT nokey  1 x":                                             true,
	"BITCOUNT nokey 1 x BIT":                                          true,
	"ZSCAN nokey 0 NOSCORES":                                          true,
}

// acceptedFit requires that what Redis accepts fits the syntax of its row.
func acceptedFit(t *testing.T, steps []step) {
	l, err := New(Config{})
	require.NoError(t, err)
	n := 0
	for _, s := range steps {
		if !s.ok {
			continue
		}
		spec := l.target.Resolve(s.args)
		c := &call{words: s.args, spec: spec}
		if len(spec.Subs) > 0 || spec.Group == "server" {
			continue
		}
		n++
		if notRead[strings.Join(s.args, " ")] || strings.Contains(strings.Join(s.args, ""), "\x00") {
			continue
		}
		if at, why := c.refused(l.arguments(c.spec, "")); at > 0 {
			t.Errorf("%s: argument %d: %s: %q", s.place, at, why, s.args)
		}
		if c.spec.LooseSyntax {
			continue
		}
		if at, ok := fitsSyntax(l.arguments(spec, ""), c.typed(), false); !ok {
			t.Errorf("%s: argument %d: %q", s.place, at, s.args)
		}
	}
	require.Greater(t, n, 3000)
}

// repliesOfTheirTypes requires that the rules expect the types that replies have, also the elements
// of arrays.
func repliesOfTheirTypes(t *testing.T, steps []step) {
	l, err := New(Config{})
	require.NoError(t, err)
	p := &pass{l: l}
	seen := map[string]bool{}
	for _, s := range steps {
		spec := l.newest.Resolve(s.args)
		if !s.ok || spec == nil || !spec.HasHandler() || strings.Contains(strings.Join(s.args, ""), "\x00") {
			continue
		}
		c := &call{words: s.args, spec: spec}
		r := p.replyTo(c)
		if r.Kinds == cmdtable.ReplyAny {
			continue
		}
		seen[c.name()] = true
		assert.True(t, fits(s.reply, r), "%s: %q replies %v, not %q", s.place, s.args, s.reply, spec.Reply)
	}
	require.Greater(t, len(seen), 200)
}

// fits reports whether a value is what a row expects. RESP3 has kinds of its own.
func fits(v reply.Value, r cmdtable.Reply) bool {
	if r.Kinds&cmdtable.ReplyAny != 0 {
		return true
	}
	switch k := v.Kind(); k {
	case reply.KindArray, reply.KindSet, reply.KindMap:
		if r.Kinds&cmdtable.ReplyArray == 0 || k == reply.KindMap && !r.Map {
			return false
		}
		for i, element := range v.Slice() {
			if len(r.Elements) > 0 && !fits(element, cmdtable.Reply{Kinds: r.Elements[i%len(r.Elements)]}) {
				return false
			}
		}
		return true
	default:
		return r.Kinds&kindOf(v) != 0
	}
}

func kindOf(v reply.Value) cmdtable.ReplyKind {
	switch v.Kind() {
	case reply.KindInt, reply.KindBool:
		return cmdtable.ReplyInt
	case reply.KindStatus:
		if v.Text() == "OK" {
			return cmdtable.ReplyOK
		}
		return cmdtable.ReplyStatus
	case reply.KindNil, reply.KindNilArray:
		return cmdtable.ReplyNil
	case reply.KindDouble:
		return cmdtable.ReplyNumber
	}
	if _, err := strconv.ParseFloat(v.Text(), 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return cmdtable.ReplyText | cmdtable.ReplyNumber
	}
	return cmdtable.ReplyText
}

// failing are the rules that say that a script fails when it gets to a place.
var failing = []string{"syntax-error", "unknown-command", "wrong-arity", "bad-option", "refused-command", "undeclared-global",
	"write-in-no-writes", "bad-argument", "missing-field", "failing-call", "read-only-library"}

// runningPass requires of each script without branches: if it ran to its end, no finding says that
// it fails.
func runningPass(t *testing.T, steps []step) {
	l, err := New(Config{})
	require.NoError(t, err)
	n := 0
	for _, s := range steps {
		if !s.ok || len(s.args) < 3 || !strings.EqualFold(s.args[0], "eval") || branches(s.args[1]) {
			continue
		}
		n++
		for _, f := range l.Lint(Script{Source: s.args[1]}) {
			if slices.Contains(failing, f.Rule) {
				t.Errorf("%s: %s: %s\n%s", s.place, f.Rule, f.Message, s.args[1])
			}
		}
	}
	require.Greater(t, n, 1000)
}

// branches reports whether parts of a script may not run, or run protected.
func branches(source string) bool {
	for _, word := range []string{"if", "pcall", "function", "and", "or", "while", "for", "loadstring", "acl_check_cmd"} {
		if strings.Contains(source, word) {
			return true
		}
	}
	return false
}

// The published scripts get what a reviewer would say, and nothing else.
func TestPublishedScripts(t *testing.T) {
	want := map[string][]string{
		"coupon_claim.lua":   nil,
		"hongbao_grab.lua":   {"6:35 value-in-keys"},
		"lock_release.lua":   nil,
		"redpacket_rain.lua": {"8:16 value-in-keys"},
	}
	l, err := New(Config{})
	require.NoError(t, err)
	for name, want := range want {
		text := seeds.Need(t, name)
		var got []string
		for _, f := range l.Lint(Script{Source: text}) {
			got = append(got, placeOf(f))
		}
		require.Equal(t, want, got, name)
	}
}
