package stock

import (
	"errors"
	"fmt"
)

// Errors of a sale. Unless its description says otherwise, nothing was changed.
var (
	// ErrSoldOut is returned by Reserve when less is left of an item than is asked for. Reservations that end may bring it back.
	ErrSoldOut = errors.New("stock: sold out")
	// ErrQuota is returned by Reserve when the user would have more of an item than its quota.
	ErrQuota = errors.New("stock: quota of the user exceeded")
	// ErrNotOpen is returned by Reserve before the sale is opened.
	ErrNotOpen = errors.New("stock: sale is not open yet")
	// ErrClosed is returned by Reserve after the sale was closed.
	ErrClosed = errors.New("stock: sale is closed")
	// ErrUnknownItem is returned for an item that was not defined.
	ErrUnknownItem = errors.New("stock: unknown item")
	// ErrUnknownOrder is returned for a token that stands for no order, or for one that was forgotten.
	ErrUnknownOrder = errors.New("stock: unknown order")
	// ErrUnknownUnit is returned by Holder for a serial that the item does not have.
	ErrUnknownUnit = errors.New("stock: unknown unit")
	// ErrTokenReused is returned when a token stands for an order, or a supply, with other contents.
	ErrTokenReused = errors.New("stock: token was used for something else")
	// ErrExpired is returned, with the order, when it was not confirmed in time; what it held is back in the stock.
	ErrExpired = errors.New("stock: order has expired")
	// ErrReleased is returned, with the order, when it was released.
	ErrReleased = errors.New("stock: order was released")
	// ErrConfirmed is returned by Release, with the order, when it was confirmed.
	ErrConfirmed = errors.New("stock: order was confirmed")
	// ErrStrategy is returned for an item that is sold by the other strategy.
	ErrStrategy = errors.New("stock: item is sold by another strategy")
	// ErrSupply is returned by Supply when an item would have been supplied more than [MaxSupply] times.
	ErrSupply = errors.New("stock: more than can be supplied")
	// ErrOrder is returned by Reserve for an order that cannot be: see [Sale.Reserve].
	ErrOrder = errors.New("stock: order out of range")
	// ErrName is returned for an empty or overlong name, or one that is not UTF-8.
	ErrName = errors.New("stock: name is empty, longer than 512 bytes or no UTF-8")
	// ErrOption is returned by New and Define for a setting that cannot be.
	ErrOption = errors.New("stock: setting out of range")
	// ErrAudit is returned by Audit when the books do not add up.
	ErrAudit = errors.New("stock: books do not add up")
)

// errAgain is what a script answers that has done as much as one should, and is to be called again.
var errAgain = errors.New("stock: call again")

// ItemError tells of which item an error speaks. errors.Is finds the error within.
type ItemError struct {
	Item string
	Err  error
}

func (e *ItemError) Error() string { return fmt.Sprintf("%v: item %q", e.Err, e.Item) }

// Unwrap returns the error within.
func (e *ItemError) Unwrap() error { return e.Err }

// refusals are the errors that scripts answer.
var refusals = map[string]error{
	"soldout":   ErrSoldOut,
	"quota":     ErrQuota,
	"preparing": ErrNotOpen,
	"closed":    ErrClosed,
	"item":      ErrUnknownItem,
	"unknown":   ErrUnknownOrder,
	"unit":      ErrUnknownUnit,
	"token":     ErrTokenReused,
	"expired":   ErrExpired,
	"released":  ErrReleased,
	"confirmed": ErrConfirmed,
	"strategy":  ErrStrategy,
	"much":      ErrSupply,
	"again":     errAgain,
}
