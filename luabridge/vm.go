package luabridge

import (
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	lua "github.com/yuin/gopher-lua"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/luabridge/cjson"
	"github.com/redmoon-lua/redmoon/luabridge/internal/args"
	"github.com/redmoon-lua/redmoon/luabridge/internal/convert"
	"github.com/redmoon-lua/redmoon/luabridge/internal/globals"
	"github.com/redmoon-lua/redmoon/luabridge/internal/limits"
	"github.com/redmoon-lua/redmoon/luabridge/internal/machine"
	"github.com/redmoon-lua/redmoon/luabridge/internal/mathlib"
	"github.com/redmoon-lua/redmoon/luabridge/internal/redisapi"
	"github.com/redmoon-lua/redmoon/reply"
)

// Options configure a [VM]. The zero value works.
type Options struct {
	Logger *slog.Logger // for redis.log and Go panics; nil: slog.Default()
	// Server is the server whose Lua the VM has, by a name such as "redis-7.0" or "valkey-8.1"; empty:
	// redis-7.0. New panics if there is no such server.
	Server string

	// Functions makes a VM for libraries of functions ([VM.LoadLibrary], [VM.CallFunction]), not
	// for scripts. Redis keeps the two apart, and their globals differ.
	Functions bool

	// Attention makes a running script call Attend soon after it is set: at the next iteration of a
	// loop, at the next call, or within a long library function. The VM clears it before it calls
	// Attend. Several VMs may share one. Optional.
	Attention *atomic.Bool
	// Attend is called on the script's goroutine, between two steps of the script. It must not run
	// a script. Optional.
	Attend func()

	// MaxMemory is the approximate limit in bytes of the memory that the values of a script may
	// take. A script that exceeds it ends with an error that no pcall catches. 0: no limit.
	MaxMemory int64
	// HostMemory returns the bytes that the host holds because of the running script. They count as
	// its memory. Optional.
	HostMemory func() int64
	// MaxSteps is the limit of the steps of a run. A call is a step, and so is an iteration of a
	// loop. A library function that works long takes about one for each byte or element. A script
	// that exceeds the limit ends with an error that no pcall catches. The same script takes the
	// same number of steps each time. 0: no limit.
	MaxSteps int64

	// ShufflePairs is the seed of the order in which pairs, next and table.foreach walk over tables,
	// which Lua leaves open. The order of string, number and boolean keys is the same for the same
	// seed. 0: the order of Redis, which is faster.
	ShufflePairs uint64

	tool   *Tool // the VM is that of a tool
	server servers.Server
}

// VM runs scripts. It belongs to one goroutine, except for [VM.Interrupt].
type VM struct {
	opt    Options
	common *shared       // nobody changes it
	limits limits.Limits // when a script must end
	lib    args.Host     // what libraries need of the VM
	cjson  cjson.Codec   // kept for all states, with its settings
	random mathlib.Random

	sandbox // replaced after an abnormal end

	redis     redisapi.Library // the library redis, with the host of the script that runs
	debug     debugging        // what a debugger is notified of
	chunks    chunks           // the texts that scripts load
	profiling profiling        // what is measured of runs
	running                    // the state of the script that runs
}

// sandbox is a Lua state with everything that is made for it.
type sandbox struct {
	L       *lua.LState
	gen     int // number of this state; a Script's closure belongs to one
	globals globals.Globals
	libraries

	keys, argv argList
	// onError and callScript; a method value made for each run would take memory
	onErrorFn, callScriptFn func(*lua.LState)
	placeFn                 *lua.LFunction // sets the position of an error table; nil until it is needed

	machine *machine.Machine
	spare   []*lua.LState // threads for pcall
	guarded []guard       // pcalls in progress, innermost last
	handler lua.LValue    // for the next guard
	noted   guard         // the last one that ended
	broken  bool          // a run ended abnormally: the state must be replaced
}

// running is the state of one Run.
type running struct {
	script *Script
	source string
	ours   bool            // the text of the error being raised is Lua's already
	failed machine.Nesting // where the last error was raised
	line   int             // where the error that ends the script was raised; 0: unknown
	given  []lua.LValue    // the arguments of a function
	reply  reply.Value     // the reply of the script
	making *Library        // the library that is being loaded, or nil
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
	var ok bool
	if opt.server, ok = servers.Parse(opt.Server); !ok {
		panic("luabridge: no server " + strconv.Quote(opt.Server))
	}
	vm := &VM{opt: opt, common: sharedFor(&opt), cjson: *null.Fresh()}
	vm.limits.Open(limits.Options{MaxMemory: opt.MaxMemory, MaxSteps: opt.MaxSteps, Attention: opt.Attention, Attend: opt.Attend,
		HostMemory: opt.HostMemory, Measure: vm.measure, Kill: vm.kill})
	vm.debug.vm, vm.chunks.vm = vm, vm
	hashing := globals.HashingOf(opt.server)
	vm.lib = args.Host{Fail: vm.fail, BadArgument: vm.badArgument, Raise: vm.raise, Real: globals.Real, Budget: &vm.limits.Budget,
		Hashing: hashing}
	vm.redis.Convert.Tie(convert.Ties{Budget: &vm.limits.Budget, Hashing: hashing, Real: globals.Real, Shown: globals.Shown,
		BigNumbersEnd: opt.server.Has(servers.BigNumbersEnd), ErrorField: vm.errorField, InnerError: vm.innerError})
	vm.redis.Lua, vm.redis.Poll, vm.redis.Logger, vm.redis.Server = vm.lib, vm.limits.Poll, opt.Logger, opt.server
	short := opt.server.Has(servers.ShortDoubles)
	vm.redis.ShortNumbers, vm.redis.Convert.ShortNumbers = short, short
	vm.redis.SHA = func() string { return vm.script.SHA }
	vm.rebuild()
	return vm
}

// innerError notifies the host of an error inside a reply. A tool that only converts values has no
// host.
func (vm *VM) innerError(v reply.Value) {
	if vm.redis.Host != nil {
		vm.redis.Host.InnerError(v)
	}
}

// Close frees the Lua state. The VM must not be used afterwards.
func (vm *VM) Close() {
	if vm.L != nil {
		vm.L.Close()
		vm.sandbox = sandbox{}
	}
}

// Reset drops the Lua state with everything that scripts may have left in it, as SCRIPT FLUSH does.
// The settings of cjson return to their defaults; the random sequence goes on.
func (vm *VM) Reset() {
	vm.cjson = *null.Fresh()
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
	vm.sandbox = sandbox{gen: gen}
	vm.L = lua.NewState(lua.Options{
		SkipOpenLibs:        true,
		MinimizeStackMemory: true,
		CallStackSize:       machine.FrameRoom,
		RegistrySize:        256,
		RegistryGrowStep:    2048,
		RegistryMaxSize:     maxValues,
	})
	vm.L.Options.RegistrySize = 256                    // for the threads
	vm.L.G.Registry = &lua.LTable{Metatable: lua.LNil} // gopher-lua has made room for 32 fields, which nobody needs
	machine.SetOwner(vm.L, unsafe.Pointer(vm))
	vm.onErrorFn, vm.callScriptFn = vm.onError, vm.callScript
	vm.L.Panic = vm.onErrorFn
	vm.L.G.MainThread, vm.L.G.CurrentThread = vm.L, vm.L
	c := vm.common
	vm.machine = &machine.Machine{
		Budget:  &vm.limits.Budget,
		Hashing: vm.lib.Hashing,
		OnError: vm.onErrorFn,
		Guard:   c.guardEntry,
		Blame:   vm.blame,
		Command: machine.Command{Fn: c.call, Direct: vm.redis.Direct, Raise: c.raise},
		Next:    [2]*lua.LFunction{c.next, c.globalNext},
		Step:    c.step,
		Refuse:  c.globals.Refuse(),
		Refused: args.ReadOnly,
	}
	vm.machine.Attention, vm.machine.Attend = vm.limits.Hooks()
	vm.openLibraries()
	if vm.opt.ShufflePairs != 0 { // loops call the functions
		vm.machine.Next = [2]*lua.LFunction{}
	}
	if vm.opt.tool != nil { // globals may change at any time, and so may redis.call
		vm.machine.Command = machine.Command{}
	} else {
		vm.machine.SetGlobals(vm.globals.Env, vm.globals.Get)
	}
	vm.machine.Install(vm.L)
	if vm.debug.debugger != nil {
		vm.Debug(vm.debug.debugger)
	}
}
