package deploy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/tools/luatest/report"
)

const (
	silence    = time.Minute // how long a node may take for one reply
	maxMasters = 1000        // of a cluster
	maxAsked   = 1000        // scripts in one SCRIPT EXISTS
)

// harmless returns a text that cannot control a terminal.
func harmless(text string) string { return report.Harmless(text) }

// node is a server that gets the texts.
type node struct {
	name    string // host:port
	remote  *backend.Remote
	info    map[string]string // the fields of INFO
	server  servers.Server    // the nearest that an engine can follow
	release string            // such as "redis 7.0.15"
}

// library is a library as a server lists it.
type library struct {
	text      string
	functions []string // sorted
}

// state is what a node has.
type state struct {
	scripts   map[string]bool // by SHA1; of the scripts that were asked for
	libraries map[string]library
}

// connect connects to a server and reads its INFO.
func connect(ctx context.Context, address string) (*node, error) {
	remote, err := backend.Connect(ctx, address, 2)
	if err != nil {
		return nil, err
	}
	n := &node{name: remote.Name(), remote: remote}
	if err := n.refresh(ctx); err != nil {
		n.close()
		return nil, fmt.Errorf("%s: %w", n.name, err)
	}
	return n, nil
}

func (n *node) close() { n.remote.Close() }

// call sends a command. An error reply is an error.
func (n *node) call(ctx context.Context, args ...string) (engine.Value, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	a, err := n.remote.Do(ctx, args)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no reply for %s", silence)
	}
	if err != nil {
		return a.Value, err
	}
	if a.Value.IsError() {
		name := args[0]
		if len(args) > 1 && container[name] {
			name += " " + args[1]
		}
		return a.Value, fmt.Errorf("%s: %s", name, harmless(a.Value.Text()))
	}
	return a.Value, nil
}

// container are the commands of deployments that have subcommands.
var container = map[string]bool{"ACL": true, "CLUSTER": true, "FUNCTION": true, "SCRIPT": true}

// refresh reads INFO.
func (n *node) refresh(ctx context.Context) error {
	v, err := n.call(ctx, "INFO")
	if err != nil {
		return err
	}
	n.info = map[string]string{}
	for line := range strings.Lines(v.Text()) {
		if field, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			n.info[field] = value
		}
	}
	var known bool
	if n.server, n.release, known = servers.OfInfo(v.Text()); !known {
		return errors.New("INFO has no release of Redis or Valkey")
	}
	return nil
}

// clustered reports whether the node belongs to a cluster.
func (n *node) clustered() bool { return n.info["cluster_enabled"] == "1" }

// mustBeMaster returns an error if the node cannot be written to.
func (n *node) mustBeMaster() error {
	switch {
	case n.info["redis_mode"] == "sentinel":
		return errors.New("this is a Sentinel: deploy to the master that it names (SENTINEL MASTERS)")
	case n.info["role"] == "slave":
		return fmt.Errorf("this is a replica: deploy to its master, %s",
			harmless(net.JoinHostPort(n.info["master_host"], n.info["master_port"])))
	}
	return nil
}

// read reads what the node has: the libraries if wanted, and which of some scripts.
func (n *node) read(ctx context.Context, s *Sources) (*state, error) {
	st := &state{scripts: map[string]bool{}}
	for part := range slices.Chunk(s.Scripts, maxAsked) {
		args := []string{"SCRIPT", "EXISTS"}
		for _, script := range part {
			args = append(args, script.SHA1)
		}
		v, err := n.call(ctx, args...)
		if err != nil {
			return nil, err
		}
		if v.Len() != len(part) {
			return nil, fmt.Errorf("SCRIPT EXISTS: %d replies to %d questions", v.Len(), len(part))
		}
		for i, exists := range v.Slice() {
			st.scripts[part[i].SHA1] = exists.Text() == "1"
		}
	}
	v, err := n.call(ctx, "FUNCTION", "LIST", "WITHCODE")
	if err != nil {
		if len(s.Libraries) == 0 && strings.Contains(err.Error(), "unknown command") {
			return st, nil // before Redis 7.0
		}
		return nil, err
	}
	st.libraries, err = readLibraries(v)
	return st, err
}

// readLibraries reads the reply of FUNCTION LIST WITHCODE.
func readLibraries(v engine.Value) (map[string]library, error) {
	libraries := map[string]library{}
	for _, entry := range v.Slice() {
		fields, err := entry.Map()
		if err != nil {
			return nil, fmt.Errorf("FUNCTION LIST: %w", err)
		}
		l := library{text: fields["library_code"].Text()}
		for _, f := range fields["functions"].Slice() {
			of, err := f.Map()
			if err != nil {
				return nil, fmt.Errorf("FUNCTION LIST: %w", err)
			}
			l.functions = append(l.functions, of["name"].Text())
		}
		slices.Sort(l.functions)
		libraries[fields["library_name"].Text()] = l
	}
	return libraries, nil
}

// connectAll connects to the server at an address or, if it belongs to a cluster, to all masters.
// They are sorted by name. The caller closes them, also after an error.
func connectAll(ctx context.Context, address string) ([]*node, error) {
	first, err := connect(ctx, address)
	if err != nil {
		return nil, err
	}
	if !first.clustered() {
		if err := first.mustBeMaster(); err != nil {
			return []*node{first}, fmt.Errorf("%s: %w", first.name, err)
		}
		return []*node{first}, nil
	}
	defer first.close()
	names, err := first.masters(ctx, backend.Encrypted(address))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", first.name, err)
	}
	var nodes []*node
	for _, name := range names {
		at, err := backend.At(address, name)
		if err != nil {
			return nodes, err
		}
		n, err := connect(ctx, at)
		if err != nil {
			return nodes, fmt.Errorf("a master of the cluster cannot be used: %w", err)
		}
		nodes = append(nodes, n)
		if err := n.mustBeMaster(); err != nil {
			return nodes, fmt.Errorf("%s: %w", name, err)
		}
	}
	return nodes, nil
}

// masters returns the addresses of all masters of the cluster as this node sees it, sorted. It
// leaves out failed ones that serve no slots: replicas have taken their place.
func (n *node) masters(ctx context.Context, encrypted bool) ([]string, error) {
	v, err := n.call(ctx, "CLUSTER", "SHARDS")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range v.Slice() {
		shard, err := entry.Map()
		if err != nil {
			return nil, fmt.Errorf("CLUSTER SHARDS: %w", err)
		}
		name, err := n.masterOf(shard, encrypted)
		switch {
		case err != nil:
			return nil, err
		case name != "":
			names = append(names, name)
		}
	}
	if len(names) == 0 || len(names) > maxMasters {
		return nil, fmt.Errorf("the cluster has %d masters; a deployment needs 1 to %d", len(names), maxMasters)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// masterOf returns the address of the master of a shard, or "" if the shard has neither slots nor a
// master that is alive.
func (n *node) masterOf(shard map[string]engine.Value, encrypted bool) (string, error) {
	serves := shard["slots"].Len() > 0
	var failed string
	for _, entry := range shard["nodes"].Slice() {
		of, err := entry.Map()
		if err != nil {
			return "", fmt.Errorf("CLUSTER SHARDS: %w", err)
		}
		host := of["endpoint"].Text()
		if of["endpoint"].IsNil() || host == "" || host == "?" {
			host, _, _ = net.SplitHostPort(n.name) // a node that does not know its own address
		}
		port := of["port"].Text()
		if encrypted {
			port = of["tls-port"].Text()
		}
		name := net.JoinHostPort(host, port)
		switch {
		case of["role"].Text() != "master":
		case of["health"].Text() == "online" && port == "":
			return "", fmt.Errorf("the master %s has no port for this kind of connection (TLS or not)", harmless(host))
		case of["health"].Text() == "online":
			return name, nil
		default:
			failed = name
		}
	}
	switch {
	case serves && failed != "":
		return "", fmt.Errorf("the master %s has failed, and no replica has taken its place yet: deploy when the cluster is well",
			harmless(failed))
	case serves:
		return "", errors.New("CLUSTER SHARDS: slots without a master: deploy when the cluster is well")
	}
	return "", nil
}
