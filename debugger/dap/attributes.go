package dap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// attribute is an attribute of a launch or attach request. Requests are parsed by the table of
// attributes, and docs/editors.md and the extension for VS Code are checked against it.
type attribute struct {
	Name           string
	Launch, Attach bool
	// type in JSON: "string", "boolean", "array" (of strings), "object" (of strings)
	Type    string
	Enum    []string // allowed strings; nil: any
	Default string   // in JSON; "": none
	Help    string   // one sentence
}

// attributes returns all attributes in the order of the documentation.
func attributes() []attribute {
	return []attribute{
		{Name: "script", Launch: true, Attach: true, Type: "string",
			Help: "Path of the script's file. A relative path belongs to cwd."},
		{Name: "text", Launch: true, Attach: true, Type: "string",
			Help: "Text of the script, instead of the text of the file."},
		{Name: "sha", Attach: true, Type: "string",
			Help: "SHA1 of the script, if neither a file nor a text is given. Without script, text and sha every script stops."},
		{Name: "call", Launch: true, Type: "string",
			Help: "Function to call, if the script is a library: its first line is like `#!lua name=mylib`."},
		{Name: "keys", Launch: true, Type: "array", Default: "[]", Help: "KEYS of the script."},
		{Name: "args", Launch: true, Type: "array", Default: "[]", Help: "ARGV of the script."},
		{Name: "fixture", Launch: true, Type: "string",
			Help: "Path of a file of Redis commands that run before the script: one on each line, quoted as in redis-cli. " +
				"A line that begins with # is a comment."},
		{Name: "session", Launch: true, Type: "string", Enum: []string{"forked", "sync"}, Default: `"forked"`,
			Help: "Data on which each run begins: the data of the fixture (forked), or what the run before it has left (sync)."},
		{Name: "server", Launch: true, Type: "string",
			Help: "Server to follow, such as redis-8.0 or valkey-9.1. Default: redis-7.0."},
		{Name: "compat", Launch: true, Type: "string", Help: "An older name of server."},
		{Name: "cluster", Launch: true, Type: "boolean", Default: "false",
			Help: "Run the script as on a Redis Cluster, where all keys must be in one slot."},
		{Name: "config", Launch: true, Type: "object", Default: "{}",
			Help: "Configuration parameters of Redis, as for CONFIG SET."},
		{Name: "cwd", Launch: true, Attach: true, Type: "string",
			Help: "Folder of relative paths. Default: the working directory of the adapter."},
		{Name: "stopOnEntry", Launch: true, Attach: true, Type: "boolean",
			Help: "Stop before the first line. Default: false to launch, true to attach."},
		{Name: "noDebug", Launch: true, Type: "boolean", Default: "false", Help: "Run without stopping."},
		{Name: "address", Attach: true, Type: "string",
			Help: "HOST:PORT of `redmoon serve --dap`. Not needed if the client is already connected to it."},
		{Name: "user", Attach: true, Type: "string", Default: `"default"`, Help: "User name on the server."},
		{Name: "password", Attach: true, Type: "string", Help: "Password of the user, if the server needs one."},
		{Name: "token", Launch: true, Attach: true, Type: "string",
			Help: "Token that `redmoon dap --listen` or `redmoon serve --dap` prints when it starts. Clients that connect to it need it."},
		{Name: "addressToken", Attach: true, Type: "string",
			Help: "Token of the server at `address`, if the adapter listens and has a token of its own. Default: `token`."},
	}
}

// arguments are the parsed arguments of a launch or attach request.
type arguments struct {
	Script, Text, SHA, Call, Fixture, Session, Server, Compat, Cwd string
	Address, User, Password, Token, AddressToken                   string
	Keys, Args                                                     []string
	Config                                                         map[string]string
	Cluster, StopOnEntry, NoDebug                                  bool

	given map[string]bool // the attributes that the client has sent
}

// fields returns a pointer to the field of each attribute.
func (a *arguments) fields() map[string]any {
	return map[string]any{
		"script": &a.Script, "text": &a.Text, "sha": &a.SHA, "call": &a.Call, "fixture": &a.Fixture, "session": &a.Session,
		"server": &a.Server, "compat": &a.Compat, "cwd": &a.Cwd, "address": &a.Address, "user": &a.User, "password": &a.Password,
		"token": &a.Token, "addressToken": &a.AddressToken, "keys": &a.Keys, "args": &a.Args, "config": &a.Config, "cluster": &a.Cluster,
		"stopOnEntry": &a.StopOnEntry, "noDebug": &a.NoDebug,
	}
}

// readArguments parses the arguments of a launch or attach request. Attributes that are not in the
// table belong to the client and are ignored.
func readArguments(raw json.RawMessage, attach bool) (*arguments, error) {
	var values map[string]json.RawMessage
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &values); err != nil {
			return nil, fmt.Errorf("the arguments are not an object: %w", err)
		}
	}
	a := &arguments{StopOnEntry: attach, given: map[string]bool{}}
	fields := a.fields()
	for _, known := range attributes() {
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
			return nil, fmt.Errorf("attribute %s: only launch requests have it", known.Name)
		case !attach && !known.Launch:
			return nil, fmt.Errorf("attribute %s: only attach requests have it", known.Name)
		default:
			a.given[known.Name] = true
		}
		if err := json.Unmarshal(value, fields[known.Name]); err != nil {
			return nil, fmt.Errorf("attribute %s: %s is not %s %s", known.Name, value, article(known.Type), typeText(known.Type))
		}
		if s, ok := fields[known.Name].(*string); ok && known.Enum != nil && !slices.Contains(known.Enum, *s) {
			return nil, fmt.Errorf("attribute %s: %q is not one of %s", known.Name, *s, strings.Join(known.Enum, ", "))
		}
	}
	return a, nil
}

// typeText names a JSON type of the table.
func typeText(jsonType string) string {
	switch jsonType {
	case "array":
		return "array of strings"
	case "object":
		return "object of strings"
	}
	return jsonType
}

// article returns the word that stands before a type's name.
func article(name string) string {
	if strings.IndexByte("aeiou", name[0]) >= 0 {
		return "an"
	}
	return "a"
}
