package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/internal/tools/metrics"
)

// listenMetrics listens at the address of --metrics. Without a host only this machine may reach it.
func listenMetrics(addr string) (net.Listener, error) {
	if !strings.Contains(addr, ":") {
		addr = ":" + addr // a port
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(or(host, "127.0.0.1"), port))
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	return l, nil
}

// metricsHandler serves /metrics in Prometheus's text format, and /debug/vars as JSON.
func metricsHandler(e *engine.Engine) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		sources := metrics.Read(r.Context(), e)
		w.Header().Set("Content-Type", metrics.ContentType)
		_ = metrics.WriteText(w, sources) // the client has gone
	})
	mux.HandleFunc("GET /debug/vars", func(w http.ResponseWriter, r *http.Request) {
		vars := metrics.Vars(metrics.Read(r.Context(), e))
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_ = json.NewEncoder(w).Encode(vars)
	})
	return atMost(scrapesAtOnce, mux)
}

// local refuses requests that name another machine, if only this machine may reach the listener: a
// page of the web could otherwise give its own name the address 127.0.0.1, and read what h answers.
func local(listener net.Addr, h http.Handler) http.Handler {
	if at, ok := listener.(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]") // without a port
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "wrong host", http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// scrapesAtOnce is the number of requests that are answered at the same time. Each asks the engine,
// and keeps a page until the client has read it.
const scrapesAtOnce = 16

// atMost refuses requests while h answers n others.
func atMost(n int, h http.Handler) http.Handler {
	places := make(chan struct{}, n)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			h.ServeHTTP(w, r)
		default:
			http.Error(w, fmt.Sprintf("%d others are being answered", n), http.StatusServiceUnavailable)
		}
	})
}

// measuring serves the metrics to those who connect to l; nil: nobody does.
func (s *server) measuring(l net.Listener) (stop func()) {
	if l == nil {
		return func() {}
	}
	line := fmt.Sprintf("metrics on http://%s/metrics", l.Addr())
	s.log.Info(line)
	if s.own.announces() {
		fmt.Fprintln(s.std.out, line)
	}
	web := &http.Server{Handler: local(l.Addr(), metricsHandler(s.engine)), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 5 * time.Minute,
		WriteTimeout: metrics.Timeout + 10*time.Second}
	go func() {
		if err := web.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.log.Error("metrics: " + err.Error())
		}
	}()
	return func() { _ = web.Close() }
}
