package engine

import (
	"context"
	"errors"
)

// Subscribe subscribes to one or more channels; [Session.Messages] delivers what is published
// there. It returns when the subscriptions are in force. Its errors are those of [Engine.Do], for
// example without a channel. Unlike a connection in RESP2, a subscribed session may run all
// commands.
func (s *Session) Subscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "SUBSCRIBE", channels)
}

// PSubscribe subscribes to all channels whose names match the patterns (as in KEYS). A message
// comes once for each subscription that it matches.
func (s *Session) PSubscribe(ctx context.Context, patterns ...string) error {
	return s.named(ctx, "PSUBSCRIBE", patterns)
}

// SSubscribe subscribes to shard channels, the channels of SPUBLISH.
func (s *Session) SSubscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "SSUBSCRIBE", channels)
}

// Unsubscribe ends subscriptions to channels; without names, all of them. Messages that were
// published before it may still arrive.
func (s *Session) Unsubscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "UNSUBSCRIBE", channels)
}

// PUnsubscribe ends subscriptions to patterns; without names, all of them.
func (s *Session) PUnsubscribe(ctx context.Context, patterns ...string) error {
	return s.named(ctx, "PUNSUBSCRIBE", patterns)
}

// SUnsubscribe ends subscriptions to shard channels; without names, all of them.
func (s *Session) SUnsubscribe(ctx context.Context, channels ...string) error {
	return s.named(ctx, "SUNSUBSCRIBE", channels)
}

func (s *Session) named(ctx context.Context, command string, names []string) error {
	_, err := s.DoStrings(ctx, append([]string{command}, names...)...)
	return err
}

// Messages returns the channel that delivers the messages of the session's subscriptions, keys to
// invalidate (CLIENT TRACKING, which needs no HELLO 3 here) and lines of MONITOR, in the order in
// which the engine made them. Replies never come this way. Messages always returns the same
// channel. It is closed when the session has ended; [Session.Err] then returns the reason.
//
// The engine does not wait for the receiver. It keeps the messages that have not been received.
// When their bytes pass client-output-buffer-limit (default: 32 MiB for subscribers), it ends the
// session, as Redis closes a connection.
//
// Messages returns nil for the session of a connection (package resp).
func (s *Session) Messages() <-chan Message {
	if s.in == nil {
		return nil
	}
	return s.in.out
}

// Err returns why the session has ended: [ErrSessionClosed] after Close and QUIT,
// [ErrSlowReceiver], [ErrSessionKilled], or [ErrClosed] if the engine was closed. It returns nil
// while the session is open, and always for the session of a connection.
func (s *Session) Err() error {
	if s.in == nil {
		return nil
	}
	return s.in.why()
}

// reason returns the error of a call, or why the session has ended if that is the cause.
func (s *Session) reason(err error) error {
	if err != nil && s.in != nil && errors.Is(err, ErrSessionClosed) {
		if why := s.in.why(); why != nil {
			return why
		}
	}
	return err
}
