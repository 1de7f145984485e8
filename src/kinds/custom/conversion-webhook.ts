// Conversion of custom resources by the webhook of their definition (P-366), or by a function in its place. In the metadata, the webhook or
// function may change only labels and annotations.
import { randomUUID } from 'node:crypto'
import { asMap, listOrEmpty, mapOrAbsent, mapOrEmpty, textOrEmpty, textsOnly } from '../../api/members.ts'
import type { ApiObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { equalValues, isMap, own, type Value, type ValueMap } from '../../api/value.ts'
import { labelValue, qualifiedName } from '../../lib/name-formats.ts'
import {
  type ResolveService,
  readWebhookTarget,
  type ReviewFunction,
  WEBHOOK_USER_AGENT,
} from '../../outgoing/webhook-client.ts'
import { checkAnswer } from '../../outgoing/answer.ts'
import type { OutgoingAnswer, OutgoingCaller } from '../../outgoing/call.ts'
import { OutgoingCallError } from '../../outgoing/failure.ts'

export interface ConversionParts {
  readonly caller: OutgoingCaller
  readonly locate: ResolveService
  readonly encode: (value: Value) => string
  /** Throws if the bytes are not JSON. */
  readonly parse: (bytes: Buffer) => Value
}

/** Converts objects, keeping their order. Throws `ApiError`. */
export type ConvertByWebhook = (
  objects: readonly ApiObject[],
  toApiVersion: string,
  signal: AbortSignal,
) => Promise<readonly ApiObject[]>

const REVIEW_VERSIONS = ['v1', 'v1beta1'] as const
type ReviewVersion = (typeof REVIEW_VERSIONS)[number]

const TIMEOUT_MS = 30_000

/** A response may have this size, or `ANSWER_FACTOR` times the size of the request if that is more. */
const LEAST_ANSWER_BYTES = 16 * 1024 * 1024
const ANSWER_FACTOR = 4

/** `webhook` is `spec.conversion.webhook` of the definition. */
export function conversionWebhook(parts: ConversionParts, webhook: ValueMap): ConvertByWebhook {
  const target = readWebhookTarget(mapOrEmpty(webhook, 'clientConfig'), parts.locate)
  const [version] = textsOnly(webhook, 'conversionReviewVersions').flatMap(
    (wanted) => REVIEW_VERSIONS.find((known) => known === wanted) ?? [],
  )
  return convertBy(version, async (review, signal) => {
    const body = parts.encode(review)
    const call = {
      body,
      userAgent: WEBHOOK_USER_AGENT,
      timeoutMs: TIMEOUT_MS,
      tellTimeout: true,
      maxAnswerBytes: Math.max(LEAST_ANSWER_BYTES, ANSWER_FACTOR * body.length),
    }
    const answer = await parts.caller.call(target, call, signal)
    checkAnswer(answer)
    return parsed(answer, parts.parse)
  })
}

/** A function that converts instead of a webhook. */
export function conversionFunction(encode: ConversionParts['encode'], answer: ReviewFunction): ConvertByWebhook {
  return convertBy('v1', (review, signal) => answer(encode(review), TIMEOUT_MS, signal))
}

function convertBy(
  version: ReviewVersion | undefined,
  ask: (review: ValueMap, signal: AbortSignal) => Promise<Value>,
): ConvertByWebhook {
  return async (objects, toApiVersion, signal) => {
    const others = objects.filter(({ apiVersion }) => apiVersion !== toApiVersion)
    const [first] = others
    if (first === undefined) return objects
    if (version === undefined) throw broken('no supported conversion review versions')
    const uid = randomUUID()
    const request = { uid, desiredAPIVersion: toApiVersion, objects: others }
    const subject = `conversion webhook for ${first.apiVersion}, Kind=${first.kind}`
    let converted: readonly Value[]
    try {
      const review = { kind: 'ConversionReview', apiVersion: `apiextensions.k8s.io/${version}`, request }
      converted = readAnswer(asMap(await ask(review, signal)), version, uid)
    } catch (error) {
      if (!(error instanceof OutgoingCallError || error instanceof ReviewFault)) throw error
      throw broken(`${subject} failed: ${error.message}`)
    }
    if (converted.length !== others.length) {
      throw broken(`${subject} returned ${converted.length} objects, expected ${others.length}`)
    }
    const made = converted.map((value, i) => accept(subject, { original: others[i]!, value, toApiVersion }))
    let next = 0
    return objects.map((object) => (object.apiVersion === toApiVersion ? object : made[next++]!))
  }
}

/** The response is invalid, or reports a failure. */
class ReviewFault extends Error {}

function readAnswer(review: ValueMap, version: ReviewVersion, uid: string): readonly Value[] {
  const response = mapOrAbsent(review, 'response')
  if (version === 'v1') {
    const [apiVersion, kind] = [textOrEmpty(review, 'apiVersion'), textOrEmpty(review, 'kind')]
    if (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview') {
      const wanted = 'apiextensions.k8s.io/v1, Kind=ConversionReview'
      throw new ReviewFault(`expected webhook response of ${wanted}, got ${apiVersion}, Kind=${kind}`)
    }
  }
  if (response === undefined) throw new ReviewFault('no response provided')
  const sent = textOrEmpty(response, 'uid')
  if (version === 'v1' && sent !== uid) {
    throw new ReviewFault(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(sent)}`)
  }
  const result = mapOrEmpty(response, 'result')
  const status = textOrEmpty(result, 'status')
  if (status !== 'Success') {
    throw new ReviewFault(textOrEmpty(result, 'message') || `response.result.status was '${status}', not 'Success'`)
  }
  return listOrEmpty(response, 'convertedObjects')
}

function parsed({ body }: OutgoingAnswer, parse: ConversionParts['parse']): Value {
  try {
    return parse(body)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ReviewFault(`couldn't get version/kind; json parse error: ${why}`)
  }
}

interface Conversion {
  readonly original: ApiObject
  readonly value: Value
  readonly toApiVersion: string
}

/** The converted object, with its original metadata except for labels and annotations. Throws if it is another object. */
function accept(subject: string, { original, value, toApiVersion }: Conversion): ApiObject {
  const fault = (why: string): ApiError => broken(`${subject} returned invalid object at index 0: ${why}`)
  const object = asMap(value)
  const [apiVersion, kind] = [textOrEmpty(object, 'apiVersion'), textOrEmpty(object, 'kind')]
  if (apiVersion !== toApiVersion) {
    throw fault(`invalid groupVersion (expected ${toApiVersion}, received ${apiVersion})`)
  }
  if (kind !== original.kind) throw fault(`invalid kind (expected ${original.kind}, received ${kind})`)
  const metadata = own(object, 'metadata')
  for (const [member, name] of IDENTITY_MEMBERS) {
    const [before, after] = [textOrEmpty(original.metadata, member), textOrEmpty(asMap(metadata), member)]
    if (before === after) continue
    throw broken(`${subject} returned invalid object: must have the same ${name}: ${before} != ${after}`)
  }
  try {
    return { ...object, apiVersion, kind, metadata: restored(original.metadata, metadata) }
  } catch (error) {
    if (!(error instanceof ReviewFault)) throw error
    throw broken(`${subject} returned invalid metadata: ${error.message}`)
  }
}

const IDENTITY_MEMBERS: readonly (readonly [string, string])[] = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
]

function restored(original: ValueMap, converted: Value | undefined): ValueMap {
  if (converted === undefined) throw new ReviewFault('missing metadata in converted object')
  if (!isMap(converted)) throw new ReviewFault('invalid metadata in converted object')
  const { labels: _, annotations: __, ...kept } = original
  return { ...kept, ...texts('labels', original, converted), ...texts('annotations', original, converted) }
}

function texts(field: 'labels' | 'annotations', original: ValueMap, converted: ValueMap): ValueMap {
  const given = own(converted, field)
  if (given === undefined || given === null) return {}
  if (!isMap(given)) throw new ReviewFault(`invalid metadata.${field} in converted object`)
  const isChanged = !equalValues(given, own(original, field))
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== 'string') {
      throw new ReviewFault(`metadata.${field}[${key}] must be a string in converted object`)
    }
    if (!isChanged) continue
    const [why] = [...qualifiedName(key), ...(field === 'labels' ? labelValue(value) : [])]
    if (why !== undefined) throw new ReviewFault(`metadata.${field}: Invalid value: ${JSON.stringify(key)}: ${why}`)
  }
  return { [field]: given }
}

/** An internal error without a reason, as in the reference. */
function broken(message: string): ApiError {
  return new ApiError('', message)
}
