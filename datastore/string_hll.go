package datastore

import (
	"errors"
	"unsafe"

	"github.com/redmoon-lua/redmoon/datastore/internal/hyperloglog"
)

// Errors of strings that are to be HyperLogLogs.
var (
	// ErrNotHLL is returned when a string does not begin as a HyperLogLog.
	ErrNotHLL = errors.New("datastore: not a HyperLogLog")
	// ErrCorruptedHLL is returned when a string that begins as a HyperLogLog does not describe its registers.
	ErrCorruptedHLL = errors.New("datastore: corrupted HyperLogLog")
)

// HLLRegisters is the number of registers of a HyperLogLog.
const HLLRegisters = hyperloglog.Registers

// NewHLL returns a string with an empty HyperLogLog.
func NewHLL() *String {
	s := &String{}
	s.adopt(hyperloglog.New())
	return s
}

// adopt makes b, with the room behind it, the own buffer.
func (s *String) adopt(b []byte) {
	*s = String{text: unsafe.String(unsafe.SliceData(b), len(b)), num: int64(cap(b)), enc: encRaw}
}

// HLL looks a string up that must be nil or a HyperLogLog: beside ErrWrongType the error may be ErrNotHLL.
func (db *DB) HLL(key string) (*String, error) {
	s, err := db.String(key)
	if err == nil && s != nil && (s.enc == encInt || !hyperloglog.Valid(s.view())) {
		err = ErrNotHLL
	}
	return s, err
}

// What follows is for HyperLogLogs only: strings that DB.HLL or NewHLL returned and that have not changed otherwise.

// HLLSparse reports whether the HyperLogLog is in the sparse form.
func (s *String) HLLSparse() bool { return hyperloglog.IsSparse(s.view()) }

// HLLOpcodes lists the opcodes of the sparse form.
func (s *String) HLLOpcodes() string { return hyperloglog.Opcodes(s.view()) }

// MakeRaw gives s the encoding raw.
func (s *String) MakeRaw(st *Store) { s.Grow(st, 0) }

// HLLAdd adds elements and tells how many of them changed a register. On ErrCorruptedHLL those before have been
// added.
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

// raise gives a register at least count.
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

// raiseSparse reports whether it could do it in the sparse form.
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
		st.record(func() { *s = old })
	}
	return ok
}

// HLLDense brings the HyperLogLog into the dense form.
func (s *String) HLLDense(st *Store) error {
	if !s.HLLSparse() {
		return nil
	}
	b, err := hyperloglog.Dense(s.view())
	if err != nil {
		return ErrCorruptedHLL
	}
	s.keep(st)
	s.adopt(b)
	return nil
}

// HLLSetStale says that the estimate that the HyperLogLog keeps is no longer good.
func (s *String) HLLSetStale(st *Store) {
	if !hyperloglog.IsStale(s.view()) {
		hyperloglog.SetStale(s.open(st, hyperloglog.HeaderSize-1, hyperloglog.HeaderSize))
	}
}

// HLLCount estimates the number of elements, from what the HyperLogLog keeps when that is good; else it
// keeps the estimate, and changed is true.
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

// HLLUnion collects the highest registers of several HyperLogLogs. The zero value is empty.
type HLLUnion struct{ registers hyperloglog.Union }

// Add takes the registers of s; the error may be ErrCorruptedHLL.
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

// HLLMerge raises the registers of s to those of u. A register that a corrupted form does not have is left out.
func (s *String) HLLMerge(st *Store, u *HLLUnion) {
	for i, count := range u.registers {
		if count > 0 {
			_, _ = s.raise(st, i, count) // as in Redis a corrupted form is filled as far as it goes
		}
	}
}
