package fmtfiles

import (
	"fmt"
	"io"
	"os"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/indentation"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lintfiles"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/base/textdiff"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
	"github.com/redmoon-lua/redmoon/internal/tools/luafmt"
)

// Options say what to do.
type Options struct {
	luafmt.Options                  // Indent is what neither the flag nor a file says
	Indentation    indentation.Flag // wins over the files .editorconfig

	Check bool // write nothing; list the files that are not formatted
	Diff  bool // write nothing; print the differences

	Stdin            io.Reader // the script of the path "-"
	Stdout, Problems io.Writer // Problems gets what is wrong with files

	indents indentation.Files
}

// maxFile is how many bytes a script may have.
const maxFile = 16 << 20

// Outcome says what Run has found.
type Outcome struct {
	Changed int // files whose text is another one formatted
	Failed  int // files that could not be formatted, read or written
}

// Run formats files, and all files below folders whose names end in .lua. It writes the names of
// changed files to o.Stdout. A file that cannot be formatted stays as it is, and the others are
// formatted. The error says which path cannot be searched, or that o.Stdout fails.
func Run(paths []string, o Options) (Outcome, error) {
	var outcome Outcome
	list, err := lintfiles.Files(paths)
	if err != nil {
		return outcome, err
	}
	for _, path := range list {
		changed, err := o.file(path)
		switch broken := (*brokenOutput)(nil); {
		case asBroken(err, &broken):
			return outcome, broken.err
		case err != nil:
			outcome.Failed++
			fmt.Fprintf(o.Problems, "%s: %v\n", path, err)
		case changed:
			outcome.Changed++
		}
	}
	return outcome, nil
}

// brokenOutput is an error of the standard output.
type brokenOutput struct{ err error }

func (e *brokenOutput) Error() string { return e.err.Error() }

func asBroken(err error, to **brokenOutput) (ok bool) {
	*to, ok = err.(*brokenOutput)
	return ok
}

// file formats one file, or the standard input, and reports whether its text changes.
func (o *Options) file(path string) (changed bool, err error) {
	source, err := o.read(path)
	if err != nil {
		return false, err
	}
	options := o.Options
	name := path
	if path == "-" {
		name = "stdin.lua" // a script of this folder
	}
	if options.Indent, err = o.indents.Of(name, o.Indentation, options.Indent); err != nil {
		return false, err
	}
	format := luafmt.Format
	if embedded.Knows(path) {
		format = func(text string, o luafmt.Options) (string, error) { return formatProgram(path, text, o) }
	}
	text, err := format(source, options)
	if err != nil {
		return false, err
	}
	changed = text != source
	switch {
	case o.Diff:
		return changed, o.print(textdiff.Unified(path, path+" (formatted)", source, text))
	case o.Check:
		if changed {
			err = o.print(path + "\n")
		}
		return changed, err
	case path == "-":
		return changed, o.print(text)
	case !changed:
		return false, nil
	}
	if err := files.Rewrite(path, source, text); err != nil {
		return false, err
	}
	return true, o.print(path + "\n")
}

func (o *Options) print(text string) error {
	if _, err := io.WriteString(o.Stdout, text); err != nil {
		return &brokenOutput{err}
	}
	return nil
}

func (o *Options) read(path string) (string, error) {
	r := o.Stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		r = f
	}
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("the file has more than %d bytes", maxFile)
	}
	return string(b), err
}
