// Package mirror compares structs of gopher-lua with their mirrors: structs of ours with the same
// layout, through which we read and write gopher-lua's unexported fields.
package mirror

import (
	"fmt"
	"reflect"
)

// Same returns an error unless ours mirrors theirs: both have the same number of fields, with the
// same names and offsets and with types that fit. A field of ours with the name _ stands for a
// field that is never used; its name and type are not compared.
func Same(theirs, ours reflect.Type) error {
	if theirs.Kind() != reflect.Struct {
		return fmt.Errorf("%s is no struct", theirs)
	}
	if theirs.NumField() != ours.NumField() || theirs.Size() != ours.Size() {
		return fmt.Errorf("%s has %d fields in %d bytes, not %d in %d",
			theirs, theirs.NumField(), theirs.Size(), ours.NumField(), ours.Size())
	}
	for i := range theirs.NumField() {
		a, b := theirs.Field(i), ours.Field(i)
		if a.Name != b.Name && b.Name != "_" || a.Offset != b.Offset || a.Type.Size() != b.Type.Size() {
			return fmt.Errorf("%s.%s is not where %s is", theirs, a.Name, b.Name)
		}
		if b.Name != "_" && !fits(a.Type, b.Type) {
			return fmt.Errorf("%s.%s is a %s", theirs, a.Name, a.Type)
		}
	}
	return nil
}

// fits reports whether a value of type theirs may be used as one of type ours. It does not compare
// structs behind pointers.
func fits(theirs, ours reflect.Type) bool {
	if theirs == ours {
		return true
	}
	if ours.Kind() == reflect.UnsafePointer {
		return theirs.Kind() == reflect.Pointer
	}
	if theirs.Kind() == reflect.Interface && ours.Kind() == reflect.Struct {
		return theirs.Size() == ours.Size() // the two words of an interface value
	}
	if theirs.Kind() != ours.Kind() {
		return false
	}
	switch ours.Kind() {
	case reflect.Uint8, reflect.Uint16: // theirs has a name of its own
		return true
	case reflect.Pointer:
		return theirs.Elem().Kind() == ours.Elem().Kind()
	case reflect.Slice:
		return fits(theirs.Elem(), ours.Elem())
	case reflect.Func:
		if theirs.NumIn() != ours.NumIn() || theirs.NumOut() != ours.NumOut() {
			return false
		}
		for i := range ours.NumIn() {
			if !fits(theirs.In(i), ours.In(i)) {
				return false
			}
		}
		for i := range ours.NumOut() {
			if !fits(theirs.Out(i), ours.Out(i)) {
				return false
			}
		}
		return true
	}
	return false
}
