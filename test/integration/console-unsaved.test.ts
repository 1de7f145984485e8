// Unsaved edits in the console, in a real browser: every way to leave a page asks first, and nothing else discards them.
import type { Dialog, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { logIn, openYaml } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

const tab = useAdminTab()

/** Follows links, so that there is a page to go back to. */
async function openMap(name: string): Promise<void> {
  await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name }, data: { colour: 'red' } } })
  await tab.page.getByRole('link', { name: 'ConfigMap', exact: true }).click()
  await tab.page.getByRole('link', { name, exact: true }).click()
  await openYaml(tab.page)
}

async function edit(page: Page = tab.page): Promise<void> {
  await openYaml(page)
  await page.locator('.cm-line', { hasText: 'colour: red' }).click()
  await page.keyboard.press('End')
  await page.keyboard.insertText('dish')
}

function edited(page: Page = tab.page) {
  return page.locator('.cm-line', { hasText: 'colour: reddish' })
}

async function isKept(): Promise<void> {
  await edited().waitFor()
  expect(await edited().count()).toBe(1)
}

/** What the next question of the page is answered with; resolves to its kind. */
async function answer(how: 'accept' | 'dismiss'): Promise<string> {
  const dialog = await new Promise<Dialog>((resolve) => tab.page.once('dialog', resolve))
  await dialog[how]()
  return dialog.type()
}

const path = (): string => new URL(tab.page.url()).pathname

/** How many links to kinds there are with the title, after the page has looked for kinds anew. */
async function kindsNamed(title: string): Promise<number> {
  const found = tab.page.waitForResponse((response) => response.url().endsWith('/console/api/apis'))
  await tab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await found
  return tab.page.locator(`nav a[title="${title}"]`).count()
}

const WAYS: readonly (readonly [way: string, leave: () => Promise<unknown>, sign: () => Promise<unknown>])[] = [
  ['a link', () => tab.page.getByRole('link', { name: 'Overview' }).click(), () => expect.poll(path).toBe('/console/')],
  [
    'the way back',
    () => tab.page.evaluate('history.back()'),
    () => expect.poll(path).toBe('/console/kinds/configmaps'),
  ],
  ['two steps back', () => tab.page.evaluate('history.go(-2)'), () => expect.poll(path).toBe('/console/')],
  [
    'the logout',
    () => tab.page.getByRole('button', { name: 'Log out' }).click(),
    () => tab.page.getByLabel('Token', { exact: true }).waitFor(),
  ],
  [
    'a reload',
    () => tab.page.evaluate('void setTimeout(() => location.reload())'),
    async () => {
      await openYaml(tab.page)
      await tab.page.locator('.cm-line', { hasText: /colour: red$/ }).waitFor()
    },
  ],
  [
    'another site',
    () => tab.page.evaluate(`void setTimeout(() => { location.href = '/version' })`),
    () => expect.poll(path).toBe('/version'),
  ],
]

describe('unsaved edits of an object', () => {
  it.each(WAYS.map((way, i) => [way[0], i] as const))('are asked about by %s', async (_way, i) => {
    const [, leave, sign] = WAYS[i]!
    await openMap(`asked-${i}`)
    const place = path()
    await edit()
    for (let time = 0; time < 2; time++) {
      const stayed = answer('dismiss')
      await leave()
      expect(await stayed).toMatch(/^(confirm|beforeunload)$/)
      await expect.poll(path).toBe(place)
      await isKept()
    }
    const left = answer('accept')
    await leave()
    await left
    await sign()
  })

  it('are asked about by the way forward', async () => {
    await openMap('forward')
    const place = path()
    await tab.page.getByRole('link', { name: 'Overview' }).click()
    await expect.poll(path).toBe('/console/')
    await tab.page.goBack()
    await edit()
    const stayed = answer('dismiss')
    await tab.page.evaluate('history.forward()')
    expect(await stayed).toBe('confirm')
    await expect.poll(path).toBe(place)
    await isKept()
    const left = answer('accept')
    await tab.page.evaluate('history.forward()')
    await left
    await expect.poll(path).toBe('/console/')
  })

  it('are no reason to ask once they are discarded or written', async () => {
    const asked: string[] = []
    tab.page.on('dialog', (dialog) => {
      asked.push(dialog.message())
      void dialog.accept()
    })
    await openMap('settled')
    await edit()
    await tab.page.getByRole('button', { name: 'Discard' }).click()
    await tab.page.getByRole('link', { name: 'Overview' }).click()
    await tab.page.goBack()
    await edit()
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('button', { name: 'Write', exact: true }).click()
    await tab.page.getByRole('status').getByText('Written.').waitFor()
    await tab.page.getByRole('link', { name: 'Overview' }).click()
    await tab.page.getByRole('heading', { name: 'Overview' }).waitFor()
    await tab.page.reload()
    expect(asked).toEqual([])
    tab.isQuiet()
  })

  it('stay while other parts of the object are looked at', async () => {
    await openMap('parts')
    await edit()
    for (const part of ['Summary', 'Events', 'Owners', 'YAML']) await tab.page.getByRole('tab', { name: part }).click()
    await isKept()
    await tab.isFaultless()
  })

  it('stay when the session ends, until the same user is back', async () => {
    await openMap('expired')
    await edit()
    await tab.page.context().clearCookies()
    await tab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await tab.page.getByRole('status').getByText('Your unsaved edits are kept: log in as admin').waitFor()
    expect(await edited().isVisible()).toBe(false)
    await tab.isFaultless()
    await logIn(tab.page, tab.server.adminToken)
    await isKept()
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('button', { name: 'Write', exact: true }).click()
    await tab.page.getByRole('status').getByText('Written.').waitFor()
    expect(await tab.server.must(`${MAPS}/expired`)).toMatchObject({ data: { colour: 'reddish' } })
  })

  it('stay when a write fails, and when the object is deleted', async () => {
    await openMap('failing')
    await edit()
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    const write = tab.page.getByRole('button', { name: 'Write', exact: true })
    await write.waitFor()
    await tab.page.route(/\/configmaps\/failing/, (route) => route.abort())
    await write.click()
    await tab.page.getByRole('alert').waitFor()
    await tab.page.unroute(/\/configmaps\/failing/)
    await tab.page.getByRole('button', { name: 'Back to the editor' }).click()
    await isKept()
    await tab.server.must(`${MAPS}/failing`, { method: 'DELETE' })
    await tab.page.getByText('This object was deleted.').waitFor()
    await isKept()
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('alert').first().waitFor()
    await isKept()
    const stayed = answer('dismiss')
    await tab.page.getByRole('link', { name: 'Overview' }).click()
    expect(await stayed).toBe('confirm')
    await isKept()
  })

  it('stay when they are begun while a version of somebody else is being loaded', async () => {
    await openMap('racing')
    const reading = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    await tab.page.route(/\/configmaps\/racing$/, async (route) => {
      begun.resolve()
      await reading.promise
      await route.continue()
    })
    const headers = { 'content-type': 'application/merge-patch+json' }
    await tab.server.must(`${MAPS}/racing`, { method: 'PATCH', headers, body: { data: { shape: 'round' } } })
    await begun.promise
    await edit()
    reading.resolve()
    const version = (await tab.server.must(`${MAPS}/racing`))['metadata'] as { readonly resourceVersion: string }
    await tab.page.getByText(`version ${version.resourceVersion}`).waitFor()
    await isKept()
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.locator('.cm-line', { hasText: 'shape: round' }).waitFor()
    await isKept()
  })

  it('stay when kinds come, change and go', async () => {
    const names = { kind: 'Boat', plural: 'boats' }
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const versions = [{ name: 'v1', served: true, storage: true, schema }]
    const define = async (group: string): Promise<void> => {
      const spec = { group, scope: 'Namespaced', names, versions }
      await tab.server.must(DEFINITIONS, { method: 'POST', body: { metadata: { name: `boats.${group}` }, spec } })
    }
    await define('sea.example')
    const boats = '/apis/sea.example/v1/namespaces/default/boats'
    const boat = { apiVersion: 'sea.example/v1', kind: 'Boat', metadata: { name: 'one' }, colour: 'red' }
    await expect.poll(async () => (await tab.server.request(boats, { method: 'POST', body: boat })).status).toBe(201)
    await tab.page.goto(`${tab.server.url}/console/objects/boats.sea.example/default/one`)
    await edit()
    await define('lake.example')
    await expect.poll(() => kindsNamed('boats.lake.example')).toBe(1)
    await isKept()
    await tab.server.must(`${DEFINITIONS}/boats.sea.example`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { names: { ...names, shortNames: ['dinghy'] } } },
    })
    await tab.page.getByLabel('Find a kind').fill('dinghy')
    await expect.poll(() => kindsNamed('boats.sea.example')).toBe(1)
    await isKept()
    await tab.server.must(`${DEFINITIONS}/boats.sea.example`, { method: 'DELETE' })
    await expect.poll(() => kindsNamed('boats.sea.example')).toBe(0)
    await tab.page.getByText('The server serves no kind boats.sea.example.').waitFor()
    await isKept()
  })
})

describe('manifests that were not applied', () => {
  it('are asked about, and no longer once they are applied', async () => {
    await tab.page.getByRole('link', { name: 'Apply YAML' }).click()
    await tab.page.getByRole('textbox', { name: 'Manifests' }).click()
    const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: made\ndata:\n  colour: reddish\n'
    await tab.page.keyboard.insertText(manifest)
    const stayed = answer('dismiss')
    await tab.page.getByRole('link', { name: 'Overview' }).click()
    expect(await stayed).toBe('confirm')
    await tab.page.getByLabel('Namespace').selectOption('default')
    await tab.page.getByRole('link', { name: 'Apply YAML' }).click()
    await isKept()
    const reload = answer('dismiss')
    await tab.page.evaluate('void setTimeout(() => location.reload())')
    expect(await reload).toBe('beforeunload')
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('button', { name: 'Apply', exact: true }).click()
    const asked: string[] = []
    tab.page.on('dialog', (dialog) => void asked.push(dialog.message()))
    await tab.page.getByRole('link', { name: 'ConfigMap made' }).click()
    await openYaml(tab.page)
    expect(asked).toEqual([])
    tab.isQuiet()
  })
})
