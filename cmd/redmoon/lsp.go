package main

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/indentation"
	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lsp"
)

type lspCommand struct {
	Indent  indentation.Flag `placeholder:"tab|N" help:"Format with tabs, or with N spaces. Default: as .editorconfig or the editor says."`
	Verbose bool             `help:"Log more to standard error."`
}

// Help is the long text of "redmoon lsp --help".
func (lspCommand) Help() string {
	return `Editors start this command to get what "redmoon lint" finds while a script is typed, repairs, documentation of
commands and functions, completion, signatures, definitions, references, renaming, an outline and formatting.
docs/editors.md has settings for VS Code, Neovim, Helix, Zed and Emacs.

The exit code is 0 if the editor has ended the server as the protocol says, else 1.`
}

// typingPause is how long the user must not type before a script is checked.
const typingPause = 150 * time.Millisecond

func (c *lspCommand) Run(std *streams) error {
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelDebug
	}
	clean, err := lsp.Serve(std.interruptible, std.in, std.out, lsp.Options{
		Version: lspVersion(), Indent: c.Indent, Debounce: typingPause,
		Logger: slog.New(slog.NewTextHandler(std.err, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
	}
	if !clean {
		return exitError(1)
	}
	return nil
}

// lspVersion returns the version of this program for editors.
func lspVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}
