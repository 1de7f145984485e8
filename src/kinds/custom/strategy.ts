// The strategy of custom resources, made from a version of their definition (P-357, P-358).
import type { FieldError } from '../../api/field-error.ts'
import type { ApiLevel } from '../../api/level.ts'
import { metaOf, metaText, withMeta } from '../../api/object-members.ts'
import type { ApiObject } from '../../api/object.ts'
import { equalValues, own } from '../../api/value.ts'
import { forbiddenError } from '../../registry/errors.ts'
import { finalizersOf, withMemberOf } from '../../registry/object-meta.ts'
import type { Strategy, UpdateEndpoint, WriteContext } from '../../registry/registry.ts'
import type { CustomSchema } from '../../schema/custom/custom.ts'
import {
  EMBEDDED_RULES,
  FAULT_FORMS,
  METADATA_RULES,
  validateCreate,
  validateSubresource,
  validateUpdate,
  type ValidationContext,
} from '../../schema/validation/validation.ts'
import type { Definition, DefinitionVersion } from './definition.ts'
import { scaleFaults, scaleStatusFaults } from './scale.ts'

export interface CustomKind {
  readonly definition: Definition
  readonly version: DefinitionVersion
  readonly schema: CustomSchema
  readonly level: ApiLevel
}

export function customStrategy(kind: CustomKind): Strategy {
  const { version } = kind
  const { hasStatus } = version
  return {
    createOnUpdate: false,
    unconditionalUpdate: false,
    firstGeneration: 1,
    bumpsGeneration: (object, stored) =>
      changesBeyond(object, stored, ['apiVersion', 'kind', 'metadata', ...(hasStatus ? ['status'] : [])]),
    bumpsGenerationOn: new Set(version.scale === undefined ? [] : ['scale']),
    answersDeleteWithObject: false,
    defaultPropagation: 'Background',
    prepareForCreate: (object) => (hasStatus ? withMemberOf(object, {}, 'status') : object),
    main: {
      prepare: (object, stored) => (hasStatus ? withMemberOf(object, stored, 'status') : object),
      validate: (object, stored, context) => allFaults(kind, { object, stored }, context),
      resetFields: hasStatus ? ['status'] : [],
    },
    subresources: hasStatus ? { status: statusEndpoint(kind) } : {},
    validateCreate: (object, context) => allFaults(kind, { object, stored: undefined }, context),
    warnings: finalizerWarnings,
    ttlSeconds: undefined,
    gracePeriodSeconds: undefined,
    isHeldBack: () => false,
    markOnDelete: undefined,
    refuseDelete: () => undefined,
    deleteWarning: undefined,
    reserve: undefined,
  }
}

function contextOf({ definition, level }: CustomKind, { gates }: WriteContext): ValidationContext {
  return { gates, namespaced: definition.namespaced, form: FAULT_FORMS[level] }
}

interface Values {
  readonly object: ApiObject
  /** Undefined: the object is new. */
  readonly stored: ApiObject | undefined
}

/** All faults, in the order of the reference: metadata, schema, scale, embedded objects, duplicate items, and then the rules. */
function allFaults(kind: CustomKind, { object, stored }: Values, context: WriteContext): readonly FieldError[] {
  const { definition, schema, version } = kind
  const inMetadata =
    stored === undefined
      ? validateCreate(METADATA_RULES, object, contextOf(kind, context))
      : validateUpdate(METADATA_RULES, { object, stored }, contextOf(kind, context))
  const others = [
    ...inMetadata,
    ...schema.faults(object, stored),
    ...(version.scale === undefined ? [] : scaleFaults(object, version.scale)),
    ...schema.embedded(object, EMBEDDED_RULES),
    ...schema.repeated(object, stored),
  ]
  const faults = [...others, ...schema.ruleFaults(object, stored, { others, warn: context.warn })]
  if (faults.length > 0 || stored !== undefined || !definition.isTerminating) return faults
  const resource = { group: definition.group, resource: definition.names.plural }
  const why = 'create not allowed while custom resource definition is terminating'
  throw forbiddenError(resource, metaText(object, 'name'), why)
}

/** Only the status and the managed fields are taken. All other parts stay as stored. */
function statusEndpoint(kind: CustomKind): UpdateEndpoint {
  const { schema, version } = kind
  return {
    prepare: (object, stored) =>
      withMeta(withMemberOf(stored, object, 'status'), { managedFields: metaOf(object).managedFields }),
    validate: (object, stored, context) => {
      const change = { object, stored, subresource: 'status' }
      const others = [
        ...validateSubresource(METADATA_RULES, change, contextOf(kind, context)),
        ...schema.statusFaults(object, stored),
        ...(version.scale === undefined ? [] : scaleStatusFaults(object, version.scale)),
        ...schema.repeated(object, stored),
      ]
      return [...others, ...schema.ruleFaults(object, stored, { others, warn: context.warn })]
    },
    resetFields: ['metadata', 'spec'],
  }
}

function changesBeyond(object: ApiObject, stored: ApiObject, ignored: readonly string[]): boolean {
  const names = new Set([...Object.keys(object), ...Object.keys(stored)]).difference(new Set(ignored))
  return [...names].some((name) => !equalValues(own(object, name), own(stored, name)))
}

const OTHERS = 'to avoid accidental conflicts with other finalizer writers'
const SERVERS_OWN: ReadonlySet<string> = new Set(['orphan', 'foregroundDeletion', 'kubernetes'])

/** Warns of new finalizers without a domain (P-365). */
function finalizerWarnings(object: ApiObject, stored: ApiObject | undefined): readonly string[] {
  const before = new Set(stored === undefined ? [] : finalizersOf(stored))
  return finalizersOf(object)
    .filter((name) => !name.includes('/') && !SERVERS_OWN.has(name) && !before.has(name))
    .toSorted()
    .map((name) => {
      const path = name.includes('.') ? ' including a path (/)' : ''
      return `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${path} ${OTHERS}`
    })
}
