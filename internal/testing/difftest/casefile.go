package difftest

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// Door is one of the ways into the engine; see the package comment.
type Door string

// The doors.
const (
	DoorRESP Door = "resp"
	DoorGo   Door = "go"
	DoorCall Door = "call"
	DoorExec Door = "exec"
)

// AllDoors are the doors of a file that does not restrict them.
func AllDoors() []Door { return []Door{DoorRESP, DoorGo, DoorCall, DoorExec} }

// stepKind says what a step does.
type stepKind uint8

const (
	stepCommand stepKind = iota // Args
	stepResp                    // N: the session switches to RESP N
	stepSession                 // Name: the following steps use another session
	stepWait                    // Wait
	stepRaw                     // Raw bytes are sent, N replies read
	stepClose                   // the session is dropped by the client
	stepAwait                   // the reply that the session still has to get
	stepBlocked                 // how many clients are blocked
	stepPushes                  // what the session has been sent since its last reply
)

// Step is one command or action of a case file, with what relaxes its comparison.
type Step struct {
	Line int
	kind stepKind
	Args []string
	Name string
	Raw  string
	N    int
	Wait time.Duration

	Relax   Relax
	Differs string // ID in docs/differences.md, or ""
	NoReply bool   // no reply is sent (CLIENT REPLY)
	Frozen  bool   // must answer an error and change nothing
	IDs     bool   // client ids in the replies stand as names of sessions
	Blocks  bool   // the session waits; the reply is collected by stepAwait
	Busy    bool   // the session runs a script and keeps others from running; the reply is collected by stepAwait
}

// File is a parsed case file.
type File struct {
	Path  string // as given to ParseFile
	Hash  string // SHA1 of the file's bytes, in hex
	Doors []Door
	Steps []Step
	Seeds []string // the scripts of the seeds folder that it names
	ids   bool     // it names client ids
	resp3 bool     // every session begins with HELLO 3

	// Server is the server with which the file is compared, unless it is Redis 7.0.
	Server servers.Server

	// Cluster says that both sides are started in cluster mode, each the one node and the owner of all
	// slots.
	Cluster bool
}

// laterFolder holds the case files of later Redis.
const laterFolder = "compat8"

// folder is the name of the folder of the file.
func (f *File) folder() string { return filepath.Base(filepath.Dir(f.Path)) }

// Compat is the version of Redis that an engine follows for this file, "" for that of the oracle.
func (f *File) Compat() string {
	if f.folder() == laterFolder {
		return "8.0"
	}
	return ""
}

// version returns the version of the server with which the file is compared.
func (f *File) version() string {
	if f.Compat() != "" {
		return LaterVersion
	}
	return OracleVersion
}

// ParseFile reads a case file.
//
// A line is a command, with redis-cli's quoting; a comment (#); blank; or a directive:
//
//	!doors resp,go     before the first command: only these doors
//	!cluster           before the first command: both servers are started in cluster mode
//	!resp 3            the session switches protocol (2 or 3)
//	!session b         the following commands go over session b
//	!close             the client closes the session; its name may be used again
//	!unordered         the elements of the next reply are compared in any order, at every depth;
//	                   the pairs of a map stay together
//	!unordered pairs   the same, for a flat list of pairs
//	!kind              of the next reply only the kind is compared
//	!count             of the next reply only the kind and the number of elements are compared
//	!scan              the next reply comes from HSCAN, SSCAN or ZSCAN: the elements are compared,
//	                   in any order, if one call returned them all, otherwise only their kind
//	!names             names of cluster nodes in the next reply may differ
//	!monitor           lines of MONITOR in the next replies may have any time and any port
//	!ids               client ids in the next reply are compared by the names of their sessions
//	!approx N          numbers in the next reply may differ by N
//	!differs ID        the next reply differs, for the reason that docs/differences.md gives
//	!noreply           the next command gets no reply
//	!wait 30ms         time passes
//	!blocks            the next command or !raw blocks and is answered later
//	!busy              the next command or !raw runs a script that does not end: other sessions
//	                   get BUSY from then on
//	!await             the reply to the command that blocked or was busy; relaxations before it
//	                   apply to that reply
//	!blocked           the number of blocked clients
//	!pushes            what the session was sent since its last reply (not between MULTI and EXEC)
//	!frozen on|off     while on, every command must be refused and leave the keyspace unchanged
//	!raw "bytes" N     sends bytes as they are and reads N replies (default 1)
//	!loop N ... !end   repeats the lines between, %d replaced by 0..N-1
//
// An unquoted word <<NAME is replaced by the lines that follow, up to a line NAME; a bare word
// @seed:FILE by a script of the seeds folder; an unquoted word @id:NAME by the client id of a
// session, which must be open; an unquoted word @node by the server's name in the cluster.
func ParseFile(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha1.Sum(data)
	p := &parser{file: &File{Path: path, Hash: hex.EncodeToString(sum[:]), Doors: AllDoors()}}
	lines := strings.Split(string(data), "\n")
	if err := p.parse(lines, 0, -1); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", filepath.ToSlash(path), p.line, err)
	}
	return p.file, nil
}

type parser struct {
	file   *File
	line   int
	next   Step // relaxations collected for the next command
	frozen bool
}

// parse reads lines, the first of which has number first+1. In a loop, turn is its counter; else
// -1.
func (p *parser) parse(lines []string, first, turn int) error {
	for i := 0; i < len(lines); i++ {
		p.line = first + i + 1
		line := strings.TrimSpace(strings.TrimRight(lines[i], "\r"))
		if turn >= 0 {
			line = strings.ReplaceAll(line, "%d", strconv.Itoa(turn))
		}
		if line == "" || line[0] == '#' {
			continue
		}
		words, err := splitWords(line)
		if err != nil {
			return err
		}
		if line[0] == '!' && words[0].bare {
			skip, err := p.directive(words, lines[i+1:], first+i+1)
			if err != nil {
				return err
			}
			i += skip
			continue
		}
		used, err := p.command(words, lines[i+1:])
		if err != nil {
			return err
		}
		i += used
	}
	return nil
}

// command adds the command in words; rest are the lines below it. It returns how many of them it
// used.
func (p *parser) command(words []word, rest []string) (used int, err error) {
	args := make([]string, len(words))
	for i, w := range words {
		args[i] = w.text
		if !w.bare {
			continue
		}
		if name, ok := strings.CutPrefix(w.text, "<<"); ok && name != "" {
			n := used
			for n < len(rest) && strings.TrimSpace(rest[n]) != name {
				n++
			}
			if n == len(rest) {
				return 0, fmt.Errorf("no line %s ends the text", name)
			}
			args[i] = strings.Join(rest[used:n], "\n")
			used = n + 1
		}
		if name, ok := strings.CutPrefix(w.text, "@id:"); ok {
			p.file.ids = true
			args[i] = idMark + name
		}
		if w.text == "@node" {
			args[i] = nodeMark
		}
		if name, ok := strings.CutPrefix(w.text, "@seed:"); ok {
			p.file.Seeds = append(p.file.Seeds, name)
			args[i] = seedMark + name
		}
	}
	s := p.next
	s.Line, s.kind, s.Args, s.Frozen = p.line, stepCommand, args, p.frozen
	p.next = Step{}
	p.file.Steps = append(p.file.Steps, s)
	return used, nil
}

func (p *parser) add(s Step) {
	s.Line = p.line
	p.file.Steps = append(p.file.Steps, s)
}
