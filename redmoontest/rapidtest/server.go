package rapidtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
)

// server is the real server of a property.
type server struct{ engine.Client }

// begin refuses a database that has keys.
func (s *server) begin() error {
	v, err := s.DoStrings(context.Background(), "DBSIZE")
	if err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	if n, err := v.Int(); err != nil || n > 0 {
		return errors.New("the database of the server has keys, which Check would delete: choose an empty one")
	}
	return nil
}

func (s *server) flush() error {
	_, err := s.DoStrings(context.Background(), "FLUSHDB")
	return err
}

// apart is how much times to live may differ.
const apart = 10 * time.Second

// compare compares the keyspace of the server with that of e. It moves the keys by DUMP and RESTORE
// to another engine, so that the order within hash tables does not count.
func (s *server) compare(t testing.TB, rt *rapid.T, e *redmoontest.Engine) error {
	ctx := context.Background()
	copied := New(t, rt)
	names, err := s.DoStrings(ctx, "KEYS", "*")
	if err != nil {
		return fmt.Errorf("the server: %w", err)
	}
	for _, key := range names.Strings() {
		payload, err := s.DoStrings(ctx, "DUMP", key)
		if err != nil {
			return fmt.Errorf("the server: DUMP %s: %w", key, err)
		}
		left, err := s.DoStrings(ctx, "PTTL", key)
		if err != nil {
			return fmt.Errorf("the server: PTTL %s: %w", key, err)
		}
		if payload.IsNil() || left.MustInt() == -2 {
			continue // it has expired meanwhile
		}
		ttl := strconv.FormatInt(max(0, left.MustInt()), 10)
		if _, err := copied.DoStrings(ctx, "RESTORE", key, ttl, payload.Text()); err != nil {
			return fmt.Errorf("RESTORE %s: %w", key, err)
		}
	}
	there, here := copied.Keyspace(), e.Keyspace()
	if diff := there.Diff(here); diff != "" {
		return fmt.Errorf("the keyspace differs (- server, + engine):\n%s", diff)
	}
	on, of := copied.TTLs(), e.TTLs()
	for _, key := range slices.Concat(sortedKeys(on), sortedKeys(of)) {
		a, hasA := on[key]
		b, hasB := of[key]
		if hasA != hasB || (a-b).Abs() > apart {
			return fmt.Errorf("the time to live of %q is %v on the server, %v on the engine", key, shown(a, hasA), shown(b, hasB))
		}
	}
	return nil
}

func shown(ttl time.Duration, has bool) string {
	if !has {
		return "none"
	}
	return ttl.String()
}
