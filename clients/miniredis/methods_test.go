package miniredis

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	theirs "github.com/alicebob/miniredis/v2"
	theirserver "github.com/alicebob/miniredis/v2/server"
	"github.com/stretchr/testify/require"

	ours "github.com/redmoon-lua/redmoon/redmoontest/minicompat"
	ourserver "github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"
)

// TestMethodSets compares the exported methods and fields of every type, and the functions and
// variables, of miniredis with those of minicompat.
func TestMethodSets(t *testing.T) {
	m, o := theirs.NewMiniRedis(), ours.NewMiniRedis()
	for _, pair := range []struct{ theirs, ours any }{
		{m, o},
		{m.DB(0), o.DB(0)},
		{&theirs.Subscriber{}, &ours.Subscriber{}},
		{theirs.StreamEntry{}, ours.StreamEntry{}},
		{theirs.PubsubMessage{}, ours.PubsubMessage{}},
		{theirs.PubsubPmessage{}, ours.PubsubPmessage{}},
		{&theirserver.Server{}, &ourserver.Server{}},
		{&theirserver.Peer{}, &ourserver.Peer{}},
		{&theirserver.Writer{}, &ourserver.Writer{}},
	} {
		requireSame(t, reflect.TypeOf(pair.theirs), reflect.TypeOf(pair.ours))
	}
	for _, pair := range []struct{ theirs, ours any }{
		{theirs.NewMiniRedis, ours.NewMiniRedis}, {theirs.Run, ours.Run}, {theirs.RunT, ours.RunT}, {theirs.RunTLS, ours.RunTLS},
		{&theirs.DumpMaxLineLen, &ours.DumpMaxLineLen},
		{&theirs.ErrKeyNotFound, &ours.ErrKeyNotFound}, {&theirs.ErrWrongType, &ours.ErrWrongType},
		{&theirs.ErrNotValidHllValue, &ours.ErrNotValidHllValue}, {&theirs.ErrIntValueError, &ours.ErrIntValueError},
		{&theirs.ErrIntValueOverflowError, &ours.ErrIntValueOverflowError}, {&theirs.ErrFloatValueError, &ours.ErrFloatValueError},
		{theirserver.ReadOnlyOption, ourserver.ReadOnlyOption}, {theirserver.NewPeer, ourserver.NewPeer},
	} {
		require.Equal(t, shape(reflect.TypeOf(pair.theirs)), shape(reflect.TypeOf(pair.ours)))
		if a, ok := pair.theirs.(*error); ok {
			require.Equal(t, (*a).Error(), (*pair.ours.(*error)).Error())
		}
	}
}

// requireSame fails unless ours has every exported method and field of theirs, of the same type.
func requireSame(t *testing.T, theirs, ours reflect.Type) {
	for i := range theirs.NumMethod() {
		want := theirs.Method(i)
		got, ok := ours.MethodByName(want.Name)
		require.True(t, ok, "%s.%s", theirs, want.Name)
		require.Equal(t, shape(want.Type), shape(got.Type), "%s.%s", theirs, want.Name)
	}
	if theirs.Kind() == reflect.Pointer {
		theirs, ours = theirs.Elem(), ours.Elem()
	}
	for i := range theirs.NumField() {
		want := theirs.Field(i)
		if !want.IsExported() {
			continue
		}
		got, ok := ours.FieldByName(want.Name)
		require.True(t, ok, "%s.%s", theirs, want.Name)
		require.Equal(t, shape(want.Type), shape(got.Type), "%s.%s", theirs, want.Name)
	}
}

// shape is the text of a type with the packages of both named alike.
func shape(t reflect.Type) string { return strings.ReplaceAll(t.String(), "interface {}", "any") }

// notOffered are the exported names of miniredis's package server that minicompat/server does not
// have: they make servers that belong to no Miniredis, or read RESP.
var notOffered = []string{"ErrProtocol", "NewServer", "NewServerConn", "NewServerTLS", "ParseReply", "Simple"}

// TestExportedNames compares all exported names of the packages, so that nothing is missing in the
// lists of TestMethodSets.
func TestExportedNames(t *testing.T) {
	for _, pair := range []struct{ theirs, ours string }{
		{"github.com/alicebob/miniredis/v2", "github.com/redmoon-lua/redmoon/redmoontest/minicompat"},
		{"github.com/alicebob/miniredis/v2/server", "github.com/redmoon-lua/redmoon/redmoontest/minicompat/server"},
	} {
		missing := exported(t, pair.theirs)
		have := exported(t, pair.ours)
		missing = slices.DeleteFunc(missing, func(name string) bool { return slices.Contains(have, name) })
		if strings.HasSuffix(pair.theirs, "/server") {
			require.Equal(t, notOffered, missing)
			continue
		}
		require.Empty(t, missing)
	}
}

// TestNamesOfCommands compares the list of miniredis's commands, which a test cannot register
// again.
func TestNamesOfCommands(t *testing.T) {
	m, o := theirs.RunT(t), ours.RunT(t)
	for _, name := range o.Engine().Commands().Names() {
		if strings.Contains(name, " ") {
			continue
		}
		ran := o.Server().Register(name, func(*ourserver.Peer, string, []string) {})
		require.Equal(t, m.Server().IsRegisteredCommand(name), ran != nil, name)
	}
	readers := 0
	fresh := ours.RunT(t)
	for _, name := range fresh.Engine().Commands().Names() {
		if m.IsReadOnlyCommand(name) {
			readers++
			require.True(t, fresh.IsReadOnlyCommand(name), name)
		}
	}
	require.Positive(t, readers)
}
