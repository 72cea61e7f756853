package repl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// command is one of the dialogue's own commands, in contrast to those of Redis.
type command struct {
	name    string // typed with a colon before it
	aliases []string
	letter  string // does at a stop without a colon
	group   string
	args    string // for people: [optional], a|b
	help    string // one sentence without a full stop
	more    []string
	where   where
	bare    bool // the name does without a colon, everywhere
	run     func(d *dialogue, rest string) error
	// complete gives what may stand for the last of the words behind the name. nil: nothing.
	complete func(d *dialogue, words []string) []candidate
}

// where says where a command works.
type where uint8

const (
	anytime where = 0
	atStop  where = 1 << iota // only while a script is stopped
	idle                      // only while none is
	local                     // only on the engine of this process
)

// String is for people.
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

// The groups of commands, in the order of help.
const (
	groupScripts = "Scripts"
	groupSteps   = "Stepping"
	groupStops   = "Where to stop"
	groupLook    = "At a stop"
	groupData    = "Data and time"
	groupPrompt  = "The prompt"
)

func groupNames() []string {
	return []string{groupScripts, groupSteps, groupStops, groupLook, groupData, groupPrompt}
}

// table is all commands, by group.
func table() []command {
	return slices.Concat(scriptCommands(), stepCommands(), breakCommands(), lookCommands(), dataCommands(), promptCommands())
}

// find returns the command that a word names: a name, an alias, or the beginning of just one name.
func find(all []command, word string) (*command, error) {
	word = strings.ToLower(word)
	if word == "" {
		return nil, errors.New("a colon and a name; :help tells what there is")
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
		return nil, fmt.Errorf("there is no :%s; :help tells what there is", word)
	case 1:
		return begun[0], nil
	}
	var names []string
	for _, c := range begun {
		names = append(names, ":"+c.name)
	}
	return nil, fmt.Errorf(":%s may be %s", word, strings.Join(names, " or "))
}

// own obeys a line that begins with a colon, without it.
func (d *dialogue) own(line string) error {
	word, rest := cutWord(line)
	c, err := find(d.commands, word)
	if err != nil {
		return err
	}
	return d.obey(c, rest)
}

// obey runs one of the dialogue's own commands.
func (d *dialogue) obey(c *command, rest string) error {
	switch stopped := d.stop != nil; {
	case c.where&local != 0 && !d.place.embedded():
		return fmt.Errorf(":%s is for the engine of this process, not for a server", c.name)
	case c.where&atStop != 0 && !stopped:
		return fmt.Errorf(":%s is for a script that is stopped; :debug starts one", c.name)
	case c.where&idle != 0 && stopped:
		return fmt.Errorf(":%s is not for now: a script is stopped; :continue or :abort it first", c.name)
	}
	return c.run(d, strings.TrimSpace(rest))
}

// bare returns the command that a line without a colon means, or nil where it is one for Redis.
func (d *dialogue) bare(word string) *command {
	word = strings.ToLower(word)
	for i := range d.commands {
		c := &d.commands[i]
		if c.bare && (word == c.name || slices.Contains(c.aliases, word)) {
			return c
		}
		if d.stop == nil || c.where&idle != 0 {
			continue
		}
		if word == c.letter || c.where&atStop != 0 && word == c.name {
			if _, redis := d.Commands.Describe(word); !redis {
				return c
			}
		}
	}
	return nil
}

// usage is the error of wrong arguments.
func (c *command) usage() error {
	return fmt.Errorf("usage: %s", strings.TrimSpace(":"+c.name+" "+c.args))
}

// usage is the error of a command whose arguments are wrong.
func (d *dialogue) usage(name string) error {
	c, err := find(d.commands, name)
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
