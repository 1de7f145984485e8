// The character of a built-in kind: its row, and what its own file adds.
import type { ApiObject, GroupVersionKind } from '../api/object.ts'
import type { Value } from '../api/value.ts'
import { own } from '../api/value.ts'
import { metaOf, withMemberOf, withMeta } from '../registry/object-meta.ts'
import type { Character, UpdateEndpoint, WriteContext } from '../registry/registry.ts'
import {
  type KindRules,
  validateCreate,
  validateSubresource,
  validateUpdate,
  type ValidationContext,
} from '../schema/validation/validation.ts'
import type { CharacterRow, GenerationRule, StatusRule } from './character-rows.ts'
import { CHARACTER_ROWS } from './character-rows.ts'
import { rulesOf } from './rules.ts'
import { semanticallyEqual } from './semantic-equality.ts'

/** What a kind's own file may say; everything else is as its row has it. */
export type CharacterTraits = Partial<
  Pick<
    Character,
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
> & {
  /** Beyond what the row says, on updates of the main resource. */
  readonly prepareForUpdate?: UpdateEndpoint['prepare']
  /** Beyond what the row says, on updates of the status. */
  readonly prepareStatus?: UpdateEndpoint['prepare']
  /** What is told of a write of the status. */
  readonly statusWarnings?: UpdateEndpoint['warnings']
  /** The first status of a new object, where it is not nothing. */
  readonly firstStatus?: (object: ApiObject, context: WriteContext) => Value | undefined
  /** Subresources besides `status`. */
  readonly subresources?: Readonly<Record<string, UpdateEndpoint>>
  /** What nobody comes to own through the main resource, where it is not the status. */
  readonly resetFields?: readonly string[]
}

const NO_WARNINGS: readonly string[] = []

export interface CharacterKind {
  /** The kind as it is stored. */
  readonly stored: GroupVersionKind
  /** The kind whose rules objects are held to: for most that which is stored. */
  readonly validated: GroupVersionKind
  readonly namespaced: boolean
  /** Whether its containers may be privileged. */
  readonly allowPrivileged: boolean
}

export function characterOf(kinds: CharacterKind, traits: CharacterTraits = {}): Character {
  const { stored: storedKind, validated: kind, namespaced, allowPrivileged } = kinds
  const rules = rulesOf(kind)
  const row = CHARACTER_ROWS[`${storedKind.group}/${storedKind.kind}`] ?? {}
  const validation = ({ gates }: WriteContext): ValidationContext => ({ gates, namespaced, allowPrivileged })
  return {
    createOnUpdate: row.createOnUpdate ?? false,
    unconditionalUpdate: row.conditionalUpdate !== true,
    firstGeneration: row.generation?.first,
    bumpsGeneration: (object, stored) => row.generation !== undefined && changes(row.generation, object, stored),
    bumpsGenerationOn: traits.bumpsGenerationOn ?? new Set(),
    answersDeleteWithObject: row.answersDeleteWithObject ?? false,
    defaultPropagation: row.propagation === 'none' ? undefined : (row.propagation ?? 'Background'),
    prepareForCreate: (object, context) => {
      const prepared = traits.prepareForCreate?.(object, context) ?? object
      return row.status === undefined ? prepared : withFirstStatus(prepared, traits, context)
    },
    main: {
      prepare: (object, stored, context) => {
        const kept = row.status === undefined ? object : withMemberOf(object, stored, 'status')
        return traits.prepareForUpdate?.(kept, stored, context) ?? kept
      },
      validate: (object, stored, context) => validateUpdate(rules, { object, stored }, validation(context)),
      resetFields: traits.resetFields ?? (row.status === undefined ? [] : ['status']),
    },
    subresources: { ...statusEndpoint(rules, row, traits, namespaced), ...traits.subresources },
    validateCreate: (object, context) => validateCreate(rules, object, validation(context)),
    warnings: traits.warnings ?? (() => NO_WARNINGS),
    ttlSeconds: traits.ttlSeconds,
    gracePeriodSeconds: traits.gracePeriodSeconds,
    isHeldBack: traits.isHeldBack ?? (() => false),
    markOnDelete: traits.markOnDelete,
    refuseDelete: traits.refuseDelete ?? (() => undefined),
    deleteWarning: traits.deleteWarning,
    reserve: traits.reserve,
    authorizeWrite: traits.authorizeWrite,
  }
}

function withFirstStatus(object: ApiObject, traits: CharacterTraits, context: WriteContext): ApiObject {
  const status = traits.firstStatus?.(object, context)
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
  rules: KindRules,
  row: CharacterRow,
  traits: CharacterTraits,
  namespaced: boolean,
): Readonly<Record<string, UpdateEndpoint>> {
  const rule = row.status
  if (rule === undefined) return {}
  return {
    status: {
      prepare: (object, stored, context) => {
        const kept = withOnlyStatusOf(object, stored, rule)
        return traits.prepareStatus?.(kept, stored, context) ?? kept
      },
      validate: (object, stored, context) =>
        validateSubresource(rules, { object, stored, subresource: 'status' }, { gates: context.gates, namespaced }),
      resetFields: rule.resetFields,
      ...(traits.statusWarnings === undefined ? {} : { warnings: traits.statusWarnings }),
    },
  }
}

/** The stored object with the status, and the metadata that may change with it, of the other. */
function withOnlyStatusOf(object: ApiObject, stored: ApiObject, rule: StatusRule): ApiObject {
  const kept: Record<string, ApiObject[string] | undefined> = {}
  for (const name of rule.keepsMetadata) kept[name] = own(metaOf(stored), name)
  let result = withMeta(object, kept)
  for (const name of new Set([...Object.keys(object), ...Object.keys(stored)])) {
    if (name !== 'metadata' && name !== 'status') result = withMemberOf(result, stored, name)
  }
  return result
}
