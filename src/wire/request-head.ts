// The head of an HTTP/2 request. It arrives as names and values in turn, and handlers get it as a record. Invariant: a head that is
// malformed by RFC 9113, section 8, never becomes a request.

export interface RequestHead {
  readonly method: string
  /** Undefined for CONNECT, which names no resource. */
  readonly target: string | undefined
  readonly headers: Record<string, string | undefined>
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** The length of the body, if the client announced it. */
  readonly length: number | undefined
}

const BAD_NAME = /[^!#$%&'*+.^_`|~\-0-9a-z]/
/** RFC 9113, section 8.2.1. RFC 9110, section 5.5, forbids control characters too. */
const BAD_VALUE = /[^\t -~\x80-\xff]/
/** A path with its query has no spaces. `*` is for OPTIONS. Proxies that send other targets use HTTP/1.1. */
const TARGET = /^(?:\/[!-~\x80-\xff]*|\*)$/
/** RFC 3986, section 3.2, without the user information that RFC 9113 forbids. */
const BAD_AUTHORITY = /[^!$%&'()*+,\-.0-9:;=A-Z[\]_a-z~]/

export function isAuthority(text: string): boolean {
  return !BAD_AUTHORITY.test(text)
}

const DIGITS = /^\d{1,15}$/
/** The usual methods. Their characters need no check. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])
const SPACE = 0x20
const TAB = 0x09

type FieldRule =
  /** The header is about one connection. HTTP/2 does not have it. */
  | 'refused'
  /** The header may occur once. */
  | 'single'
  /** The first of several values counts. */
  | 'first'
  /** Several values are joined by commas. */
  | 'joined'
  | 'cookie'
  | 'length'

/** The rules for well-known names. Their characters need no check. Values of other names are joined. */
const RULES: ReadonlyMap<string, FieldRule> = new Map<string, FieldRule>([
  ['connection', 'refused'],
  ['keep-alive', 'refused'],
  ['proxy-connection', 'refused'],
  ['transfer-encoding', 'refused'],
  ['upgrade', 'refused'],
  ['authorization', 'first'],
  ['content-type', 'first'],
  ['expect', 'first'],
  ['from', 'first'],
  ['host', 'single'],
  ['if-modified-since', 'first'],
  ['if-unmodified-since', 'first'],
  ['max-forwards', 'first'],
  ['proxy-authorization', 'first'],
  ['referer', 'first'],
  ['user-agent', 'first'],
  ['accept', 'joined'],
  ['accept-encoding', 'joined'],
  ['kubectl-command', 'joined'],
  ['kubectl-session', 'joined'],
  ['te', 'joined'],
  ['traceparent', 'joined'],
  ['cookie', 'cookie'],
  ['content-length', 'length'],
])

interface PseudoFields {
  ':method': string | undefined
  ':scheme': string | undefined
  ':authority': string | undefined
  ':path': string | undefined
}

/** Returns the head of a request. Undefined: it is malformed. */
export function requestHeadOf(fields: readonly string[]): RequestHead | undefined {
  const pseudo: PseudoFields = {
    ':method': undefined,
    ':scheme': undefined,
    ':authority': undefined,
    ':path': undefined,
  }
  const headers = emptyRecord()
  let at = 0
  for (; at < fields.length && fields[at]!.startsWith(':'); at += 2) {
    if (!addPseudo(pseudo, fields[at]!, fields[at + 1]!)) return undefined
  }
  for (; at < fields.length; at += 2) if (!addField(headers, fields[at]!, fields[at + 1]!)) return undefined
  const { ':method': method, ':path': target } = pseudo
  if (method === undefined || !areWellFormed(pseudo)) return undefined
  const { 'content-length': announced, host } = headers
  if (host !== undefined && !isHostOf(pseudo, host)) return undefined
  if (announced !== undefined && !DIGITS.test(announced)) return undefined
  return {
    method,
    target: method === 'CONNECT' ? undefined : target,
    headers,
    rawHeaders: fields,
    length: announced === undefined ? undefined : Number(announced),
  }
}

/** Whether `host` and `:authority` name the same server (section 8.3.1). */
function isHostOf({ ':authority': authority = '' }: PseudoFields, host: string): boolean {
  return isAuthority(host) && (authority === '' || authority.toLowerCase() === host.toLowerCase())
}

/** Whether these fields may be trailers. */
export function areTrailers(fields: readonly string[]): boolean {
  const trailers = emptyRecord()
  for (let at = 0; at < fields.length; at += 2) if (!addField(trailers, fields[at]!, fields[at + 1]!)) return false
  return true
}

/** Adds a pseudo-header. False: its name is unknown, or the request has it already. */
function addPseudo(pseudo: PseudoFields, name: string, value: string): boolean {
  switch (name) {
    case ':method':
    case ':scheme':
    case ':authority':
    case ':path':
      if (pseudo[name] !== undefined) return false
      pseudo[name] = value
      return true
    default:
      return false
  }
}

/** Checks the rules of section 8.3.1 and, for CONNECT, of section 8.5. */
function areWellFormed({
  ':method': method = '',
  ':path': target,
  ':scheme': scheme,
  ':authority': authority,
}: PseudoFields): boolean {
  if (!METHODS.has(method) && (method === '' || BAD_NAME.test(method.toLowerCase()))) return false
  if (authority !== undefined && !isAuthority(authority)) return false
  if (method === 'CONNECT') return authority !== undefined && scheme === undefined && target === undefined
  if (scheme !== 'https' && scheme !== 'http') return false
  return target !== undefined && TARGET.test(target)
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

/** Returns a record without a prototype, so that no header is mistaken for an inherited member. */
function emptyRecord(): Record<string, string | undefined> {
  return Object.create(null) as Record<string, string | undefined>
}

function addField(headers: Record<string, string | undefined>, name: string, value: string): boolean {
  const rule = RULES.get(name)
  if (rule === undefined ? name === '' || BAD_NAME.test(name) : rule === 'refused') return false
  if (BAD_VALUE.test(value) || isBlank(value.charCodeAt(0)) || isBlank(value.charCodeAt(value.length - 1))) return false
  if (name === 'te' && value !== 'trailers') return false
  const before = headers[name]
  if (before === undefined) headers[name] = value
  else if (rule === 'single') return false
  else if (rule === 'length') return before === value
  else if (rule === 'cookie') headers[name] = `${before}; ${value}`
  else if (rule !== 'first') headers[name] = `${before}, ${value}`
  return true
}
