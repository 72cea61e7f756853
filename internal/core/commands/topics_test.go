package commands

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

func TestTheSoftLimitOfASubscriberMayBePassedForSomeTime(t *testing.T) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(servers.Redis70), slog.New(slog.NewTextHandler(io.Discard, nil)))
	waiting, killed := int64(0), false
	sess, other := s.NewSession("1.2.3.4:5", ""), s.NewSession("", "")
	sess.Receive = func(reply.Value, int, int64) int64 { return waiting }
	sess.Kill = func(server.Ending) { killed = true }
	do := func(line string) reply.Value { return s.Execute(other, cmdtable.DoorClient, strings.Fields(line)) }
	require.Equal(t, "OK", s.Execute(other, cmdtable.DoorClient, []string{"CONFIG", "SET", "client-output-buffer-limit",
		"pubsub 1000 100 10"}).Text())
	require.Equal(t, reply.KindPush, s.Execute(sess, cmdtable.DoorClient, []string{"SUBSCRIBE", "c"}).Kind())
	at := func(second, bytes int64) bool {
		s.Store.SetNow(second * 1e6)
		waiting = bytes
		require.EqualValues(t, 1, do("PUBLISH c m").MustInt())
		return killed
	}
	require.False(t, at(100, 99))
	require.False(t, at(101, 500))
	require.False(t, at(111, 999))
	require.False(t, at(112, 99), "the time starts again")
	require.False(t, at(113, 500))
	require.False(t, at(123, 500))
	require.True(t, at(124, 500))
	killed, sess.CloseAfter = false, false
	require.True(t, at(125, 1000))
	s.CloseSession(sess)
	require.Zero(t, do("PUBLISH c m").MustInt())
	require.Empty(t, do("PUBSUB CHANNELS").Slice())
}

func TestASessionInProcessCannotSubscribe(t *testing.T) {
	s := server.NewServer(datastore.New(datastore.Options{}), Of(servers.Redis70), slog.New(slog.NewTextHandler(io.Discard, nil)))
	v := s.Execute(s.NewSession("", ""), cmdtable.DoorClient, []string{"SUBSCRIBE", "c"})
	require.Equal(t, "ERR SUBSCRIBE needs a connection, which can receive messages", v.Text())
	v = s.Execute(s.NewSharedSession(), cmdtable.DoorClient, []string{"UNSUBSCRIBE"})
	require.ErrorContains(t, v.Err(), "needs a session of its own")
}
