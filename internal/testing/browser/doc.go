// Package browser opens pages in a headless Chromium, for tests. Run runs a script in a page and
// ends; a Tab stays open.
package browser
