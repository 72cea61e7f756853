package luabridge

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	"github.com/redmoon-lua/redmoon/luabridge/internal/boxes"
	"github.com/redmoon-lua/redmoon/luabridge/internal/budget"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/tables"
	"github.com/redmoon-lua/redmoon/reply"
)

// Options configure a [VM]. The zero value works.
type Options struct {
	Logger  *slog.Logger // where redis.log and Go panics go; nil: slog.Default()
	Version string       // redis.REDIS_VERSION, three numbers; empty: 7.0.15

	// Functions makes a VM for libraries of functions ([VM.LoadLibrary], [VM.CallFunction]) in place of scripts: Redis
	// keeps the two apart, and their globals differ.
	Functions bool

	// Attention, when somebody sets it, makes a running script call Attend soon: at its next turn of a loop or call, or within a
	// long call of a library function. The VM takes it back first. Several VMs may share one. Nil: nobody asks.
	Attention *atomic.Bool
	// Attend is called on the goroutine of the script, between two steps of it. It must not run a script.
	Attend func()

	// MaxMemory is how many bytes the values of a script may take, about; a script that needs more ends with an error, which no
	// pcall catches. 0: any number.
	MaxMemory int64
	// MaxSteps is how many steps a run may take: calls, turns of loops, and for library functions that work long one for each
	// byte or element, about. A script that takes more ends with an error, which no pcall catches. The count is the same each
	// time. 0: any number.
	MaxSteps int64
}

// VM runs scripts. It belongs to one goroutine, but for [VM.Interrupt].
type VM struct {
	opt   Options
	after func(time.Duration, func()) (stop func()) // calls a function later; time.AfterFunc, unless a test replaces it
	stopSwitch
	meter
	budget budget.Budget // limits library functions
	cjson  *cjson.Codec  // kept for all states, with its settings
	random randomState

	sandbox // what is thrown away after an abnormal end

	// What each command needs stands close together, with the first of what follows.
	boxes    boxes.Boxes
	args     []string // the arguments of the command being called; reused
	debugger Debugger // or nil; see Debug
	running           // what belongs to the script that runs now

	buf []byte // scratch for building strings; reused
}

// sandbox is one Lua state with everything made for it.
type sandbox struct {
	L       *lua.LState
	gen     int // counts the states; a Script's closure belongs to one of them
	env     *lua.LTable
	proxies map[*lua.LTable]*lua.LTable // metatable of a proxy: the table behind it
	opened  *lua.LTable                 // gopher-lua's own libraries, none of which scripts see

	entry, guardEntry  *lua.LFunction // enter, enterGuarded
	keys, argv         argList
	nextFn, ipairsStep *lua.LFunction
	refuse             *lua.LFunction // the __newindex of what scripts cannot change
	placeFn, handlerFn *lua.LFunction // puts its position into an error table; __redis__err__handler
	onErrorFn          func(*lua.LState)
	openFn             func(reply.Value) []lua.LValue

	globals      *lua.LTable // what _G is
	shownGlobals *lua.LTable // what pairs(_G) walks
	loadEnv      *lua.LTable // what the text of a library sees while it is loaded
	loadAPI      *lua.LTable // the library redis in it, which functions may keep
	loadMeta     *lua.LTable // what getmetatable(loadAPI) gives
	functionMeta *lua.LTable // the metatable of the globals of libraries; its __index is env or loadEnv
	globalMeta   *lua.LTable // what getmetatable(_G) gives
	stringMeta   *lua.LTable // what getmetatable("") gives

	machine *machine.Machine
	spare   []*lua.LState // threads for pcall
	guarded []guard       // pcalls in progress, innermost last
	handler lua.LValue    // for the next guard
	noted   guard         // the last one that ended
	cursor  tables.Cursor // of next
	broken  bool          // an abnormal end: throw the state away
}

// running is the state of one Run.
type running struct {
	host     Host
	script   *Script
	proto    int // RESP version of replies, 2 or 3
	source   string
	loaded   debugInfo               // of the chunks that the script compiled itself
	ours     bool                    // the error being raised is worded already
	failed   machine.Nesting         // where the last error was raised
	line     int                     // where the error that ends the script was raised; 0: unknown
	given    []lua.LValue            // the arguments of a function
	reply    reply.Value             // the reply of the script
	steps    int64                   // that it has taken, when they are counted
	making   *Library                // the library that is being loaded, or nil
	raising  bool                    // the debugger is being told of an error
	again    bool                    // the error being raised has been raised before
	evals    int                     // how many evaluations of a debugger are in progress, within each other
	threads  []*lua.LState           // the coroutines that a debugger has seen
	compiled map[evalKey]*evaluation // for the debugger
}

// Supported returns an error if the program is built with a version of gopher-lua that this package
// does not support. The error names the supported version. The check runs once; the first call
// takes about a millisecond.
func Supported() error { return supported() }

var supported = sync.OnceValue(machine.Supported)

// New returns a VM with a fresh state. It panics if [Supported] returns an error.
func New(opt Options) *VM {
	if err := supported(); err != nil {
		panic("luabridge: " + err.Error())
	}
	if opt.Logger == nil {
		opt.Logger = slog.Default()
	}
	if opt.Version == "" {
		opt.Version = "7.0.15"
	}
	vm := &VM{opt: opt, cjson: cjson.New(), after: afterFunc}
	vm.budget = budget.Budget{Attend: vm.worked, Reserve: vm.reserving}
	if vm.attention = opt.Attention; vm.attention == nil {
		vm.attention = new(atomic.Bool)
	}
	vm.rebuild()
	return vm
}

func afterFunc(d time.Duration, f func()) (stop func()) {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}

// Close frees the Lua state. The VM must not be used afterwards.
func (vm *VM) Close() {
	if vm.L != nil {
		vm.L.Close()
		vm.sandbox = sandbox{}
	}
}

// Reset throws the Lua state away with all that scripts could have left in it, as SCRIPT FLUSH
// does: the cjson settings return to their defaults, the random sequence goes on.
func (vm *VM) Reset() {
	vm.cjson = cjson.New()
	vm.rebuild()
}

// Limits of Lua 5.1 as Redis builds it.
const (
	maxValues = 1 << 23
)

func (vm *VM) rebuild() {
	gen := vm.gen + 1
	if vm.L != nil {
		vm.L.Close()
	}
	vm.sandbox = sandbox{gen: gen, proxies: map[*lua.LTable]*lua.LTable{}}
	vm.L = lua.NewState(lua.Options{
		SkipOpenLibs:        true,
		MinimizeStackMemory: true,
		CallStackSize:       machine.FrameRoom,
		RegistrySize:        512,
		RegistryGrowStep:    2048,
		RegistryMaxSize:     maxValues,
	})
	vm.L.Options.RegistrySize = 256 // for the threads
	vm.onErrorFn = vm.onError
	vm.openFn = vm.elements
	vm.entry = vm.L.NewFunction(vm.enter)
	vm.guardEntry = vm.L.NewFunction(vm.enterGuarded)
	vm.machine = &machine.Machine{
		Attention: vm.attention,
		Attend:    vm.attend,
		Budget:    &vm.budget,
		OnError:   vm.onErrorFn,
		Entries:   [2]*lua.LFunction{vm.entry, vm.guardEntry},
		Blame:     vm.blame,
	}
	if vm.opt.MaxSteps > 0 {
		vm.machine.Attention, vm.machine.Attend = &always, vm.step
	}
	vm.refuse = vm.L.NewFunction(vm.refuseWrite)
	vm.openLibraries()
	vm.openHandler()
	vm.machine.Next = [2]*lua.LFunction{vm.nextFn, vm.env.RawGetString("next").(*lua.LFunction)}
	vm.machine.Step, vm.machine.Refuse, vm.machine.Refused = vm.ipairsStep, vm.refuse, readonly
	vm.machine.SetGlobals(vm.env)
	vm.machine.Install(vm.L)
	if vm.debugger != nil {
		vm.Debug(vm.debugger)
	}
}
