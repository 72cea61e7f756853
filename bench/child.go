package main

import (
	"log"
	"net"
	"os"
	"strings"

	"github.com/alicebob/miniredis/v2"
	"github.com/redmoon-lua/redmoon/engine"
	"github.com/redmoon-lua/redmoon/resp"
)

// serveChild runs a server in the process that bench starts with -child. It serves until it is
// killed. Of the kind "first NAME" it prints how long two starts take.
func serveChild(kind string) {
	if first, ok := strings.CutPrefix(kind, "first "); ok {
		if err := printFirst(first); err != nil {
			log.Fatal(err)
		}
		return
	}
	addr := "127.0.0.1:" + os.Getenv("BENCH_PORT")
	switch kind {
	case "redmoon":
		e, err := engine.New(engine.Options{})
		if err != nil {
			log.Fatal(err)
		}
		s := resp.NewServer(e, resp.Options{Addr: addr})
		if socket := os.Getenv("BENCH_SOCKET"); socket != "" {
			l, err := net.Listen("unix", socket)
			if err != nil {
				log.Fatal(err)
			}
			log.Fatal(s.Serve(l))
		}
		log.Fatal(s.ListenAndServe())
	case "miniredis":
		m := miniredis.NewMiniRedis()
		if err := m.StartAddr(addr); err != nil {
			log.Fatal(err)
		}
		select {}
	}
	log.Fatalf("bench: no child %q", kind)
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
