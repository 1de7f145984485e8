// Resolves paths such as `.spec.size` or `.labels['a.b']` in the schema of a custom kind.
import { isMap, own, type ValueMap } from '../../api/value.ts'

export type Followed =
  | {
      readonly kind: 'found'
      readonly schema: ValueMap
      readonly names: readonly string[]
      /** The form in errors: `labels[a.b]`. */
      readonly text: string
    }
  | { readonly kind: 'fault'; readonly text: string }

const NO_FIELD = 'does not refer to a valid field'
const NO_MORE = 'unexpected end of JSON path'

/** Finds the schema at a path. `mayIndex`: whether `['name']` may replace `.name`. */
export function followPath(path: string, schema: ValueMap, mayIndex: boolean): Followed {
  const tokens = tokensOf(path)
  const names: string[] = []
  let text = ''
  let place = schema
  for (let i = 0; i < tokens.length; ) {
    const token = tokens[i]
    const next = tokens[i + 1]
    if (token !== '.' && token !== '[') return fault(`expected [ or . but got: ${token}`)
    if (token === '[' && !mayIndex) return fault('array notation is not allowed')
    if (next === undefined) return fault(NO_MORE)
    const name = token === '.' ? next : unquoted(next)
    if (name === undefined) return fault(`expected single quoted string but got ${next}`)
    const inner = step(place, name)
    if (inner === undefined) return fault(NO_FIELD)
    place = inner.schema
    names.push(name)
    text += inner.isKey ? `[${name}]` : text === '' ? name : `.${name}`
    i += 2
    if (token !== '[') continue
    if (tokens[i] === undefined) return fault(NO_MORE)
    if (tokens[i] !== ']') return fault(`expected ] but got ${tokens[i]}`)
    i++
  }
  return { kind: 'found', schema: place, names, text }
}

function fault(text: string): Followed {
  return { kind: 'fault', text }
}

function step(schema: ValueMap, name: string): { readonly schema: ValueMap; readonly isKey: boolean } | undefined {
  const properties = own(schema, 'properties')
  const isKey = !isMap(properties) || Object.keys(properties).length === 0
  const inner = isKey ? own(schema, 'additionalProperties') : own(properties, name)
  return isMap(inner) ? { schema: inner, isKey } : undefined
}

function unquoted(token: string): string | undefined {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'")) return undefined
  return token.slice(1, -1).replaceAll(/\\(['\\])/g, '$1')
}

/** The marks `.`, `[` and `]` one by one, and the texts between them. Marks within quotes do not count. */
function tokensOf(path: string): readonly string[] {
  const tokens: string[] = []
  let start = 0
  const flush = (end: number): void => {
    if (end > start) tokens.push(path.slice(start, end))
    start = end
  }
  for (let i = 0; i < path.length; i++) {
    if (path[i] === "'" && i === start) {
      do i++
      while (i < path.length && !(path[i] === "'" && path[i - 1] !== '\\'))
      flush(i + 1)
    } else if (path[i] === '.' || path[i] === '[' || path[i] === ']') {
      flush(i)
      flush(i + 1)
    }
  }
  flush(path.length)
  return tokens
}
