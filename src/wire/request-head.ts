// The head of an HTTP/2 request: names and values in turn, as its headers were sent, become what handlers see. Invariant: what
// RFC 9113 (section 8) calls malformed never becomes a request.

export interface RequestHead {
  readonly method: string
  /** Undefined for CONNECT, which names no resource. */
  readonly target: string | undefined
  readonly headers: Record<string, string | undefined>
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** Of the body, where it was announced. */
  readonly length: number | undefined
}

const BAD_NAME = /[^!#$%&'*+.^_`|~\-0-9a-z]/
/** RFC 9113, section 8.2.1, and what RFC 9110 (section 5.5) does not let into a value either: control characters. */
const BAD_VALUE = /[^\t -~\x80-\xff]/
/** A path, with its query, has no place for a space; `*` is of OPTIONS. Proxies that send more send it over HTTP/1.1. */
const TARGET = /^(?:\/[!-~\x80-\xff]*|\*)$/
/** RFC 3986, section 3.2, without the user information that RFC 9113 forbids. */
const BAD_AUTHORITY = /[^!$%&'()*+,\-.0-9:;=A-Z[\]_a-z~]/
const DIGITS = /^\d{1,15}$/
const SPACE = 0x20
const TAB = 0x09

/** They speak of one connection, and HTTP/2 has other words for that. */
const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** Of these the first counts; others that come several times are joined. */
const SINGLE: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'expect',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'user-agent',
])

const PSEUDO: ReadonlySet<string> = new Set([':method', ':scheme', ':authority', ':path'])

/** Undefined where it is malformed. */
export function requestHeadOf(fields: readonly string[]): RequestHead | undefined {
  const pseudo = emptyRecord()
  const headers = emptyRecord()
  let at = 0
  for (; at < fields.length && fields[at]!.startsWith(':'); at += 2) {
    const name = fields[at]!
    if (!PSEUDO.has(name) || pseudo[name] !== undefined) return undefined
    pseudo[name] = fields[at + 1]!
  }
  for (; at < fields.length; at += 2) if (!addField(headers, fields[at]!, fields[at + 1]!)) return undefined
  const { ':method': method, ':path': target } = pseudo
  if (method === undefined || !areWellFormed(pseudo)) return undefined
  const { 'content-length': announced } = headers
  if (announced !== undefined && !DIGITS.test(announced)) return undefined
  return {
    method,
    target: method === 'CONNECT' ? undefined : target,
    headers,
    rawHeaders: fields,
    length: announced === undefined ? undefined : Number(announced),
  }
}

/** Whether these may come behind a body. */
export function areTrailers(fields: readonly string[]): boolean {
  const trailers = emptyRecord()
  for (let at = 0; at < fields.length; at += 2) if (!addField(trailers, fields[at]!, fields[at + 1]!)) return false
  return true
}

/** Section 8.3.1 and, for CONNECT, 8.5. */
function areWellFormed({
  ':method': method = '',
  ':path': target,
  ':scheme': scheme,
  ':authority': authority,
}: Record<string, string | undefined>): boolean {
  if (method === '' || BAD_NAME.test(method.toLowerCase())) return false
  if (authority !== undefined && BAD_AUTHORITY.test(authority)) return false
  if (method === 'CONNECT') return authority !== undefined && scheme === undefined && target === undefined
  if (scheme !== 'https' && scheme !== 'http') return false
  return target !== undefined && TARGET.test(target)
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

/** Without a prototype, so that no header is taken for what every object has. */
function emptyRecord(): Record<string, string | undefined> {
  return Object.create(null) as Record<string, string | undefined>
}

function addField(headers: Record<string, string | undefined>, name: string, value: string): boolean {
  if (name === '' || BAD_NAME.test(name) || OF_ONE_CONNECTION.has(name)) return false
  if (BAD_VALUE.test(value) || isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1))) return false
  if (name === 'te' && value !== 'trailers') return false
  const before = headers[name]
  if (before === undefined) headers[name] = value
  else if (name === 'content-length') return before === value
  else if (name === 'cookie') headers[name] = `${before}; ${value}`
  else if (!SINGLE.has(name)) headers[name] = `${before}, ${value}`
  return true
}
