package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// JUnit writes results as the XML that JUnit writes, and CI servers read.
type JUnit struct {
	w      io.Writer
	suites junitSuites
	err    error
}

// NewJUnit returns a JUnit that writes to w, when all tests have run.
func NewJUnit(w io.Writer) *JUnit { return &JUnit{w: w} }

// Err returns the error of writing.
func (j *JUnit) Err() error { return j.err }

type (
	junitSuites struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Time     string `xml:"time,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		File string `xml:"file,attr"`
		junitCounts
		Cases []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Class     string        `xml:"classname,attr"`
		File      string        `xml:"file,attr"`
		Line      int           `xml:"line,attr,omitempty"`
		Time      string        `xml:"time,attr"`
		Failure   *junitProblem `xml:"failure"`
		Error     *junitProblem `xml:"error"`
		Skipped   *junitSkipped `xml:"skipped"`
		SystemOut string        `xml:"system-out,omitempty"`
		SystemErr string        `xml:"system-err,omitempty"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
)

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }

// File implements [luatest.Reporter].
func (j *JUnit) File(f luatest.FileResult) {
	s := junitSuite{Name: filepath.ToSlash(f.Path), File: filepath.ToSlash(f.Path)}
	s.Time = seconds(f.Duration)
	class := strings.ReplaceAll(strings.TrimSuffix(path.Clean(s.File), ".lua"), "/", ".")
	for _, r := range f.Results {
		c := junitCase{Name: strings.Join(r.Names, " › "), Class: class, File: s.File, Line: r.Line, Time: seconds(r.Duration),
			SystemOut: r.Output, SystemErr: strings.Join(r.Logs, "\n")}
		s.Tests++
		switch r.Status {
		case luatest.Failed, luatest.Differs:
			s.Failures++
			c.Failure = problemsOf(r)
		case luatest.Errored:
			s.Errors++
			c.Error = problemsOf(r)
		case luatest.Pending, luatest.NotRun:
			s.Skipped++
			c.Skipped = &junitSkipped{strings.TrimSuffix(r.Status.String()+": "+r.Reason, ": ")}
		}
		s.Cases = append(s.Cases, c)
	}
	j.suites.Suites = append(j.suites.Suites, s)
}

// problemsOf returns the problems of a test as one.
func problemsOf(r luatest.Result) *junitProblem {
	p := &junitProblem{Type: r.Status.String()}
	var texts []string
	for i, problem := range r.Problems {
		if i == 0 {
			p.Message = summary(problem)
		}
		texts = append(texts, Plain(problem))
	}
	if r.Comparison != nil && len(r.Comparison.Differences) > 0 {
		p.Message = "the server differs: " + r.Comparison.Differences[0]
		texts = append(texts, r.Comparison.Differences...)
	}
	p.Text = strings.Join(texts, "\n\n")
	return p
}

// End implements [luatest.Reporter].
func (j *JUnit) End(luatest.Summary) {
	all := &j.suites
	all.Name = "redmoon test"
	total := 0.0
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		var t float64
		if _, err := fmt.Sscanf(s.Time, "%f", &t); err == nil {
			total += t
		}
	}
	all.Time = fmt.Sprintf("%.6f", total)
	if _, j.err = io.WriteString(j.w, xml.Header); j.err != nil {
		return
	}
	e := xml.NewEncoder(j.w)
	e.Indent("", "  ")
	if j.err = e.Encode(all); j.err == nil {
		_, j.err = io.WriteString(j.w, "\n")
	}
}
