package engine

import (
	"fmt"
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/base/cmdrows"
	"github.com/redmoon-lua/redmoon/internal/base/servers"
	"github.com/redmoon-lua/redmoon/internal/core/conffile"
)

// ConfigFile is a configuration file in the format of redis.conf, with the files that it includes;
// see [ReadConfigFile]. It does not change, and several engines may use it.
type ConfigFile struct{ file *conffile.File }

// ConfigFileError is the error of [ReadConfigFile] if a line is wrong or names a feature that
// Redmoon does not have.
type ConfigFileError = conffile.Error

// ConfigOpenError is the error of [ReadConfig] if a file cannot be read.
type ConfigOpenError = conffile.OpenError

// ReadConfigFile reads a configuration file. Relative paths in it are relative to the working
// directory, or after a line "dir" to that directory. The error is a *[ConfigFileError] if a line
// is wrong, else that of the file system.
func ReadConfigFile(path string) (*ConfigFile, error) {
	f, err := ReadConfig(ConfigSource{Path: path})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// ConfigSource says where a configuration comes from. All parts are optional. They are read in this
// order, and later lines win.
type ConfigSource struct {
	Path    string // of a configuration file
	Stdin   string // lines in the format of the file
	Options string // lines in the format of the file, as redis-server makes them of its command line
	Server  string // as Options.Server: whose commands rename-command and user may name
}

// ReadConfig reads a configuration from several sources. CONFIG REWRITE writes the file, if there
// is one. The error is a *[ConfigFileError] if a line is wrong, else that of the file system; the
// ConfigFile then has what was read before.
func ReadConfig(source ConfigSource) (*ConfigFile, error) {
	server, ok := servers.Parse(source.Server)
	if !ok {
		return nil, fmt.Errorf("redmoon: %q is not one of %s", source.Server, servers.Names())
	}
	f, err := conffile.Read(conffile.Source{Path: source.Path, Stdin: source.Stdin, Options: source.Options}, cmdrows.TableOf(server))
	return &ConfigFile{file: f}, err
}

// Value returns the value of a parameter as CONFIG GET shows it: that of the file, else the
// default.
func (f *ConfigFile) Value(name string) string { return f.file.Value(name) }

// Sets reports whether the file sets a parameter.
func (f *ConfigFile) Sets(name string) bool { return f.file.Sets(name) }

// Path returns the absolute path of the file, or "" if there is none.
func (f *ConfigFile) Path() string { return f.file.Path }

// Notes names the parameters that the file sets to another value than the default and that have no
// effect in Redmoon, a sentence for each.
func (f *ConfigFile) Notes() []string {
	var notes []string
	for _, i := range f.file.Given {
		p := &f.file.Config.Params[i]
		if why := p.WithoutEffect(); why != "" && f.file.Config.ValueAt(i) != p.Def {
			notes = append(notes, "The directive "+p.Name+" has no effect in redmoon: "+why+".")
		}
	}
	return notes
}

// fill sets the options that are not set and that the file sets.
func (f *ConfigFile) fill(o *Options) {
	if f == nil {
		return
	}
	if o.Databases == 0 {
		o.Databases, _ = strconv.Atoi(f.Value("databases"))
	}
	o.Cluster = o.Cluster || f.Value("cluster-enabled") == "yes"
	if o.ACLFile == "" {
		o.ACLFile = f.Value("aclfile")
	}
}

// ACLFileError is the error of [New] if the users of Options.ACLFile, or of the ACL file that
// Options.ConfigFile names, cannot be loaded.
type ACLFileError struct {
	Text string // Redis's text about what is wrong
}

func (e *ACLFileError) Error() string { return "redmoon: option ACLFile: " + e.Text }

// Shutdown does what the command SHUTDOWN does, with its options such as "NOSAVE". It works under
// any name that the configuration file has given the command, and during CLIENT PAUSE. If replicas
// lack something it waits for them, for at most shutdown-timeout. The error is that of the command:
// the data set cannot be saved, SHUTDOWN ABORT has ended the wait, or there is no OnShutdown. It is
// nil if the engine is closed meanwhile.
func (e *Engine) Shutdown(options ...string) error {
	ended := make(chan error, 1)
	if err := e.StartShutdown(func(err error) { ended <- err }, options...); err != nil {
		return err
	}
	select {
	case err := <-ended:
		return err
	case <-e.stopped:
		return nil
	}
}

// StartShutdown is [Engine.Shutdown] without the wait for replicas. It calls ended on the engine's
// goroutine when the shutdown has ended, before the reply of a SHUTDOWN ABORT that has ended it.
// ended must not call the engine. It is not called if the engine is closed meanwhile.
func (e *Engine) StartShutdown(ended func(error), options ...string) error {
	return e.onLoop(func() {
		v := e.server.ExecuteByOriginalName(e.server.NewProgramSession(), append([]string{"SHUTDOWN"}, options...))
		if w := e.server.TakeBlocked(); w != nil {
			w.Done = func(v Value) { ended(v.Err()) }
			return
		}
		ended(v.Err())
	})
}
