package shell

import (
	"fmt"
	"io"
	"strings"
)

// Page is what a manual page says besides the commands.
type Page struct {
	Program, Description string
	Version, Date        string // Date is a day such as 2024-01-31
	SeeAlso              []string
}

// Man writes the manual page of a program, in section 1, as roff with the macros of man(7).
func Man(w io.Writer, p Page, commands []Command) error {
	var b strings.Builder
	upper := strings.ToUpper(p.Program)
	fmt.Fprintf(&b, ".TH %s 1 %s %s\n", upper, roffArg(p.Date), roffArg(p.Program+" "+p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(p.Program), roff(p.Description))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n.I command\n[\\fIflag\\fR ...] [\\fIargument\\fR ...]\n", roff(p.Program))
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roffArg(p.Program+" "+c.Name+argsOf(c)), roff(c.Help))
		detail(&b, c.Detail)
		for _, a := range c.Args {
			fmt.Fprintf(&b, ".TP\n\\fI%s\\fR\n%s\n", roff(a.Name), roff(a.Help))
		}
		for _, f := range c.Flags {
			b.WriteString(".TP\n\\fB" + roff(flagText(f)) + "\\fR")
			if f.Value != "" {
				b.WriteString("=\\fI" + roff(f.Value) + "\\fR")
			}
			fmt.Fprintf(&b, "\n%s\n", roff(f.Help))
		}
	}
	b.WriteString(".SH EXIT STATUS\n0 for success, 1 if the command has failed, 2 if its arguments are invalid, 130 after an interrupt.\n")
	if len(p.SeeAlso) > 0 {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", roff(strings.Join(p.SeeAlso, ", ")))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func flagText(f Flag) string {
	if f.Short != "" {
		return "-" + f.Short + ", --" + f.Name
	}
	return "--" + f.Name
}

func argsOf(c Command) string {
	var b strings.Builder
	for _, a := range c.Args {
		if a.Optional {
			fmt.Fprintf(&b, " [%s]", a.Name)
		} else {
			fmt.Fprintf(&b, " %s", a.Name)
		}
	}
	return b.String()
}

// detail writes paragraphs; lines that begin with two spaces stay as they are.
func detail(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	b.WriteString(".PP\n")
	example := false
	for _, line := range strings.Split(text, "\n") {
		isExample := strings.HasPrefix(line, "  ")
		switch {
		case isExample && !example:
			b.WriteString(".nf\n")
		case !isExample && example:
			b.WriteString(".fi\n")
		}
		example = isExample
		if line == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(line) + "\n")
	}
	if example {
		b.WriteString(".fi\n")
	}
}

// roff escapes a line of text: a backslash, a dash, and a dot or quote at its beginning.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}

// roffArg is text as one argument of a macro.
func roffArg(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }
