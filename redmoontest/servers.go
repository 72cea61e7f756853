package redmoontest

import (
	"testing"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// WithServer sets the server that the engine follows, such as "redis-8.6" or "valkey-9.1". Default:
// "redis-7.0". See engine.Options.Server for the names.
func WithServer(name string) Option { return func(s *settings) { s.Server = name } }

// EachServer runs a test once for each server, as a subtest with the name of the server, on a new
// engine that follows it. names are those of [WithServer]; none are all servers that Redmoon knows.
// opts change each engine. Use it for what must work on each server that users deploy:
//
//	servers := []string{"redis-7.0", "redis-8.6", "valkey-9.1"}
//	redmoontest.EachServer(t, servers, func(t *testing.T, e *redmoontest.Engine) {
//		...
//	})
func EachServer(t *testing.T, names []string, test func(t *testing.T, e *Engine), opts ...Option) {
	t.Helper()
	for _, name := range serverNames(names) {
		t.Run(name, func(t *testing.T) {
			test(t, New(t, append(opts[:len(opts):len(opts)], WithServer(name))...))
		})
	}
}

// serverNames returns names, or those of all servers if there are none.
func serverNames(names []string) []string {
	if len(names) > 0 {
		return names
	}
	for _, s := range servers.All() {
		names = append(names, s.String())
	}
	return names
}
