package difftest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// sequence is a random sequence of commands, played on an empty keyspace.
type sequence struct {
	server servers.Server
	style  style
	served bool // Redmoon is asked over a connection
	items  []*item
}

// seqFault is a difference: at an item, or, when at is the number of items, in the keyspace that is
// left.
type seqFault struct {
	at   int
	text string
}

// fuzzer plays sequences on the oracle and on fresh engines.
type fuzzer struct {
	oracle *netPipe
	played int // commands sent to each side
	made   int // sequences
	late   int // of which a difference did not show again
	cover  coverage
	dumps  bool // Redmoon knows DUMP

	mixedSets bool // see sequence.mixesSets

	server  servers.Server // that the oracle is
	options engine.Options // of the fresh engines
	revive  func() error   // starts another oracle after commands that ended it; nil: they end the test
	draws   effectDraw
	replica *replicaPipe // receives what the oracle sends to its replicas; nil until needed
	begun   time.Time    // when the sequence that is played has begun
}

func newFuzzer() (*fuzzer, error) {
	p, err := newNetPipe(theRunner.Oracle.Addr)
	return &fuzzer{oracle: p, cover: coverage{}}, err
}

// newClusterFuzzer is newFuzzer for both sides in cluster mode.
func newClusterFuzzer() (*fuzzer, error) {
	o, err := theRunner.Cluster()
	if err != nil {
		return nil, err
	}
	p, err := newNetPipe(o.Addr)
	return &fuzzer{oracle: p, cover: coverage{}, options: engine.Options{Cluster: true}}, err
}

// encodingLimits are the settings of sequences: first those of Redis, then some with which values
// change their encoding after a few elements, or start with the last one.
var encodingLimits = []string{
	"512 hash-max-listpack-value 64 set-max-intset-entries 512 zset-max-listpack-entries 128 zset-max-listpack-value 64 " +
		"list-max-listpack-size -2 hll-sparse-max-bytes 3000",
	"4 hash-max-listpack-value 20 set-max-intset-entries 3 zset-max-listpack-entries 4 zset-max-listpack-value 20 list-max-listpack-size 4 " +
		"hll-sparse-max-bytes 60",
	"0 hash-max-listpack-value 0 set-max-intset-entries 0 zset-max-listpack-entries 0 zset-max-listpack-value 0 list-max-listpack-size 1 " +
		"hll-sparse-max-bytes 0",
	"100 hash-max-listpack-value 3 set-max-intset-entries 1 zset-max-listpack-entries 100 zset-max-listpack-value 2 list-max-listpack-size " +
		"-1 hll-sparse-max-bytes 300",
}

// setLimits are the parameters for small sets of strings, where a server has them.
var setLimits = []string{"128 set-max-listpack-value 64", "4 set-max-listpack-value 20", "0 set-max-listpack-value 0",
	"100 set-max-listpack-value 3"}

func (s style) limitCommand(of servers.Server) []string {
	cmd := append([]string{"CONFIG", "SET", "hash-max-listpack-entries"}, strings.Fields(encodingLimits[s.limits])...)
	if of.Has(servers.CompactSets) {
		cmd = append(append(cmd, "set-max-listpack-entries"), strings.Fields(setLimits[s.limits])...)
	}
	return cmd
}

func (s style) setup(of servers.Server) [][]string {
	active := "1"
	if s.dead {
		active = "0"
	}
	list := [][]string{{"SELECT", "0"}, {"FLUSHALL"}, {"DEBUG", "SET-ACTIVE-EXPIRE", active}, {"CONFIG", "RESETSTAT"}, s.limitCommand(of),
		{"CONFIG", "SET", "notify-keyspace-events", s.events},
		{"HELLO", strconv.Itoa(s.proto)}}
	if s.effects {
		list = append(list, []string{"FUNCTION", "FLUSH"}, []string{"SCRIPT", "FLUSH"}, []string{"CLIENT", "NO-EVICT", "OFF"},
			[]string{"CONFIG", "SET", "lazyfree-lazy-expire", "no", "lazyfree-lazy-server-del", "no", "lazyfree-lazy-user-del", "no",
				"lazyfree-lazy-user-flush", "no", "lazyfree-lazy-eviction", "no"})
	}
	return list
}

// play plays a sequence and returns the first difference, or nil.
func (f *fuzzer) play(seq *sequence) (*seqFault, error) {
	setup := seq.style.setup(f.server)
	if raw, err := f.oracle.Run(setup); err != nil || slices.ContainsFunc(raw, func(r []byte) bool { return r[0] == '-' }) {
		return nil, fmt.Errorf("oracle: %q: %w", raw, err)
	}
	start := Present()
	f.begun = time.Now()
	ours, stop, err := newRedmoonPipe(f.options, start, !seq.style.heard() && (seq.served || seq.style.events != ""))
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	if raw, err := ours.Run(setup); err != nil || slices.ContainsFunc(raw, func(r []byte) bool { return r[0] == '-' }) {
		return nil, fmt.Errorf("redmoon: %q: %w", raw, err)
	}
	var dirty changeCounts
	want, raw, err := f.both(ours, [][]string{{"INFO", "persistence"}})
	if err != nil {
		return nil, err
	}
	if _, err := dirty.grow(want[0], raw[0]); err != nil {
		return nil, err
	}
	var cmds [][]string
	for _, it := range seq.items {
		cmds = it.wire(cmds, seq.style.proto)
		cmds = append(cmds, seq.style.mark()...)
	}
	f.played += len(cmds) - len(seq.items)*len(seq.style.mark())
	listening, err := f.listen(seq, ours)
	if err != nil {
		return nil, err
	}
	defer listening.close()
	type answer struct {
		raw [][]byte
		err error
	}
	got := make(chan answer, 1)
	go func() {
		raw, err := ours.Run(cmds)
		got <- answer{raw, err}
	}()
	want, err = f.oracle.Run(cmds)
	if err != nil {
		return nil, fmt.Errorf("oracle: %w", err) // the same input may stop Redmoon too
	}
	g := <-got
	if g.err != nil {
		return nil, fmt.Errorf("redmoon: %w", g.err)
	}
	fault := f.compare(seq, dirty, want, g.raw)
	if unheard, err := listening.compare(seq, fault); err != nil {
		return nil, err
	} else if unheard != nil {
		fault = unheard
	}
	if fault == nil {
		var text string
		if text, err = f.counters(ours, seq); err == nil && text == "" && seq.style.dead {
			text, err = f.remains(ours)
		}
		if err == nil && text == "" {
			f.mixedSets = seq.mixesSets()
			text, err = f.keyspaces(ours)
		}
		if text != "" {
			fault = &seqFault{len(seq.items), text}
		}
		if err != nil {
			return nil, err
		}
	}
	ours.Close()
	if err := stop(); err != nil && fault == nil {
		fault = &seqFault{len(seq.items), err.Error()}
	}
	return fault, nil
}

// lagging allows times to differ by as much more as the sequence has lasted: the clock of Redmoon
// stands still, and the machine may be busy.
func (f *fuzzer) lagging(r Relax) Relax {
	return r.lagging(time.Since(f.begun))
}

func (f *fuzzer) compare(seq *sequence, dirty changeCounts, want, got [][]byte) *seqFault {
	at, marks := 0, len(seq.style.mark())
	for i, it := range seq.items {
		n := it.frames()
		w, g := want[at:at+n], got[at:at+n]
		at += n + marks
		for k := range it.steps {
			if r := &it.steps[k].Relax; r.Approx == nearMillis {
				*r = f.lagging(*r)
			}
		}
		if text := it.differs(w, g); text != "" {
			return &seqFault{i, text}
		}
		it.accepted(w, func(k int, ok bool) {
			if ok {
				f.cover.accept(it.rows[k].name)
			}
		})
		if seq.style.heard() {
			if text := dirty.differ(it, want[at-1], got[at-1]); text != "" {
				return &seqFault{i, text}
			}
		}
	}
	return nil
}

// mixesSets reports whether a compact set may have the order of a hash table, by one of the
// commands that store what they have made of other sets.
func (seq *sequence) mixesSets() bool {
	return seq.server.Has(servers.CompactSets) && slices.ContainsFunc(seq.items, func(it *item) bool {
		return slices.ContainsFunc(it.rows, func(r *row) bool {
			return r.name == "sinterstore" || r.name == "sunionstore" || r.name == "sdiffstore"
		})
	})
}

// chancy reports whether the number of look-ups is random: SCAN by type visits different keys on
// each side.
func (seq *sequence) chancy() bool {
	return slices.ContainsFunc(seq.items, func(it *item) bool {
		return slices.ContainsFunc(it.rows, func(r *row) bool { return r.name == "scan" })
	})
}
