package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/bundlefiles"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
)

type bundleCommand struct {
	Paths []string `arg:"" name:"path" help:"Scripts, or folders with files *.lua."`

	Out     string            `short:"o" placeholder:"FOLDER" help:"Write each script to a file in this folder."`
	Check   bool              `help:"Write nothing; show how the files in the folder of --out differ."`
	Map     bool              `help:"Also write a source map beside each file: NAME.lua.map."`
	List    bool              `short:"l" help:"Print the SHA1 and the path of each script instead of its text."`
	Folders map[string]string `name:"folder" placeholder:"NAME=FOLDER" help:"The folder that <NAME> stands for in an include."`
	Drop    bool              `name:"drop-empty-lines" help:"Drop empty lines also where nothing is included."`
}

// Help is the long text of "redmoon bundle --help".
func (bundleCommand) Help() string {
	return `It prints the text that is sent to Redis when a script is made of many files. A line such as

  --- @include "includes/batches"

is replaced by the text of that file, as the builds of Bull and BullMQ do; docs/bundle.md has the rules. Of a
folder, all scripts are built that no other one includes.

  redmoon bundle addJob.lua
  redmoon bundle --out dist --map commands
  redmoon bundle --out dist --check commands

The exit code is 0, or 1 if --check has found a difference, or 2 if a script cannot be built or a file cannot
be read or written. Nothing is written unless all scripts can be built.`
}

func (c *bundleCommand) Run(std *streams) error {
	if c.Out == "" && (c.Check || c.Map) {
		return fmt.Errorf("--check and --map need --out FOLDER")
	}
	outcome, err := bundlefiles.Run(c.Paths, bundlefiles.Options{
		Options: bundle.Options{Folders: c.Folders, DropEmptyLines: c.Drop},
		Out:     c.Out, Check: c.Check, Map: c.Map, List: c.List, Stdout: std.out, Problems: std.err,
	})
	switch {
	case err != nil:
		fmt.Fprintf(std.err, "redmoon: %v\n", err)
		return exitError(2)
	case outcome.Failed > 0:
		return exitError(2)
	case outcome.Differ > 0:
		return exitError(1)
	}
	return nil
}
