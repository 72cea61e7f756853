package main

import "strings"

// The limits of unread output. A hundred clients have a smaller one, so that redis-server fits into
// the memory of the machine.
const (
	oneLimit   = "32mb 0 0"
	crowdLimit = "1mb 0 0"
)

// ways returns the settings of an attack on output that is not read, with the limit of a class.
func ways(class string, enough func(clients int) int, run func(v *victim, rounds int) (int, error)) []setting {
	return everyWay(func(way *setting) {
		bound := oneLimit
		if way.clients > 1 {
			bound = crowdLimit
		}
		way.args = []string{"--client-output-buffer-limit", class + " " + bound}
		way.attack = func(v *victim) (int, error) { return run(v, enough(v.clients)) }
	})
}

// past returns how often output of so many bytes passes the limit, and what the system buffers.
func past(bytes int) func(clients int) int {
	return func(clients int) int {
		if clients > 1 {
			return 6 << 20 / bytes
		}
		return 48 << 20 / bytes
	}
}

// enters returns a function that sends commands and reads the first line of each reply.
func enters(lines ...string) func(c *client) error {
	return func(c *client) error {
		for _, line := range lines {
			if _, err := c.do(strings.Fields(line)...); err != nil {
				return err
			}
		}
		return nil
	}
}

// leave lets the clients in, pours a command into the server, and returns how many clients it has
// closed.
func leave(v *victim, enter func(c *client) error, rounds int, args ...string) (int, error) {
	list, err := v.crowd(enter)
	defer closeAll(list)
	if err != nil {
		return 0, err
	}
	if err := v.admin.pour(rounds, args...); err != nil {
		return 0, err
	}
	return v.closedOf(len(list), 1)
}

var unreadMessages = growth("unread-messages", "subscribers read nothing, and messages of one byte are published",
	ways("pubsub", past(31), func(v *victim, rounds int) (int, error) {
		return leave(v, enters("SUBSCRIBE c"), rounds, "PUBLISH", "c", "x")
	}))

var unreadMessages3 = growth("unread-messages-3", "the same with RESP3, and messages that match two patterns too",
	ways("pubsub", past(31+2*40), func(v *victim, rounds int) (int, error) {
		return leave(v, enters("HELLO 3", "SUBSCRIBE c", "PSUBSCRIBE * c*"), rounds, "PUBLISH", "c", "x")
	}))

var unreadLarge = growth("unread-large-messages", "subscribers read nothing, and messages of 100 KB are published",
	ways("pubsub", past(100<<10), func(v *victim, rounds int) (int, error) {
		return leave(v, enters("SUBSCRIBE c"), rounds, "PUBLISH", "c", strings.Repeat("x", 100<<10))
	}))

var unreadMonitor = growth("unread-monitor", "clients send MONITOR and read nothing, and others send PING",
	ways("normal", past(50), func(v *victim, rounds int) (int, error) {
		return leave(v, enters("MONITOR"), rounds, "PING")
	}))

var unreadTracking = growth("unread-tracking", "clients with CLIENT TRACKING BCAST and RESP3 read nothing, and others write keys",
	ways("normal", past(18), func(v *victim, rounds int) (int, error) {
		if err := v.admin.setMany(10_000); err != nil {
			return 0, err
		}
		list, err := v.crowd(enters("HELLO 3", "CLIENT TRACKING on BCAST"))
		defer closeAll(list)
		if err != nil {
			return 0, err
		}
		if err := v.admin.setMany(rounds); err != nil {
			return 0, err
		}
		return v.closedOf(len(list), 1)
	}))

var unreadRedirect = growth("unread-redirect", "one client lets others, which read nothing, get its invalidations in RESP2",
	ways("pubsub", past(18), func(v *victim, rounds int) (int, error) {
		if err := v.admin.setMany(10_000); err != nil {
			return 0, err
		}
		list, err := v.crowd(enters("SUBSCRIBE __redis__:invalidate"))
		defer closeAll(list)
		if err != nil {
			return 0, err
		}
		trackers := make([]*client, 0, len(list))
		defer func() { closeAll(trackers) }()
		ids, err := v.admin.do("CLIENT", "LIST", "TYPE", "pubsub")
		if err != nil {
			return 0, err
		}
		for line := range strings.Lines(ids) {
			c, err := v.come(tcp)
			if err != nil {
				return 0, err
			}
			trackers = append(trackers, c)
			id := strings.TrimPrefix(strings.Fields(line)[0], "id=")
			if _, err := c.do("CLIENT", "TRACKING", "on", "BCAST", "REDIRECT", id); err != nil {
				return 0, err
			}
		}
		if err := v.admin.setMany(rounds); err != nil {
			return 0, err
		}
		return v.closedOf(len(list), 1+len(trackers))
	}))

var unreadReplica = growth("unread-replica", "replicas read nothing after SYNC, and others write keys",
	ways("slave", past(27), func(v *victim, rounds int) (int, error) {
		if _, err := v.admin.do("CONFIG", "SET", "repl-diskless-sync-delay", "0", "repl-backlog-size", "100kb"); err != nil {
			return 0, err
		}
		list, err := v.crowd(func(c *client) error { _, err := c.Write(command("SYNC")); return err })
		defer closeAll(list)
		if err != nil {
			return 0, err
		}
		if err := v.online(len(list)); err != nil {
			return 0, err
		}
		if err := v.admin.pour(rounds, "SET", "k", "v"); err != nil {
			return 0, err
		}
		return v.closedOf(len(list), 1)
	}))

var unreadReplies = growth("unread-replies", "clients send commands with replies of several forms in RESP3 and read nothing",
	ways("normal", past(1000), func(v *victim, rounds int) (int, error) {
		// 1170 bytes of replies for 40 bytes of commands
		if err := v.admin.pour(1, "HSET", "h", strings.Repeat("a", 500), "1", "b", strings.Repeat("c", 600)); err != nil {
			return 0, err
		}
		list, err := v.crowd(enters("HELLO 3"))
		defer closeAll(list)
		if err != nil {
			return 0, err
		}
		line := []byte("HGETALL h\r\nGET k\r\nLRANGE l 0 -1\r\nINCR n\r\n")
		ends := make(chan struct{})
		for _, c := range list {
			go func() {
				c.sendLines(line, rounds*1000/1170)
				ends <- struct{}{}
			}()
		}
		for range list {
			<-ends
		}
		if err := v.settle(); err != nil { // the system has taken more commands than the server
			return 0, err
		}
		return v.closedOf(len(list), 1)
	}))
