package display

import (
	"strings"

	"github.com/redmoon-lua/redmoon/engine"
)

// Raw appends v as redis-cli prints it into a pipe, with a line break at the end: strings without
// quotes, and each element of a list on its own line.
func Raw(b []byte, v engine.Value) []byte {
	if v.Kind() == engine.KindNone {
		return b
	}
	return append(raw(b, v), '\n')
}

// Text appends v as redis-cli prints the reply of a command that [IsText] on a terminal: as Raw,
// without the last line break, because such texts end with one.
func Text(b []byte, v engine.Value) []byte { return raw(b, v) }

func raw(b []byte, v engine.Value) []byte {
	switch v.Kind() {
	case engine.KindNil, engine.KindNilArray:
		return b
	case engine.KindError:
		return append(append(b, v.Text()...), '\n')
	case engine.KindBool:
		return append(b, v.String()...)
	case engine.KindArray, engine.KindSet, engine.KindPush:
		for i, e := range v.Slice() {
			if i > 0 {
				b = append(b, '\n')
			}
			b = raw(b, e)
		}
		return b
	case engine.KindMap:
		for i, e := range v.Slice() {
			switch {
			case i%2 == 1:
				b = append(b, ' ')
			case i > 0:
				b = append(b, '\n')
			}
			b = raw(b, e)
		}
		return b
	case engine.KindAttribute, engine.KindPushed:
		list := v.Slice()
		return raw(b, list[len(list)-1])
	}
	return append(b, v.Text()...)
}

// IsText reports whether redis-cli prints a command's reply without quotes on a terminal too.
func IsText(args []string) bool {
	if len(args) == 0 {
		return false
	}
	sub := ""
	if len(args) > 1 {
		sub = strings.ToLower(args[1])
	}
	switch strings.ToLower(args[0]) {
	case "info", "lolwut":
		return true
	case "client":
		return len(args) == 2 && (sub == "list" || sub == "info")
	case "debug":
		return sub == "htstats" || sub == "htstats-key"
	case "memory":
		return len(args) == 2 && (sub == "malloc-stats" || sub == "doctor")
	case "cluster":
		return len(args) == 2 && (sub == "nodes" || sub == "info")
	case "latency":
		return len(args) == 3 && sub == "graph" || len(args) == 2 && sub == "doctor"
	}
	return false
}
