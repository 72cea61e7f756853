package lint

import "fmt"

// placeOf returns where a finding is, and its rule.
func placeOf(f Finding) string { return fmt.Sprintf("%d:%d %s", f.Line, f.Column, f.Rule) }
