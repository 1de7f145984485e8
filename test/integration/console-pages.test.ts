// The pages of the console about the server itself, its definitions and who may do what, in a real browser.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openYaml, takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'

const tab = useAdminTab()

async function visit(name: string): Promise<void> {
  await tab.page.getByRole('link', { name, exact: true }).click()
  await tab.page.getByRole('heading', { name, level: 1 }).waitFor()
}

describe('the page of the server', () => {
  it('tells how the server is, who watches, who waits and what the load is', async () => {
    await visit('Server')
    await tab.page.getByText(/^ready, \d+ checks$/).waitFor()
    await tab.page.getByRole('img', { name: /^Requests over the last hour; now all/ }).waitFor()
    await tab.page.getByText('nothing compacted yet').waitFor()
    await tab.page.getByText('compacted every 5 min').waitFor()
    await tab.page.getByRole('cell', { name: 'global-default' }).waitFor()
    const leases = tab.page.getByRole('region', { name: 'Leases', exact: true })
    await leases.getByRole('link', { name: /^apiserver-/ }).waitFor()
    const other = await tab.page.context().newPage()
    await other.goto(`${tab.server.url}/console/kinds/configmaps`)
    await tab.page.getByRole('cell', { name: 'configmaps', exact: true }).waitFor({ timeout: 60_000 })
    await tab.isFaultless()
  })

  it('asks for kinds when it is looked at again, and gets them only where there are others', async () => {
    await tab.page.getByRole('heading', { name: 'Overview' }).waitFor()
    const unchanged = ['/api', '/apis'].map((place) =>
      tab.page.waitForResponse((answer) => answer.url().endsWith(`/console/api${place}`) && answer.status() === 304),
    )
    await tab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await Promise.all(unchanged)
    tab.isQuiet()
  })

  it('leaves out what a user may not see, and shows the rest', async () => {
    const token = await newUser(tab.server, 'nobody')
    const { page: own } = await tab.logIn(token)
    await own.getByRole('link', { name: 'Server', exact: true }).click()
    await own.getByText(/^ready, \d+ checks$/).waitFor()
    await own.getByText('No permission').first().waitFor()
    await own.getByText(/cannot list resource "leases"/).waitFor()
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/lighthouses.coast.example'
    expect((await tab.server.request(`${definition}?ruleCosts=true`, { token })).status).toBe(403)
    expect((await tab.server.request('/debug/load', { token })).status).toBe(403)
  })
})

describe('definitions', () => {
  it('tell their versions, which are served and stored, and their rules', async () => {
    const schema = (rule: string): object => ({
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: {
            type: 'object',
            properties: { height: { type: 'integer' } },
            'x-kubernetes-validations': [{ rule, message: 'too <b>low</b>' }],
          },
        },
      },
    })
    await tab.server.must('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      method: 'POST',
      body: {
        metadata: { name: 'lighthouses.coast.example' },
        spec: {
          group: 'coast.example',
          scope: 'Namespaced',
          names: { kind: 'Lighthouse', plural: 'lighthouses' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: schema('self.height > 3'),
              subresources: { status: {} },
            },
            { name: 'v1beta1', served: false, storage: false, schema: schema('self.height > 1') },
          ],
        },
      },
    })
    await visit('Definitions')
    await tab.page.getByText('established').waitFor()
    const row = tab.page.getByRole('row', { name: /v1 yes yes status/ })
    await row.getByText('1', { exact: true }).click()
    await row.getByText('self.height > 3').waitFor()
    await row.getByText('too <b>low</b>').waitFor()
    await row.getByText(/^Estimated cost: \d+ \(less than 0\.01 % of the limit\)$/).waitFor()
    await row.getByText(/^Estimated total cost: \d+ /).waitFor()
    expect(await tab.page.getByRole('row', { name: /v1beta1 no no/ }).count()).toBe(1)
    await tab.isFaultless()
    await tab.page.getByRole('link', { name: 'Lighthouse', exact: true }).first().click()
    await tab.page.getByText('No objects.').waitFor()
    // Custom kinds come first.
    expect(await tab.page.locator('.sidebar summary').first().textContent()).toBe('coast.example')
  })
})

describe('access', () => {
  it('is a matrix of what one may do oneself, and what another may', async () => {
    const name = 'gardener'
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] },
    ]
    await tab.server.must(`${roles}/roles`, { method: 'POST', body: { metadata: { name }, rules } })
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }]
    await tab.server.must(`${roles}/rolebindings`, { method: 'POST', body: { metadata: { name }, roleRef, subjects } })
    await visit('Access')
    const row = (kind: string) =>
      tab.page.getByRole('row').filter({ has: tab.page.getByRole('rowheader', { name: kind }) })
    const cells = async (kind: string): Promise<string> =>
      (await row(kind).getByRole('cell').allTextContents()).join(' ')
    await expect.poll(() => cells('ConfigMap')).toBe('yes yes yes yes yes yes yes')
    await tab.page.getByLabel('Namespace').selectOption('default')
    await tab.page.getByLabel('User').fill('jane')
    await tab.page.getByRole('button', { name: 'Ask' }).click()
    await expect.poll(() => cells('ConfigMap')).toBe('yes yes no no no no no')
    await expect.poll(() => cells('Secret')).toBe('no no no no no no no')
    await tab.isFaultless()
  })

  it('tells who has a right, by the roles and bindings', async () => {
    await visit('Access')
    const find = async (page: Page, verb: string, resource: string, name = ''): Promise<void> => {
      await page.getByLabel('Verb').fill(verb)
      await page.getByLabel('Resource').fill(resource)
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByRole('button', { name: 'Find' }).click()
    }
    const told = tab.page.getByRole('status')
    const rules = [{ apiGroups: [''], resources: ['secrets', 'pods/log'], resourceNames: ['mine'], verbs: ['get'] }]
    const token = await newUser(tab.server, 'holder', rules)
    await find(tab.page, 'get', 'secrets')
    await told.getByText(/subjects can get secrets in some or all namespaces\.$/).waitFor()
    const holder = tab.page.getByRole('row', { name: 'ServiceAccount holder in default default mine holder holder' })
    await holder.waitFor()
    await tab.page
      .getByRole('row', { name: /^Group system:masters / })
      .getByRole('link', { name: 'cluster-admin' })
      .first()
      .waitFor()
    await tab.isFaultless()
    await tab.page.setViewportSize({ width: 390, height: 700 })
    await tab.page.emulateMedia({ colorScheme: 'dark' })
    await tab.isFaultless()
    expect(await tab.page.evaluate('document.querySelector("main").scrollWidth <= innerWidth')).toBe(true)
    await tab.page.setViewportSize({ width: 1360, height: 800 })
    await tab.page.getByLabel('Namespace').selectOption('kube-system')
    await told.getByText(/in kube-system\.$/).waitFor()
    await holder.waitFor({ state: 'detached' })
    await find(tab.page, 'get', 'po/log', 'mine')
    await told.getByText(/can get pods\/log named mine in kube-system\.$/).waitFor()
    await find(tab.page, 'get', 'nonsense')
    await tab.page.getByText('The server serves no resource nonsense.').waitFor()
    await find(tab.page, 'get', 'secret', 'mine')
    await tab.page.getByLabel('Namespace').selectOption('default')
    await holder.getByRole('link', { name: 'ServiceAccount holder in default' }).click()
    await tab.page.getByRole('heading', { name: 'holder', level: 1 }).waitFor()
    // A user who may not read roles gets no wrong answer.
    const { page: own, complaints } = await tab.logIn(token)
    await own.goto(`${tab.server.url}/console/access`)
    await find(own, 'get', 'secrets')
    await own
      .getByRole('alert')
      .getByText(/^You have no permission to list: ClusterRole, /)
      .waitFor()
    expect(await own.getByText(/^Nobody can/).count()).toBe(0)
    expect(complaints).toEqual([])
  })
})

describe('manifests', () => {
  it('are tried, compared and applied', async () => {
    await visit('Apply YAML')
    const manifest = (name: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  colour: red\n`
    await tab.page.getByRole('textbox', { name: 'Manifests' }).click()
    await tab.page.keyboard.insertText(`${manifest('first')}---\n${manifest('second')}`)
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('button', { name: 'Apply', exact: true }).waitFor()
    expect((await tab.server.request('/api/v1/namespaces/default/configmaps/first')).status).toBe(404)
    await tab.page.getByRole('button', { name: 'Apply', exact: true }).click()
    await tab.page.getByRole('link', { name: 'ConfigMap second' }).click()
    await openYaml(tab.page)
    await tab.page.locator('.cm-line', { hasText: 'colour: red' }).waitFor()
    expect(await tab.server.must('/api/v1/namespaces/default/configmaps/first')).toMatchObject({
      data: { colour: 'red' },
    })
    await tab.isFaultless()
  })

  it('say what is wrong with them', async () => {
    await visit('Apply YAML')
    await tab.page.getByRole('textbox', { name: 'Manifests' }).click()
    await tab.page.keyboard.insertText('kind: Unheard\napiVersion: example.com/v1\nmetadata: {name: x}\n')
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await tab.page.getByRole('alert').getByText('the server serves no kind Unheard of example.com/v1').waitFor()
  })

  it('mark each line that the server rejects, in the manifest that it is in', async () => {
    await visit('Apply YAML')
    await tab.page.getByRole('textbox', { name: 'Manifests' }).click()
    const pod = '  containers:\n  - name: A_\n    image: b\n  - name: b\n    immage: c\n'
    await tab.page.keyboard.insertText(
      `kind: ConfigMap\napiVersion: v1\nmetadata: {name: fine}\n---\nkind: Pod\napiVersion: v1\nmetadata: {name: x}\nspec:\n${pod}`,
    )
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    const rejected = tab.page.locator('.cm-rejected')
    await expect.poll(() => rejected.allTextContents()).toEqual(['    immage: c'])
    await tab.page.locator('.cm-line', { hasText: 'immage' }).click()
    await tab.page.keyboard.press('End')
    await tab.page.keyboard.press('Shift+Home')
    await tab.page.keyboard.insertText('image: c')
    await tab.page.getByRole('button', { name: 'Review changes' }).click()
    await expect.poll(() => rejected.allTextContents()).toEqual(['  - name: A_'])
    await tab.page
      .locator('.cm-fault')
      .getByText(/^spec.containers\[0\].name: Invalid value/)
      .waitFor()
    await takeScreenshot(tab.page, 'rejected-manifest')
    await tab.isFaultless()
  })
})
