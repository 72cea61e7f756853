package rdbfile

import (
	"fmt"
	"os"

	"github.com/redmoon-lua/redmoon/datastore"
)

// LoadPath is [Load] of the file at path. The error names the file.
func LoadPath(path string, st *datastore.Store, o Loading) (Loaded, error) {
	f, err := os.Open(path)
	if err != nil {
		return Loaded{}, err
	}
	defer f.Close()
	l, err := Load(f, st, o)
	if l.Rest = nil; err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}
