package play

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/redmoon-lua/redmoon/internal/tools/explore"
)

// The words of an order: the number of a client, counted from 1; the same with crashMark for its
// crash; clockWord for a tick; idleWord for the clock when all clients wait. A number with
// idleMark, after the steps, is a client that takes part without a step, as one that only sleeps.
const (
	crashMark = "!"
	idleMark  = "."
	clockWord = "clock"
	idleWord  = "wait"
)

// orderText returns an order as text, without steps that do nothing. out are the actors that take
// no part.
func (g *game) orderText(events []explore.Event, out explore.Actors) string {
	var words []string
	for _, e := range events {
		if !e.Hidden && e.Actor < len(g.Clients) {
			out |= explore.Set(e.Actor)
		}
		if !e.Hidden && g.isCrash(e.Actor) {
			out |= explore.Set(e.Actor - g.clock() - 1)
		}
		switch {
		case e.Hidden:
		case e.Actor < len(g.Clients):
			words = append(words, strconv.Itoa(e.Actor+1))
		case e.Actor == g.clock():
			words = append(words, clockWord)
		case g.isCrash(e.Actor):
			words = append(words, strconv.Itoa(e.Actor-g.clock())+crashMark)
		default:
			words = append(words, idleWord)
		}
	}
	for i := range g.Clients {
		if !out.Has(i) {
			words = append(words, strconv.Itoa(i+1)+idleMark)
		}
	}
	return strings.Join(words, " ")
}

// parseOrder reads an order, and returns the actors that take no part: those that it does not name.
func (g *game) parseOrder(text string) (order []int, out explore.Actors, err error) {
	for i := range g.idle() {
		out |= explore.Set(i)
	}
	for _, word := range strings.Fields(text) {
		actor := 0
		number, crash := strings.CutSuffix(word, crashMark)
		number, idle := strings.CutSuffix(number, idleMark)
		switch n, nerr := strconv.Atoi(number); {
		case word == clockWord:
			actor = g.clock()
		case word == idleWord:
			actor = g.idle()
		case nerr != nil || n < 1 || n > len(g.Clients):
			return nil, 0, fmt.Errorf("order %q: %q is not a client from 1 to %d, a client with %s or %s, %s or %s", text, word,
				len(g.Clients), crashMark, idleMark, clockWord, idleWord)
		case crash && !g.Clients[n-1].Crashes:
			return nil, 0, fmt.Errorf("order %q: client %d does not crash", text, n)
		case idle:
			out &^= explore.Set(n - 1)
			continue
		case crash:
			actor = g.crash(n - 1)
			out &^= explore.Set(n - 1)
		default:
			actor = n - 1
		}
		order = append(order, actor)
		out &^= explore.Set(actor)
	}
	if len(order) == 0 {
		return nil, 0, fmt.Errorf("order %q: there is no step", text)
	}
	return order, out, nil
}
