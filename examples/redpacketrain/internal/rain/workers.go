package rain

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redmoon-lua/redmoon/examples/redpacketrain/internal/meter"
	"github.com/redmoon-lua/redmoon/scripts/redpacket"
)

// Bounds of what a worker does when calls fail.
const (
	firstPause = 5 * time.Millisecond
	lastPause  = 500 * time.Millisecond
	patience   = time.Minute // for one user
)

// answer is a packet that Grab returned to a user.
type answer struct {
	user   string
	packet redpacket.Packet
}

// round is how many attempts belong together: the last of each round is a second one of the user
// who came first in it.
const round = 20

// attempts is how many attempts it takes until every user has come.
func attempts(users int) int { return users + (users-1)/(round-1) }

// user is the number of the user who makes attempt i.
func user(i int) int {
	first := i / round * (round - 1)
	if i%round == round-1 {
		return first
	}
	return first + i%round
}

// crowd is the users of a run, who come by workers.
type crowd struct {
	o          *Options
	activities []activity
	meter      *meter.Meter
	attempts   int
	next       atomic.Int64 // the attempt that comes next; may go past attempts

	mu       sync.Mutex
	returned []map[string]redpacket.Packet // by activity: the packets that Grab returned to users
	odd      int                           // answers that contradict one before
}

func newCrowd(o *Options, activities []activity, m *meter.Meter) *crowd {
	c := &crowd{o: o, activities: activities, meter: m, attempts: attempts(o.Users)}
	for range activities {
		c.returned = append(c.returned, map[string]redpacket.Packet{})
	}
	return c
}

// run lets the workers loose and returns when all users have come, or with the first failure that
// they cannot get over.
func (c *crowd) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for n := range c.o.Workers {
		wg.Go(func() {
			if err := c.work(ctx, c.meter.Worker(n)); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (c *crowd) work(ctx context.Context, notes *meter.Worker) error {
	mine := make([][]answer, len(c.activities))
	defer func() { c.remember(mine) }()
	for {
		i := int(c.next.Add(1)) - 1
		if i >= c.attempts {
			return nil
		}
		if err := c.o.Admit(ctx, i, c.attempts); err != nil {
			return err
		}
		n := user(i)
		id, a := "u"+strconv.Itoa(n), n%len(c.activities)
		p, has, err := c.grab(ctx, a, id, i%round == round-1, notes)
		if err != nil {
			return fmt.Errorf("%s grabs: %w", id, err)
		}
		if has {
			mine[a] = append(mine[a], answer{id, p})
		}
	}
}

// grab lets a user grab, again after a call whose outcome is unknown, and notes each call. second
// says that the user has been there before. has says that the user has the packet, from now or
// before.
func (c *crowd) grab(ctx context.Context, a int, user string, second bool, notes *meter.Worker) (p redpacket.Packet, has bool, err error) {
	again := false // a call failed, and may have been carried out
	for limit, wait := time.Now().Add(patience), firstPause; ; wait = min(2*wait, lastPause) {
		begin := time.Now()
		g, err := c.activities[a].Grab(ctx, user)
		took := time.Since(begin)
		switch {
		case err == nil || again && !second && errors.Is(err, redpacket.ErrAlreadyGrabbed):
			notes.Note(took, meter.Counts{Grabbed: 1, Cents: g.Amount})
			return g.Packet, true, nil
		case errors.Is(err, redpacket.ErrAlreadyGrabbed):
			notes.Note(took, meter.Counts{Refused: 1})
			return g.Packet, true, nil
		case errors.Is(err, redpacket.ErrEmpty) || errors.Is(err, redpacket.ErrExpired):
			notes.Note(took, meter.Counts{Empty: 1})
			return p, false, nil
		}
		if ctx.Err() != nil || time.Now().After(limit) {
			return p, false, err
		}
		notes.Note(took, meter.Counts{Errors: 1})
		again = true
		if pause(ctx, wait) != nil {
			return p, false, err
		}
	}
}

func (c *crowd) remember(list [][]answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for a, some := range list {
		for _, t := range some {
			if before, ok := c.returned[a][t.user]; ok && before != t.packet {
				c.odd++
			}
			c.returned[a][t.user] = t.packet
		}
	}
}

// pause waits, or returns the error of ctx when that ends before.
func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// packets is how many packets Grab returned to users; for after run.
func (c *crowd) packets() (n int64) {
	for _, returned := range c.returned {
		n += int64(len(returned))
	}
	return n
}
