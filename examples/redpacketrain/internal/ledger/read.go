package ledger

import (
	"context"
	"database/sql"
	"fmt"
)

// Totals are the totals of an activity by kind.
func (l *Ledger) Totals(ctx context.Context, activity string) (map[Kind]Total, error) {
	rows, err := l.db.QueryContext(ctx, `SELECT kind, COUNT(*), CAST(SUM(cents) AS BIGINT) FROM settlements WHERE activity = $1 GROUP BY kind`,
		activity)
	if err != nil {
		return nil, fmt.Errorf("ledger: totals: %w", err)
	}
	totals := map[Kind]Total{}
	err = each(rows, func(rows *sql.Rows) error {
		var kind Kind
		var t Total
		err := rows.Scan(&kind, &t.Count, &t.Cents)
		totals[kind] = t
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ledger: totals: %w", err)
	}
	return totals, nil
}

// Each calls f with every settlement of an activity, in no order, until f returns an error.
func (l *Ledger) Each(ctx context.Context, activity string, f func(Settlement) error) error {
	rows, err := l.db.QueryContext(ctx, `SELECT `+columns+` FROM settlements WHERE activity = $1`, activity)
	if err != nil {
		return fmt.Errorf("ledger: settlements: %w", err)
	}
	return each(rows, func(rows *sql.Rows) error {
		s, err := scan(rows)
		if err != nil {
			return fmt.Errorf("ledger: settlements: %w", err)
		}
		return f(s)
	})
}

// Unbalanced are the accounts of the whole database whose balance is not the sum of their
// settlements, and how many accounts there are. An account without settlements is one of them, and
// so is a settlement without account.
func (l *Ledger) Unbalanced(ctx context.Context) (names []string, accounts int64, err error) {
	rows, err := l.db.QueryContext(ctx, `SELECT name
		FROM (SELECT name, balance AS cents FROM accounts UNION ALL SELECT account, -cents FROM settlements) AS entries
		GROUP BY name HAVING SUM(cents) <> 0 OR COUNT(*) = 1 ORDER BY name`)
	if err != nil {
		return nil, 0, fmt.Errorf("ledger: balances: %w", err)
	}
	err = each(rows, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	})
	if err == nil {
		err = l.db.QueryRowContext(ctx, `SELECT COUNT(*) FROM accounts`).Scan(&accounts)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("ledger: balances: %w", err)
	}
	return names, accounts, nil
}
