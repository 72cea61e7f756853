package cmdtable

import "github.com/redmoon-lua/redmoon/internal/base/servers"

// followed returns args without those that a server does not have. It changes args.
func followed(args []Arg, s servers.Server) []Arg {
	out := args[:0]
	for _, a := range args {
		if s.HasSince(a.Since) && s.HasSince(a.From) {
			a.Args = followed(a.Args, s)
			out = append(out, a)
		}
	}
	return out
}
