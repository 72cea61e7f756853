package engine

import (
	"encoding"
	"fmt"
	"strconv"
	"time"
)

// appendArgs appends args to dst in the form in which Redis clients send them: strings and bytes
// unchanged, numbers in decimal, booleans as 1 and 0, durations in nanoseconds, nil as the empty
// string.
func appendArgs(dst []string, args []any) ([]string, error) {
	for _, a := range args {
		s, err := argText(a)
		if err != nil {
			return dst, err
		}
		dst = append(dst, s)
	}
	return dst, nil
}

func argText(a any) (string, error) {
	switch v := a.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int8:
		return strconv.FormatInt(int64(v), 10), nil
	case int16:
		return strconv.FormatInt(int64(v), 10), nil
	case int32:
		return strconv.FormatInt(int64(v), 10), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	case uint:
		return strconv.FormatUint(uint64(v), 10), nil
	case uint8:
		return strconv.FormatUint(uint64(v), 10), nil
	case uint16:
		return strconv.FormatUint(uint64(v), 10), nil
	case uint32:
		return strconv.FormatUint(uint64(v), 10), nil
	case uint64:
		return strconv.FormatUint(v, 10), nil
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 64), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case bool:
		if v {
			return "1", nil
		}
		return "0", nil
	case nil:
		return "", nil
	case time.Duration:
		return strconv.FormatInt(v.Nanoseconds(), 10), nil
	case time.Time:
		return v.Format(time.RFC3339Nano), nil
	case encoding.BinaryMarshaler:
		b, err := v.MarshalBinary()
		return string(b), err
	}
	return "", fmt.Errorf("redmoon: cannot send an argument of type %T", a)
}
