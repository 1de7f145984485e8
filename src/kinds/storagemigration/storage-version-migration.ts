// Storage version migrations: the type whose objects are rewritten, and the progress.
import { FieldPath } from '../../api/field-path.ts'
import type {
  Condition,
  StorageVersionMigration,
  StorageVersionMigrationSpec,
  StorageVersionMigrationStatus,
} from '../../api/gen/kinds.ts'
import { column, NAME_DESCRIPTION, nameOf, tableOf } from '../../codec/tables/column.ts'
import type { Check } from '../../schema/validation/check.ts'
import { dns1035Label, dns1123Subdomain } from '../../schema/validation/formats.ts'
import { type Kind, typedKind } from '../kind.ts'
import { builtInRules } from '../shared/built-in-rules.ts'
import { checkConditions } from '../shared/conditions.ts'
import { WITH_STATUS_ALONE } from '../shared/strategies.ts'

const SPEC = FieldPath.root<StorageVersionMigrationSpec>('spec')
const RESOURCE = SPEC.child('resource')
const STATUS = FieldPath.root<StorageVersionMigrationStatus>('status')
const CONDITIONS = STATUS.child('conditions')

const STATES: readonly string[] = ['Running', 'Succeeded', 'Failed']

function checkMigration({ spec }: StorageVersionMigration, check: Check): void {
  const { group, resource } = spec.resource
  const faults = resource === '' ? [] : dns1035Label(resource)
  if (resource === '') check.required(RESOURCE.child('resource'), 'resource is required to be set')
  else if (faults.length > 0) check.invalid(RESOURCE.child('resource'), resource, faults.join(','))
  const groupFaults = group === '' ? [] : dns1123Subdomain(group)
  if (groupFaults.length > 0) check.invalid(RESOURCE.child('group'), group, groupFaults.join(','))
}

function isTrue({ conditions = [] }: StorageVersionMigrationStatus, type: string): boolean {
  return conditions.some((condition: Condition) => condition.type === type && condition.status === 'True')
}

function checkStatus({ status }: StorageVersionMigration, stored: StorageVersionMigration, check: Check): void {
  const [now, before] = [status.resourceVersion ?? '', stored.status.resourceVersion ?? '']
  const { conditions = [] } = status
  if (now !== '' && !/^(?:0|[1-9]\d*)$/.test(now))
    check.invalid(STATUS.child('resourceVersion'), now, `resource version is not well formed: ${now}`)
  checkConditions(conditions, CONDITIONS, check)
  if (before !== '' && before !== now) check.invalid(STATUS.child('resourceVersion'), now, 'field is immutable')
  const refuse = (detail: string): void => check.invalid(CONDITIONS, conditions, detail)
  const [succeeded, failed] = [isTrue(status, 'Succeeded'), isTrue(status, 'Failed')]
  if (succeeded && failed) refuse('Both success and failed conditions cannot be true at the same time')
  if (isTrue(stored.status, 'Succeeded') && !succeeded)
    refuse('Success condition cannot be set to false once it is true')
  if (isTrue(stored.status, 'Failed') && !failed) refuse('Failed condition cannot be set to false once it is true')
}

/** The last true condition that is a state. */
function stateOf({ status }: StorageVersionMigration): string {
  const told = status.conditions?.findLast((one) => one.status === 'True' && STATES.includes(one.type))
  return told?.type ?? 'Unknown'
}

function migrated({ spec }: StorageVersionMigration): string {
  const { group, resource } = spec.resource
  return [resource, group].filter((part) => part !== '').join('.')
}

export const STORAGE_VERSION_MIGRATION: Kind = typedKind<StorageVersionMigration>({
  validation: builtInRules({
    object: checkMigration,
    change: (object, stored, check) => check.unchanged(SPEC, object.spec, stored.spec),
    status: checkStatus,
  }),
  strategy: { status: WITH_STATUS_ALONE, conditionalUpdate: true },
  columns: tableOf([
    column('Name', NAME_DESCRIPTION, nameOf),
    column('Resource', 'The type whose objects are rewritten.', migrated),
    column('Status', 'The state of the migration.', stateOf),
  ]),
})
