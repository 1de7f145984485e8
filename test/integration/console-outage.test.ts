// The console in a real browser while its server is down or refuses: it says which, on every page, and recovers by itself.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { logIn, openKind, openPage, openYaml } from '../rigs/browser.ts'
import { useAdminTab, useBrowser } from '../rigs/console.ts'
import { freePort } from '../rigs/free-port.ts'
import { newUser } from '../rigs/new-user.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const UNREACHABLE = 'The server cannot be reached. The console keeps trying.'
const REQUESTS = /\/console\/(api\/|session|assets\/)/

const tab = useAdminTab()
const browser = useBrowser()

/** As if the server were down, or answered so. */
async function cut(page: Page, status?: number): Promise<void> {
  const body = JSON.stringify({ kind: 'Status', message: 'the storage is away', code: status })
  await page.route(REQUESTS, (route) =>
    status === undefined
      ? route.abort('connectionrefused')
      : route.fulfill({ status, body, contentType: 'application/json' }),
  )
}

async function mend(page: Page): Promise<void> {
  await page.unroute(REQUESTS)
}

const card = (page: Page, name: string) => page.locator('.card', { has: page.getByText(name, { exact: true }) })

describe('the page of the server', () => {
  it('tells a server that is down from one that fails and from what is forbidden, and recovers', async () => {
    const { page } = await tab.logIn(await newUser(tab.server, 'nobody-at-all'))
    await page.getByRole('link', { name: 'Server', exact: true }).click()
    await card(page, 'Watchers').getByText('No permission', { exact: true }).waitFor()
    await page.getByText(/^ready, \d+ checks$/).waitFor()
    await cut(page)
    for (const name of ['Health', 'Watchers']) await card(page, name).getByText('server unreachable').waitFor()
    expect(await page.getByText('No permission', { exact: true }).count()).toBe(0)
    await page.getByRole('region', { name: 'Leases', exact: true }).getByText(UNREACHABLE).waitFor()
    await mend(page)
    await page.getByText(/^ready, \d+ checks$/).waitFor()
    await card(page, 'Watchers').getByText('No permission', { exact: true }).waitFor()
    await cut(page, 500)
    for (const name of ['Health', 'Watchers']) await card(page, name).getByText('error', { exact: true }).waitFor()
    await mend(page)
    await page.getByText(/^ready, \d+ checks$/).waitFor()
  })
})

describe('a table', () => {
  it('tells the three apart, and recovers', async () => {
    await tab.page.getByRole('heading', { name: 'Overview' }).waitFor()
    await cut(tab.page)
    await tab.page.getByRole('link', { name: 'Secret', exact: true }).click()
    await tab.page.getByText('Server unreachable', { exact: true }).waitFor()
    await tab.page.getByRole('alert').getByText(UNREACHABLE).first().waitFor()
    await mend(tab.page)
    await cut(tab.page, 503)
    await tab.page.getByText('Error', { exact: true }).waitFor()
    await tab.page.getByRole('alert').getByText('the storage is away').first().waitFor()
    await mend(tab.page)
    await tab.page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(() => tab.page.getByRole('alert').count()).toBe(0)
  })

  it('tells that its user may no longer watch', async () => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]
    const { page } = await tab.logIn(await newUser(tab.server, 'no-watcher', rules))
    await page.goto(`${tab.server.url}/console/kinds/configmaps?namespace=default`)
    await page.getByText('No permission', { exact: true }).waitFor()
    await page.getByRole('alert').getByText('cannot watch resource "configmaps"').waitFor()
    await page.getByRole('link', { name: 'kube-root-ca.crt' }).waitFor()
  })
})

describe('every other page', () => {
  it.each(['Graph', 'Server', 'Definitions', 'Access', 'Apply YAML'])(
    '%s recovers where it could not be loaded',
    async (name) => {
      await tab.page.getByRole('heading', { name: 'Overview' }).waitFor()
      await cut(tab.page)
      await tab.page.getByRole('link', { name, exact: true }).click()
      await tab.page.getByText(UNREACHABLE).first().waitFor()
      await mend(tab.page)
      await tab.page.getByRole('heading', { name, level: 1 }).waitFor()
      if (name === 'Access') await tab.page.getByRole('cell', { name: 'yes' }).first().waitFor()
      await expect.poll(() => tab.page.getByText(UNREACHABLE).count()).toBe(0)
    },
  )

  it('the page of an object recovers, with its parts', async () => {
    const maps = '/api/v1/namespaces/default/configmaps'
    await tab.server.must(maps, { method: 'POST', body: { metadata: { name: 'seen' }, data: { a: '1' } } })
    await tab.page.goto(`${tab.server.url}/console/objects/configmaps/default/kube-root-ca.crt`)
    await openYaml(tab.page)
    await tab.page.evaluate(`history.pushState({ place: 9 }, '', '/console/kinds/configmaps')`)
    await tab.page.evaluate(`dispatchEvent(new Event('navigated'))`)
    await tab.page.getByRole('link', { name: 'seen', exact: true }).waitFor()
    await cut(tab.page)
    await tab.page.getByRole('link', { name: 'seen', exact: true }).click()
    await tab.page.getByText(UNREACHABLE).first().waitFor()
    await mend(tab.page)
    await openYaml(tab.page)
    await tab.page
      .locator('.cm-line', { hasText: "a: '1'" })
      .or(tab.page.locator('.cm-line', { hasText: 'a: "1"' }))
      .waitFor()
    for (const [part, sign] of [
      ['Owners', 'No owners and no dependents.'],
      ['Events', 'No recent events.'],
    ] as const) {
      await cut(tab.page)
      await tab.page.getByRole('tab', { name: part }).click()
      await tab.page.getByRole('alert').getByText(UNREACHABLE).first().waitFor()
      expect(await tab.page.getByText(sign).count()).toBe(0)
      await mend(tab.page)
      await tab.page.getByText(sign).waitFor()
    }
  })

  it('the login says that the server is down, and nobody is logged out by that', async () => {
    await tab.page.getByRole('heading', { name: 'Overview' }).waitFor()
    const { page } = await openPage(browser(), tab.server.url)
    await page.getByLabel('Token', { exact: true }).fill(tab.server.adminToken)
    await page.route('**/console/login', (route) => route.abort('connectionrefused'))
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('The server cannot be reached').waitFor()
    await page.unroute('**/console/login')
    await logIn(page, tab.server.adminToken)
    await page.route('**/console/logout', (route) => route.abort('connectionrefused'))
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('alert').getByText('You are still logged in: The server cannot be reached').waitFor()
    expect(await page.getByText('keeps trying').count()).toBe(0)
    await page.unroute('**/console/logout')
    await page.getByRole('link', { name: 'Access', exact: true }).click()
    await page.getByRole('heading', { name: 'Access', level: 1 }).waitFor()
    expect(await page.getByText('You are still logged in').count()).toBe(0)
    await page.getByRole('link', { name: 'Server', exact: true }).click()
    await cut(page)
    await page.evaluate("dispatchEvent(new Event('session-ended'))")
    await card(page, 'Health').getByText('server unreachable').waitFor()
    expect(await page.getByLabel('Token', { exact: true }).count()).toBe(0)
  })
})

it('goes on when a server that was stopped is back, and has each priority level of two workers once', async () => {
  const port = String(await freePort())
  const home = await newHome()
  const flags = ['--secure-port', port, '--workers', '2']
  const first = await startServerProcess(flags, home)
  const { page } = await openPage(browser(), first.url)
  await logIn(page, first.adminToken)
  await page.getByRole('link', { name: 'Server', exact: true }).click()
  const levels = page.getByRole('region', { name: 'Flow control', exact: true }).getByRole('row')
  await levels.filter({ hasText: 'global-default' }).waitFor()
  const names = await levels.evaluateAll((rows) => rows.map((row) => row.firstElementChild?.textContent))
  expect(names).toEqual([...new Set(names)])
  await openKind(page, 'configmaps')
  await first.stop()
  await page.getByText('Reconnecting').waitFor()
  await page.getByRole('link', { name: 'Server', exact: true }).click()
  await card(page, 'Health').getByText('server unreachable').waitFor()
  await page.getByRole('link', { name: 'Secret', exact: true }).click()
  await page.getByText('Server unreachable', { exact: true }).waitFor()
  const second = await startServerProcess(flags, home)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Server', exact: true }).click()
  await page.getByText(/^ready, \d+ checks$/).waitFor()
  // An object that is shown may have changed meanwhile.
  await page.getByRole('link', { name: 'Namespace', exact: true }).click()
  await page.getByRole('link', { name: 'default', exact: true }).click()
  await openYaml(page)
  expect(await page.getByText('Reconnecting').count()).toBe(0)
  await second.stop()
  await page.getByText('Reconnecting').waitFor()
  const third = await startServerProcess(flags, home)
  await expect.poll(() => page.getByText('Reconnecting').count()).toBe(0)
  await third.stop()
})
