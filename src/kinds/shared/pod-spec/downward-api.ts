// The downward API: the fields of a pod and the resources of its containers, as environment variables and as files.
import type { DownwardAPIVolumeFile, ObjectFieldSelector, ResourceFieldSelector } from '../../../api/gen/kinds.ts'
import type { FieldPath } from '../../../api/field-path.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { qualifiedName } from '../../../schema/validation/formats.ts'
import { checkNonReservedPath } from '../paths.ts'

export const ENVIRONMENT_FIELDS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]

const FILE_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

/** `spec.host` is an old name of `spec.nodeName`. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...ENVIRONMENT_FIELDS,
  ...FILE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.hostNetwork',
  'status.phase',
  'status.nominatedNodeName',
  'spec.host',
])

const OLD_NAMES: Readonly<Record<string, string>> = { 'spec.host': 'spec.nodeName' }

/** Splits `metadata.labels['key']` into the field and the key. */
function split(path: string): { readonly field: string; readonly key: string | undefined } {
  const bracket = path.indexOf("['")
  if (bracket < 0 || !path.endsWith("']") || path.length < bracket + 4) return { field: path, key: undefined }
  return { field: path.slice(0, bracket), key: path.slice(bracket + 2, -2) }
}

export function checkFieldRef(
  ref: ObjectFieldSelector,
  allowed: readonly string[],
  at: FieldPath<ObjectFieldSelector>,
  check: Check,
): void {
  const { apiVersion = '', fieldPath } = ref
  const missing = (['apiVersion', 'fieldPath'] as const).find((field) => (ref[field] ?? '') === '')
  if (missing !== undefined) {
    check.required(at.child(missing))
    return
  }
  const fault = conversionFault(apiVersion, fieldPath)
  if (fault !== undefined) {
    check.invalid(at.child('fieldPath'), fieldPath, `error converting fieldPath: ${fault}`)
    return
  }
  const { field, key } = split(fieldPath)
  if (key !== undefined) {
    const name = field === 'metadata.annotations' ? key.toLowerCase() : key
    check.format(at, name, qualifiedName(name))
    return
  }
  const known = OLD_NAMES[field] ?? field
  if (!allowed.includes(known)) check.notSupported(at.child('fieldPath'), known, allowed)
}

function conversionFault(apiVersion: string, path: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`
  const { field, key } = split(path)
  if (key !== undefined) {
    const takesKeys = field === 'metadata.labels' || field === 'metadata.annotations'
    return takesKeys ? undefined : `field label does not support subscript: ${path}`
  }
  return KNOWN_FIELDS.has(path) ? undefined : `field label not supported: ${path}`
}

const SIZES: readonly string[] = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

interface Divisors {
  readonly values: readonly string[]
  /** The name of the resource in messages. */
  readonly words: string
}

const DIVISORS: Readonly<Record<string, Divisors>> = {
  cpu: { values: ['1m', '1'], words: 'cpu' },
  'ephemeral-storage': { values: SIZES, words: 'local ephemeral storage' },
  memory: { values: SIZES, words: 'memory' },
}

const RESOURCES: readonly string[] = ['limits', 'requests'].flatMap((kind) =>
  Object.keys(DIVISORS).map((name) => `${kind}.${name}`),
)

/** `inVolume`: the container must be named. */
export function checkResourceFieldRef(
  { resource, containerName = '', divisor }: ResourceFieldSelector,
  at: FieldPath<ResourceFieldSelector>,
  check: Check,
  inVolume = false,
): void {
  const isHugePages = /^(?:limits|requests)\.hugepages-/.test(resource)
  const isKnown = RESOURCES.includes(resource)
  if (inVolume && containerName === '') check.required(at.child('containerName'))
  else if (resource === '') check.required(at.child('resource'))
  else if (!isKnown && !isHugePages) check.notSupported(at.child('resource'), resource, RESOURCES)
  const known = isKnown ? DIVISORS[resource.slice(resource.indexOf('.') + 1)] : undefined
  const supported = isHugePages ? { values: SIZES, words: 'hugepages' } : known
  if (divisor === '0' || supported === undefined || supported.values.includes(divisor)) return
  const values = supported.values.join(supported.values.length === 2 ? ' and ' : ', ')
  const detail = `only divisor's values ${values} are supported with the ${supported.words} resource`
  check.invalid(at.child('divisor'), resource, detail)
}

/** The reference reports the faults of a file at the `downwardAPI` source, not at the item of its list. */
export function checkDownwardFile(file: DownwardAPIVolumeFile, at: FieldPath, check: Check): void {
  const place = at as FieldPath<DownwardAPIVolumeFile>
  check.fields(file, at, 'core_v1.DownwardAPIVolumeFile', 'path')
  checkNonReservedPath(file.path, place.child('path'), check)
  const { fieldRef: field, resourceFieldRef: resource } = file
  if (field !== undefined) {
    checkFieldRef(field, FILE_FIELDS, place.child('fieldRef'), check)
    if (resource !== undefined) {
      check.invalid(at, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')
    }
  } else if (resource !== undefined) checkResourceFieldRef(resource, place.child('resourceFieldRef'), check, true)
  else check.required(at, 'one of fieldRef and resourceFieldRef is required')
  check.fields(file, at, 'core_v1.DownwardAPIVolumeFile', 'mode', 'user')
}
