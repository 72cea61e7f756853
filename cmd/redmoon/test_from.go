package main

import (
	"fmt"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/testfrom"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
)

// makeTest makes the test of --from, which becomes the only file to run.
func (c *testCommand) makeTest(std *streams) error {
	o := testfrom.Options{Recording: c.From, Force: c.Force}
	if len(c.Paths) == 1 {
		o.Path = c.Paths[0]
	}
	src, err := recording.OpenFile(c.From)
	if err != nil {
		return err
	}
	defer src.Close()
	if o.Replay, err = c.replayOptions(c.From, src, replay.Options{}); err != nil {
		return err
	}
	made, err := testfrom.Write(std.interruptible, src, o)
	if err != nil {
		return err
	}
	c.Paths = []string{made.Path}
	// Standard output is for the reporter.
	fmt.Fprintf(std.err, "%s: %d calls, of which %d are compared\n", made.Path, made.Calls, made.Compared)
	if n := made.Report.Count(); n > 0 {
		fmt.Fprintf(std.err, "redmoon: warning: %d replies differ when the recording is replayed, so the test fails; "+
			"redmoon replay %s shows them\n", n, c.From)
	}
	return nil
}
