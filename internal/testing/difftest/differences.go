package difftest

import (
	"fmt"
	"os"
	"strings"
)

// Difference is one accepted difference from the oracle, as docs/differences.md lists it.
type Difference struct {
	ID                  string
	What, Reason, Where string
}

// ReadDifferences reads the list of accepted differences: a second-level heading for each ID, below
// it lines "- what:", "- reason:" and "- where:", which may continue on indented lines.
func ReadDifferences(path string) (map[string]Difference, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := map[string]Difference{}
	var d *Difference
	var field *string
	end := func() error {
		if d == nil {
			return nil
		}
		if d.What == "" || d.Reason == "" || d.Where == "" {
			return fmt.Errorf("%s: %s lacks what, reason or where", path, d.ID)
		}
		if _, ok := all[d.ID]; ok {
			return fmt.Errorf("%s: %s stands twice", path, d.ID)
		}
		all[d.ID] = *d
		return nil
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, "\r\n")
		if id, ok := strings.CutPrefix(line, "## "); ok {
			if err := end(); err != nil {
				return nil, err
			}
			d, field = &Difference{ID: strings.TrimSpace(id)}, nil
			continue
		}
		if d == nil {
			continue
		}
		switch name, text, _ := strings.Cut(line, ":"); {
		case name == "- what":
			field, d.What = &d.What, strings.TrimSpace(text)
		case name == "- reason":
			field, d.Reason = &d.Reason, strings.TrimSpace(text)
		case name == "- where":
			field, d.Where = &d.Where, strings.TrimSpace(text)
		case strings.HasPrefix(line, "  ") && field != nil:
			*field += " " + strings.TrimSpace(line)
		}
	}
	return all, end()
}
