// What a server of API level 1.37 does otherwise, and that one of level 1.36 does not.
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeAuthority } from '../../../src/pki/certificate-maker.ts'
import { type ApiWorld, openWorld } from '../../rigs/api-world.ts'

const PKCS10 = new URL('../../fixtures/pkcs10-requests.json', import.meta.url)
const PKCS10_REQUESTS = JSON.parse(readFileSync(PKCS10, 'utf8')) as Readonly<Record<string, string>>
const HOUR = 3_600_000

function at(level: '1.36' | '1.37'): Promise<ApiWorld> {
  return openWorld({ flags: [`--emulated-version=${level}`] })
}

async function post(world: ApiWorld, path: string, body: object) {
  return world.send({ method: 'POST', path, body })
}

function causesOf(body: Readonly<Record<string, unknown>>): readonly string[] {
  const { causes = [] } = body['details'] as { causes?: readonly { field: string; reason: string }[] }
  return causes.map(({ field, reason }) => `${field} ${reason}`)
}

const SELECTOR = { matchLabels: { a: 'b' } }
const TEMPLATE = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const SETS = '/apis/apps/v1/namespaces/ns/statefulsets'
const SET = { metadata: { name: 's' }, spec: { serviceName: 's', selector: SELECTOR, template: TEMPLATE } }
const SCALERS = '/apis/autoscaling/v2/namespaces/ns/horizontalpodautoscalers'
const SCALER = {
  metadata: { name: 'h' },
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
}
const PODS = '/api/v1/namespaces/ns/pods'
const POD = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }
const MERGE = 'application/merge-patch+json'
const MIGRATIONS = '/apis/storagemigration.k8s.io/v1/storageversionmigrations'
const BUNDLES = '/apis/certificates.k8s.io/v1/clustertrustbundles'
const TAINTS = '/apis/resource.k8s.io/v1/devicetaintrules'
const REQUESTS = '/apis/certificates.k8s.io/v1/namespaces/ns/podcertificaterequests'

describe('a server of level 1.36', () => {
  it('has none of the kinds of 1.37', async () => {
    const world = await at('1.36')
    const places = [
      { group: 'certificates.k8s.io', resource: 'clustertrustbundles' },
      { group: 'certificates.k8s.io', resource: 'podcertificaterequests' },
      { group: 'resource.k8s.io', resource: 'devicetaintrules' },
      { group: 'storagemigration.k8s.io', resource: 'storageversionmigrations' },
    ]
    for (const place of places) expect(world.resources.isDeclared({ ...place, version: 'v1' })).toBe(false)
  })

  it('keeps no field of 1.37', async () => {
    const spec = { containers: [{ name: 'c', image: 'i', volumeMounts: [] }], evictionResponders: [] }
    const world = await at('1.36')
    const { warnings } = await post(world, '/api/v1/namespaces/ns/pods', { metadata: { name: 'p' }, spec })
    expect(warnings).toEqual(['unknown field "spec.evictionResponders"'])
  })

  it('has no generation of autoscalers, and no default of 1.37', async () => {
    const world = await at('1.36')
    expect((await post(world, SCALERS, SCALER)).body['metadata']).not.toHaveProperty('generation')
    expect((await post(world, SETS, SET)).body['spec']).toMatchObject({
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    })
    const body = { metadata: { name: 'n' }, spec: { drivers: [] } }
    expect((await post(world, '/apis/storage.k8s.io/v1/csinodes', body)).body).not.toHaveProperty('status')
  })
})

describe('a server of level 1.37', () => {
  it('tells its level', async () => {
    const { body } = await (await at('1.37')).send({ method: 'GET', path: '/version' })
    expect(body).toMatchObject({ major: '1', minor: '37' })
  })

  it('fills in what 1.37 does', async () => {
    const world = await at('1.37')
    expect((await post(world, SCALERS, SCALER)).body['metadata']).toMatchObject({ generation: 1 })
    const spec = { ...SCALER.spec, maxReplicas: 4 }
    const path = `${SCALERS}/h`
    const changed = await world.send({ method: 'PUT', path, body: { metadata: { name: 'h' }, spec } })
    expect(changed.body['metadata']).toMatchObject({ generation: 2 })
    expect((await post(world, SETS, SET)).body['spec']).toMatchObject({
      updateStrategy: { rollingUpdate: { partition: 0, maxUnavailable: 1 } },
    })
    const node = { metadata: { name: 'n' }, spec: { drivers: [] } }
    expect((await post(world, '/apis/storage.k8s.io/v1/csinodes', node)).body).toHaveProperty('status', {})
    const driver = await post(world, '/apis/storage.k8s.io/v1/csidrivers', { metadata: { name: 'd.x' }, spec: {} })
    expect(driver.body['spec']).toMatchObject({ preventPodSchedulingIfMissing: false })
  })

  it('counts the changes of an autoscaler only with the gate', async () => {
    const world = await openWorld({ flags: ['--emulated-version=1.37', '--feature-gates=HPAGeneration=false'] })
    const metadata = { name: 'h', generation: 7 }
    const path = `${SCALERS}/h`
    expect((await post(world, SCALERS, { ...SCALER, metadata })).body['metadata']).toMatchObject({ generation: 7 })
    const spec = { ...SCALER.spec, maxReplicas: 4 }
    const changed = await world.send({ method: 'PUT', path, body: { metadata: { name: 'h' }, spec } })
    expect(changed.body['metadata']).toMatchObject({ generation: 7 })
  })

  it('binds pods only to nodes with valid names, and keeps no annotations of old init containers', async () => {
    const bound = async (level: '1.36' | '1.37', name: string) => {
      const world = await at(level)
      await post(world, PODS, POD)
      const annotations = { a: 'b', 'pod.beta.kubernetes.io/init-containers': '[]' }
      const body = { metadata: { name: 'p', annotations }, target: { name } }
      const { status, body: answer } = await post(world, `${PODS}/p/binding`, body)
      const pod = (await world.send({ method: 'GET', path: `${PODS}/p` })).body
      return { status, message: answer['message'], metadata: pod['metadata'] }
    }
    expect(await bound('1.36', 'N!')).toMatchObject({ status: 201 })
    expect(await bound('1.37', 'N!')).toMatchObject({ status: 400, message: expect.stringMatching(/^target.name: /) })
    expect(await bound('1.37', 'n')).toMatchObject({ metadata: { annotations: { a: 'b' } } })
  })

  it('tells the cause of every refused eviction', async () => {
    const refused = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      await post(world, PODS, { ...POD, metadata: { name: 'p', labels: { a: 'b' } } })
      const running = { status: { phase: 'Running' } }
      await world.send({ method: 'PATCH', path: `${PODS}/p/status`, body: running, contentType: MERGE })
      const budgets = '/apis/policy/v1/namespaces/ns/poddisruptionbudgets'
      await post(world, budgets, { metadata: { name: 'b' }, spec: { selector: SELECTOR } })
      const status = {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 0,
        expectedPods: 1,
      }
      const disruptedPods = Object.fromEntries(
        Array.from({ length: 2001 }, (_, i) => [`p${i}`, '2024-01-01T00:00:00Z']),
      )
      const body = { status: { ...status, disruptedPods } }
      await world.send({ method: 'PATCH', path: `${budgets}/b/status`, body, contentType: MERGE })
      return (await post(world, `${PODS}/p/eviction`, { metadata: { name: 'p' } })).body
    }
    expect(await refused('1.36')).toMatchObject({ reason: 'Forbidden' })
    expect((await refused('1.36'))['details']).not.toHaveProperty('causes')
    expect(await refused('1.37')).toMatchObject({
      reason: 'Forbidden',
      details: { causes: [{ reason: 'DisruptionBudget' }] },
    })
  })

  it('computes the class of every new pod, and keeps its claims if a client leaves them out', async () => {
    const states = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      const claims = [{ name: 'c', resourceClaimName: 'x' }]
      const spec = { ...POD.spec, resourceClaims: claims }
      const made = await post(world, PODS, { ...POD, spec, status: { qosClass: 'Guaranteed' } })
      const path = `${PODS}/p/status`
      const put = (status: object) =>
        world.send({ method: 'PUT', path, body: { ...made.body, metadata: { name: 'p' }, status } })
      const { qosClass } = made.body['status'] as { qosClass: string }
      const resourceClaimStatuses = [{ name: 'c', resourceClaimName: 'x' }]
      await put({ qosClass, resourceClaimStatuses })
      const left = (await put({ qosClass })).body['status']
      return { qosClass, left }
    }
    const before = await states('1.36')
    expect(before.qosClass).toBe('Guaranteed')
    expect(before.left).not.toHaveProperty('resourceClaimStatuses')
    const now = await states('1.37')
    expect(now.qosClass).toBe('BestEffort')
    expect(now.left).toMatchObject({ resourceClaimStatuses: [{ name: 'c' }] })
  })

  it('replaces a taint rule only in a known version', async () => {
    const world = await at('1.37')
    const spec = { taint: { key: 'a/b', effect: 'NoSchedule' } }
    await post(world, TAINTS, { metadata: { name: 't' }, spec })
    const body = { metadata: { name: 't' }, spec }
    const { status } = await world.send({ method: 'PUT', path: `${TAINTS}/t`, body })
    expect(status).toBe(422)
  })

  it('selects slices by their pool, and certificates by their signer', async () => {
    const selected = async (level: '1.36' | '1.37', path: string, field: string) =>
      (await (await at(level)).send({ method: 'GET', path: `${path}?fieldSelector=${field}%3Dx` })).status
    const slices = '/apis/resource.k8s.io/v1/resourceslices'
    expect(await selected('1.36', slices, 'spec.pool.name')).toBe(400)
    expect(await selected('1.37', slices, 'spec.pool.name')).toBe(200)
    expect(await selected('1.37', slices, 'spec.driver')).toBe(200)
    expect(await selected('1.37', BUNDLES, 'spec.signerName')).toBe(200)
    expect(await selected('1.37', REQUESTS, 'spec.nodeName')).toBe(200)
  })

  it('drops the fields of gates from jobs, claims, nodes and states', async () => {
    const world = await at('1.37')
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
    const scheduling = { schedulingPolicy: { basic: {} } }
    const jobs = '/apis/batch/v1/namespaces/ns'
    const job = await post(world, `${jobs}/jobs`, { metadata: { name: 'j' }, spec: { template, scheduling } })
    expect(job.body['spec']).not.toHaveProperty('scheduling')
    const jobTemplate = { spec: { template, scheduling } }
    const cron = await post(world, `${jobs}/cronjobs`, {
      metadata: { name: 'c' },
      spec: { schedule: '* * * * *', jobTemplate },
    })
    expect(cron.body['spec']).not.toHaveProperty('jobTemplate.spec.scheduling')
    const exactly = { deviceClassName: 'c', derivedAttributes: [{ name: 'a/b', expression: '1' }] }
    const devices = { requests: [{ name: 'r', exactly }] }
    const claims = '/apis/resource.k8s.io/v1/namespaces/ns/resourceclaims'
    const claim = await post(world, claims, { metadata: { name: 'c' }, spec: { devices } })
    expect(claim.status).toBe(201)
    expect(claim.body['spec']).not.toHaveProperty('devices.requests[0].exactly.derivedAttributes')
    const node = await post(world, '/api/v1/nodes', { metadata: { name: 'n' }, spec: { podPreemptionPolicy: {} } })
    expect(node.body['spec']).not.toHaveProperty('podPreemptionPolicy')
    await post(world, PODS, POD)
    const body = { status: { volumeHealth: [{ name: 'v' }], phase: 'Running' } }
    const pod = await world.send({ method: 'PATCH', path: `${PODS}/p/status`, body, contentType: MERGE })
    expect(pod.body['status']).toMatchObject({ phase: 'Running' })
    expect(pod.body['status']).not.toHaveProperty('volumeHealth')
  })

  it('shows only one class of a list as the default', async () => {
    const classes = '/apis/storage.k8s.io/v1/storageclasses'
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' }
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const names = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      for (const name of ['b', 'a']) await post(world, classes, { metadata: { name, annotations }, provisioner: 'p' })
      await post(world, classes, { metadata: { name: 'c' }, provisioner: 'p' })
      const shown = async (path: string) => {
        const { rows } = (await world.send({ method: 'GET', path, accept })).body as { rows: { cells: unknown[] }[] }
        return rows.map(({ cells }) => cells[0])
      }
      return [await shown(classes), await shown(`${classes}/a`)]
    }
    expect(await names('1.36')).toEqual([['a (default)', 'b (default)', 'c'], ['a (default)']])
    expect(await names('1.37')).toEqual([['a (default)', 'b', 'c'], ['a']])
  })

  it('does not look at the metadata of a scale', async () => {
    const refused = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      await post(world, SETS, SET)
      const body = { metadata: { name: 's', labels: { '-': 'x' } }, spec: { replicas: -1 } }
      return causesOf((await world.send({ method: 'PUT', path: `${SETS}/s/scale`, body })).body)
    }
    expect(await refused('1.36')).toEqual(['metadata.labels FieldValueInvalid', 'spec.replicas FieldValueInvalid'])
    expect(await refused('1.37')).toEqual(['spec.replicas FieldValueInvalid'])
  })

  it('takes no attestations of tokens that are bound to no webhook', async () => {
    const world = await at('1.37')
    await post(world, '/api/v1/namespaces/ns/serviceaccounts', { metadata: { name: 'a' } })
    const spec = { audiences: ['x'], attestations: { a: ['b'] } }
    const asked = await post(world, '/api/v1/namespaces/ns/serviceaccounts/a/token', { spec })
    expect(causesOf(asked.body)).toEqual(['spec.attestations FieldValueInvalid'])
  })

  it('drops a field whose gate is off, and keeps it where the gate is on', async () => {
    const pod = {
      metadata: { name: 'p' },
      spec: {
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', emptyDir: { mode: 493 } }],
        evictionResponders: [{ name: 'x/y', priority: 1 }],
      },
    }
    const [off, on] = [
      await at('1.37'),
      await openWorld({ flags: ['--emulated-version=1.37'], gates: ['EmptyDirVolumeMode'] }),
    ]
    const path = '/api/v1/namespaces/ns/pods'
    const dropped = (await post(off, path, pod)).body['spec'] as Record<string, unknown>
    expect(dropped['volumes']).toContainEqual({ name: 'v', emptyDir: {} })
    expect(dropped).not.toHaveProperty('evictionResponders')
    const kept = (await post(on, path, pod)).body['spec'] as Record<string, unknown>
    expect(kept['volumes']).toContainEqual({ name: 'v', emptyDir: { mode: 493 } })
  })

  it('tells every field of a stateful set that may not change', async () => {
    const bad = { ...SET, spec: { ...SET.spec, serviceName: 't', podManagementPolicy: 'Parallel' } }
    const refused = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      await post(world, SETS, SET)
      return causesOf((await world.send({ method: 'PUT', path: `${SETS}/s`, body: bad })).body)
    }
    expect(await refused('1.36')).toEqual(['spec FieldValueForbidden'])
    expect(await refused('1.37')).toEqual([
      'spec.serviceName FieldValueInvalid',
      'spec.podManagementPolicy FieldValueInvalid',
    ])
  })

  it('tells what a reference to an owner lacks, with its place, and once', async () => {
    const body = { metadata: { name: 'c', ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: '', uid: 'u' }] } }
    const path = '/api/v1/namespaces/ns/configmaps'
    const refused = async (level: '1.36' | '1.37') => causesOf((await post(await at(level), path, body)).body)
    expect(await refused('1.36')).toEqual(['metadata.ownerReferences.name FieldValueInvalid'])
    expect(await refused('1.37')).toEqual(['metadata.ownerReferences[0].name FieldValueRequired'])
  })

  it('tells what a condition lacks', async () => {
    const budgets = '/apis/policy/v1/namespaces/ns/poddisruptionbudgets'
    const condition = {
      type: 'A',
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    }
    const conditions = [condition, condition, { ...condition, type: '' }, { ...condition, type: 'B', status: '' }]
    const refused = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      const made = await post(world, budgets, { metadata: { name: 'b' }, spec: { selector: SELECTOR } })
      const body = { ...made.body, status: { ...(made.body['status'] as object), conditions } }
      return causesOf((await world.send({ method: 'PUT', path: `${budgets}/b/status`, body })).body)
    }
    expect(await refused('1.36')).toEqual([
      'status.conditions[1].type FieldValueDuplicate',
      'status.conditions[2].type FieldValueInvalid',
      'status.conditions[2].type FieldValueInvalid',
      'status.conditions[3].status FieldValueNotSupported',
    ])
    expect(await refused('1.37')).toEqual([
      'status.conditions[1] FieldValueDuplicate',
      'status.conditions[2].type FieldValueRequired',
      'status.conditions[3].status FieldValueRequired',
    ])
  })

  it('warns of sets that cannot be compared', async () => {
    const items = {
      object: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
      array: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    }
    const schema = (type: 'object' | 'array') => ({
      type: 'object',
      properties: { l: { type: 'array', 'x-kubernetes-list-type': 'set', items: items[type] } },
    })
    const definition = (...types: ('object' | 'array')[]) => ({
      metadata: { name: 'as.g.example.com' },
      spec: {
        group: 'g.example.com',
        names: { plural: 'as', kind: 'A' },
        scope: 'Namespaced',
        versions: types.map((type, i) => ({
          name: `v${i + 1}`,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: schema(type) },
        })),
      },
    })
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    expect((await post(await at('1.36'), path, definition('object'))).warnings).toEqual([])
    const world = await at('1.37')
    const warning = (type: string) =>
      `x-kubernetes-list-type: set for items of type "${type}" is not supported by server-side apply or CEL validation rules`
    const made = await post(world, path, definition('object'))
    expect(made.warnings).toEqual([warning('object')])
    const changed = await world.send({
      method: 'PATCH',
      path: `${path}/as.g.example.com`,
      contentType: 'application/merge-patch+json',
      body: { spec: definition('object', 'array').spec },
    })
    expect(changed.warnings).toEqual([warning('array')])
  })

  it('tells the fault of an access review at its specification', async () => {
    const refused = async (level: '1.36' | '1.37') =>
      causesOf(
        (await post(await at(level), '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec: {} })).body,
      )
    expect(await refused('1.36')).toEqual(['spec.resourceAttributes FieldValueInvalid'])
    expect(await refused('1.37')).toEqual(['spec FieldValueInvalid'])
  })

  it('tells which values an attribute of a device can have', async () => {
    const slice = (attribute: object): object => ({
      metadata: { name: 's' },
      spec: {
        driver: 'd.example.com',
        pool: { name: 'p', resourceSliceCount: 1 },
        nodeName: 'n',
        devices: [{ name: 'd', attributes: { a: attribute } }],
      },
    })
    const refused = async (level: '1.36' | '1.37', attribute: object) =>
      (await post(await at(level), '/apis/resource.k8s.io/v1/resourceslices', slice(attribute))).body['message']
    expect(await refused('1.36', {})).toMatch(/"": exactly one value must be specified$/)
    const values = '`int`, `bool`, `string`, `version`, `ints`, `bools`, `strings`, `versions`'
    expect(await refused('1.37', {})).toMatch(new RegExp(`"": must specify one of: ${values}$`))
    expect(await refused('1.37', { int: 1, string: 's' })).toMatch(
      new RegExp(`"{int, string}": must specify exactly one of: ${values}$`),
    )
  })

  it('refuses the members of a priority level whose type is unknown', async () => {
    const path = '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'
    const refused = async (level: '1.36' | '1.37', spec: object) =>
      causesOf((await post(await at(level), path, { metadata: { name: 'p' }, spec })).body)
    const limited = { limitResponse: { type: 'Reject' } }
    expect(await refused('1.36', { type: 'x', limited })).toEqual(['spec.type FieldValueNotSupported'])
    expect(await refused('1.37', { type: 'x', limited })).toEqual([
      'spec.limited FieldValueForbidden',
      'spec.type FieldValueNotSupported',
    ])
    expect(await refused('1.37', { type: 'Limited', limited: { limitResponse: { type: 'x', queuing: {} } } })).toEqual([
      'spec.limited.limitResponse.queuing FieldValueForbidden',
      'spec.limited.limitResponse.type FieldValueNotSupported',
    ])
  })

  it('tells the fault of a changed provider of a node in other words', async () => {
    const refused = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      await post(world, '/api/v1/nodes', { metadata: { name: 'n' }, spec: { providerID: 'a' } })
      const body = { metadata: { name: 'n' }, spec: { providerID: 'b' } }
      return causesOf((await world.send({ method: 'PUT', path: '/api/v1/nodes/n', body })).body)
    }
    expect(await refused('1.36')).toEqual(['spec.providerID FieldValueForbidden'])
    expect(await refused('1.37')).toEqual(['spec.providerID FieldValueInvalid'])
  })

  it('does not look at the generated labels of a job that is changed', async () => {
    const refused = async (level: '1.36' | '1.37') => {
      const world = await at(level)
      const jobs = '/apis/batch/v1/namespaces/ns/jobs'
      const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
      const { body } = await post(world, jobs, { metadata: { name: 'j' }, spec: { template } })
      const { spec } = body as { spec: { selector: object; template: { metadata: { labels: object } } } }
      const labels = { ...spec.template.metadata.labels, 'job-name': 'other' }
      const changed = { ...body, spec: { ...spec, template: { ...spec.template, metadata: { labels } } } }
      return causesOf((await world.send({ method: 'PUT', path: `${jobs}/j`, body: changed })).body)
    }
    expect(await refused('1.36')).toEqual([
      'spec.template.metadata.labels[job-name] FieldValueInvalid',
      'spec.template FieldValueInvalid',
    ])
    expect(await refused('1.37')).toEqual(['spec.template FieldValueInvalid'])
  })

  it('takes migrations, and holds them to their rules', async () => {
    const off = ['storage-version-migrator']
    const world = await openWorld({ flags: ['--emulated-version=1.37'], controllersOff: off })
    const resource = { group: 'apps', resource: 'deployments' }
    const made = await post(world, MIGRATIONS, { metadata: { name: 'm' }, spec: { resource } })
    expect(made).toMatchObject({ status: 201, body: { spec: { resource }, status: {} } })
    const bad = await post(world, MIGRATIONS, {
      metadata: { name: 'n' },
      spec: { resource: { group: '-', resource: '' } },
    })
    expect(causesOf(bad.body)).toEqual([
      'spec.resource.resource FieldValueRequired',
      'spec.resource.group FieldValueInvalid',
    ])
    const path = `${MIGRATIONS}/m`
    const condition = (type: string) => ({
      type,
      status: 'True',
      reason: 'R',
      message: '',
      lastTransitionTime: '2030-01-01T00:00:00Z',
    })
    const conditions = [condition('Succeeded'), condition('Failed')]
    const body = { ...made.body, status: { conditions } }
    expect((await world.send({ method: 'PUT', path: `${path}/status`, body })).status).toBe(422)
  })

  it('takes bundles of authorities only', async () => {
    const world = await at('1.37')
    const authority = makeAuthority(HOUR).certificate
    const bundle = (trustBundle: string, spec = {}, name = 'b') =>
      post(world, BUNDLES, { metadata: { name }, spec: { trustBundle, ...spec } })
    expect((await bundle(authority)).status).toBe(201)
    expect((await bundle(authority, { signerName: 'a.b/c' }, 'a.b:c:d')).status).toBe(201)
    expect(causesOf((await bundle(authority, { signerName: 'a.b/c' }, 'e')).body)).toEqual([
      'metadata.name FieldValueInvalid',
    ])
    const { publicKey } = generateKeyPairSync('ed25519')
    const key = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    for (const text of ['', `${authority}\n${authority}`, key])
      expect(causesOf((await bundle(text, {}, 'f')).body)).toEqual(['spec.trustBundle FieldValueInvalid'])
  })

  it('counts the time of a device taint from its effect', async () => {
    const world = await at('1.37')
    const body = (effect: string) => ({ metadata: { name: 't' }, spec: { taint: { key: 'a/b', effect } } })
    const made = await post(world, TAINTS, body('NoSchedule'))
    expect(made.body).toMatchObject({
      metadata: { generation: 1 },
      spec: { taint: { timeAdded: '2030-01-02T03:04:05Z' } },
    })
    expect(causesOf((await post(world, TAINTS, body('Never'))).body)).toEqual([
      'spec.taint.effect FieldValueNotSupported',
    ])
  })

  it('selects bundles, requests and slices by their fields', async () => {
    const world = await at('1.37')
    const answer = async (path: string) => (await world.send({ method: 'GET', path })).status
    expect(await answer(`${BUNDLES}?fieldSelector=spec.signerName%3Da.b/c`)).toBe(200)
    expect(await answer(`${BUNDLES}?fieldSelector=spec.trustBundle%3Da`)).toBe(400)
    const fields = 'spec.signerName!=a,spec.podName!=a,spec.nodeName%3Dn'
    expect(await answer(`${REQUESTS}?fieldSelector=${fields}`)).toBe(200)
    expect(await answer(`/apis/resource.k8s.io/v1/resourceslices?fieldSelector=spec.pool.name%3Dp`)).toBe(200)
  })

  it('lets nobody change what a pod certificate request asks for', async () => {
    const world = await at('1.37')
    const spec = {
      signerName: 'a.b/c',
      podName: 'p',
      podUID: 'u',
      serviceAccountName: 's',
      serviceAccountUID: 'u',
      nodeName: 'n',
      nodeUID: 'u',
      stubPKCS10Request: PKCS10_REQUESTS['p256'],
    }
    const made = await post(world, REQUESTS, { metadata: { name: 'r' }, spec })
    expect(made).toMatchObject({ status: 201, body: { spec: { maxExpirationSeconds: 86_400 } } })
    const path = `${REQUESTS}/r`
    const changed = { ...made.body, spec: { ...spec, podName: 'q' } }
    expect(causesOf((await world.send({ method: 'PUT', path, body: changed })).body)).toEqual([
      'spec FieldValueInvalid',
    ])
    const short = await post(world, REQUESTS, { metadata: { name: 's' }, spec: { ...spec, maxExpirationSeconds: 60 } })
    expect(causesOf(short.body)).toEqual(['spec.maxExpirationSeconds FieldValueInvalid'])
    const denied = [
      { type: 'Denied', status: 'True', reason: 'R', message: '', lastTransitionTime: '2030-01-01T00:00:00Z' },
    ]
    const body = { ...made.body, status: { conditions: denied } }
    expect((await world.send({ method: 'PUT', path: `${path}/status`, body })).status).toBe(200)
    const again = { ...made.body, metadata: { name: 'r' }, status: {} }
    expect((await world.send({ method: 'PUT', path: `${path}/status`, body: again })).status).toBe(422)
  })
})
