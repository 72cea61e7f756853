package luabridge

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
)

// Coverage counts which lines, branches and functions of scripts and libraries run. Any number of
// VMs may share one: it counts the texts that are compiled with it in [CompileLimits]. Make it with
// [NewCoverage]. It is safe for concurrent use.
//
// The counts of a run are added when the run ends. Texts that a script compiles itself, by load and
// loadstring, are not counted, nor is code that a debugger evaluates.
type Coverage struct {
	mu    sync.Mutex
	texts map[string]*coveredText // by SHA1
	names map[string]string       // of files, by SHA1
	bytes int                     // approximate size of texts
	left  int                     // texts that are not counted
}

// Limits of a Coverage and of a Profile, which clients that send other scripts each time could make
// grow without end.
const (
	maxTexts = 10_000
	maxBytes = 256 << 20 // sources and counters
)

// NewCoverage returns a Coverage that has counted nothing.
func NewCoverage() *Coverage {
	return &Coverage{texts: map[string]*coveredText{}, names: map[string]string{}}
}

// coveredText is one text of a Coverage. All fields except totals are immutable.
type coveredText struct {
	sha, source string
	library     bool
	shift       int // bytes of the source before the compiled text
	functions   []*luac.Places
	lines       [][2]int // the first and last line of each function

	mu     sync.Mutex
	totals [][]uint64 // of each function
}

// Name sets the name of the file that a script or library comes from. script is its source or its
// SHA1. If Name is called for the same script with several names, the first one in alphabetical
// order is kept.
func (c *Coverage) Name(script, file string) {
	sha := shaOf(script)
	c.mu.Lock()
	defer c.mu.Unlock()
	if have, ok := c.names[sha]; !ok || file < have {
		c.names[sha] = file
	}
}

// shaOf returns the SHA1 of a source, or its argument if that is one.
func shaOf(script string) string {
	if len(script) == 2*sha1.Size && strings.Trim(strings.ToLower(script), "0123456789abcdef") == "" {
		return strings.ToLower(script)
	}
	sum := sha1.Sum([]byte(script))
	return hex.EncodeToString(sum[:])
}

// add adds a compiled text, and returns it or the same one that was added before. It returns nil if
// there are too many.
func (c *Coverage) add(t *coveredText) *coveredText {
	c.mu.Lock()
	defer c.mu.Unlock()
	if have := c.texts[t.sha]; have != nil {
		return have
	}
	bytes := len(t.source)
	for _, n := range t.totals {
		bytes += 8 * len(n)
	}
	if len(c.texts) >= maxTexts || c.bytes+bytes > maxBytes {
		c.left++
		return nil
	}
	c.bytes += bytes
	c.texts[t.sha] = t
	return t
}

// Uncounted returns how many compilations of texts are not counted because there are too many
// texts: more than 10,000, or sources and counters of more than 256 MB.
func (c *Coverage) Uncounted() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.left
}

// Scripts returns what has been counted, sorted by the names of files and by SHA1. Scripts that
// were compiled but have not run are included.
func (c *Coverage) Scripts() []ScriptCoverage { return c.scripts(false) }

// Take is [Coverage.Scripts], and begins to count from 0 again. Each run is in the result of one
// Take.
func (c *Coverage) Take() []ScriptCoverage { return c.scripts(true) }

func (c *Coverage) scripts(take bool) []ScriptCoverage {
	c.mu.Lock()
	texts, names := make([]*coveredText, 0, len(c.texts)), map[string]string{}
	for sha, t := range c.texts {
		texts, names[sha] = append(texts, t), c.names[sha]
	}
	c.mu.Unlock()
	out := make([]ScriptCoverage, len(texts))
	for i, t := range texts {
		out[i] = t.read(names[t.sha], take)
	}
	slices.SortFunc(out, func(a, b ScriptCoverage) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.SHA, b.SHA))
	})
	return out
}
