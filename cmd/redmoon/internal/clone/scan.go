package clone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/datastore"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// scanCount is the COUNT of SCAN.
const scanCount = 500

// scanner reads the keys of a server one by one.
type scanner struct {
	c    *conn
	dec  *resp.Decoder
	o    *Options
	keep *kept
	read int64  // bytes of dumps
	ends string // the command for the time at which a key expires: PEXPIRETIME, or PTTL before Redis 7.0
}

// scan writes a file of the keys that SCAN finds. The keys are in memory until then. A key that
// changes meanwhile is in the file as it was at some time of the scan.
func (o *Options) scan(ctx context.Context, f *os.File) error {
	c, err := dial(ctx, o)
	if err != nil {
		return err
	}
	defer c.close()
	s := &scanner{c: c, dec: resp.NewDecoder(c.r), o: o, keep: newKept(c.login.DB), ends: "PEXPIRETIME"}
	if v, err := s.one(s.ends, ""); v.IsError() {
		s.ends = "PTTL"
	} else if err != nil {
		return err
	}
	dbs, err := s.databases()
	if err != nil {
		return err
	}
	for _, db := range dbs {
		if err := s.database(db); err != nil {
			return fmt.Errorf("database %d: %w", db, err)
		}
	}
	s.functions()
	return s.keep.write(f, o)
}

// do runs commands and returns their replies. The error is that of the connection.
func (s *scanner) do(commands ...[]string) ([]engine.Value, error) {
	if err := s.c.send(commands...); err != nil {
		return nil, err
	}
	replies := make([]engine.Value, len(commands))
	for i := range replies {
		var err error
		if replies[i], err = s.dec.Decode(); err != nil {
			return nil, err
		}
	}
	return replies, nil
}

// one is do for one command. Its error may be that of the reply.
func (s *scanner) one(args ...string) (engine.Value, error) {
	replies, err := s.do(args)
	if err != nil {
		return engine.Value{}, err
	}
	return replies[0], replies[0].Err()
}

// databases returns the databases that have keys.
func (s *scanner) databases() (dbs []int, err error) {
	if s.c.login.NamesDB {
		return []int{s.c.login.DB}, nil
	}
	v, err := s.one("INFO", "keyspace")
	if err != nil {
		if v.IsError() {
			return []int{0}, nil // INFO is denied; the first database is there in any case
		}
		return nil, err
	}
	for _, line := range strings.Split(v.Text(), "\n") {
		name, _, ok := strings.Cut(line, ":keys=")
		number, isDB := strings.CutPrefix(name, "db")
		if !ok || !isDB {
			continue
		}
		db, err := strconv.Atoi(number)
		if err != nil || db < 0 || db >= maxDatabases {
			return nil, fmt.Errorf("the server says that it has a database %.20q; at most %d databases can be copied", number, maxDatabases)
		}
		dbs = append(dbs, db)
	}
	return dbs, nil
}

// database copies one database.
func (s *scanner) database(db int) error {
	if db != 0 {
		if _, err := s.one("SELECT", strconv.Itoa(db)); err != nil {
			return err
		}
	}
	patterns := s.o.Match
	if len(patterns) != 1 {
		patterns = []string{"*"}
	}
	for cursor := "0"; ; {
		v, err := s.one("SCAN", cursor, "MATCH", patterns[0], "COUNT", strconv.Itoa(scanCount))
		if err != nil {
			return err
		}
		page := v.Slice()
		if len(page) != 2 {
			return errors.New("the reply to SCAN is not a cursor and keys")
		}
		var fresh []string
		for _, key := range page[1].Strings() {
			if s.o.matches(key) && s.keep.st.DB(db).Lookup(key) == nil { // SCAN may return a key twice
				fresh = append(fresh, key)
			}
		}
		if err := s.keys(db, fresh); err != nil {
			return err
		}
		if cursor = page[0].Text(); cursor == "0" {
			return nil
		}
	}
}

// keys copies keys of one database. Those that are gone by now are left out.
func (s *scanner) keys(db int, keys []string) error {
	commands := [][]string{{"TIME"}}
	for _, key := range keys {
		commands = append(commands, []string{s.ends, key}, []string{"DUMP", key})
	}
	replies, err := s.do(commands...)
	if err != nil {
		return err
	}
	now := s.timeOf(replies[0])
	s.keep.st.SetNow(now * 1000)
	for i, key := range keys {
		ends, dump := replies[2*i+1], replies[2*i+2]
		for _, v := range []engine.Value{ends, dump} {
			if err := v.Err(); err != nil {
				return fmt.Errorf("key %.100q: %w", key, err)
			}
		}
		expires, err := ends.Int()
		if err != nil || dump.IsNil() || expires == -2 {
			continue
		}
		if expires >= 0 && s.ends == "PTTL" {
			expires += now
		}
		text := dump.Text()
		obj, err := s.keep.st.Restore(text, datastore.DumpOptions{Version: datastore.AnyVersion})
		if err != nil {
			return fmt.Errorf("key %.100q: %w", key, err)
		}
		if len(text) >= 10 { // the version stands before the checksum
			s.keep.version = max(s.keep.version, int(text[len(text)-10])|int(text[len(text)-9])<<8)
		}
		if s.keep.st.DB(db).Lookup(key) != nil {
			continue // the server has returned it twice
		}
		e := s.keep.st.DB(db).Put(key, obj)
		if expires >= 0 {
			s.keep.st.DB(db).SetExpire(e, max(expires, now+1))
		}
		s.read += int64(len(text))
	}
	if s.o.Progress != nil {
		s.o.Progress(s.read, 0)
	}
	return nil
}

// timeOf returns the server's time in ms, from its reply to TIME. The times in the file are by the
// server's clock, as in a copy that the server makes. If TIME is denied, our clock has to do.
func (s *scanner) timeOf(v engine.Value) int64 {
	if parts := v.Slice(); len(parts) == 2 {
		seconds, err1 := parts[0].Int()
		micros, err2 := parts[1].Int()
		if err1 == nil && err2 == nil {
			return seconds*1000 + micros/1000
		}
	}
	return s.o.Now().UnixMilli()
}

// functions copies the function libraries, if the server has any and shows them.
func (s *scanner) functions() {
	v, err := s.one("FUNCTION", "LIST", "WITHCODE")
	if err != nil {
		return
	}
	for _, lib := range v.Slice() {
		fields := lib.Slice()
		for i := 0; i+1 < len(fields); i += 2 {
			if fields[i].Text() == "library_code" {
				s.keep.functions = append(s.keep.functions, fields[i+1].Text())
			}
		}
	}
}
