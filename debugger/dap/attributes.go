package dap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Attribute is one attribute of a launch or attach request. The table of them is what requests are read by, and what docs/editors.md and the extension for VS Code are checked against.
type Attribute struct {
	Name           string
	Launch, Attach bool
	Type           string   // of JSON: "string", "boolean", "array" (of strings), "object" (of strings)
	Enum           []string // the strings that there are; nil: any
	Default        string   // in JSON; "": there is none
	Help           string   // a sentence
}

// Attributes are all attributes, in the order in which they are documented.
func Attributes() []Attribute {
	return []Attribute{
		{Name: "script", Launch: true, Attach: true, Type: "string", Help: "Path of the script's file. Relative paths are those of cwd."},
		{Name: "text", Launch: true, Attach: true, Type: "string", Help: "The script's text, in place of what the file holds."},
		{Name: "sha", Attach: true, Type: "string", Help: "SHA1 of the script, where there is neither file nor text. Without any of the three every script stops."},
		{Name: "keys", Launch: true, Type: "array", Default: "[]", Help: "What the script finds in KEYS."},
		{Name: "args", Launch: true, Type: "array", Default: "[]", Help: "What the script finds in ARGV."},
		{Name: "fixture", Launch: true, Type: "string", Help: "Path of a file of Redis commands that are run first, one a line, quoted as in redis-cli; # begins a comment line."},
		{Name: "session", Launch: true, Type: "string", Enum: []string{"forked", "sync"}, Default: `"forked"`, Help: "Whether each run begins on what the fixture made (forked), or on what the run before it left (sync)."},
		{Name: "compat", Launch: true, Type: "string", Enum: []string{"7.0", "7.4", "8.0"}, Default: `"7.0"`, Help: "Version of Redis to follow."},
		{Name: "cluster", Launch: true, Type: "boolean", Default: "false", Help: "Run it as on a Redis Cluster, where all keys must share a slot."},
		{Name: "config", Launch: true, Type: "object", Default: "{}", Help: "Parameters of Redis, as CONFIG SET takes them."},
		{Name: "cwd", Launch: true, Attach: true, Type: "string", Help: "The folder of relative paths. Default: that of the adapter's process."},
		{Name: "stopOnEntry", Launch: true, Attach: true, Type: "boolean", Help: "Stop before the first line. Default: false to launch, true to attach."},
		{Name: "noDebug", Launch: true, Type: "boolean", Default: "false", Help: "Run without stopping anywhere."},
		{Name: "address", Attach: true, Type: "string", Help: "HOST:PORT of `redmoon serve --dap`. Left out when the client is connected to it already."},
		{Name: "user", Attach: true, Type: "string", Default: `"default"`, Help: "User of the server."},
		{Name: "password", Attach: true, Type: "string", Help: "Password of the user, where the server wants one."},
		{Name: "token", Launch: true, Attach: true, Type: "string", Help: "The token that `redmoon dap --listen` prints when it starts. Only clients that connect to it need it."},
	}
}

// arguments are the arguments of a launch or attach request.
type arguments struct {
	Script, Text, SHA, Fixture, Session, Compat, Cwd string
	Address, User, Password, Token                   string
	Keys, Args                                       []string
	Config                                           map[string]string
	Cluster, StopOnEntry, NoDebug                    bool

	given map[string]bool
}

// places are where the attributes go.
func (a *arguments) places() map[string]any {
	return map[string]any{
		"script": &a.Script, "text": &a.Text, "sha": &a.SHA, "fixture": &a.Fixture, "session": &a.Session, "compat": &a.Compat, "cwd": &a.Cwd,
		"address": &a.Address, "user": &a.User, "password": &a.Password, "token": &a.Token, "keys": &a.Keys, "args": &a.Args, "config": &a.Config,
		"cluster": &a.Cluster, "stopOnEntry": &a.StopOnEntry, "noDebug": &a.NoDebug,
	}
}

// readArguments reads the arguments of a launch or attach request. Attributes that are not in the table are the client's own.
func readArguments(raw json.RawMessage, attach bool) (*arguments, error) {
	var values map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &values); err != nil {
			return nil, fmt.Errorf("the arguments are no object: %w", err)
		}
	}
	a := &arguments{StopOnEntry: attach, given: map[string]bool{}}
	places := a.places()
	for _, known := range Attributes() {
		value, given := values[known.Name]
		if given && bytes.Equal(value, []byte("null")) {
			given = false
		}
		switch {
		case !given && known.Default == "":
			continue
		case !given:
			value = json.RawMessage(known.Default)
		case attach && !known.Attach:
			return nil, fmt.Errorf("attribute %s: only launch has it", known.Name)
		case !attach && !known.Launch:
			return nil, fmt.Errorf("attribute %s: only attach has it", known.Name)
		default:
			a.given[known.Name] = true
		}
		if err := json.Unmarshal(value, places[known.Name]); err != nil {
			return nil, fmt.Errorf("attribute %s: %s is no %s", known.Name, value, describe(known.Type))
		}
		if s, ok := places[known.Name].(*string); ok && known.Enum != nil && !slices.Contains(known.Enum, *s) {
			return nil, fmt.Errorf("attribute %s: %q is none of %s", known.Name, *s, strings.Join(known.Enum, ", "))
		}
	}
	return a, nil
}

func describe(jsonType string) string {
	switch jsonType {
	case "array":
		return "array of strings"
	case "object":
		return "object of strings"
	}
	return jsonType
}
