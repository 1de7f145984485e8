// Splits YAML streams into documents. Only the first document of a body is read, as in the reference.

/** The text up to the end of the first document. */
export function firstDocument(text: string): string {
  const marker = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm
  for (let found = marker.exec(text); found !== null; found = marker.exec(text)) {
    const before = text.slice(0, found.index)
    // A marker with nothing but blank lines before it begins the first document.
    if (found[0] === '---' && isBlank(before)) continue
    return before
  }
  return text
}

/** All documents that are not blank. */
export function splitDocuments(text: string): readonly string[] {
  const documents: string[] = []
  for (let rest = text; rest !== ''; ) {
    const document = firstDocument(rest)
    if (!isBlank(document.replace(/^---(?=\s|$)/m, ''))) documents.push(document)
    rest = rest.slice(document.length).replace(/^\.\.\..*(?:\r?\n|$)/, '')
  }
  return documents
}

/** Whether all lines are blank, comments or directives. Each is tested alone: one expression for a million lines overflows its stack. */
function isBlank(text: string): boolean {
  const line = /\ufeff*(?:[ \t]*(?:#.*)?|%.*)(?:\r?\n|$)/y
  while (line.lastIndex < text.length) if (!line.test(text)) return false
  return true
}
