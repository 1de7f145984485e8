// RuntimeClass: sets the overhead and scheduling constraints of a pod from its runtime class (W-473).
import { mapOrAbsent, mapOrEmpty, mapsOnly, quantityOrAbsent, textOrEmpty } from '../api/members.ts'
import { specOf, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type ValueMap } from '../api/value.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { compareQuantities } from '../lib/quantity.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'
import { mergeTolerations } from './tolerations.ts'

export function runtimeClass(classes: ObjectReader): AdmissionPlugin {
  const find = (request: AdmissionRequest, signal: AbortSignal): MaybePromise<ApiObject | undefined> => {
    const name = textOrEmpty(specOf(request.object!), 'runtimeClassName')
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
      if (pod === undefined || subresource !== '') return pod
      return whenKnown(find(request, signal), (found) =>
        found === undefined ? pod : withScheduling(request, withOverhead(request, pod, found), found),
      )
    },
    validate(request, signal) {
      const { object: pod, subresource } = request
      if (pod === undefined || subresource !== '') return undefined
      return whenKnown(find(request, signal), (found) => {
        const [given, due] = [mapOrAbsent(specOf(pod), 'overhead'), found && overheadOf(found)]
        if (given !== undefined && due === undefined && Object.keys(given).length > 0) {
          throw forbidden(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead')
        }
        if (due !== undefined && !sameAmounts(given ?? {}, due)) throw mismatch(request)
      })
    },
  }
}

function overheadOf(found: ApiObject): ValueMap | undefined {
  const overhead = mapOrAbsent(found, 'overhead')
  return overhead === undefined ? undefined : mapOrEmpty(overhead, 'podFixed')
}

function mismatch(request: AdmissionRequest): Error {
  return forbidden(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
}

function withOverhead(request: AdmissionRequest, pod: ApiObject, found: ApiObject): ApiObject {
  const overhead = overheadOf(found)
  if (overhead === undefined) return pod
  const given = mapOrEmpty(specOf(pod), 'overhead')
  if (Object.keys(given).length > 0 && !sameAmounts(given, overhead)) throw mismatch(request)
  return withSpec(pod, { overhead })
}

function sameAmounts(a: ValueMap, b: ValueMap): boolean {
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => {
    const [left, right] = [quantityOrAbsent(a, name), quantityOrAbsent(b, name)]
    return left !== undefined && right !== undefined && compareQuantities(left, right) === 0
  })
}

function withScheduling(request: AdmissionRequest, pod: ApiObject, found: ApiObject): ApiObject {
  const scheduling = mapOrAbsent(found, 'scheduling')
  if (scheduling === undefined) return pod
  const spec = specOf(pod)
  const [given, due] = [mapOrEmpty(spec, 'nodeSelector'), mapOrEmpty(scheduling, 'nodeSelector')]
  for (const key of Object.keys(due)) {
    const [before, value] = [textOrEmpty(given, key), textOrEmpty(due, key)]
    if (own(given, key) !== undefined && before !== value) {
      const why = `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${before}`
      throw forbidden(request, why)
    }
  }
  const tolerations = mergeTolerations(mapsOnly(spec, 'tolerations'), mapsOnly(scheduling, 'tolerations'))
  return withSpec(pod, {
    ...(Object.keys(due).length === 0 ? {} : { nodeSelector: { ...given, ...due } }),
    ...(tolerations.length === 0 ? {} : { tolerations }),
  })
}
