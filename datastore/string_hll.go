package datastore

import (
	"errors"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/hyperloglog"
)

// Errors of HyperLogLogs.
var (
	// ErrNotHLL is returned if a string does not have the header and the size of a HyperLogLog.
	ErrNotHLL = errors.New("datastore: not a HyperLogLog")
	// ErrCorruptedHLL is returned if a string has the header of a HyperLogLog but does not describe
	// its registers.
	ErrCorruptedHLL = errors.New("datastore: corrupted HyperLogLog")
)

// HLLRegisters is the number of registers of a HyperLogLog, 16384.
const HLLRegisters = hyperloglog.Registers

// NewHLL returns a string with an empty HyperLogLog.
func NewHLL() *String {
	s := &String{}
	s.adopt(hyperloglog.New())
	return s
}

// adopt makes b, including its free capacity, the own buffer.
func (s *String) adopt(b []byte) {
	*s = String{text: unsafe.String(unsafe.SliceData(b), len(b)), num: int64(cap(b)), enc: encRaw}
}

// HLL returns the HyperLogLog of key, nil if there is no such key. The error is ErrWrongType or
// ErrNotHLL.
func (db *DB) HLL(key string) (*String, error) {
	s, err := db.String(key)
	if err == nil && s != nil && (s.enc == encInt || !hyperloglog.Valid(s.view())) {
		err = ErrNotHLL
	}
	return s, err
}

// The following methods are for HyperLogLogs only: strings that DB.HLL or NewHLL returned and that
// no other method has changed.

// HLLSparse reports whether the HyperLogLog has the sparse form.
func (s *String) HLLSparse() bool { return hyperloglog.IsSparse(s.view()) }

// HLLOpcodes lists the opcodes of the sparse form.
func (s *String) HLLOpcodes() string { return hyperloglog.Opcodes(s.view()) }

// MakeRaw changes the encoding of s to raw.
func (s *String) MakeRaw(st *Store) { s.Grow(st, 0) }

// HLLAdd adds elements and returns how many of them changed a register. On ErrCorruptedHLL the
// elements before the failing one have been added.
func (s *String) HLLAdd(st *Store, elements []string) (changed int, err error) {
	for _, e := range elements {
		index, count := hyperloglog.Position(e)
		up, err := s.raise(st, index, count)
		if err != nil {
			return changed, err
		}
		if up {
			changed++
		}
	}
	return changed, nil
}

// raise sets a register to count, unless it is greater already.
func (s *String) raise(st *Store, index int, count uint8) (changed bool, err error) {
	if s.HLLSparse() {
		p, err := hyperloglog.Find(s.view(), index)
		if err != nil {
			return false, ErrCorruptedHLL
		}
		if p.Count() >= count {
			return false, nil
		}
		if s.raiseSparse(st, p, count) {
			return true, nil
		}
		if err := s.HLLDense(st); err != nil {
			return false, err
		}
	}
	if hyperloglog.DenseGet(s.view(), index) >= count {
		return false, nil
	}
	from, to := hyperloglog.DenseSpan(index)
	hyperloglog.DenseSet(s.open(st, from, to), index, count)
	return true, nil
}

// raiseSparse is raise in the sparse form. It reports false if that needs the dense form.
func (s *String) raiseSparse(st *Store, p hyperloglog.Place, count uint8) bool {
	old := *s
	if st.Recording() && !s.lent && s.num > 0 {
		old = String{text: string([]byte(s.text)), enc: encRaw}
	} else if s.lent || s.num == 0 {
		n := s.Len()
		s.own(n, n+n/8+3)
	}
	b, ok := hyperloglog.SetSparse(s.buffer()[:len(s.text)], p, count, st.limits.HLLSparseMaxBytes)
	if ok {
		s.adopt(b)
	}
	if st.Recording() {
		st.NotePut(len(old.text))
		st.recordKept(len(old.text), func() { *s = old })
	}
	return ok
}

// HLLDense converts the HyperLogLog to the dense form. The error is ErrCorruptedHLL.
func (s *String) HLLDense(st *Store) error {
	if !s.HLLSparse() {
		return nil
	}
	b, err := hyperloglog.Dense(s.view())
	if err != nil {
		return ErrCorruptedHLL
	}
	s.journal(st)
	s.adopt(b)
	return nil
}

// HLLSetStale marks the cached estimate of the HyperLogLog as out of date.
func (s *String) HLLSetStale(st *Store) {
	if !hyperloglog.IsStale(s.view()) {
		hyperloglog.SetStale(s.open(st, hyperloglog.HeaderSize-1, hyperloglog.HeaderSize))
	}
}

// HLLCount estimates the number of elements. It returns the cached estimate if that is up to date;
// otherwise it caches the new one, and changed is true. The error is ErrCorruptedHLL.
func (s *String) HLLCount(st *Store) (n uint64, changed bool, err error) {
	if n, ok := hyperloglog.Cached(s.view()); ok {
		return n, false, nil
	}
	n, err = hyperloglog.Count(s.view())
	if err != nil {
		return 0, false, ErrCorruptedHLL
	}
	hyperloglog.SetCached(s.open(st, 0, hyperloglog.HeaderSize), n)
	return n, true, nil
}

// HLLUnion is the union of HyperLogLogs. The zero value is empty.
type HLLUnion struct{ registers hyperloglog.Union }

// Add adds the registers of s. The error is ErrCorruptedHLL.
func (u *HLLUnion) Add(s *String) error {
	if u.registers.Add(s.view()) != nil {
		return ErrCorruptedHLL
	}
	return nil
}

// Count estimates the number of elements.
func (u *HLLUnion) Count() uint64 { return u.registers.Count() }

// Register returns register i, 0 <= i < HLLRegisters.
func (u *HLLUnion) Register(i int) int { return int(u.registers[i]) }

// HLLMerge merges u into s. Registers missing from a corrupted s are skipped.
func (s *String) HLLMerge(st *Store, u *HLLUnion) {
	for i, count := range u.registers {
		if count > 0 {
			// as in Redis, registers missing from a corrupted form are skipped
			_, _ = s.raise(st, i, count)
		}
	}
}
