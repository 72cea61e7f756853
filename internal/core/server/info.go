package server

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/base/servers"
)

// infoSection writes one section of INFO.
type infoSection struct {
	Name  string // lower case; modules can also be named module_list
	Title string
	Write func(s *Server, w *InfoWriter)
	Extra bool          // shown only for all, everything or its own name
	Alone bool          // shown only for its own name
	Since servers.Since // the servers that have it
}

// InfoSections returns the sections in the order of the reply.
func InfoSections() []infoSection {
	return []infoSection{
		{Name: "server", Title: "Server", Write: (*Server).infoServer},
		{Name: "tls", Title: "TLS", Write: (*Server).infoTLS, Extra: true, Since: "-/9.1.0"},
		{Name: "clients", Title: "Clients", Write: (*Server).infoClients},
		{Name: "memory", Title: "Memory", Write: (*Server).infoMemory},
		{Name: "persistence", Title: "Persistence", Write: (*Server).infoPersistence},
		{Name: "threads", Title: "Threads", Write: (*Server).infoThreads, Since: "8.0.0/-"},
		{Name: "stats", Title: "Stats", Write: (*Server).infoStats},
		{Name: "replication", Title: "Replication", Write: (*Server).infoReplication},
		{Name: "cpu", Title: "CPU", Write: (*Server).infoCPU},
		{Name: "hotkeys", Title: "Hotkeys", Write: (*Server).infoHotKeys, Since: "8.6.0/-"},
		{Name: "modules", Title: "Modules", Write: (*Server).infoModules},
		{Name: "commandstats", Title: "Commandstats", Write: (*Server).infoCommandStats, Extra: true},
		{Name: "errorstats", Title: "Errorstats", Write: (*Server).infoErrorStats},
		{Name: "latencystats", Title: "Latencystats", Write: (*Server).infoLatencyStats, Extra: true},
		{Name: "cluster", Title: "Cluster", Write: (*Server).infoCluster},
		{Name: "cluster_info", Title: "Cluster Info", Write: (*Server).infoClusterState, Extra: true, Since: "-/9.1.0"},
		{Name: "scriptingengines", Title: "Scripting Engines", Write: (*Server).infoScriptingEngines, Extra: true, Since: "-/9.1.0"},
		{Name: "keyspace", Title: "Keyspace", Write: (*Server).infoKeyspace},
		{Name: "keysizes", Title: "Keysizes", Write: infoNothing, Since: "8.0.0/-"},
		{Name: "debug", Title: "Debug", Write: (*Server).infoDebug, Alone: true, Since: "7.2.0"},
	}
}

// infoNothing is the Write of a section without fields.
func infoNothing(*Server, *InfoWriter) {}

// InfoWriter collects the lines of INFO.
type InfoWriter struct {
	strings.Builder
	follows servers.Server
}

// NewInfoWriter returns a writer of the fields that a server has.
func NewInfoWriter(follows servers.Server) *InfoWriter { return &InfoWriter{follows: follows} }

// Section begins a section.
func (w *InfoWriter) Section(title string) {
	if w.Len() > 0 {
		w.WriteString("\r\n")
	}
	fmt.Fprintf(w, "# %s\r\n", title)
}

// Field writes a line with a name and a value, if the server has the field.
func (w *InfoWriter) Field(name string, value any) {
	if rule, some := infoFields[name]; some && !rule.has(w.follows) {
		return
	}
	fmt.Fprintf(w, "%s:%v\r\n", name, value)
}

// FieldPercent writes a line with a percentage.
func (w *InfoWriter) FieldPercent(name string, value float64) {
	w.Field(name, fmt.Sprintf("%.2f", value))
}

// Zeros writes fields that are always 0 in this implementation.
func (w *InfoWriter) Zeros(names ...string) {
	for _, n := range names {
		w.Field(n, 0)
	}
}

// Human formats a number of bytes with a unit, as in the _human fields of INFO.
func Human(n uint64) string {
	f := float64(n)
	for _, unit := range []string{"B", "K", "M", "G", "T"} {
		if f < 1024 {
			if unit == "B" {
				return fmt.Sprintf("%dB", n)
			}
			return fmt.Sprintf("%.2f%s", f, unit)
		}
		f /= 1024
	}
	return fmt.Sprintf("%.2fP", f)
}

func (s *Server) infoCommandStats(w *InfoWriter) {
	for _, spec := range s.Table.All {
		st := s.Stats.Calls.Peek(spec.ID)
		if st.Calls == 0 && st.Rejected == 0 {
			continue
		}
		usec, per := st.Nanos/1000, 0.0
		if st.Calls > 0 {
			per = float64(usec) / float64(st.Calls)
		}
		fmt.Fprintf(w, "cmdstat_%s:calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d\r\n",
			spec.FullName(), st.Calls, usec, per, st.Rejected, st.Failed)
	}
}

func (s *Server) infoErrorStats(w *InfoWriter) {
	codes := make([]string, 0, len(s.Stats.Errors))
	for code := range s.Stats.Errors {
		codes = append(codes, code)
	}
	slices.SortFunc(codes, cmp.Compare)
	for _, code := range codes {
		fmt.Fprintf(w, "errorstat_%s:count=%d\r\n", code, s.Stats.Errors[code])
	}
}

func (s *Server) infoKeyspace(w *InfoWriter) {
	for i := range s.Store.Databases() {
		db := s.Store.DB(i)
		if db.Len() > 0 {
			fmt.Fprintf(w, "db%d:keys=%d,expires=%d,avg_ttl=%d", i, db.Len(), db.Expires(), db.AverageTTL())
			if s.Follows.Has(servers.FieldExpiry) {
				fmt.Fprintf(w, ",subexpiry=%d", db.ExpiringHashes())
			}
			w.WriteString("\r\n")
		}
	}
}
