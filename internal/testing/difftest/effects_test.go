package difftest

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/resp"
)

// effectFamilies are the families of case files whose effects are compared: those about data,
// blocking, transactions and scripts.
var effectFamilies = []string{"bitmaps", "blocking", "doors", "dump", "encodings", "functions", "geo", "hashes", "hyperloglogs", "keys",
	"lists", "pubsub", "scripting", "sets", "sort", "streams", "strings", "tx", "zsets"}

// TestEffectsOfCases plays case files and compares what the oracle and Redmoon send to replicas
// after each step, byte for byte except for times: TestEffectsOfCases/<family>/<file>.
func TestEffectsOfCases(t *testing.T) {
	needsOracle(t)
	o := oracleOfItsOwn(t)
	oracle, err := newNetPipe(o.Addr)
	require.NoError(t, err)
	defer oracle.Close()
	replica, err := startReplica(oracle)
	require.NoError(t, err)
	defer replica.c.Close()
	eachPlainCase(t, func(t *testing.T, f *File) {
		require.NoError(t, o.Reset())
		require.NoError(t, keepReplica(oracle))
		want, outs, err := oracleEffects(o, replica, f)
		require.NoError(t, err)
		got, err := ourEffects(f)
		require.NoError(t, err)
		for i := range f.Steps {
			s := &f.Steps[i]
			if s.Differs == "" && sentDiffers(s, want[i], got[i]) {
				t.Errorf("%s:%d: what is sent for %s (%s)\n\toracle  %q\n\tredmoon %q", filepath.ToSlash(f.Path), s.Line, s.text(),
					outs[i].clipped(), want[i], got[i])
			}
		}
	})
}

// eachPlainCase runs a test for each case file of effectFamilies that needs neither a cluster nor a
// later version of Redis.
func eachPlainCase(t *testing.T, test func(t *testing.T, f *File)) {
	families := caseFiles(t)
	for _, family := range effectFamilies {
		t.Run(family, func(t *testing.T) {
			require.NotEmpty(t, families[family])
			for _, path := range families[family] {
				f, err := ParseFile(path)
				require.NoError(t, err)
				plain := slices.Contains(f.Doors, DoorRESP) || slices.Contains(f.Doors, DoorGo)
				if f.Cluster || f.Compat() != "" || !plain || slices.Contains(retryingCases, filepath.Base(path)) {
					continue
				}
				t.Run(strings.TrimSuffix(filepath.Base(path), ".rdt"), func(t *testing.T) {
					needSeeds(t, f)
					test(t, f)
				})
			}
		})
	}
}

// retryingCases have scripts that write again until the clock stands still.
var retryingCases = []string{"expiry_moment.rdt"}

// sentDiffers reports whether what was sent for a step differs. A step with a random answer may
// send other arguments.
func sentDiffers(s *Step, want, got []byte) bool {
	a, err := sentCommands(want)
	b, err2 := sentCommands(got)
	if err != nil || err2 != nil || len(a) != len(b) {
		return true
	}
	random := strings.Contains(strings.ToLower(strings.Join(s.Args, " ")), "spop") || s.Relax.Kind || s.Relax.Count || s.Relax.Unordered
	for i := range a {
		if a[i][0] != b[i][0] || len(a[i]) != len(b[i]) {
			return true
		}
		for j := range a[i] {
			if x, y := a[i][j], b[i][j]; x != y && !nearTimes(x, y) && !random {
				return true
			}
		}
	}
	return false
}

// noActiveExpiry keeps expired keys until a command finds them, so that both sides remove them at
// the same step.
var noActiveExpiry = []string{"DEBUG", "SET-ACTIVE-EXPIRE", "0"}

// oracleEffects plays f on the oracle and returns what it sends to replicas after each step.
func oracleEffects(o *Oracle, replica *replicaPipe, f *File) (sent [][]byte, outs []outcome, err error) {
	mark := func(int) error {
		if _, err := o.admin.Do([]string{"PUBLISH", eventMark, ""}); err != nil {
			return err
		}
		var part []byte
		for {
			frame, err := readFrame(replica.r, nil)
			if err != nil {
				return err
			}
			if isMark(frame) {
				break
			}
			if !bytes.Contains(frame, []byte("\r\nREPLCONF\r\n")) { // asks the replica
				part = append(part, frame...)
			}
		}
		sent = append(sent, part)
		return nil
	}
	if _, err := o.admin.Do(noActiveExpiry); err != nil {
		return nil, nil, err
	}
	if err := mark(0); err != nil {
		return nil, nil, err
	}
	sent = nil
	outs, err = (&pass{peer: o, wrap: wrapNone, seeds: theRunner.Seeds, ids: f.ids, after: mark}).play(f)
	return sent, outs, err
}

// ourEffects is oracleEffects for a fresh engine.
func ourEffects(f *File) (sent [][]byte, err error) {
	r, err := serveRedmoon(f.options(), Present())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	var part []byte
	stream := &server.EffectStream{To: server.ToReplicas, Selected: 1}
	err = enginedoor.Of(r.Engine).Receive(server.ToReplicas, func(list []server.Effect, together bool) {
		part = stream.Append(part, list, together)
	})
	if err != nil {
		return nil, err
	}
	admin, err := r.Open()
	if err != nil {
		return nil, err
	}
	defer admin.Close()
	if _, err := admin.Do(noActiveExpiry); err != nil {
		return nil, err
	}
	frame := resp.AppendCommand(nil, "PUBLISH", eventMark, "")
	_, err = (&pass{peer: r, wrap: wrapNone, seeds: theRunner.Seeds, ids: f.ids, after: func(int) error {
		if _, err := admin.Do([]string{"PUBLISH", eventMark, ""}); err != nil {
			return err
		}
		step := slices.Clone(part[:max(0, len(part)-len(frame))])
		part = part[:0]
		sent = append(sent, step)
		return nil
	}}).play(f)
	return sent, err
}
