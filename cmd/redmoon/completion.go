package main

import (
	"runtime/debug"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/shell"
)

type completionCommand struct {
	Shell string `arg:"" name:"bash|zsh|fish" enum:"bash,zsh,fish" help:"The shell."`
}

// Help is the long text of "redmoon completion --help".
func (completionCommand) Help() string {
	return `The script goes to standard output. For this shell, or for all if the line is in its start file:

  source <(redmoon completion bash)
  source <(redmoon completion zsh)
  redmoon completion fish | source`
}

func (c *completionCommand) Run(std *streams) error {
	return shell.Complete(std.out, c.Shell, "redmoon", shell.CommandsOf(newParser(std, func(int) {}).Model))
}

type manCommand struct{}

// Help is the long text of "redmoon man --help".
func (manCommand) Help() string {
	return `It goes to standard output:

  redmoon man | man -l -
  redmoon man > /usr/local/share/man/man1/redmoon.1`
}

func (manCommand) Run(std *streams) error {
	info, _ := debug.ReadBuildInfo()
	v := versionOf(info)
	return shell.Man(std.out, shell.Page{
		Program: "redmoon", Description: description, Version: v.number, Date: v.date, SeeAlso: []string{"redis-server(1)", "redis-cli(1)"},
	}, shell.CommandsOf(newParser(std, func(int) {}).Model))
}
