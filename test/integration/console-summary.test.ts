// The overview of the cluster and the summaries of objects in the console, in a real browser, with simulated nodes.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAccessFaults, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'

const tab = useAdminTab(['--nodes=3'])

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

/** At both widths, in both themes, nothing is cut off or inaccessible. */
async function looksRight(name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
  ] as const) {
    await tab.page.setViewportSize({ width, height: 900 })
    await tab.page.emulateMedia({ colorScheme })
    expect(await findAccessFaults(tab.page)).toEqual([])
    expect(await tab.page.evaluate('document.querySelector("main").scrollWidth <= innerWidth')).toBe(true)
    await takeScreenshot(tab.page, `${name}-${width}-${colorScheme}`)
  }
  tab.isQuiet()
}

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
    await rowIn('Extensions that do not work', /Webhook.*down\.example\.com.*Calls failed/).waitFor()
    for (const node of ['node-0', 'node-1', 'node-2']) await rowIn('Nodes', new RegExp(`${node}.*Ready`)).waitFor()
    await card('Objects')
      .getByRole('listitem')
      .filter({ hasText: /^Node 3$/ })
      .waitFor()
    await looksRight('overview')
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
    await looksRight('summary-deployment')
    await card('Dependents').getByRole('link').first().click()
    await rowIn('Owners', /Deployment.*rolled/).waitFor()
  })
})
