package miniredis

import (
	"errors"
	"fmt"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	theirs "github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/proto"
	"github.com/stretchr/testify/require"

	ours "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
)

// step is a call of a method on miniredis and on minicompat, or a command of a client.
type step struct {
	db      int // calls of a RedisDB; -1: of the Miniredis
	method  string
	args    []any
	command string
	// differs is what minicompat returns where it does not return the same, and why says why.
	differs, why string
}

// call is a step that calls a method of a Miniredis.
func call(method string, args ...any) step { return step{db: -1, method: method, args: args} }

// in is a step that calls a method of a database.
func in(db int, method string, args ...any) step { return step{db: db, method: method, args: args} }

// send is a step in which a client sends a command, its words separated by spaces.
func send(command string) step { return step{command: command} }

// but says that minicompat returns something else.
func (s step) but(result, why string) step {
	s.differs, s.why = result, why
	return s
}

func (s step) String() string {
	if s.method == "" {
		return s.command
	}
	words := make([]string, len(s.args))
	for i, a := range s.args {
		words[i] = fmt.Sprintf("%#v", a)
	}
	text := s.method + "(" + strings.Join(words, ", ") + ")"
	if s.db >= 0 {
		text = fmt.Sprintf("DB(%d).%s", s.db, text)
	}
	return text
}

// twin is one of the two servers.
type twin struct {
	m      reflect.Value
	client *proto.Client
}

// newTwin starts the server m, which has a method Dial.
func newTwin(t *testing.T, m interface{ Dial() (net.Conn, error) }) *twin {
	nc, err := m.Dial()
	require.NoError(t, err)
	c := proto.NewClient(nc)
	t.Cleanup(func() { _ = c.Close() })
	return &twin{m: reflect.ValueOf(m), client: c}
}

// play plays a step and returns the results as text.
func (w *twin) play(s step) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprintf("panic: %v", p)
		}
	}()
	if s.method == "" {
		raw, err := w.client.Do(strings.Fields(s.command)...)
		return fmt.Sprintf("%q %v", raw, err)
	}
	on := w.m
	if s.db >= 0 {
		on = w.m.MethodByName("DB").Call([]reflect.Value{reflect.ValueOf(s.db)})[0]
	}
	f := on.MethodByName(s.method)
	args := make([]reflect.Value, len(s.args))
	for i, a := range s.args {
		args[i] = reflect.ValueOf(a)
	}
	var out []string
	for _, v := range f.Call(args) {
		out = append(out, result(v))
	}
	return strings.Join(out, " ")
}

// result shows a result, with the name of an error that the packages export.
func result(v reflect.Value) string {
	if v.Type() != reflect.TypeFor[error]() {
		text := fmt.Sprintf("%#v", v.Interface())
		if d, ok := v.Interface().(time.Duration); ok {
			text = d.String()
		}
		return strings.ReplaceAll(strings.ReplaceAll(text, "(nil)", "{}"), "miniredis.", "")
	}
	err, _ := v.Interface().(error)
	for name, sentinels := range map[string][]error{
		"ErrKeyNotFound": {theirs.ErrKeyNotFound, ours.ErrKeyNotFound}, "ErrWrongType": {theirs.ErrWrongType, ours.ErrWrongType},
		"ErrNotValidHllValue":      {theirs.ErrNotValidHllValue, ours.ErrNotValidHllValue},
		"ErrIntValueError":         {theirs.ErrIntValueError, ours.ErrIntValueError},
		"ErrIntValueOverflowError": {theirs.ErrIntValueOverflowError, ours.ErrIntValueOverflowError},
		"ErrFloatValueError":       {theirs.ErrFloatValueError, ours.ErrFloatValueError},
	} {
		for _, s := range sentinels {
			if errors.Is(err, s) {
				return name
			}
		}
	}
	return fmt.Sprint(err)
}

// requireTwins plays the steps on both servers and compares what they return.
func requireTwins(t *testing.T, steps ...step) {
	t.Helper()
	a, b := theirs.NewMiniRedis(), ours.NewMiniRedis()
	defer a.Close()
	defer b.Close()
	ta, tb := newTwin(t, a), newTwin(t, b)
	for i, s := range steps {
		want, got := ta.play(s), tb.play(s)
		if s.differs != "" {
			require.NotEqual(t, want, got, "step %d: %s does not differ", i, s)
			want = s.differs
		}
		require.Equal(t, want, got, "step %d: %s %s", i, s, s.why)
	}
}
