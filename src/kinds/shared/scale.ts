// The `scale` subresource: the replicas of an object of any kind as a Scale (W-584, W-585).
import { FieldPath } from '../../api/field-path.ts'
import { integerOrZero, numberOrZero, textOrEmpty } from '../../api/members.ts'
import { membersOf, metaOf, specOf, statusOf, withMembers, withSpec } from '../../api/object-members.ts'
import { type ApiObject, formatGroupVersion, type GroupVersion, parseGroupVersion } from '../../api/object.ts'
import { labelSelectorOf } from '../../api/selector-text.ts'
import { formatLabelSelector } from '../../api/selector.ts'
import { isMap, own, type ValueMap } from '../../api/value.ts'
import { AGE, column, count, integer, NAME_DESCRIPTION, nameOf, tableOf } from '../../codec/tables/column.ts'
import { kindVersions } from '../../registry/kind-versions.ts'
import type { ObjectView } from '../../registry/registry.ts'
import type { SchemaTable } from '../../schema/table.ts'
import type { Check } from '../../schema/validation/check.ts'
import { checkBuiltInMeta, subdomainName } from '../../schema/validation/object-meta.ts'
import { FAULT_FORMS, validateCreate } from '../../schema/validation/validation.ts'
import type { Kind, Scalable } from '../kind.ts'
import { actionBody } from './action-body.ts'
import { question } from './question.ts'

export const SCALE_NAME = { group: 'autoscaling', version: 'v1', kind: 'Scale' } as const
const SHOWN_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'] as const
const REPLICAS = ['f:spec', 'f:replicas'] as const

export const BY_LABEL_SELECTOR: Scalable = {
  selector: (spec) => {
    const selector = labelSelectorOf(own(spec, 'selector') ?? null)
    return selector === undefined ? '' : formatLabelSelector(selector)
  },
}

/** For kinds whose selector is a map of labels (replication controllers). */
export const BY_LABELS: Scalable = {
  selector: (spec) => {
    const labels = own(spec, 'selector')
    if (!isMap(labels)) return ''
    const terms = Object.keys(labels)
      .toSorted()
      .map((key) => `${key}=${textOrEmpty(labels, key)}`)
    return terms.join(',')
  },
}

export function scaleView(schemas: SchemaTable, parent: GroupVersion, scalable: Scalable): ObjectView {
  const form = FAULT_FORMS[schemas.level]
  return {
    ...scaleBody(schemas, parent, REPLICAS),
    conversion: { isIdentity: false, fromStored: (stored) => scaleOf(stored, scalable) },
    merge: (view, stored) => withSpec(stored, { replicas: own(specOf(view), 'replicas') ?? 0 }),
    validate: (view) => validateCreate(VALIDATION, view, { gates: new Set(), namespaced: true, form }),
  }
}

/** The parts of the view that do not depend on the kind. `inObject`: the field of the replicas in the object. */
export function scaleBody(schemas: SchemaTable, parent: GroupVersion, inObject: readonly `f:${string}`[]) {
  const body = actionBody(schemas, SCALE_NAME, SCALE)
  const viewVersion = formatGroupVersion(SCALE_NAME)
  return {
    ...body,
    versions: kindVersions({
      shape: (apiVersion) => (apiVersion === viewVersion ? body.schema.shape : undefined),
      convert: (object) => object,
    }),
    sharedField: {
      viewVersion,
      inView: REPLICAS,
      inObject: (apiVersion: string) => (parseGroupVersion(apiVersion)?.group === parent.group ? inObject : undefined),
    },
  }
}

function scaleOf(stored: ApiObject, scalable: Scalable): ApiObject {
  return scaleObject(stored, {
    wanted: numberOrZero(specOf(stored), 'replicas'),
    found: numberOrZero(statusOf(stored), 'replicas'),
    selector: scalable.selector(specOf(stored)),
  })
}

interface ScaleFacts {
  readonly wanted: number
  readonly found: number
  /** Empty: there is no selector. */
  readonly selector: string
}

export function scaleObject(stored: ApiObject, { wanted, found, selector }: ScaleFacts): ApiObject {
  return {
    kind: SCALE_NAME.kind,
    apiVersion: formatGroupVersion(SCALE_NAME),
    metadata: withMembers({}, membersOf(metaOf(stored), ...SHOWN_METADATA)),
    spec: wanted === 0 ? {} : { replicas: wanted },
    status: { replicas: found, ...(selector === '' ? {} : { selector }) },
  }
}

function checkScale(object: ValueMap, check: Check): void {
  if (check.form.checksScaleMeta) checkBuiltInMeta(object, subdomainName, check)
  check.notNegative(FieldPath.root('spec').child('replicas'), integerOrZero(specOf(object), 'replicas'))
}

/** The metadata comes from the scaled object. The client's metadata is checked at some levels, and never used. */
const VALIDATION = question(checkScale)

export const SCALE: Kind = {
  validation: VALIDATION,
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, nameOf),
    integer('Desired', 'The number of wanted pods.', count('spec', 'replicas')),
    integer('Available', 'The number of pods.', count('status', 'replicas')),
    AGE,
  ]),
}
