package datastore

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
	w := rdbWriter{opt: opt}
	for _, text := range texts {
		w.byte(rdbFunction)
		w.text(text)
	}
	return w.seal()
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
	for r := (rdbReader{buf: b}); r.pos < len(body); {
		text := ""
		switch r.byte() {
		case rdbFunction:
			if text = r.text(); r.bad {
				return texts, FunctionsError("Failed loading library payload")
			}
		case rdbOldFunction:
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
	name := r.text()
	if r.bad {
		return "", FunctionsError("Failed loading library name")
	}
	engine := r.text()
	if r.bad {
		return "", FunctionsError("Failed loading engine name")
	}
	if described := r.length(); described != 0 && !r.bad {
		if r.text(); r.bad {
			return "", FunctionsError("Failed loading library description")
		}
	}
	text := r.text()
	if r.bad {
		return "", FunctionsError("Failed loading library blob")
	}
	return "#!" + engine + " name=" + name + "\n" + text, nil
}
