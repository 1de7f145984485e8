// Priority: sets the priority and preemption policy of a pod or a group of pods from its priority class. It allows only one default class
// (W-463 to W-466).
import type { CompositePodGroup, Pod, PodGroup, PriorityClass } from '../api/gen/kinds.ts'
import { isKind } from '../api/kind-guard.ts'
import { withSpec } from '../api/object-members.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'

const PREEMPT = 'PreemptLowerPriority'

/** `groupsPreempt`: groups of pods have preemption policies. */
export function priority(classes: ObjectReader<PriorityClass>, groupsPreempt = false): AdmissionPlugin {
  return {
    name: 'Priority',
    resources: [
      'pods',
      'priorityclasses.scheduling.k8s.io',
      'podgroups.scheduling.k8s.io',
      'compositepodgroups.scheduling.k8s.io',
    ],
    operations: ['CREATE', 'UPDATE'],
    mutate(request, signal) {
      const { object, oldObject, subresource, operation } = request
      if (isGroup(object) && subresource === '' && operation === 'CREATE') {
        const { priorityClassName: name = '' } = object.spec
        return whenKnown(resolve(request, name, classes, signal), (found) =>
          withGroupPriority(
            request,
            object,
            groupsPreempt ? found : { ...found, policy: object.spec.preemptionPolicy ?? '' },
          ),
        )
      }
      if (!isKind(object, 'core_v1.Pod') || subresource !== '') return object
      if (operation !== 'CREATE') return isKind(oldObject, 'core_v1.Pod') ? withKept(object, oldObject) : object
      const { priorityClassName: name = '' } = object.spec
      return whenKnown(resolve(request, name, classes, signal), (resolved) => withPriority(request, object, resolved))
    },
    validate(request, signal) {
      const { object, operation } = request
      if (!isKind(object, 'scheduling.k8s.io_v1.PriorityClass') || object.globalDefault !== true) return undefined
      return whenKnown(defaultClass(classes, signal), (current) => {
        if (current === undefined) return
        const { name } = current.metadata
        if (operation === 'UPDATE' && name === object.metadata.name) return
        const why = `PriorityClass ${name} is already marked as default. Only one default can exist`
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

function withPriority(request: AdmissionRequest, pod: Pod, { name, value, policy }: Resolved): Pod {
  const checkGiven = <T extends number | string>(what: string, given: T | undefined, computed: T): void => {
    if (given === undefined || given === computed) return
    const why = `priority admission controller computed ${computed} from the given PriorityClass name`
    throw forbidden(request, `the ${what} (${given}) must not be provided in pod spec; ${why}`)
  }
  checkGiven('integer value of priority', pod.spec.priority, value)
  checkGiven('string value of PreemptionPolicy', pod.spec.preemptionPolicy, policy)
  const named = name === '' ? {} : { priorityClassName: name }
  return withSpec(pod, { ...named, priority: value, preemptionPolicy: policy })
}

type Group = PodGroup | CompositePodGroup

const isGroup = (object: AdmissionRequest['object']): object is Group =>
  isKind(object, 'scheduling.k8s.io_v1beta1.PodGroup') ||
  isKind(object, 'scheduling.k8s.io_v1alpha3.CompositePodGroup') ||
  (object?.kind === 'PodGroup' && object.apiVersion === 'scheduling.k8s.io/v1alpha3')

function withGroupPriority(request: AdmissionRequest, group: Group, { name, value, policy }: Resolved): Group {
  const { priority: given = value, preemptionPolicy = policy } = group.spec
  const what = group.kind === 'PodGroup' ? 'pod group' : 'composite pod group'
  if (given !== value) {
    const why = `must match the priority computed (${value}) based on the priority class set in the spec`
    throw forbidden(request, `priority set in the ${what} (${given}) ${why}`)
  }
  if (preemptionPolicy !== policy) {
    const why = `priority admission controller computed ${policy} from the given PriorityClass name`
    const refused = `the string value of PreemptionPolicy (${preemptionPolicy}) must not be provided in ${what} spec`
    throw forbidden(request, `${refused}; ${why}`)
  }
  return withSpec<Group>(group, { ...(name === '' ? {} : { priorityClassName: name }), priority: value })
}

function resolve(
  request: AdmissionRequest,
  name: string,
  classes: ObjectReader<PriorityClass>,
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

function resolvedOf({ metadata, value, preemptionPolicy = '' }: PriorityClass): Resolved {
  return { name: metadata.name ?? '', value, policy: preemptionPolicy || PREEMPT }
}

/** The default class. If there are several, the class with the lowest value. */
function defaultClass(
  classes: ObjectReader<PriorityClass>,
  signal: AbortSignal,
): MaybePromise<PriorityClass | undefined> {
  return whenKnown(classes.list('', signal), (all) => {
    const defaults = all.filter(({ globalDefault }) => globalDefault === true)
    return defaults.toSorted((a, b) => a.value - b.value)[0]
  })
}

/** An update without these fields keeps the stored values, which the server has set. */
function withKept(pod: Pod, { spec: before }: Pod): Pod {
  const { priority: number = before.priority, preemptionPolicy = before.preemptionPolicy } = pod.spec
  if (number === pod.spec.priority && preemptionPolicy === pod.spec.preemptionPolicy) return pod
  return withSpec(pod, { priority: number, preemptionPolicy })
}
