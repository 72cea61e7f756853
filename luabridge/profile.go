package luabridge

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/internal/luac"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
)

// Profile measures what the lines of scripts and libraries cost: time, calls, commands, memory. Any
// number of VMs may share one: it measures the texts that are compiled with it in [CompileLimits].
// Make it with [NewProfile]. It is safe for concurrent use.
//
// The costs of a run are added when the run ends. Runs under a debugger are not measured. Measuring
// takes time itself, about 50 ns for each change of the line and each call, which is a part of the
// result.
type Profile struct {
	mu    sync.Mutex
	root  profileNode
	texts map[string]profiledText // by SHA1; at most maxTexts
	names map[string]string       // of files, by SHA1
	lines map[string]lineNamer    // of scripts of several files, by SHA1
	since time.Time
	nodes int // below root
}

// NewProfile returns a Profile that has measured nothing.
func NewProfile() *Profile {
	return &Profile{texts: map[string]profiledText{}, names: map[string]string{}, lines: map[string]lineNamer{}, since: time.Now()}
}

// lineNamer returns the file in which a line of a script stands, and the line there.
type lineNamer func(line int) (file string, at int)

// profiledText is what is known of a text that is measured.
type profiledText struct {
	functions []profiledFunction
}

type profiledFunction struct {
	name string
	line int
}

// frameKey identifies a line of a function, or a library function or command.
type frameKey struct {
	sha      string // "": see name
	function int    // its number in the text
	line     int
	name     string // of a library function, a command or loaded code
}

// profileNode is a frame below those that have called it.
type profileNode struct {
	key     frameKey
	caller  *profileNode
	callees map[frameKey]*profileNode
	sum     machine.Costs
}

// maxNodes limits the size of the tree. When there are more, new callees count for their callers.
const maxNodes = 1 << 18

func (p *Profile) below(n *profileNode, k frameKey) *profileNode {
	if found := n.callees[k]; found != nil {
		return found
	}
	if p.nodes >= maxNodes {
		return n
	}
	p.nodes++
	if n.callees == nil {
		n.callees = map[frameKey]*profileNode{}
	}
	made := &profileNode{key: k, caller: n}
	n.callees[k] = made
	return made
}

// Name sets the name of the file that a script or library comes from, as [Coverage.Name].
func (p *Profile) Name(script, file string) {
	sha := shaOf(script)
	p.mu.Lock()
	defer p.mu.Unlock()
	if have, ok := p.names[sha]; !ok || file < have {
		p.names[sha] = file
	}
}

// NameLines is Name for a script that is made of several files. place returns the file in which a
// line of the script stands, and the line there; both lines count from 1. It must not change.
func (p *Profile) NameLines(script string, place func(line int) (file string, at int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines[shaOf(script)] = place
}

// Since returns when the Profile was made.
func (p *Profile) Since() time.Time { return p.since }

// ProfileSample is what one line has cost when it was called in one way.
type ProfileSample struct {
	Stack    []ProfileFrame // innermost first
	Time     time.Duration  // without the frames that this one has called
	Hits     int64          // how often the line began, or the function or command was called
	Calls    int64          // function calls that the line made, library functions included
	Commands int64          // calls of redis.call and redis.pcall that the line made
	Bytes    int64          // memory that the line allocated, as far as the limits of scripts count it
}

// ProfileFrame is a line of a function, or a library function or command without a line.
type ProfileFrame struct {
	SHA      string // SHA1 of the script; "" for library functions, commands and code that a script has loaded
	File     string // its file, from [Profile.Name]; empty: unknown
	Function string // its name; "main" is the text itself, "anonymous" a function without a name
	Begins   int    // the line on which the function begins
	Line     int    // 0: none
}

// Samples returns what has been measured. Samples with equal stacks are one. The order is that of
// the stacks.
func (p *Profile) Samples() []ProfileSample {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []ProfileSample
	var walk func(n *profileNode, callers []ProfileFrame)
	walk = func(n *profileNode, callers []ProfileFrame) {
		stack := callers
		if n != &p.root {
			stack = slices.Concat([]ProfileFrame{p.frame(n.key)}, callers)
			if n.sum != (machine.Costs{}) {
				out = append(out, ProfileSample{Stack: stack, Time: time.Duration(n.sum.Nanos), Hits: n.sum.Hits, Calls: n.sum.Calls,
					Commands: n.sum.Commands, Bytes: n.sum.Bytes})
			}
		}
		for _, below := range sortedNodes(n.callees) {
			walk(below, stack)
		}
	}
	walk(&p.root, nil)
	return out
}

func sortedNodes(m map[frameKey]*profileNode) []*profileNode {
	nodes := make([]*profileNode, 0, len(m))
	for _, n := range m {
		nodes = append(nodes, n)
	}
	slices.SortFunc(nodes, func(a, b *profileNode) int {
		return cmp.Or(strings.Compare(a.key.sha, b.key.sha), a.key.function-b.key.function, a.key.line-b.key.line,
			strings.Compare(a.key.name, b.key.name))
	})
	return nodes
}

func (p *Profile) frame(k frameKey) ProfileFrame {
	if k.sha == "" {
		return ProfileFrame{Function: k.name, Line: k.line}
	}
	f := p.texts[k.sha].functions[k.function]
	frame := ProfileFrame{SHA: k.sha, File: p.names[k.sha], Function: f.name, Begins: f.line, Line: k.line}
	if place := p.lines[k.sha]; place != nil && k.line > 0 {
		_, frame.Begins = place(f.line)
		frame.File, frame.Line = place(k.line)
	}
	return frame
}

// measure makes w measure a text for p, unless p has too many.
func (w *watched) measure(p *Profile, sha string, functions []*lua.FunctionProto, places []*luac.Places) {
	origins, t := map[*lua.FunctionProto]frameKey{}, profiledText{functions: make([]profiledFunction, len(functions))}
	for i, f := range functions {
		origins[f] = frameKey{sha: sha, function: i}
		name := places[i].Name
		switch {
		case i == 0:
			name = "main"
		case name == "":
			name = "anonymous"
		}
		t.functions[i] = profiledFunction{name, f.LineDefined}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, have := p.texts[sha]; !have && len(p.texts) >= maxTexts {
		return
	}
	p.texts[sha] = t
	w.profile, w.root, w.origins = p, &machine.Cost{}, origins
}

// merge adds what a run has cost.
func (w *watched) merge(touched []*machine.Cost) {
	w.profile.mu.Lock()
	defer w.profile.mu.Unlock()
	for _, c := range touched {
		if c.Sum != (machine.Costs{}) {
			sum := &w.twin(c).sum
			sum.Nanos += c.Sum.Nanos
			sum.Hits += c.Sum.Hits
			sum.Calls += c.Sum.Calls
			sum.Commands += c.Sum.Commands
			sum.Bytes += c.Sum.Bytes
			c.Last, c.Sum = c.Sum, machine.Costs{}
		}
	}
}

// twin returns the node of the Profile that a Cost of the VM is added to.
func (w *watched) twin(c *machine.Cost) *profileNode {
	if n, ok := c.Twin.(*profileNode); ok {
		return n
	}
	n := &w.profile.root
	if c.Caller != nil {
		k := frameKey{line: c.Line, name: c.Name}
		if c.In != nil {
			origin := w.origins[c.In]
			k.sha, k.function = origin.sha, origin.function
		}
		n = w.profile.below(w.twin(c.Caller), k)
	}
	c.Twin = n
	return n
}
