package errtext

import "github.com/redmoon-lua/redmoon/internal/base/servers"

// Text is an error text that servers word in different ways.
type Text struct {
	usual  string
	others []other
}

type other struct {
	since servers.Since
	text  string
}

// Usual returns a Text with the words of Redis 7.0.
func Usual(usual string) Text { return Text{usual: usual} }

// Since returns t with other words for the servers that have what exists since then. Where several
// apply, the last one counts.
func (t Text) Since(since servers.Since, text string) Text {
	t.others = append(t.others[:len(t.others):len(t.others)], other{since, text})
	return t
}

// Of returns the words of a server.
func (t Text) Of(s servers.Server) string {
	for i := len(t.others) - 1; i >= 0; i-- {
		if s.HasSince(t.others[i].since) {
			return t.others[i].text
		}
	}
	return t.usual
}

// Texts of MSETEX.
var (
	NumKeysOfMSETEX = Usual("ERR invalid numkeys value").Since("-/9.1.0", "ERR invalid numkeys value or out of range")
	PairsOfMSETEX   = Usual("ERR wrong number of key-value pairs").Since("-/9.1.0", Syntax)
)
