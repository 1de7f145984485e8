// The palette, the favourites and the recent objects of the console, in a real browser.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAccessFaults, openKind, takeScreenshot } from '../rigs/browser.ts'
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
    expect(searches.length).toBeLessThanOrEqual(30)
    for (const { searchParams } of searches) {
      expect(searchParams.get('limit')).toBe('6')
      expect(searchParams.get('select')).toBe('metadata.name')
    }
    asked.length = 0
    await field().fill('cm needle-f')
    await option('needle-far ConfigMap in far').click()
    await expect.poll(() => place()).toBe('/console/objects/configmaps/far/needle-far')
    expect(asked.filter(({ searchParams }) => searchParams.has('where')).length).toBe(1)
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
      await page.getByRole('option', { name: 'web Deployment in shop' }).waitFor()
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
    await tab.page.getByLabel('Token').fill(token)
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
