package streamcmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/parse"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// noGroup is the error of a command that needs the group; key and group are in the order in which
// it names them.
func noGroup(key, group string) reply.Value {
	return reply.Err(errtext.OneLine("NOGROUP No such key '" + parse.CString(key) + "' or consumer group '" + parse.CString(group) + "'"))
}

func noGroupOfKey(group, key string) reply.Value {
	return reply.Err(errtext.OneLine("NOGROUP No such consumer group '" + parse.CString(group) + "' for key name '" + parse.CString(key) +
		"'"))
}

// badSubcommand is the error of a subcommand with a wrong number of arguments.
func badSubcommand(c *server.Ctx) reply.Value {
	return reply.Errorf("ERR unknown subcommand or wrong number of arguments for '%s'. Try %s HELP.",
		errtext.OneLine(errtext.Cut(c.Args[1], 128)), strings.ToUpper(c.Spec.Parent.Name))
}

// xgroupArgs are the arguments that the subcommands of XGROUP share.
type xgroupArgs struct {
	key, group string
	mkstream   bool
	read       int64 // ENTRIESREAD
	s          *datastore.Stream
}

// parse reads the options that CREATE (create is set) and SETID have behind the id, and looks up
// the stream.
func (x *xgroupArgs) parse(c *server.Ctx, create bool) (errReply reply.Value, ok bool) {
	x.key, x.group, x.read = c.Args[2], c.Args[3], datastore.StreamReadUnknown
	for rest := c.Args[min(5, len(c.Args)):]; len(rest) > 0; rest = rest[1:] {
		switch {
		case create && parse.IsToken(rest[0], "mkstream"):
			x.mkstream = true
		case len(rest) > 1 && parse.IsToken(rest[0], "entriesread"):
			rest = rest[1:]
			if x.read, ok = parse.Int(rest[0]); !ok {
				return reply.Err(errtext.NotInteger), false
			}
			if x.read < 0 && x.read != datastore.StreamReadUnknown {
				return reply.Err("ERR value for ENTRIESREAD must be positive or -1"), false
			}
		default:
			return badSubcommand(c), false
		}
	}
	var err error
	if x.s, err = c.DB.Stream(x.key); err != nil {
		return server.WrongType(), false
	}
	if x.s == nil && !x.mkstream {
		return reply.Err("ERR The XGROUP subcommand requires the key to exist. Note that for CREATE you may want to use the " +
			"MKSTREAM option to create an empty stream automatically."), false
	}
	if c.Has(servers.ReadUpToAdded) {
		added := int64(0)
		if x.s != nil {
			added = int64(x.s.Added())
		}
		x.read = min(x.read, added)
	}
	return reply.Value{}, true
}

// parseGroup is parse, but looks up the group too.
func (x *xgroupArgs) parseGroup(c *server.Ctx) (g *datastore.StreamGroup, errReply reply.Value, ok bool) {
	if bad, ok := x.parse(c, false); !ok {
		return nil, bad, false
	}
	if g = x.s.Group(x.group); g == nil {
		return nil, noGroupOfKey(x.group, x.key), false
	}
	return g, reply.Value{}, true
}

// parseGroupID reads the last delivered id of a group: $ stands for the last id of the stream.
func (x *xgroupArgs) parseGroupID(arg string) (id datastore.StreamID, ok bool) {
	if parse.CString(arg) != "$" {
		return parse.StreamID(arg, 0)
	}
	if x.s != nil {
		id = x.s.LastID()
	}
	return id, true
}

func xgroupCreate(c *server.Ctx) reply.Value {
	var x xgroupArgs
	if bad, ok := x.parse(c, true); !ok {
		return bad
	}
	if len(c.Args) > 8 {
		return badSubcommand(c)
	}
	id, ok := x.parseGroupID(c.Args[4])
	if !ok {
		return reply.Err(errStreamID)
	}
	fresh := x.s == nil
	if fresh {
		x.s, _ = c.DB.StreamForWrite(x.key)
		c.DB.Notify(0, "", x.key) // creating a stream counts as a change, creating a group does not
	}
	if x.s.CreateGroup(x.group, id, x.read) == nil {
		return reply.Err("BUSYGROUP Consumer Group name already exists")
	}
	if fresh {
		c.Emit(datastore.ClassStream, "xgroup-create", x.key)
	} else {
		c.EmitUnwatched(datastore.ClassStream, "xgroup-create", x.key)
	}
	return reply.OK()
}

func xgroupSetID(c *server.Ctx) reply.Value {
	var x xgroupArgs
	g, bad, ok := x.parseGroup(c)
	if !ok {
		return bad
	}
	if len(c.Args) > 7 {
		return badSubcommand(c)
	}
	id, ok := x.parseGroupID(c.Args[4])
	if !ok {
		if id, ok = parseEdge(c.Args[4]); !ok {
			return reply.Err(errStreamID)
		}
	}
	g.SetID(id, x.read)
	c.EmitUnwatched(datastore.ClassStream, "xgroup-setid", x.key)
	return reply.OK()
}

func xgroupDestroy(c *server.Ctx) reply.Value {
	var x xgroupArgs
	if bad, ok := x.parse(c, false); !ok {
		return bad
	}
	if !x.s.DestroyGroup(x.group) {
		return reply.Int(0)
	}
	c.EmitUnwatched(datastore.ClassStream, "xgroup-destroy", x.key)
	return reply.Int(1)
}

func xgroupCreateConsumer(c *server.Ctx) reply.Value {
	var x xgroupArgs
	g, bad, ok := x.parseGroup(c)
	if !ok {
		return bad
	}
	if g.CreateConsumer(c.Args[4]) == nil {
		return reply.Int(0)
	}
	c.EmitUnwatched(datastore.ClassStream, "xgroup-createconsumer", x.key)
	return reply.Int(1)
}

func xgroupDelConsumer(c *server.Ctx) reply.Value {
	var x xgroupArgs
	g, bad, ok := x.parseGroup(c)
	if !ok {
		return bad
	}
	consumer := g.Consumer(c.Args[4])
	if consumer == nil {
		return reply.Int(0)
	}
	n := g.DeleteConsumer(consumer)
	c.EmitUnwatched(datastore.ClassStream, "xgroup-delconsumer", x.key)
	return reply.Int(int64(n))
}

func xgroupHelp() server.Handler {
	return server.Help("XGROUP",
		"CREATE <key> <groupname> <id|$> [option]",
		"    Create a new consumer group. Options are:",
		"    * MKSTREAM",
		"      Create the empty stream if it does not exist.",
		"    * ENTRIESREAD entries_read",
		"      Set the group's entries_read counter (internal use).",
		"CREATECONSUMER <key> <groupname> <consumer>",
		"    Create a new consumer in the specified group.",
		"DELCONSUMER <key> <groupname> <consumer>",
		"    Remove the specified consumer.",
		"DESTROY <key> <groupname>",
		"    Remove the specified group.",
		"SETID <key> <groupname> <id|$> [ENTRIESREAD entries_read]",
		"    Set the current group ID and entries_read counter.",
	)
}
