// The graph of a namespace in the console, in a real browser.
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { findAccessFaults, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'
import { makeShownCluster } from '../corpora/shown-cluster.ts'
import { makeShownShop } from '../corpora/shown-shop.ts'

const tab = useAdminTab()

beforeAll(async () => {
  await makeShownCluster(tab.server)
  await makeShownShop(tab.server)
})

const graph = (page: Page = tab.page) => page.getByRole('group', { name: /^Graph of/ })

async function open(namespace: string, page: Page = tab.page): Promise<void> {
  await page.goto(`${tab.server.url}/console/graph?namespace=${namespace}`)
  await graph(page).waitFor()
}

describe('the graph of a namespace', () => {
  it('has owners, selectors, routes and references, with their health', async () => {
    await open('shop')
    await graph().getByRole('link', { name: 'Deployment web', exact: false }).first().waitFor()
    await graph().getByRole('link', { name: 'Secret not-there missing' }).waitFor()
    await graph().getByRole('link', { name: 'PersistentVolumeClaim reports missing' }).waitFor()
    await tab.isFaultless()
    await tab.page.getByText(/^Connections as a table/).click()
    const rows = (await tab.page.getByRole('row').allTextContents()).map((text) => text.replace(/\s+/g, ' '))
    for (const wanted of [
      /^Ingress shop .*routes to.*Service cart/,
      /^Ingress shop .*uses.*Secret shop-tls/,
      /^Service web .*selects.*Pod web-6d4cf56db-bx0 Running$/,
      /^PodDisruptionBudget cart .*selects.*Pod cart-/,
      /^HorizontalPodAutoscaler web .*scales.*Deployment web/,
      /^Deployment web .*owns.*ReplicaSet web-6d4cf56db/,
      /^ReplicaSet web-6d4cf56db .*owns.*Pod web-6d4cf56db-bx0 Running$/,
      /^CronJob nightly .*uses.*ConfigMap web-settings/,
      /^CronJob nightly .*uses.*Secret not-there missing$/,
      /^CronJob nightly .*uses.*ServiceAccount nightly/,
    ])
      expect(rows.filter((row) => wanted.test(row)).length, String(wanted)).toBeGreaterThan(0)
    await tab.isFaultless()
    await tab.page.getByText(/^Objects without connections/).click()
    await tab.page.getByRole('link', { name: 'ConfigMap nobody-uses-me' }).waitFor()
    expect(await tab.page.getByRole('link', { name: /kube-root-ca/ }).count()).toBe(0)
  })

  it('shows changes as they come, and leads to the objects', async () => {
    await open('shop')
    const pod = graph().locator('a', { hasText: 'web-6d4cf56db-bx0' })
    await pod.getByText('Pod · Running').waitFor()
    const place = '/api/v1/namespaces/shop/pods/web-6d4cf56db-bx0'
    const headers = { 'content-type': 'application/merge-patch+json' }
    await tab.server.must(`${place}/status`, { method: 'PATCH', headers, body: { status: { phase: 'Failed' } } })
    await pod.getByText('Pod · Failed').waitFor()
    await tab.server.must(`${place}?gracePeriodSeconds=0`, { method: 'DELETE' })
    await pod.waitFor({ state: 'detached' })
    await graph().locator('a', { hasText: 'HorizontalPodAutoscaler' }).click()
    await expect
      .poll(() => new URL(tab.page.url()).pathname)
      .toBe('/console/objects/horizontalpodautoscalers.autoscaling/shop/web')
    tab.isQuiet()
  })

  it('never reads the data of secrets and config maps', async () => {
    const bodies: Promise<string>[] = []
    tab.page.on('response', (response) => {
      if (/secrets|configmaps/.test(response.url())) bodies.push(response.text())
    })
    await open('shop')
    const texts = await Promise.all(bodies)
    expect(texts.filter((text) => text.includes('shop-tls')).length).toBe(1)
    expect(texts.filter((text) => text.includes('blue') || text.includes('aGlkZGVuLWtleQ'))).toEqual([])
  })

  it('is chosen from the sidebar, by the field of the namespace, or from a list', async () => {
    await tab.page.getByRole('link', { name: 'Graph', exact: true }).click()
    await tab.page.getByRole('main').getByRole('link', { name: 'harbour', exact: true }).click()
    await graph().getByText('pilot', { exact: true }).waitFor()
    expect(await tab.page.getByLabel('Namespace', { exact: true }).inputValue()).toBe('harbour')
    await tab.page.getByLabel('Namespace', { exact: true }).selectOption('shop')
    await graph().getByText('search', { exact: true }).first().waitFor()
    expect(new URL(tab.page.url()).search).toBe('?namespace=shop')
    await tab.page.getByLabel('Namespace', { exact: true }).selectOption('kube-public')
    await tab.page.getByText('No object refers to another one here.').waitFor()
    await tab.isFaultless()
  })

  it('is usable in the dark and on a phone', async () => {
    const { page: small, complaints } = await tab.logIn(undefined, {
      viewport: { width: 390, height: 700 },
      colorScheme: 'dark',
    })
    await open('shop', small)
    await small.getByText(/^Connections as a table/).click()
    expect(await findAccessFaults(small)).toEqual([])
    expect(await small.evaluate('document.querySelector("main").scrollWidth <= innerWidth')).toBe(true)
    await small.getByText(/^Connections as a table/).scrollIntoViewIfNeeded()
    await takeScreenshot(small, 'graph-small-table')
    await tab.page.emulateMedia({ colorScheme: 'dark' })
    await open('shop')
    expect(await findAccessFaults(tab.page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('draws the pods of an owner as one where there are many', async () => {
    const owner = (await tab.server.must(
      '/apis/apps/v1/namespaces/harbour/replicasets/crane-6d4cf56db',
    )) as unknown as {
      readonly metadata: { readonly uid: string }
    }
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'crane-6d4cf56db', uid: owner.metadata.uid, controller: true },
    ]
    const spec = { containers: [{ name: 'c', image: 'i' }] }
    const names = Array.from({ length: 600 }, (_, i) => `crane-6d4cf56db-n${i}`)
    for (const name of names) {
      const metadata = { name, ownerReferences, labels: { app: 'crane' } }
      await tab.server.must('/api/v1/namespaces/harbour/pods', { method: 'POST', body: { metadata, spec } })
    }
    await open('harbour')
    await tab.page.getByText('There are many objects: the pods of each owner are drawn as one.').waitFor()
    await tab.page.getByText('There are more objects than were read: Pod.').waitFor()
    await graph()
      .getByText(/^\d+ pods · /)
      .first()
      .waitFor()
    expect(await graph().locator('a').count()).toBeLessThan(20)
    await takeScreenshot(tab.page, 'graph-grouped')
    await tab.isFaultless()
  })

  it('says what the user may not list, and draws the rest', async () => {
    const rules = [{ apiGroups: ['', 'apps'], resources: ['pods', 'replicasets'], verbs: ['list'] }]
    const token = await newUser(tab.server, 'looker', rules)
    const pod = {
      metadata: { name: 'lonely' },
      spec: { containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'hidden' } }] }] },
    }
    await tab.server.must('/api/v1/namespaces/default/pods', { method: 'POST', body: pod })
    const { page: own, complaints } = await tab.logIn(token)
    await open('default', own)
    await own.getByText(/^No permission to list: .*Secret/).waitFor()
    await graph(own).locator('a', { hasText: 'hidden' }).getByText('Secret · not read').waitFor()
    await own.goto(`${tab.server.url}/console/graph?namespace=shop`)
    await own.getByText(/^No permission to list: .*Pod/).waitFor()
    await own.getByText('No object refers to another one here.').waitFor()
    expect(complaints).toEqual([])
  })

  it('keeps the last state while the server is away, and goes on when it is back', async () => {
    await open('shop')
    await tab.page.route(/console\/api/, (route) => route.abort('connectionrefused'))
    await tab.page.getByRole('alert').getByText('The server cannot be reached. The console keeps trying.').waitFor()
    await graph().getByText('search', { exact: true }).first().waitFor()
    await tab.page.unroute(/console\/api/)
    await tab.page.getByRole('alert').waitFor({ state: 'detached' })
    await graph().getByText('search', { exact: true }).first().waitFor()
  })
})
