// New objects in the console, in a real browser: from a template of the kind's schema, or from another object.
import { describe, expect, it } from 'vitest'
import { openKind } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'

const tab = useAdminTab()

const path = (): string => new URL(tab.page.url()).pathname
const line = (text: string) => tab.page.locator('.cm-line', { hasText: text })

async function replaceLine(text: string, put: string): Promise<void> {
  await line(text).first().click()
  await tab.page.keyboard.press('End')
  await tab.page.keyboard.press('Shift+Home')
  await tab.page.keyboard.press('Shift+Home')
  await tab.page.keyboard.insertText(put)
}

async function createReviewed(link: string): Promise<void> {
  await tab.page.getByRole('button', { name: 'Review changes' }).click()
  await tab.page.getByRole('button', { name: 'Create', exact: true }).click()
  await tab.page.getByRole('link', { name: link }).waitFor()
}

describe('a new object', () => {
  it('begins with the fields that its kind requires, in the chosen namespace', async () => {
    await tab.server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'shop' } } })
    await openKind(tab.page, 'deployments.apps?namespace=shop')
    await tab.page.getByRole('link', { name: 'New', exact: true }).click()
    await tab.page.getByRole('heading', { name: 'New Deployment' }).waitFor()
    await line('namespace: shop').waitFor()
    await tab.isFaultless()
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('alert').getByText('spec.template.spec.containers[0].image: Required value').waitFor()
    await replaceLine('image: ""', '      - image: nginx')
    await replaceLine('name: ""', '        name: web')
    await tab.page.keyboard.press('End')
    await tab.page.keyboard.type('\ntty', { delay: 30 })
    await tab.page.getByRole('option', { name: /^tty/ }).waitFor()
    await tab.page.keyboard.type(': true')
    await createReviewed('Deployment new-deployment')
    expect(await tab.server.must('/apis/apps/v1/namespaces/shop/deployments/new-deployment')).toMatchObject({
      spec: { template: { spec: { containers: [{ name: 'web', image: 'nginx', tty: true }] } } },
    })
    await tab.isFaultless()
  })

  it('of a custom kind has the fields of its definition', async () => {
    const spec = {
      type: 'object',
      required: ['size', 'colour'],
      properties: { size: { type: 'integer', minimum: 2 }, colour: { type: 'string', enum: ['red', 'blue'] } },
    }
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } }
    await tab.server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      method: 'POST',
      body: {
        metadata: { name: 'boats.coast.example' },
        spec: {
          group: 'coast.example',
          scope: 'Namespaced',
          names: { kind: 'Boat', plural: 'boats' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      },
    })
    const boats = '/apis/coast.example/v1/namespaces/default/boats'
    await expect.poll(async () => (await tab.server.request(boats)).status).toBe(200)
    await openKind(tab.page, 'boats.coast.example')
    await tab.page.getByRole('link', { name: 'New', exact: true }).click()
    await line('colour: "red"').waitFor()
    await createReviewed('Boat new-boat')
    expect(await tab.server.must(`${boats}/new-boat`)).toMatchObject({ spec: { size: 2, colour: 'red' } })
    tab.isQuiet()
  })

  it('duplicates another one, and says so when its name is taken', async () => {
    const maps = '/api/v1/namespaces/default/configmaps'
    await tab.server.must(maps, { method: 'POST', body: { metadata: { name: 'first' }, data: { colour: 'red' } } })
    await tab.page.goto(`${tab.server.url}/console/objects/configmaps/default/first`)
    await tab.page.getByRole('button', { name: 'Actions' }).click()
    await tab.page.getByRole('button', { name: 'Duplicate' }).click()
    await line('name: "first-copy"').waitFor()
    expect(path()).toBe('/console/create/configmaps')
    expect(await line('uid').count()).toBe(0)
    await replaceLine('name: "first-copy"', '  name: first')
    await replaceLine('colour: red', '  colour: blue')
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByText('configmaps "first" already exists').waitFor()
    await replaceLine('name: first', '  name: second')
    await createReviewed('ConfigMap second')
    expect(await tab.server.must(`${maps}/second`)).toMatchObject({ data: { colour: 'blue' } })
    expect(await tab.server.must(`${maps}/first`)).toMatchObject({ data: { colour: 'red' } })
    tab.isQuiet()
  })
})
