package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/reply"
)

// Version is the version of Redis whose behaviour Redmoon has, unless it is made to follow a later one.
const Version = "7.0.15"

// infoSection writes one section of INFO.
type infoSection struct {
	name  string // as it is asked for, lower case; modules is asked for as module_list as well
	title string
	write func(s *Server, w *infoWriter)
	extra bool // only with all, everything or its own name
}

// infoSections lists the sections in the order of the reply.
func infoSections() []infoSection {
	return []infoSection{
		{name: "server", title: "Server", write: (*Server).infoServer},
		{name: "clients", title: "Clients", write: (*Server).infoClients},
		{name: "memory", title: "Memory", write: (*Server).infoMemory},
		{name: "persistence", title: "Persistence", write: (*Server).infoPersistence},
		{name: "stats", title: "Stats", write: (*Server).infoStats},
		{name: "replication", title: "Replication", write: (*Server).infoReplication},
		{name: "cpu", title: "CPU", write: (*Server).infoCPU},
		{name: "modules", title: "Modules", write: func(*Server, *infoWriter) {}},
		{name: "commandstats", title: "Commandstats", write: (*Server).infoCommandStats, extra: true},
		{name: "errorstats", title: "Errorstats", write: (*Server).infoErrorStats},
		{name: "latencystats", title: "Latencystats", write: (*Server).infoLatencyStats, extra: true},
		{name: "cluster", title: "Cluster", write: (*Server).infoCluster},
		{name: "keyspace", title: "Keyspace", write: (*Server).infoKeyspace},
	}
}

// info answers the sections asked for, each once, in the order in which they stand; an unknown one is
// passed over.
func info(c *Ctx) reply.Value {
	want := map[string]bool{}
	for _, a := range c.Args[1:] {
		want[strings.ToLower(a)] = true
	}
	want["modules"] = want["modules"] || want["module_list"]
	all := want["all"] || want["everything"]
	usual := c.NArg() == 1 || want["default"]
	w := &infoWriter{}
	for _, sec := range infoSections() {
		if all || usual && !sec.extra || want[sec.name] {
			w.section(sec.title)
			sec.write(c.Server, w)
		}
	}
	return reply.Verbatim("txt", w.String())
}

// infoWriter collects the lines of INFO.
type infoWriter struct{ strings.Builder }

func (w *infoWriter) section(title string) {
	if w.Len() > 0 {
		w.WriteString("\r\n")
	}
	fmt.Fprintf(w, "# %s\r\n", title)
}

func (w *infoWriter) field(name string, value any) { fmt.Fprintf(w, "%s:%v\r\n", name, value) }

// zeros writes fields that are always 0 here.
func (w *infoWriter) zeros(names ...string) {
	for _, n := range names {
		w.field(n, 0)
	}
}

// human is a number of bytes with a unit, as INFO's _human fields have it.
func human(n uint64) string {
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

func (s *Server) infoCommandStats(w *infoWriter) {
	for _, spec := range s.Table.all {
		st := s.Stats.Calls[spec.ID]
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

func (s *Server) infoErrorStats(w *infoWriter) {
	codes := make([]string, 0, len(s.Stats.Errors))
	for code := range s.Stats.Errors {
		codes = append(codes, code)
	}
	slices.SortFunc(codes, cmp.Compare)
	for _, code := range codes {
		fmt.Fprintf(w, "errorstat_%s:count=%d\r\n", code, s.Stats.Errors[code])
	}
}

func (s *Server) infoKeyspace(w *infoWriter) {
	for i := range s.Store.Databases() {
		db := s.Store.DB(i)
		if db.Len() > 0 {
			fmt.Fprintf(w, "db%d:keys=%d,expires=%d,avg_ttl=%d", i, db.Len(), db.Expires(), db.AverageTTL())
			if s.Compat >= Redis74 {
				fmt.Fprintf(w, ",subexpiry=%d", db.ExpiringHashes())
			}
			w.WriteString("\r\n")
		}
	}
}
