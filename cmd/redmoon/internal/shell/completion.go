package shell

import (
	"fmt"
	"io"
	"strings"
)

// Shells are the shells that Complete knows.
func Shells() []string { return []string{"bash", "zsh", "fish"} }

// Complete writes the completion script of a program for a shell.
func Complete(w io.Writer, shell, program string, commands []Command) error {
	var text string
	switch shell {
	case "bash":
		text = bash(program, commands)
	case "zsh":
		text = "#compdef " + program + "\nautoload -Uz +X bashcompinit && bashcompinit\n" + bash(program, commands)
	case "fish":
		text = fish(program, commands)
	default:
		return fmt.Errorf("unknown shell %q: %s", shell, strings.Join(Shells(), ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// bash is a function for complete -F. zsh has an emulation of it.
func bash(program string, commands []Command) string {
	var b strings.Builder
	name := "_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, program)
	fmt.Fprintf(&b, "# Completion of %s for bash:  source <(%s completion bash)\n%s() {\n", program, program, name)
	b.WriteString(`	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words= files=
	COMPREPLY=()
`)
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	fmt.Fprintf(&b, "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords=\"%s help --help --version\" files=yes\n\telse\n",
		strings.Join(names, " "))
	b.WriteString("\t\tcase \"${COMP_WORDS[1]} $before\" in\n")
	for _, c := range commands {
		for _, f := range c.Flags {
			switch {
			case len(f.Values) > 0:
				fmt.Fprintf(&b, "\t\t\"%s --%s\") words=\"%s\" ;;\n", c.Name, f.Name, strings.Join(f.Values, " "))
			case f.isFile():
				fmt.Fprintf(&b, "\t\t\"%s --%s\") files=yes ;;\n", c.Name, f.Name)
			case f.Value != "":
				fmt.Fprintf(&b, "\t\t\"%s --%s\") ;;\n", c.Name, f.Name)
			}
		}
	}
	fmt.Fprintf(&b, "\t\t\"help \"*) words=\"%s\" ;;\n", strings.Join(names, " "))
	fmt.Fprintf(&b, "\t\t\"completion \"*) words=\"%s\" ;;\n\t\t*) case \"${COMP_WORDS[1]}\" in\n", strings.Join(Shells(), " "))
	for _, c := range commands {
		var flags []string
		for _, f := range c.Flags {
			flags = append(flags, "--"+f.Name)
		}
		filesToo := ""
		if c.Files {
			filesToo = " files=yes"
		}
		fmt.Fprintf(&b, "\t\t\t%s) words=\"%s\"%s ;;\n", c.Name, strings.Join(flags, " "), filesToo)
	}
	fmt.Fprintf(&b, `			*) files=yes ;;
			esac ;;
		esac
	fi
	case "$word" in -*) files= ;; *) [ -n "$files" ] && [ "$COMP_CWORD" -gt 1 ] && words= ;; esac
	[ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$word"))
	if [ -n "$files" ]; then
		local file
		while IFS= read -r file; do
			COMPREPLY+=("$file")
		done < <(compgen -f -- "$word")
		compopt -o filenames 2>/dev/null
	fi
	return 0
}
complete -F %s %s
`, name, program)
	return b.String()
}

func fish(program string, commands []Command) string {
	var b strings.Builder
	quote := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'" }
	fmt.Fprintf(&b, "# Completion of %s for fish:  %s completion fish | source\n", program, program)
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", program, c.Name, quote(c.Help))
		seen := fmt.Sprintf("complete -c %s -n '__fish_seen_subcommand_from %s'", program, c.Name)
		if !c.Files {
			fmt.Fprintf(&b, "%s -f\n", seen)
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, "%s -l %s", seen, f.Name)
			if f.Short != "" {
				b.WriteString(" -s " + f.Short)
			}
			switch {
			case len(f.Values) > 0:
				fmt.Fprintf(&b, " -x -a %s", quote(strings.Join(f.Values, " ")))
			case f.isFile():
				b.WriteString(" -r")
			case f.Value != "":
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", quote(f.Help))
		}
	}
	fmt.Fprintf(&b, "complete -c %s -n '__fish_seen_subcommand_from completion' -x -a %s\n", program, quote(strings.Join(Shells(), " ")))
	return b.String()
}
