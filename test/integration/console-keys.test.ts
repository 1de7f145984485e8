// The keyboard and the chosen namespace in the console, in a real browser.
import { describe, expect, it } from 'vitest'
import { openKind, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

const tab = useAdminTab()

const path = (): string => new URL(tab.page.url()).pathname
const activeRow = () => tab.page.locator('tr.active')
const press = (...keys: readonly string[]) =>
  keys.reduce((before, key) => before.then(() => tab.page.keyboard.press(key)), Promise.resolve())

async function makeMaps(...names: readonly string[]): Promise<void> {
  for (const name of names) await tab.server.request(MAPS, { method: 'POST', body: { metadata: { name } } })
}

describe('keys', () => {
  it('move along the rows before anything has the focus, and each has one meaning', async () => {
    await makeMaps('a1', 'a2', 'a3')
    await openKind(tab.page, 'configmaps?namespace=default')
    await tab.page.getByRole('link', { name: 'a1', exact: true }).waitFor()
    await press('ArrowDown')
    await expect.poll(() => activeRow().textContent()).toContain('a2')
    await press('j')
    await expect.poll(() => activeRow().textContent()).toContain('a3')
    await press('k', 'k')
    await expect.poll(() => activeRow().textContent()).toContain('a1')
    await tab.page.evaluate('document.activeElement.blur()')
    await press('j', 'k', 'j')
    await expect.poll(() => activeRow().textContent()).toContain('a2')
    await press('Control+j', 'Alt+j')
    await expect.poll(() => activeRow().textContent()).toContain('a2')
    // The row stays the one that was chosen when others come before it.
    await makeMaps('a0')
    await tab.page.getByRole('link', { name: 'a0', exact: true }).waitFor()
    await expect.poll(() => activeRow().textContent()).toContain('a2')
    await press('f')
    expect(await tab.page.locator('input:focus').getAttribute('aria-label')).toBe('Find a kind')
    await press('j', 'k')
    expect(await tab.page.getByLabel('Find a kind').inputValue()).toBe('jk')
    await expect.poll(() => activeRow().textContent()).toContain('a2')
    await tab.page.getByLabel('Find a kind').fill('')
    await tab.page.evaluate('document.activeElement.blur()')
    await press('?', 'j')
    await tab.page.getByRole('dialog').getByText('move along the rows').waitFor()
    await press('Escape')
    await expect.poll(() => activeRow().textContent()).toContain('a2')
    await press('Enter')
    await expect.poll(path).toBe('/console/objects/configmaps/default/a2')
    tab.isQuiet()
  })

  it('open the row right after a dialog is closed, while its button still has the focus', async () => {
    await makeMaps('a1')
    await openKind(tab.page, 'configmaps?namespace=default')
    await tab.page.getByRole('link', { name: 'a1', exact: true }).waitFor()
    const name = await activeRow().getByRole('link').textContent()
    // In one turn: the browser takes the focus away with the next frame.
    const pressed = await tab.page.evaluate(`
      document.querySelector('dialog[aria-label=Keys]').showModal()
      document.querySelector('dialog[aria-label=Keys]').close()
      const { activeElement } = document
      activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }))
      activeElement.textContent
    `)
    expect(pressed).toBe('Close')
    await expect.poll(path).toBe(`/console/objects/configmaps/default/${name}`)
  })

  it('sort by a heading that has the focus, and do not open a row then', async () => {
    await makeMaps('a1')
    await openKind(tab.page, 'configmaps?namespace=default')
    await tab.page.getByRole('button', { name: 'Data' }).focus()
    await press('Enter')
    await expect.poll(() => tab.page.locator('th[aria-sort=ascending]').textContent()).toContain('Data')
    expect(path()).toBe('/console/kinds/configmaps')
  })

  it('lead from the search for a kind to the first that is found', async () => {
    await press('f')
    await tab.page.keyboard.type('deploy')
    await press('Enter')
    await expect.poll(path).toBe('/console/kinds/deployments.apps')
    expect(await tab.page.getByLabel('Find a kind').inputValue()).toBe('')
    await press('f', 'Enter')
    expect(path()).toBe('/console/kinds/deployments.apps')
    await tab.page.keyboard.type('deplox')
    await press('Enter')
    await tab.page.getByText('No such kind.').waitFor()
    expect(await tab.page.getByLabel('Find a kind').inputValue()).toBe('deplox')
  })

  it('lead from the filter to the rows, or into the only one', async () => {
    await makeMaps('b1', 'b2', 'e1', 'e2')
    await openKind(tab.page, 'configmaps?namespace=default')
    await press('/')
    await tab.page.keyboard.type('b')
    await press('Enter', 'j')
    await expect.poll(() => activeRow().textContent()).toContain('b2')
    expect(path()).toBe('/console/kinds/configmaps')
    // In one turn: a key that comes before the next frame is for the rows that pass the new filter.
    await tab.page.evaluate(`
      const field = document.querySelector('[aria-label="Filter by name"]')
      field.value = '/e'
      field.dispatchEvent(new Event('input', { bubbles: true }))
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true, cancelable: true }))
    `)
    await expect.poll(() => activeRow().textContent()).toContain('e2')
    await press('/')
    await tab.page.getByLabel('Filter by name').fill('b1')
    await press('Enter')
    await expect.poll(path).toBe('/console/objects/configmaps/default/b1')
  })
})

describe('the chosen namespace', () => {
  const chosen = () => tab.page.getByLabel('Namespace', { exact: true }).inputValue()

  it('stays when an object is opened, left and deleted', async () => {
    await makeMaps('c1')
    await openKind(tab.page, 'configmaps')
    await tab.page.getByRole('link', { name: 'c1', exact: true }).click()
    await tab.page.getByRole('tab', { name: 'Summary' }).waitFor()
    expect(await chosen()).toBe('')
    await tab.page.getByRole('main').getByRole('link', { name: 'ConfigMap' }).click()
    await expect.poll(path).toBe('/console/kinds/configmaps')
    expect([new URL(tab.page.url()).search, await chosen()]).toEqual(['', ''])
    await tab.page.getByRole('link', { name: 'c1', exact: true }).click()
    await tab.page.getByRole('button', { name: 'Actions' }).click()
    await tab.page.getByRole('button', { name: 'Delete …' }).click()
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.poll(path).toBe('/console/kinds/configmaps')
    expect([new URL(tab.page.url()).search, await chosen()]).toEqual(['', ''])
  })

  it('may be several: their objects are shown as they come and go', async () => {
    for (const name of ['one', 'two', 'three']) {
      await tab.server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name } } })
      await tab.server.must(`/api/v1/namespaces/${name}/configmaps`, { method: 'POST', body: { metadata: { name } } })
    }
    await openKind(tab.page, 'configmaps')
    await tab.page.getByLabel('Namespace', { exact: true }).selectOption('several …')
    const choices = tab.page.getByRole('dialog', { name: 'Namespaces' })
    await choices.getByLabel('one', { exact: true }).check()
    await choices.getByLabel('three', { exact: true }).check()
    await takeScreenshot(tab.page, 'namespaces')
    await tab.isFaultless()
    await choices.getByRole('button', { name: 'Show 2' }).click()
    const shown = () => tab.page.locator('tbody tr td:nth-child(2)').allTextContents()
    await expect.poll(shown).toEqual(['one', 'one', 'three', 'three'])
    expect(new URL(tab.page.url()).search).toBe('?namespace=one%2Cthree')
    for (const name of ['two', 'three']) {
      const body = { metadata: { name: 'later' } }
      await tab.server.must(`/api/v1/namespaces/${name}/configmaps`, { method: 'POST', body })
    }
    await expect.poll(shown).toEqual(['one', 'one', 'three', 'three', 'three'])
    await tab.page.getByLabel('Where').fill("object.metadata.name == 'later'")
    await tab.page.getByLabel('Where').press('Enter')
    await expect.poll(shown).toEqual(['three'])
    await tab.page.getByRole('link', { name: 'Secret', exact: true }).click()
    await tab.page.getByRole('heading', { name: 'Secret', level: 1 }).waitFor()
    expect(await chosen()).toBe('one,three')
    await tab.page.getByRole('link', { name: 'New', exact: true }).click()
    await tab.page.locator('.cm-line', { hasText: 'namespace: default' }).waitFor()
    await tab.isFaultless()
  })

  it('stays on the tables of kinds without namespaces and of definitions', async () => {
    await openKind(tab.page, 'configmaps?namespace=kube-system')
    expect(await chosen()).toBe('kube-system')
    await tab.page.getByRole('link', { name: 'Namespace', exact: true }).click()
    await tab.page.getByRole('heading', { name: 'Namespace', level: 1 }).waitFor()
    expect(await chosen()).toBe('kube-system')
    await tab.page.getByRole('link', { name: 'Secret', exact: true }).click()
    await expect.poll(() => new URL(tab.page.url()).search).toBe('?namespace=kube-system')
  })
})
