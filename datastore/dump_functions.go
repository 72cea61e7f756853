package datastore

import "github.com/redmoon-lua/redmoon/datastore/internal/rdb"

// The byte that FUNCTION DUMP writes before each library, and the one that pre-releases of Redis
// 7.0 wrote.
const (
	rdbFunction    = 245
	rdbOldFunction = 246
)

// FunctionsError is Redis's error message about the libraries in a dump.
type FunctionsError string

func (e FunctionsError) Error() string { return string(e) }

// DumpFunctions returns the serialized form of function libraries, given their source texts, as
// FUNCTION DUMP replies it.
func DumpFunctions(texts []string, opt DumpOptions) []byte {
	w := newWriter(opt)
	for _, text := range texts {
		w.Byte(rdbFunction)
		w.Text(text)
	}
	return w.Seal(opt.version())
}

// RestoreFunctions returns the source texts of the libraries in a payload, in order. The error is
// [ErrDumpFooter], or a [FunctionsError] about the first library that cannot be read; the texts
// before it are returned too.
func RestoreFunctions(payload string, opt DumpOptions) (texts []string, err error) {
	b := []byte(payload)
	body, err := unseal(b, opt)
	if err != nil {
		return nil, err
	}
	// as in Redis, a text may extend into the footer
	for r := (rdbReader{Reader: rdb.NewReader(b)}); r.Pos() < len(body); {
		text := ""
		switch r.Byte() {
		case rdbFunction:
			if text = r.Text(); r.Bad {
				return texts, FunctionsError("Failed loading library payload")
			}
		case rdbOldFunction:
			if opt.version() > DumpVersion {
				return texts, FunctionsError("Pre-GA function format not supported")
			}
			if text, err = r.oldFunction(); err != nil {
				return texts, err
			}
		default:
			return texts, FunctionsError("given type is not a function")
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// oldFunction reads a library whose name and engine are stored beside its text.
func (r *rdbReader) oldFunction() (string, error) {
	name := r.Text()
	if r.Bad {
		return "", FunctionsError("Failed loading library name")
	}
	engine := r.Text()
	if r.Bad {
		return "", FunctionsError("Failed loading engine name")
	}
	if described := r.Length(); described != 0 && !r.Bad {
		if r.Text(); r.Bad {
			return "", FunctionsError("Failed loading library description")
		}
	}
	text := r.Text()
	if r.Bad {
		return "", FunctionsError("Failed loading library blob")
	}
	return "#!" + engine + " name=" + name + "\n" + text, nil
}
