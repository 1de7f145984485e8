// Where the first document of a YAML stream ends: the reference reads no further, so what follows may be anything.

/** The text up to the end of the first document. */
export function firstDocument(text: string): string {
  const marker = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm
  for (let found = marker.exec(text); found !== null; found = marker.exec(text)) {
    const before = text.slice(0, found.index)
    // A marker before anything was said begins the first document.
    if (found[0] === '---' && /^(?:\ufeff|[ \t]*(?:#.*)?(?:\r?\n|$)|%.*(?:\r?\n|$))*$/.test(before)) continue
    return before
  }
  return text
}
