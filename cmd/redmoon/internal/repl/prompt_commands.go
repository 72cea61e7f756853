package repl

import (
	"io"
	"os"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/lineedit"
)

func promptCommands() []command {
	return []command{
		{
			name: "help", aliases: []string{"?"}, letter: "h", group: groupPrompt, args: "[COMMAND|@GROUP]", bare: true,
			help: "list all commands, or describe a command of the prompt (`:help :break`) or of Redis (`help set`, `help @hash`)",
			run: func(d *dialogue, rest string) error {
				_, err := io.WriteString(d.out, d.helper.help(rest))
				return err
			},
			complete: completeHelp,
		},
		{
			name: "clear", aliases: []string{"cls"}, group: groupPrompt, bare: true, help: "clear the screen",
			run: func(d *dialogue, _ string) error {
				_, err := io.WriteString(d.out, "\x1b[H\x1b[2J")
				return err
			},
		},
		{
			name: "source", group: groupPrompt, args: "FILE", help: "run the lines of a file",
			more:     []string{"The lines may be commands of Redis and of the prompt. The first line that fails ends the command."},
			run:      func(d *dialogue, rest string) error { return d.sourceFile(rest) },
			complete: completeFiles,
		},
		{
			name: "quit", aliases: []string{"exit",
				"q"}, letter: "q", group: groupPrompt, bare: true, help: "leave the prompt; Ctrl-D does the same",
			run: func(*dialogue, string) error { return errQuit },
		},
	}
}

// sourceFile runs the lines of a file.
func (d *dialogue) sourceFile(path string) error {
	if path == "" {
		return usage("source")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := lineedit.NewPlain(f)
	before := d.failed
	defer func() { d.failed = d.failed || before }()
	for d.failed = false; !d.failed; {
		line, err := lines.ReadLine((*assistant)(d))
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := d.handleLine(line); err != nil {
			return err
		}
	}
	return nil
}
