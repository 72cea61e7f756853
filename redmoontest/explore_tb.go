package redmoontest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// quietTB takes the failures of an order, which are not yet failures of the test, and drops what it
// logs. The other methods are the test's.
type quietTB struct {
	testing.TB

	mu       sync.Mutex
	errs     []string
	cleanups []func()
}

// run calls f on a goroutine of its own and returns its failures as an error: those that it reports
// to t, a panic, or the end of the goroutine.
func (t *quietTB) run(f func()) error {
	returned, panicked := false, any(nil)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		f()
		returned = true
	}()
	<-done
	t.mu.Lock()
	defer t.mu.Unlock()
	errs := t.errs
	t.errs = nil
	switch {
	case panicked != nil:
		errs = append(errs, fmt.Sprintf("panic: %v", panicked))
	case !returned && len(errs) == 0:
		errs = append(errs, "it ended its goroutine, as FailNow of a test does")
	case len(errs) == 0:
		return nil
	}
	return errors.New(strings.Join(errs, "\n"))
}

func (t *quietTB) Errorf(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.errs = append(t.errs, fmt.Sprintf(format, args...))
}

func (t *quietTB) Error(args ...any)                 { t.Errorf("%s", fmt.Sprint(args...)) }
func (t *quietTB) Fail()                             { t.Errorf("failed") }
func (t *quietTB) FailNow()                          { runtime.Goexit() }
func (t *quietTB) Fatal(args ...any)                 { t.Error(args...); t.FailNow() }
func (t *quietTB) Fatalf(format string, args ...any) { t.Errorf(format, args...); t.FailNow() }
func (t *quietTB) Skip(args ...any)                  { t.Fatal(append([]any{"Skip: "}, args...)...) }
func (t *quietTB) Skipf(format string, args ...any)  { t.Fatalf("Skip: "+format, args...) }
func (t *quietTB) SkipNow()                          { t.Fatalf("Skip is not possible in an order") }
func (t *quietTB) Log(...any)                        {}
func (t *quietTB) Logf(string, ...any)               {}
func (t *quietTB) Helper()                           {}
func (t *quietTB) Output() io.Writer                 { return io.Discard }

func (t *quietTB) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.errs) > 0
}

// Cleanup calls f at the end of the order.
func (t *quietTB) Cleanup(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cleanups = append(t.cleanups, f)
}

// end calls the functions of Cleanup, the last one first.
func (t *quietTB) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
	t.cleanups = nil
}
