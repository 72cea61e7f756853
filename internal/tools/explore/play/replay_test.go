package play_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/tools/explore/play"
)

// again runs the order of a violation, which breaks the play in the same way.
func again(t *testing.T, w *world) (order string) {
	t.Helper()
	found := explore(t, w).Violation
	require.NotNil(t, found)
	w.Order = found.Order
	repeated := explore(t, w).Violation
	require.NotNil(t, repeated, "order %q", found.Order)
	require.Equal(t, found.Kind, repeated.Kind)
	require.Equal(t, found.Err.Error(), repeated.Err.Error())
	require.Equal(t, found.Order, repeated.Order)
	require.Equal(t, found.Table, repeated.Table)
	return found.Order
}

// The order of a failure repeats it, whatever its clients do.
func TestOrdersRepeatTheFailure(t *testing.T) {
	t.Run("a crash before the first step", func(t *testing.T) {
		w := newWorld().client("taker", commands(command("BLPOP", "q", "0"))).client("giver", commands(command("RPUSH", "q", "a")))
		w.Clients[1].Crashes = true
		require.Contains(t, again(t, w), "2!")
	})
	t.Run("a client that only sleeps", func(t *testing.T) {
		w := newWorld().client("sleeper", func(c *play.Client) {
			_ = c.Sleep(time.Second)
			c.Fail(errors.New("it woke up"))
		})
		again(t, w)
	})
	t.Run("a client that sleeps longer than the order", func(t *testing.T) {
		w := newWorld().client("waiter", commands(command("BLPOP", "q", "10"))).client("sleeper", func(c *play.Client) {
			_ = c.Sleep(time.Second)
			do(c, "PING")
		})
		from := start
		w.Always = func(*play.State) error {
			if moved := w.clock.Now().Sub(from); moved == time.Second {
				return fmt.Errorf("the clock has moved by %v", moved)
			}
			return nil
		}
		again(t, w)
	})
	t.Run("a client that only notes", func(t *testing.T) {
		w := newWorld().client("ann", commands(command("SET", "k", "1"))).client("bob", func(c *play.Client) { c.Note("bob", 1) })
		w.Check = func(s *play.State) error {
			if _, ok := s.Note(1, "bob"); ok && w.get("k") == "1" {
				return errors.New("both")
			}
			return nil
		}
		again(t, w)
	})
}

// A client that fails because another was left out shows nothing: the simplest order keeps both.
func TestSimplestFailureOfAClientIsThatOfThePlay(t *testing.T) {
	w := newWorld().client("giver", func(c *play.Client) {
		do(c, "SET", "state", "half")
		do(c, "SET", "state", "whole")
		do(c, "RPUSH", "q", "job")
	}).client("taker", func(c *play.Client) {
		if v := do(c, "GET", "state"); v.Text() == "half" {
			c.Fail(errors.New("the state is half"))
			return
		}
		if v := do(c, "BLPOP", "q", "1"); v.IsNil() {
			c.Fail(errors.New("no job has come"))
		}
	})
	v := explore(t, w).Violation
	require.NotNil(t, v)
	require.Contains(t, v.Err.Error(), "the state is half", v.String())
	require.True(t, strings.Contains(v.Table, "giver"), v.Table)
}
