// Custom resource definitions. `status.storedVersions` keeps every version in which objects were ever stored (W-612, W-617).
import { isTrue, listOrEmpty, mapOrEmpty, mapsOnly, textOrEmpty } from '../../../api/members.ts'
import { type Members, specOf, statusOf, withMembers, withMeta } from '../../../api/object-members.ts'
import type { ApiObject } from '../../../api/object.ts'
import { isList, isMap, own, type Value, type ValueMap } from '../../../api/value.ts'
import { finalizersOf } from '../../../registry/object-meta.ts'
import { isRecognizedFormat } from '../../../schema/custom/custom.ts'
import { absent, always, both, empty, isAbsent, type Rule, within } from '../../../schema/defaults/rule.ts'
import type { Kind } from '../../kind.ts'
import type { KindStrategy } from '../../strategy.ts'
import { GENERATION_OF_SPEC } from '../../shared/strategies.ts'
import { COLUMNS } from './columns.ts'
import { ruleCosts } from './rule-costs.ts'
import { definitionFromV1beta1 } from './v1beta1.ts'
import { VALIDATION } from './validation.ts'

const LIST_TYPE = 'x-kubernetes-list-type'

/** Returns the text about a node of a definition's schemas. Undefined: there is nothing to report. */
type Finding = (node: ValueMap) => string | undefined

/** An unknown format (P-326). */
const unknownFormat: Finding = (node) => {
  const format = textOrEmpty(node, 'format')
  const isKnown = format === '' || isRecognizedFormat(format, textOrEmpty(node, 'type'))
  return isKnown ? undefined : `unrecognized format ${JSON.stringify(format)}`
}

/** A set whose items are not scalar, which cannot be compared. */
const unusableSet: Finding = (node) => {
  const type = textOrEmpty(mapOrEmpty(node, 'items'), 'type')
  if (textOrEmpty(node, LIST_TYPE) !== 'set' || (type !== 'object' && type !== 'array')) return undefined
  const items = `${LIST_TYPE}: set for items of type ${JSON.stringify(type)}`
  return `${items} is not supported by server-side apply or CEL validation rules`
}

function findingsIn(object: ValueMap, finding: Finding): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (value: Value | undefined): void => {
    if (isList(value)) for (const item of value) visit(item)
    if (!isMap(value)) return
    const one = finding(value)
    if (one !== undefined) found.add(one)
    for (const field of ['items', 'additionalProperties', 'not', 'allOf', 'anyOf', 'oneOf']) visit(own(value, field))
    for (const property of Object.values(mapOrEmpty(value, 'properties'))) visit(property)
  }
  for (const version of mapsOnly(specOf(object), 'versions')) {
    visit(own(mapOrEmpty(version, 'schema'), 'openAPIV3Schema'))
  }
  return found
}

/** Only findings that a change adds are reported. */
const warnsOf =
  (...findings: readonly Finding[]): NonNullable<KindStrategy['warnings']> =>
  (object, stored) =>
    findings.flatMap((finding) => {
      const added = findingsIn(object, finding).difference(findingsIn(stored ?? {}, finding))
      return [...added].sort()
    })

/** The finalizer that keeps a definition until its objects are deleted (W-619). */
export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io'

function storageVersion(object: ValueMap): string | undefined {
  const version = mapsOnly(specOf(object), 'versions').find((each) => isTrue(each, 'storage'))
  return version === undefined ? undefined : textOrEmpty(version, 'name')
}

function withStatus(object: ApiObject, members: Members): ApiObject {
  return { ...object, status: withMembers(statusOf(object), members) }
}

/** A name whose default is made from the kind. */
const fromKind =
  (form: (kind: string) => string): Rule =>
  (given, _, { kind }) => {
    if (typeof kind !== 'string' || kind === '') return given
    return isAbsent(given) || given === '' ? form(kind) : given
  }

/** If there are no stored versions, the storage version becomes the first. */
const withStoredVersion: Rule = (given, context, object) => {
  const version = storageVersion(object)
  if (version === undefined || version === '') return given
  return always({ storedVersions: empty([version]) })(given, context, object)
}

const STRATEGY: KindStrategy = {
  conditionalUpdate: true,
  generation: GENERATION_OF_SPEC,
  status: { keepsMetadata: [], resetFields: ['metadata', 'spec'] },
  answersDeleteWithObject: true,
  warnings: warnsOf(unknownFormat),
  firstStatus: (object) => {
    const version = storageVersion(object)
    const acceptedNames = { plural: '', kind: '' }
    return { conditions: null, acceptedNames, storedVersions: version === undefined ? null : [version] }
  },
  prepareForUpdate: (object) => {
    const version = storageVersion(object)
    const versions = listOrEmpty(statusOf(object), 'storedVersions')
    if (version === undefined || versions.includes(version)) return object
    return withStatus(object, { storedVersions: [...versions, version] })
  },
  prepareStatus: (object) =>
    listOrEmpty(statusOf(object), 'storedVersions').length > 0
      ? object
      : withStatus(object, { storedVersions: [storageVersion(object) ?? ''] }),
  markOnDelete: (object, now) => {
    const before = finalizersOf(object)
    const finalizers = before.includes(CLEANUP) ? before : [...before, CLEANUP]
    const condition = {
      type: 'Terminating',
      status: 'True',
      lastTransitionTime: now,
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    }
    const others = mapsOnly(statusOf(object), 'conditions').filter((one) => one['type'] !== 'Terminating')
    return withStatus(withMeta(object, { deletionTimestamp: now, finalizers }), {
      conditions: [...others, condition],
    })
  },
}

export const CUSTOM_RESOURCE_DEFINITION: Kind = {
  validation: VALIDATION,
  defaults: within({
    spec: always({
      names: always({
        singular: fromKind((kind) => kind.toLowerCase()),
        listKind: fromKind((kind) => `${kind}List`),
      }),
      conversion: both(
        absent({ strategy: 'None' }),
        within({ webhook: within({ clientConfig: within({ service: within({ port: absent(443) }) }) }) }),
      ),
    }),
    status: withStoredVersion,
  }),
  strategy: STRATEGY,
  since: { '1.37': { columns: COLUMNS, strategy: { ...STRATEGY, warnings: warnsOf(unknownFormat, unusableSet) } } },
  ruleCosts,
  storagePrefix: 'apiextensions.k8s.io/customresourcedefinitions',
  olderVersions: { 'apiextensions.k8s.io/v1beta1': definitionFromV1beta1 },
}
