package rapidtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/harness"
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
	there := func(args ...string) (engine.Value, error) {
		v, err := s.DoStrings(ctx, args...)
		if err != nil {
			err = fmt.Errorf("the server: %w", err)
		}
		return v, err
	}
	here := func(args ...string) (engine.Value, error) { return copied.DoStrings(ctx, args...) }
	if err := harness.CopyKeys(there, here); err != nil {
		return err
	}
	if diff := copied.Keyspace().Diff(e.Keyspace()); diff != "" {
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
