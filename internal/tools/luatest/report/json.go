package report

import (
	"encoding/json"
	"io"

	"github.com/redmoon-lua/redmoon/internal/tools/luatest"
)

// JSON writes results as one JSON object.
type JSON struct {
	w     io.Writer
	files []jsonFile
	err   error
}

// NewJSON returns a JSON that writes to w, when all tests have run.
func NewJSON(w io.Writer) *JSON { return &JSON{w: w, files: []jsonFile{}} }

// Err returns the error of writing.
func (j *JSON) Err() error { return j.err }

type (
	jsonRun struct {
		Files   []jsonFile  `json:"files"`
		Summary jsonSummary `json:"summary"`
	}
	jsonSummary struct {
		Tests   int    `json:"tests"`
		Passed  int    `json:"passed"`
		Failed  int    `json:"failed"`
		Errors  int    `json:"errors"`
		Differs int    `json:"differs"`
		Pending int    `json:"pending"`
		NotRun  int    `json:"notRun"`
		Seed    uint64 `json:"seed,omitempty"`
		Stopped bool   `json:"stopped,omitempty"`
	}
	jsonFile struct {
		Path     string     `json:"path"`
		Ms       float64    `json:"ms"`
		Tests    []jsonTest `json:"tests"`
		Obsolete []string   `json:"obsoleteSnapshots,omitempty"`
	}
	jsonTest struct {
		Name        string        `json:"name"`
		Names       []string      `json:"names"`
		Line        int           `json:"line"`
		Status      string        `json:"status"`
		Ms          float64       `json:"ms"`
		Hook        string        `json:"hook,omitempty"`
		Reason      string        `json:"reason,omitempty"`
		Problems    []jsonProblem `json:"problems,omitempty"`
		Output      string        `json:"output,omitempty"`
		Logs        []string      `json:"logs,omitempty"`
		Differences []string      `json:"differences,omitempty"`
		NotCompared []string      `json:"notCompared,omitempty"`
		Servers     []jsonServer  `json:"servers,omitempty"` // if they do not agree
	}
	jsonServer struct {
		Server string `json:"server"`
		Status string `json:"status"`
	}
	jsonProblem struct {
		Phase   string      `json:"phase"`
		Message string      `json:"message"`
		File    string      `json:"file,omitempty"`
		Line    int         `json:"line,omitempty"`
		Trace   []string    `json:"trace,omitempty"`
		Script  *jsonScript `json:"script,omitempty"`
		Servers []string    `json:"servers,omitempty"`
	}
	jsonScript struct {
		Run   string   `json:"run"`
		Calls []string `json:"calls"`
		Error string   `json:"error,omitempty"`
	}
)

// File implements [luatest.Reporter].
func (j *JSON) File(f luatest.FileResult) {
	file := jsonFile{Path: f.Path, Ms: float64(f.Duration.Microseconds()) / 1000, Tests: []jsonTest{}, Obsolete: f.Snapshots.Obsolete}
	for _, r := range f.Results {
		test := jsonTest{Name: r.Name(), Names: r.Names, Line: r.Line, Status: r.Status.String(), Ms: float64(r.Duration.Microseconds()) / 1000,
			Hook: r.Hook, Reason: r.Reason, Output: r.Output, Logs: r.Logs}
		if c := r.Comparison; c != nil {
			test.Differences, test.NotCompared = c.Differences, c.Uses
		}
		for _, on := range r.On {
			test.Servers = append(test.Servers, jsonServer{on.Server, on.Status.String()})
		}
		for _, p := range r.Problems {
			test.Problems = append(test.Problems, jsonProblemOf(p))
		}
		file.Tests = append(file.Tests, test)
	}
	j.files = append(j.files, file)
}

func jsonProblemOf(p luatest.Problem) jsonProblem {
	problem := jsonProblem{Phase: p.Phase, Message: p.Message, File: p.File, Line: p.Line, Servers: p.On}
	if p.Failure != nil {
		problem.Message = p.Failure.Text()
	}
	for _, l := range p.Trace {
		problem.Trace = append(problem.Trace, l.String())
	}
	if s := p.Script; s != nil {
		problem.Script = &jsonScript{Run: s.Label, Calls: []string{}, Error: s.Error}
		for _, c := range s.Commands {
			problem.Script.Calls = append(problem.Script.Calls, c.String())
		}
	}
	return problem
}

// End implements [luatest.Reporter].
func (j *JSON) End(s luatest.Summary) {
	c := s.Counts
	e := json.NewEncoder(j.w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	j.err = e.Encode(jsonRun{j.files, jsonSummary{Tests: c.Tests(), Passed: c[luatest.Passed], Failed: c[luatest.Failed],
		Errors: c[luatest.Errored], Differs: c[luatest.Differs], Pending: c[luatest.Pending], NotRun: c[luatest.NotRun], Seed: s.Seed,
		Stopped: s.Stopped}})
}
