package ledger

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Ledger is an open database. It is safe for use by any number of goroutines, and of processes.
type Ledger struct {
	db *sql.DB
	dialect
	name string
}

// Open opens the PostgreSQL database that a URL postgres://… names, or the SQLite database in the
// file of that name, which is made where there is none, and makes the tables that are missing.
func Open(ctx context.Context, dsn string) (*Ledger, error) {
	l := &Ledger{dialect: sqlite, name: "SQLite, " + dsn}
	source := sqliteSource(dsn)
	if u, err := url.Parse(dsn); err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		l.dialect, source, l.name = postgres, dsn, "PostgreSQL, "+strings.TrimPrefix(u.Host+u.Path, "/")
	} else if strings.Contains(dsn, "://") {
		return nil, fmt.Errorf("ledger: %q is neither a file nor a URL postgres://…", dsn)
	}
	db, err := sql.Open(l.driver, source)
	if err != nil {
		return nil, fmt.Errorf("ledger: %w", err)
	}
	l.db = db
	if l.driver == sqlite.driver {
		db.SetMaxOpenConns(4) // one writes at a time anyway
	}
	if err := l.makeTables(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("ledger: tables: %w", err), db.Close())
	}
	return l, nil
}

func (l *Ledger) makeTables(ctx context.Context) error {
	return l.transaction(ctx, func(tx *sql.Tx) error {
		for _, statement := range l.tables {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// Name names the database, without a password.
func (l *Ledger) Name() string { return l.name }

// Close closes the database.
func (l *Ledger) Close() error { return l.db.Close() }

// ErrRefused is wrapped by an error of Settle when the database refuses what is in the batch, and
// will do so again.
var ErrRefused = errors.New("ledger: refused")

// Settle settles a batch in one transaction and returns what became of each, in their order. When
// it returns an error, nothing of the batch has been settled, unless it is the commit that failed:
// then it is not known. To settle it again is right in either case. The error wraps [ErrInvalid] or
// [ErrRefused] when it is of no use.
func (l *Ledger) Settle(ctx context.Context, batch []Settlement) ([]Outcome, error) {
	if len(batch) == 0 {
		return nil, nil
	}
	for _, s := range batch {
		if err := s.Check(); err != nil {
			return nil, err
		}
	}
	var outcomes []Outcome
	err := l.transaction(ctx, func(tx *sql.Tx) (err error) {
		outcomes, err = l.settle(ctx, tx, batch)
		return err
	})
	if l.refused(err) {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: settle %d: %w", len(batch), err)
	}
	return outcomes, nil
}

func (l *Ledger) settle(ctx context.Context, tx *sql.Tx, batch []Settlement) ([]Outcome, error) {
	inserted, err := l.insert(ctx, tx, batch)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(batch))
	balances := map[string]int64{}
	var before []string // keys that were there before, or come twice in the batch
	for i, s := range batch {
		if !inserted[s.Key] {
			outcomes[i] = Again
			before = append(before, s.Key)
			continue
		}
		delete(inserted, s.Key)
		balances[s.Account] += s.Cents
	}
	if err := l.credit(ctx, tx, balances); err != nil {
		return nil, err
	}
	if len(before) == 0 {
		return outcomes, nil
	}
	stored, err := l.stored(ctx, tx, before)
	if err != nil {
		return nil, err
	}
	for i, s := range batch {
		if outcomes[i] == Again && stored[s.Key] != s {
			outcomes[i] = Conflict
		}
	}
	return outcomes, nil
}

// insert inserts the settlements whose keys are new, the first of each key, and returns these keys.
// All do so in the order of the keys, so that transactions that insert the same ones wait for each
// other and do not lock each other out.
func (l *Ledger) insert(ctx context.Context, tx *sql.Tx, batch []Settlement) (map[string]bool, error) {
	sorted := slices.Clone(batch)
	slices.SortStableFunc(sorted, func(a, b Settlement) int { return strings.Compare(a.Key, b.Key) })
	keys := make(map[string]bool, len(batch))
	err := query(ctx, tx, l.insertSettlements, sorted, func(rows *sql.Rows) error {
		var key string
		err := rows.Scan(&key)
		keys[key] = true
		return err
	})
	return keys, err
}

// credit adds to balances of accounts.
func (l *Ledger) credit(ctx context.Context, tx *sql.Tx, balances map[string]int64) error {
	type credit struct {
		Account string `json:"account"`
		Cents   int64  `json:"cents"`
	}
	list := make([]credit, 0, len(balances))
	for account, cents := range balances {
		list = append(list, credit{account, cents})
	}
	slices.SortFunc(list, func(a, b credit) int { return strings.Compare(a.Account, b.Account) })
	return query(ctx, tx, l.creditAccounts, list, nil)
}

func (l *Ledger) stored(ctx context.Context, tx *sql.Tx, keys []string) (map[string]Settlement, error) {
	found := make(map[string]Settlement, len(keys))
	err := query(ctx, tx, l.selectSettlements, keys, func(rows *sql.Rows) error {
		s, err := scan(rows)
		found[s.Key] = s
		return err
	})
	return found, err
}

// query runs a statement whose one argument is a JSON text, and calls row for each row of the
// result.
func query(ctx context.Context, tx *sql.Tx, statement string, argument any, row func(*sql.Rows) error) error {
	text, err := json.Marshal(argument)
	if err != nil {
		return err
	}
	if row == nil {
		_, err := tx.ExecContext(ctx, statement, string(text))
		return err
	}
	rows, err := tx.QueryContext(ctx, statement, string(text))
	if err != nil {
		return err
	}
	return each(rows, row)
}

func each(rows *sql.Rows, row func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func scan(rows *sql.Rows) (s Settlement, err error) {
	err = rows.Scan(&s.Key, &s.Activity, &s.Kind, &s.Packet, &s.Account, &s.Cents)
	return s, err
}

// transaction runs f in a transaction, which ends well when f does.
func (l *Ledger) transaction(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := l.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}
