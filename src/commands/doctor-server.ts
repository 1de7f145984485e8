// Examines a running server as its client: its health, clock, certificates, size and objects.
import { asMap, mapsInPlace, textOrEmpty } from '../api/members.ts'
import { formatGroupVersion } from '../api/object.ts'
import type { ValueMap } from '../api/value.ts'
import { metaText } from '../api/object-members.ts'
import { ApiStatusError, type Client, type ConnectionOptions, hasReason } from '../client/client.ts'
import { reasonOf } from '../config/start-error.ts'
import { type ApiResource, apiResources, collectionPath, objectPath, resourceOf } from './api-resources.ts'
import { examineConnection } from './doctor-certificates.ts'
import type { Diagnosis, Finding } from './doctor-findings.ts'
import { ObjectExaminer, type Orphan, type OwnerReference } from './doctor-objects.ts'
import { DEFAULT_QUOTA_BYTES, megabytes } from './doctor-space.ts'
import { LITTLE_SHARE } from '../store/space-keeper.ts'

const PAGE_OBJECTS = 500
/** Tokens, leases and certificates depend on clocks. */
const MOST_SKEW_MS = 5000

export async function examineServer(client: Client, connection: ConnectionOptions, fix: boolean): Promise<Diagnosis> {
  const examiner = new ObjectExaminer()
  const server = [
    ...(await examineHealth(client)),
    ...(await attempt('clock', () => examineClock(client))),
    ...(await examineConnection(connection, Date.now())),
    ...(await attempt('metrics', () => examineMetrics(client))),
  ]
  const served = await apiResources(client)
  const unreadable = await examineObjects(client, served, examiner)
  const orphans: Finding[] = []
  for (const orphan of examiner.orphans()) orphans.push(fix ? await collect(client, served, orphan) : orphan.finding)
  const findings = [...server, ...unreadable, ...orphans, ...examiner.wrongOwners(), ...examiner.findings]
  return { objects: examiner.count, findings }
}

/** Turns a refusal of an unhealthy server into a finding. */
async function attempt(check: string, examine: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await examine()
  } catch (error) {
    if (!(error instanceof ApiStatusError)) throw error
    return [{ check, subject: 'server', problem: error.message, remedy: 'see the log of the server' }]
  }
}

async function examineHealth(client: Client): Promise<readonly Finding[]> {
  try {
    await client.request({ method: 'GET', path: '/readyz', query: { verbose: true } })
    return []
  } catch (error) {
    if (!(error instanceof ApiStatusError) || error.code !== 500) throw error
    // The message may be cut off, and then names no check.
    const failed = Array.from(error.message.matchAll(/\[-\](\S+) failed/g), ([, name = '']) => name)
    return (failed.length === 0 ? ['readyz'] : failed).map(failedCheck)
  }
}

function failedCheck(name: string): Finding {
  const isCache = name === 'watch-cache-consistency'
  const problem = isCache ? 'the watch cache differs from the storage' : 'the check of /readyz fails'
  const remedy = isCache ? 'restart this server' : 'see the log of the server'
  return { check: 'health', subject: name, problem, remedy }
}

/** Reads the clock by a dry run: every server sets the creation time of an object. */
async function examineClock(client: Client): Promise<readonly Finding[]> {
  const before = Date.now()
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { generateName: 'quarterdeck-doctor-' } }
  const query = { dryRun: 'All' }
  const { text } = await client.request({ method: 'POST', path: '/api/v1/namespaces', query, body })
  const made = JSON.parse(text) as { readonly metadata: { readonly creationTimestamp: string } }
  const theirs = Date.parse(made.metadata.creationTimestamp)
  // The creation time has whole seconds.
  const skewMs = Math.max(before - 1000 - theirs, theirs - Date.now(), 0)
  if (skewMs <= MOST_SKEW_MS) return []
  const problem = `it differs by ${Math.round(skewMs / 1000)} s from that of this machine`
  return [{ check: 'clock', subject: 'clock of the server', problem, remedy: 'synchronize clocks' }]
}

async function examineMetrics(client: Client): Promise<readonly Finding[]> {
  const { text } = await client.request({ method: 'GET', path: '/metrics', headers: { accept: 'text/plain' } })
  const valuesOf = (name: string): readonly number[] =>
    Array.from(text.matchAll(new RegExp(`^${name} (\\S+)$`, 'gm')), ([, value]) => Number(value))
  const storage = (name: string): number | undefined => valuesOf(`${name}\\{[^}]*\\}`)[0]
  const size = storage('apiserver_storage_size_bytes') ?? 0
  const quota = storage('quarterdeck_storage_quota_bytes') ?? DEFAULT_QUOTA_BYTES
  const available = storage('quarterdeck_storage_available_bytes') ?? quota - size
  const differences = valuesOf('apiserver_storage_consistency_checks_total\\{[^}]*status="failure"[^}]*\\}')
  const found: Finding[] = []
  if (available < LITTLE_SHARE * quota) {
    const remedy = 'delete objects; defragment etcd or raise its quota; make room on the disk of an embedded store'
    const problem = `it has ${megabytes(size)}, and ${megabytes(Math.max(0, available))} of ${megabytes(quota)} are left`
    found.push({ check: 'storage', subject: 'storage', problem, remedy })
  }
  if (differences.some((count) => count > 0)) {
    const problem = 'the watch cache has differed from the storage since the server started'
    found.push({ check: 'cache', subject: 'watch cache', problem, remedy: 'restart this server, and report it' })
  }
  return found
}

/** Lists every kind in the version that its group prefers. Definitions come first. */
async function examineObjects(
  client: Client,
  served: readonly ApiResource[],
  examiner: ObjectExaminer,
): Promise<readonly Finding[]> {
  const seen = new Set<string>()
  const listed = served.filter(({ resource, group, verbs }) => {
    const isFirst = !seen.has(`${resource}.${group}`)
    seen.add(`${resource}.${group}`)
    return isFirst && verbs.includes('list')
  })
  const isDefinition = ({ resource }: ApiResource): boolean => resource === 'customresourcedefinitions'
  const found: Finding[] = []
  for (const type of [...listed.filter(isDefinition), ...listed.filter((one) => !isDefinition(one))]) {
    try {
      for await (const object of objectsOf(client, type)) examiner.add(object)
      examiner.complete(type.group, type.kind)
    } catch (error) {
      if (!(error instanceof ApiStatusError)) throw error
      if (error.code === 404 || error.code === 405) continue
      found.push(...failedList(type, error))
    }
  }
  return found
}

/** Names each object that cannot be read. */
function failedList({ resource }: ApiResource, error: ApiStatusError): readonly Finding[] {
  if (error.reason !== 'StorageReadError')
    return [{ check: 'list', subject: resource, problem: error.message, remedy: 'see the log of the server' }]
  const causes = error.details?.causes ?? []
  const named = causes.map(({ field = '', message }) => ({ name: ` ${field}`, problem: message ?? error.message }))
  const told = named.length === 0 ? [{ name: '', problem: error.message }] : named
  return told.map(({ name, problem }) => ({
    check: 'unreadable',
    subject: `${resource}${name}`,
    problem,
    remedy: 'bring back its encryption key, or restore or delete it',
  }))
}

async function* objectsOf(client: Client, type: ApiResource): AsyncGenerator<ValueMap> {
  const path = collectionPath(type)
  const head = { apiVersion: formatGroupVersion(type), kind: type.kind }
  for (let next: string | undefined = ''; next !== undefined; ) {
    const query: Record<string, string | number> = { limit: PAGE_OBJECTS, ...(next === '' ? {} : { continue: next }) }
    const page = await json(client, path, query)
    for (const object of mapsInPlace(page, 'items')) yield { ...object, ...head }
    next = textOrEmpty(asMap(page['metadata'] ?? null), 'continue') || undefined
  }
}

/** Deletes an orphan. Like the garbage collector, it deletes only objects that have not changed and whose owners are still gone. */
async function collect(client: Client, all: readonly ApiResource[], { dependent, finding }: Orphan): Promise<Finding> {
  const { namespace, uid, resourceVersion } = dependent
  try {
    // The owner may belong to the whole cluster: its path then has no namespace.
    const pathOf = ({ apiVersion, kind, name }: OwnerReference): string =>
      objectPath(resourceOf(all, apiVersion, kind), { namespace, name })
    for (const owner of dependent.owners) if (await exists(client, pathOf(owner), owner.uid)) return finding
    const body = { preconditions: { uid, resourceVersion }, propagationPolicy: 'Background' }
    await client.request({ method: 'DELETE', path: pathOf(dependent), body })
    return { ...finding, fixed: true }
  } catch (error) {
    return { ...finding, remedy: `it could not be deleted: ${reasonOf(error)}` }
  }
}

async function exists(client: Client, path: string, uid: string): Promise<boolean> {
  try {
    return metaText(await json(client, path), 'uid') === uid
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false
    throw error
  }
}

async function json(
  client: Client,
  path: string,
  query: Readonly<Record<string, string | number>> = {},
): Promise<ValueMap> {
  return JSON.parse((await client.request({ method: 'GET', path, query })).text) as ValueMap
}
