package dap

import (
	"net/url"
	"path/filepath"

	"github.com/google/go-dap"
)

// clientView converts lines, columns, paths and types to the forms that the client has chosen in
// its initialize request.
type clientView struct{ dap.InitializeRequestArguments }

// line converts a line of the script, from 1, to the client's numbering.
func (v *clientView) line(n int) int {
	if v.LinesStartAt1 {
		return n
	}
	return n - 1
}

// fromLine converts a line of the client's numbering to a line of the script, from 1.
func (v *clientView) fromLine(n int) int {
	if v.LinesStartAt1 {
		return n
	}
	return n + 1
}

// column is the first column in the client's numbering.
func (v *clientView) column() int {
	if v.ColumnsStartAt1 {
		return 1
	}
	return 0
}

// fromPath converts a path of the client to a path of this machine.
func (v *clientView) fromPath(path string) string {
	if v.PathFormat == "uri" {
		if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
			return filepath.FromSlash(u.Path)
		}
	}
	return path
}

// toPath converts a path of this machine to the client's path format.
func (v *clientView) toPath(path string) string {
	if v.PathFormat == "uri" {
		return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
	}
	return path
}

// typeName returns the name of a type, or "" if the client does not show types.
func (v *clientView) typeName(name string) string {
	if v.SupportsVariableType {
		return name
	}
	return ""
}
