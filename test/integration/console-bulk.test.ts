// Selected rows of a table in the console, in a real browser: one dry run for all of them, and a result for each object.
import { describe, expect, it } from 'vitest'
import { openKind, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'

const tab = useAdminTab()

const dialog = () => tab.page.getByRole('dialog')
const bar = () => tab.page.getByRole('group', { name: 'Selected objects' })
const row = (name: string) => tab.page.getByRole('row').filter({ has: tab.page.getByText(name, { exact: true }) })
const pick = (name: string) => row(name).locator('td.pick')

async function makeMaps(namespace: string, ...names: readonly string[]): Promise<void> {
  await tab.server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: namespace } } })
  for (const name of names)
    await tab.server.must(`/api/v1/namespaces/${namespace}/configmaps`, {
      method: 'POST',
      body: { metadata: { name } },
    })
  await openKind(tab.page, `configmaps?namespace=${namespace}`)
  await row(names.at(-1) ?? '').waitFor()
}

async function namesIn(namespace: string): Promise<readonly string[]> {
  const { items } = await tab.server.must(`/api/v1/namespaces/${namespace}/configmaps`)
  const names = (items as readonly { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
  return names.filter((name) => name !== 'kube-root-ca.crt')
}

const count = () => bar().getByRole('status').textContent()

describe('rows', () => {
  it('are selected by clicks, by a range and by keys, and only shown ones count', async () => {
    await makeMaps('by-keys', 'a1', 'a2', 'a3', 'a4')
    await pick('a1').click()
    await pick('a3').click({ modifiers: ['Shift'] })
    await expect.poll(count).toBe('3 selected')
    await pick('a2').click({ modifiers: ['Shift'] })
    expect(await row('a2').getByRole('checkbox').isChecked()).toBe(true)
    await pick('a2').click()
    await expect.poll(count).toBe('2 selected')
    expect(await row('a2').getByRole('checkbox').isChecked()).toBe(false)
    await tab.page.keyboard.press('Space')
    await expect.poll(count).toBe('3 selected')
    await tab.page.keyboard.press('Shift+ArrowDown')
    await tab.page.keyboard.press('Shift+ArrowDown')
    await expect.poll(count).toBe('4 selected')
    await takeScreenshot(tab.page, 'selected')
    await tab.isFaultless()
    await tab.page.getByLabel('Filter by name').fill('a2')
    await expect.poll(count).toBe('1 selected')
    await tab.page.getByLabel('Filter by name').fill('')
    await tab.page.getByRole('region', { name: 'ConfigMap objects' }).focus()
    await tab.page.keyboard.press('Escape')
    await bar().waitFor({ state: 'detached' })
    await tab.page.getByLabel('Select all rows').check()
    await expect.poll(count).toBe('5 selected')
    await tab.page.getByLabel('Select all rows').uncheck()
    await bar().waitFor({ state: 'detached' })
    tab.isQuiet()
  })

  it('are deleted together, and no others', async () => {
    await makeMaps('deleted', 'b1', 'b2', 'b3')
    await pick('b1').click()
    await pick('b3').click()
    await bar().getByRole('button', { name: 'Delete …' }).click()
    await dialog().getByText('Delete 2 configmaps').waitFor()
    await dialog().getByText('The dry run succeeded.').waitFor()
    expect(await dialog().locator('tbody tr td:first-child').allTextContents()).toEqual(['deleted/b1', 'deleted/b3'])
    expect(await namesIn('deleted')).toEqual(['b1', 'b2', 'b3'])
    await takeScreenshot(tab.page, 'bulk-delete')
    await tab.isFaultless()
    await dialog().getByRole('button', { name: 'Delete all 2' }).click()
    await tab.page.getByRole('status').getByText('Delete 2 configmaps: done.').waitFor()
    expect(await namesIn('deleted')).toEqual(['b2'])
    await row('b1').waitFor({ state: 'detached' })
    expect(await bar().count()).toBe(0)
  })

  it('get labels where they may, and the others are told with the reason', async () => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
    const some = { apiGroups: [''], resources: ['configmaps'], resourceNames: ['c1', 'c2'], verbs: ['patch'] }
    const token = await newUser(tab.server, 'labeller', [...rules, some])
    for (const name of ['c1', 'c2', 'c3'])
      await tab.server.must('/api/v1/namespaces/default/configmaps', { method: 'POST', body: { metadata: { name } } })
    const { page } = await tab.logIn(token)
    await openKind(page, 'configmaps?namespace=default')
    await page.getByLabel('Filter by name').fill('c')
    for (const name of ['c1', 'c2', 'c3'])
      await page.getByRole('row').filter({ hasText: name }).locator('td.pick').click()
    await page.getByRole('button', { name: 'Label …' }).click()
    await page.getByRole('dialog').locator('input:focus').fill('tier=web')
    await page.keyboard.press('Enter')
    const shown = page.getByRole('dialog')
    await shown.getByText('1 refused, 2 can be done.').waitFor()
    await shown.getByText('cannot patch resource "configmaps"').waitFor()
    // One of them goes meanwhile.
    await tab.server.must('/api/v1/namespaces/default/configmaps/c2', { method: 'DELETE' })
    await shown.getByRole('button', { name: 'Label 2 of 3' }).click()
    await shown.getByText('2 failed, 1 done.').waitFor()
    await shown.getByText('configmaps "c2" not found').waitFor()
    await takeScreenshot(page, 'bulk-label')
    await shown.getByRole('button', { name: 'Close' }).click()
    expect(await tab.server.must('/api/v1/namespaces/default/configmaps/c1')).toMatchObject({
      metadata: { labels: { tier: 'web' } },
    })
    expect(await tab.server.must('/api/v1/namespaces/default/configmaps/c3')).not.toHaveProperty('metadata.labels')
  })

  it('are left alone when the dialog is closed', async () => {
    await makeMaps('spared', 'd1', 'd2')
    await tab.page.getByLabel('Select all rows').check()
    await tab.page.keyboard.press('Control+k')
    await tab.page.keyboard.type('delete selected')
    await tab.page.getByRole('option', { name: 'Delete: selected configmaps' }).click()
    await dialog().getByText('The dry run succeeded.').waitFor()
    await tab.page.keyboard.press('Escape')
    await dialog().waitFor({ state: 'detached' })
    expect(await namesIn('spared')).toEqual(['d1', 'd2'])
    expect(await count()).toBe('3 selected')
    tab.isQuiet()
  })
})
