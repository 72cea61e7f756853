package formats

import (
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/core/coverage"
)

// The elements of a Cobertura file, coverage-04.dtd.
type (
	coberturaCoverage struct {
		XMLName         xml.Name           `xml:"coverage"`
		LineRate        string             `xml:"line-rate,attr"`
		BranchRate      string             `xml:"branch-rate,attr"`
		LinesCovered    int                `xml:"lines-covered,attr"`
		LinesValid      int                `xml:"lines-valid,attr"`
		BranchesCovered int                `xml:"branches-covered,attr"`
		BranchesValid   int                `xml:"branches-valid,attr"`
		Complexity      string             `xml:"complexity,attr"`
		Version         string             `xml:"version,attr"`
		Timestamp       int64              `xml:"timestamp,attr"`
		Sources         []string           `xml:"sources>source"`
		Packages        []coberturaPackage `xml:"packages>package"`
	}
	coberturaPackage struct {
		Name string `xml:"name,attr"`
		coberturaRates
		Classes []coberturaClass `xml:"classes>class"`
	}
	coberturaClass struct {
		Name     string `xml:"name,attr"`
		Filename string `xml:"filename,attr"`
		coberturaRates
		Methods []coberturaMethod `xml:"methods>method"`
		Lines   []coberturaLine   `xml:"lines>line"`
	}
	coberturaMethod struct {
		Name      string `xml:"name,attr"`
		Signature string `xml:"signature,attr"`
		coberturaRates
		Lines []coberturaLine `xml:"lines>line"`
	}
	coberturaLine struct {
		Number     int                  `xml:"number,attr"`
		Hits       uint64               `xml:"hits,attr"`
		Branch     bool                 `xml:"branch,attr"`
		Condition  string               `xml:"condition-coverage,attr,omitempty"`
		Conditions *coberturaConditions `xml:"conditions,omitempty"`
	}
	coberturaConditions struct {
		List []coberturaCondition `xml:"condition"`
	}
	coberturaCondition struct {
		Number   int    `xml:"number,attr"`
		Type     string `xml:"type,attr"`
		Coverage string `xml:"coverage,attr"`
	}
	coberturaRates struct {
		LineRate   string `xml:"line-rate,attr"`
		BranchRate string `xml:"branch-rate,attr"`
		Complexity string `xml:"complexity,attr"`
	}
)

// rate returns a share as a number up to 1.
func rate(s coverage.Share) string {
	if s.All == 0 {
		return "1"
	}
	return fmt.Sprintf("%.4g", float64(s.Hit)/float64(s.All))
}

func ratesOf(t coverage.Totals) coberturaRates {
	return coberturaRates{rate(t.Lines), rate(t.Branches), "0"}
}

// cobertura prints the XML of Cobertura: a package for each folder, a class for each file.
func cobertura(w io.Writer, r *coverage.Report, now time.Time) error {
	t := r.Totals()
	doc := coberturaCoverage{LineRate: rate(t.Lines), BranchRate: rate(t.Branches), LinesCovered: t.Lines.Hit, LinesValid: t.Lines.All,
		BranchesCovered: t.Branches.Hit, BranchesValid: t.Branches.All, Complexity: "0", Version: "redmoon", Timestamp: now.UnixMilli(),
		Sources: []string{"."}}
	sums := map[string]*coverage.Report{}
	for _, f := range r.Files {
		folder := path.Dir(f.Path)
		if sums[folder] == nil {
			sums[folder] = &coverage.Report{}
			doc.Packages = append(doc.Packages, coberturaPackage{Name: folder})
		}
		sums[folder].Files = append(sums[folder].Files, f)
	}
	for i := range doc.Packages {
		p := &doc.Packages[i]
		p.coberturaRates = ratesOf(sums[p.Name].Totals())
		for _, f := range sums[p.Name].Files {
			p.Classes = append(p.Classes, classOf(f))
		}
	}
	if _, err := io.WriteString(w, xml.Header+
		`<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">`+"\n"); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func classOf(f *coverage.File) coberturaClass {
	f = onLines(f)
	c := coberturaClass{Name: strings.TrimSuffix(path.Base(f.Path), ".lua"), Filename: f.Path, coberturaRates: ratesOf(f.Totals())}
	branches := map[int][]coberturaCondition{}
	ways := map[int]coverage.Share{}
	for _, b := range f.Branches {
		var taken coverage.Share
		for _, n := range coverage.Ways(b) {
			if taken.All++; n > 0 {
				taken.Hit++
			}
		}
		branches[b.Line] = append(branches[b.Line],
			coberturaCondition{len(branches[b.Line]), "jump", fmt.Sprintf("%d%%", 100*taken.Hit/taken.All)})
		sum := ways[b.Line]
		ways[b.Line] = coverage.Share{Hit: sum.Hit + taken.Hit, All: sum.All + taken.All}
	}
	line := func(number int, hits uint64) coberturaLine {
		l := coberturaLine{Number: number, Hits: hits}
		if list := branches[number]; list != nil {
			s := ways[number]
			l.Branch, l.Conditions = true, &coberturaConditions{list}
			l.Condition = fmt.Sprintf("%d%% (%d/%d)", 100*s.Hit/s.All, s.Hit, s.All)
		}
		return l
	}
	for _, l := range f.Lines {
		c.Lines = append(c.Lines, line(l.Line, l.Hits))
	}
	names := functionNames(f)
	for i, fn := range f.Functions {
		own := coverage.File{}
		m := coberturaMethod{Name: names[i], Signature: "()"}
		for _, l := range f.Lines {
			if l.Line >= fn.Line && l.Line <= fn.EndLine {
				own.Lines = append(own.Lines, l)
				m.Lines = append(m.Lines, line(l.Line, l.Hits))
			}
		}
		for _, b := range f.Branches {
			if b.Line >= fn.Line && b.Line <= fn.EndLine {
				own.Branches = append(own.Branches, b)
			}
		}
		m.coberturaRates = ratesOf(own.Totals())
		c.Methods = append(c.Methods, m)
	}
	return c
}
