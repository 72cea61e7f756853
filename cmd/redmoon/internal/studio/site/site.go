// Package site has the files of the page of redmoon studio. The page finds out by an attribute of
// its root element whether a server or WebAssembly runs the scripts.
package site

import (
	"embed"
	"io/fs"
)

//go:embed static
var files embed.FS

// Files returns the files of the page, with index.html at the root.
func Files() fs.FS {
	sub, err := fs.Sub(files, "static")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	return sub
}

// EngineOfPage is what index.html says where scripts run: in WebAssembly.
const EngineOfPage = `data-engine="wasm"`
