package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/redmoon-lua/redmoon/engine"
)

// SHA1Key is the attribute of a script's span with the SHA1 of the script.
const SHA1Key = attribute.Key("redmoon.script.sha1")

// Trace returns a client that does what client does, and makes a span for each script and command.
// The spans have the attributes of OpenTelemetry's semantic conventions for databases:
//
//   - db.system.name is redis,
//   - db.operation.name is the command in upper case; for a script EVALSHA,
//   - db.stored_procedure.name is the name of the script ([engine.Script.Name]), else its SHA1,
//   - db.response.status_code and error.type are the code of an error reply, such as WRONGTYPE.
//
// A script also has redmoon.script.sha1. Keys and arguments are not in the spans. A call that
// returns an error has the status Error with the text of the error.
func Trace(client engine.Client, provider trace.TracerProvider) engine.Client {
	kind := trace.SpanKindClient
	switch client.(type) {
	case *engine.Engine, *engine.Session, *engine.Cluster:
		kind = trace.SpanKindInternal // in this process
	}
	return &traced{client: client, tracer: provider.Tracer(scope), kind: trace.WithSpanKind(kind)}
}

type traced struct {
	client engine.Client
	tracer trace.Tracer
	kind   trace.SpanStartOption
}

// RunScript implements [engine.Runner].
func (t *traced) RunScript(ctx context.Context, s *engine.Script, keys, args []string) (engine.Value, error) {
	name := strings.ToValidUTF8(cmp.Or(s.Name(), s.SHA()), "?")
	ctx, span := t.start(ctx, "EVALSHA "+name, semconv.DBOperationName("EVALSHA"), semconv.DBStoredProcedureName(name),
		SHA1Key.String(s.SHA()))
	defer span.End()
	v, err := t.client.RunScript(ctx, s, keys, args)
	note(span, err)
	return v, err
}

// DoStrings implements [engine.Doer].
func (t *traced) DoStrings(ctx context.Context, args ...string) (engine.Value, error) {
	command := "no command"
	if len(args) > 0 {
		command = strings.ToUpper(strings.ToValidUTF8(args[0], "?"))
	}
	ctx, span := t.start(ctx, command, semconv.DBOperationName(command))
	defer span.End()
	v, err := t.client.DoStrings(ctx, args...)
	note(span, err)
	return v, err
}

func (t *traced) start(ctx context.Context, name string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, name, t.kind, trace.WithAttributes(append(attributes, semconv.DBSystemNameRedis)...))
}

// note adds an error to a span.
func note(span trace.Span, err error) {
	if err == nil {
		return
	}
	kind := fmt.Sprintf("%T", err)
	if reply := (*engine.Error)(nil); errors.As(err, &reply) {
		kind = strings.ToValidUTF8(reply.Code, "?")
		span.SetAttributes(semconv.DBResponseStatusCode(kind))
	}
	span.SetAttributes(semconv.ErrorTypeKey.String(kind))
	span.SetStatus(codes.Error, strings.ToValidUTF8(err.Error(), "?"))
}
