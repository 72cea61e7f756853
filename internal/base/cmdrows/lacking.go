package cmdrows

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// lacking are the commands of servers that have no row here, with the servers that have them.
// They are those of vector sets.
var lacking = map[string]servers.Since{
	"vadd": "8.0.0/-", "vcard": "8.0.0/-", "vdim": "8.0.0/-", "vemb": "8.0.0/-", "vgetattr": "8.0.0/-", "vinfo": "8.0.0/-",
	"vismember": "8.0.0/-", "vlinks": "8.0.0/-", "vrandmember": "8.0.0/-", "vrange": "8.4.0/-", "vrem": "8.0.0/-",
	"vsetattr": "8.0.0/-", "vsim": "8.0.0/-",
}

// Lacks reports whether a command line has a command that the server has and Redmoon has not. name
// is that of the command as users write it.
func Lacks(s servers.Server, words []string) (name string, ok bool) {
	for n := min(2, len(words)); n > 0; n-- {
		if since, found := lacking[strings.ToLower(strings.Join(words[:n], "|"))]; found && s.HasSince(since) {
			return strings.ToUpper(strings.Join(words[:n], " ")), true
		}
	}
	return "", false
}
