package main

import (
	"os"
	"strings"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/repl"
	"github.com/redmoon-lua/redmoon/internal/quoting"
)

type debugCommand struct {
	promptFlags
	Sync    bool     `help:"Let what the script changes stay at the end. Otherwise it works on a copy of the data."`
	Fixture string   `placeholder:"FILE" help:"File of Redis commands that are run first, one a line, such as SET k v."`
	Break   []string `sep:"none" placeholder:"LINE" help:"Stop before a line, as :break does: 12, or 12 if n > 3. May be repeated."`
	Script  string   `arg:"" name:"script" help:"File of the script."`
	Args    []string `arg:"" optional:"" passthrough:"" name:"key ... , arg" help:"What the script finds in KEYS and, behind a comma that stands alone, in ARGV."`
}

// Help is the long text of "redmoon debug --help".
func (debugCommand) Help() string {
	return `The script stops before its first line. "n" goes on by a line, "s" into functions, "k" back, "c" to the next breakpoint, "b 12" sets one; "v" shows the variables, "p expression" a value; Redis commands are typed as they are. "help" tells the rest.

  redmoon debug --fixture users.redis --break "12 if n > 3" claim.lua user:1 , 10

Flags stand before the script.`
}

func (c *debugCommand) Run(std *streams) error {
	if _, err := os.Stat(c.Script); err != nil {
		return err
	}
	var o repl.Options
	if c.Fixture != "" {
		b, err := os.ReadFile(c.Fixture)
		if err != nil {
			return err
		}
		o.Fixture = strings.Split(string(b), "\n")
	}
	o.First = append(o.First, ":load "+c.Script)
	for _, b := range c.Break {
		o.First = append(o.First, ":break "+b)
	}
	debug := ":debug"
	if c.Sync {
		debug += " --sync"
	}
	if len(c.Args) == 0 {
		debug += " ,"
	}
	for _, a := range c.Args {
		debug += " " + string(quoting.Append(nil, a))
	}
	o.First = append(o.First, debug)
	return c.open(std, "", o)
}
