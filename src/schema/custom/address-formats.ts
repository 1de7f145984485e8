// The formats `uri` and `email`, as Go's parsers accept them.
import { isIP, isIPv6 } from 'node:net'

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2})/
const USER_INFO = /^[a-zA-Z0-9\-._:~!$&'()*+,;=%@]*$/
/** Every character that is not of ASCII may be in a host name. Escapes there may only stand for such characters. */
const HOST = /^(?:[a-zA-Z0-9\-_.~!$&'()*+,;=:[\]<>"\u{80}-\u{10ffff}]|%[89a-fA-F][0-9a-fA-F]|%25)*$/u

/** Whether the text is a URI with a scheme, a path from the root, or `*`. */
export function isRequestUri(text: string): boolean {
  if (text === '*') return true
  if (text.startsWith(':') || text.split('').some((char) => char < ' ' || char === '\x7f')) return false
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? ''
  const [rest = ''] = text.slice(scheme.length).split('?', 1)
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme === '' || !rest.startsWith('//')) return !BAD_ESCAPE.test(rest)
  const [authority = ''] = rest.slice(2).split('/', 1)
  return isAuthority(authority) && !BAD_ESCAPE.test(rest.slice(2 + authority.length))
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  const user = text.slice(0, Math.max(at, 0))
  if (!USER_INFO.test(user) || BAD_ESCAPE.test(user)) return false
  const host = text.slice(at + 1)
  if (!host.startsWith('[')) return /^[^:]*(?::\d*)?$/.test(host) && HOST.test(host)
  const [, address = '', zone = ''] = /^\[([^%]*)(%25[^[\]]*)?\](?::\d*)?$/.exec(host) ?? []
  return isIPv6(address) && !BAD_ESCAPE.test(zone)
}

/** Go takes every character that is not of ASCII for one of a word. */
const WORD_CHARACTER = "[a-zA-Z0-9!#$%&'*+\\-/=?^_`{|}~\\u{80}-\\u{10ffff}]"
const DOTTED = `${WORD_CHARACTER}+(?:\\.${WORD_CHARACTER}+)*`
const QUOTED = '"(?:[^"\\\\\\r\\n]|\\\\[^\\r\\n])+"'
const SPACE = '[ \\t]*'
const PLAIN = `((?:${DOTTED})|(?:${QUOTED}))@${SPACE}((?:${DOTTED})|\\[[^\\[\\]]*\\])`
/** Words with dots anywhere, and quoted ones. A character can match in one way only, or long texts would take forever. */
const NAME = `(?:${WORD_CHARACTER}|[. \\t]|${QUOTED})*`
const COMMENT = '(?:\\([^()\\\\]*\\)[ \\t]*)?'
const EMAIL = new RegExp(`^(?:${SPACE}${PLAIN}|${NAME}<${PLAIN}>)${SPACE}${COMMENT}$`, 'u')

/** Whether the text is an address, or a name with an address in angle brackets. */
export function isEmail(text: string): boolean {
  const found = EMAIL.exec(text)
  const domain = found?.[2] ?? found?.[4] ?? ''
  return found !== null && (!domain.startsWith('[') || isIP(domain.slice(1, -1)) !== 0)
}
