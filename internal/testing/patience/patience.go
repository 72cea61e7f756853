// Package patience holds the one way in which tests wait for something outside the virtual clock: a
// process, a socket, another goroutine.
//
// A test must not depend on how fast the machine is. So [Until] asks again and again until the
// answer is yes, and [Limit] only ends a test that would hang. Invariant: a test that passes never
// waits for Limit.
package patience

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"
)

// Limit is how long a test waits for what must happen, before it fails: far longer than a busy
// machine needs.
const Limit = 3 * time.Minute

// interval is the pause of Until between two questions.
const interval = 2 * time.Millisecond

// Until waits until done returns true. It fails the test at Limit, with the message (a format and
// its arguments, as require takes them). done runs in the goroutine of the test, so it may call
// require.
func Until(t testing.TB, done func() bool, message ...any) {
	t.Helper()
	if !True(done) {
		t.Fatalf("not within %v%s", Limit, text(message))
	}
}

// True waits until done returns true, and returns true. At Limit it returns false: for a test that
// has much to say about the failure.
func True(done func() bool) bool {
	return Try(func() error {
		if !done() {
			return errNotYet
		}
		return nil
	}) == nil
}

var errNotYet = errors.New("not yet")

// Try calls f again and again until it returns nil. It returns the last error at Limit. It is Until
// for those that have no test, such as what starts a server for all tests.
func Try(f func() error) error {
	for end := Deadline(); ; time.Sleep(interval) {
		err := f()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("not within %v: %w", Limit, err)
		}
	}
}

// Receive returns the next value from c. It fails the test at Limit. A closed channel gives the
// zero value.
func Receive[T any](t testing.TB, c <-chan T, message ...any) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-After():
		t.Fatalf("nothing received within %v%s", Limit, text(message))
		panic("unreachable")
	}
}

// TempDir is [testing.TB.TempDir] for the folder of a process, whose children may still write there
// for a moment after it was killed: the folder is removed again and again until it is gone.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "process")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Try(func() error { return os.RemoveAll(dir) }); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Deadline returns the time at which a test that still waits fails; for [net.Conn.SetDeadline].
func Deadline() time.Time { return time.Now().Add(Limit) }

// After returns a channel that receives a value at Limit; for a select that must not hang.
func After() <-chan time.Time { return time.After(Limit) }

// Context returns the context of the test, which ends at Limit.
func Context(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Limit)
	t.Cleanup(cancel)
	return ctx
}
