// The palette, the favourites and the recent objects of the console, in a real browser.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAccessFaults, logIn, openKind, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'
import { makeShownCluster } from '../corpora/shown-cluster.ts'

const tab = useAdminTab()

const place = (page: Page = tab.page): string => new URL(page.url()).pathname
const field = (page: Page = tab.page) => page.getByRole('combobox', { name: 'Search' })
const option = (name: string | RegExp, page: Page = tab.page) => page.getByRole('option', { name, exact: true })

async function makeMap(namespace: string, name: string): Promise<void> {
  await tab.server.must(`/api/v1/namespaces/${namespace}/configmaps`, { method: 'POST', body: { metadata: { name } } })
}

describe('the palette', () => {
  it('finds kinds, pages and actions by the keyboard, and gives the focus back', async () => {
    await openKind(tab.page, 'secrets')
    await tab.page.getByLabel('Filter by name').focus()
    await tab.page.keyboard.press('Control+k')
    await tab.page.locator('input[role=combobox]:focus').waitFor()
    await tab.page.keyboard.press('Escape')
    expect(await tab.page.locator('input:focus').getAttribute('aria-label')).toBe('Filter by name')
    await tab.page.keyboard.press('Meta+k')
    await field().fill('old')
    // The palette opens again before the event of its closing comes.
    await tab.page.evaluate(`
      document.querySelector('dialog[open]').close()
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))
    `)
    await tab.page.locator('input[role=combobox]:focus').waitFor()
    expect(await field().inputValue()).toBe('')
    await field().fill('deploy')
    expect(await option('Deployment deployments.apps deploy').getAttribute('aria-selected')).toBe('true')
    expect(await field().getAttribute('aria-activedescendant')).toBe(
      await option('Deployment deployments.apps deploy').getAttribute('id'),
    )
    await tab.page.keyboard.press('Enter')
    await expect.poll(() => place()).toBe('/console/kinds/deployments.apps')
    await tab.page.keyboard.press('Control+k')
    await field().fill('definitions')
    await tab.page.keyboard.press('ArrowDown')
    await tab.page.keyboard.press('ArrowUp')
    await tab.page.keyboard.press('Enter')
    await expect.poll(() => place()).toBe('/console/definitions')
    await tab.page.getByRole('button', { name: 'Search' }).click()
    await field().fill('switch the theme')
    await tab.page.keyboard.press('Enter')
    await tab.page.getByRole('button', { name: 'Theme: light' }).waitFor()
    tab.isQuiet()
  })

  it('finds objects in all namespaces, by one bounded request for each of a few kinds', async () => {
    await tab.server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'far' } } })
    await makeMap('far', 'needle-far')
    await makeMap('default', 'needle-near')
    const asked: URL[] = []
    tab.page.on('request', (request) => asked.push(new URL(request.url())))
    await tab.page.keyboard.press('Control+k')
    await field().fill('needle')
    await option('needle-far ConfigMap in far').waitFor()
    await option('needle-near ConfigMap in default').waitFor()
    await tab.page.getByRole('status').getByText('2 found.').waitFor()
    const searches = asked.filter(({ searchParams }) => searchParams.get('where')?.includes('needle'))
    expect(new Set(searches.map(String)).size).toBeLessThanOrEqual(30)
    for (const { searchParams } of searches) {
      expect(searchParams.get('limit')).toBe('6')
      expect(searchParams.get('select')).toBe('metadata.name')
    }
    asked.length = 0
    await field().fill('cm needle-f')
    await option('needle-far ConfigMap in far').click()
    await expect.poll(() => place()).toBe('/console/objects/configmaps/far/needle-far')
    expect(new Set(asked.filter(({ searchParams }) => searchParams.has('where')).map(String)).size).toBe(1)
    tab.isQuiet()
  })

  it('finds the objects of one or several namespaces, and those that are created while it is open', async () => {
    for (const name of ['bow', 'stern', 'hold']) {
      await tab.server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })
      await makeMap(name, `rope-${name}`)
    }
    const ropes = () => tab.page.getByRole('option', { name: /rope/ }).allTextContents()
    await tab.page.keyboard.press('Control+k')
    await field().fill('bow/rope')
    await expect.poll(ropes).toEqual(['rope-bow ConfigMap in bow'])
    await field().fill('bow,stern/rope')
    await expect.poll(ropes).toEqual(['rope-bow ConfigMap in bow', 'rope-stern ConfigMap in stern'])
    await option('rope-stern ConfigMap in stern').hover()
    await makeMap('bow', 'rope-a')
    await makeMap('hold', 'rope-b')
    await option('rope-a ConfigMap in bow').waitFor()
    expect(await option('rope-stern ConfigMap in stern').getAttribute('aria-selected')).toBe('true')
    expect(await option('rope-b ConfigMap in hold').count()).toBe(0)
    tab.isQuiet()
  })

  it('cancels the requests of a text when the text changes', async () => {
    let cancelled = 0
    await tab.page.route(/where=/, () => undefined)
    tab.page.on('requestfailed', (request) => {
      if (request.url().includes('first')) cancelled++
    })
    await tab.page.keyboard.press('Control+k')
    const sent = tab.page.waitForRequest(/where=.*first/)
    await field().fill('first')
    await sent
    await tab.page.getByRole('status').getByText('Searching…').waitFor()
    await field().fill('second')
    await expect.poll(() => cancelled).toBeGreaterThan(0)
  })

  it('finds only the objects that the user may read', async () => {
    await makeMap('default', 'seen-by-all')
    await makeMap('kube-system', 'seen-by-few')
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]
    const token = await newUser(tab.server, 'searcher', rules)
    const { page: own, complaints } = await tab.logIn(token)
    await own.keyboard.press('Control+k')
    await field(own).fill('seen-by')
    await option('seen-by-all ConfigMap in default', own).waitFor()
    await own.getByRole('status').getByText('1 found.').waitFor()
    expect(await option(/seen-by-few/, own).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('offers the actions of the page, and new objects of every kind', async () => {
    await makeMap('default', 'acted')
    await tab.page.goto(`${tab.server.url}/console/objects/configmaps/default/acted`)
    await tab.page.getByRole('button', { name: 'Actions' }).waitFor()
    await tab.page.keyboard.press('Control+k')
    await field().fill('delete acted')
    await option(/^Delete.*: acted$/).click()
    await tab.page.getByRole('dialog', { name: /Delete/ }).waitFor()
    await tab.page.keyboard.press('Escape')
    await tab.page.keyboard.press('Control+k')
    await field().fill('new secr')
    await option('New Secret secrets').click()
    await expect.poll(() => place()).toBe('/console/create/secrets')
    tab.isQuiet()
  })

  it('says that the server is away, and finds the rest', async () => {
    await tab.page.route(/where=/, (route) => route.abort('connectionrefused'))
    await tab.page.keyboard.press('Control+k')
    await field().fill('deploy')
    await tab.page
      .getByRole('status')
      .getByText(/found\. The server cannot be reached\.$/)
      .waitFor()
    await option('Deployment deployments.apps deploy').waitFor()
  })

  it('gives way to the login page when the session ends', async () => {
    await tab.page.keyboard.press('Control+k')
    await field().waitFor()
    await tab.page.context().clearCookies()
    await tab.page.evaluate("dispatchEvent(new Event('session-ended'))")
    await logIn(tab.page, tab.server.adminToken)
    await tab.page.keyboard.press('Control+k')
    await field().waitFor()
  })

  it('is usable in the dark, on a small screen and by screen readers', async () => {
    await makeShownCluster(tab.server)
    const { page: small, complaints } = await tab.logIn(undefined, {
      viewport: { width: 390, height: 700 },
      colorScheme: 'dark',
    })
    await small.goto(`${tab.server.url}/console/objects/deployments.apps/shop/web`)
    await small.getByRole('button', { name: 'Favourite' }).click()
    for (const page of [small, tab.page]) {
      const name = page === small ? 'search-small' : 'search'
      await page.getByRole('button', { name: 'Search' }).click()
      expect(await findAccessFaults(page)).toEqual([])
      await takeScreenshot(page, `${name}-empty`)
      await field(page).fill('web')
      await page.getByRole('status').getByText(/found/).waitFor()
      await option('web Deployment in shop', page).waitFor()
      await page.getByRole('option', { name: 'web-6d4cf56db ReplicaSet in shop' }).waitFor()
      expect(await option('web Deployment in shop', page).count()).toBe(1)
      expect(await findAccessFaults(page)).toEqual([])
      await takeScreenshot(page, name)
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    expect(complaints).toEqual([])
  })
})

describe('favourites and recent objects', () => {
  const section = (title: string, page: Page = tab.page) => page.locator('.sidebar details', { hasText: title })

  it('are kept for each user, and lead to their kinds and objects', async () => {
    await makeMap('default', 'kept')
    await openKind(tab.page, 'configmaps')
    await tab.page.getByRole('button', { name: 'Favourite' }).click()
    await tab.page.getByRole('link', { name: 'kept', exact: true }).click()
    await section('Recent').getByRole('link', { name: 'ConfigMap kept' }).waitFor()
    await tab.page.getByRole('button', { name: 'Favourite' }).click()
    const starred = section('Favourites').getByRole('link')
    await expect.poll(() => starred.allTextContents()).toEqual(['ConfigMap kept', 'ConfigMap '])
    await tab.page.reload()
    await expect.poll(() => starred.allTextContents()).toEqual(['ConfigMap kept', 'ConfigMap '])
    await takeScreenshot(tab.page, 'favourites')
    await tab.isFaultless()
    await starred.last().click()
    await expect.poll(() => place()).toBe('/console/kinds/configmaps')
    await tab.page.getByRole('button', { name: 'Favourite', pressed: true }).click()
    await expect.poll(() => starred.allTextContents()).toEqual(['ConfigMap kept'])
    // Another user of the same browser has other places.
    const token = await newUser(tab.server, 'other')
    await tab.page.getByRole('button', { name: 'Log out' }).click()
    await tab.page.getByLabel('Token', { exact: true }).fill(token)
    await tab.page.getByRole('button', { name: 'Log in' }).click()
    await tab.page.getByRole('button', { name: 'Log out' }).waitFor()
    expect(await starred.count()).toBe(0)
    expect(await section('Recent').getByRole('link', { name: 'kept' }).count()).toBe(0)
    tab.isQuiet()
  })

  it('survive a stored text that nobody can read', async () => {
    await tab.page.evaluate(`
      for (const key of Object.keys(localStorage)) if (/^(recent|starred) /.test(key)) localStorage.setItem(key, '{"a":1}')
      localStorage.setItem('starred kubernetes-admin', '[{"resource":7},{"resource":"pods","named":null}]')
    `)
    await openKind(tab.page, 'configmaps')
    expect(await section('Favourites').count()).toBe(0)
    tab.isQuiet()
  })
})
