// The body of a QUERY: the parameters of a list, as a form or as a JSON object. The parameters of the body and of the URL form one query.
import { QUERY_PARAMETERS } from '../api/query-parameters.ts'
import { jsonOrAbsent } from '../api/json-text.ts'
import { asksForWatch } from '../api/list-query.ts'
import { MAX_SELECTOR_BYTES } from '../api/selector-text.ts'
import { ApiError } from '../api/status.ts'
import { isList, isMap, type Value } from '../api/value.ts'
import type { HttpRequest } from '../http/http.ts'
import { parseQuery, type Query } from '../http/query.ts'
import { headerOf } from './resource-parts.ts'

const FORM = 'application/x-www-form-urlencoded'
const JSON_TYPE = 'application/json'

/** The header `Accept-Query` tells clients which types of bodies the server accepts. */
const ACCEPT_QUERY = Object.freeze({ 'accept-query': `"${JSON_TYPE}", "${FORM}"` })

const OF_LISTS: ReadonlySet<string> = new Set([
  ...QUERY_PARAMETERS,
  'labelSelector',
  'fieldSelector',
  'shardSelector',
  'limit',
  'continue',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
])

/** The limit of a body. */
const MOST_BYTES = 512 * 1024

/** The parameters whose cost is in proportion to their length. */
const SELECTORS: ReadonlySet<string> = new Set(['labelSelector', 'fieldSelector', 'shardSelector'])

/** These parameters must be in the URL, because authorization reads them before the body. */
const OF_URLS: ReadonlySet<string> = new Set(['accessible'])

/** Throws `ApiError` for a parameter that a list does not have, because a list would ignore it silently. */
export async function parametersIn(http: HttpRequest): Promise<Pick<Query, 'get' | 'has'>> {
  http.responder.addHeaders(ACCEPT_QUERY)
  if (asksForWatch(http.query)) throw new ApiError('BadRequest', 'a watch is no QUERY; send a GET')
  const bytes = await http.body.read()
  if (bytes.length > MOST_BYTES) {
    throw new ApiError('RequestEntityTooLarge', `Request entity too large: the limit for a QUERY is ${MOST_BYTES}`)
  }
  const type = headerOf(http, 'content-type').split(';', 1)[0]!.trim().toLowerCase()
  const given = new Map<string, string>()
  for (const [name, text] of type === FORM ? formIn(bytes) : jsonIn(bytes, type)) {
    const fault = !OF_LISTS.has(name)
      ? 'is not a parameter of a list'
      : OF_URLS.has(name)
        ? 'belongs to the URL'
        : http.query.has(name)
          ? 'is in the URL too'
          : SELECTORS.has(name) && text.length > MAX_SELECTOR_BYTES
            ? `is longer than ${MAX_SELECTOR_BYTES} characters`
            : undefined
    if (fault !== undefined)
      throw new ApiError('BadRequest', `the parameter ${JSON.stringify(name.slice(0, 100))} ${fault}`)
    given.set(name, text)
  }
  return {
    get: (name) => given.get(name) ?? http.query.get(name),
    has: (name) => given.has(name) || http.query.has(name),
  }
}

function* formIn(bytes: Buffer): Generator<readonly [name: string, text: string]> {
  const form = parseQuery(bytes.toString('utf8'))
  if (form.broken !== undefined) {
    throw new ApiError(
      'BadRequest',
      `the part ${JSON.stringify(form.broken.slice(0, 100))} of the form is not a name and a value`,
    )
  }
  for (const name of form.names()) yield [name, form.get(name) ?? '']
}

function* jsonIn(bytes: Buffer, type: string): Generator<readonly [name: string, text: string]> {
  if (type === '') throw new ApiError('BadRequest', 'the body of a QUERY needs a Content-Type')
  if (type !== JSON_TYPE) {
    throw new ApiError('UnsupportedMediaType', `the body of a QUERY is ${JSON_TYPE} or ${FORM}, not ${type}`)
  }
  const value = jsonOrAbsent(bytes.toString('utf8'))
  if (!isMap(value)) throw new ApiError('BadRequest', 'the body of the QUERY is not a JSON object')
  for (const name of Object.keys(value)) yield [name, textOf(name, value[name] ?? null)]
}

/** Lists of texts are joined by commas. */
function textOf(name: string, value: Value): string {
  if (isList(value) && value.every((item) => typeof item === 'string')) return value.join(',')
  if (typeof value !== 'object') return String(value)
  throw new ApiError('BadRequest', `the parameter ${JSON.stringify(name.slice(0, 100))} is not a text`)
}
