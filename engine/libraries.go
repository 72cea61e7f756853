package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/redmoon-lua/redmoon/luabridge"
)

// Library is a library of functions.
type Library struct {
	Name, Code string
	Functions  []LibraryFunction
}

// LibraryFunction is a function that a library has registered.
type LibraryFunction struct {
	Name, Description string
	Flags             []string // such as "no-writes"
}

// IsLibrary reports whether the text of s is a library of functions: its first line names one.
func (s *Script) IsLibrary() bool { return luabridge.IsLibrary(s.source) }

// Libraries returns the libraries of d, as FUNCTION LIST lists them.
func Libraries(ctx context.Context, d Doer) ([]Library, error) {
	list, err := d.DoStrings(ctx, "FUNCTION", "LIST", "WITHCODE")
	if err != nil {
		return nil, err
	}
	libraries := make([]Library, list.Len())
	for i, v := range list.Slice() {
		if libraries[i], err = readLibrary(v); err != nil {
			return nil, fmt.Errorf("redmoon: FUNCTION LIST: %w", err)
		}
	}
	return libraries, nil
}

func readLibrary(v Value) (Library, error) {
	fields, err := v.Map()
	lib := Library{Name: fields["library_name"].Text(), Code: fields["library_code"].Text()}
	for _, f := range fields["functions"].Slice() {
		if fields, err = f.Map(); err != nil {
			break
		}
		function := LibraryFunction{Name: fields["name"].Text(), Description: fields["description"].Text()}
		for _, flag := range fields["flags"].Slice() {
			function.Flags = append(function.Flags, flag.Text())
		}
		lib.Functions = append(lib.Functions, function)
	}
	return lib, err
}

// Function returns the function of l with that name, in any case of letters as FCALL takes it, and
// whether there is one.
func (l *Library) Function(name string) (LibraryFunction, bool) {
	for _, f := range l.Functions {
		if strings.EqualFold(f.Name, name) {
			return f, true
		}
	}
	return LibraryFunction{}, false
}
