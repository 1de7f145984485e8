// What is asked of the kinds that only versions have which are off by default: refusals, defaults, cells and their status.
import { describe, expect, it } from 'vitest'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'
import { versionedObject } from '../../corpora/versioned-objects.ts'

const FLAGS = ['--emulated-version=1.37', '--runtime-config=api/all=true', '--feature-gates=AllAlpha=true,AllBeta=true']
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'

const KINDS = {
  LeaseCandidate: '/apis/coordination.k8s.io/v1beta1/namespaces/ns/leasecandidates',
  StorageVersion: '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions',
  ResourcePoolStatusRequest: '/apis/resource.k8s.io/v1alpha3/resourcepoolstatusrequests',
} as const

type Kind = keyof typeof KINDS

/** A valid object with other members in a part of it. */
function changed(kind: Kind, part: 'metadata' | 'spec' | 'status', members: object): object {
  const { name, ...body } = versionedObject({ group: '', version: '', kind }, 1)
  const object: Readonly<Record<string, object>> = { metadata: { name }, ...(body as Record<string, object>) }
  return { ...object, [part]: { ...object[part], ...members } }
}

function faults(body: Readonly<Record<string, unknown>>): readonly string[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { field: string; message: string }[] }
  return causes.map(({ field, message }) => `${field}: ${message}`)
}

async function created(world: ApiWorld, kind: Kind, object: object): Promise<string> {
  const made = await world.must('POST', KINDS[kind], object)
  return `${KINDS[kind]}/${(made.metadata as { name: string }).name}`
}

const SEMVER = 'must be a valid semantic version'
const SERVER = { apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'] }
const CONDITION = {
  type: 'Complete',
  status: 'True',
  reason: 'R',
  message: '',
  lastTransitionTime: '2029-01-01T00:00:00Z',
}
const POOL = { driver: 'd.example.com', poolName: 'p', generation: 1 }

describe('a new object is refused', () => {
  it.each<[Kind, 'metadata' | 'spec', object, readonly string[]]>([
    [
      'LeaseCandidate',
      'metadata',
      { name: 'a/b' },
      ['metadata.name: Invalid value: "a/b": a valid config key must consist'],
    ],
    [
      'LeaseCandidate',
      'spec',
      { leaseName: '', binaryVersion: '', strategy: '' },
      ['spec.leaseName: Required value', 'spec.binaryVersion: Required value', 'spec.strategy: Required value'],
    ],
    [
      'LeaseCandidate',
      'spec',
      { binaryVersion: '1.36', emulationVersion: 'v1.36.0' },
      [
        `spec.emulationVersion: Invalid value: "v1.36.0": ${SEMVER}`,
        `spec.binaryVersion: Invalid value: "1.36": ${SEMVER}`,
        'spec.emulationVersion: Required value: must be specified when `strategy` is',
      ],
    ],
    [
      'LeaseCandidate',
      'spec',
      { binaryVersion: '1.36.0-rc.1' },
      ['spec.binaryVersion: Invalid value: "1.36.0-rc.1": must be greater than or equal to `emulationVersion`'],
    ],
    [
      'LeaseCandidate',
      'spec',
      { strategy: 'Newest' },
      ['spec.strategy.strategy: Unsupported value: "Newest": supported values: "OldestEmulationVersion"'],
    ],
    [
      'LeaseCandidate',
      'spec',
      { strategy: 'a b/c' },
      ['spec.strategy.strategy: Invalid value: "a b/c": prefix part a lowercase RFC 1123 subdomain'],
    ],
    ['StorageVersion', 'metadata', { name: 'a' }, ['metadata.name: Invalid value: "a": name must be in the form of']],
    [
      'StorageVersion',
      'metadata',
      { name: 'a.1b' },
      ['metadata.name: Invalid value: "a.1b": the resource segment a DNS-1035 label must consist'],
    ],
    [
      'ResourcePoolStatusRequest',
      'spec',
      { driver: '', poolName: '', limit: 0 },
      [
        'spec.driver: Required value',
        'spec.poolName: Required value',
        'spec.limit: Invalid value: 0: must be greater than or equal to 1',
      ],
    ],
    [
      'ResourcePoolStatusRequest',
      'spec',
      { limit: 1001, defaultPartitionTypeAttribute: 'profile' },
      [
        'spec.limit: Invalid value: 1001: must be less than or equal to 1000',
        'spec.defaultPartitionTypeAttribute: Invalid value: "profile": a fully qualified name must be',
      ],
    ],
  ])('%s with %s %j', async (kind, part, members, told) => {
    const world = await openWorld({ flags: FLAGS })
    const { status, body } = await world.send({ method: 'POST', path: KINDS[kind], body: changed(kind, part, members) })
    expect(status).toBe(422)
    const found = faults(body)
    expect(found.map((fault, i) => fault.slice(0, told[i]?.length ?? fault.length))).toEqual(told)
  })
})

describe('a status is refused', () => {
  it.each<[Kind, object, readonly string[]]>([
    [
      'StorageVersion',
      {
        storageVersions: [{ ...SERVER, decodableVersions: ['v2'], servedVersions: ['v1'] }, SERVER],
        commonEncodingVersion: 'v1',
      },
      [
        'status.storageVersions[0].decodableVersions: Invalid value: ["v2"]: decodableVersions must include encodingVersion v1',
        'status.storageVersions[0].servedVersions[0]: Invalid value: "v1": individual served version : v1 must be included',
        'status.storageVersions[1].apiServerID: Duplicate value: "a"',
      ],
    ],
    [
      'StorageVersion',
      { storageVersions: [{ ...SERVER, encodingVersion: 'a/b/c', decodableVersions: ['a/b/c', '/v1', 'a/'] }] },
      [
        'status.storageVersions[0].encodingVersion: Invalid value: "a/b/c": an apiVersion is',
        'status.storageVersions[0].decodableVersions[0]: Invalid value: "a/b/c": an apiVersion is',
        'status.storageVersions[0].decodableVersions[1]: Invalid value: "/v1": group part: must be non-empty',
        'status.storageVersions[0].decodableVersions[2]: Invalid value: "a/": version part: must be non-empty',
        'status.commonEncodingVersion: Invalid value: null: the common encoding version is a/b/c',
      ],
    ],
    [
      'StorageVersion',
      {
        storageVersions: [SERVER, { ...SERVER, apiServerID: 'b', encodingVersion: 'v2', decodableVersions: ['v2'] }],
        commonEncodingVersion: 'v1',
      },
      ['status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree'],
    ],
    [
      'StorageVersion',
      { conditions: [{ type: 'A', status: 'True', reason: '', message: '' }] },
      ['status[0].reason: Required value', 'status[0].message: Required value'],
    ],
    [
      'ResourcePoolStatusRequest',
      { pools: [{ ...POOL, generation: -1, resourceSliceCount: 0, nodeName: 'A' }] },
      [
        'status.poolCount: Required value',
        'status.pools[0].generation: Invalid value: -1: must be greater than or equal to 0',
        'status.pools[0].resourceSliceCount: Invalid value: 0: must be greater than or equal to 1',
        'status.pools[0].nodeName: Invalid value: "A": a lowercase RFC 1123 subdomain',
      ],
    ],
    [
      'ResourcePoolStatusRequest',
      {
        poolCount: 1,
        pools: [
          {
            ...POOL,
            partitionSummary: [
              { attribute: 'a', type: 't', total: 1, allocatable: 1 },
              { attribute: 'a', type: 't', total: -1 },
            ],
            shareableSummary: { fullyAvailableDevices: 1, capacity: [{ name: 'm', total: '1', consumed: '1' }] },
          },
        ],
      },
      [
        'status.pools[0].partitionSummary[1].total: Invalid value: -1: must be greater than or equal to 0',
        'status.pools[0].partitionSummary[1].allocatable: Required value',
        'status.pools[0].partitionSummary[1]: Duplicate value',
        'status.pools[0].shareableSummary.partiallyAvailableDevices: Required value',
        'status.pools[0].shareableSummary.capacity[0].available: Required value',
      ],
    ],
  ])('%s %j', async (kind, members, told) => {
    const world = await openWorld({ flags: FLAGS })
    const path = await created(world, kind, changed(kind, 'metadata', {}))
    const live = await world.must('GET', path)
    const { status, body } = await world.send({
      method: 'PUT',
      path: `${path}/status`,
      body: { ...live, status: members },
    })
    expect(status).toBe(422)
    expect(faults(body).map((fault, i) => fault.slice(0, told[i]?.length ?? fault.length))).toEqual(told)
  })
})

describe('an answered request for the status of pools', () => {
  it('has a default limit, shows what was found, and does not change again', async () => {
    const world = await openWorld({ flags: FLAGS })
    const kind = 'ResourcePoolStatusRequest'
    const path = await created(world, kind, changed(kind, 'metadata', {}))
    const live = await world.must('GET', path)
    expect(live['spec']).toMatchObject({ limit: 100 })
    expect(live['status']).toBeUndefined()
    const cells = async () => {
      const { body } = await world.send({ method: 'GET', path, accept: TABLE })
      return (body['rows'] as readonly { cells: readonly unknown[] }[])[0]?.cells
    }
    expect(await cells()).toEqual(['o1', 'd.example.com', '-', '-', '-', '-', '-', 0, 'Pending', '<none>'])
    const pools = [
      { ...POOL, totalDevices: 3, availableDevices: 1, allocatedDevices: 2, unavailableDevices: 0 },
      { ...POOL, poolName: 'q', validationError: 'incomplete' },
    ]
    const status = { poolCount: 3, pools, conditions: [CONDITION] }
    const answered = await world.must('PUT', `${path}/status`, { ...live, status })
    expect(answered['status']).toEqual(status)
    expect(await cells()).toEqual(['o1', 'd.example.com', '3', '1', '2', '0', '1', 3, 'Complete (2/3 pools)', '366d'])
    const again = await world.send({
      method: 'PUT',
      path: `${path}/status`,
      body: { ...answered, status: { poolCount: 1 } },
    })
    expect(faults(again.body)).toEqual([expect.stringContaining('status: Invalid value')])
    const other = await world.send({ method: 'PUT', path, body: { ...answered, spec: { driver: 'e.example.com' } } })
    expect(faults(other.body)).toEqual([expect.stringContaining('spec: Invalid value')])
  })
})

describe('a storage version', () => {
  it('is what the servers say together', async () => {
    const world = await openWorld({ flags: FLAGS })
    const path = await created(world, 'StorageVersion', changed('StorageVersion', 'metadata', {}))
    const live = await world.must('GET', path)
    const status = { storageVersions: [{ ...SERVER, servedVersions: ['v1'] }], commonEncodingVersion: 'v1' }
    expect((await world.must('PUT', `${path}/status`, { ...live, status }))['status']).toEqual(status)
    const { body } = await world.send({ method: 'GET', path, accept: TABLE })
    expect((body['rows'] as readonly { cells: readonly unknown[] }[])[0]?.cells.slice(1, 3)).toEqual(['v1', 'a=v1'])
  })
})

describe('a lease candidate', () => {
  it('is made by a PUT, and keeps its lease', async () => {
    const world = await openWorld({ flags: FLAGS })
    const object = changed('LeaseCandidate', 'metadata', {})
    const path = `${KINDS.LeaseCandidate}/o1`
    expect((await world.send({ method: 'PUT', path, body: object })).status).toBe(201)
    const live = await world.must('GET', path)
    const spec = { ...(live['spec'] as object), leaseName: 'other' }
    const { body } = await world.send({ method: 'PUT', path, body: { ...live, spec } })
    expect(faults(body)).toEqual(['spec.leaseName: Invalid value: "other": field is immutable'])
  })
})
