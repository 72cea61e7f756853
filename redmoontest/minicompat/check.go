package miniredis

import (
	"reflect"
	"slices"
)

// T is the part of [testing.TB] that the Check methods need.
type T interface {
	Helper()
	Errorf(string, ...any)
}

// CheckGet fails the test unless key is a string with the expected value.
func (m *Miniredis) CheckGet(t T, key, expected string) {
	t.Helper()
	found, err := m.Get(key)
	if err != nil {
		t.Errorf("GET error, key %#v: %v", key, err)
		return
	}
	if found != expected {
		t.Errorf("GET error, key %#v: Expected %#v, got %#v", key, expected, found)
	}
}

// CheckList fails the test unless key is a list with the expected values.
func (m *Miniredis) CheckList(t T, key string, expected ...string) {
	t.Helper()
	found, err := m.List(key)
	checkAll(t, "List", key, expected, found, err)
}

// CheckSet fails the test unless key is a set with the expected members. It sorts expected.
func (m *Miniredis) CheckSet(t T, key string, expected ...string) {
	t.Helper()
	found, err := m.Members(key)
	slices.Sort(expected)
	checkAll(t, "Set", key, expected, found, err)
}

func checkAll(t T, what, key string, expected, found []string, err error) {
	t.Helper()
	if err != nil {
		t.Errorf("%s error, key %#v: %v", what, key, err)
		return
	}
	if !reflect.DeepEqual(expected, found) {
		t.Errorf("%s error, key %#v: Expected %#v, got %#v", what, key, expected, found)
	}
}
