package serverlog

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
)

// handler is a slog.Handler. It writes the attributes behind the message, as name=value.
type handler struct {
	log    *Log
	prefix string // of names, ends with a dot: the groups
	attrs  string // formatted
}

func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	return h.log.enabled(level) || h.log.watched(level)
}

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString(r.Message)
	b.WriteString(h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		appendAttr(&b, h.prefix, a)
		return true
	})
	h.log.write(r.Level, b.String())
	if h.log.watched(r.Level) {
		(*h.log.watch.Load())(r.Message)
	}
	return nil
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	b.WriteString(h.attrs)
	for _, a := range attrs {
		appendAttr(&b, h.prefix, a)
	}
	return &handler{log: h.log, prefix: h.prefix, attrs: b.String()}
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{log: h.log, prefix: h.prefix + name + ".", attrs: h.attrs}
}

func appendAttr(b *strings.Builder, prefix string, a slog.Attr) {
	value := a.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, inner := range value.Group() {
			appendAttr(b, prefix, inner)
		}
		return
	}
	if a.Equal(slog.Attr{}) {
		return
	}
	text := value.String()
	if text == "" || strings.ContainsAny(text, " \t\r\n\"=") {
		text = strconv.Quote(text)
	}
	b.WriteString(" " + prefix + a.Key + "=" + text)
}
