package lintfiles

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/internal/tools/lint"
)

// jsonFinding is a finding as PrintJSON prints it.
type jsonFinding struct {
	File      string   `json:"file"`
	Rule      string   `json:"rule"`
	Severity  string   `json:"severity"`
	Message   string   `json:"message"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	EndLine   int      `json:"endLine"`
	EndColumn int      `json:"endColumn"`
	Fix       *jsonFix `json:"fix,omitempty"`
}

type jsonFix struct {
	Title    string     `json:"title"`
	Safe     bool       `json:"safe"`                 // the script does the same afterwards
	OneByOne bool       `json:"one_by_one,omitempty"` // only a person may choose it
	Edits    []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	From int    `json:"from"` // byte offsets; to is exclusive
	To   int    `json:"to"`
	Text string `json:"text"`
}

// PrintJSON prints findings as a JSON array.
func PrintJSON(w io.Writer, results []Result) error {
	list := []jsonFinding{}
	for _, r := range results {
		for _, f := range r.Findings {
			j := jsonFinding{r.Path, f.Rule, f.Severity.String(), f.Message, f.Line, f.Column, f.EndLine, f.EndColumn, nil}
			if f.Fix != nil {
				j.Fix = &jsonFix{Title: f.Fix.Title, Safe: f.Fix.Safe, OneByOne: f.Fix.OneByOne}
				for _, e := range f.Fix.Edits {
					j.Fix.Edits = append(j.Fix.Edits, jsonEdit{e.Range.From, e.Range.To, e.Text})
				}
			}
			list = append(list, j)
		}
	}
	return printIndented(w, list)
}

func printIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// PrintGitHub prints findings as workflow commands, which GitHub shows beside the lines.
func PrintGitHub(w io.Writer, results []Result) error {
	var b strings.Builder
	for _, r := range results {
		for _, f := range r.Findings {
			kind := map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "notice"}[f.Severity]
			fmt.Fprintf(&b, "::%s file=%s,line=%d,endLine=%d,col=%d,endColumn=%d,title=%s::%s\n", kind, property(r.Path),
				f.Line, f.EndLine, f.Column, f.EndColumn, property(f.Rule), data(f.Message))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// data and property write a text as GitHub's runner reads it back, without what controls a
// terminal.
func data(text string) string { return safe(dataEscapes.Replace(text)) }

func property(text string) string { return safe(propertyEscapes.Replace(text)) }

var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// The parts of SARIF 2.1.0 that PrintSARIF needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string       `json:"id"`
		Short   sarifText    `json:"shortDescription"`
		Help    sarifHelp    `json:"help"`
		Default sarifDefault `json:"defaultConfiguration"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
)

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// sarifLevel returns the name that SARIF has for a severity.
func sarifLevel(s lint.Severity) string {
	if s == lint.Info {
		return "note"
	}
	return s.String()
}

// characters converts columns in bytes to columns in characters. It is fast if the places rise.
type characters struct {
	source        string
	offset, count int // a place, and the characters of its line before it
}

// column returns the column of the place offset, whose column in bytes is column.
func (c *characters) column(offset, column int) int {
	if begin := offset - column + 1; c.offset < begin || c.offset > offset {
		c.offset, c.count = begin, 0
	}
	c.count += utf8.RuneCountInString(c.source[c.offset:offset])
	c.offset = offset
	return c.count + 1
}

// uri returns a path as a URI: a relative one, or one with the scheme file.
func uri(path string) string {
	if path == "-" {
		return "stdin"
	}
	u := url.URL{Path: filepath.ToSlash(path)}
	if filepath.IsAbs(path) {
		u.Scheme, u.Path = "file", "/"+strings.TrimPrefix(u.Path, "/")
	}
	return u.String()
}

// PrintSARIF prints findings as SARIF 2.1.0, which code scanners read.
func PrintSARIF(w io.Writer, results []Result) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "redmoon lint"}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	index := map[string]int{}
	for i, r := range lint.Rules() {
		index[r.ID] = i
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules,
			sarifRule{r.ID, sarifText{r.Summary}, sarifHelp{r.Why, r.Why}, sarifDefault{sarifLevel(r.Severity)}})
	}
	for _, r := range results {
		starts, ends := characters{source: r.Source}, characters{source: r.Source}
		for _, f := range r.Findings {
			region := sarifRegion{f.Line, starts.column(f.Range.From, f.Column), f.EndLine, ends.column(f.Range.To, f.EndColumn)}
			run.Results = append(run.Results, sarifResult{f.Rule, index[f.Rule], sarifLevel(f.Severity), sarifText{f.Message},
				[]sarifLocation{{sarifPhysical{sarifArtifact{uri(r.Path)}, region}}}})
		}
	}
	return printIndented(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}
