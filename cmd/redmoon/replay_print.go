package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/redmoon-lua/redmoon/cmd/redmoon/internal/display"
	"github.com/redmoon-lua/redmoon/internal/base/quoting"
	"github.com/redmoon-lua/redmoon/internal/tools/replay"
	"github.com/redmoon-lua/redmoon/resp"
)

// reasons words the reasons of [replay.Report].
var reasons = map[replay.Reason]string{
	replay.ByChance:  "chance decides the reply",
	replay.ByOrder:   "Redis gives the elements no order",
	replay.ByClock:   "the time is known only to the milliseconds between request and reply",
	replay.ByServer:  "the reply is about the server itself",
	replay.ByRefusal: "the server refused them because of its own state",
	replay.Hidden:    "a password is not in the recording",
	replay.NoReply:   "their reply is not in the recording",
	replay.NoText:    "the text of the script is not in the recording",
	replay.ReplyMode: "CLIENT REPLY: a replay always has replies",
	replay.Withheld:  "they reach for files or other servers",
}

// printReplay prints a report for people.
func printReplay(w io.Writer, path string, r *replay.Report) {
	for i := range r.Differences {
		printDifference(w, &r.Differences[i])
	}
	if r.More > 0 {
		fmt.Fprintf(w, "and %d more differences; --max shows more\n\n", r.More)
	}
	fmt.Fprintf(w, "%s: %d commands on %d connections, %s of Redis %s\n",
		path, r.Commands, r.Connections, r.Duration.Round(time.Millisecond), orUnknown(r.Header.Server))
	fmt.Fprintf(w, "%d replies and %d pushes are the same, %d differ\n", r.Same, r.Pushes, r.Count())
	for _, why := range slices.Sorted(maps.Keys(r.Allowed)) {
		fmt.Fprintf(w, "%d may differ: %s\n", r.Allowed[why], reasons[why])
	}
	for _, why := range slices.Sorted(maps.Keys(r.NotRun)) {
		fmt.Fprintf(w, "%d were not run: %s\n", r.NotRun[why], reasons[why])
	}
	note := func(yes bool, format string, args ...any) {
		if yes {
			fmt.Fprintf(w, "note: "+format+"\n", args...)
		}
	}
	for _, sha := range r.Missing {
		note(true, "script %.40s was loaded before the recording; --script FILE adds its text", sha)
	}
	note(r.Unparsed > 0, "%d connections were not recorded to their end", r.Unparsed)
	note(r.Uncompared > 0, "the pushes of %d connections were too many to compare", r.Uncompared)
	note(r.Unfinished, "the recording has no end: the recorder was killed, or still runs")
	note(r.Damage != "", "%s; what stands before was replayed", r.Damage)
	note(r.Header.Data == nil && r.Count() > 0, "the keys at the start are not recorded (record --copy); --rdb FILE adds them")
}

func orUnknown(version string) string {
	if version == "" {
		return "(unknown version)"
	}
	return printable(version)
}

// printDifference prints a difference.
func printDifference(w io.Writer, d *replay.Difference) {
	if d.N > 0 {
		fmt.Fprintf(w, "connection %d, line %d, at %s: %s\n",
			d.Conn, d.Line, d.At.Round(time.Microsecond), commandLine(d.Command))
	} else {
		fmt.Fprintf(w, "connection %d: a message that is no reply\n", d.Conn)
	}
	fmt.Fprintf(w, "  - recorded  %s\n", replyText(d.Recorded, d.RecordedSize))
	fmt.Fprintf(w, "  + replayed  %s\n", replyText(d.Got, 0))
	if d.Script != nil {
		fmt.Fprintf(w, "  script      %s\n", printable(d.Script.Name))
	}
	for _, line := range d.Overlaps {
		fmt.Fprintf(w, "  meanwhile   %s\n", printable(line))
	}
	fmt.Fprintln(w)
}

// shownBytes is the number of bytes of an argument or reply that are shown.
const shownBytes = 400

// commandLine returns a command for people.
func commandLine(args []string) string {
	var b strings.Builder
	for i, a := range args {
		if b.Len() > shownBytes {
			return b.String() + " …"
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(quoting.Word(clipped(a)))
	}
	return b.String()
}

func clipped(text string) string {
	if len(text) > shownBytes {
		return text[:shownBytes] + "…"
	}
	return text
}

// replyText returns a reply in RESP for people, on a line or on several.
func replyText(raw string, size int64) string {
	switch {
	case raw == "":
		return "nothing"
	case size > 0:
		return fmt.Sprintf("a reply of %d bytes, of which %d are recorded", size, len(raw))
	}
	v, err := resp.NewDecoder(strings.NewReader(raw)).Decode()
	if err != nil {
		return fmt.Sprintf("%.400q", raw)
	}
	text := strings.TrimRight(string(display.Standard(nil, v)), "\n")
	if len(text) > 4*shownBytes {
		text = strings.ToValidUTF8(text[:4*shownBytes], "") + "…"
	}
	return strings.ReplaceAll(printable(text), "\n", "\n              ")
}

// printable replaces characters that would move the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}

// replayJSON is the report of --format json.
type replayJSON struct {
	Server      string           `json:"server"`
	Started     time.Time        `json:"started"`
	Seconds     float64          `json:"seconds"`
	Connections int              `json:"connections"`
	Commands    int              `json:"commands"`
	Scripts     int              `json:"scripts"`
	Same        int              `json:"same"`
	Pushes      int              `json:"pushes"`
	Different   int              `json:"different"`
	Allowed     map[string]int   `json:"allowed"`
	NotRun      map[string]int   `json:"not_run"`
	Missing     []string         `json:"missing_scripts"`
	Unparsed    int              `json:"unparsed_connections"`
	Unfinished  bool             `json:"unfinished"`
	Damage      string           `json:"damage,omitempty"`
	KeysKnown   bool             `json:"start_keys_known"`
	Differences []differenceJSON `json:"differences"`
}

type differenceJSON struct {
	Connection int64      `json:"connection"`
	Client     string     `json:"client"`
	Request    int64      `json:"request"` // 0: a push
	Line       int64      `json:"line"`
	Seconds    float64    `json:"seconds"`
	Command    []jsonText `json:"command"`
	Recorded   *jsonText  `json:"recorded"` // in RESP; null: nothing came
	Replayed   *jsonText  `json:"replayed"`
	Script     string     `json:"script,omitempty"`
	Meanwhile  []string   `json:"meanwhile,omitempty"`
}

// jsonText is a text in JSON as recordings have it: a string, or {"b64": ...} if it is not UTF-8.
type jsonText string

// MarshalJSON implements json.Marshaler.
func (t jsonText) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(t)) {
		return json.Marshal(string(t))
	}
	return json.Marshal(map[string]string{"b64": base64.StdEncoding.EncodeToString([]byte(t))})
}

func textOrNull(text string) *jsonText {
	if text == "" {
		return nil
	}
	t := jsonText(text)
	return &t
}

// printReplayJSON prints a report for programs.
func printReplayJSON(w io.Writer, r *replay.Report) error {
	out := replayJSON{
		Server: r.Header.Server, Started: r.Header.Started, Seconds: r.Duration.Seconds(), Connections: r.Connections,
		Commands: r.Commands, Scripts: r.Scripts, Same: r.Same, Pushes: r.Pushes, Different: r.Count(),
		Allowed: counted(r.Allowed), NotRun: counted(r.NotRun), Missing: append([]string{}, r.Missing...),
		Unparsed: r.Unparsed, Unfinished: r.Unfinished, Damage: r.Damage, KeysKnown: r.Header.Data != nil,
		Differences: []differenceJSON{},
	}
	for _, d := range r.Differences {
		j := differenceJSON{
			Connection: d.Conn, Client: d.Client, Request: d.N, Line: d.Line, Seconds: d.At.Seconds(),
			Recorded: textOrNull(d.Recorded), Replayed: textOrNull(d.Got), Meanwhile: d.Overlaps,
		}
		for _, a := range d.Command {
			j.Command = append(j.Command, jsonText(a))
		}
		if d.Script != nil {
			j.Script = d.Script.Name
		}
		out.Differences = append(out.Differences, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

func counted(m map[replay.Reason]int) map[string]int {
	out := make(map[string]int, len(m))
	for why, n := range m {
		out[string(why)] = n
	}
	return out
}
