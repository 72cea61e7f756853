package redistest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// Cluster is a Redis Cluster of redis-server processes: masters that share the slots evenly,
// without replicas.
type Cluster struct {
	Masters []*Server
}

// StartCluster starts a cluster of masters (at least 1) and returns when all of them serve.
// args are further arguments of each redis-server.
func StartCluster(masters int, args ...string) (*Cluster, error) {
	c := &Cluster{}
	for range masters {
		s, err := startMaster(args)
		if err != nil {
			c.Stop()
			return nil, err
		}
		c.Masters = append(c.Masters, s)
	}
	if err := c.join(); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func startMaster(args []string) (*Server, error) {
	// A node that never had a slot waits for the node time-out before it serves, so a short one saves
	// time.
	return Start(append([]string{"--cluster-enabled", "yes", "--cluster-port", AnyPort, "--cluster-node-timeout", "500"}, args...)...)
}

// join makes one cluster of the masters.
func (c *Cluster) join() error {
	for i, s := range c.Masters {
		first, last := engine.Slots*i/len(c.Masters), engine.Slots*(i+1)/len(c.Masters)-1
		if _, err := s.Do("CLUSTER", "ADDSLOTSRANGE", strconv.Itoa(first), strconv.Itoa(last)); err != nil {
			return err
		}
		if _, err := s.Do("CLUSTER", "SET-CONFIG-EPOCH", strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	if err := c.meet(); err != nil {
		return err
	}
	asked := 0
	if err := patience.Try(func() error {
		if asked++; asked%meetAgain == 0 {
			// On a busy machine one of two may have given up before the other answered. It does not retry.
			if err := c.meet(); err != nil {
				return err
			}
		}
		return c.serves()
	}); err != nil {
		return err
	}
	return c.bePatient()
}

// meetAgain is after how many questions the masters are introduced again.
const meetAgain = 500

// bePatient makes masters that do not hear from each other, as on a busy machine, serve on.
func (c *Cluster) bePatient() error {
	for _, s := range c.Masters {
		if _, err := s.Do("CONFIG", "SET", "cluster-node-timeout", "60000"); err != nil {
			return err
		}
	}
	return nil
}

// meet introduces all masters to the first.
func (c *Cluster) meet() error {
	for _, s := range c.Masters[1:] {
		v, err := s.Do("CONFIG", "GET", "cluster-port")
		if err != nil {
			return err
		}
		if _, err := c.Masters[0].Do(append([]string{"CLUSTER", "MEET"}, append(strings.Split(s.Addr, ":"), v.Strings()[1])...)...); err != nil {
			return err
		}
	}
	return nil
}

// Await returns when every master knows all others and serves.
func (c *Cluster) Await() error {
	if err := patience.Try(c.serves); err != nil {
		return err
	}
	return c.bePatient() // one that was started again has forgotten it
}

// serves returns an error when a master does not know all others, or does not serve.
func (c *Cluster) serves() error {
	for _, s := range c.Masters {
		v, err := s.Do("CLUSTER", "INFO")
		if err != nil {
			return err
		}
		for _, want := range []string{"cluster_state:ok", "cluster_slots_ok:16384", "cluster_size:" + strconv.Itoa(len(c.Masters))} {
			if !strings.Contains(v.Text(), want) {
				return fmt.Errorf("the cluster does not come up: %q on %s", v.Text(), s.Addr)
			}
		}
	}
	return nil
}

// Addrs are the addresses of the masters.
func (c *Cluster) Addrs() []string {
	addrs := make([]string, len(c.Masters))
	for i, s := range c.Masters {
		addrs[i] = s.Addr
	}
	return addrs
}

// Of returns the master that owns the slot of a key.
func (c *Cluster) Of(key string) *Server {
	slot := engine.Slot(key)
	for i, s := range c.Masters {
		if slot < engine.Slots*(i+1)/len(c.Masters) {
			return s
		}
	}
	return nil
}

// FlushAll empties all masters.
func (c *Cluster) FlushAll() error {
	var errs []error
	for _, s := range c.Masters {
		_, err := s.Do("FLUSHALL")
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Stop ends all processes.
func (c *Cluster) Stop() {
	for _, s := range c.Masters {
		s.Stop()
	}
}
