package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/datastore/rdbfile"
	"github.com/redmoon-lua/redmoon/internal/testing/patience"
)

// TestMain runs the program instead of the tests if the file is called redmoon or redis-server.
func TestMain(m *testing.M) {
	if linkedName(os.Args[0]) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"redmoon": main})
}

// TestScripts runs the command-line sessions in testdata against the real program. dump.rdb is in
// the folder of each session.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Setup: func(env *testscript.Env) error { return writeDump(filepath.Join(env.WorkDir, "dump.rdb")) },
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"await": await},
	})
}

// await waits until a program serves a unix socket.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: await socket")
	}
	ts.Check(patience.Try(func() error {
		nc, err := net.Dial("unix", ts.MkAbs(args[0]))
		if err == nil {
			err = nc.Close()
		}
		return err
	}))
}

// writeDump writes an RDB file with the keys user:1, user:2, order:1 and a function library.
func writeDump(path string) error {
	st := datastore.New(datastore.Options{})
	for key, value := range map[string]string{"user:1": "Ada", "user:2": "Bob", "order:1": "shoe"} {
		st.DB(0).SetString(key, value, false)
	}
	var b bytes.Buffer
	err := rdbfile.Write(&b, st, rdbfile.Writing{
		Functions: []string{"#!lua name=lib\nredis.register_function('answer', function() return 42 end)"},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o600)
}
