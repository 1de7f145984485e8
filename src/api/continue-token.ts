// Continue tokens: the position and the revision at which a chunked list continues. Tokens are opaque to clients. They have the reference's
// form, so a token stays valid after a change of server. A token is not bound to a user, a selector or a limit. The token of a
// query is bound to the query.
import { jsonObjectFault, jsonTypeOf } from '../lib/json-fault.ts'
import type { PagePosition } from './read.ts'
import { ApiError } from './status.ts'

const VERSION = 'meta.k8s.io/v1'
const VERSIONS: readonly unknown[] = [VERSION, 'meta.svc.io/v1']

export function encodeContinue(position: PagePosition): string {
  const { query, skip } = position
  const content = { v: VERSION, rv: position.revision ?? -1, start: position.start, query, skip }
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

/** Throws `ApiError` `BadRequest` for a text that no server can have made. */
export function decodeContinue(text: string): PagePosition {
  const illegal = illegalBase64At(text)
  if (illegal !== undefined) throw invalid(`: illegal base64 data at input byte ${illegal}`)
  const { v, rv, start, query, skip } = contentOf(Buffer.from(text, 'base64url'))
  if (!VERSIONS.includes(v)) throw invalid(`: server does not recognize this encoded version ${v}`)
  if (rv === 0) throw invalid(`: incorrect encoded start resourceVersion (version ${VERSION})`)
  if (start === '') throw invalid(`: encoded start key empty (version ${VERSION})`)
  const path = start.startsWith('/') ? start.slice(1) : start
  if (path === '' || path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    throw invalid(`: ${start}`)
  }
  const position = { revision: rv > 0 ? rv : undefined, start: path }
  return query === '' ? position : { ...position, query, skip: Math.max(0, skip) }
}

/** The position of the first invalid character of unpadded base64url, as the reference counts it. */
function illegalBase64At(text: string): number | undefined {
  const legal = /^[A-Za-z0-9_-]*/.exec(text)?.[0].length ?? 0
  if (legal < text.length) return legal
  return text.length % 4 === 1 ? text.length - 1 : undefined
}

const NOTHING: Readonly<{ v: string; rv: number; start: string; query: string; skip: number }> = {
  v: '',
  rv: 0,
  start: '',
  query: '',
  skip: 0,
}

function contentOf(bytes: Buffer): typeof NOTHING {
  // Messages show the invalid byte, not the character that has this byte.
  const fault = jsonObjectFault(bytes.toString('latin1'), 'storage.continueToken')
  if (fault !== undefined) throw invalid(`: ${fault}`)
  const found = (JSON.parse(bytes.toString('utf8')) ?? {}) as Readonly<Record<string, unknown>>
  const given = Object.entries(NOTHING).map(([name, nothing]) => {
    const value = found[name] ?? nothing
    const fits = typeof nothing === 'number' ? Number.isSafeInteger(value) : typeof value === 'string'
    if (!fits) throw invalid(`: ${typeFault(name, value, typeof nothing === 'number' ? 'int64' : 'string')}`)
    return [name, value] as const
  })
  return { ...NOTHING, ...Object.fromEntries(given) }
}

function typeFault(name: string, value: unknown, type: 'int64' | 'string'): string {
  const shown = type === 'int64' && typeof value === 'number' ? `number ${value}` : jsonTypeOf(value)
  return `json: cannot unmarshal ${shown} into Go struct field continueToken.${name} of type ${type}`
}

function invalid(detail: string): ApiError {
  return new ApiError('BadRequest', `invalid continue token: continue key is not valid${detail}`)
}
