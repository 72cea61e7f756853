package commands

import (
	"io"
	"log/slog"
	"strconv"
	"testing"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
)

func benchServer(commands ...[]string) (server.Control, *server.Session) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(servers.Redis70), slog.New(slog.NewTextHandler(io.Discard, nil)))
	sess := s.NewSession("", "")
	for _, args := range commands {
		s.Execute(sess, cmdtable.DoorClient, args)
	}
	return s, sess
}

func benchStringCommand(b *testing.B, setup [][]string, args ...string) {
	s, sess := benchServer(setup...)
	b.ReportAllocs()
	for b.Loop() {
		if v := s.Execute(sess, cmdtable.DoorClient, args); v.IsError() {
			b.Fatal(v.Text())
		}
	}
}

func BenchmarkGet(b *testing.B) {
	benchStringCommand(b, [][]string{{"SET", "key:000000000012", "xxx"}}, "GET", "key:000000000012")
}

func BenchmarkGetMissing(b *testing.B) { benchStringCommand(b, nil, "GET", "key:000000000012") }

func BenchmarkSet(b *testing.B) { benchStringCommand(b, nil, "SET", "key:000000000012", "xxx") }

func BenchmarkSetEX(b *testing.B) {
	benchStringCommand(b, nil, "SET", "key:000000000012", "xxx", "EX", "100")
}

func BenchmarkIncr(b *testing.B) { benchStringCommand(b, nil, "INCR", "counter:000000000012") }

func BenchmarkIncrByFloat(b *testing.B) { benchStringCommand(b, nil, "INCRBYFLOAT", "counter", "0.1") }

func BenchmarkAppend(b *testing.B) { benchStringCommand(b, nil, "APPEND", "log", "0123456789") }

func BenchmarkSetNewKeys(b *testing.B) {
	s, sess := benchServer()
	keys := make([]string, 1<<20)
	for i := range keys {
		keys[i] = "key:" + strconv.Itoa(i)
	}
	args := []string{"SET", "", "xxx"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%len(keys) == 0 {
			s.Store.FlushAll()
		}
		args[1] = keys[i%len(keys)]
		s.Execute(sess, cmdtable.DoorClient, args)
	}
}
