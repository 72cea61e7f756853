package harness

import "github.com/redmoon-lua/redmoon/engine"

// Join returns a probe that asks several, in order: the first that refuses or answers a command
// decides, and all see what has run. A nil probe is left out.
func Join(probes ...*engine.Probe) *engine.Probe {
	return &engine.Probe{
		Refuse: func(c engine.ProbedCommand) *engine.Error {
			for _, p := range probes {
				if p != nil && p.Refuse != nil {
					if err := p.Refuse(c); err != nil {
						return err
					}
				}
			}
			return nil
		},
		Answer: func(c engine.ProbedCommand) (engine.Value, bool) {
			for _, p := range probes {
				if p != nil && p.Answer != nil {
					if v, ok := p.Answer(c); ok {
						return v, true
					}
				}
			}
			return engine.Value{}, false
		},
		Ran: func(c engine.ProbedCommand, v engine.Value) {
			for _, p := range probes {
				if p != nil && p.Ran != nil {
					p.Ran(c, v)
				}
			}
		},
		Unblocked: func(session int64, v engine.Value) {
			for _, p := range probes {
				if p != nil && p.Unblocked != nil {
					p.Unblocked(session, v)
				}
			}
		},
	}
}
