package wild

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// Program makes a package's normal calls.
type Program struct {
	// Name is the package's path or name.
	Name string
	// Scripts is how many different scripts it runs at least.
	Scripts int
	// Times says that its scripts read the server's clock or a time to live, so that their replies and
	// what they store may be apart by as much as the clocks are.
	Times bool
	// Lacks are the commands it needs that Redmoon does not have, "script" for any that a script
	// calls. The oracle answers alone then.
	Lacks []string
	// Play makes the calls on the server at addr and writes their results to the transcript.
	Play func(addr string, transcript *Transcript) error
}

// Transcript holds the results of a program's calls, without what differs from run to run, such as
// times.
type Transcript struct {
	mu    sync.Mutex
	lines []string
}

// Say adds a line: what was called, and what it answered.
func (t *Transcript) Say(call string, results ...any) {
	for i, r := range results {
		if err, ok := r.(error); ok {
			results[i] = err.Error()
		}
	}
	t.Line(fmt.Sprintf("%s: %s", call, strings.TrimSuffix(fmt.Sprintln(results...), "\n")))
}

// Line adds a line as it is.
func (t *Transcript) Line(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

// Lines are all lines so far.
func (t *Transcript) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}

// Outcome is the result of one run of a program.
type Outcome struct {
	Transcript  []string
	Requests    int      // that were compared
	Scripted    int      // of which ran a script
	Scripts     []string // SHA1s of the scripts that ran, sorted
	Lacks       []string // commands that Redmoon does not have, sorted
	Differences []string
}

// Run plays the program once. Errors come from the program or the servers; differences are not
// errors.
func (p Program) Run(lead Lead) (o Outcome, err error) {
	peers, err := StartPeers()
	if err != nil {
		return o, err
	}
	defer func() {
		if serr := peers.Stop(); err == nil {
			err = serr
		}
	}()
	proxy, err := NewProxy(peers, lead)
	if err != nil {
		return o, err
	}
	var transcript Transcript
	err = p.Play(proxy.Addr, &transcript)
	if cerr := proxy.Close(); err == nil {
		err = cerr
	}
	compare := proxy.comparison(p.Times)
	o = proxy.outcome(compare)
	o.Transcript = transcript.Lines()
	if err != nil {
		return o, err
	}
	clock := peers.Redmoon.Clock
	clock.Advance(difftest.Present().Sub(clock.Now()))
	want, err := walk(peers.Oracle)
	if err != nil {
		return o, fmt.Errorf("oracle: %w", err)
	}
	got, err := walk(peers.Redmoon)
	if err != nil {
		return o, fmt.Errorf("redmoon: %w", err)
	}
	o.Differences = append(o.Differences, compare.keyspaces(want, got)...)
	return o, nil
}

// comparison is what the replies so far are compared with. The same time may be apart on the two
// servers: each of two readings of the clock is off by at most half the time that the oracle took
// to answer, and cut to milliseconds.
func (p *Proxy) comparison(times bool) comparison {
	p.mu.Lock()
	defer p.mu.Unlock()
	return comparison{times: times, slack: p.longest + 2*time.Millisecond, scripts: p.scripts}
}

// outcome compares the exchanges.
func (p *Proxy) outcome(c comparison) Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	ran, lacks := map[string]bool{}, map[string]bool{}
	var o Outcome
	for _, e := range p.exchanges {
		if name := e.lacking(); name != "" {
			lacks[name] = true
			continue
		}
		o.Requests++
		if e.request.runsScript() {
			sha := strings.ToLower(e.request[1])
			if !e.request.bySHA() {
				sha = sha1Hex(e.request[1])
			}
			if !strings.HasPrefix(string(e.want), "-NOSCRIPT") {
				o.Scripted++
				ran[sha] = true
			}
		}
		if !c.same(e) {
			o.Differences = append(o.Differences, p.describe(e))
		}
	}
	o.Scripts, o.Lacks = sorted(ran), sorted(lacks)
	return o
}

func (p *Proxy) describe(e exchange) string {
	text := fmt.Sprintf("connection %d: %s\n  want %q\n  got  %q", e.session, e.request, e.want, e.got)
	if e.request.runsScript() && e.request.bySHA() {
		text += "\n  script: " + p.scripts[strings.ToLower(e.request[1])]
	}
	return text
}

func sorted(set map[string]bool) []string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
