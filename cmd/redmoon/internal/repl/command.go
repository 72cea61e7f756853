package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// command is a command of the prompt, as opposed to a command of Redis.
type command struct {
	name    string // typed with a colon before it
	aliases []string
	letter  string // short form without a colon, at a stop
	group   string
	args    string // for people: [optional], a|b
	help    string // one sentence without a full stop
	more    []string
	where   where
	bare    bool // the name can always be typed without a colon
	run     func(d *dialogue, rest string) error
	// complete returns the candidates for the last word of the arguments. Optional.
	complete func(d *dialogue, words []string) []candidate
}

// where says where a command can be used.
type where uint8

const (
	anytime where = 0
	atStop  where = 1 << iota // only while a script is stopped
	idle                      // only while no script is stopped
	local                     // only on the engine of this process
)

// String implements [fmt.Stringer].
func (w where) String() string {
	var all []string
	for _, each := range []struct {
		bit  where
		text string
	}{{atStop, "at a stop"}, {idle, "not at a stop"}, {local, "not with --connect"}} {
		if w&each.bit != 0 {
			all = append(all, each.text)
		}
	}
	if all == nil {
		return "any time"
	}
	return strings.Join(all, ", ")
}

// The groups of commands, in the order of the help text.
const (
	groupScripts = "Scripts"
	groupSteps   = "Stepping"
	groupStops   = "Where to stop"
	groupInspect = "At a stop"
	groupData    = "Data and time"
	groupPrompt  = "The prompt"
)

func groupNames() []string {
	return []string{groupScripts, groupSteps, groupStops, groupInspect, groupData, groupPrompt}
}

// table returns all commands by group.
func table() []command {
	return slices.Concat(scriptCommands(), stepCommands(), breakCommands(), inspectCommands(), dataCommands(), promptCommands())
}

// find returns the command with a name, an alias or a unique prefix of a name.
func find(all []command, word string) (*command, error) {
	word = strings.ToLower(word)
	if word == "" {
		return nil, errors.New("a name must follow the colon; :help lists the commands")
	}
	var begun []*command
	for i := range all {
		c := &all[i]
		if word == c.name || word == c.letter || slices.Contains(c.aliases, word) {
			return c, nil
		}
		if strings.HasPrefix(c.name, word) {
			begun = append(begun, c)
		}
	}
	switch len(begun) {
	case 0:
		return nil, fmt.Errorf("unknown command :%s; :help lists the commands", word)
	case 1:
		return begun[0], nil
	}
	var names []string
	for _, c := range begun {
		names = append(names, ":"+c.name)
	}
	return nil, fmt.Errorf(":%s is ambiguous: %s", word, strings.Join(names, " or "))
}

// runOwn runs a command of the prompt. line does not include the colon.
func (d *dialogue) runOwn(line string) error {
	word, rest := cutWord(line)
	c, err := find(d.commands, word)
	if err != nil {
		return err
	}
	return d.runCommand(c, rest)
}

// runCommand runs a command of the prompt if it can be used here.
func (d *dialogue) runCommand(c *command, rest string) error {
	switch stopped := d.scripts.current != nil; {
	case c.where&local != 0 && !d.backend.Embedded():
		return fmt.Errorf(":%s cannot be used on a server", c.name)
	case c.where&atStop != 0 && !stopped:
		return fmt.Errorf(":%s needs a stopped script; :debug starts one, :run runs it to its end", c.name)
	case c.where&idle != 0 && stopped:
		return fmt.Errorf(":%s cannot be used while a script is stopped; :continue or :abort it first", c.name)
	}
	return c.run(d, strings.TrimSpace(rest))
}

// bareCommand returns the command of the prompt that a word without a colon names, or nil if it is
// a command of Redis.
func (d *dialogue) bareCommand(word string) *command {
	word = strings.ToLower(word)
	for i := range d.commands {
		c := &d.commands[i]
		if c.bare && (word == c.name || slices.Contains(c.aliases, word)) {
			return c
		}
		if c.where&idle != 0 || d.scripts.current == nil && c.where&atStop == 0 {
			continue
		}
		// Without a stopped script, runCommand says what is missing.
		if word == c.letter || c.where&atStop != 0 && word == c.name {
			if _, redis := d.Commands.Describe(word); !redis {
				return c
			}
		}
	}
	return nil
}

// usage returns the error for wrong arguments.
func (c *command) usage() error {
	return fmt.Errorf("usage: %s", strings.TrimSpace(":"+c.name+" "+c.args))
}

// usage returns the error for wrong arguments of a command.
func usage(name string) error {
	c, err := find(table(), name)
	if err != nil {
		return err
	}
	return c.usage()
}

// cutWord cuts the first word off a line.
func cutWord(line string) (word, rest string) {
	line = strings.TrimLeft(line, " \t\n")
	i := strings.IndexAny(line, " \t\n")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}

// errQuit ends the dialogue.
var errQuit = errors.New("quit")
