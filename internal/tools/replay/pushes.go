package replay

// The messages and invalidations of a connection, recorded and replayed.

import (
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/reply"
)

// pushes are what a connection has received without a request: in the recording, and in the replay.
// Both are taken off the lists when they are the same.
type pushes struct {
	want, got []string
	same      int
	reordered int // pushes that came in another order
	monitor   int // lines of MONITOR, which are not compared

	bytes      int64 // bytes of want and got
	totalBytes *int64
	compared   bool // they have been compared to the end

	overflowed bool // there were too many bytes: the pushes of the connection are not compared
}

// maxHeldBytes is the number of bytes of pushes, of all connections together, that wait for their
// counterpart.
const maxHeldBytes = 256 << 20

// expect adds a recorded push.
func (p *pushes) expect(raw string) {
	if p.overflowed {
		return
	}
	p.addBytes(pushSize(raw))
	p.want = append(p.want, raw)
	p.checkLimit()
}

// receive adds pushes of the replay.
func (p *pushes) receive(list []string) {
	if p.overflowed {
		p.dropAll()
		return
	}
	for _, raw := range list {
		p.addBytes(pushSize(raw))
	}
	p.got = append(p.got, list...)
	p.match()
	p.checkLimit()
}

// checkLimit gives up if there are too many bytes.
func (p *pushes) checkLimit() {
	if *p.totalBytes > maxHeldBytes {
		p.overflowed = true
		p.dropAll()
	}
}

// pushSize returns about how many bytes of memory a push takes.
func pushSize(raw string) int64 { return int64(len(raw)) + 64 }

// addBytes counts n more bytes.
func (p *pushes) addBytes(n int64) {
	p.bytes += n
	*p.totalBytes += n
}

// dropAll drops all pushes.
func (p *pushes) dropAll() {
	p.want, p.got = nil, nil
	p.addBytes(-p.bytes)
}

// recount counts the bytes of the pushes that are left.
func (p *pushes) recount() {
	n := int64(0)
	for _, list := range [][]string{p.want, p.got} {
		for _, raw := range list {
			n += pushSize(raw)
		}
	}
	p.addBytes(n - p.bytes)
}

// maxPushes is the number of pushes that wait for their counterpart.
const maxPushes = 1 << 14

// match takes off what is the same at the heads of the lists.
func (p *pushes) match() {
	if p.overflowed {
		p.dropAll()
		return
	}
	before := p.monitor
	if p.want, p.got = p.dropMonitor(p.want), p.dropMonitor(p.got); p.monitor != before {
		p.recount()
	}
	n := 0
	for n < len(p.want) && n < len(p.got) && samePush(p.want[n], p.got[n]) {
		n++
	}
	p.same += n
	for i := range n {
		p.addBytes(-pushSize(p.want[i]) - pushSize(p.got[i]))
	}
	p.want, p.got = p.want[n:], p.got[n:]
	if len(p.want) > maxPushes && len(p.got) > maxPushes {
		p.matchAnyOrder()
	}
}

// dropMonitor drops lines of MONITOR: their order, times and addresses are those of the server.
func (p *pushes) dropMonitor(list []string) []string {
	n := len(list)
	list = slices.DeleteFunc(list, func(raw string) bool { return strings.HasPrefix(raw, "+") })
	p.monitor += n - len(list)
	return list
}

// matchAnyOrder takes off what is the same in another order. What is left differs.
func (p *pushes) matchAnyOrder() {
	count := map[string]int{}
	for _, raw := range p.got {
		count[canonicalPush(raw)]++
	}
	p.want = slices.DeleteFunc(p.want, func(raw string) bool {
		key := canonicalPush(raw)
		if count[key] == 0 {
			return false
		}
		count[key]--
		p.same++
		p.reordered++
		return true
	})
	p.got = slices.DeleteFunc(p.got, func(raw string) bool {
		key := canonicalPush(raw)
		if count[key] == 0 {
			return true
		}
		count[key]--
		return false
	})
	p.recount()
}

// samePush reports whether two pushes are the same if the keys of an invalidation have no order.
func samePush(a, b string) bool { return a == b || canonicalPush(a) == canonicalPush(b) }

// canonicalPush brings the keys of an invalidation into one order: Redis defines none.
func canonicalPush(raw string) string {
	if !strings.Contains(raw[:min(len(raw), 40)], "invalidate") {
		return raw
	}
	v, err := decode(raw)
	if err != nil || (v.Kind() != reply.KindPush && v.Kind() != reply.KindArray) {
		return raw
	}
	return sorted(v, false).String()
}
