package shell

import (
	"cmp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Command is a command of a program.
type Command struct {
	Name   string
	Help   string // one sentence
	Detail string // paragraphs; lines that begin with two spaces are examples
	Flags  []Flag
	Args   []Arg
	Files  bool // its arguments are files
}

// Flag is a flag of a command, without the dashes.
type Flag struct {
	Name, Short string
	Value       string   // what the value is called, such as FILE; "": it takes none
	Values      []string // all values, if there are few
	Help        string
}

// Arg is an argument of a command.
type Arg struct {
	Name, Help string
	Optional   bool
}

// files are the names of values and arguments that are paths.
var files = []string{"FILE", "PATH", "FOLDER", "DIR", "file", "path", "script", "files", "paths", "OTHER"}

// CommandsOf returns the commands that are not hidden, in the order of their declaration.
func CommandsOf(app *kong.Application) []Command {
	var all []Command
	for _, n := range app.Children {
		if n.Hidden {
			continue
		}
		c := Command{Name: n.Name, Help: n.Help, Detail: n.Detail}
		for _, f := range n.Flags {
			if !f.Hidden {
				c.Flags = append(c.Flags, flagOf(f))
			}
		}
		slices.SortFunc(c.Flags, func(a, b Flag) int { return cmp.Compare(a.Name, b.Name) })
		for _, p := range n.Positional {
			c.Args = append(c.Args, Arg{Name: p.Name, Help: p.Help, Optional: !p.Required})
			c.Files = c.Files || slices.Contains(files, p.Name)
		}
		all = append(all, c)
	}
	return all
}

func flagOf(f *kong.Flag) Flag {
	flag := Flag{Name: f.Name, Help: strings.ReplaceAll(f.Help, "${default}", f.Default)}
	if f.Short != 0 {
		flag.Short = string(f.Short)
	}
	if !f.IsBool() && !f.IsCounter() {
		flag.Value = f.FormatPlaceHolder()
	}
	if f.Enum != "" {
		flag.Values = f.EnumSlice()
		flag.Value = cmp.Or(f.PlaceHolder, strings.ToUpper(f.Name))
	}
	return flag
}

// isFile reports whether the value of a flag is a path.
func (f Flag) isFile() bool { return slices.Contains(files, f.Value) }
