package dap

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-dap"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

var record = flag.Bool("record", false, "record the traces again")

// TestTraces plays the dialogues in testdata. Each file is a txtar archive. Its comment is the
// dialogue, and its files are written to a temporary folder, $DIR. Lines of a dialogue:
//
//	# a comment
//	> launch {"script": "$DIR/a.lua"}   sends a request
//	! stopped                           reads messages up to the event
//	< stopped {…}                       an expected message; -record writes it
//
// A request may contain $frame(0), the id of a frame of the last stack trace; $ref(Locals), the
// last reference of the scope or variable with that name; and $data, the last dataId as JSON text.
//
// A dialogue whose first line is "attached" has an engine: "$ eval NAME keys , args" runs a script
// on it as a client does, and "$ reply" expects its reply.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			p := &player{t: t, dir: t.TempDir(), refs: map[string]int{}}
			for _, f := range archive.Files {
				require.NoError(t, os.WriteFile(filepath.Join(p.dir, f.Name), f.Data, 0o600))
			}
			t.Cleanup(func() {
				if t.Failed() {
					t.Log(p.out.String())
				}
			})
			got := p.play(string(archive.Comment))
			if *record {
				archive.Comment = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			require.Equal(t, string(archive.Comment), got)
		})
	}
}

// player plays one dialogue.
type player struct {
	t      *testing.T
	dir    string
	c      *client
	frames []int
	refs   map[string]int
	data   string
	engine *engine.Engine
	reply  chan string
	out    strings.Builder
}

func (p *player) play(dialogue string) string {
	o := Options{}
	lines := strings.Split(strings.TrimSuffix(dialogue, "\n"), "\n")
	for i, line := range lines {
		switch {
		case i == 0 && line == "attached":
			var err error
			p.engine, err = engine.New(engine.Options{})
			require.NoError(p.t, err)
			p.t.Cleanup(func() { _ = p.engine.Close() })
			o.Engine, p.reply = p.engine, make(chan string, 1)
		case strings.HasPrefix(line, "< "):
			continue
		}
		if p.c == nil {
			p.c = dial(p.t, newServer(p.t, o))
		}
		p.out.WriteString(line + "\n")
		switch {
		case strings.HasPrefix(line, "> "):
			command, arguments, _ := strings.Cut(line[2:], " ")
			var raw any
			if arguments != "" {
				raw = json.RawMessage(p.fill(arguments))
				require.True(p.t, json.Valid(raw.(json.RawMessage)), "%s", raw)
			}
			from := len(p.c.heard)
			p.c.answer(p.c.ask(command, raw))
			p.write(from)
		case strings.HasPrefix(line, "! "):
			from := len(p.c.heard)
			p.c.wait(line[2:])
			p.write(from)
		case strings.HasPrefix(line, "$ eval "):
			p.eval(strings.Fields(line[len("$ eval "):]))
		case line == "$ reply":
			p.out.WriteString("< " + <-p.reply + "\n")
		}
	}
	return p.out.String()
}

// eval runs a script as a client of the engine does.
func (p *player) eval(words []string) {
	text, err := os.ReadFile(filepath.Join(p.dir, words[0]))
	require.NoError(p.t, err)
	var keys []string
	var args []any
	into := func(w string) { keys = append(keys, w) }
	for _, w := range words[1:] {
		if w == "," {
			into = func(w string) { args = append(args, w) }
			continue
		}
		into(w)
	}
	go func() {
		v, err := p.engine.Eval(p.t.Context(), string(text), keys, args...)
		if err != nil {
			p.reply <- "error " + err.Error()
			return
		}
		p.reply <- short(v)
	}()
}

var placeholder = regexp.MustCompile(`\$(DIR|data|frame\((\d+)\)|ref\(([^)]*)\))`)

// fill replaces the placeholders of a request.
func (p *player) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		m := placeholder.FindStringSubmatch(s)
		switch {
		case s == "$DIR":
			return p.dir
		case s == "$data":
			b, err := json.Marshal(p.data)
			require.NoError(p.t, err)
			return string(b)
		case m[2] != "":
			n, _ := strconv.Atoi(m[2])
			require.Less(p.t, n, len(p.frames))
			return strconv.Itoa(p.frames[n])
		}
		require.Contains(p.t, p.refs, m[3])
		return strconv.Itoa(p.refs[m[3]])
	})
}

var address = regexp.MustCompile(`0x[0-9a-f]+`)

// write writes the messages that the client has received, and records their ids for later requests.
func (p *player) write(from int) {
	for _, m := range p.c.heard[from:] {
		p.note(m)
		name, body := "", any(nil)
		switch m := m.(type) {
		case *dap.ErrorResponse:
			name, body = "error: "+m.Message, nil
		case dap.ResponseMessage:
			name = m.GetResponse().Command
		case dap.EventMessage:
			name = "event " + m.GetEvent().Event
		}
		var parts struct {
			Body json.RawMessage `json:"body"`
		}
		require.NoError(p.t, json.Unmarshal([]byte(text(m)), &parts))
		if _, failed := m.(*dap.ErrorResponse); parts.Body != nil && !failed {
			body = " " + string(parts.Body)
		}
		line := "< " + name
		if body != nil {
			line += fmt.Sprint(body)
		}
		p.out.WriteString(address.ReplaceAllString(strings.ReplaceAll(line, p.dir, "$DIR"), "0x…") + "\n")
	}
}

func (p *player) note(m dap.Message) {
	switch m := m.(type) {
	case *dap.StackTraceResponse:
		p.frames = nil
		for _, f := range m.Body.StackFrames {
			p.frames = append(p.frames, f.Id)
		}
	case *dap.ScopesResponse:
		for _, s := range m.Body.Scopes {
			p.refs[s.Name] = s.VariablesReference
		}
	case *dap.VariablesResponse:
		for _, v := range m.Body.Variables {
			p.refs[v.Name] = v.VariablesReference
		}
	case *dap.EvaluateResponse:
		p.refs["result"] = m.Body.VariablesReference
	case *dap.DataBreakpointInfoResponse:
		p.data, _ = m.Body.DataId.(string)
	}
}
