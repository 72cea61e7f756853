// Package ledger is the database that red packets are settled in: SQLite in a file, or PostgreSQL.
//
// A [Settlement] moves cents to an account. It has an idempotency key, the primary key of the table
// settlements, so that settling a message twice moves the money once. [Ledger.Settle] takes a batch
// in one transaction: it inserts the rows whose key is new and adds what these hold to the balances
// in the table accounts.
//
// Invariant: the balance of every account is the sum of its settlements ([Ledger.Unbalanced] lists
// where it is not).
package ledger
