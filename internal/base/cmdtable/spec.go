package cmdtable

import "github.com/redmoon-lua/redmoon/internal/base/servers"

// Flag is a property of a command; the names are those of COMMAND INFO.
type Flag uint32

// The flags.
const (
	Write Flag = 1 << iota
	ReadOnly
	DenyOOM
	Admin
	PubSub
	NoScript
	Blocking
	Loading
	Stale
	SkipMonitor
	SkipSlowlog
	Asking
	Fast
	NoAuth
	MayReplicate // reads, but may change something: refused in read-only scripts. COMMAND INFO omits it.
	NoAsyncLoading
	NoMulti
	NoMandatoryKeys
	AllowBusy
	MovableKeys // derived: some key-spec is not a range with a fixed begin
)

// Cat is a set of ACL categories. A row names those that do not follow from its flags; see
// [Spec.Categories].
type Cat uint32

// The categories.
const (
	CatKeyspace Cat = 1 << iota
	CatRead
	CatWrite
	CatSet
	CatSortedSet
	CatList
	CatHash
	CatString
	CatBitmap
	CatHyperLogLog
	CatGeo
	CatStream
	CatPubSub
	CatAdmin
	CatFast
	CatSlow
	CatBlocking
	CatDangerous
	CatConnection
	CatTransaction
	CatScripting
)

// Spec is the row of a command or subcommand: everything that is declared about it.
type Spec struct {
	Name  string // lower case; of a subcommand, without its parent
	Arity int    // number of arguments, including the name and the parent's name; negative: at least that many
	Flags Flag
	Cats  Cat
	Keys  []KeySpec

	Channels Channels // which arguments are names of channels
	Tips     []string // COMMAND INFO's tips, such as nondeterministic_output

	// How keys are found where the key-specs are not enough. All are optional.
	Locate      func(args []string) []Key          // finds the keys, in place of Keys
	LocateSlots func(s *Spec, args []string) []Key // finds the keys that decide the cluster slot
	FlagsOfKeys func(args []string) KeyFlag        // the flags of keys whose key-spec has VariableFlags
	Patterns    func(args []string) []string       // patterns of further keys that it reads

	Runs    ScriptKind // the script or function that the command runs
	Waits   Waits      // how long it may wait
	LuaText int        // the argument that holds Lua text to be compiled; LastArgument: the last; 0: none
	Library bool       // LuaText is the text of a function library

	Line int // the argument at which another command line begins; 0: none

	// Passwords in command lines. All are optional.
	Hidden         func(args []string) []int // the arguments that SLOWLOG and MONITOR do not show
	Passwords      func(args []string) []int // the arguments that are passwords, or may be in a malformed line
	ShowsPasswords func(args []string) bool  // the reply may have passwords

	// What the gate and the cluster ask. See also Flags.
	AllowedSubscribed    bool   // a subscribed session of RESP2 may run it
	ChangesParsing       bool   // it may change how the requests after it are parsed; see Table.ChangesParsing
	RunsInMulti          bool   // it runs immediately between MULTI and EXEC
	IsExec               bool   // it is EXEC
	ArbitraryKeys        bool   // it may meet, and remove, any expired keys: these are effects of their own
	WritesLate           bool   // the handler of a Write row says itself when it begins to write
	NeedsDebugPermission bool   // the parameter enable-debug-command says who may run it
	DBs                  DBs    // which databases it uses
	Spread               Spread // which nodes of a cluster get it when it has no keys

	// Documentation: COMMAND DOCS, help and hints.
	Since      servers.Since // the servers that have it
	Group      string        // COMMAND DOCS group
	Summary    string        // one short sentence of our own, without a full stop
	Complexity string        // for example O(1) or O(log N)
	Deprecated string        // version since which it is deprecated, or ""
	ReplacedBy string        // what to use instead, or ""
	DocFlags   []string
	Syntax     string // the arguments; see [Spec.Arguments] for the notation
	Reply      string // what it replies with; see [Spec.Replies] for the notation
	Varies     Varies // why its reply may differ from that to the same line with the same data

	Reads   Things // what it reads beside its keys
	Changes Things // what it changes beside its keys

	// What tools ask that read scripts.
	Range       Range
	ReadForm    ReadForm
	Lifetime    Lifetime
	LooseSyntax bool // it accepts more than Syntax says
	Appends     bool // it adds to something that has an order
	Asks        bool // scripts ask with it whether there is something, or how much
	Takes       bool // scripts take or add with it what there must be enough of, or too much of

	Later []Change // what later versions changed

	Subs []*Spec // subcommands

	// The fields below are set by NewTable.
	Parent *Spec
	ID     int // index in Table.All, for counters of commands
	Server servers.Server

	MinArgs, MaxArgs int
	Doors            uint8 // bit 1<<Door: this door lets the command through
	OnlyReads        bool  // it changes no value itself and runs no script
	Short            bool  // too short to be timed each call
	InRanges         bool  // its keys are in ranges that begin at a fixed place
	OneKey           bool  // its only key is the first argument
	Counted          bool  // an argument is the number of its keys
	Lookahead        Lookahead
}

// ScriptKind says how a command names the script or function that it runs. The name is argument 1.
type ScriptKind uint8

// The kinds.
const (
	RunsNoScript ScriptKind = iota
	RunsSource              // EVAL: the source
	RunsSHA                 // EVALSHA: the SHA1 of the source
	RunsFunction            // FCALL: the name of a function
)

// LastArgument is a value of Spec.LuaText.
const LastArgument = -1

// Text returns the Lua text of a command line, or "" if the command has none.
func (s *Spec) Text(args []string) string {
	switch at := s.LuaText; {
	case at == LastArgument:
		return args[len(args)-1]
	case at > 0 && at < len(args):
		return args[at]
	}
	return ""
}

// Change is what a row has otherwise on some servers.
type Change struct {
	Since servers.Since // the servers
	Set   func(s *Spec) // changes the row
}

// FullName returns the name in the form of COMMAND INFO: "config|get" for a subcommand.
func (s *Spec) FullName() string {
	if s.Parent != nil {
		return s.Parent.Name + "|" + s.Name
	}
	return s.Name
}

// Categories returns the row's ACL categories, including those that follow from its flags.
func (s *Spec) Categories() Cat {
	c := s.Cats
	derive := func(f Flag, cat Cat) {
		if s.Flags&f != 0 {
			c |= cat
		}
	}
	derive(Write, CatWrite)
	if c&CatScripting == 0 {
		derive(ReadOnly, CatRead)
	}
	derive(Admin, CatAdmin|CatDangerous)
	derive(PubSub, CatPubSub)
	derive(Fast, CatFast)
	derive(Blocking, CatBlocking)
	if s.Flags&Fast == 0 {
		c |= CatSlow
	}
	return c
}

// KeyFlag says what a command does with the keys of one key-spec.
type KeyFlag uint16

// The key-spec flags; the names are those of COMMAND INFO.
const (
	RO KeyFlag = 1 << iota
	RW
	OW
	RM
	Access
	Update
	Insert
	Delete
	NotKey
	Incomplete
	VariableFlags
)

// KeySpec says where keys stand among the arguments: where to begin and how to go on.
type KeySpec struct {
	Flags KeyFlag

	// Begin: at argument Index or, when Keyword is set, behind that keyword, which is
	// searched from argument From on (negative: from the end, backwards). Both zero: unknown.
	Index   int
	Keyword string
	From    int

	// Find: a range from the begin to Last (relative to the begin; negative: from the last
	// argument) with a key every Step arguments; Limit n above 1 takes only the first n-th of
	// the remaining arguments. When KeyNum is set, the number of keys stands at NumIdx and the
	// first key at First (both relative to the begin). Step zero: unknown.
	Last, Step, Limit int
	KeyNum            bool
	NumIdx, First     int
}

// KeyRange returns a key-spec of a range that begins at argument index. See KeySpec for last and
// step.
func KeyRange(f KeyFlag, index, last, step int) KeySpec {
	return KeySpec{Flags: f, Index: index, Last: last, Step: step}
}

// KeyNum returns a key-spec whose number of keys is argument index; the keys follow it.
func KeyNum(f KeyFlag, index int) KeySpec {
	return KeySpec{Flags: f, Index: index, KeyNum: true, First: 1, Step: 1}
}

// ErrArity returns the error text for too few or too many arguments.
func ErrArity(s *Spec) string {
	return "ERR wrong number of arguments for '" + s.FullName() + "' command"
}
