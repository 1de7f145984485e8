// URLs in the form of requests: with a scheme, or only an absolute path.
import { define, type FunctionDefinition } from '../function.ts'
import { ArrayList, type CelValue, EntryMap, Fault, keyName, OpaqueValue } from '../value.ts'

const U = 'kubernetes.URL'

interface UrlParts {
  readonly scheme: string
  /** With the port, if there is one. */
  readonly host: string
  readonly path: string
  readonly query: string
}

class Url extends OpaqueValue {
  readonly typeName = U
  readonly parts: UrlParts
  readonly text: string

  constructor(text: string, parts: UrlParts) {
    super()
    this.text = text
    this.parts = parts
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof Url && this.text === other.text
  }
}

const SCHEME = /^([a-zA-Z][a-zA-Z0-9+.-]*):/
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2}).{0,2}/

function parse(text: string): Url | Fault {
  const fail = (why: string): Fault =>
    new Fault(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: ${why}`)
  for (const character of text) {
    if (character < ' ' || character === '\x7f') return fail('net/url: invalid control character in URL')
  }
  if (text === '') return fail('empty url')
  const scheme = SCHEME.exec(text)?.[1] ?? ''
  const rest = scheme === '' ? text : text.slice(scheme.length + 1)
  if (!rest.startsWith('/')) return fail('invalid URI for request')
  const question = rest.indexOf('?')
  const before = question < 0 ? rest : rest.slice(0, question)
  const query = question < 0 ? '' : rest.slice(question + 1)
  const hasHost = scheme !== '' && before.startsWith('//')
  const slash = hasHost ? before.indexOf('/', 2) : 0
  const authority = hasHost ? before.slice(2, slash < 0 ? before.length : slash) : ''
  const path = hasHost ? (slash < 0 ? '' : before.slice(slash)) : before
  const bad = BAD_ESCAPE.exec(path)
  if (bad !== null) return fail(`invalid URL escape ${JSON.stringify(bad[0])}`)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const wrong = hostProblem(host)
  if (wrong !== undefined) return fail(wrong)
  return new Url(text, { scheme: scheme.toLowerCase(), host, path, query })
}

function hostProblem(host: string): string | undefined {
  const port = /:([^:\]]*)$/.exec(host)?.[1] ?? ''
  if (!/^[0-9]*$/.test(port)) return `invalid port ${JSON.stringify(`:${port}`)} after host`
  const bad = /[\s"<>\\^`{|}]/.exec(host)
  return bad === null ? undefined : `invalid character ${JSON.stringify(bad[0])} in host name`
}

function hostname(host: string): string {
  const bracketed = /^\[([^\]]*)\]/.exec(host)
  return bracketed?.[1] ?? host.replace(/:[^:]*$/, '')
}

function port(host: string): string {
  return /:([0-9]*)$/.exec(host)?.[1] ?? ''
}

function queryOf(query: string): CelValue {
  const values = new Map<string, string[]>()
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue
    const equals = pair.indexOf('=')
    const key = decode(equals < 0 ? pair : pair.slice(0, equals))
    const value = decode(equals < 0 ? '' : pair.slice(equals + 1))
    if (key === undefined || value === undefined) continue
    values.set(key, [...(values.get(key) ?? []), value])
  }
  const entries = [...values].map(([key, list]): [string, readonly [CelValue, CelValue]] => [
    keyName(key) ?? '',
    [key, new ArrayList(list)],
  ])
  return new EntryMap(new Map(entries))
}

/** Undefined: the encoding of the text is malformed. */
function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function part(name: string, id: string, of: (parts: UrlParts) => string): FunctionDefinition {
  return define(name, [`url_get_${id}: ${U}.() string`], ([url]: [Url]) => of(url.parts))
}

export const URLS: readonly FunctionDefinition[] = [
  define('url', [`string_to_url: (string) ${U}`], ([text]: [string]) => parse(text)),
  define('isURL', ['is_url_string: (string) bool'], ([text]: [string]) => parse(text) instanceof Url),
  part('getScheme', 'scheme', ({ scheme }) => scheme),
  part('getHost', 'host', ({ host }) => host),
  part('getHostname', 'hostname', ({ host }) => hostname(host)),
  part('getPort', 'port', ({ host }) => port(host)),
  part('getEscapedPath', 'escaped_path', ({ path }) => path.replace(/[^\x21-\x7e]/gu, encodeURIComponent)),
  define('getQuery', [`url_get_query: ${U}.() map(string, list(string))`], ([url]: [Url]) => queryOf(url.parts.query)),
]
