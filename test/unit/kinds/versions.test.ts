// Alpha and beta versions of built-in groups: which are served, and that a request in one version reads and writes what another has written.
import { describe, expect, it } from 'vitest'
import type { ApiLevel } from '../../../src/api/level.ts'
import { formatGroupVersion } from '../../../src/api/object.ts'
import type { ValueMap } from '../../../src/api/value.ts'
import { allBuiltInGroups, type BuiltInResource } from '../../../src/schema/built-in-resources.ts'
import { versionedObject } from '../../corpora/versioned-objects.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const EVERYTHING = ['--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true']
const MERGE = 'application/merge-patch+json'
const APPLY = 'application/apply-patch+yaml'
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** The controller of migrations would write the status of those that the tests make. */
function everything(level: ApiLevel): Promise<ApiWorld> {
  const controllersOff = ['storage-version-migrator']
  return openWorld({ flags: [`--emulated-version=${level}`, ...EVERYTHING], controllersOff })
}

async function served(world: ApiWorld): Promise<readonly string[]> {
  const { body } = await world.send({ method: 'GET', path: '/apis' })
  const groups = body['groups'] as readonly { readonly versions: readonly { readonly groupVersion: string }[] }[]
  return groups.flatMap(({ versions }) => versions.map(({ groupVersion }) => groupVersion))
}

async function unstable(flags: readonly string[]): Promise<readonly string[]> {
  return (await served(await openWorld({ flags }))).filter((version) => !/\/v\d+$/.test(version))
}

interface Row {
  readonly level: ApiLevel
  readonly resource: BuiltInResource
  /** All versions of it, this one first. */
  readonly versions: readonly BuiltInResource[]
}

const ROWS: readonly Row[] = (['1.36', '1.37'] as const).flatMap((level) =>
  allBuiltInGroups(level).flatMap(({ versions }) =>
    versions.flatMap(({ offByDefault, resources }) =>
      offByDefault !== true
        ? []
        : resources.map((resource) => {
            const all = versions.flatMap((one) => one.resources.filter(({ plural }) => plural === resource.plural))
            return { level, resource, versions: [resource, ...all.filter((one) => one !== resource)] }
          }),
    ),
  ),
)

function pathOf(resource: BuiltInResource, name = ''): string {
  const place = resource.namespaced ? `namespaces/ns/${resource.plural}` : resource.plural
  return `/apis/${formatGroupVersion(resource)}/${place}${name === '' ? '' : `/${name}`}`
}

const LABELS = { 'the-test': 'made-it' }

function bodyOf(
  resource: BuiltInResource,
  count = 1,
): ValueMap & { readonly metadata: { readonly name: string; readonly labels: ValueMap } } {
  const { name, ...rest } = versionedObject(resource, count)
  return { kind: resource.kind, apiVersion: formatGroupVersion(resource), metadata: { name, labels: LABELS }, ...rest }
}

/** Without what tells an object from others of its kind. */
function contentOf(object: ValueMap): ValueMap {
  return { ...object, metadata: {} }
}

const AT_1_36 = '--emulated-version=1.36'
const BUNDLES = '--runtime-config=certificates.k8s.io/v1beta1=true'
const BETA = `certificates.k8s.io/v1beta1 admissionregistration.k8s.io/v1beta1 coordination.k8s.io/v1beta1
  resource.k8s.io/v1beta2 resource.k8s.io/v1beta1 storagemigration.k8s.io/v1beta1`

describe('the versions that a server has', () => {
  it.each([
    ['by default', [], ''],
    ['with the beta versions at 1.37', ['--emulated-version=1.37', '--runtime-config=api/beta=true'], BETA],
    [
      'with the gate of a beta version at 1.36',
      [AT_1_36, BUNDLES, '--feature-gates=ClusterTrustBundle=true'],
      'certificates.k8s.io/v1beta1',
    ],
    ['without that gate', [AT_1_36, BUNDLES], ''],
    [
      'with one resource',
      ['--runtime-config=resource.k8s.io/v1alpha3/devicetaintrules=true'],
      'resource.k8s.io/v1alpha3',
    ],
  ])('%s', async (_, flags, versions) => {
    expect(await unstable(flags)).toEqual(versions.split(/\s+/).filter((version) => version !== ''))
  })

  it('go with a gate that is off', async () => {
    const world = await openWorld({ flags: ['--emulated-version=1.37', '--feature-gates=ClusterTrustBundle=false'] })
    const { status } = await world.send({ method: 'GET', path: '/apis/certificates.k8s.io/v1/clustertrustbundles' })
    expect(status).toBe(404)
  })
})

describe.each(ROWS)('at $level, $resource.group/$resource.version $resource.kind', ({ level, resource, versions }) => {
  it('is read in every version as if it were written there, and warns where it is deprecated', async () => {
    const world = await everything(level)
    for (const [count, version] of versions.entries()) {
      const answer = await world.send({ method: 'POST', path: pathOf(version), body: bodyOf(version, count + 1) })
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      expect(answer.body['apiVersion']).toBe(formatGroupVersion(version))
      expect(answer.warnings).toEqual(version.deprecation === undefined ? [] : [version.deprecation])
    }
    for (const version of versions) {
      const list = await world.must('GET', `${pathOf(version)}?labelSelector=the-test`)
      const items = list['items'] as readonly ValueMap[]
      expect(items).toHaveLength(versions.length)
      expect(new Set(items.map((item) => JSON.stringify(contentOf(item)))).size).toBe(1)
      const first = await world.must('GET', pathOf(version, bodyOf(version).metadata.name))
      expect(first).toEqual({ kind: version.kind, apiVersion: formatGroupVersion(version), ...items[0] })
      const start = await world.sendForStart({ method: 'GET', path: `${pathOf(version)}?watch=1&resourceVersion=0` })
      expect(start).toContain(`"apiVersion":"${formatGroupVersion(version)}"`)
    }
    const table = await world.send({ method: 'GET', path: `${pathOf(resource)}?labelSelector=the-test`, accept: TABLE })
    expect(table.body['rows']).toHaveLength(versions.length)
  })

  it('is changed in every version, and each manager has its version', async () => {
    const world = await everything(level)
    await world.must('POST', pathOf(resource), bodyOf(resource))
    const { name } = bodyOf(resource).metadata
    for (const version of versions) {
      const path = pathOf(version, name)
      const live = await world.must('GET', path)
      await world.must('PUT', `${path}?fieldManager=put`, live)
      const patched = { metadata: { labels: { [version.version]: 'patched' } } }
      const options = { method: 'PATCH', contentType: MERGE, body: patched }
      expect((await world.send({ ...options, path: `${path}?fieldManager=patch-${version.version}` })).status).toBe(200)
      const apply = { method: 'PATCH', contentType: APPLY, body: JSON.stringify(bodyOf(version)) }
      const answer = await world.send({ ...apply, path: `${path}?force=true&fieldManager=apply-${version.version}` })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      expect(contentOf(answer.body as never)).toEqual(contentOf(live))
    }
    const { metadata } = await world.must('GET', pathOf(resource, name))
    const managers = metadata['managedFields'] as readonly { readonly manager: string; readonly apiVersion: string }[]
    for (const version of versions) {
      for (const way of ['patch', 'apply']) {
        const found = managers.find(({ manager }) => manager === `${way}-${version.version}`)
        expect(found?.apiVersion, `${way}-${version.version}`).toBe(formatGroupVersion(version))
      }
    }
    await world.must('DELETE', pathOf(versions.at(-1)!, name))
    const left = await world.send({ method: 'GET', path: pathOf(resource, name) })
    if (metadata['finalizers'] === undefined) expect(left.status).toBe(404)
    else expect(left.body['metadata']).toHaveProperty('deletionTimestamp')
  })
})
