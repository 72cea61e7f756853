package config

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:generate go test -run TestConfigDocument . -write

var writeDocument = flag.Bool("write", false, "write docs/config.md again")

const configDocument = "../../docs/config.md"

// TestConfigDocument checks that docs/config.md is what the table of parameters gives.
func TestConfigDocument(t *testing.T) {
	want := configText()
	if *writeDocument {
		require.NoError(t, os.WriteFile(configDocument, []byte(want), 0o644))
	}
	got, err := os.ReadFile(configDocument)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "go generate ./internal/config writes it again")
}

func configText() string {
	var b strings.Builder
	b.WriteString(`# Configuration parameters

CONFIG GET and SET know every parameter of Redis 7.0.15, with its aliases, default, range and error
texts. The parameters of the first table have an effect. Those of the second are only stored: CONFIG
SET accepts what Redis accepts, and CONFIG GET answers it. CONFIG SET cannot change a parameter that is
fixed or protected.

This file is written by ` + "`go generate ./internal/config`" + ` from the table in internal/config/params.go
and params_kept.go.

## With effect

| parameter | default | values | effect |
|---|---|---|---|
`)
	all := params()
	slices.SortFunc(all, func(a, b Param) int { return strings.Compare(a.Name, b.Name) })
	for i := range all {
		if p := &all[i]; p.does != "" {
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", p.names(), p.shownDefault(), p.values(), p.does)
		}
	}
	b.WriteString("\n## Kept only\n\n| parameter | default | values |\n|---|---|---|\n")
	for i := range all {
		if p := &all[i]; p.does == "" {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", p.names(), p.shownDefault(), p.values())
		}
	}
	return b.String()
}

func (p *Param) names() string {
	if p.Alias != "" {
		return p.Name + ", " + p.Alias
	}
	return p.Name
}

func (p *Param) shownDefault() string {
	if p.Name == "dir" {
		return "the working directory"
	}
	return p.Def
}

func (p *Param) values() string {
	var s string
	switch p.Kind {
	case boolParam:
		s = "yes, no"
	case enumParam:
		s = strings.Join(p.enum, ", ")
	case intParam:
		s = fmt.Sprintf("%d to %d", p.min, p.max)
	case memoryParam:
		s = fmt.Sprintf("%d to %d bytes", p.min, uint64(p.max))
	case checkedParam:
		s = "text in a form of its own"
	case ListParam:
		s = "a list"
	default:
		s = "text"
	}
	if p.clampMax != 0 {
		s += fmt.Sprintf("; taken as %d to %d", p.clampMin, p.clampMax)
	}
	switch {
	case p.Immutable:
		s += "; fixed"
	case p.Protected:
		s += "; protected"
	}
	return s
}
