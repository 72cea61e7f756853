package main

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/testing/repo"
)

// reflowMarkdown rewraps the paragraphs and list items of a document.
func reflowMarkdown(source []byte, all bool) ([]byte, error) {
	if repo.IsGenerated(source) {
		return source, nil
	}
	var out []string
	var p *paragraph
	flush := func() {
		if p == nil {
			return
		}
		if all || p.long(0, repo.MaxProse) {
			out = append(out, p.wrap(0, repo.MaxProse)...)
		} else {
			out = append(out, p.asIs()...)
		}
		p = nil
	}
	fenced := false
	for _, line := range strings.Split(string(source), "\n") {
		body := strings.TrimLeft(line, " ")
		lead := line[:len(line)-len(body)]
		fence := strings.HasPrefix(body, "```")
		if fence {
			fenced = !fenced
		}
		first, rest := itemLead(line)
		switch {
		case fence || fenced || body == "" || strings.ContainsAny(body[:1], "#|<>\t=") || hardBreak(line) || linkDefinition(body):
			flush()
			out = append(out, line)
		case first != "":
			flush()
			p = &paragraph{first: first, rest: rest, lines: []string{strings.TrimPrefix(line, first)}}
		case p != nil && (lead == p.rest || len(lead) < len(p.rest)):
			p.lines = append(p.lines, body)
		case p == nil && len(lead) >= 4: // a code block
			out = append(out, line)
		default:
			flush()
			p = &paragraph{first: lead, rest: lead, lines: []string{body}}
		}
	}
	flush()
	return []byte(strings.Join(out, "\n")), nil
}

func hardBreak(line string) bool {
	return strings.HasSuffix(line, "  ") || strings.HasSuffix(line, `\`)
}

func linkDefinition(body string) bool {
	return strings.HasPrefix(body, "[") && strings.Contains(body, "]: ")
}
