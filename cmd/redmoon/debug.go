package main

import (
	"errors"
	"strconv"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/internal/base/bundle"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/tools/embedded"
)

type debugCommand struct {
	promptFlags
	callFlag
	Sync   bool     `help:"Keep the changes of the script. Default: the script runs on a copy of the data."`
	Break  []string `sep:"none" placeholder:"LINE" help:"Set a breakpoint, as :break does: 12, or 12 if n > 3. May be repeated."`
	Script string   `arg:"" name:"script" help:"File of the script."`
	Args   []string `arg:"" optional:"" passthrough:"" name:"key ... , arg" help:"KEYS, and after a separate comma ARGV."`
}

// Help is the long text of "redmoon debug --help".
func (debugCommand) Help() string {
	return `The script stops before its first line. "n" steps to the next line, "s" into functions, "k" back,
"c" continues to the next breakpoint, "b 12" sets one; "v" shows the variables, "p expression" a value.
Redis commands are typed as they are. "help" lists all commands.

  redmoon debug --fixture users.redis --break "12 if n > 3" claim.lua user:1 , 10

A file whose first line names a library (#!lua name=...) is loaded, and --call names the function to stop in:

  redmoon debug stock.lua --call claim stock:1 , ann

Other flags must come before the script.`
}

func (c *debugCommand) Run(std *streams) error {
	script, err := embedded.Build(c.Script, bundle.Options{})
	if err != nil {
		return err
	}
	library, err := c.library(c.Script, script.Text)
	if err != nil {
		return err
	}
	words := c.Args
	if library {
		if c.Connect != "" {
			return errors.New("a Redis server has no debugger for functions; without --connect they can be debugged")
		}
		if err := c.check(std, script, c.Server); err != nil {
			return err
		}
		keys, args := repl.SplitKeys(words)
		words = append(append([]string{"fcall", c.Call, strconv.Itoa(len(keys))}, keys...), args...)
	}
	var o repl.Options
	o.First = append(o.First, ":load "+c.Script)
	for _, b := range c.Break {
		o.First = append(o.First, ":break "+b)
	}
	debug := ":debug"
	if c.Sync {
		debug += " --sync"
	}
	if len(words) == 0 {
		debug += " ,"
	}
	for _, a := range words {
		debug += " " + string(quoting.Append(nil, a))
	}
	o.First = append(o.First, debug)
	return c.runPrompt(std, "", o)
}
