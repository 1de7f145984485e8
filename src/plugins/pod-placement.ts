// PodNodeSelector and PodTolerationRestriction: node selectors and tolerations from annotations of the namespace.
import { jsonOrAbsent } from '../api/json-text.ts'
import { mapOrEmpty, mapsOnly, numberOrAbsent, textOrAbsent, textOrEmpty } from '../api/members.ts'
import { annotationsOf, specOf, withSpec } from '../api/object-members.ts'
import { equalValues, isList, isMap, own, type ValueMap } from '../api/value.ts'
import { qosOf } from '../api/pod-qos.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission/admission.ts'
import { findAnywhere, type ObjectReader } from '../admission/object-reader.ts'
import { forbidden } from '../admission/refusal.ts'

const PREFIX = 'scheduler.alpha.kubernetes.io/'

export interface NodeSelectors {
  /** The selector for namespaces without the annotation. */
  readonly fallback: ValueMap
  /** The allowed selectors by namespace. A namespace without an entry allows all selectors. */
  readonly allowed: ReadonlyMap<string, ValueMap>
}

export function podNodeSelector(namespaces: ObjectReader, selectors: NodeSelectors): AdmissionPlugin {
  const wanted = async (request: AdmissionRequest, signal: AbortSignal): Promise<ValueMap> => {
    const annotations = annotationsOf(await namespaceOf(namespaces, request, signal))
    const annotation = textOrAbsent(annotations, `${PREFIX}node-selector`)
    return annotation === undefined ? selectors.fallback : parseSelector(annotation)
  }
  return {
    name: 'PodNodeSelector',
    resources: ['pods'],
    operations: ['CREATE'],
    async mutate(request, signal) {
      const { object: pod, subresource } = request
      if (pod === undefined || subresource !== '') return pod
      const due = await wanted(request, signal)
      const given = mapOrEmpty(specOf(pod), 'nodeSelector')
      if (Object.keys(due).some((key) => own(given, key) !== undefined && own(given, key) !== own(due, key))) {
        throw forbidden(request, 'pod node label selector conflicts with its namespace node label selector')
      }
      return Object.keys(due).length === 0 ? pod : withSpec(pod, { nodeSelector: { ...due, ...given } })
    },
    validate(request) {
      const { object: pod, subresource, namespace } = request
      const allowed = selectors.allowed.get(namespace)
      if (pod === undefined || subresource !== '' || allowed === undefined) return
      const given = mapOrEmpty(specOf(pod), 'nodeSelector')
      if (Object.keys(given).some((key) => own(allowed, key) !== own(given, key))) {
        throw forbidden(request, 'pod node label selector labels conflict with its namespace whitelist')
      }
    },
  }
}

/** Reads `a=b,c=d`. Invalid pairs are ignored. */
export function parseSelector(text: string): ValueMap {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const]
  })
  return Object.fromEntries(pairs)
}

const MEMORY_PRESSURE = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' } as const

export function podTolerationRestriction(namespaces: ObjectReader): AdmissionPlugin {
  return {
    name: 'PodTolerationRestriction',
    resources: ['pods'],
    operations: ['CREATE', 'UPDATE'],
    async mutate(request, signal) {
      const { object: pod, subresource, operation } = request
      if (pod === undefined || subresource !== '') return pod
      const spec = specOf(pod)
      let tolerations = mapsOnly(spec, 'tolerations')
      if (operation === 'CREATE') {
        const due = tolerationsIn(await namespaceOf(namespaces, request, signal), 'defaultTolerations')
        const clash = (due ?? []).some((wanted) =>
          tolerations.some((given) => isSameTaint(wanted, given) && !equalValues(wanted, given)),
        )
        if (clash) throw forbidden(request, 'namespace tolerations and pod tolerations conflict')
        tolerations = withMissing(tolerations, due ?? [])
      }
      if (qosOf(spec) !== 'BestEffort') tolerations = withMissing(tolerations, [MEMORY_PRESSURE])
      return tolerations.length === mapsOnly(spec, 'tolerations').length ? pod : withSpec(pod, { tolerations })
    },
    async validate(request, signal) {
      const { object: pod, subresource } = request
      if (pod === undefined || subresource !== '') return
      const allowed = tolerationsIn(await namespaceOf(namespaces, request, signal), 'tolerationsWhitelist')
      if (allowed === undefined || allowed.length === 0) return
      const spec = specOf(pod)
      const isExtra = (given: ValueMap): boolean => qosOf(spec) !== 'BestEffort' && equalValues(given, MEMORY_PRESSURE)
      const isAllowed = (given: ValueMap): boolean => isExtra(given) || allowed.some((wide) => covers(wide, given))
      if (mapsOnly(spec, 'tolerations').every(isAllowed)) return
      const why =
        'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist'
      throw forbidden(request, why)
    },
  }
}

async function namespaceOf(
  namespaces: ObjectReader,
  { namespace }: AdmissionRequest,
  signal: AbortSignal,
): Promise<ValueMap> {
  return (await findAnywhere(namespaces, ['', namespace], signal)) ?? {}
}

/** The list in an annotation. Undefined: it is absent or invalid. */
function tolerationsIn(namespace: ValueMap, name: string): readonly ValueMap[] | undefined {
  const parsed = jsonOrAbsent(textOrEmpty(annotationsOf(namespace), PREFIX + name))
  return isList(parsed) ? parsed.filter(isMap).map(tolerationOf) : undefined
}

/** Keeps only the known fields of an untyped toleration. */
function tolerationOf(said: ValueMap): ValueMap {
  const texts = ['key', 'operator', 'value', 'effect'].flatMap((field) => {
    const text = textOrEmpty(said, field)
    return text === '' ? [] : [[field, text] as const]
  })
  const seconds = numberOrAbsent(said, 'tolerationSeconds')
  return {
    ...Object.fromEntries(texts),
    ...(seconds !== undefined && Number.isInteger(seconds) ? { tolerationSeconds: seconds } : {}),
  }
}

function withMissing(given: readonly ValueMap[], due: readonly ValueMap[]): readonly ValueMap[] {
  return [...given, ...due.filter((wanted) => !given.some((toleration) => equalValues(toleration, wanted)))]
}

function isSameTaint(a: ValueMap, b: ValueMap): boolean {
  return ['key', 'effect'].every((field) => textOrEmpty(a, field) === textOrEmpty(b, field))
}

/** Whether `wide` tolerates everything that `given` tolerates. */
function covers(wide: ValueMap, given: ValueMap): boolean {
  const isWide = (field: string): boolean =>
    textOrEmpty(wide, field) === '' || textOrEmpty(wide, field) === textOrEmpty(given, field)
  if (!isWide('key') || !isWide('effect')) return false
  if (textOrEmpty(wide, 'operator') === 'Exists') return true
  return textOrEmpty(given, 'operator') !== 'Exists' && textOrEmpty(wide, 'value') === textOrEmpty(given, 'value')
}
