package difftest

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/patience"
	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// cluster holds the additional state of an [Oracle] in cluster mode.
type cluster struct {
	start func() (*Oracle, error)
	nodes string // CLUSTER NODES at the start
}

// StartCluster starts a server in cluster mode that is the one node, and the owner of all slots.
// The error wraps [ErrNoOracle] when the machine has none.
func StartCluster() (*Oracle, error) {
	bin, err := redistest.Find()
	if err != nil {
		return nil, err
	}
	return startCluster(bin)
}

func startCluster(bin string) (*Oracle, error) {
	// A node that never had a slot waits for the node time-out before it serves, so a short one saves
	// time.
	o, err := startOracle(bin, "--cluster-enabled", "yes", "--cluster-port", redistest.AnyPort, "--cluster-node-timeout", "1")
	if err != nil {
		return nil, err
	}
	o.cluster = &cluster{start: func() (*Oracle, error) { return startCluster(bin) }}
	if err := o.ownSlots(); err != nil {
		o.Stop()
		return nil, err
	}
	return o, nil
}

// ownSlots makes the server the owner of all slots, and returns when it serves them.
func (o *Oracle) ownSlots() error {
	for _, line := range []string{"CLUSTER ADDSLOTSRANGE 0 16383", "CONFIG SET cluster-node-timeout 15000"} {
		if raw, err := o.admin.Do(strings.Fields(line)); err != nil || string(raw) != "+OK\r\n" {
			return fmt.Errorf("oracle: %s: %q %w", line, raw, err)
		}
	}
	err := patience.Try(func() error { // a new node waits before it serves
		raw, err := o.admin.Do([]string{"CLUSTER", "INFO"})
		if err == nil && !bytes.Contains(raw, []byte("cluster_state:ok")) {
			err = fmt.Errorf("oracle: the cluster does not come up: %q", raw)
		}
		return err
	})
	if err != nil {
		return err
	}
	if o.config, err = o.readConfig(); err != nil {
		return err
	}
	o.cluster.nodes, err = o.clusterNodes()
	return err
}

func (o *Oracle) clusterNodes() (string, error) {
	raw, err := o.admin.Do([]string{"CLUSTER", "NODES"})
	return string(raw), err
}

// renew replaces a server in cluster mode whose slots, name or epoch have changed since its start.
func (o *Oracle) renew() error {
	if nodes, err := o.clusterNodes(); err != nil || nodes == o.cluster.nodes {
		return err
	}
	fresh, err := o.cluster.start()
	if err != nil {
		return err
	}
	o.Stop()
	fresh.renamed = o.renamed
	*o = *fresh
	return nil
}
