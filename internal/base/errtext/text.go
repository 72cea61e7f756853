package errtext

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

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
	made.Lock()
	defer made.Unlock()
	if key := fmt.Sprint(t); !made.known[key] {
		if made.known == nil {
			made.known = map[string]bool{}
		}
		made.known[key] = true
		made.texts = append(made.texts, t)
	}
	return t
}

// made are the Texts that packages have made when they were initialized, with those of every step
// on the way.
var made struct {
	sync.Mutex
	texts []Text
	known map[string]bool
}

// Changed returns the texts that two servers have in different words, sorted; each is {of a, of b}.
// It knows the Texts of the packages that are linked.
func Changed(a, b servers.Server) (list [][2]string) {
	made.Lock()
	defer made.Unlock()
	for i, t := range made.texts {
		if i+1 < len(made.texts) && made.texts[i+1].continues(t) {
			continue
		}
		if pair := [2]string{t.Of(a), t.Of(b)}; pair[0] != pair[1] && !slices.Contains(list, pair) {
			list = append(list, pair)
		}
	}
	slices.SortFunc(list, func(x, y [2]string) int { return strings.Compare(x[0], y[0]) })
	return list
}

// continues reports whether t is u with one more version.
func (t Text) continues(u Text) bool {
	return t.usual == u.usual && len(t.others) == len(u.others)+1 && slices.Equal(t.others[:len(u.others)], u.others)
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
