package patience

import "fmt"

// text returns ": " and the message of a test, which is a format and its arguments; or nothing.
func text(message []any) string {
	if len(message) == 0 {
		return ""
	}
	if format, ok := message[0].(string); ok && len(message) > 1 {
		return ": " + fmt.Sprintf(format, message[1:]...)
	}
	return ": " + fmt.Sprint(message...)
}
