package main

import (
	"fmt"
	"os"
	"strings"
)

// setting is one way to make an attack.
type setting struct {
	name string   // of its figures
	args []string // configuration of the server
	// the attackers have no password, the server has one
	strangers bool
	door      door // through which the attackers come
	clients   int
	// prepare writes files into the folder of the server before it starts. Optional.
	prepare func(dir string) error
	// attack makes the attack and returns how many clients the server has closed.
	attack func(v *victim) (closed int, err error)
}

// victim is a server that is attacked, with a connection that only watches it.
type victim struct {
	*process
	setting
	admin *client
}

// growth returns an attack that is made in several settings. Of each it measures by how much the
// memory of the server grows at most, and how many clients the server closes.
func growth(name, does string, settings []setting) attack {
	return attack{
		name: name, does: does,
		run: func(s server, o options) (f figures, err error) {
			for _, way := range settings {
				if o.quick && way.door != tcp && way.door != "" {
					continue
				}
				grown, closed, err := way.measure(s)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", s.name, way.name, err)
				}
				f = append(f, figure{way.name + " grown by", grown, "KiB"}, figure{way.name + " closed", int64(closed), ""})
			}
			return f, nil
		},
		verdict: func(redmoon, redis figures) string {
			for _, way := range settings {
				grown, closed := way.name+" grown by", way.name+" closed" // of both -1 if the setting was left out
				if redmoon.of(grown) > most(redis.of(grown)) {
					return fmt.Sprintf("%s %d KiB, redis-server %d", grown, redmoon.of(grown), redis.of(grown))
				}
				if redmoon.of(closed) != redis.of(closed) {
					return fmt.Sprintf("%s %d, redis-server %d", closed, redmoon.of(closed), redis.of(closed))
				}
			}
			return ""
		},
	}
}

// most returns by how many KiB Redmoon may grow where redis-server grows by so many. Between two
// collections a Go program lets as much garbage accumulate as it has live memory; redmoon serve
// lets 32 MB more (its ballast).
func most(redis int64) int64 {
	const garbage = 32 << 10
	return redis*3/2 + garbage
}

// measure makes the attack on a new server.
func (way setting) measure(s server) (grown int64, closed int, err error) {
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	if way.prepare != nil {
		if err := way.prepare(dir); err != nil {
			return 0, 0, err
		}
	}
	args := append([]string{"--save", ""}, way.args...)
	if way.strangers {
		args = append(args, "--requirepass", "secret")
	}
	p, err := s.startAt(way.door, dir, args...)
	if err != nil {
		return 0, 0, err
	}
	defer p.kill()
	v := &victim{process: p, setting: way}
	if v.admin, err = p.dial(); err != nil {
		return 0, 0, err
	}
	defer v.admin.Close()
	if way.strangers {
		if _, err := v.admin.do("AUTH", "secret"); err != nil {
			return 0, 0, err
		}
	}
	// What a Go program lets accumulate between two collections does not come from the attack.
	if err := v.admin.pour(300_000, "SET", "warm", "up"); err != nil {
		return 0, 0, err
	}
	before, _, err := p.memory()
	if err != nil {
		return 0, 0, err
	}
	if closed, err = way.attack(v); err != nil {
		return 0, 0, err
	}
	_, peak, err := p.memory()
	return max(0, peak-before), closed, err
}

// crowd lets the clients of the setting in; enter sends what makes each of them what it is.
func (v *victim) crowd(enter func(c *client) error) (list []*client, err error) {
	for range v.clients {
		c, err := v.come(v.door)
		if err != nil {
			return list, err
		}
		list = append(list, c)
		if err := enter(c); err != nil {
			return list, err
		}
	}
	return list, nil
}

func closeAll(list []*client) {
	for _, c := range list {
		_ = c.Close()
	}
}

// closedOf returns how many of so many clients the server does not have any more. It asks until two
// answers are the same: a server may close clients after its reply to the command that was one too
// many.
func (v *victim) closedOf(clients, others int) (closed int, err error) {
	last := -1
	err = until("the end of clients", func() (bool, error) {
		info, err := v.admin.do("CLIENT", "LIST")
		closed = clients + others - strings.Count(info, "\n")
		same := closed == last
		last = closed
		return same, err
	})
	return closed, err
}

// setMany sends n commands that write 10,000 keys in turn.
func (c *client) setMany(n int) error {
	const batch = 1000
	for i := 0; i < n; i += batch {
		var b []byte
		for k := range batch {
			b = append(b, command("SET", fmt.Sprintf("key:%07d", (i+k)%10_000), "v")...)
		}
		c.hurry()
		if _, err := c.Write(b); err != nil {
			return err
		}
		for range batch {
			if err := c.skipReply(); err != nil {
				return err
			}
		}
	}
	return nil
}

// pour sends a command n times on a connection, and reads the replies.
func (c *client) pour(n int, args ...string) error {
	const batch = 1000
	line := command(args...)
	many := make([]byte, 0, batch*len(line))
	for range batch {
		many = append(many, line...)
	}
	for ; n > 0; n -= batch {
		k := min(n, batch)
		c.hurry()
		if _, err := c.Write(many[:k*len(line)]); err != nil {
			return err
		}
		for range k {
			if err := c.skipReply(); err != nil {
				return err
			}
		}
	}
	return nil
}
