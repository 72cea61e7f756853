package difftest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/tier"
	"github.com/stretchr/testify/require"
)

// eventMark is the channel of the messages that stand between the events of two items.
const eventMark = "mark"

// heard reports whether what replicas are sent is compared.
func (s style) heard() bool { return s.effects && !s.unheard }

// mark is sent behind each item of a sequence whose events are compared.
func (s style) mark() [][]string {
	if s.events == "" && !s.heard() {
		return nil
	}
	if s.heard() {
		return [][]string{{"PUBLISH", eventMark, ""}, {"INFO", "persistence"}}
	}
	return [][]string{{"PUBLISH", eventMark, ""}}
}

// listeners receive all messages of the oracle and of Redmoon.
type listeners struct {
	sides  [2]*netPipe
	heard  [2]chan hearing
	differ func(it *item, want, got []byte) bool
}

// hearing holds the messages between the marks.
type hearing struct {
	items [][]byte
	err   error
}

// listen subscribes on both sides if the events of the sequence are compared; otherwise it returns
// nil.
func (f *fuzzer) listen(seq *sequence, ours pipe) (*listeners, error) {
	switch {
	case seq.style.heard():
		return f.followEffects(seq, ours)
	case seq.style.events == "":
		return nil, nil
	}
	l := &listeners{differ: func(_ *item, want, got []byte) bool { return !bytes.Equal(want, got) }}
	for i, side := range []*netPipe{f.oracle, ours.(*netPipe)} {
		var err error
		if l.sides[i], err = newNetPipe(side.c.RemoteAddr().String()); err != nil {
			return nil, err
		}
		if _, err := l.sides[i].Run([][]string{{"PSUBSCRIBE", "*"}}); err != nil {
			return nil, err
		}
		l.heard[i] = make(chan hearing, 1)
		go func() { l.heard[i] <- l.hear(i, seq) }()
	}
	return l, nil
}

// hear reads until it has received one mark for each item. With active expiry it leaves out expired
// events, which the oracle sends at unpredictable times.
func (l *listeners) hear(side int, seq *sequence) (h hearing) {
	var part []byte
	for len(h.items) < len(seq.items) && h.err == nil {
		var frame []byte
		if frame, h.err = readFrame(l.sides[side].r, nil); bytes.Contains(frame, []byte("\r\n$4\r\n"+eventMark+"\r\n")) {
			h.items, part = append(h.items, part), nil
			continue
		}
		if seq.style.dead || !bytes.Contains(frame, []byte("expired\r\n")) {
			part = append(part, frame...)
		}
	}
	return h
}

// close ends the subscriptions, if there are any.
func (l *listeners) close() {
	if l != nil && l.sides[0] != nil {
		l.sides[0].Close()
		l.sides[1].Close()
	}
}

// compare returns the first item whose events differ, if it comes before the fault of a reply.
func (l *listeners) compare(seq *sequence, fault *seqFault) (*seqFault, error) {
	if l == nil {
		return nil, nil
	}
	var both [2]hearing
	for i := range both {
		select {
		case both[i] = <-l.heard[i]:
		case <-patience.After():
			return nil, fmt.Errorf("events: side %d has not sent all marks", i)
		}
	}
	want, got := both[0], both[1]
	if want.err != nil || got.err != nil {
		return nil, fmt.Errorf("events: oracle %w, redmoon %w", want.err, got.err)
	}
	for i, it := range seq.items {
		if fault != nil && fault.at <= i {
			break
		}
		if l.differ(it, want.items[i], got.items[i]) {
			return &seqFault{i, fmt.Sprintf("what is sent for %s\n\toracle  %q\n\tredmoon %q", it.text(), want.items[i], got.items[i])}, nil
		}
	}
	return nil, nil
}

// eventRows are the commands whose events are the same on both sides. RANDOMKEY and SCAN find
// expired keys by chance, and SORT reads the elements of a set in the order of its table.
func eventRows(rows []*row) []*row {
	return slices.DeleteFunc(rows, func(r *row) bool {
		return r.name == "randomkey" || r.name == "scan" || strings.HasPrefix(r.name, "sort")
	})
}

// eventLetters draws a value of notify-keyspace-events: mostly all, or some.
func eventLetters(rng *rand.Rand, i int) string {
	if i%3 != 2 {
		return "KEAnm"
	}
	letters := []byte{"KE"[rng.IntN(2)]}
	for _, c := range []byte("g$lshzxetmn") {
		if rng.IntN(2) == 0 {
			letters = append(letters, c)
		}
	}
	return string(letters)
}

// TestRandomEvents compares the keyspace events of random commands, of every class and in order,
// with the oracle's. REDMOON_SEED=n plays other commands, REDMOON_COMMANDS=n sets how many there
// are.
func TestRandomEvents(t *testing.T) {
	needsOracle(t)
	f, visible, dumps := startFuzzer(t)
	randomEvents(t, f, visible, dumps, tier.Number("REDMOON_COMMANDS", 10_000, 40_000))
}

// randomEvents plays count commands and compares their events.
func randomEvents(t *testing.T, f *fuzzer, visible commandSet, dumps []string, count int) {
	seed := tier.Seed()
	shown := findings{}
	for i := 0; f.played < count; i++ {
		fam := fuzzFamilies[i%len(fuzzFamilies)]
		st := style{groups: fam.groups, lex: fam.lex, events: eventLetters(rand.New(rand.NewPCG(seed, uint64(i))), i)}
		seq := makeSequence(f, seed*1_000_000+900_000+uint64(i), i, st, eventRows(rowsOf(visible, fam.groups)), dumps)
		fault, err := f.play(seq)
		require.NoError(t, err, "seed %d, sequence %d", seed, i)
		if fault == nil {
			continue
		}
		f.report(t, shown, fmt.Sprintf("seed %d, sequence %d, events %q", seed, i, st.events), seq, fault)
	}
	t.Logf("%d commands from seed %d", f.played, seed)
}
