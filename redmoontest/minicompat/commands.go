package miniredis

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
)

// tables holds, for each server that is followed, a map of its commands: by name in lower case,
// whether they only read.
var tables sync.Map

// commandsOf asks an engine for its commands, the first time that one follows this server.
func commandsOf(e *engine.Engine, followed string) (map[string]bool, error) {
	if known, ok := tables.Load(followed); ok {
		return known.(map[string]bool), nil
	}
	v, err := e.DoStrings(context.Background(), "COMMAND")
	if err != nil {
		return nil, err
	}
	readOnly := map[string]bool{}
	for _, c := range v.Slice() {
		info := c.Slice()
		readOnly[info[0].Text()] = slices.Contains(info[2].Strings(), "readonly")
	}
	tables.Store(followed, readOnly)
	return readOnly, nil
}

// known reports whether the engine has a command, and whether it only reads.
func (m *Miniredis) known(name string) (known, readOnly bool) {
	if commands := m.power.readOnly.Load(); commands != nil {
		readOnly, known = (*commands)[strings.ToLower(name)]
	}
	return known, readOnly
}

// ownCommand runs the commands that are other than those of the engine. It returns false for the
// rest.
func (m *Miniredis) ownCommand(c *server.Peer, cmd string, args []string) bool {
	switch cmd {
	case "CLUSTER":
		return m.clusterCommand(c, args)
	case "WAIT": // there are no replicas to wait for
		if _, err := strconv.ParseInt(args0(args), 10, 64); err != nil {
			return false
		}
		c.Forward(append([]string{cmd, "0"}, args[1:]...), "")
		return true
	}
	return false
}

// args0 returns the first argument, "" if there is none.
func args0(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// IsReadOnlyCommand reports whether a command exists and changes nothing. It is false for all
// commands unless the server is started.
func (m *Miniredis) IsReadOnlyCommand(cmd string) bool {
	s := m.Server()
	return s != nil && s.IsReadOnlyCommand(cmd)
}

// CommandCount returns the number of commands that clients have sent and scripts have called since
// the start of the server, without unknown ones. Methods do not count.
func (m *Miniredis) CommandCount() int {
	if s := m.lastServer(); s != nil {
		return s.TotalCommands()
	}
	return 0
}

// CurrentConnectionCount returns the number of connected clients.
func (m *Miniredis) CurrentConnectionCount() int {
	if s := m.lastServer(); s != nil {
		return s.ClientsLen()
	}
	return 0
}

// TotalConnectionCount returns the number of clients that have connected since the start of the
// server.
func (m *Miniredis) TotalConnectionCount() int {
	if s := m.lastServer(); s != nil {
		return s.TotalConnections()
	}
	return 0
}
