package cmdline

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/quoting"
)

// Mode says what the program has been asked to do.
type Mode uint8

// The modes.
const (
	Serve         Mode = iota
	Version            // --version, -v
	Help               // --help, -h
	TestMemory         // --test-memory, with the size in megabytes
	TestMemoryBad      // --test-memory without a size
	CheckSystem        // --check-system
	Sentinel           // --sentinel
)

// Line is a parsed command line.
type Line struct {
	Mode    Mode
	File    string // the configuration file
	HasFile bool   // it was given, even if its name is empty
	Stdin   bool   // the configuration is read from standard input too
	Options string // directives, a line for each, to read after the file and standard input
	Given   bool   // there are any arguments of redis-server
	Own     []string
}

// Own describes a flag that redis-server does not have.
type Own struct {
	// Value is set if the argument after the flag belongs to it, unless the flag has the form
	// --name=value.
	Value bool
	// Only restricts the flag to this value; "": any. Other values are those of a directive.
	Only string
	// Joined is set if only the form --name=value is the flag; in the other it is a directive.
	Joined bool
}

// Parse reads arguments, without the name of the program. own has the flags of Redmoon by name,
// without dashes; nil for the command line of redis-server itself.
func Parse(args []string, own map[string]Own) Line {
	p := parser{own: own, named: true}
	p.args = args
	if p.special() {
		return p.line
	}
	for p.at < len(p.args) {
		p.take()
	}
	p.line.Options = p.options.String()
	return p.line
}

type parser struct {
	own     map[string]Own
	args    []string
	at      int
	taken   int // arguments of redis-server that have been read
	line    Line
	options strings.Builder
	named   bool // the next argument with two dashes is a name, not the value of the last one
}

// special reads the words that are not about serving; they must come first.
func (p *parser) special() bool {
	if len(p.args) == 0 {
		return false
	}
	switch p.args[0] {
	case "-v", "--version":
		p.line.Mode = Version
	case "-h", "--help":
		p.line.Mode = Help
	case "--test-memory":
		p.line.Mode = TestMemoryBad
		if len(p.args) == 2 {
			p.line.Mode = TestMemory
		}
	case "--check-system":
		p.line.Mode = CheckSystem
	default:
		return false
	}
	return true
}

func (p *parser) last() bool { return p.at == len(p.args)-1 }

// take reads one argument, with those that belong to it.
func (p *parser) take() {
	arg := p.args[p.at]
	if arg == "--sentinel" {
		p.line.Mode = Sentinel // wherever it stands
	}
	if p.named && p.takeOwn(arg) {
		return
	}
	first := p.taken == 0
	p.taken++
	p.line.Given = true
	switch {
	case first && !strings.HasPrefix(arg, "-"):
		p.line.File, p.line.HasFile = arg, true
	case arg == "-" && (first || p.last()):
		p.line.Stdin = true
	case p.named && strings.HasPrefix(arg, "--"):
		p.option(arg)
	default:
		p.options.Write(quoting.Append(nil, arg))
		p.options.WriteByte(' ')
		p.named = true
	}
	p.at++
}

// option starts a line. The argument may have values in itself. After a bare name the next argument
// is a value even if it begins with dashes, except after --save and --sentinel.
func (p *parser) option(arg string) {
	if p.options.Len() > 0 {
		p.options.WriteByte('\n')
	}
	p.options.WriteString(arg[2:])
	p.options.WriteByte(' ')
	words, ok := quoting.Words(arg)
	if !ok || len(words) != 1 {
		return
	}
	name := words[0]
	next := !p.last() && strings.HasPrefix(p.args[p.at+1], "--")
	switch {
	case strings.EqualFold(name, "--save") && (next || p.last()):
		p.options.WriteString(`""`)
	case strings.EqualFold(name, "--sentinel") && (next || p.last()):
	default:
		p.named = false
	}
}

// takeOwn reads a flag of Redmoon.
func (p *parser) takeOwn(arg string) bool {
	name, dashed := strings.CutPrefix(arg, "--")
	name, _, joined := strings.Cut(name, "=")
	flag, ok := p.own[name]
	if !dashed || !ok || flag.Joined && !joined {
		return false
	}
	alone := joined || !flag.Value
	if flag.Only != "" && !joined && (p.last() || p.args[p.at+1] != flag.Only) {
		return false
	}
	p.line.Own = append(p.line.Own, arg)
	p.at++
	if !alone && p.at < len(p.args) {
		p.line.Own = append(p.line.Own, p.args[p.at])
		p.at++
	}
	return true
}

// Directive returns a line of a configuration file.
func Directive(name string, values ...string) string {
	b := []byte(name)
	for _, v := range values {
		b = quoting.Append(append(b, ' '), v)
	}
	return string(append(b, '\n'))
}
