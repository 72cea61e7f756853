package engine

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands"
	"github.com/redmoon-lua/redmoon/internal/conffile"
)

// ConfigFile is a configuration file in the form of redis.conf, with the files that it includes, as [ReadConfigFile] has read it. It
// does not change, and may be used by any number of engines.
type ConfigFile struct{ file *conffile.File }

// ConfigFileError is the error of [ReadConfigFile] when a line is wrong, or asks for what Redmoon does not have.
type ConfigFileError = conffile.Error

// ReadConfigFile reads the configuration file of that path. Relative paths in it begin in the working directory, or behind a line dir
// in that folder. The error is a *[ConfigFileError] when a line is wrong.
func ReadConfigFile(path string) (*ConfigFile, error) {
	f, err := conffile.Read(path, commands.TableOf(cmdtable.Redis70))
	if err != nil {
		return nil, err
	}
	return &ConfigFile{file: f}, nil
}

// Value is the value of a parameter, in the form of CONFIG GET: the one of the file, or else the default.
func (f *ConfigFile) Value(name string) string { return f.file.Value(name) }

// Sets reports whether the file says what a parameter is to be.
func (f *ConfigFile) Sets(name string) bool { return f.file.Sets(name) }

// fill sets those options that are unset and that the file has something to say about.
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
