package studio

import (
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/reply"
)

// text returns a reply as redis-cli prints it, in the protocol in which the script got it, and cut.
func text(v engine.Value) string {
	return cut(display.Shape(shorten(v), v.Proto(2)).String())
}

// shorten returns the beginning of a value: so much of it that the text of the result has more than
// maxText bytes if that of v has. A reply can have megabytes, and a State is made of hundreds of
// them.
func shorten(v engine.Value) engine.Value {
	left := maxText + 1
	return shortenTo(v, &left)
}

// shortenTo returns the beginning of v whose text has at least left bytes, and subtracts its size
// from left.
func shortenTo(v engine.Value, left *int) engine.Value {
	*left-- // each value has a line
	switch v.Kind() {
	case engine.KindBulk, engine.KindStatus, engine.KindVerbatim:
		s := v.Text()
		if len(s) > max(*left, 0)+1 {
			s = s[:max(*left, 0)+1]
		}
		*left -= len(s)
		switch v.Kind() {
		case engine.KindBulk:
			return reply.Bulk(s)
		case engine.KindStatus:
			return reply.Status(s)
		}
		return reply.Verbatim("txt", s)
	case engine.KindArray, engine.KindSet, engine.KindMap:
		list := []engine.Value{}
		for i, e := range v.Slice() {
			if *left < 0 && (v.Kind() != engine.KindMap || i%2 == 0) {
				break
			}
			list = append(list, shortenTo(e, left))
		}
		switch v.Kind() {
		case engine.KindArray:
			return reply.Array(list...)
		case engine.KindSet:
			return reply.Set(list...)
		}
		return reply.Map(list...)
	}
	return v
}
