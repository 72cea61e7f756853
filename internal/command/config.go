package command

import "github.com/redmoon-lua/redmoon/datastore"

// Config holds the parameters of CONFIG GET and SET.
type Config struct {
	limits      *datastore.Limits
	requirePass string
}

// NewConfig returns Redis 7.0's defaults; parameters for encodings are read from and written to limits.
func NewConfig(limits *datastore.Limits) *Config { return &Config{limits: limits} }

// RequirePass is the password that clients must give, or "".
func (c *Config) RequirePass() string { return c.requirePass }
