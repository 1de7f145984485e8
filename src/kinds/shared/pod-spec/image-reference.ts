// The tag of a container image. The default pull policy depends on it.

const MAX_NAME = 255

/** The longest reference that is parsed: many times the length of any reference in use. */
const MAX_REFERENCE = 4096
const BARE_IDENTIFIER = /^[a-f0-9]{64}$/
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/
const TAG = /^\w[\w.-]{0,127}$/

const HOST =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/

const COMPONENT = /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/

/** The tag, or `latest` if there is neither tag nor digest. Undefined: the reference has only a digest, or is malformed. */
export function imageTag(reference: string): string | undefined {
  if (reference.length > MAX_REFERENCE || BARE_IDENTIFIER.test(reference)) return undefined
  const at = reference.indexOf('@')
  const tagged = at < 0 ? reference : reference.slice(0, at)
  if (at >= 0 && !DIGEST.test(reference.slice(at + 1))) return undefined
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1)
  const name = colon < 0 ? tagged : tagged.slice(0, colon)
  if (!isName(name)) return undefined
  if (colon >= 0) {
    const tag = tagged.slice(colon + 1)
    return TAG.test(tag) ? tag : undefined
  }
  return at < 0 ? 'latest' : undefined
}

function isName(name: string): boolean {
  const parts = name.split('/')
  const [first = ''] = parts
  const hasHost = parts.length > 1 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first)
  if (hasHost && !HOST.test(first)) return false
  const path = hasHost ? parts.slice(1) : parts
  return name.length <= MAX_NAME && path.every((part) => COMPONENT.test(part))
}
