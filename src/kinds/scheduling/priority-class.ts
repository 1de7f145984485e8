// Priority classes. The system classes cannot be changed or deleted (W-610).
import { FieldPath } from '../../api/field-path.ts'
import type { PriorityClass } from '../../api/gen/kinds.ts'
import { AGE, boolean, column, integer, NAME, tableOf } from '../../codec/tables/column.ts'
import { absent, within } from '../../schema/defaults/rule.ts'
import {
  checkBuiltInMeta,
  checkBuiltInMetaUpdate,
  METADATA,
  subdomainName,
} from '../../schema/validation/object-meta.ts'
import { type Kind, typedKind } from '../kind.ts'

const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}

const MAX_USER_PRIORITY = 1_000_000_000

function systemClassFault(name: string, value: number, isDefault: boolean): string | undefined {
  const known = Object.hasOwn(SYSTEM_CLASSES, name) ? SYSTEM_CLASSES[name] : undefined
  if (known === undefined) return `${name} is not a known system priority class`
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`
  return isDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined
}

export const PRIORITY_CLASS: Kind = typedKind<PriorityClass>({
  validation: {
    create: (object, check) => {
      checkBuiltInMeta(object, subdomainName, check)
      const { name = '' } = object.metadata
      const { value, globalDefault = false, preemptionPolicy: policy } = object
      if (name.startsWith('system-')) {
        const fault = systemClassFault(name, value, globalDefault)
        if (fault !== undefined) {
          const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`
          check.forbidden(METADATA.child('name'), detail)
        }
      } else if (value > MAX_USER_PRIORITY) {
        const detail = `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`
        check.forbidden(FieldPath.root('value'), detail)
      }
      const at = FieldPath.root('preemptionPolicy')
      if (policy === '') check.required(at)
      else if (policy !== undefined) check.oneOf(at, policy, ['PreemptLowerPriority', 'Never'])
    },
    update: (object, stored, check) => {
      checkBuiltInMetaUpdate(object, stored, check)
      if (object.value !== stored.value) {
        check.forbidden(FieldPath.root('value'), 'may not be changed in an update.')
      }
      check.unchangedFields({ object, stored }, 'scheduling.k8s.io_v1.PriorityClass')
    },
  },
  defaults: within({ preemptionPolicy: absent('PreemptLowerPriority') }),
  strategy: {
    generation: { first: 1, on: [] },
    refuseDelete: (name) =>
      Object.hasOwn(SYSTEM_CLASSES, name) ? 'this is a system priority class and cannot be deleted' : undefined,
  },
  columns: tableOf([
    NAME,
    integer('Value', 'The priority.', ({ value }) => value),
    boolean(
      'Global-Default',
      'Whether pods without a class get this class.',
      ({ globalDefault = false }) => globalDefault,
    ),
    AGE,
    column(
      'PreemptionPolicy',
      'Whether other pods make room for pods of this class.',
      ({ preemptionPolicy = '' }) => preemptionPolicy,
    ),
  ]),
  olderVersions: { 'scheduling.k8s.io/v1beta1': 'same' },
})
