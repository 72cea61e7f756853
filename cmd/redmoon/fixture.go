package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/backend"
	"github.com/redmoon-lua/redmoon/internal/tools/fixture"
)

// fixtureFlag is the flag of the commands that begin with test data.
type fixtureFlag struct {
	Fixture []string `sep:"none" placeholder:"FILE" help:"File of Redis commands or of JSON that is loaded first. May be repeated."`
}

// commands returns the commands of the files. A file whose name ends in .json has a value for each
// key; any other has a command on each line.
func (f fixtureFlag) commands() (all [][]string, err error) {
	for _, path := range f.Fixture {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		commands, err := fixture.Commands(path, content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, commands...)
	}
	return all, nil
}

// loadFixture runs the commands of the files.
func (f fixtureFlag) loadFixture(ctx context.Context, place backend.Backend) error {
	commands, err := f.commands()
	if err != nil {
		return err
	}
	for _, command := range commands {
		a, err := place.Do(ctx, command)
		if err == nil && a.Value.IsError() {
			err = errors.New(a.Value.Text())
		}
		if err != nil {
			return fmt.Errorf("fixture: %.80q: %w", command, err)
		}
	}
	return nil
}
