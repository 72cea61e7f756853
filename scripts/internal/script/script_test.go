package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/redmoontest"
	"github.com/redmoon-lua/redmoon/scripts/internal/script"
)

func run(t *testing.T, source string) (script.Reply, error) {
	return script.New("test: run", source).Run(context.Background(), redmoontest.New(t), []string{"k"}, []string{"a"})
}

func TestAReplyIsAWordOrAListThatBeginsWithOne(t *testing.T) {
	r, err := run(t, "return 'done'")
	require.NoError(t, err)
	require.Equal(t, "done", r.Outcome)
	require.Zero(t, r.Len())
	r, err = run(t, "return {'done', KEYS[1], ARGV[1]}")
	require.NoError(t, err)
	require.Equal(t, "done", r.Outcome)
	require.Equal(t, 2, r.Len())
	for _, source := range []string{"return 1", "return {}", "return {1, 'a'}", "return {{'a'}}", "return false",
		"return redis.status_reply('OK')"} {
		_, err := run(t, source)
		require.ErrorContains(t, err, "test: run: the reply is ", source)
	}
}

func TestDetailsAreReadByType(t *testing.T) {
	r, err := run(t, "return {'done', 7, 'seven', '9007199254740993', {'a', 'b'}, false, {1, {2}}}")
	require.NoError(t, err)
	require.Equal(t, int64(7), r.Int(0))
	require.Equal(t, "seven", r.Text(1))
	require.Equal(t, int64(9007199254740993), r.Int(2))
	require.Equal(t, []string{"a", "b"}, r.Texts(3))
	require.True(t, r.Value(4).IsNil())
	require.Equal(t, int64(2), r.IntOf(r.ListOf(r.List(5)[1])[0]))
	require.NoError(t, r.Err())
}

func TestTheFirstDetailOfAnotherTypeIsTheError(t *testing.T) {
	for name, read := range map[string]func(r *script.Reply){
		"where an integer is expected":   func(r *script.Reply) { require.Zero(t, r.Int(0)) },
		"(nil) where an integer":         func(r *script.Reply) { require.Zero(t, r.Int(1)) },
		"where a text is expected":       func(r *script.Reply) { require.Zero(t, r.Text(2)) },
		"where a list is expected":       func(r *script.Reply) { require.Empty(t, r.List(0)) },
		"has 3 details, want at least 4": func(r *script.Reply) { require.Zero(t, r.Int(3)) },
		"(integer) 3 where a text":       func(r *script.Reply) { r.Text(2); r.Int(9) },
	} {
		r, err := run(t, "return {'done', 'x', false, 3}")
		require.NoError(t, err)
		read(&r)
		require.ErrorContains(t, r.Err(), `test: run: the reply "done" has `)
		require.ErrorContains(t, r.Err(), name)
	}
}

func TestErrorsNameTheScript(t *testing.T) {
	r, err := run(t, "return 'strange'")
	require.NoError(t, err)
	require.EqualError(t, r.Unexpected(), `test: run: unexpected outcome "strange"`)
	require.EqualError(t, r.Malformed("has %d legs", 3), `test: run: the reply "strange" has 3 legs`)
	_, err = run(t, "redis.call('SET', KEYS[1], 'x') return redis.call('LPUSH', KEYS[1], 'x')")
	require.ErrorIs(t, err, engine.ErrWrongType)
	require.ErrorContains(t, err, "test: run: WRONGTYPE")
}

func TestNamesAreChecked(t *testing.T) {
	sentinel := errors.New("bad name")
	for _, name := range []string{"", "{", "a}", "\xff", strings.Repeat("a", script.MaxName+1)} {
		require.ErrorIs(t, script.CheckName(sentinel, name), sentinel, "%q", name)
	}
	for _, name := range []string{"a", "日本", "a b:c", strings.Repeat("a", script.MaxName)} {
		require.NoError(t, script.CheckName(sentinel, name), "%q", name)
	}
	require.NoError(t, script.CheckText(sentinel, "{}"))
}

func TestArguments(t *testing.T) {
	require.Equal(t, []string{"0", "1", "1", "2", "1000"}, []string{
		script.Millis(0), script.Millis(1), script.Millis(time.Millisecond), script.Millis(time.Millisecond + 1), script.Millis(time.Second),
	})
	require.Equal(t, "1", script.Micros(1999))
	names := script.Names{"", "one", "two"}
	require.Equal(t, "two", names.Of("Number", 2))
	require.Equal(t, []string{"Number(0)", "Number(3)", "Number(-1)"}, []string{names.Of("Number", 0), names.Of("Number", 3),
		names.Of("Number", -1)})
	require.Equal(t, []int{2, 0, 0}, []int{names.Find("two"), names.Find(""), names.Find("three")})
}
