package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/fmtfiles"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/indentation"
	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

type fmtCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"Scripts, or folders with files *.lua. Default: this folder. - is standard input."`

	Write  bool   `short:"w" default:"true" negatable:"" help:"Write the formatted text back to the files. That is the default."`
	Check  bool   `help:"Write nothing; list the files that are not formatted."`
	Diff   bool   `short:"d" help:"Write nothing; print the differences."`
	Quotes string `default:"keep" enum:"keep,single,double" placeholder:"KIND" help:"Quotes of strings: keep, single or double."`

	Indent indentation.Flag `placeholder:"tab|N" help:"Indent by tabs, or by N spaces. Default: as .editorconfig says, else 2."`
}

// Help is the long text of "redmoon fmt --help".
func (fmtCommand) Help() string {
	return `It rewrites files of Lua scripts in one style: two spaces for each level, 100 columns, operators between spaces. Comments
stay, and so does what the script does: both texts compile to the same instructions. A script that does not
compile is left alone. docs/fmt.md shows the style.

The indentation is that of --indent, or of the files .editorconfig: indent_style, indent_size, tab_width.

Files are replaced atomically and keep their permissions. Standard input is printed to standard output.

The exit code is 0, or 1 if --check has found a file that is not formatted, or 2 if a file cannot be
formatted, read or written.`
}

func (c *fmtCommand) Run(std *streams) error {
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	quotes := map[string]luafmt.Quotes{"single": luafmt.SingleQuotes, "double": luafmt.DoubleQuotes}[c.Quotes]
	outcome, err := fmtfiles.Run(c.Paths, fmtfiles.Options{
		Options: luafmt.Options{Quotes: quotes}, Indentation: c.Indent, Check: c.Check || !c.Write && !c.Diff, Diff: c.Diff,
		Stdin: std.in, Stdout: std.out, Problems: std.err,
	})
	switch {
	case err != nil:
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	case outcome.Failed > 0:
		return exitError(2)
	case outcome.Changed > 0 && c.Check:
		return exitError(1)
	}
	return nil
}
