package main

import (
	"bufio"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// evilMaster is a master of one replica that sends what an attacker likes.
type evilMaster struct {
	net.Listener
}

func newEvilMaster() (*evilMaster, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	return &evilMaster{l}, err
}

// adopt makes the server a replica, and returns its connection after the answer to PSYNC.
func (m *evilMaster) adopt(v *victim) (net.Conn, error) {
	host, port, _ := net.SplitHostPort(m.Addr().String())
	if _, err := v.admin.do("REPLICAOF", host, port); err != nil {
		return nil, err
	}
	nc, err := m.Accept()
	if err != nil {
		return nil, err
	}
	r := bufio.NewReader(nc)
	(&client{nc, r}).hurry()
	for {
		args, err := readCommand(r)
		if err != nil {
			return nc, err
		}
		answer := "+OK\r\n"
		switch strings.ToUpper(args[0]) {
		case "PING":
			answer = "+PONG\r\n"
		case "PSYNC":
			_, err := fmt.Fprintf(nc, "+FULLRESYNC %s 1\r\n", strings.Repeat("a", 40))
			return nc, err
		}
		if _, err := nc.Write([]byte(answer)); err != nil {
			return nc, err
		}
	}
}

func readCommand(r *bufio.Reader) (args []string, err error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "*")))
	if err != nil {
		return nil, fmt.Errorf("not a command: %q", line)
	}
	for range n {
		if _, err := r.ReadString('\n'); err != nil {
			return nil, err
		}
		arg, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		args = append(args, strings.TrimSpace(arg))
	}
	return args, nil
}

// emptyCopy is a data set without keys. Its checksum is 0: it is not checked.
const emptyCopy = "REDIS0010\xff\x00\x00\x00\x00\x00\x00\x00\x00"

// unfinished is the size of an argument of which one byte never comes.
const unfinished = 300 << 20

var unfinishedCommand = growth("unfinished-command", "a master sends a command of 300 MB to its replica, without its last byte",
	[]setting{{name: "replica", clients: 1, attack: func(v *victim) (int, error) {
		whole := command("SET", "k", string(make([]byte, unfinished)))
		return 0, v.follow([]byte(emptyCopy), whole[:len(whole)-3])
	}}})

// settle waits until the memory of the server does not grow for a second.
func (v *victim) settle() error {
	last, quiet := int64(0), 0
	return until("the growth of the memory", func() (bool, error) {
		_, peak, err := v.memory()
		if quiet++; peak > last+1<<10 {
			last, quiet = peak, 0
		}
		return quiet >= 100, err
	})
}
