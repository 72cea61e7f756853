package inspectfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/persist/aoffile"
)

const maxNotes = 100 // auxiliary fields, modules and functions that a report keeps of each sort

// rdb collects an RDB file, and the commands that follow it in an append-only file of Redis before
// version 7.
func (c *collector) rdb(file *File, src *bufio.Reader) {
	if c.keys == nil {
		c.keys = newKeyspaceStats(c.o)
	}
	f := datastore.NewFileReader(src, datastore.FileReaderOptions{Version: datastore.AnyVersion})
	err := c.items(file, f)
	file.Version, file.Whole = f.Version(), f.Offset()
	c.keys.version = f.Version()
	for _, module := range c.keys.needed {
		c.damage(Damage{Path: file.Path, Kind: Unsupported, Message: "no server without the module type " + module + " loads this file"})
	}
	c.keys.needed = nil
	if !errors.Is(err, io.EOF) {
		d := rdbDamage(file.Path, err)
		file.Whole = d.Offset
		c.damage(d)
		return
	}
	rest := bufio.NewReaderSize(f.Rest(), 64<<10)
	head, err := rest.Peek(1)
	switch {
	case len(head) == 0 && errors.Is(err, io.EOF):
	case len(head) == 0:
		c.damage(Damage{Path: file.Path, Kind: Unreadable, Offset: f.Offset(), Message: err.Error()})
	case head[0] == '*' || head[0] == '#':
		file.Format = AOF
		c.aof(file, rest, file.Whole)
	default:
		c.damage(Damage{Path: file.Path, Kind: Trailing, Offset: file.Whole, Message: "bytes follow the end of the RDB file"})
	}
}

// items collects all items and returns the error that ended the loop, io.EOF for a whole file.
func (c *collector) items(file *File, f *datastore.FileReader) error {
	s := c.keys
	for {
		it, err := f.Next()
		if err != nil {
			return err
		}
		switch it.Kind {
		case datastore.FileAux:
			if len(s.aux) < maxNotes {
				s.aux = append(s.aux, Aux{newName(it.Name), newName(it.Value)})
			}
		case datastore.FileModuleAux:
			if len(s.modules) < maxNotes {
				s.modules = append(s.modules, it.Name)
			}
			s.needs(it.Name)
		case datastore.FileFunction:
			if len(s.functions) < maxNotes {
				first, _, _ := strings.Cut(it.Value, "\n")
				s.functions = append(s.functions, Function{newName(strings.Clone(first)), int64(len(it.Value))})
			}
		case datastore.FileKey:
			key := *it
			info, err := f.Describe()
			if err != nil {
				return err
			}
			if info.Kind.Module() {
				s.needs(info.Module)
			}
			file.Keys++
			if c.o.chooses(key.Key) {
				s.add(&key, info, f.Offset()-key.Offset)
			}
		}
	}
}

// rdbDamage describes an error of a datastore.FileReader.
func rdbDamage(path string, err error) Damage {
	d := Damage{Path: path, Kind: Corrupt, Message: err.Error()}
	var place *datastore.FileError
	if !errors.As(err, &place) {
		d.Kind = Unreadable
		return d
	}
	d.Offset, d.Message = place.Offset, strings.TrimSpace(place.Err.Error()+" "+place.Detail)
	if place.HasKey {
		d.Message += fmt.Sprintf(" (key %s in database %d)", newName(place.Key), place.DB)
	}
	switch {
	case errors.Is(err, datastore.ErrFileShort):
		d.Kind = Truncated
	case errors.Is(err, datastore.ErrFileChecksum):
		d.Kind = Checksum
	case errors.Is(err, datastore.ErrFileVersion), errors.Is(err, datastore.ErrFileModule):
		d.Kind = Unsupported
	case !errors.Is(err, datastore.ErrFileFormat) && !errors.Is(err, datastore.ErrFileKind) && !errors.Is(err, datastore.ErrFileSignature):
		d.Kind = Unreadable
	}
	return d
}

// aof collects the commands that r reads, from an offset of the file.
func (c *collector) aof(file *File, r io.Reader, offset int64) {
	if c.cmds == nil {
		c.cmds = newCommandStats(c.o)
	}
	c.cmds.db = 0 // each file selects its databases
	cmds := aoffile.NewReader(r, file.Path, offset)
	for {
		cmd, err := cmds.Next()
		if err != nil {
			file.Whole = cmds.Offset()
			if !errors.Is(err, io.EOF) {
				d := aofDamage(file.Path, err)
				if d.Safe != nil {
					file.Whole = *d.Safe
				}
				c.damage(d)
			}
			return
		}
		file.Commands++
		c.cmds.add(&cmd)
	}
}

// aofDamage describes an error of an aoffile.Reader.
func aofDamage(path string, err error) Damage {
	d := Damage{Path: path, Kind: Unreadable, Message: err.Error()}
	var place *aoffile.Error
	if errors.As(err, &place) {
		d.Offset, d.Safe, d.Multi = place.Offset, &place.Safe, place.Multi
		d.Message = place.Reason
		switch {
		case place.Truncated:
			d.Kind = Truncated
		case place.Err == nil:
			d.Kind = Corrupt
		}
	}
	return d
}
