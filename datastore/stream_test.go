package datastore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// streamMill makes random changes to a stream.
type streamMill struct {
	r  *rand.Rand
	st *Store
	s  *Stream
}

func newStreamMill(t *testing.T, seed uint64) *streamMill {
	t.Helper()
	st := New(Options{})
	st.SetNow(1_000_000)
	st.limits.DeliveryOrder, st.limits.StreamIDMPMaxSize = seed%3 == 0, 3
	st.limits.StreamNodeMaxEntries = []int{4, 40}[seed%2]
	s, err := st.DB(0).StreamForWrite("s")
	require.NoError(t, err)
	return &streamMill{rand.New(rand.NewPCG(seed, 3)), st, s}
}

func (m *streamMill) id() StreamID { return StreamID{uint64(m.r.IntN(int(m.s.last.Ms) + 3)), 0} }

func (m *streamMill) step() {
	_, _ = m.st.DB(0).Stream("s") // opens it for changes
	s, r := m.s, m.r
	g := s.Group(fmt.Sprint("g", r.IntN(3)))
	var c *StreamConsumer
	if g != nil {
		c = g.Consumer(fmt.Sprint("c", r.IntN(3)))
	}
	switch n := r.IntN(19); {
	case n < 5:
		id := StreamID{s.last.Ms + uint64(1+r.IntN(300)), 0}
		_ = s.Add(id, []string{"f", fmt.Sprint(r.IntN(1000)), fmt.Sprint("g", r.IntN(2)), "v"})
	case n == 5:
		s.needMarks() // even if the nodes are small
		s.Delete([]StreamID{m.id(), m.id(), s.first})
	case n == 6:
		s.Trim(StreamTrim{ByID: r.IntN(2) == 0, MinID: m.id(), MaxLen: int64(r.IntN(12)), Approx: r.IntN(2) == 0, Refs: StreamRefs(r.IntN(3))})
	case n == 7:
		s.CreateGroup(fmt.Sprint("g", r.IntN(3)), m.id(), int64(r.IntN(9)-1))
	case n == 8 && r.IntN(4) == 0:
		s.DestroyGroup(fmt.Sprint("g", r.IntN(3)))
	case n == 9:
		s.SetID(StreamID{s.last.Ms + uint64(r.IntN(2)), 0}, nil, m.id())
	case n == 16:
		m.produce(fmt.Sprint("p", r.IntN(3)), fmt.Sprint(r.IntN(9)))
	case n == 17 && r.IntN(4) == 0:
		s.ConfigureProducers(int64(1+r.IntN(2)), int64(1+r.IntN(4)))
	case n == 18:
		m.st.SetNow(m.st.NowMicros() + int64(r.IntN(900_000)))
		s.DropRefs(m.id())
	case g == nil:
	case n == 10:
		g.CreateConsumer(fmt.Sprint("c", r.IntN(3)))
	case n == 11:
		g.Ack(m.id())
	case n == 12:
		g.Delivered(m.id())
	case c == nil:
	case n == 13 && r.IntN(4) == 0:
		g.DeleteConsumer(c)
	case n == 14:
		m.st.SetNow(m.st.NowMicros() + 5000)
		g.Touch(c)
	default:
		g.Assign(c, m.id(), int64(r.IntN(1000)), uint64(r.IntN(9)))
	}
}

// produce adds what a producer adds, or remembers it for an entry at random.
func (m *streamMill) produce(pid, iid string) {
	if _, ok := m.s.Produced(pid, iid); ok {
		m.s.Repeated()
		return
	}
	m.s.Remember(pid, iid, StreamID{uint64(m.st.Now() - int64(m.r.IntN(1000))), 0})
}

func (m *streamMill) dump() string { return m.dumpOf(m.s) }

// dumpOf also has what a dump does not have.
func (m *streamMill) dumpOf(o Object) string {
	s := o.(*Stream)
	now := m.st.NowMicros()
	m.st.SetNow(1_000_000) // nothing has expired
	defer m.st.SetNow(now)
	more := fmt.Sprintln(s.ProducersInfo())
	s.EachProducer(func(pid string, ids []StreamProduced) bool { more += fmt.Sprintln(pid, ids); return true })
	for _, g := range s.groups {
		more += fmt.Sprintln(g.name, g.turns, len(g.Idle(1<<62)))
	}
	return string(Dump(s, DumpOptions{})) + more
}

func TestStreamRollback(t *testing.T) {
	for seed := range uint64(30) {
		m := newStreamMill(t, seed)
		for range 20 {
			for range m.r.IntN(30) {
				m.step()
			}
			before := m.dump()
			mark := m.st.Begin()
			for range m.r.IntN(40) {
				m.step()
				require.NoError(t, m.st.Check())
			}
			m.st.Rollback(mark)
			require.NoError(t, m.st.Check())
			require.Equal(t, before, m.dump())
		}
	}
}

func TestStreamCloneChangesIndependently(t *testing.T) {
	for seed := range uint64(20) {
		m := newStreamMill(t, seed)
		for range 200 {
			m.step()
		}
		before := m.dump()
		c := Clone(m.s)
		require.NoError(t, c.check())
		for range 100 {
			m.step()
		}
		require.Equal(t, before, m.dumpOf(c))
	}
}

func TestStreamRangesAgreeWithAList(t *testing.T) {
	m := newStreamMill(t, 9)
	for range 3000 {
		m.step()
		var all []StreamID
		m.s.Range(StreamID{}, MaxStreamID, func(e *StreamEntry) bool { all = append(all, e.ID); return true })
		require.Len(t, all, m.s.Len())
		from, to := m.id(), m.id()
		var want, got, back []StreamID
		for _, id := range all {
			if !id.Before(from) && !to.Before(id) {
				want = append(want, id)
			}
			require.True(t, m.s.Has(id))
		}
		m.s.Range(from, to, func(e *StreamEntry) bool { got = append(got, e.ID); return true })
		m.s.RevRange(from, to, func(e *StreamEntry) bool { back = append([]StreamID{e.ID}, back...); return true })
		require.Equal(t, want, got)
		require.Equal(t, want, back)
	}
}

func TestIDIndexAgreesWithAMap(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	var x idIndex[int]
	model := map[StreamID]int{}
	grow := 3
	for i := range 60000 {
		id := StreamID{uint64(r.IntN(2000)), uint64(r.IntN(3))}
		if i%9000 == 0 {
			grow = 1 + r.IntN(3)
		}
		if r.IntN(4) < grow {
			_, had := model[id]
			require.Equal(t, !had, x.set(id, i))
			model[id] = i
		} else {
			want, had := model[id]
			v, ok := x.remove(id)
			require.Equal(t, had, ok)
			require.Equal(t, want, v)
			delete(model, id)
		}
		v, ok := x.get(id)
		want, had := model[id]
		require.Equal(t, had, ok)
		require.Equal(t, want, v)
		if i%500 == 0 {
			require.NoError(t, x.check())
			require.Equal(t, len(model), x.len())
		}
	}
}

func TestStreamGivesGreaterIDsWhenTheClockGoesBack(t *testing.T) {
	m := newStreamMill(t, 1)
	last := StreamID{}
	for _, micros := range []int64{5_000_000, 5_000_000, 1_000_000, 5_001_000, 0, 9_000_000} {
		m.st.SetNow(micros)
		id := m.s.NextID()
		require.True(t, last.Before(id), "%s behind %s", id, last)
		require.NoError(t, m.s.Add(id, []string{"f", "v"}))
		last = id
	}
}
