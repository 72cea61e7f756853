package wild

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/scs/goredisstore"
	"github.com/alexedwards/scs/v2"

	"github.com/redmoon-lua/redmoon/internal/testing/difftest"
)

// TestSCS has no scripts: it is the commands of a session store that are compared.
func TestSCS(t *testing.T) {
	play(t, Program{Name: "github.com/alexedwards/scs/v2", Play: func(addr string, transcript *Transcript) error {
		c := client(addr)
		defer c.Close()
		m := scs.New()
		store := goredisstore.New(c)
		m.Store = store
		m.Lifetime = time.Hour
		mux := http.NewServeMux()
		mux.HandleFunc("/visit", func(w http.ResponseWriter, r *http.Request) {
			m.Put(r.Context(), "visits", m.GetInt(r.Context(), "visits")+1)
			transcript.Say("visit", m.GetInt(r.Context(), "visits"), m.Keys(r.Context()))
		})
		mux.HandleFunc("/login", func(_ http.ResponseWriter, r *http.Request) {
			transcript.Say("login", m.RenewToken(r.Context()))
			m.Put(r.Context(), "user", "é\x00ÿ")
		})
		mux.HandleFunc("/logout", func(_ http.ResponseWriter, r *http.Request) { transcript.Say("logout", m.Destroy(r.Context())) })
		h := m.LoadAndSave(mux)
		cookie := ""
		for path := range strings.FieldsSeq("/visit /visit /login /visit /logout /visit /visit") {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			if cookie != "" {
				r.Header.Set("Cookie", cookie)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if set, _, ok := strings.Cut(w.Header().Get("Set-Cookie"), ";"); ok {
				cookie = set
			}
		}
		for range 3 {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/visit", nil))
		}
		_, found, err := store.FindCtx(t.Context(), "nobody")
		transcript.Say("find nobody", found, err)
		all, err := store.AllCtx(t.Context())
		transcript.Say("all", len(all), err)
		transcript.Say("commit to the past", store.CommitCtx(t.Context(), "old", []byte("x"), difftest.Present().Add(-time.Hour)))
		return nil
	}})
}
