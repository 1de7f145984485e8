// RuntimeClass: sets the overhead and scheduling constraints of a pod from its runtime class (W-473).
import type { Pod, RuntimeClass } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { withSpec } from '../api/object-members.ts'
import { entriesOf, type MapOf, own } from '../api/value.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { compareQuantities } from '../lib/quantity.ts'
import { amountsOf } from '../api/amounts.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'
import { mergeTolerations } from './tolerations.ts'

export function runtimeClass(classes: ObjectReader<RuntimeClass>): AdmissionPlugin {
  const find = (
    request: AdmissionRequest,
    { spec: { runtimeClassName: name = '' } }: Pod,
    signal: AbortSignal,
  ): MaybePromise<RuntimeClass | undefined> => {
    if (name === '') return undefined
    return whenKnown(findAnywhere(classes, ['', name], signal), (found) => {
      if (found === undefined) {
        throw forbidden(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`)
      }
      return found
    })
  }
  return {
    name: 'RuntimeClass',
    resources: ['pods'],
    operations: ['CREATE'],
    mutate(request, signal) {
      const { object: pod, subresource } = request
      if (!isKind(pod, 'core_v1.Pod') || subresource !== '') return pod
      return whenKnown(find(request, pod, signal), (found) =>
        found === undefined ? pod : withScheduling(request, withOverhead(request, pod, found), found),
      )
    },
    validate(request, signal) {
      const { object: pod, subresource } = request
      if (!isKind(pod, 'core_v1.Pod') || subresource !== '') return undefined
      return whenKnown(find(request, pod, signal), (found) => {
        const [given, due] = [pod.spec.overhead, found && overheadOf(found)]
        if (given !== undefined && due === undefined && Object.keys(given).length > 0) {
          throw forbidden(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
        }
        if (due !== undefined && !sameAmounts(given ?? {}, due)) throw mismatch(request)
      })
    },
  }
}

function overheadOf({ overhead }: RuntimeClass): MapOf<string> | undefined {
  return overhead && (overhead.podFixed ?? {})
}

function mismatch(request: AdmissionRequest): Error {
  return forbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

function withOverhead(request: AdmissionRequest, pod: Pod, found: RuntimeClass): Pod {
  const overhead = overheadOf(found)
  if (overhead === undefined) return pod
  const { overhead: given = {} } = pod.spec
  if (Object.keys(given).length > 0 && !sameAmounts(given, overhead)) throw mismatch(request)
  return withSpec(pod, { overhead })
}

function sameAmounts(a: MapOf<string>, b: MapOf<string>): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  const [left, right] = [amountsOf(a), amountsOf(b)]
  return names.every((name) => {
    const [some, other] = [left.get(name), right.get(name)]
    return some !== undefined && other !== undefined && compareQuantities(some, other) === 0
  })
}

function withScheduling(request: AdmissionRequest, pod: Pod, { scheduling }: RuntimeClass): Pod {
  if (scheduling === undefined) return pod
  const { nodeSelector: given = {} } = pod.spec
  const { nodeSelector: due = {} } = scheduling
  for (const [key, value] of entriesOf(due)) {
    const before = own(given, key)
    if (before !== undefined && before !== value) {
      const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${before}`
      throw forbidden(request, why)
    }
  }
  const tolerations = mergeTolerations(pod.spec.tolerations ?? [], scheduling.tolerations ?? [])
  return withSpec(pod, {
    ...(Object.keys(due).length === 0 ? {} : { nodeSelector: { ...given, ...due } }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  })
}
