// Reports the migration of custom resources in their definition, by the condition StorageMigrating. When all objects are in the storage
// version, drops the other stored versions.
import { metaOf, statusOf } from '../api/object-members.ts'
import type { ApiObject } from '../api/object.ts'
import { conditionOf, readDefinition } from '../kinds/kinds.ts'
import type { Resource, ResourceTable, WriteContext } from '../registry/registry.ts'
import { servedResource } from '../registry/served-resource.ts'
import type { ControllerParts } from './controllers.ts'
import { withCondition } from './definition-acceptance.ts'
import { controllerContext, succeeds, updateLive } from './writes.ts'

const TYPE = 'StorageMigrating'
const MANAGER = 'migration-runner-controller'

export function definitionType(table: ResourceTable): Resource {
  return servedResource(table, 'customresourcedefinitions', 'apiextensions.k8s.io')
}

/** The `apiVersion` in which the definition stores its objects now. Undefined: there is no such definition. */
export async function storedApiVersion(
  parts: ControllerParts,
  name: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = { resource: definitionType(parts.resources()).stored, namespace: '', name }
  const { item } = await parts.registry.store.get(key, { kind: 'latest' }, signal)
  if (item?.kind !== 'object') return undefined
  const { group, storageVersion } = readDefinition(item.object())
  return `${group}/${storageVersion}`
}

export function beginMigration(
  parts: ControllerParts,
  { name, migration }: { readonly name: string; readonly migration: string },
  signal: AbortSignal,
): Promise<boolean> {
  const told = { type: TYPE, status: true, reason: 'MigrationRunning', message: `Migration ${migration} is running` }
  const begun = (live: ApiObject): ApiObject =>
    withCondition(live, { ...told, observedGeneration: metaOf(live).generation ?? 0 }, parts.now())
  return update(parts, { name, change: begun }, signal)
}

/** A definition that has changed since the migration began keeps its stored versions: objects may be stored in another version by now. */
export function endMigration(
  parts: ControllerParts,
  { name, hasSucceeded }: { readonly name: string; readonly hasSucceeded: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const ended = (live: ApiObject): ApiObject => {
    const generation = metaOf(live).generation ?? 0
    const isSame = conditionOf(live, TYPE)?.['observedGeneration'] === generation
    const dropped = isSame
      ? 'and the stored versions have been updated'
      : 'but the stored versions have not been updated due to a generation mismatch'
    const said = hasSucceeded
      ? { reason: 'MigrationSucceeded', message: `The migration has succeeded ${dropped}` }
      : { reason: 'MigrationFailed', message: 'The migration has failed' }
    const told = withCondition(
      live,
      { type: TYPE, status: false, ...said, observedGeneration: generation },
      parts.now(),
    )
    if (!hasSucceeded || !isSame) return told
    return { ...told, status: { ...statusOf(told), storedVersions: [readDefinition(live).storageVersion] } }
  }
  return update(parts, { name, change: ended }, signal)
}

/** False if the definition does not exist. */
function update(
  parts: ControllerParts,
  { name, change }: { readonly name: string; readonly change: (live: ApiObject) => ApiObject },
  signal: AbortSignal,
): Promise<boolean> {
  const context: WriteContext = { ...controllerContext(parts, '', signal), fieldManager: MANAGER }
  const writing = updateLive(parts, definitionType(parts.resources()), { name, subresource: 'status', change }, context)
  return succeeds(writing, 'NotFound')
}
