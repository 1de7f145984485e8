// The overview of the cluster, the summaries of objects and the page of the server in the console, in a real browser, with simulated nodes.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAccessFaults, openKind, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'

const tab = useAdminTab(['--nodes=3', '--feature-gates=ObjectHistory=true'])

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const MERGE = { 'content-type': 'application/merge-patch+json' }

async function make(place: string, body: object): Promise<void> {
  await tab.server.must(place, { method: 'POST', body })
}

async function deploy(name: string, more: object = {}): Promise<void> {
  const spec = { containers: [{ name: 'main', image: 'web:1', ports: [{ containerPort: 80 }] }], ...more }
  const template = { metadata: { labels: { app: name } }, spec }
  await make(DEPLOYMENTS, {
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
  })
}

async function open(place: string, page: Page = tab.page): Promise<void> {
  await page.goto(`${tab.server.url}/console/objects/${place}`)
  await page.getByRole('tab', { name: 'Summary', selected: true }).waitFor()
}

const card = (name: string, page: Page = tab.page) => page.getByRole('region', { name, exact: true })
const rowIn = (name: string, text: string | RegExp) => card(name).getByRole('row').filter({ hasText: text })

describe('the overview', () => {
  it('leads with the things that are wrong, each with its reason, and counts the rest', async () => {
    await deploy('stuck', { nodeSelector: { disk: 'gold' } })
    await make('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: 'v1.away.example' },
      spec: {
        group: 'away.example',
        version: 'v1',
        groupPriorityMinimum: 100,
        versionPriority: 10,
        service: { name: 'away', namespace: 'default' },
        insecureSkipTLSVerify: true,
      },
    })
    for (const plural of ['tugs', 'barges']) {
      const schema = { openAPIV3Schema: { type: 'object' } }
      await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: `${plural}.port.example` },
        spec: {
          group: 'port.example',
          scope: 'Namespaced',
          names: { kind: 'Vessel', plural },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      })
    }
    await make('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
      metadata: { name: 'down' },
      webhooks: [
        {
          name: 'down.example.com',
          failurePolicy: 'Ignore',
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
          clientConfig: { url: 'https://127.0.0.1:1/' },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['limitranges'], operations: ['*'] }],
        },
      ],
    })
    await expect
      .poll(async () => {
        const name = `l${Math.random().toString(36).slice(2)}`
        await make('/api/v1/namespaces/default/limitranges', { metadata: { name }, spec: { limits: [] } })
        return (await tab.server.request('/metrics')).body.includes('fail_open_count{name="down.example.com"')
      })
      .toBe(true)
    await tab.page.reload()
    await rowIn('Workloads that are not ready', /Deployment.*stuck.*0\/2 ready.*minimum availability/).waitFor()
    await rowIn('Workloads that are not ready', /Pod.*stuck-.*Pending.*node affinity/)
      .first()
      .waitFor()
    await rowIn('Warnings', /Pod stuck-.*FailedScheduling/)
      .first()
      .waitFor()
    await rowIn('Extensions that do not work', /APIService.*v1\.away\.example.*Not Available.*is not present/).waitFor()
    await rowIn('Extensions that do not work', /CustomResourceDefinition.*barges.*Not Established/).waitFor()
    await rowIn('Extensions that do not work', /Webhook.*down\.example\.com.*Calls failed/).waitFor()
    for (const node of ['node-0', 'node-1', 'node-2']) await rowIn('Nodes', new RegExp(`${node}.*Ready`)).waitFor()
    await card('Objects')
      .getByRole('listitem')
      .filter({ hasText: /^Node 3$/ })
      .waitFor()
    await tab.looksRight('overview-faults')
    await tab.server.must(`${DEPLOYMENTS}/stuck`, { method: 'DELETE' })
    await tab.page.getByText('All workloads are ready.').waitFor({ timeout: 30_000 })
  })

  it('shows a user with few rights the objects that the user may see', async () => {
    const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] }]
    await deploy('seen', { nodeSelector: { disk: 'silver' } })
    const { page, complaints } = await tab.logIn(await newUser(tab.server, 'looker', rules))
    const workloads = card('Workloads that are not ready', page)
    await workloads
      .getByRole('row')
      .filter({ hasText: /seen.*0\/2 ready/ })
      .waitFor()
    await workloads.getByText('No permission to list all namespaces').waitFor()
    await card('Warnings', page).getByText('None.').waitFor()
    await card('Extensions that do not work', page)
      .getByText(/^No permission: /)
      .waitFor()
    await card('Nodes', page)
      .getByText(/^No permission: /)
      .waitFor()
    await card('Objects', page).getByText('No permission to count all objects').waitFor()
    expect(await findAccessFaults(page)).toEqual([])
    expect(complaints).toEqual([])
    await takeScreenshot(page, 'overview-few-rights')
  })
})

describe('a summary', () => {
  it('of a deployment shows the old and the new replica set while it rolls', async () => {
    await deploy('rolled')
    await open('deployments.apps/default/rolled')
    await rowIn('Dependents', /ReplicaSet.*1 *2\/2 ready/).waitFor()
    await rowIn('Conditions', /Available.*True.*MinimumReplicasAvailable/).waitFor()
    await rowIn('Containers', /main.*web:1.*80/).waitFor()
    await expect.poll(() => rowIn('Pods', /Running/).count()).toBe(2)
    // The new pods find no node, so that the rollout stops half way.
    const spec = { template: { spec: { nodeSelector: { disk: 'gold' } } } }
    await tab.server.must(`${DEPLOYMENTS}/rolled`, { method: 'PATCH', headers: MERGE, body: { spec } })
    await rowIn('Dependents', /ReplicaSet.*2 *0\/1 ready/).waitFor()
    await rowIn('Dependents', /ReplicaSet.*1 *2\/2 ready/).waitFor()
    await rowIn('Pods', /Pending.*node affinity/).waitFor()
    await tab.isFaultless()
    await card('Dependents').getByRole('link').first().click()
    await rowIn('Owners', /Deployment.*rolled/).waitFor()
  })

  it('follows a rollout and the scale of a deployment without a reload', async () => {
    await deploy('followed')
    await open('deployments.apps/default/followed')
    const rollout = tab.page.locator('.rollout')
    await rollout.getByText('Rolled out: 2 of 2 pods are available.').waitFor()
    await tab.page.evaluate(`
      window.told = []
      const part = document.querySelector('.rollout')
      new MutationObserver(() => told.push(part.textContent)).observe(part, { subtree: true, characterData: true, childList: true })
    `)
    const patch = (spec: object) =>
      tab.server.must(`${DEPLOYMENTS}/followed`, { method: 'PATCH', headers: MERGE, body: { spec } })
    // Each pod takes a second to be ready.
    await patch({ template: { metadata: { annotations: { 'quarterdeck.dev/ready-delay': '1s' } } } })
    await rowIn('Dependents', /ReplicaSet.*2 *2\/2 ready/).waitFor()
    await rollout.getByText('Rolled out: 2 of 2 pods are available.').waitFor()
    const told = await tab.page.evaluate<readonly string[]>('window.told')
    expect(told).toContain('1 of 2 pods are updated.')
    expect(told.at(-1)).toBe('Rolled out: 2 of 2 pods are available.')
    await expect.poll(() => rowIn('Pods', /Running/).count()).toBe(2)
    await patch({ replicas: 3 })
    await expect.poll(() => rowIn('Pods', /Running/).count()).toBe(3)
    await rollout.getByText('Rolled out: 3 of 3 pods are available.').waitFor()
    tab.isQuiet()
  })

  it('of a pod shows the states of its containers, its owner and its node', async () => {
    await deploy('housed')
    await open('deployments.apps/default/housed')
    const link = rowIn('Pods', /Running/)
      .first()
      .getByRole('link')
    await link.click()
    await rowIn('Containers', /main.*web:1.*80.*running/).waitFor()
    await rowIn('Owners', /ReplicaSet.*housed-/).waitFor()
    await rowIn('Conditions', /^Ready *True/).waitFor()
    await rowIn('Labels', /app.*housed/).waitFor()
    await tab.looksRight('summary-pod')
    await open('nodes/-/node-0')
    await rowIn('Resources', /cpu/).waitFor()
    await rowIn('Pods', /Running/)
      .first()
      .waitFor()
  })

  it('of a secret hides its values until they are clicked', async () => {
    const data = { password: btoa('p<b>4</b>'), key: btoa('\u00ff\u00fe') }
    await make('/api/v1/namespaces/default/secrets', { metadata: { name: 'hidden' }, data })
    await open('secrets/default/hidden')
    await rowIn('Data', /password.*9 B/).waitFor()
    expect(await tab.page.content()).not.toContain('p&lt;b&gt;4')
    await tab.page.getByRole('button', { name: 'Show password' }).click()
    await card('Data').getByText('p<b>4</b>').waitFor()
    await tab.page.getByRole('button', { name: 'Show key' }).click()
    await card('Data').getByText('binary data').waitFor()
    await tab.isFaultless()
    await tab.page.getByRole('button', { name: 'Hide password' }).click()
    await expect.poll(() => card('Data').getByText('p<b>4</b>').count()).toBe(0)
  })

  it.each([
    ['configmaps/default/kube-root-ca.crt', 'Data', /ca\.crt.*BEGIN CERTIFICATE/],
    ['clusterroles.rbac.authorization.k8s.io/-/view', 'Rules', /get, list, watch.*pods/],
    ['clusterrolebindings.rbac.authorization.k8s.io/-/cluster-admin', 'Subjects', /Group.*system:masters/],
    ['services/default/kubernetes', 'Ports', /https.*443.*TCP/],
    ['apiservices.apiregistration.k8s.io/-/v1.', 'Conditions', /Available.*True/],
  ])('of %s has its %s', async (place, part, row) => {
    await open(place)
    await rowIn(part, row).first().waitFor()
    await tab.isFaultless()
  })

  it('of a custom object has its printer columns, its conditions and its dependents, live', async () => {
    const boats = '/apis/sea.example/v1/namespaces/default/boats'
    await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'boats.sea.example' },
      spec: {
        group: 'sea.example',
        scope: 'Namespaced',
        names: { kind: 'Boat', plural: 'boats' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
            additionalPrinterColumns: [{ name: 'Sails', type: 'integer', jsonPath: '.spec.sails' }],
          },
        ],
      },
    })
    const boat = { apiVersion: 'sea.example/v1', kind: 'Boat', metadata: { name: 'one' }, spec: { sails: 3 } }
    await expect.poll(async () => (await tab.server.request(boats, { method: 'POST', body: boat })).status).toBe(201)
    const { metadata } = await tab.server.must(`${boats}/one`)
    const { uid } = metadata as { readonly uid: string }
    const ownerReferences = [{ apiVersion: 'sea.example/v1', kind: 'Boat', name: 'one', uid }]
    await make('/api/v1/namespaces/default/configmaps', { metadata: { name: 'log-book', ownerReferences } })
    await open('boats.sea.example/default/one')
    await tab.page.locator('.facts > div', { hasText: 'Sails' }).getByText('3', { exact: true }).waitFor()
    await rowIn('Dependents', /ConfigMap.*log-book/).waitFor()
    const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'NoWind', message: 'calm' }] }
    await tab.server.must(`${boats}/one`, { method: 'PATCH', headers: MERGE, body: { spec: { sails: 4 }, status } })
    await tab.page.locator('.facts > div', { hasText: 'Sails' }).getByText('4', { exact: true }).waitFor()
    await rowIn('Conditions', /Ready.*False.*NoWind.*calm/).waitFor()
    await tab.isFaultless()
  })

  it('names the related objects that the user may not read', async () => {
    const rules = [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list', 'watch'] }]
    await deploy('fenced')
    const { page } = await tab.logIn(await newUser(tab.server, 'fenced-in', rules))
    await open('deployments.apps/default/fenced', page)
    await page.getByText('No permission to read related objects: ReplicaSet, Pod').waitFor()
    await card('Conditions', page).waitFor()
    expect(await findAccessFaults(page)).toEqual([])
  })
})

describe('the table of nodes', () => {
  it('has their pods and their readiness, live', async () => {
    await openKind(tab.page, 'nodes')
    const cells = (column: number) => tab.page.locator(`tbody td:nth-child(${column})`).allTextContents()
    await expect.poll(() => tab.page.getByRole('columnheader').allTextContents()).toContain('Pods')
    const at = (await tab.page.getByRole('columnheader').allTextContents()).indexOf('Pods') + 1
    const pods = async (): Promise<number> => (await cells(at)).reduce((sum, text) => sum + Number(text), 0)
    const { rows } = (await tab.server.must('/api/v1/pods?groupBy=spec.nodeName')) as unknown as {
      readonly rows: readonly { readonly count: number; readonly group: Readonly<Record<string, string | null>> }[]
    }
    const placed = rows.filter(({ group }) => group['spec.nodeName'] !== null).reduce((sum, row) => sum + row.count, 0)
    await expect.poll(pods).toBe(placed)
    await deploy('counted')
    await expect.poll(pods).toBe(placed + 2)
    await tab.page.getByRole('button', { name: 'Pods', exact: true }).click()
    await expect.poll(() => tab.page.locator('th[aria-sort=ascending]').textContent()).toContain('Pods')
    const sorted = (await cells(at)).map(Number)
    expect(sorted).toEqual(sorted.toSorted((a, b) => a - b))
    const body = { spec: { unschedulable: true } }
    await tab.server.must('/api/v1/nodes/node-1', { method: 'PATCH', headers: MERGE, body })
    await tab.page.getByRole('row').filter({ hasText: 'node-1' }).getByText('Ready,SchedulingDisabled').waitFor()
    await expect.poll(pods).toBe(placed + 2)
    tab.isQuiet()
  })
})

describe('the history', () => {
  it('has the last versions with their writers and changes, live, and no values of secrets', async () => {
    const maps = '/api/v1/namespaces/default/configmaps'
    await make(`${maps}?fieldManager=painter`, { metadata: { name: 'past' }, data: { colour: 'red' } })
    const paint = (colour: string) =>
      tab.server.must(`${maps}/past?fieldManager=painter`, {
        method: 'PATCH',
        headers: MERGE,
        body: { data: { colour } },
      })
    await paint('green')
    await open('configmaps/default/past')
    await tab.page.getByRole('tab', { name: 'History' }).click()
    await rowIn('Versions', /painter.*data\.colour: "red" → "green"/).waitFor()
    await paint('blue')
    await rowIn('Versions', /painter.*data\.colour: "green" → "blue"/).waitFor()
    await rowIn('Versions', 'The oldest version that the server has.').waitFor()
    await tab.isFaultless()
    const secrets = '/api/v1/namespaces/default/secrets'
    await make(secrets, { metadata: { name: 'past' }, stringData: { password: 'old' } })
    const body = { stringData: { password: 'new' } }
    await tab.server.must(`${secrets}/past`, { method: 'PATCH', headers: MERGE, body })
    await open('secrets/default/past')
    await tab.page.getByRole('tab', { name: 'History' }).click()
    await rowIn('Versions', 'data.password').waitFor()
    expect(await card('Versions').textContent()).not.toMatch(/b2xk|bmV3/)
  })
})

describe('the page of the server', () => {
  it('is not cut off on wide and on small screens', async () => {
    const other = await tab.page.context().newPage()
    await other.goto(`${tab.server.url}/console/kinds/configmaps?labels=app.kubernetes.io%2Fname%20in%20(one%2Ctwo)`)
    await tab.page.getByRole('link', { name: 'Server', exact: true }).click()
    await tab.page.getByRole('img', { name: /^Event-loop lag/ }).waitFor()
    await rowIn('Watchers', 'configmaps').waitFor()
    await tab.looksRight('server-watchers')
  })
})
