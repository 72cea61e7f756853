package dap

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-dap"
	"github.com/stretchr/testify/require"
)

func TestEachAttributeHasAFieldAndAValidDefault(t *testing.T) {
	fields := (&arguments{}).fields()
	require.Len(t, fields, len(attributes()))
	for _, a := range attributes() {
		require.Contains(t, fields, a.Name)
		require.True(t, a.Launch || a.Attach, a.Name)
		require.NotEmpty(t, a.Help, a.Name)
		if a.Default != "" {
			require.NoError(t, json.Unmarshal([]byte(a.Default), fields[a.Name]), a.Name)
		}
		if a.Enum != nil {
			require.True(t, slices.ContainsFunc(a.Enum, func(s string) bool { return `"`+s+`"` == a.Default }), a.Name)
		}
	}
}

func TestReadArguments(t *testing.T) {
	a, err := readArguments(json.RawMessage(`{"script":"a.lua","keys":["k"],"session":"sync","name":"mine","__id":{},
		"fixture":null,"cluster":true,"config":{"maxmemory":"1mb"}}`), false)
	require.NoError(t, err)
	require.Equal(t, "a.lua", a.Script)
	require.Equal(t, []string{"k"}, a.Keys)
	require.Equal(t, "sync", a.Session)
	require.Equal(t, map[string]string{"maxmemory": "1mb"}, a.Config)
	require.True(t, a.Cluster)
	require.False(t, a.StopOnEntry)
	a, err = readArguments(nil, true)
	require.NoError(t, err)
	require.True(t, a.StopOnEntry)
	require.Equal(t, "default", a.User)
	for in, why := range map[string]string{
		`[]`:                  "not an object",
		`{"script":5}`:        "attribute script: 5 is not a string",
		`{"keys":"k"}`:        `attribute keys: "k" is not an array of strings`,
		`{"keys":[1]}`:        "not an array of strings",
		`{"noDebug":"yes"}`:   "not a boolean",
		`{"session":"other"}`: `"other" is not one of forked, sync`,
		`{"sha":"a"}`:         "only attach requests have it",
	} {
		_, err := readArguments(json.RawMessage(in), false)
		require.ErrorContains(t, err, why, in)
	}
	_, err = readArguments(json.RawMessage(`{"keys":[]}`), true)
	require.ErrorContains(t, err, "only launch requests have it")
}

// write writes a file in a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLaunchErrors(t *testing.T) {
	c := dial(t, newServer(t, Options{}))
	c.do("initialize", object{"adapterID": "x"})
	for _, l := range []struct {
		arguments object
		why       string
	}{
		{object{}, "script and text: one of them"},
		{object{"script": "/no/such.lua"}, "no such file"},
		{object{"script": t.TempDir()}, "is a directory"},
		{object{"text": "return ="}, "user_script:1: unexpected symbol near"},
		{object{"text": "return 1", "fixture": "/no/such"}, "fixture: open /no/such"},
		{object{"text": "return 1", "fixture": write(t, "f", "SET k v\n\n# more\nNOSUCH\n")}, "fixture: line 4: ERR unknown command"},
		{object{"text": "return 1", "fixture": write(t, "f", "SET k 'v")}, "fixture: line 1: unbalanced quotes"},
		{object{"text": "return 1", "config": object{"nosuch": "1"}}, "nosuch"},
		{object{"text": "return 1", "compat": "6.2"}, `"6.2" is not one of redis-7.0, `},
		{object{"text": "return 1", "server": "6.2"}, `"6.2" is not one of redis-7.0, `},
	} {
		require.Contains(t, c.fail("launch", l.arguments), l.why)
	}
	require.Contains(t, c.fail("attach", object{}), "address: missing")
	// After these errors a script can still be launched.
	c.do("launch", object{"text": "return 1"})
	c.wait("initialized")
	require.Equal(t, errTwice.Error(), c.fail("launch", object{"text": "return 1"}))
	require.Equal(t, errNoScript.Error(), c.fail("continue", object{"threadId": 1}))
}

// TestBreakpointsAreSetBeforeTheStart sets valid and invalid breakpoints of all kinds before the
// script begins.
func TestBreakpointsAreSetBeforeTheStart(t *testing.T) {
	path := write(t, "a.lua", "local a = 1\n\nfor i = 1, 3 do\n  a = a + i\nend\nreturn a\n\n")
	c := dial(t, newServer(t, Options{}))
	c.begin("launch", object{"script": path})
	source := object{"path": path}
	set := func(breakpoints ...object) []dap.Breakpoint {
		return c.do("setBreakpoints", object{"source": source, "breakpoints": breakpoints}).(*dap.SetBreakpointsResponse).Body.Breakpoints
	}
	b := set(object{"line": 2}, object{"line": 4, "condition": "a > 1", "hitCondition": ">= 2", "logMessage": "a is {a}"},
		object{"line": 7}, object{"line": 0}, object{"line": 4, "condition": "a >"},
		object{"line": 4, "hitCondition": "often"}, object{"line": 4, "logMessage": "{a"})
	require.Equal(t, 3, b[0].Line)
	require.True(t, b[0].Verified)
	require.True(t, b[1].Verified)
	ids := map[int]bool{}
	for i, why := range []string{"", "", "no code", "no code", "condition: ", "hits: often", "log message: "} {
		require.Equal(t, why == "", b[i].Verified)
		require.Contains(t, b[i].Message, why)
		require.False(t, ids[b[i].Id], "ids differ")
		ids[b[i].Id] = true
	}
	require.Empty(t, set())
	where := c.do("breakpointLocations", object{"source": source, "line": 1, "endLine": 99}).(*dap.BreakpointLocationsResponse)
	require.Equal(t, []dap.BreakpointLocation{{Line: 1}, {Line: 3}, {Line: 4}, {Line: 6}}, where.Body.Breakpoints)
	where = c.do("breakpointLocations", object{"source": source, "line": 2}).(*dap.BreakpointLocationsResponse)
	require.Empty(t, where.Body.Breakpoints)

	response := c.do("setFunctionBreakpoints", object{"breakpoints": []object{
		{"name": "HINCRBY"}, {"name": "xgroup create"}, {"name": "myfunction"}, {"name": ""}, {"name": "get x"},
		{"name": "get", "condition": "a"},
	}})
	functions := response.(*dap.SetFunctionBreakpointsResponse).Body.Breakpoints
	for i, why := range []string{"", "", "not a Redis command", "not a Redis command", "not a Redis command", "no conditions"} {
		require.Equal(t, why == "", functions[i].Verified, i)
		require.Contains(t, functions[i].Message, why)
	}
	response = c.do("setExceptionBreakpoints", object{"filters": []string{"uncaught", "all", "most"}})
	filters := response.(*dap.SetExceptionBreakpointsResponse).Body.Breakpoints
	require.True(t, filters[0].Verified && filters[1].Verified && !filters[2].Verified)

	info := func(name string) dap.DataBreakpointInfoResponseBody {
		return c.do("dataBreakpointInfo", object{"name": name}).(*dap.DataBreakpointInfoResponse).Body
	}
	require.Nil(t, info("key:").DataId)
	require.Nil(t, info("a +").DataId)
	require.NotEmpty(t, info("a +").Description)
	response = c.do("setDataBreakpoints", object{"breakpoints": []object{
		{"dataId": info("key:user:*").DataId}, {"dataId": info("a").DataId, "accessType": "write"},
		{"dataId": "nonsense"}, {"dataId": info("a").DataId, "accessType": "read"},
		{"dataId": info("a").DataId, "condition": "a"},
	}})
	data := response.(*dap.SetDataBreakpointsResponse).Body.Breakpoints
	for i, why := range []string{"", "", "has not returned", "only writes", "no conditions"} {
		require.Equal(t, why == "", data[i].Verified, i)
		require.Contains(t, data[i].Message, why)
	}
}

// TestLinesFromZero uses a client that counts lines from 0 and names files by URI.
func TestLinesFromZero(t *testing.T) {
	path := write(t, "a b.lua", "local a = 1\n\nreturn a\n")
	c := dial(t, newServer(t, Options{}))
	c.do("initialize", object{"adapterID": "x", "linesStartAt1": false, "columnsStartAt1": false, "pathFormat": "uri"})
	c.do("launch", object{"script": path})
	c.wait("initialized")
	uri := "file://" + filepath.Dir(path) + "/a%20b.lua"
	b := c.do("setBreakpoints", object{"source": object{"path": uri}, "lines": []int{1}}).(*dap.SetBreakpointsResponse).Body.Breakpoints
	require.True(t, b[0].Verified)
	require.Equal(t, 2, b[0].Line)
	require.Equal(t, uri, b[0].Source.Path)
	require.Equal(t, uri, c.do("loadedSources", nil).(*dap.LoadedSourcesResponse).Body.Sources[0].Path)
	require.Contains(t, c.do("source", object{"source": object{"path": uri}}).(*dap.SourceResponse).Body.Content, "return a")
	require.Equal(t, "no such source", c.fail("source", object{"sourceReference": 9}))
}
