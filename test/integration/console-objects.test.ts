// Objects in the console, in a real browser: read, edited with others, and written only after a dry run.
import { describe, expect, it } from 'vitest'
import { findAccessFaults, openYaml, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const APPLY = 'application/apply-patch+yaml'

const tab = useAdminTab()

async function openObject(place: string): Promise<void> {
  await tab.page.goto(`${tab.server.url}/console/objects/${place}`)
  await openYaml(tab.page)
}

/** Writes another line in the place of the one that has the text. */
async function replaceLine(text: string, put: string): Promise<void> {
  await tab.page.locator('.cm-line', { hasText: text }).click()
  await tab.page.keyboard.press('End')
  await tab.page.keyboard.press('Shift+Home')
  await tab.page.keyboard.press('Shift+Home')
  await tab.page.keyboard.insertText(put)
}

async function review(): Promise<void> {
  await tab.page.getByRole('button', { name: 'Review changes' }).click()
}

async function colours(name: string, ...wanted: readonly string[]): Promise<void> {
  const { data } = await tab.server.must(`${MAPS}/${name}`)
  expect(data).toEqual(Object.fromEntries(wanted.map((text) => text.split('='))))
}

async function patch(name: string, data: object, manager = 'kubectl-edit'): Promise<void> {
  const headers = { 'content-type': 'application/merge-patch+json' }
  await tab.server.must(`${MAPS}/${name}?fieldManager=${manager}`, { method: 'PATCH', headers, body: { data } })
}

async function apply(name: string, data: object, manager: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }
  const headers = { 'content-type': APPLY }
  await tab.server.must(`${MAPS}/${name}?fieldManager=${manager}`, { method: 'PATCH', headers, body })
}

describe('an object', () => {
  it('is edited, compared with what a dry run gives, and written', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'edited' }, data: { colour: 'red' } } })
    await openObject('configmaps/default/edited')
    expect(await tab.page.getByRole('textbox', { name: 'YAML' }).textContent()).not.toContain('managedFields')
    expect(await tab.page.getByRole('button', { name: 'Review changes' }).isDisabled()).toBe(true)
    await replaceLine('colour: red', '  colour: green')
    await review()
    await expect.poll(() => tab.page.locator('.cm-deletedChunk').textContent()).toContain('colour: red')
    await expect.poll(() => tab.page.locator('.cm-changedLine').textContent()).toContain('colour: green')
    await colours('edited', 'colour=red')
    await takeScreenshot(tab.page, 'review')
    await tab.page.getByRole('button', { name: 'Write', exact: true }).click()
    await tab.page.getByRole('status').getByText('Written.').waitFor()
    await colours('edited', 'colour=green')
    await tab.isFaultless()
  })

  it('is not written where the server says that it is wrong, which is told', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'wrong' }, data: { colour: 'red' } } })
    await openObject('configmaps/default/wrong')
    await replaceLine('colour: red', '  colour: {}')
    await review()
    await tab.page.getByRole('alert').getByText('cannot unmarshal object').waitFor()
    expect(await tab.page.locator('.cm-rejected').allTextContents()).toEqual(['  colour: {}'])
    await tab.page.locator('.cm-fault').getByText('of type string').waitFor()
    // The cursor is on the line, and the mark stays with it.
    await tab.page.keyboard.press('ArrowUp')
    await tab.page.keyboard.press('End')
    await tab.page.keyboard.press('Enter')
    expect(await tab.page.locator('.cm-rejected').allTextContents()).toEqual(['  colour: {}'])
    await takeScreenshot(tab.page, 'rejected')
    expect(await findAccessFaults(tab.page)).toEqual([])
    await replaceLine('colour: {}', '  colour: pale')
    await review()
    await tab.page.getByText('The result of a dry run.').waitFor()
    await tab.page.getByRole('button', { name: 'Back to the editor' }).click()
    expect(await tab.page.locator('.cm-rejected').count()).toBe(0)
    await tab.page.getByRole('button', { name: 'Discard' }).click()
    await tab.page.locator('.cm-line', { hasText: 'colour: red' }).waitFor()
  })

  it('offers the fields of its kind while one writes', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'completed' }, data: { colour: 'red' } } })
    await openObject('configmaps/default/completed')
    await tab.page.locator('.cm-line', { hasText: 'kind: ConfigMap' }).click()
    await tab.page.keyboard.press('End')
    await tab.page.keyboard.type('\nimmu', { delay: 30 })
    const offered = tab.page.getByRole('option', { name: /^immutable/ })
    await offered.waitFor()
    await tab.page.getByText('Whether the data can no longer be changed.').waitFor()
    await offered.click()
    await tab.page.keyboard.type('t', { delay: 30 })
    await tab.page.getByRole('option', { name: 'true' }).click()
    await tab.page.locator('.cm-line', { hasText: 'immutable: true' }).waitFor()
    tab.isQuiet()
  })

  it('shows what others write while nobody edits it', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'watched' }, data: { colour: 'red' } } })
    await openObject('configmaps/default/watched')
    await patch('watched', { colour: 'blue' })
    await tab.page.locator('.cm-line', { hasText: 'colour: blue' }).waitFor()
  })

  it('takes an edit on top of what somebody else wrote meanwhile', async () => {
    const data = { colour: 'red', middle: 'x', shape: 'round' }
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'shared' }, data } })
    await openObject('configmaps/default/shared')
    await replaceLine('colour: red', '  colour: green')
    await patch('shared', { shape: 'square' })
    await tab.page.getByText('The object has changed since you began to edit.').waitFor()
    await review()
    await tab.page.getByRole('status').getByText('kubectl-edit changed the object in the meantime').waitFor()
    await tab.page.locator('.cm-line', { hasText: 'shape: square' }).waitFor()
    await review()
    await tab.page.getByRole('button', { name: 'Write', exact: true }).click()
    await tab.page.getByRole('status').getByText('Written.').waitFor()
    await colours('shared', 'colour=green', 'middle=x', 'shape=square')
  })

  it('tells both values where both changed one line', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'clashing' }, data: { colour: 'red' } } })
    await openObject('configmaps/default/clashing')
    await replaceLine('colour: red', '  colour: green')
    await patch('clashing', { colour: 'blue' })
    await tab.page.getByRole('button', { name: 'Merge my edits' }).click()
    const told = tab.page.getByRole('alert').filter({ hasText: 'You and another client changed these lines' })
    await told.getByText('colour: green').waitFor()
    await told.getByText('colour: blue').waitFor()
    await colours('clashing', 'colour=blue')
  })

  it('tells who owns the fields that an apply would change, and takes them over when it is told to', async () => {
    await apply('owned', { colour: 'red', size: 'small' }, 'installer')
    await openObject('configmaps/default/owned')
    await tab.page.locator('.cm-owner', { hasText: 'installer' }).first().waitFor()
    await replaceLine('colour: red', '  colour: green')
    await tab.page.getByLabel('Write by').selectOption('apply')
    await review()
    const conflict = tab.page.getByRole('alert').filter({ hasText: 'Other managers own the fields that you changed' })
    await conflict.getByText('.data.colour').waitFor()
    await conflict.getByText('"installer"').waitFor()
    await takeScreenshot(tab.page, 'conflict')
    await colours('owned', 'colour=red', 'size=small')
    await tab.page.getByRole('button', { name: 'Review and take ownership' }).click()
    await tab.page.getByRole('button', { name: 'Take ownership and write' }).click()
    await tab.page.getByRole('status').getByText('Written.').waitFor()
    await colours('owned', 'colour=green', 'size=small')
    await apply('owned', { size: 'large' }, 'installer')
    await colours('owned', 'colour=green', 'size=large')
    tab.isQuiet()
  })

  it('shows what is in annotations and values as text', async () => {
    const script = '<script>document.title="broken"</script><img src=x onerror=alert(1)>'
    const metadata = { name: 'scripted', annotations: { 'example.com/note': script } }
    await tab.server.must(MAPS, { method: 'POST', body: { metadata, data: { page: script } } })
    await openObject('configmaps/default/scripted')
    await tab.page.locator('.cm-line', { hasText: script }).first().waitFor()
    expect(await tab.page.locator('img').count()).toBe(0)
    expect(await tab.page.title()).toBe('scripted · Quarterdeck')
  })

  it('is deleted after it was asked about', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'unwanted' } } })
    await openObject('configmaps/default/unwanted')
    await tab.page.getByRole('button', { name: 'Actions' }).click()
    await tab.page.getByRole('button', { name: 'Delete …' }).click()
    await tab.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await expect.poll(() => new URL(tab.page.url()).pathname).toBe('/console/kinds/configmaps')
    expect((await tab.server.request(`${MAPS}/unwanted`)).status).toBe(404)
  })
})

describe('what belongs to an object', () => {
  it('is drawn as a tree, and reported by events as they come', async () => {
    const set = await tab.server.must('/apis/apps/v1/namespaces/default/replicasets', {
      method: 'POST',
      body: {
        metadata: { name: 'web-1' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
        },
      },
    })
    const { uid } = set['metadata'] as { readonly uid: string }
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid }
    for (const name of ['web-1-a', 'web-1-b']) {
      const metadata = { name, labels: { app: 'web' }, ownerReferences: [owner] }
      const spec = { containers: [{ name: 'c', image: 'nginx' }] }
      await tab.server.must('/api/v1/namespaces/default/pods', { method: 'POST', body: { metadata, spec } })
    }
    await openObject('pods/default/web-1-b')
    await tab.page.getByRole('tab', { name: 'Owners' }).click()
    const tree = tab.page.getByRole('group', { name: 'Owners and dependents' })
    await tree.getByText('web-1-a', { exact: true }).waitFor()
    expect(await findAccessFaults(tab.page)).toEqual([])
    await tree.getByText('web-1', { exact: true }).click()
    await expect.poll(() => new URL(tab.page.url()).pathname).toBe('/console/objects/replicasets.apps/default/web-1')
    await tab.page.getByRole('tab', { name: 'Events' }).click()
    await tab.page.getByText('No recent events.').waitFor()
    const involvedObject = { ...owner, namespace: 'default' }
    const reported = { metadata: { name: 'e' }, involvedObject, reason: 'Scaled', message: '<b>up</b>', type: 'Normal' }
    await tab.server.must('/api/v1/namespaces/default/events', { method: 'POST', body: reported })
    await tab.page.getByRole('cell', { name: '<b>up</b>' }).waitFor()
    await tab.isFaultless()
  })
})
