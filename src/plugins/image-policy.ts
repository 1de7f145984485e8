// ImagePolicyWebhook: another server is asked whether the images of a pod may run. What it said is remembered for a while; where
// it cannot be asked the operator's word counts.
import { asMap, isTrue, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { annotationsOf, specOf } from '../api/object-members.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import { pause } from '../lib/pause.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

export interface ImagePolicyOptions {
  readonly allowedMs: number
  readonly refusedMs: number
  /** Before the first repetition; longer before each further one. */
  readonly backoffMs: number
  /** Whether images may run that nobody could be asked about. */
  readonly failsOpen: boolean
}

export type ImageReviewOutcome =
  | { readonly kind: 'answer'; readonly review: unknown }
  | { readonly kind: 'failed'; readonly problem: string; readonly mayRetry: boolean }

/** Sends an ImageReview and gives what comes back. */
export type AskAboutImages = (review: object, signal: AbortSignal) => Promise<ImageReviewOutcome>

interface Judgement {
  readonly allowed: boolean
  readonly reason: string
  readonly annotations: readonly (readonly [string, string])[]
  readonly untilMs: number
}

const NAME = 'ImagePolicyWebhook'
const REMEMBERED = 1_024
const ATTEMPTS = 5
const GROWTH = 1.5
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/'

export function imagePolicy(ask: AskAboutImages, options: ImagePolicyOptions, clock: Clock): AdmissionPlugin {
  const judged = new BoundedMap<string, Judgement>(REMEMBERED)
  const judge = async (spec: object, signal: AbortSignal): Promise<Judgement | string> => {
    const key = JSON.stringify(spec)
    const known = judged.get(key)
    if (known !== undefined && clock.now() < known.untilMs) return known
    const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {}, spec, status: {} }
    const outcome = await askPatiently(ask, review, { backoffMs: options.backoffMs, clock, signal })
    if (outcome.kind === 'failed') return outcome.problem
    const judgement = readJudgement(outcome.review, options, clock.now())
    judged.set(key, judgement)
    return judgement
  }
  return {
    name: NAME,
    resources: ['pods'],
    operations: ['CREATE', 'UPDATE'],
    async validate(request, signal) {
      const spec = specToAskAbout(request)
      if (spec === undefined) return
      const judgement = await judge(spec, signal)
      if (typeof judgement === 'string') {
        if (!options.failsOpen) throw forbidden(request, judgement)
        request.annotate(`${AUDIT_PREFIX}failed-open`, 'true')
        return
      }
      for (const [key, value] of judgement.annotations) request.annotate(`${AUDIT_PREFIX}${key}`, value)
      if (judgement.allowed) return
      const why = `image policy webhook backend denied one or more images: ${judgement.reason}`
      throw forbidden(request, judgement.reason === '' ? 'one or more images rejected by webhook backend' : why)
    },
  }
}

interface Patience {
  readonly backoffMs: number
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function askPatiently(
  ask: AskAboutImages,
  review: object,
  { backoffMs, clock, signal }: Patience,
): Promise<ImageReviewOutcome> {
  for (let attempt = 1, delayMs = backoffMs; ; attempt++, delayMs *= GROWTH) {
    const outcome = await ask(review, signal)
    if (outcome.kind === 'answer' || !outcome.mayRetry || attempt === ATTEMPTS) return outcome
    if (!(await pause(clock, delayMs, signal))) return outcome
  }
}

/** Of the subresources only the one that brings images of its own is of interest. */
function specToAskAbout({ object: pod, subresource, namespace }: AdmissionRequest): object | undefined {
  if (pod === undefined || (subresource !== '' && subresource !== 'ephemeralcontainers')) return undefined
  const lists = subresource === '' ? ['containers', 'initContainers'] : ['ephemeralContainers']
  const containers = lists
    .flatMap((list) => mapsOnly(specOf(pod), list))
    .map((each) => ({ image: textOrEmpty(each, 'image') }))
  const annotations = meantForPolicy(annotationsOf(pod))
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(namespace === '' ? {} : { namespace }),
  }
}

function meantForPolicy(annotations: ValueMap): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => key.includes('.image-policy.k8s.io/')))
}

function readJudgement(review: unknown, { allowedMs, refusedMs }: ImagePolicyOptions, nowMs: number): Judgement {
  const status = mapOrEmpty(asMap(review as Value), 'status')
  const allowed = isTrue(status, 'allowed')
  const annotations = Object.entries(mapOrEmpty(status, 'auditAnnotations')).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return {
    allowed,
    reason: textOrEmpty(status, 'reason'),
    annotations,
    untilMs: nowMs + (allowed ? allowedMs : refusedMs),
  }
}
