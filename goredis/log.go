package goredis

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/redis/go-redis/v9"
)

// LogTo sends what go-redis logs to l, at level Warn: lost connections and failed attempts to
// connect. It replaces the logger of all clients in the process. Default: go-redis writes to
// standard error. A program that reports errors itself can pass slog.New(slog.DiscardHandler).
func LogTo(l *slog.Logger) { redis.SetLogger(logger{l}) }

type logger struct{ *slog.Logger }

// Printf implements the logger of go-redis.
func (l logger) Printf(ctx context.Context, format string, v ...any) {
	l.WarnContext(ctx, fmt.Sprintf(format, v...))
}
