package redmoontest

import (
	"slices"

	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

// State is a moment in an order of steps, or its end, for [Play].Check and [Play].Always. Its
// methods read the engine as those of [Engine] do; commands that write are refused.
type State struct {
	*Engine
	s     *play.State
	names []string
}

// Crashed reports whether a client has crashed. It fails if there is no client of that name.
func (s *State) Crashed(client string) bool { return s.s.Crashed(s.number(client)) }

// Ended reports whether the function of a client has returned. It fails if there is no client of
// that name.
func (s *State) Ended(client string) bool { return s.s.Ended(s.number(client)) }

// Note returns what a client has noted last under a name, nil if nothing. It fails if there is no
// client of that name.
func (s *State) Note(client, name string) any {
	value, _ := s.s.Note(s.number(client), name)
	return value
}

// Notes returns what all clients have noted under a name, client by client.
func (s *State) Notes(name string) []any { return s.s.Notes(name) }

func (s *State) number(client string) int {
	i := slices.Index(s.names, client)
	if i < 0 {
		s.t.Fatalf("redmoontest: there is no client %q", client)
	}
	return i
}
