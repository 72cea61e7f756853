package cmdtable

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
	MayReplicate // reads, but may change something: refused in read-only scripts. COMMAND INFO does not tell.
	NoAsyncLoading
	NoMulti
	NoMandatoryKeys
	AllowBusy
	MovableKeys // derived: some key-spec is no range with a fixed begin
)

// Cat is an ACL category that a row names; those that follow from flags (read, write,
// fast, slow, admin, dangerous, pubsub, blocking) are derived.
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

// Spec is the one declaration of a command or subcommand.
type Spec struct {
	Name  string // lower case; of a subcommand, without its parent
	Arity int    // number of arguments, the name included; negative: at least so many. Counted from the parent's name.
	Flags Flag
	Cats  Cat
	Keys  []KeySpec
	// Locate finds the keys of a command line where the key-specs cannot; nil for all others.
	Locate   func(args []string) []Key
	Channels Channels // which arguments are names of channels

	Tips []string // COMMAND INFO's tips, such as nondeterministic_output

	Since      string // first version of Redis that has it
	Group      string // COMMAND DOCS group
	Summary    string // one short sentence of our own, without a full stop
	Complexity string // such as O(1) or O(log N)
	Deprecated string // version since which it is deprecated, else ""
	ReplacedBy string // what to use instead, else ""
	DocFlags   []string
	Syntax     string // the arguments in the notation of syntax.go

	Later Later // what a later version than that of Since changed

	// Handler is a server.Handler, which this package cannot name. It is nil for a container, and
	// for a command that exists only to be refused to scripts.
	Handler any
	Subs    []*Spec // subcommands

	// Filled in by NewTable.
	Parent *Spec
	ID     int // place in the table, for per-command counters
	Compat Compat

	// What the gate asks for every call, derived from the above.
	MinArgs, MaxArgs     int
	Doors                uint8 // bit 1<<Door: this door lets the command through
	RunsInMulti          bool  // runs at once between MULTI and EXEC
	IsExec               bool  // EXEC
	OnlyReads            bool  // it does not change values, or says so
	Short                bool  // too short to be timed each call
	NeedsDebugPermission bool  // enable-debug-command says who may run it
	AllowedSubscribed    bool  // a subscribed session of RESP2 may run it
	ChangesSession       bool  // changes the state of its session
	RunsScript           bool  // EVAL, FCALL and their kin
	InRanges             bool  // its keys are in ranges that begin at a fixed place
	OneKey               bool  // its only key is the first argument
	Counted              bool  // its keys are those that an argument counts
	spreads              Spread
	Lookahead            Lookahead
}

// Later is another number of arguments that a command takes since a version of Redis.
type Later struct {
	Since string
	Arity int
}

// FullName is the name as COMMAND INFO gives it: "config|get" for a subcommand.
func (s *Spec) FullName() string {
	if s.Parent != nil {
		return s.Parent.Name + "|" + s.Name
	}
	return s.Name
}

// KeyFlag tells what a command does with the keys of one key-spec.
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

	// Begin: at argument Index, or, when Keyword is set, behind that keyword, which is
	// searched from argument From (negative: from the end, backwards). Both zero: unknown.
	Index   int
	Keyword string
	From    int

	// Find: a range from the begin to Last (relative to the begin; negative: from the last
	// argument), every Step arguments, of what remains one Limit-th (0 and 1: all);
	// or, when KeyNum is set, the number of keys stands at NumIdx and the first key at First
	// (both relative to the begin). Step zero: unknown.
	Last, Step, Limit int
	KeyNum            bool
	NumIdx, First     int
}

// KeyRange is a key-spec that begins at argument index and runs to last in steps.
func KeyRange(f KeyFlag, index, last, step int) KeySpec {
	return KeySpec{Flags: f, Index: index, Last: last, Step: step}
}

// KeyNum is a key-spec whose number of keys stands at argument index, the keys right behind it.
func KeyNum(f KeyFlag, index int) KeySpec {
	return KeySpec{Flags: f, Index: index, KeyNum: true, First: 1, Step: 1}
}

// ErrArity is the error of a command with too few or too many arguments.
func ErrArity(s *Spec) string {
	return "ERR wrong number of arguments for '" + s.FullName() + "' command"
}
