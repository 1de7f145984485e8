// Continue tokens: where a chunked list goes on and at which revision. Opaque to clients, in the reference's form
// so that a token survives a change of server. A token is not bound to a user, a selector or a limit.
import type { PagePosition } from './read.ts'
import { ApiError } from './status.ts'

const VERSION = 'meta.k8s.io/v1'
const VERSIONS: readonly unknown[] = [VERSION, 'meta.svc.io/v1']

export function encodeContinue(position: PagePosition): string {
  const content = { v: VERSION, rv: position.revision ?? -1, start: position.start }
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

/** Throws `ApiError` `BadRequest` for anything that cannot have come from `encodeContinue` of some server. */
export function decodeContinue(text: string): PagePosition {
  const illegal = illegalBase64At(text)
  if (illegal !== undefined) throw invalid(`: illegal base64 data at input byte ${illegal}`)
  const content = parse(Buffer.from(text, 'base64url').toString('utf8'))
  if (content === undefined) throw invalid(': not a JSON object')
  const { v = '', rv = 0, start = '' } = content
  if (typeof v !== 'string' || !Number.isSafeInteger(rv) || typeof start !== 'string') {
    throw invalid(': a field has the wrong type')
  }
  if (!VERSIONS.includes(v)) throw invalid(`: server does not recognize this encoded version ${v}`)
  if (rv === 0) throw invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === '') throw invalid(`: encoded start key empty (version ${VERSION})`)
  const path = start.startsWith('/') ? start.slice(1) : start
  if (path === '' || path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw invalid(`: ${start}`)
  }
  return { revision: (rv as number) > 0 ? (rv as number) : undefined, start: path }
}

/** Where unpadded base64url breaks off, counted as the reference counts. */
function illegalBase64At(text: string): number | undefined {
  const legal = /^[A-Za-z0-9_-]*/.exec(text)?.[0].length ?? 0
  if (legal < text.length) return legal
  return text.length % 4 === 1 ? text.length - 1 : undefined
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(text)
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content)
    return isObject ? (content as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function invalid(detail: string): ApiError {
  return new ApiError('BadRequest', `invalid continue token: continue key is not valid${detail}`)
}
