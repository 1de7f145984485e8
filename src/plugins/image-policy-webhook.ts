// ImagePolicyWebhook: asks a webhook whether the images of a pod are allowed, and caches its answers. If the webhook cannot be reached, the
// configured default applies.
import { asMap, isTrue, mapOrEmpty, mapsOnly, textOrEmpty } from '../api/members.ts'
import { annotationsOf, specOf } from '../api/object-members.ts'
import type { Value } from '../api/value.ts'
import { askWithRetries, type ReviewWebhook } from '../auth/review-webhook.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Clock } from '../lib/clock.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { forbidden } from '../admission/refusal.ts'

export interface ImagePolicyOptions {
  readonly allowedMs: number
  readonly refusedMs: number
  /** The wait before the first retry. It grows with each further retry. */
  readonly backoffMs: number
  /** Whether images are allowed if the webhook fails. */
  readonly failsOpen: boolean
}

interface Verdict {
  readonly allowed: boolean
  readonly reason: string
  readonly annotations: readonly (readonly [string, string])[]
  readonly untilMs: number
}

const NAME = 'ImagePolicyWebhook'
const REMEMBERED = 1_024
const AUDIT_PREFIX = 'imagepolicywebhook.image-policy.k8s.io/'

export function imagePolicy(ask: ReviewWebhook['ask'], options: ImagePolicyOptions, clock: Clock): AdmissionPlugin {
  const verdicts = new BoundedMap<string, Verdict>(REMEMBERED)
  const verdictOn = async (spec: object, signal: AbortSignal): Promise<Verdict | string> => {
    const key = JSON.stringify(spec)
    const known = verdicts.get(key)
    if (known !== undefined && clock.now() < known.untilMs) return known
    const review = { kind: 'ImageReview', apiVersion: 'imagepolicy.k8s.io/v1alpha1', metadata: {}, spec, status: {} }
    const outcome = await askWithRetries({ ask, clock, firstPauseMs: options.backoffMs }, review, signal)
    if (outcome.kind === 'failed') return outcome.problem
    const verdict = readVerdict(outcome.review, options, clock.now())
    verdicts.set(key, verdict)
    return verdict
  }
  return {
    name: NAME,
    resources: ['pods'],
    operations: ['CREATE', 'UPDATE'],
    async validate(request, signal) {
      const spec = reviewSpec(request)
      if (spec === undefined) return
      const verdict = await verdictOn(spec, signal)
      if (typeof verdict === 'string') {
        if (!options.failsOpen) throw forbidden(request, verdict)
        request.annotate(`${AUDIT_PREFIX}failed-open`, 'true')
        return
      }
      for (const [key, value] of verdict.annotations) request.annotate(`${AUDIT_PREFIX}${key}`, value)
      if (verdict.allowed) return
      const why = `image policy webhook backend denied one or more images: ${verdict.reason}`
      throw forbidden(request, verdict.reason === '' ? 'one or more images rejected by webhook backend' : why)
    },
  }
}

/** The spec of the review. Undefined: the request has no images. The only subresource with images is `ephemeralcontainers`. */
function reviewSpec({ object: pod, subresource, namespace }: AdmissionRequest): object | undefined {
  if (pod === undefined || (subresource !== '' && subresource !== 'ephemeralcontainers')) return undefined
  const lists = subresource === '' ? ['containers', 'initContainers'] : ['ephemeralContainers']
  const containers = lists
    .flatMap((list) => mapsOnly(specOf(pod), list))
    .map((each) => ({ image: textOrEmpty(each, 'image') }))
  const annotations = Object.fromEntries(
    Object.entries(annotationsOf(pod)).filter(([key]) => key.includes('.image-policy.k8s.io/')),
  )
  return {
    ...(containers.length === 0 ? {} : { containers }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    ...(namespace === '' ? {} : { namespace }),
  }
}

function readVerdict(review: unknown, { allowedMs, refusedMs }: ImagePolicyOptions, nowMs: number): Verdict {
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
