package ledger

import (
	"errors"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"
)

// dialect is what differs between the databases. Statements take one argument, a JSON array: one
// round trip a statement, however long the batch is.
type dialect struct {
	driver            string
	tables            []string         // statements that make what is missing
	insertSettlements string           // of objects, as Settlement is encoded; returns the keys of the rows that are new
	creditAccounts    string           // of objects with account and cents
	selectSettlements string           // of keys; returns the columns
	refused           func(error) bool // the database will never take the data
}

const columns = "idempotency_key, activity, kind, packet, account, cents"

// tables are the statements that make the tables, with the types of cents and of times. The index
// serves totals without a look at the table.
func tables(cents, time, suffix string) []string {
	return []string{
		`CREATE TABLE IF NOT EXISTS settlements (
			idempotency_key TEXT PRIMARY KEY,
			activity        TEXT NOT NULL,
			kind            TEXT NOT NULL CHECK (kind IN ('grab', 'refund')),
			packet          TEXT NOT NULL,
			account         TEXT NOT NULL,
			cents           ` + cents + ` NOT NULL CHECK (cents > 0),
			settled_at      ` + time + ` NOT NULL DEFAULT CURRENT_TIMESTAMP
		) ` + suffix,
		`CREATE INDEX IF NOT EXISTS settlements_of_activity ON settlements (activity, kind, cents)`,
		`CREATE TABLE IF NOT EXISTS accounts (
			name    TEXT PRIMARY KEY,
			balance ` + cents + ` NOT NULL CHECK (balance >= 0)
		) ` + suffix,
	}
}

var sqlite = dialect{
	driver: "sqlite",
	// STRICT: without it, a balance that overflows would become a rounded REAL.
	tables: tables("INTEGER", "TEXT", "STRICT"),
	// WHERE true keeps ON CONFLICT from being read as the ON of a join.
	insertSettlements: `INSERT INTO settlements (` + columns + `)
		SELECT value->>'key', value->>'activity', value->>'kind', value->>'packet', value->>'account', value->>'cents'
		FROM json_each($1) WHERE true
		ON CONFLICT (idempotency_key) DO NOTHING RETURNING idempotency_key`,
	creditAccounts: `INSERT INTO accounts (name, balance)
		SELECT value->>'account', value->>'cents' FROM json_each($1) WHERE true
		ON CONFLICT (name) DO UPDATE SET balance = balance + excluded.balance`,
	selectSettlements: `SELECT ` + columns + ` FROM settlements WHERE idempotency_key IN (SELECT value FROM json_each($1))`,
	refused: func(err error) bool {
		var e *driver.Error
		if !errors.As(err, &e) {
			return false
		}
		code := e.Code() & 0xff // without the details
		return code == lib.SQLITE_CONSTRAINT || code == lib.SQLITE_MISMATCH
	},
}

var postgres = dialect{
	driver: "pgx",
	// Two that make the same table at the same time would fail; the lock ends with the transaction.
	tables: append([]string{`SELECT pg_advisory_xact_lock(7264001)`}, tables("BIGINT", "TIMESTAMPTZ", "")...),
	insertSettlements: `INSERT INTO settlements (` + columns + `)
		SELECT key, activity, kind, packet, account, cents
		FROM json_to_recordset($1::json) AS r(key text, activity text, kind text, packet text, account text, cents bigint)
		ON CONFLICT (idempotency_key) DO NOTHING RETURNING idempotency_key`,
	creditAccounts: `INSERT INTO accounts (name, balance)
		SELECT account, cents FROM json_to_recordset($1::json) AS r(account text, cents bigint)
		ON CONFLICT (name) DO UPDATE SET balance = accounts.balance + excluded.balance`,
	selectSettlements: `SELECT ` + columns + ` FROM settlements WHERE idempotency_key IN (SELECT json_array_elements_text($1::json))`,
	refused: func(err error) bool {
		var e *pgconn.PgError
		return errors.As(err, &e) && (strings.HasPrefix(e.Code, "22") || strings.HasPrefix(e.Code, "23")) // data exceptions, constraints
	},
}

// sqliteSource is what the driver opens for a file. A transaction takes the write lock at its
// beginning, waiting for it if need be, and is on the disk when its commit returns: what is settled
// is taken off the queue after that.
func sqliteSource(file string) string {
	settings := url.Values{
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)"},
		"_txlock": {"immediate"},
	}
	return "file:" + (&url.URL{Path: strings.TrimPrefix(file, "file:")}).EscapedPath() + "?" + settings.Encode()
}
