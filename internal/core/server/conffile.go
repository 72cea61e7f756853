package server

import (
	"errors"
	"os"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/base/files"
	"github.com/redmoon-lua/redmoon/internal/core/conffile"
	"github.com/redmoon-lua/redmoon/reply"
)

// UseConfigFile applies the parameters and users of a configuration file, which CONFIG REWRITE then
// writes. The file must not define users if the users come from an ACL file. Caller must not have
// opened a session.
func (s Control) UseConfigFile(f *conffile.File, otherUsers bool) error {
	s.ConfigFile = f.Path
	s.Config.SetAt(s.Config.Names["save"], f.Value("save"))
	for _, i := range f.Given {
		s.Config.SetAt(i, f.Config.ValueAt(i))
	}
	s.Config.Fix("databases", strconv.Itoa(s.Store.Databases()))
	s.renamed = f.Table
	if len(f.Users) > 0 && otherUsers {
		return errors.New("users are defined both there and in the file that aclfile names: define them in one of them")
	}
	for _, line := range f.Users {
		if err := s.Access.AddUser(line); err != nil {
			return err
		}
	}
	return nil
}

// RewriteFile writes the configuration file (CONFIG REWRITE).
func (s *Server) RewriteFile(all bool) error {
	var users []string
	if s.Config.Value("aclfile") == "" {
		users = s.Access.Lines()
	}
	old, err := os.ReadFile(s.ConfigFile)
	if err == nil || os.IsNotExist(err) {
		err = files.Replace(s.ConfigFile, conffile.Rewrite(string(old), all, s.Config, users))
	}
	if err != nil {
		s.Log.Warn("CONFIG REWRITE failed: " + files.Strerror(err))
		return err
	}
	s.Log.Warn("CONFIG REWRITE executed with success.")
	return nil
}

// ExecuteByOriginalName runs a command by its name in Redis, whatever rename-command says.
func (s Control) ExecuteByOriginalName(sess *Session, args []string) reply.Value {
	renamed := s.Table
	s.use(renamed.Original())
	v := s.Execute(sess, cmdtable.DoorClient, args)
	s.use(renamed)
	return v
}
