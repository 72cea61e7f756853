package difftest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/core/enginedoor"
)

// TestRandomCommandsLeaveTheImageAlone plays random commands while an image of the keyspace is
// written in tiny steps. What is written must be the keyspace as it was when the image began.
func TestRandomCommandsLeaveTheImageAlone(t *testing.T) {
	needsOracle(t)
	f, visible, dumps := startFuzzer(t)
	images := 0
	for n, fam := range fuzzFamilies {
		rows := rowsOf(visible, fam.groups)
		for i := range 2 {
			seq := makeSequence(f, 77_000_000+uint64(n)*10_000+uint64(i), 2*i, style{groups: fam.groups, lex: fam.lex}, rows, dumps)
			rm, err := newRedmoonWith(engine.Options{}, Present())
			require.NoError(t, err)
			session, err := rm.Engine.NewSession()
			require.NoError(t, err)
			p := &goPipe{s: session}
			_, err = p.Run(seq.style.setup(seq.server))
			require.NoError(t, err)
			var cmds [][]string
			for _, it := range seq.items {
				cmds = it.wire(cmds, seq.style.proto)
			}
			var w imageWatch
			for len(cmds) > 0 {
				k := min(len(cmds), 5)
				_, err = p.Run(cmds[:k])
				require.NoError(t, err)
				cmds = cmds[k:]
				require.NoError(t, enginedoor.Of(rm.Engine).Store(context.Background(), w.step))
			}
			images += w.images
			p.Close()
			require.NoError(t, rm.Stop())
		}
	}
	require.Greater(t, images, 100)
}

// imageWatch writes images one after the other, and compares each with a fork.
type imageWatch struct {
	img    *datastore.Image
	fork   *datastore.Store
	out    bytes.Buffer
	images int
}

// step begins an image or writes a little more of it.
func (w *imageWatch) step(s *datastore.Store) (err error) {
	if w.img == nil {
		w.out.Reset()
		w.fork = s.Fork(rand.NewPCG(1, 1))
		w.img, err = s.BeginImage(&w.out, datastore.FileOptions{})
		return err
	}
	done, err := w.img.Step(1, nil)
	if err != nil || !done {
		return err
	}
	w.img = nil
	w.images++
	var whole bytes.Buffer
	if err := w.fork.WriteFile(&whole, datastore.FileOptions{}); err != nil {
		return err
	}
	want, err := w.keys(whole.Bytes())
	if err != nil {
		return err
	}
	got, err := w.keys(w.out.Bytes())
	if err != nil {
		return err
	}
	for key, v := range want {
		if got[key] != v {
			return fmt.Errorf("key %s: %q in the image, it was %q", key, got[key], v)
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d keys in the image, there were %d", len(got), len(want))
	}
	return nil
}

// keys returns the keys of a file with their expiry times and serialized values.
func (w *imageWatch) keys(file []byte) (map[string]string, error) {
	limits := *w.fork.Limits()
	s := datastore.New(datastore.Options{Limits: &limits})
	if _, err := s.LoadFile(bytes.NewReader(file), datastore.FileLoadOptions{KeepExpired: true}); err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for i := range s.Databases() {
		s.DB(i).All(func(e *datastore.Entry) bool {
			keys[fmt.Sprintf("%q in DB %d", e.Key(), i)] = fmt.Sprint(e.ExpireAt(), string(datastore.Dump(e.Object(), datastore.DumpOptions{})))
			return true
		})
	}
	return keys, nil
}
