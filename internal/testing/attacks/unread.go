package main

import "fmt"

// crowds are the numbers of clients.
var crowds = []int{1, 100}

var unread = growth("unread",
	"clients that have not authenticated send PING and read nothing, until they are closed or have sent 8 MB each",
	everyWay(func(way *setting) {
		way.strangers = true
		way.attack = func(v *victim) (closed int, err error) {
			list, err := v.crowd(func(*client) error { return nil })
			defer closeAll(list)
			if err != nil {
				return 0, err
			}
			ends := make(chan bool, len(list))
			for _, c := range list {
				go func() { ends <- !c.sendLines([]byte("PING\r\n"), 8<<20/6) }()
			}
			for range list {
				if <-ends {
					closed++
				}
			}
			return closed, nil
		}
	}))

// everyWay returns settings for each number of clients and each door, after edit has seen them.
func everyWay(edit func(way *setting)) (list []setting) {
	for _, clients := range crowds {
		for _, d := range []door{tcp, socket, secure} {
			way := setting{name: fmt.Sprintf("%d by %s", clients, d), door: d, clients: clients}
			edit(&way)
			list = append(list, way)
		}
	}
	return list
}

var unfinishedInput = growth("unfinished-input", "clients send commands of 300 MB together, without their last byte",
	everyWay(func(way *setting) {
		way.attack = func(v *victim) (int, error) {
			whole := command("SET", "k", string(make([]byte, 300<<20/v.clients)))
			return 0, v.leaveUnfinished(whole)
		}
	}))

var unfinishedStranger = growth("unfinished-stranger", "clients that have not authenticated send the longest command without its last byte",
	everyWay(func(way *setting) {
		way.strangers = true
		way.attack = func(v *victim) (int, error) {
			args := make([]string, 10)
			for i := range args {
				args[i] = string(make([]byte, 16384))
			}
			return 0, v.leaveUnfinished(command(args...))
		}
	}))

// leaveUnfinished lets each client send a command without its end.
func (v *victim) leaveUnfinished(whole []byte) error {
	list, err := v.crowd(func(c *client) error {
		c.hurry()
		_, err := c.Write(whole[:len(whole)-3])
		return err
	})
	defer closeAll(list)
	if err != nil {
		return err
	}
	return v.settle()
}
