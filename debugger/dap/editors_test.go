package dap

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/internal/testing/redistest"
)

// manifest holds the fields of an extension's package.json that VS Code documents.
type manifest struct {
	Name             string            `json:"name"`
	DisplayName      string            `json:"displayName"`
	Description      string            `json:"description"`
	Version          string            `json:"version"`
	Publisher        string            `json:"publisher"`
	License          string            `json:"license"`
	Repository       map[string]string `json:"repository"`
	Engines          map[string]string `json:"engines"`
	Categories       []string          `json:"categories"`
	Main             string            `json:"main"`
	ActivationEvents []string          `json:"activationEvents"`
	Contributes      struct {
		Breakpoints []struct {
			Language string `json:"language"`
		} `json:"breakpoints"`
		Configuration struct {
			Title      string                    `json:"title"`
			Properties map[string]map[string]any `json:"properties"`
		} `json:"configuration"`
		Debuggers []struct {
			Type                    string            `json:"type"`
			Label                   string            `json:"label"`
			Languages               []string          `json:"languages"`
			ConfigurationAttributes map[string]schema `json:"configurationAttributes"`
			InitialConfigurations   []map[string]any  `json:"initialConfigurations"`
			ConfigurationSnippets   []struct {
				Label       string         `json:"label"`
				Description string         `json:"description"`
				Body        map[string]any `json:"body"`
			} `json:"configurationSnippets"`
		} `json:"debuggers"`
	} `json:"contributes"`
}

type schema struct {
	Required   []string            `json:"required,omitempty"`
	Properties map[string]property `json:"properties"`
}

type property struct {
	Type                 string          `json:"type"`
	Items                *property       `json:"items,omitempty"`
	AdditionalProperties *property       `json:"additionalProperties,omitempty"`
	Enum                 []string        `json:"enum,omitempty"`
	Default              json.RawMessage `json:"default,omitempty"`
	Description          string          `json:"description,omitempty"`
}

// schemaOf returns the schema of the attributes of one request.
func schemaOf(attach bool) schema {
	s := schema{Properties: map[string]property{}}
	for _, a := range attributes() {
		if attach && !a.Attach || !attach && !a.Launch {
			continue
		}
		p := property{Type: a.Type, Enum: a.Enum, Description: a.Help}
		if a.Default != "" {
			p.Default = json.RawMessage(a.Default)
		}
		switch a.Type {
		case "array":
			p.Items = &property{Type: "string"}
		case "object":
			p.AdditionalProperties = &property{Type: "string"}
		}
		s.Properties[a.Name] = p
	}
	return s
}

var extension = filepath.Join("..", "..", "editors", "vscode")

// TestTheExtensionMatchesTheAdapter checks that package.json has only documented fields and the
// attributes of the table.
func TestTheExtensionMatchesTheAdapter(t *testing.T) {
	path := filepath.Join(extension, "package.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	if *record {
		text = recordManifest(t, text)
		require.NoError(t, os.WriteFile(path, text, 0o644))
	}
	var m manifest
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&m))
	require.Regexp(t, `^[a-z0-9-]+$`, m.Name)
	require.Regexp(t, `^\d+\.\d+\.\d+$`, m.Version)
	require.Regexp(t, `^\^\d+\.\d+\.\d+$`, m.Engines["vscode"])
	require.Contains(t, m.Categories, "Debuggers")
	require.FileExists(t, filepath.Join(extension, m.Main))
	require.Len(t, m.Contributes.Debuggers, 1)
	debugger := m.Contributes.Debuggers[0]
	require.Contains(t, m.ActivationEvents, "onDebugResolve:"+debugger.Type)
	require.Equal(t, debugger.Languages[0], m.Contributes.Breakpoints[0].Language)
	require.Len(t, debugger.ConfigurationAttributes, 2)
	for request, attach := range map[string]bool{"launch": false, "attach": true} {
		want, err := json.Marshal(schemaOf(attach))
		require.NoError(t, err)
		have, err := json.Marshal(debugger.ConfigurationAttributes[request])
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(have), "go test ./debugger/dap -run Extension -record writes it")
	}
	bodies := debugger.InitialConfigurations
	for _, s := range debugger.ConfigurationSnippets {
		require.NotEmpty(t, s.Label)
		require.NotEmpty(t, s.Description)
		bodies = append(bodies, s.Body)
	}
	for _, body := range bodies {
		checkConfiguration(t, body)
	}
}

// checkConfiguration checks one configuration of launch.json.
func checkConfiguration(t *testing.T, body map[string]any) {
	require.Equal(t, "redmoon", body["type"])
	require.NotEmpty(t, body["name"])
	request := body["request"].(string)
	require.Contains(t, []string{"launch", "attach"}, request)
	text, err := json.Marshal(body)
	require.NoError(t, err)
	a, err := readArguments(text, request == "attach")
	require.NoError(t, err)
	known := map[string]bool{"type": true, "name": true, "request": true, "debugServer": true}
	for name := range body {
		require.True(t, a.given[name] || known[name], "%s is not an attribute", name)
	}
}

// recordManifest writes the attributes of the table into a package.json.
func recordManifest(t *testing.T, text []byte) []byte {
	launch, err := json.MarshalIndent(map[string]schema{"launch": schemaOf(false), "attach": schemaOf(true)}, "        ", "  ")
	require.NoError(t, err)
	s := string(text)
	const name = `"configurationAttributes": `
	from := strings.Index(s, name) + len(name)
	to := strings.Index(s, `"initialConfigurations"`)
	return []byte(s[:from] + string(launch) + ",\n        " + s[to:])
}

// TestTheDocumentationListsAllAttributes compares the table in docs/editors.md with that of the
// adapter, and checks the configurations there.
func TestTheDocumentationListsAllAttributes(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "editors.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var table strings.Builder
	table.WriteString("| attribute | launch | attach | type | default | |\n|---|---|---|---|---|---|\n")
	yes := map[bool]string{true: "x"}
	for _, a := range attributes() {
		kind := typeText(a.Type)
		if a.Enum != nil {
			kind = "`" + strings.Join(a.Enum, "`, `") + "`"
		}
		value := a.Default
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s | %s | %s |\n", a.Name, yes[a.Launch], yes[a.Attach], kind, value, a.Help)
	}
	const begin, end = "<!-- attributes -->\n", "<!-- end of attributes -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	require.True(t, ok)
	have, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if *record {
		require.NoError(t, os.WriteFile(path, []byte(before+begin+table.String()+end+after), 0o644))
		return
	}
	require.Equal(t, table.String(), have, "go test ./debugger/dap -run Documentation -record writes it")
	found := 0
	for _, block := range strings.Split(string(text), "```json\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		var file struct {
			Configurations []map[string]any `json:"configurations"`
		}
		require.NoError(t, json.Unmarshal([]byte(block), &file), block)
		for _, body := range file.Configurations {
			checkConfiguration(t, body)
			found++
		}
	}
	require.Positive(t, found)
}

// TestTheExtensionStartsTheAdapter loads the extension in node.js with a stand-in for VS Code.
func TestTheExtensionStartsTheAdapter(t *testing.T) {
	node := redistest.NeedProgram(t, "node")
	out, err := exec.Command(node, filepath.Join(extension, "extension.test.js")).Output()
	require.NoError(t, err)
	var got struct {
		Types         []string
		Subscriptions int
		Adapter       struct {
			Command string
			Args    []string
			Options map[string]string
		}
		Empty, Given, Other map[string]any
	}
	require.NoError(t, json.Unmarshal(out, &got))
	require.Equal(t, []string{"redmoon", "redmoon"}, got.Types)
	require.Equal(t, 3, got.Subscriptions)
	require.Equal(t, "/opt/redmoon", got.Adapter.Command)
	require.Equal(t, []string{"dap"}, got.Adapter.Args)
	require.Equal(t, map[string]string{"cwd": "/work"}, got.Adapter.Options)
	checkConfiguration(t, got.Empty)
	require.Equal(t, map[string]any{"type": "redmoon", "request": "attach", "name": "mine"}, got.Given)
	require.Empty(t, got.Other, "of other languages the extension says nothing")
}
