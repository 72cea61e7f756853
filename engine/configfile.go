package engine

import (
	"strconv"

	"github.com/redmoon-lua/redmoon/internal/cmdtable"
	"github.com/redmoon-lua/redmoon/internal/commands"
	"github.com/redmoon-lua/redmoon/internal/conffile"
)

// ConfigFile is a configuration file in the format of redis.conf, with the files that it includes;
// see [ReadConfigFile]. It does not change, and several engines may use it.
type ConfigFile struct{ file *conffile.File }

// ConfigFileError is the error of [ReadConfigFile] if a line is wrong or names a feature that
// Redmoon does not have.
type ConfigFileError = conffile.Error

// ReadConfigFile reads a configuration file. Relative paths in it are relative to the working
// directory, or after a line "dir" to that directory. The error is a *[ConfigFileError] if a line
// is wrong, else that of the file system.
func ReadConfigFile(path string) (*ConfigFile, error) {
	f, err := conffile.Read(path, commands.TableOf(cmdtable.Redis70))
	if err != nil {
		return nil, err
	}
	return &ConfigFile{file: f}, nil
}

// Value returns the value of a parameter as CONFIG GET shows it: that of the file, else the
// default.
func (f *ConfigFile) Value(name string) string { return f.file.Value(name) }

// Sets reports whether the file sets a parameter.
func (f *ConfigFile) Sets(name string) bool { return f.file.Sets(name) }

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
