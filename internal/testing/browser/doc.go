// Package browser opens pages in a headless Chromium, for tests.
package browser
