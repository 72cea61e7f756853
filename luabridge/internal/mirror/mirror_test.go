package mirror

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

func TestAnotherLayoutIsNoticed(t *testing.T) {
	type inner struct{ A int }
	type other struct{ B bool }
	type mirrored struct {
		A int
		B []string
		C *inner
		D func(*inner) int
		E any
		_ int
	}
	ours := reflect.TypeFor[mirrored]()
	for want, theirs := range map[string]reflect.Type{
		"": reflect.TypeFor[struct {
			A int
			B []string
			C *other
			D func(*other) int
			E any
			F uint
		}](),
		"B is not where A is": reflect.TypeFor[struct {
			B int
			A []string
			C *inner
			D func(*inner) int
			E any
			F int
		}](),
		"5 fields": reflect.TypeFor[struct {
			A int
			B []string
			C *inner
			D func(*inner) int
			E any
		}](),
		"A is a uint": reflect.TypeFor[struct {
			A uint
			B []string
			C *inner
			D func(*inner) int
			E any
			F int
		}](),
		"B is a []int": reflect.TypeFor[struct {
			A int
			B []int
			C *inner
			D func(*inner) int
			E any
			F int
		}](),
		"D is a func(*mirror.inner)": reflect.TypeFor[struct {
			A int
			B []string
			C *inner
			D func(*inner)
			E any
			F int
		}](),
		"is no struct": reflect.TypeFor[int](),
	} {
		if want == "" {
			assert.NoError(t, Same(theirs, ours))
		} else {
			assert.ErrorContains(t, Same(theirs, ours), want)
		}
	}
}

func TestAWordMayStandForAPointerOnly(t *testing.T) {
	type words struct{ P unsafe.Pointer }
	ours := reflect.TypeFor[words]()
	assert.NoError(t, Same(reflect.TypeFor[struct{ P *int }](), ours))
	assert.Error(t, Same(reflect.TypeFor[struct{ P uintptr }](), ours))
}
