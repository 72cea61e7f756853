package usercmds

import (
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/errtext"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/acl"
	"github.com/redmoon-lua/redmoon/internal/core/server"
	"github.com/redmoon-lua/redmoon/reply"
)

// aclLoad replaces the users by those of the file, unless the file has an error.
func aclLoad(c *server.Ctx) reply.Value {
	path := c.Server.Config.Value("aclfile")
	if path == "" {
		return reply.Err(acl.ErrNoACLFile.Of(c.Server.Follows))
	}
	loaded, problem := c.Server.Access.Load(path)
	if problem != "" {
		return reply.Err("ERR " + errtext.OneLine(problem))
	}
	c.Server.ReplaceUsers(loaded, c.Session)
	return reply.OK()
}

// aclSave replaces the file by one with the present users.
func aclSave(c *server.Ctx) reply.Value {
	path := c.Server.Config.Value("aclfile")
	if path == "" {
		return reply.Err(acl.ErrNoACLFile.Of(c.Server.Follows))
	}
	if err := files.Replace(path, strings.Join(append(c.Server.Access.Lines(), ""), "\n")); err != nil {
		c.Server.Log.Warn("Opening temp ACL file for ACL SAVE: " + files.Strerror(err))
		return reply.Err("ERR There was an error trying to save the ACLs. Please check the server logs for more information")
	}
	return reply.OK()
}
