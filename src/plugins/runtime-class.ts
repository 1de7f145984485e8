// RuntimeClass: a pod's overhead and where it can run come from the class of its runtime (W-473).
import type { ApiObject } from '../api/object.ts'
import type { Value, ValueMap } from '../api/value.ts'
import { own } from '../api/value.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { QuantityOrder } from '../lib/quantity.ts'
import { compareQuantities, parseQuantity } from '../lib/quantity.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { mapIn, mapsIn, partIn, specOf, textIn, withSpec } from '../admission/members.ts'
import { findEven, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'
import { mergeTolerations } from './tolerations.ts'

export function runtimeClass(classes: ObjectReader): AdmissionPlugin {
  const find = (request: AdmissionRequest, signal: AbortSignal): MaybePromise<ApiObject | undefined> => {
    const name = textIn(specOf(request.object!), 'runtimeClassName')
    if (name === '') return undefined
    return whenKnown(findEven(classes, ['', name], signal), (found) => {
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
      if (pod === undefined || subresource !== '') return pod
      return whenKnown(find(request, signal), (found) =>
        found === undefined ? pod : withScheduling(request, withOverhead(request, pod, found), found),
      )
    },
    validate(request, signal) {
      const { object: pod, subresource } = request
      if (pod === undefined || subresource !== '') return undefined
      return whenKnown(find(request, signal), (found) => {
        const [given, due] = [partIn(specOf(pod), 'overhead'), found && overheadOf(found)]
        if (given !== undefined && due === undefined && Object.keys(given).length > 0) {
          throw forbidden(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
        }
        if (due !== undefined && !sameAmounts(given ?? {}, due)) throw mismatch(request)
      })
    },
  }
}

function overheadOf(found: ApiObject): ValueMap | undefined {
  const overhead = partIn(found, 'overhead')
  return overhead === undefined ? undefined : mapIn(overhead, 'podFixed')
}

function mismatch(request: AdmissionRequest): Error {
  return forbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

function withOverhead(request: AdmissionRequest, pod: ApiObject, found: ApiObject): ApiObject {
  const overhead = overheadOf(found)
  if (overhead === undefined) return pod
  const given = mapIn(specOf(pod), 'overhead')
  if (Object.keys(given).length > 0 && !sameAmounts(given, overhead)) throw mismatch(request)
  return withSpec(pod, { overhead })
}

function sameAmounts(a: ValueMap, b: ValueMap): boolean {
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length && names.every((name) => compareAmounts(own(a, name), own(b, name)) === 0)
  )
}

function compareAmounts(a: Value | undefined, b: Value | undefined): QuantityOrder | undefined {
  if (typeof a !== 'string' || typeof b !== 'string') return undefined
  const [left, right] = [parseQuantity(a), parseQuantity(b)]
  return left.ok && right.ok ? compareQuantities(left.quantity, right.quantity) : undefined
}

function withScheduling(request: AdmissionRequest, pod: ApiObject, found: ApiObject): ApiObject {
  const scheduling = partIn(found, 'scheduling')
  if (scheduling === undefined) return pod
  const spec = specOf(pod)
  const [given, due] = [mapIn(spec, 'nodeSelector'), mapIn(scheduling, 'nodeSelector')]
  for (const key of Object.keys(due)) {
    const [before, value] = [textIn(given, key), textIn(due, key)]
    if (own(given, key) !== undefined && before !== value) {
      throw forbidden(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${before}`,
      )
    }
  }
  const tolerations = mergeTolerations(mapsIn(spec, 'tolerations'), mapsIn(scheduling, 'tolerations'))
  return withSpec(pod, {
    ...(Object.keys(due).length === 0 ? {} : { nodeSelector: { ...given, ...due } }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  })
}
