// Priority: sets the priority and preemption policy of a pod from its priority class, and allows one default class (W-463 to W-466).
import { isTrue, numberOrAbsent, numberOrZero, textOrAbsent, textOrEmpty } from '../api/members.ts'
import { metaText, specOf, withSpec } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type ValueMap } from '../api/value.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'

const PREEMPT = 'PreemptLowerPriority'

export function priority(classes: ObjectReader): AdmissionPlugin {
  return {
    name: 'Priority',
    resources: ['pods', 'priorityclasses.scheduling.k8s.io'],
    operations: ['CREATE', 'UPDATE'],
    mutate(request, signal) {
      const { object, resource, subresource, operation } = request
      if (object === undefined || subresource !== '' || resource.resource !== 'pods') return object
      if (operation !== 'CREATE') return withKept(object, request.oldObject)
      const name = textOrEmpty(specOf(object), 'priorityClassName')
      return whenKnown(resolve(request, name, classes, signal), (resolved) => withPriority(request, object, resolved))
    },
    validate(request, signal) {
      const { object, resource, operation, subresource } = request
      if (resource.resource !== 'priorityclasses' || subresource !== '' || object === undefined) return undefined
      if (own(object, 'globalDefault') !== true) return undefined
      return whenKnown(defaultClass(classes, signal), (current) => {
        if (current === undefined) return
        if (operation === 'UPDATE' && metaText(current, 'name') === metaText(object, 'name')) return
        const why = `PriorityClass ${metaText(current, 'name')} is already marked as default. Only one default can exist`
        throw forbidden(request, why)
      })
    },
  }
}

interface Resolved {
  readonly name: string
  readonly value: number
  readonly policy: string
}

function withPriority(request: AdmissionRequest, pod: ApiObject, { name, value, policy }: Resolved): ApiObject {
  const spec = specOf(pod)
  const checkGiven = <T extends number | string>(what: string, given: T | undefined, computed: T): void => {
    if (given === undefined || given === computed) return
    const why = `priority admission controller computed ${computed} from the given PriorityClass name`
    throw forbidden(request, `the ${what} (${given}) must not be provided in pod spec; ${why}`)
  }
  checkGiven('integer value of priority', numberOrAbsent(spec, 'priority'), value)
  checkGiven('string value of PreemptionPolicy', textOrAbsent(spec, 'preemptionPolicy'), policy)
  const named = name === '' ? {} : { priorityClassName: name }
  return withSpec(pod, { ...named, priority: value, preemptionPolicy: policy })
}

function resolve(
  request: AdmissionRequest,
  name: string,
  classes: ObjectReader,
  signal: AbortSignal,
): MaybePromise<Resolved> {
  if (name === '') {
    return whenKnown(defaultClass(classes, signal), (fallback) =>
      fallback === undefined ? { name: '', value: 0, policy: PREEMPT } : resolvedOf(fallback),
    )
  }
  return whenKnown(findAnywhere(classes, ['', name], signal), (found) => {
    if (found === undefined) throw forbidden(request, `no PriorityClass with name ${name} was found`)
    return resolvedOf(found)
  })
}

function resolvedOf(priorityClass: ValueMap): Resolved {
  return {
    name: metaText(priorityClass, 'name'),
    value: numberOrZero(priorityClass, 'value'),
    policy: textOrEmpty(priorityClass, 'preemptionPolicy') || PREEMPT,
  }
}

/** Of several defaults, the one with the lowest value. */
function defaultClass(classes: ObjectReader, signal: AbortSignal): MaybePromise<ApiObject | undefined> {
  return whenKnown(classes.list('', signal), (all) => {
    const defaults = all.filter((candidate) => isTrue(candidate, 'globalDefault'))
    return defaults.toSorted((a, b) => numberOrZero(a, 'value') - numberOrZero(b, 'value'))[0]
  })
}

/** An update without these fields keeps the stored ones, which were set by the server. */
function withKept(pod: ApiObject, stored: ApiObject | undefined): ApiObject {
  const [spec, before] = [specOf(pod), specOf(stored ?? {})]
  const kept = Object.fromEntries(
    ['priority', 'preemptionPolicy'].flatMap((field) => {
      const value = own(before, field)
      return own(spec, field) === undefined && value !== undefined ? [[field, value]] : []
    }),
  )
  return Object.keys(kept).length === 0 ? pod : withSpec(pod, kept)
}
