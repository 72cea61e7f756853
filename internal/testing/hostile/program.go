package hostile

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Door is how a program reaches the Lua state.
type Door string

// The doors.
const (
	Eval     Door = "eval"     // EVAL, with the keys k, l, s, h and z
	Load     Door = "load"     // FUNCTION LOAD: the program runs while its library is loaded
	Function Door = "function" // FUNCTION LOAD, then FCALL
)

// Keys are the keys that each program gets.
var Keys = []string{"{h}k", "{h}l", "{h}s", "{h}h", "{h}z"}

// Program is one hostile script.
type Program struct {
	Name string
	Door Door
	Body string // Lua; it may begin with a line that says which arguments it gets
}

// FunctionName is the function that the library of a program with the door Function registers.
const FunctionName = "hostile"

// writing matches a call of a command that may write.
var writing = regexp.MustCompile(`redis\.p?call\(('(append|bitop|copy|del|getset|hset|lmove|lpush|mset|pfadd|publish|` +
	`restore|rpush|sadd|set|setbit|setrange|sort|spop|sunionstore|xadd|xgroup|zadd|zunionstore)'|[^'])`)

// Killable returns the commands that play the program so that SCRIPT KILL can end it at any time. A
// script that has written cannot be killed, and may take all memory, in Redis as here: so a program
// that writes may only read.
func (p Program) Killable() [][]string {
	if !writing.MatchString(p.Body) {
		return p.Commands()
	}
	return p.commands("EVAL_RO", "'no-writes'")
}

// Commands returns the commands that play the program. Each is sent regardless of the previous
// reply.
func (p Program) Commands() [][]string { return p.commands("EVAL", "") }

// commands returns the commands with a name of EVAL and the flags of a function.
func (p Program) commands(eval, flags string) [][]string {
	keys := slices.Concat([]string{fmt.Sprint(len(Keys))}, Keys, p.arguments())
	switch p.Door {
	case Load:
		return [][]string{{"FUNCTION", "LOAD", "REPLACE", "#!lua name=hostile\n" + p.Body}}
	case Function:
		library := "#!lua name=hostile\nredis.register_function{function_name='" + FunctionName + "', flags={" + flags +
			"}, callback=function(KEYS, ARGV) " + p.Body + "\nend}"
		return [][]string{
			{"FUNCTION", "LOAD", "REPLACE", library},
			append([]string{"FCALL", FunctionName}, keys...),
		}
	}
	return [][]string{append([]string{eval, p.Body}, keys...)}
}

//go:embed corpus
var corpus embed.FS

// Found returns the programs of the folder corpus. The name of a file is the name of a program,
// and its extension the door.
func Found() ([]Program, error) {
	entries, err := corpus.ReadDir("corpus")
	if err != nil {
		return nil, err
	}
	var found []Program
	for _, e := range entries {
		text, err := corpus.ReadFile(path.Join("corpus", e.Name()))
		if err != nil {
			return nil, err
		}
		name, door, _ := strings.Cut(e.Name(), ".")
		if d := Door(door); d == Eval || d == Load || d == Function {
			found = append(found, Program{Name: name, Door: d, Body: string(text)})
		}
	}
	return found, nil
}

// FileName is the name of the program's file in the folder corpus.
func (p Program) FileName() string { return p.Name + "." + string(p.Door) }
