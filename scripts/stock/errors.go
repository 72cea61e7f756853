package stock

import (
	"errors"
	"fmt"
)

// Errors of a sale. After all of them nothing was changed, unless the comment says otherwise.
var (
	// ErrName is returned for the name of a sale or an item, a user, a token or a serial that is
	// empty, longer than 512 bytes or not UTF-8, and by New for the name of a sale with a brace.
	ErrName = errors.New("stock: a name must be 1 to 512 bytes of UTF-8, the name of a sale without { and }")
	// ErrOptions is returned by New for options out of range.
	ErrOptions = errors.New("stock: options out of range")
	// ErrItem is returned by Define for an item with a setting out of range.
	ErrItem = errors.New("stock: item out of range")
	// ErrOrder is returned by Reserve for an order out of range; see [Sale.Reserve].
	ErrOrder = errors.New("stock: order out of range")
	// ErrSoldOut is returned by Reserve if less of an item is left than the order asks for. When
	// reservations end, the item may be available again.
	ErrSoldOut = errors.New("stock: sold out")
	// ErrQuota is returned by Reserve if the user would have more of an item than its quota.
	ErrQuota = errors.New("stock: the user would exceed the quota")
	// ErrNotOpen is returned by Reserve before the sale is opened.
	ErrNotOpen = errors.New("stock: sale is not open yet")
	// ErrClosed is returned by Reserve after the sale was closed.
	ErrClosed = errors.New("stock: sale is closed")
	// ErrUnknownItem is returned for an item that was not defined.
	ErrUnknownItem = errors.New("stock: unknown item")
	// ErrUnknownOrder is returned for a token that stands for no order, or for an order that is no
	// longer remembered.
	ErrUnknownOrder = errors.New("stock: unknown order")
	// ErrUnknownUnit is returned by Holder for a serial that the item does not have.
	ErrUnknownUnit = errors.New("stock: unknown unit")
	// ErrTokenReused is returned if a token was used for another order or another supply.
	ErrTokenReused = errors.New("stock: the token was used for something else")
	// ErrExpired is returned, with the order, if the order was not confirmed in time. What it held
	// is back in the stock.
	ErrExpired = errors.New("stock: order has expired")
	// ErrReleased is returned, with the order, if the order was released.
	ErrReleased = errors.New("stock: order was released")
	// ErrConfirmed is returned by Release, with the order, if the order was confirmed.
	ErrConfirmed = errors.New("stock: order was confirmed")
	// ErrStrategy is returned for an item that is sold by the other strategy.
	ErrStrategy = errors.New("stock: item is sold by another strategy")
	// ErrSupply is returned by Supply for a quantity below 1, or if the sum supplied of the item
	// would exceed [MaxSupply].
	ErrSupply = errors.New("stock: supply out of range")
	// ErrAudit is wrapped by the errors of Audit.
	ErrAudit = errors.New("stock: books do not add up")
)

// errAgain means that a script did as much as one script should, and must be called again.
var errAgain = errors.New("stock: call again")

// ItemError names the item that an error is about. It wraps that error.
type ItemError struct {
	Item string
	Err  error // such as ErrSoldOut
}

// Error implements error.
func (e *ItemError) Error() string { return fmt.Sprintf("%v: item %q", e.Err, e.Item) }

// Unwrap returns Err.
func (e *ItemError) Unwrap() error { return e.Err }

// refusals are the errors of the outcomes that refuse a call.
var refusals = map[string]error{
	"not open":      ErrNotOpen,
	"closed":        ErrClosed,
	"unknown order": ErrUnknownOrder,
	"token reused":  ErrTokenReused,
	"again":         errAgain,
	// The order follows.
	"expired":   ErrExpired,
	"released":  ErrReleased,
	"confirmed": ErrConfirmed,
}

// itemRefusals are the errors of the outcomes that refuse a call because of an item. Its name
// follows.
var itemRefusals = map[string]error{
	"sold out":     ErrSoldOut,
	"quota":        ErrQuota,
	"unknown item": ErrUnknownItem,
	"unknown unit": ErrUnknownUnit,
	"strategy":     ErrStrategy,
	"too much":     ErrSupply,
}
