// The strategy of a built-in kind, from what the kind says of it: where it says nothing it is the plain case, with updates
// that need no resourceVersion, no generation and no status.
import { membersOf, metaOf, withMeta } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { own, type Value } from '../api/value.ts'
import { withMemberOf } from '../registry/object-meta.ts'
import type { Propagation, Strategy, UpdateEndpoint, WriteContext } from '../registry/registry.ts'
import {
  type KindRules,
  validateCreate,
  validateSubresource,
  validateUpdate,
  type ValidationContext,
} from '../schema/validation/validation.ts'
import { semanticallyEqual } from './shared/semantic-equality.ts'

/** What a kind does differently from the plain case. */
export interface KindStrategy
  extends Partial<
    Pick<
      Strategy,
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
  /** PUT creates what is not there, whatever resourceVersion it names. */
  readonly createOnUpdate?: true
  /** PUT must name a resourceVersion. */
  readonly conditionalUpdate?: true
  readonly generation?: GenerationRule
  /** Where the kind has a status: what a write through `status` cannot change besides the specification. */
  readonly status?: StatusRule
  readonly answersDeleteWithObject?: true
  readonly propagation?: Propagation | 'none'
  /** On updates of the main resource, once the status is that of the stored object. */
  readonly prepareForUpdate?: UpdateEndpoint['prepare']
  /** On updates of the status, once all the rest is that of the stored object. */
  readonly prepareStatus?: UpdateEndpoint['prepare']
  /** What is told of a write of the status. */
  readonly statusWarnings?: UpdateEndpoint['warnings']
  /** The first status of a new object, where it is not nothing. */
  readonly firstStatus?: (object: ApiObject, context: WriteContext) => Value | undefined
  /** Subresources besides `status`. They are held to the rules that the kind's validation has for them. */
  readonly subresources?: Readonly<Record<string, Omit<UpdateEndpoint, 'validate'>>>
  /** What nobody comes to own through the main resource, where it is not the status. */
  readonly resetFields?: readonly string[]
}

export interface GenerationRule {
  readonly first: 0 | 1
  /** The members whose change counts; `*`: anything outside of the metadata. */
  readonly on: readonly string[]
  /** Members of the metadata whose change counts too. */
  readonly onMetadata?: readonly string[]
}

export interface StatusRule {
  /** Members of the metadata that are taken from what is stored. */
  readonly keepsMetadata: readonly string[]
  /** What nobody comes to own through `status`, where it is not what is kept. */
  readonly resetFields: readonly string[]
}

const NO_WARNINGS: readonly string[] = []

/** What a strategy depends on besides what the kind says of it. */
export interface StrategyParts {
  /** What the objects are held to. */
  readonly rules: KindRules
  readonly namespaced: boolean
  /** Whether its containers may be privileged. */
  readonly allowPrivileged: boolean
}

export function strategyOf(kind: KindStrategy, { rules, namespaced, allowPrivileged }: StrategyParts): Strategy {
  const { generation, status } = kind
  const validation = ({ gates }: WriteContext): ValidationContext => ({ gates, namespaced, allowPrivileged })
  const validated = (subresource: string, endpoint: Omit<UpdateEndpoint, 'validate'>): UpdateEndpoint => ({
    ...endpoint,
    validate: (object, stored, context) =>
      validateSubresource(rules, { object, stored, subresource }, validation(context)),
  })
  const endpoints = { ...(status === undefined ? {} : { status: statusEndpoint(kind, status) }), ...kind.subresources }
  return {
    createOnUpdate: kind.createOnUpdate ?? false,
    unconditionalUpdate: kind.conditionalUpdate !== true,
    firstGeneration: generation?.first,
    bumpsGeneration: (object, stored) => generation !== undefined && changes(generation, object, stored),
    bumpsGenerationOn: kind.bumpsGenerationOn ?? new Set(),
    answersDeleteWithObject: kind.answersDeleteWithObject ?? false,
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
    (rule.onMetadata ?? []).some((name) => !semanticallyEqual(own(metaOf(object), name), own(metaOf(stored), name)))
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

/** The stored object with the status, and the metadata that may change with it, of the other. */
function withOnlyStatusOf(object: ApiObject, stored: ApiObject, rule: StatusRule): ApiObject {
  let result = withMeta(object, membersOf(metaOf(stored), ...rule.keepsMetadata))
  for (const name of new Set([...Object.keys(object), ...Object.keys(stored)])) {
    if (name !== 'metadata' && name !== 'status') result = withMemberOf(result, stored, name)
  }
  return result
}
