// Kinds whose whole character is a line or two.
import type { ApiObject } from '../../api/object.ts'
import { equalValues, isList, isMap, own, type Value } from '../../api/value.ts'
import { finalizersOf, withMeta } from '../../registry/object-meta.ts'
import { isRecognizedFormat } from '../../schema/custom/custom.ts'
import { textOf } from '../../schema/validation/members.ts'
import type { KindStrategy } from '../strategy.ts'
import { withGatedFields } from './gated-field.ts'
import { mapIn, mapsIn, withMembers } from './members.ts'

/** Local ones are there as soon as they are said to be (W-623). */
export const API_SERVICE: KindStrategy = {
  firstStatus: (object, { now }) =>
    Object.hasOwn(mapIn(object, 'spec'), 'service')
      ? {}
      : {
          conditions: [
            {
              type: 'Available',
              status: 'True',
              lastTransitionTime: now,
              reason: 'Local',
              message: 'Local APIServices are always available',
            },
          ],
        },
}

/** Every version that objects were ever stored in stays on record (W-612, W-617). */
export const CUSTOM_DEFINITION: KindStrategy = {
  warnings: (object, stored) => {
    const before = stored === undefined ? NO_FORMATS : unknownFormats(stored)
    const added = [...unknownFormats(object)].filter((format) => !before.has(format))
    return added.sort().map((format) => `unrecognized format ${JSON.stringify(format)}`)
  },
  firstStatus: (object) => {
    const version = storageVersion(object)
    const acceptedNames = { plural: '', kind: '' }
    return { conditions: null, acceptedNames, storedVersions: version === undefined ? null : [version] }
  },
  prepareForUpdate: (object) => {
    const status = mapIn(object, 'status')
    const version = storageVersion(object)
    const known = own(status, 'storedVersions')
    const versions = Array.isArray(known) ? known : []
    if (version === undefined || versions.includes(version)) return object
    return { ...object, status: withMembers(status, { storedVersions: [...versions, version] }) }
  },
  prepareStatus: (object) => {
    const status = mapIn(object, 'status')
    const known = own(status, 'storedVersions')
    if (Array.isArray(known) && known.length > 0) return object
    return { ...object, status: withMembers(status, { storedVersions: [storageVersion(object) ?? ''] }) }
  },
  markOnDelete: (object, now) => {
    const finalizers = finalizersOf(object)
    const marked = withMeta(object, {
      deletionTimestamp: now,
      finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP],
    })
    const condition = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: now,
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    }
    const status = mapIn(object, 'status')
    const others = mapsIn(status, 'conditions').filter((one) => one['type'] !== 'Terminating')
    return { ...marked, status: withMembers(status, { conditions: [...others, condition] }) }
  },
}

/** Formats that say nothing here (P-326). */
function unknownFormats(object: ApiObject): ReadonlySet<string> {
  const unknown = new Set<string>()
  const visit = (value: Value | undefined): void => {
    if (isList(value)) for (const item of value) visit(item)
    if (!isMap(value)) return
    const format = own(value, 'format')
    if (typeof format === 'string' && format !== '' && !isRecognizedFormat(format, textOf(value, 'type'))) {
      unknown.add(format)
    }
    for (const field of ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf']) visit(own(value, field))
    for (const property of Object.values(mapIn(value, 'properties'))) visit(property)
  }
  for (const version of mapsIn(mapIn(object, 'spec'), 'versions')) {
    visit(own(mapIn(version, 'schema'), 'openAPIV3Schema'))
  }
  return unknown
}

const NO_FORMATS: ReadonlySet<string> = new Set()

/** Holds a definition until its objects are gone (W-619). */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io'

function storageVersion(object: ApiObject): string | undefined {
  const version = mapsIn(mapIn(object, 'spec'), 'versions').find((each) => own(each, 'storage') === true)
  return version === undefined ? undefined : textOf(version, 'name')
}

export const CSI_DRIVER: KindStrategy = withGatedFields(
  [{ gate: 'VolumeLimitScaling', path: ['spec', 'preventPodSchedulingIfMissing'] }],
  { warnings: driverWarnings },
)

/** Whoever asks for tokens is told of a safer place for them. */
function driverWarnings(object: ApiObject, stored: ApiObject | undefined): readonly string[] {
  const spec = mapIn(object, 'spec')
  const asked = own(spec, 'tokenRequests') ?? null
  if (!isList(asked) || asked.length === 0 || Object.hasOwn(spec, 'serviceAccountTokenInSecrets')) return []
  if (stored !== undefined && equalValues(asked, own(mapIn(stored, 'spec'), 'tokenRequests') ?? null)) return []
  const risk = 'to prevent possible logging of tokens in volume attributes'
  return [`spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true ${risk}`]
}
