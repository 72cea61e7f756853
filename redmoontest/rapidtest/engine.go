package rapidtest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/redmoon-lua/redmoon/redmoontest"
)

// New returns an engine for one run of a property of rapid, as [redmoontest.New] does. What is
// wrong with it is a failure of the run, which rapid shrinks. It is for properties of your own,
// which call rapid.Check with t.
func New(t testing.TB, rt *rapid.T, opts ...redmoontest.Option) *redmoontest.Engine {
	return redmoontest.New(bound{t, rt}, opts...)
}

// bound is a run of a property as a testing.TB.
type bound struct {
	testing.TB
	rt *rapid.T
}

func (b bound) Helper()                           { b.rt.Helper() }
func (b bound) Cleanup(f func())                  { b.rt.Cleanup(f) }
func (b bound) Log(args ...any)                   { b.rt.Log(args...) }
func (b bound) Logf(format string, args ...any)   { b.rt.Logf(format, args...) }
func (b bound) Error(args ...any)                 { b.rt.Error(args...) }
func (b bound) Errorf(format string, args ...any) { b.rt.Errorf(format, args...) }
func (b bound) Fatal(args ...any)                 { b.rt.Fatal(args...) }
func (b bound) Fatalf(format string, args ...any) { b.rt.Fatalf(format, args...) }
func (b bound) Fail()                             { b.rt.Fail() }
func (b bound) FailNow()                          { b.rt.FailNow() }
func (b bound) Failed() bool                      { return b.rt.Failed() }
func (b bound) Skip(args ...any)                  { b.rt.Skip(args...) }
func (b bound) Skipf(format string, args ...any)  { b.rt.Skipf(format, args...) }
func (b bound) SkipNow()                          { b.rt.SkipNow() }
