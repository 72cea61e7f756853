package reply_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redmoon-lua/redmoon/reply"
)

func TestDoublesAreWrittenWithSeventeenDigits(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 3: "3", -1.5: "-1.5", 0.1: "0.10000000000000001", 1e21: "1e+21", 1e-7: "9.9999999999999995e-08",
		123456789012345680: "1.2345678901234568e+17", 1e17: "1e+17", 1e16: "10000000000000000", 0.0001: "0.0001",
		math.Inf(1): "inf", math.Inf(-1): "-inf", math.Copysign(0, -1): "-0", 5e-324: "4.9406564584124654e-324",
	} {
		require.Equal(t, want, reply.FormatDouble(f))
	}
}

func TestADecimalIsWrittenWithoutExponent(t *testing.T) {
	for f, want := range map[float64]string{
		13.361389338970184: "13.36138933897018433", 1e-7: "0.0000001", 1e-18: "0", -1e-18: "0",
		180: "180", -85.05112878: "-85.0511287799999991",
	} {
		require.Equal(t, want, reply.Decimal(f).Text())
	}
	v := reply.Decimal(1.23456789012345e-12)
	require.Equal(t, "0.00000000000123457", v.Text())
	require.Equal(t, 1.23457e-12, v.MustFloat(), "it is what its text says")
	require.True(t, v.IsDecimal())
	require.False(t, reply.Double(1).IsDecimal())
}

func TestFormatGCutsZerosAndRounds(t *testing.T) {
	require.Equal(t, "0.33333333333333", reply.FormatG(1.0/3, 14))
	require.Equal(t, "1e+15", reply.FormatG(1e15, 14))
	require.Equal(t, "100000000000000", reply.FormatG(1e14, 15))
	require.Equal(t, "1e+100", reply.FormatG(1e100, 14))
}

func TestAValueReadsAsTextIntAndList(t *testing.T) {
	list := reply.Array(reply.Bulk("a"), reply.Int(7), reply.Nil(), reply.Double(2.5), reply.Bool(true))
	require.Equal(t, []string{"a", "7", "", "2.5", "1"}, list.Strings())
	require.Equal(t, 5, list.Len())
	require.Equal(t, "", list.Text())
	require.Equal(t, int64(42), reply.Bulk("42").MustInt())
	require.Equal(t, 4.25, reply.Bulk("4.25").MustFloat())
	require.True(t, reply.OK().MustBool())
	require.True(t, reply.NilArray().IsNil())
	require.Nil(t, reply.Int(1).Slice())
	require.Nil(t, reply.Bulk("text").Slice())
	v := reply.Verbatim("txt", "hello")
	require.Equal(t, "txt", v.Format())
	require.Equal(t, "hello", v.Text())
	require.Equal(t, "", reply.Bulk("").Text())
	require.Empty(t, reply.Array().Slice())
}

func TestNumbersAreReadFromTheKindsThatHoldThem(t *testing.T) {
	for _, v := range []reply.Value{reply.Int(42), reply.Bulk("42"), reply.Status("42"), reply.Double(42), reply.BigNumber("42")} {
		n, err := v.Int()
		require.NoError(t, err, v)
		require.Equal(t, int64(42), n, v)
		f, err := v.Float()
		require.NoError(t, err, v)
		require.Equal(t, 42.0, f, v)
	}
	require.Equal(t, int64(1), reply.Bool(true).MustInt())
	require.Equal(t, 4.25, reply.Double(4.25).MustFloat())
	require.Equal(t, int64(math.MinInt64), reply.Double(-(1 << 63)).MustInt())
}

func TestWhatIsNotANumberIsAnError(t *testing.T) {
	failed := &reply.Error{Code: "ERR", Message: "x"}
	for _, c := range []struct {
		v    reply.Value
		want error
		text string
	}{
		{reply.Nil(), reply.ErrNil, "redmoon: cannot read an integer: reply is null"},
		{reply.NilArray(), reply.ErrNil, "redmoon: cannot read an integer: reply is null"},
		{reply.Err("ERR x"), failed, "ERR x"},
		{reply.Bulk(""), reply.ErrKind, `redmoon: cannot read an integer: reply is of another kind: bulk ""`},
		{reply.Bulk("12 cents"), reply.ErrKind, `redmoon: cannot read an integer: reply is of another kind: bulk "12 cents"`},
		{reply.Array(), reply.ErrKind, "redmoon: cannot read an integer: reply is of another kind: array of 0 elements"},
		{reply.Bulk(strings.Repeat("9", 50)), reply.ErrKind,
			`redmoon: cannot read an integer: reply is of another kind: bulk "` + strings.Repeat("9", 40) + `..."`},
		{reply.Double(1.5), reply.ErrKind, `redmoon: cannot read an integer: reply is of another kind: double "1.5"`},
		{reply.Double(1 << 63), reply.ErrKind, `redmoon: cannot read an integer: reply is of another kind: double "9.2233720368547758e+18"`},
		{reply.Double(math.NaN()), reply.ErrKind, `redmoon: cannot read an integer: reply is of another kind: double "nan"`},
	} {
		n, err := c.v.Int()
		require.ErrorIs(t, err, c.want, c.v)
		require.EqualError(t, err, c.text)
		require.Zero(t, n)
		require.Panics(t, func() { c.v.MustInt() }, c.v)
		if c.v.Kind() != reply.KindDouble && len(c.v.Text()) < 50 {
			_, err = c.v.Float()
			require.ErrorIs(t, err, c.want, c.v)
			require.Panics(t, func() { c.v.MustFloat() }, c.v)
		}
	}
}

func TestBooleans(t *testing.T) {
	for _, v := range []reply.Value{reply.Bool(true), reply.Int(-1), reply.OK()} {
		require.True(t, v.MustBool(), v)
	}
	for _, v := range []reply.Value{reply.Bool(false), reply.Int(0), reply.Nil(), reply.NilArray()} {
		require.False(t, v.MustBool(), v)
	}
	for _, v := range []reply.Value{reply.Bulk("true"), reply.Status("QUEUED"), reply.Array(), reply.Err("ERR x")} {
		_, err := v.Bool()
		require.Error(t, err, v)
	}
}

func TestMapsAndPairsAreReadAsMaps(t *testing.T) {
	want := map[string]reply.Value{"a": reply.Int(1), "2": reply.Nil()}
	fields := []reply.Value{reply.Bulk("a"), reply.Int(1), reply.Int(2), reply.Nil()}
	for _, v := range []reply.Value{reply.Map(fields...), reply.Array(fields...)} {
		m, err := v.Map()
		require.NoError(t, err)
		require.Equal(t, want, m)
	}
	for v, want := range map[*reply.Value]error{
		new(reply.Value):        reply.ErrNil,
		ptr(reply.OK()):         reply.ErrKind,
		ptr(reply.Set()):        reply.ErrKind,
		ptr(reply.Bulks("one")): reply.ErrKind,
	} {
		_, err := v.Map()
		require.ErrorIs(t, err, want, v)
	}
}

func ptr(v reply.Value) *reply.Value { return &v }

func TestErrorsCompareByCode(t *testing.T) {
	err := reply.Err("WRONGTYPE Operation against a key").Err()
	require.ErrorIs(t, err, &reply.Error{Code: "WRONGTYPE"})
	require.ErrorIs(t, err, &reply.Error{Code: "WRONGTYPE", Message: "Operation against a key"})
	require.NotErrorIs(t, err, &reply.Error{Code: "WRONGTYPE", Message: "another"})
	require.NotErrorIs(t, err, &reply.Error{Code: "ERR"})
	require.False(t, errors.Is(err, errors.ErrUnsupported))
	require.NoError(t, reply.OK().Err())
	require.Equal(t, "CODE", reply.Err("CODE").Err().Error())
}
