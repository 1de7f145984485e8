// What is wrong with a text that should be a JSON object, in the words of the reference's parser for the first fault.

/** The fault of a text that is no JSON object; undefined where it is one. */
export function jsonObjectFault(text: string): string | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntaxFault(text)
  }
  if (value === null || (typeof value === 'object' && !Array.isArray(value))) return undefined
  const type = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value
  return `json: cannot unmarshal ${type} into Go value of type map[string]interface {}`
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }

function syntaxFault(text: string): string {
  const rest = text.trimStart()
  const [first] = rest
  if (first === undefined) return 'unexpected end of JSON input'
  const word = WORDS[first]
  if (word !== undefined) {
    for (let at = 1; at < word.length; at++) {
      const found = rest[at]
      if (found === undefined) return 'unexpected end of JSON input'
      if (found === word[at]) continue
      return `invalid character '${found}' in literal ${word} (expecting '${word[at]}')`
    }
    return `invalid character '${rest[word.length] ?? ''}' after top-level value`
  }
  if (!/[[{"\-0-9]/.test(first)) return `invalid character '${first}' looking for beginning of value`
  return 'unexpected end of JSON input'
}
