package testfrom

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/recording"
	"github.com/redmoon-lua/redmoon/reply"
)

// file is the text of a test file in progress.
type file struct {
	settings  settings
	calls     []*call
	header    *recording.Header
	recording string // name of the recording
	folder    string // of the scripts, relative to the test file
	data      string // RDB file with the keys at the start, relative to the test file; "": none

	b                 strings.Builder
	scripts           map[string]string // texts by name
	written, compared int
	db                int
	at                time.Time
}

// helpers are the functions that a test needs for some replies.
const helpers = `
-- The text of an error, without the SHA1 of the script.
local function failure(v)
  return type(v) == 'table' and v.err and (v.err:gsub(' script: %x+, on .*$', '')) or v
end

-- A reply whose elements have no order. step is 2 for a list of pairs.
local function sorted(v, step)
  local function text(x)
    if type(x) ~= 'table' then return type(x) .. tostring(x) end
    local list = {}
    for i, y in ipairs(x) do list[i] = text(y) end
    return '{' .. table.concat(list, ',') .. '}'
  end
  if type(v) ~= 'table' or #v == 0 then return v end
  if #v % step ~= 0 then step = 1 end
  local groups = {}
  for i = 1, #v, step do
    local group = {}
    for j = 0, step - 1 do group[j + 1] = sorted(v[i + j], step) end
    groups[#groups + 1] = group
  end
  table.sort(groups, function(a, b) return text(a) < text(b) end)
  local list = {}
  for _, group in ipairs(groups) do
    for _, x in ipairs(group) do list[#list + 1] = x end
  end
  return list
end
`

// callsOfStep is the number of calls in a function of the test.
const callsOfStep = 100

// text returns the text of the file.
func (f *file) text() string {
	f.scripts = map[string]string{}
	var steps strings.Builder
	open := false
	for i, c := range f.calls {
		if i%callsOfStep == 0 {
			if open {
				f.b.WriteString("  end\n\n")
			}
			f.b.WriteString("  steps[#steps + 1] = function()\n")
			open = true
		}
		f.call(c)
	}
	f.b.WriteString("  end\n")
	steps.WriteString(f.b.String())
	f.b.Reset()
	f.head()
	f.b.WriteString(steps.String())
	f.b.WriteString("\n  it('has the recorded replies', function()\n")
	fmt.Fprintf(&f.b, "    clock.set(%s)\n", moment(f.calls[0].At))
	if f.data != "" {
		fmt.Fprintf(&f.b, "    fixture(%s)\n", quoted(f.data))
	}
	f.b.WriteString("    for _, step in ipairs(steps) do step() end\n  end)\nend)\n")
	return f.b.String()
}

// head writes what stands before the calls.
func (f *file) head() {
	b := &f.b
	server := "a server of unknown version"
	if f.header.Server != "" {
		server = "Redis " + f.header.Server
	}
	fmt.Fprintf(b, "-- Made by redmoon test --from of the recording %s:\n-- %s, %s.\n",
		oneLine(f.recording), oneLine(server), f.header.Started.UTC().Format("2006-01-02 15:04:05"))
	if f.data == "" {
		b.WriteString("-- The keys that the server had at the start are not known.\n")
	}
	b.WriteString(helpers)
	fmt.Fprintf(b, "\ndescribe(%s, function()\n", quoted(f.recording))
	s := f.settings
	if s.server != engine.DefaultServer || s.cluster || len(s.config) > 0 {
		b.WriteString("  server {")
		if s.server != engine.DefaultServer {
			fmt.Fprintf(b, " server = '%s',", s.server)
		}
		if s.cluster {
			b.WriteString(" cluster = true,")
		}
		if len(s.config) > 0 {
			b.WriteString(" config = {")
			for _, name := range slices.Sorted(maps.Keys(s.config)) {
				fmt.Fprintf(b, " [%s] = %s,", quoted(name), quoted(s.config[name]))
			}
			b.WriteString(" },")
		}
		b.WriteString(" }\n")
	}
	if len(f.scripts) > 0 {
		b.WriteString("  local scripts = {\n")
		for _, name := range slices.Sorted(maps.Keys(f.scripts)) {
			fmt.Fprintf(b, "    ['%s'] = script(%s),\n", name, quoted(f.folder+"/"+name+".lua"))
		}
		b.WriteString("  }\n")
	}
	b.WriteString("  local steps = {}\n\n")
}

// call writes a call.
func (f *file) call(c *call) {
	if c.leaveOut {
		fmt.Fprintf(&f.b, "    -- line %d, left out: %s: %s\n", c.Line, oneLine(c.Args[0]), c.note)
		return
	}
	f.written++
	if !c.At.Equal(f.at) {
		if !f.at.IsZero() {
			fmt.Fprintf(&f.b, "    clock.set(%s)\n", moment(c.At))
		}
		f.at = c.At
	}
	if c.DB != f.db {
		fmt.Fprintf(&f.b, "    redis.call('SELECT', %d)\n", c.DB)
		f.db = c.DB
	}
	text := f.expression(c)
	if !c.compare {
		note := c.note
		if note != "" {
			note = ": " + note
		}
		fmt.Fprintf(&f.b, "    %s -- line %d%s\n", text, c.Line, oneLine(note))
		return
	}
	f.compared++
	want, step := "", 1
	if c.Pairs {
		step = 2
	}
	switch {
	case c.want.IsError():
		want = quoted(shortError(c.want.Text()))
		text = "failure(" + text + ")"
	case c.Unsorted && c.want.Len() > step:
		want = fmt.Sprintf("sorted(%s, %d)", literal(c.want), step)
		text = fmt.Sprintf("sorted(%s, %d)", text, step)
	default:
		want = literal(c.want)
	}
	fmt.Fprintf(&f.b, "    assert.are.same(%s, %s) -- line %d\n", want, text, c.Line)
}

// expression returns the expression that runs a call.
func (f *file) expression(c *call) string {
	if c.script == nil {
		words := c.words()
		if len(words) > maxWords {
			return "redis.pcall(unpack({ " + list(words) + " }))"
		}
		return "redis.pcall(" + list(words) + ")"
	}
	sum := sha1.Sum([]byte(c.Source))
	name := hex.EncodeToString(sum[:])
	f.scripts[name] = c.Source
	return fmt.Sprintf("scripts['%s']:prun(%s, %s)", name, table(c.script.keys), table(c.script.args))
}

// maxWords is the number of arguments from which on a call has them in a table: Lua 5.1 has 250
// registers for the arguments of a call. maxUnpacked is the number that fits its stack.
const (
	maxWords    = 100
	maxUnpacked = 7000
)

func list(words []string) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quoted(w))
	}
	return b.String()
}

func table(words []string) string {
	if len(words) == 0 {
		return "{}"
	}
	return "{ " + list(words) + " }"
}

// moment returns a time as clock.set takes it.
func moment(t time.Time) string {
	us := t.UnixMicro()
	return fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
}

// place is what Redis adds to the error of a script.
var place = regexp.MustCompile(`(?s) script: [0-9a-fA-F]+, on .*$`)

func shortError(text string) string { return place.ReplaceAllString(text, "") }

// literal returns a reply in RESP2 as a Lua expression, converted as for scripts.
func literal(v reply.Value) string {
	switch {
	case v.IsNil():
		return "false"
	case v.IsError():
		return "{ err = " + quoted(v.Text()) + " }"
	}
	switch v.Kind() {
	case reply.KindInt:
		return strconv.FormatInt(v.MustInt(), 10)
	case reply.KindStatus:
		return "{ ok = " + quoted(v.Text()) + " }"
	case reply.KindArray:
		if v.Len() == 0 {
			return "{}"
		}
		words := make([]string, 0, v.Len())
		for _, e := range v.Slice() {
			words = append(words, literal(e))
		}
		return "{ " + strings.Join(words, ", ") + " }"
	}
	return quoted(v.Text())
}

// quoted returns a text as a Lua string on one line.
func quoted(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '\'')
	for i := 0; i < len(s); {
		c := s[i]
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '\\' || c == '\'':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < ' ' || c == 0x7f || c >= 0x80 && size == 1:
			b = fmt.Appendf(b, `\%03d`, c)
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return string(append(b, '\''))
}

// oneLine returns a text that can stand in a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
