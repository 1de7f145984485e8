// Turns results of functions into answers of webhooks. Reviews and answers are JSON text: a function gets its own copies of the objects, in
// this process too.
import { jsonText, parseJsonText } from '../api/json-text.ts'
import { asMap, listOrEmpty, textOrEmpty } from '../api/members.ts'
import { equalValues, isMap, own, type Value, type ValueMap } from '../api/value.ts'
import { givenMembers } from '../lib/given-members.ts'

/** The answer to a review. Throws the function's error, or a `TypeError` if its result is malformed. */
export type Answer = (review: string) => Promise<string>

/** A function of an extension. `Extensible` has the types of its parameters. */
export type Run = (...args: never[]) => unknown

const ADMISSION_MEMBERS = 'allowed message code reason object patch warnings auditAnnotations'.split(' ')
const ACCESS_MEMBERS = 'allowed denied reason'.split(' ')

export function admissionAnswer(run: Run): Answer {
  return async (text) => {
    const review = asMap(parseJsonText(text))
    const { uid = '' } = asMap(review['request'])
    const result = await resultOf(run(asMap(review['request']) as never), ADMISSION_MEMBERS)
    const { message, code, reason, warnings, auditAnnotations } = result
    checkVerdicts(result, ['allowed'])
    if (own(result, 'allowed') !== false && (message ?? code ?? reason) !== undefined)
      throw new TypeError('the function must return allowed: false with a message, a code or a reason')
    const response = {
      uid,
      allowed: own(result, 'allowed') !== false,
      ...(own(result, 'allowed') === false && { status: givenMembers({ message, code, reason }) }),
      ...patchOf(result, () => own(asMap(asMap(parseJsonText(text))['request']), 'object') ?? null),
      ...givenMembers({ warnings, auditAnnotations }),
    }
    return jsonText({ kind: 'AdmissionReview', apiVersion: textOrEmpty(review, 'apiVersion'), response })
  }
}

/** `before` reads the object again, because the function may have changed its copy. */
function patchOf(result: ValueMap, before: () => Value): ValueMap {
  const { object, patch } = result
  if (object !== undefined && patch !== undefined) throw new TypeError('return the object or a patch, not both')
  const changes =
    object === undefined || equalValues(object, before()) ? patch : [{ op: 'replace', path: '', value: object }]
  if (changes === undefined) return {}
  return { patchType: 'JSONPatch', patch: Buffer.from(jsonText(changes)).toString('base64') }
}

export function authorizationAnswer(run: Run): Answer {
  return async (text) => {
    const { kind = '', apiVersion = '', spec = {} } = asMap(parseJsonText(text))
    const result = await resultOf(run(spec as never), ACCESS_MEMBERS)
    const { allowed, denied, reason } = result
    checkVerdicts(result, ['allowed', 'denied'])
    return jsonText({ kind, apiVersion, status: { allowed: false, ...givenMembers({ allowed, denied, reason }) } })
  }
}

export function conversionAnswer(run: Run): Answer {
  return async (text) => {
    const { kind = '', apiVersion = '', request } = asMap(parseJsonText(text))
    const [uid, desired] = [textOrEmpty(asMap(request), 'uid'), textOrEmpty(asMap(request), 'desiredAPIVersion')]
    const convertedObjects: ValueMap[] = []
    for (const object of listOrEmpty(asMap(request), 'objects')) {
      const { kind: ofKind = '', metadata = {} } = asMap(object)
      const converted = await resultOf(run(object as never, desired.slice(desired.indexOf('/') + 1) as never))
      convertedObjects.push({ kind: ofKind, metadata, ...converted, apiVersion: desired })
    }
    return jsonText({ kind, apiVersion, response: { uid, convertedObjects, result: { status: 'Success' } } })
  }
}

/** A result as JSON. `members`: the allowed members, because a misspelt member would count as a yes. Absent: any object is allowed. */
async function resultOf(returned: unknown, members?: readonly string[]): Promise<ValueMap> {
  const result = await returned
  if (result === undefined && members !== undefined) return {}
  const value = typeof result === 'object' ? parseJsonText(jsonText(result as Value)) : undefined
  const wanted = members === undefined ? 'an object' : `nothing or { ${members.join(', ')} }`
  if (!isMap(value)) throw new TypeError(`the function must return ${wanted}, not ${JSON.stringify(result)}`)
  const odd = members === undefined ? undefined : Object.keys(value).find((name) => !members.includes(name))
  if (odd !== undefined) throw new TypeError(`the function must return ${wanted}; there is no ${odd}`)
  return value
}

/** Throws if a member is not a boolean: a text such as `'false'` would count as a yes. */
function checkVerdicts(result: ValueMap, members: readonly string[]): void {
  const odd = members.find((name) => Object.hasOwn(result, name) && typeof own(result, name) !== 'boolean')
  if (odd !== undefined)
    throw new TypeError(`the function must return true or false for ${odd}, not ${jsonText(own(result, odd) ?? null)}`)
}
