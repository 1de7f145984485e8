// What containers and volumes may learn of their own pod: its fields and the resources of its containers.
import type { FieldPath } from '../../../api/field-path.ts'
import { textOrEmpty } from '../../../api/members.ts'
import type { ValueMap } from '../../../api/value.ts'
import type { Check } from '../../../schema/validation/check.ts'
import { qualifiedName } from '../../../schema/validation/formats.ts'

/** Fields that environment variables may be set from. */
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

/** Fields that files may be made from. */
export const FILE_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
]

/** Every field there is; `spec.host` is an old name of the node's. */
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

/** `metadata.labels['key']` as the field and the key. */
function split(path: string): { readonly field: string; readonly key: string | undefined } {
  const bracket = path.indexOf("['")
  if (bracket < 0 || !path.endsWith("']") || path.length < bracket + 4) return { field: path, key: undefined }
  return { field: path.slice(0, bracket), key: path.slice(bracket + 2, -2) }
}

export function checkFieldRef(ref: ValueMap, allowed: readonly string[], scope: Place): void {
  const { at, check } = scope
  const fieldPath = textOrEmpty(ref, 'fieldPath')
  if (textOrEmpty(ref, 'apiVersion') === '') {
    check.required(at.child('apiVersion'))
    return
  }
  if (fieldPath === '') {
    check.required(at.child('fieldPath'))
    return
  }
  const fault = conversionFault(textOrEmpty(ref, 'apiVersion'), fieldPath)
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

export interface Place {
  readonly at: FieldPath
  readonly check: Check
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

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]

const SIZES: readonly string[] = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/** `inVolume`: a file must say which container it speaks of. */
export function checkResourceFieldRef(ref: ValueMap, inVolume: boolean, { at, check }: Place): void {
  const resource = textOrEmpty(ref, 'resource')
  if (inVolume && textOrEmpty(ref, 'containerName') === '') check.required(at.child('containerName'))
  else if (resource === '') check.required(at.child('resource'))
  else if (!RESOURCES.includes(resource) && !isHugePages(resource)) {
    check.notSupported(at.child('resource'), resource, RESOURCES)
  }
  const divisor = textOrEmpty(ref, 'divisor')
  if (divisor === '' || divisor === '0') return
  const supported = divisorsOf(resource)
  if (supported === undefined || supported.values.includes(divisor)) return
  const values = supported.values.length === 2 ? supported.values.join(' and ') : supported.values.join(', ')
  const detail = `only divisor's values ${values} are supported with the ${supported.words} resource`
  check.invalid(at.child('divisor'), resource, detail)
}

function isHugePages(resource: string): boolean {
  return resource.startsWith('requests.hugepages-') || resource.startsWith('limits.hugepages-')
}

function divisorsOf(resource: string): { readonly values: readonly string[]; readonly words: string } | undefined {
  if (isHugePages(resource)) return { values: SIZES, words: 'hugepages' }
  switch (resource) {
    case 'limits.cpu':
    case 'requests.cpu':
      return { values: ['1m', '1'], words: 'cpu' }
    case 'limits.memory':
    case 'requests.memory':
      return { values: SIZES, words: 'memory' }
    case 'limits.ephemeral-storage':
    case 'requests.ephemeral-storage':
      return { values: SIZES, words: 'local ephemeral storage' }
    default:
      return undefined
  }
}
