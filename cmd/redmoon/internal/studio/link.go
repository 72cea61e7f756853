package studio

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// linkVersion begins each packed document.
const linkVersion = "1."

// maxPacked is the number of bytes of a packed document.
const maxPacked = 256 << 10

// Pack returns a document as text for a link: JSON, compressed, in base64 for URLs.
func Pack(d Document) (string, error) {
	plain, err := json.Marshal(d)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return "", err
	}
	if _, err := w.Write(plain); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	packed := linkVersion + base64.RawURLEncoding.EncodeToString(b.Bytes())
	if len(packed) > maxPacked {
		return "", fmt.Errorf("the link would have more than %d KB", maxPacked>>10)
	}
	return packed, nil
}

// Unpack returns the document of a text that Pack has made, or of a link that ends with # and such
// a text.
func Unpack(text string) (d Document, err error) {
	if at := strings.LastIndexByte(text, '#'); at >= 0 {
		text = text[at+1:]
	}
	text, ok := strings.CutPrefix(text, linkVersion)
	if !ok {
		return d, errors.New("the link is not one of this version of redmoon studio")
	}
	if len(text) > maxPacked {
		return d, errors.New("the link is too long")
	}
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return d, errors.New("the link is damaged")
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), MaxRequest))
	if err != nil || json.Unmarshal(plain, &d) != nil {
		return Document{}, errors.New("the link is damaged")
	}
	return d, nil
}

func pack(d Document) (any, error) {
	packed, err := Pack(d)
	return map[string]string{"packed": packed}, err
}

func unpack(text string) (any, error) {
	d, err := Unpack(text)
	return map[string]Document{"document": d}, err
}
