// Pictures of every page of the console, for people to look at: wide, in the dark, and on a phone. Nothing is cut off or inaccessible.
// `make pictures` puts some of them into the documents.
import { beforeAll, it } from 'vitest'
import { openYaml } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { makeShownApps } from '../corpora/shown-apps.ts'
import { makeShownShop } from '../corpora/shown-shop.ts'

const tab = useAdminTab(['--nodes=3', '--feature-gates=ObjectHistory=true'])

const WEB = 'objects/deployments.apps/shop/web'
const line = (text: string) => tab.page.locator('.cm-line', { hasText: text }).first()
const live = () => tab.page.getByText('Live', { exact: true })
const card = (name: string) => tab.page.getByRole('region', { name, exact: true })
const row = (text: RegExp) => tab.page.getByRole('row').filter({ hasText: text }).first()
const openTab = (name: string) => tab.page.getByRole('tab', { name }).click()

beforeAll(async () => {
  await makeShownApps(tab.server)
  await makeShownShop(tab.server)
  const image = { template: { metadata: { annotations: { 'quarterdeck.dev/ready-delay': '1h' } } } }
  const headers = { 'content-type': 'application/merge-patch+json' }
  const place = '/apis/apps/v1/namespaces/shop/deployments/search?fieldManager=kubectl-set'
  await tab.server.must(place, { method: 'PATCH', headers, body: { spec: image } })
  const scaled = { metadata: { annotations: { 'example.com/last-scaled': '2026-11-16' } }, spec: { replicas: 6 } }
  const web = '/apis/apps/v1/namespaces/shop/deployments/web?fieldManager=autoscaler'
  await tab.server.must(web, { method: 'PATCH', headers, body: scaled })
})

/** The name of a picture, the address of its page, and the thing to wait for. */
const PAGES: readonly (readonly [name: string, place: string, ready: () => Promise<unknown>])[] = [
  ['overview', '', () => row(/radar.*CrashLoopBackOff/).waitFor()],
  ['graph', 'graph?namespace=shop', () => tab.page.getByRole('group', { name: /^Graph of/ }).waitFor()],
  ['server', 'server', () => tab.page.getByRole('img', { name: /^Event-loop lag/ }).waitFor()],
  [
    'definitions',
    'definitions',
    async () => {
      await tab.page.locator('summary', { hasText: '1' }).first().click()
      await tab.page.getByText(/^Estimated total cost/).waitFor()
    },
  ],
  [
    'access',
    'access',
    async () => {
      await tab.page.getByLabel('Verb').fill('get')
      await tab.page.getByLabel('Resource').fill('secrets')
      await tab.page.getByRole('button', { name: 'Find' }).click()
      await tab.page.getByText(/subjects can get secrets/).waitFor()
      await tab.page.getByRole('cell', { name: 'yes' }).last().waitFor()
    },
  ],
  ['apply', 'apply', () => tab.page.getByRole('textbox', { name: 'Manifests' }).waitFor()],
  ['create', 'create/deployments.apps?namespace=shop', () => line('namespace: shop').waitFor()],
  ['table', 'kinds/pods', () => row(/radar.*CrashLoopBackOff/).waitFor()],
  ['namespaces', 'kinds/pods?namespace=harbour%2Cshop', () => live().waitFor()],
  ['nodes', 'kinds/nodes', () => row(/node-2.*\d/).waitFor()],
  ['custom', 'kinds/lighthouses.coast.example', () => row(/north.*40/).waitFor()],
  ['empty', 'kinds/cronjobs.batch?namespace=harbour', () => tab.page.getByText('No objects.').waitFor()],
  ['summary', WEB, () => card('Pods').getByText('Running').first().waitFor()],
  [
    'rollout',
    'objects/deployments.apps/shop/search',
    () => tab.page.getByText(/pods are (updated|available)\.$/).waitFor(),
  ],
  ['crashing', 'objects/deployments.apps/harbour/radar', () => card('Pods').getByText('CrashLoopBackOff').waitFor()],
  ['node', 'objects/nodes/-/node-0', () => card('Pods').getByText('Running').first().waitFor()],
  ['role', 'objects/clusterroles.rbac.authorization.k8s.io/-/view', () => card('Rules').waitFor()],
  ['secret', 'objects/secrets/shop/shop-tls', () => card('Data').waitFor()],
  ['object', WEB, () => openYaml(tab.page)],
  [
    'events',
    WEB,
    async () => {
      await openTab('Events')
      await row(/ScalingReplicaSet/).waitFor()
    },
  ],
  [
    'owners',
    WEB,
    async () => {
      await openTab('Owners')
      await tab.page.getByRole('group', { name: 'Owners and dependents' }).waitFor()
    },
  ],
  [
    'history',
    WEB,
    async () => {
      await openTab('History')
      await row(/autoscaler/).waitFor()
    },
  ],
  [
    'search',
    'kinds/pods',
    async () => {
      await live().waitFor()
      await tab.page.keyboard.press('Control+k')
      await tab.page.getByRole('combobox', { name: 'Search' }).fill('web')
      await tab.page.getByRole('option', { name: 'web Deployment in shop' }).waitFor()
      await tab.page.getByText(/^\d+ found/).waitFor()
    },
  ],
  [
    'scale',
    WEB,
    async () => {
      await tab.page.getByRole('button', { name: 'Actions' }).click()
      await tab.page.getByRole('button', { name: 'Scale …' }).click()
      await tab.page.getByLabel('Replicas').fill('3')
      await tab.page.keyboard.press('Enter')
      await tab.page.getByText('spec.replicas: 6 → 3').waitFor()
    },
  ],
]

it.each(PAGES)('the page %s looks right', async (name, place, ready) => {
  await tab.page.goto(`${tab.server.url}/console/${place}`)
  await ready()
  await tab.looksRight(name)
})

it('the menu of a phone looks right', async () => {
  await tab.page.setViewportSize({ width: 390, height: 780 })
  await tab.page.getByRole('button', { name: 'Menu' }).click()
  await tab.page.getByRole('link', { name: 'Lighthouse', exact: true }).waitFor()
  await tab.looksRight('menu')
})
