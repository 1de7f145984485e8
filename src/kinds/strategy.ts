// The strategy of a built-in kind, from its differences to the plain case: no status, no generation, and updates that need no
// resourceVersion.
import type { ApiLevel } from '../api/level.ts'
import { membersOf, metaOf, withMeta } from '../api/object-members.ts'
import type { ObjectMeta } from '../api/gen/kinds.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type Value } from '../api/value.ts'
import { withMemberOf } from '../registry/object-meta.ts'
import type { Propagation, Strategy, UpdateEndpoint, WriteContext } from '../registry/registry.ts'
import {
  FAULT_FORMS,
  type KindRules,
  validateCreate,
  validateSubresource,
  validateUpdate,
  type ValidationContext,
} from '../schema/validation/validation.ts'
import { semanticallyEqual } from './shared/semantic-equality.ts'

/** The differences of a kind from the plain case. */
export interface KindStrategy<T extends ApiObject = ApiObject>
  extends Partial<
    Pick<
      Strategy<T>,
      | 'bumpsGenerationOn'
      | 'prepareForCreate'
      | 'warnings'
      | 'ttlSeconds'
      | 'gracePeriodSeconds'
      | 'isHeldBack'
      | 'markOnDelete'
      | 'refuseDelete'
      | 'deleteWarning'
      | 'reserve'
      | 'authorizeWrite'
    >
  > {
  /** PUT creates a missing object, with any resourceVersion. */
  readonly createOnUpdate?: true
  /** PUT needs a resourceVersion, in every version or in these versions. */
  readonly conditionalUpdate?: true | readonly string[]
  readonly generation?: GenerationRule<keyof T & string>
  /** Absent: the kind has no `status` subresource. */
  readonly status?: StatusRule
  /** A DELETE is answered with the object in every version, or in these versions. */
  readonly answersDeleteWithObject?: true | readonly string[]
  readonly propagation?: Propagation | 'none'
  /** Called with an object that has the stored status. */
  readonly prepareForUpdate?: UpdateEndpoint<T>['prepare']
  /** Called with an object that differs from the stored object only in the status and some of the metadata. */
  readonly prepareStatus?: UpdateEndpoint<T>['prepare']
  readonly statusWarnings?: UpdateEndpoint<T>['warnings']
  /** The status of a new object. Absent: a new object has no status. */
  readonly firstStatus?: (object: T, context: WriteContext) => (T extends { status?: infer S } ? S : Value) | undefined
  /** Subresources besides `status`, validated by the rules of the kind for them. */
  readonly subresources?: Readonly<Record<string, Omit<UpdateEndpoint<T>, 'validate'>>>
  /** Fields without managers in the main resource. Absent: the status. */
  readonly resetFields?: readonly string[]
}

export interface GenerationRule<Member extends string = string> {
  readonly first: 0 | 1
  /** Members whose change increments the generation. `*`: all members except the metadata. */
  readonly on: readonly (Member | '*')[]
  readonly onMetadata?: readonly (keyof ObjectMeta)[]
  /** Without this gate, the server sets no generation. */
  readonly gate?: string
}

export interface StatusRule {
  /** Members of the metadata that a write of the status cannot change. */
  readonly keepsMetadata: readonly (keyof ObjectMeta)[]
  /** Fields without managers in `status`. */
  readonly resetFields: readonly string[]
}

const NO_WARNINGS: readonly string[] = []

export interface StrategyParts {
  readonly rules: KindRules
  readonly version: string
  readonly namespaced: boolean
  /** Whether containers may be privileged. */
  readonly allowPrivileged: boolean
  readonly level: ApiLevel
}

export function strategyOf(
  kind: KindStrategy,
  { rules, version, namespaced, allowPrivileged, level }: StrategyParts,
): Strategy {
  const { generation, status } = kind
  const form = FAULT_FORMS[level]
  const validation = ({ gates }: WriteContext): ValidationContext => ({ gates, namespaced, allowPrivileged, form })
  const validated = (subresource: string, endpoint: Omit<UpdateEndpoint, 'validate'>): UpdateEndpoint => ({
    ...endpoint,
    validate: (object, stored, context) =>
      validateSubresource(rules, { object, stored, subresource }, validation(context)),
  })
  const endpoints = { ...(status === undefined ? {} : { status: statusEndpoint(kind, status) }), ...kind.subresources }
  return {
    createOnUpdate: kind.createOnUpdate ?? false,
    unconditionalUpdate: !isOfVersion(kind.conditionalUpdate ?? [], version),
    firstGeneration: generation?.first,
    generationGate: generation?.gate,
    bumpsGeneration: (object, stored) => generation !== undefined && changes(generation, object, stored),
    bumpsGenerationOn: kind.bumpsGenerationOn ?? new Set(),
    answersDeleteWithObject: isOfVersion(kind.answersDeleteWithObject ?? [], version),
    defaultPropagation: kind.propagation === 'none' ? undefined : (kind.propagation ?? 'Background'),
    prepareForCreate: (object, context) => {
      const prepared = kind.prepareForCreate?.(object, context) ?? object
      return status === undefined ? prepared : withFirstStatus(prepared, kind, context)
    },
    main: {
      prepare: (object, stored, context) => {
        const kept = status === undefined ? object : withMemberOf(object, stored, 'status')
        return kind.prepareForUpdate?.(kept, stored, context) ?? kept
      },
      validate: (object, stored, context) => validateUpdate(rules, { object, stored }, validation(context)),
      resetFields: kind.resetFields ?? (status === undefined ? [] : ['status']),
    },
    subresources: Object.fromEntries(
      Object.entries(endpoints).map(([name, endpoint]) => [name, validated(name, endpoint)]),
    ),
    validateCreate: (object, context) => validateCreate(rules, object, validation(context)),
    warnings: kind.warnings ?? (() => NO_WARNINGS),
    ttlSeconds: kind.ttlSeconds,
    gracePeriodSeconds: kind.gracePeriodSeconds,
    isHeldBack: kind.isHeldBack ?? (() => false),
    markOnDelete: kind.markOnDelete,
    refuseDelete: kind.refuseDelete ?? (() => undefined),
    deleteWarning: kind.deleteWarning,
    reserve: kind.reserve,
    authorizeWrite: kind.authorizeWrite,
  }
}

function isOfVersion(versions: true | readonly string[], version: string): boolean {
  return versions === true || versions.includes(version)
}

function withFirstStatus(object: ApiObject, { firstStatus }: KindStrategy, context: WriteContext): ApiObject {
  const status = firstStatus?.(object, context)
  return status === undefined ? withMemberOf(object, {}, 'status') : { ...object, status }
}

function changes(rule: GenerationRule, object: ApiObject, stored: ApiObject): boolean {
  const members = rule.on.includes('*')
    ? [...new Set([...Object.keys(object), ...Object.keys(stored)])].filter((name) => name !== 'metadata')
    : rule.on
  return (
    members.some((name) => !semanticallyEqual(own(object, name), own(stored, name))) ||
    (rule.onMetadata ?? []).some((name) => !semanticallyEqual(metaOf(object)[name], metaOf(stored)[name]))
  )
}

function statusEndpoint(
  { prepareStatus, statusWarnings }: KindStrategy,
  rule: StatusRule,
): Omit<UpdateEndpoint, 'validate'> {
  return {
    prepare: (object, stored, context) => {
      const kept = withOnlyStatusOf(object, stored, rule)
      return prepareStatus?.(kept, stored, context) ?? kept
    },
    resetFields: rule.resetFields,
    ...(statusWarnings === undefined ? {} : { warnings: statusWarnings }),
  }
}

/** The object, with all parts as stored except the status and the metadata that may change with it. */
function withOnlyStatusOf(object: ApiObject, stored: ApiObject, rule: StatusRule): ApiObject {
  let result = withMeta(object, membersOf(metaOf(stored), ...rule.keepsMetadata))
  for (const name of new Set([...Object.keys(object), ...Object.keys(stored)])) {
    if (name !== 'metadata' && name !== 'status') result = withMemberOf(result, stored, name)
  }
  return result
}
