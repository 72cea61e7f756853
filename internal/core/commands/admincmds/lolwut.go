package admincmds

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// lolwut draws the picture of the requested version: 5 has squares in disorder, 6 a city. Other
// versions have no picture.
func lolwut(c *server.Ctx) reply.Value {
	version, args := uint32(7), c.Args[1:]
	if len(args) >= 2 && parse.IsToken(args[0], "version") {
		n, ok := parse.Int(args[1])
		if !ok {
			return reply.Err(errtext.NotInteger)
		}
		version, args = uint32(n), args[2:]
	}
	var picture string
	switch version {
	case 5:
		n, ok := pictureSizes(args, pictureSize{66, 1000}, pictureSize{8, 200}, pictureSize{12, 200})
		if !ok {
			return reply.Err(errtext.NotInteger)
		}
		picture = drawSquares(c.Server.Store.Rand(), n[0], n[1], n[2]).dots() +
			"\nGeorg Nees - schotter, plotter on paper, 1968. "
	case 6:
		n, ok := pictureSizes(args, pictureSize{80, 1000}, pictureSize{20, 1000})
		if !ok {
			return reply.Err(errtext.NotInteger)
		}
		picture = drawCity(c.Server.Store.Rand(), n[0], n[1]).blocks() +
			"\nDedicated to the 8 bit game developers of past and present.\n" +
			"Original 8 bit image from Plaguemon by hikikomori. "
	}
	return reply.Verbatim("txt", fmt.Sprintf("%sRedis ver. %s\n", picture, c.Server.Follows.Release()))
}

// pictureSize is a number that LOLWUT takes: its default and its maximum.
type pictureSize struct{ def, max int64 }

// pictureSizes reads the numbers and limits them to 1..max. Further arguments are ignored.
func pictureSizes(args []string, sizes ...pictureSize) (n []int, ok bool) {
	for i, size := range sizes {
		v := size.def
		if i < len(args) {
			if v, ok = parse.Int(args[i]); !ok {
				return nil, false
			}
		}
		n = append(n, int(min(max(v, 1), size.max)))
	}
	return n, true
}
