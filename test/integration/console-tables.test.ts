// The console in a real browser: logging in, and tables that follow what happens.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { findAccessFaults, logIn, openKind, openPage, takeScreenshot } from '../rigs/browser.ts'
import { FIELDS } from '../../src/console/web/order-fields.ts'
import { useConsole } from '../rigs/console.ts'
import { freePort } from '../rigs/free-port.ts'
import { GO_BUILD_LIMIT_MS } from '../rigs/go-client.ts'
import { findKubectls, Kubectl } from '../rigs/kubectl.ts'
import { newUser } from '../rigs/new-user.ts'
import { newHome, startServerProcess } from '../rigs/server-process.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

const opened = useConsole()

function rowOf(page: Page, name: string) {
  return page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) })
}

describe('logging in', () => {
  it('says what is wrong with a token, and goes on with a good one', async () => {
    const { page, complaints } = await opened.visit()
    await page.getByLabel('Token', { exact: true }).fill('guessed')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').getByText('Invalid or expired token', { exact: true }).waitFor()
    await takeScreenshot(page, 'login')
    expect(await findAccessFaults(page)).toEqual([])
    await logIn(page, opened.server.adminToken)
    const cookies = await page.context().cookies()
    expect(cookies).toMatchObject([{ name: '__Secure-quarterdeck', httpOnly: true, secure: true, sameSite: 'Strict' }])
    expect(await page.evaluate('({ cookie: document.cookie, stored: Object.keys(localStorage) })')).toEqual({
      cookie: '',
      stored: ['theme'],
    })
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('Token', { exact: true }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('a table', () => {
  it('is browsed to by kinds, filtered by name, label and field, and sorted', async () => {
    for (const [name, app] of [
      ['alpha', 'one'],
      ['beta', 'two'],
      ['gamma', 'two'],
    ]) {
      await opened.server.must(MAPS, {
        method: 'POST',
        body: { metadata: { name, labels: { app } }, data: { [name!]: '1' } },
      })
    }
    const { page, complaints } = await opened.logIn()
    await page.getByLabel('Find a kind').fill('cm')
    await page.getByRole('link', { name: 'ConfigMap', exact: true }).click()
    await page.getByLabel('Namespace').selectOption('default')
    await rowOf(page, 'alpha').waitFor()
    await page.getByLabel('Labels').fill('app=two')
    await page.getByLabel('Labels').press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(3)
    await page.getByLabel('Fields').fill('metadata.name=gamma')
    await page.getByLabel('Fields').press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(new URL(page.url()).search).toBe('?namespace=default&labels=app%3Dtwo&fields=metadata.name%3Dgamma')
    await page.reload()
    await rowOf(page, 'gamma').waitFor()
    await page.goBack()
    await page.goto(`${opened.server.url}/console/kinds/configmaps?namespace=default`)
    await rowOf(page, 'alpha').waitFor()
    await page.getByLabel('Where').fill("'beta' in object.data")
    await page.getByLabel('Where').press('Enter')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    await page.getByLabel('Where').fill('')
    await page.getByLabel('Where').press('Enter')
    await rowOf(page, 'alpha').waitFor()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await expect.poll(() => page.getByRole('row').nth(2).textContent()).toContain('gamma')
    await page.getByLabel('Filter by name').fill('et')
    await expect.poll(() => page.getByRole('row').count()).toBe(2)
    expect(await findAccessFaults(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('shows names and values as text, whatever is in them', async () => {
    const script = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>'
    await opened.server.must('/apis/rbac.authorization.k8s.io/v1/clusterroles', {
      method: 'POST',
      body: { metadata: { name: '<b>bold<img src=x onerror=alert(1)>' }, rules: [] },
    })
    const dated = {
      metadata: { name: 'odd-event' },
      involvedObject: { namespace: 'default' },
      message: script,
      reason: script,
      type: 'Normal',
    }
    await opened.server.must('/api/v1/namespaces/default/events', { method: 'POST', body: dated })
    const { page, complaints } = await opened.logIn()
    await openKind(page, 'events')
    await page.getByText(script).first().waitFor()
    await openKind(page, 'clusterroles.rbac.authorization.k8s.io')
    await rowOf(page, '<b>bold<img src=x onerror=alert(1)>').waitFor()
    expect(await page.title()).toBe('clusterroles.rbac.authorization.k8s.io · Quarterdeck')
    expect(await page.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('is moved in by keys, and opens what is chosen', async () => {
    const { page } = await opened.logIn()
    await openKind(page, 'namespaces')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('find a kind').waitFor()
    expect(await findAccessFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.keyboard.press('/')
    await page.keyboard.type('kube')
    await expect.poll(() => page.getByRole('row').count()).toBe(4)
    await page.getByRole('region', { name: 'Namespace objects' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/console/objects/namespaces/-/kube-public')
  })

  it('has 10,000 rows, of which only those in view are in the page', async () => {
    await opened.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'z-last' } } })
    const { page, complaints } = await opened.logIn()
    await page.route(/\/configmaps\?.*limit=/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: multiplied((await response.json()) as Listed, 10_000) })
    })
    await openKind(page, 'configmaps?namespace=default')
    await page.getByText('10,000', { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBeLessThan(80)
    const { mostRows, mostAdded } = await scrollThrough(page)
    expect(mostRows).toBeLessThan(80)
    expect(mostAdded).toBeGreaterThan(10)
    expect(mostAdded).toBeLessThan(80)
    await rowOf(page, 'z-last').waitFor()
    await opened.server.must(`${MAPS}/z-last`, { method: 'DELETE' })
    await rowOf(page, 'z-last').waitFor({ state: 'detached' })
    await page.getByText('9,999', { exact: true }).waitFor()
    expect(complaints).toEqual([])
  })

  it('that is too long to be loaded is sorted and filtered by the server', async () => {
    const place = '/api/v1/namespaces/full'
    await opened.server.must('/api/v1/namespaces', { method: 'POST', body: { metadata: { name: 'full' } } })
    // In batches: a request for each of them would take long.
    const names = Array.from({ length: 10_100 }, (_, i) => `s-${String(i).padStart(5, '0')}`)
    for (let i = 0; i < names.length; i += 100) {
      const operations = names.slice(i, i + 100).map((name) => {
        const type = name.endsWith('7') ? 'example.com/b' : 'example.com/a'
        return { create: { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'full' }, type } }
      })
      const body = { apiVersion: 'transactions.quarterdeck.io/v1', kind: 'Transaction', operations }
      await opened.server.must('/apis/transactions.quarterdeck.io/v1/transactions', { method: 'POST', body })
    }
    const { page, complaints } = await opened.logIn()
    await openKind(page, 'secrets?namespace=full')
    await page.getByText('10,000 of 10,100', { exact: true }).waitFor()
    await page.getByText('The list is long').waitFor()
    const first = () => page.getByRole('row').nth(1).textContent()
    const sort = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await expect.poll(first).toContain('s-00000')
    await sort('Name')
    await sort('Name')
    await expect.poll(first).toContain('s-10099')
    await page.getByText('10,000 of 10,100', { exact: true }).waitFor()
    await sort('Type')
    await sort('Type')
    await expect.poll(first).toContain('example.com/b')
    expect(await page.getByRole('button', { name: 'Data', exact: true }).isDisabled()).toBe(true)
    // The filter finds objects that were not loaded, and they are followed.
    const refused: string[] = []
    page.on('response', (response) => response.ok() || refused.push(response.url()))
    await page.getByLabel('Filter by name').fill('S-1009')
    await page.getByText('10', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Data', exact: true }).isEnabled()).toBe(true)
    await opened.server.must(`${place}/secrets`, { method: 'POST', body: { metadata: { name: 's-1009-new' } } })
    await opened.server.must(`${place}/secrets`, { method: 'POST', body: { metadata: { name: 'other-new' } } })
    await rowOf(page, 's-1009-new').waitFor()
    await page.getByText('11', { exact: true }).waitFor()
    await page.getByLabel('Filter by name').fill('')
    await page.getByText('10,000 of 10,102', { exact: true }).waitFor()
    await takeScreenshot(page, 'long')
    expect(refused).toEqual([])
    expect(await findAccessFaults(page)).toEqual([])
    expect(complaints).toEqual([])
    await opened.server.must(place, { method: 'DELETE' })
  })

  it('is sorted by fields that the server has', async () => {
    for (const [resource, fields] of Object.entries(FIELDS)) {
      const [plural = '', ...group] = resource.split('.')
      const versions = group.length === 0 ? '/api' : `/apis/${group.join('.')}`
      const version = group[0] === 'autoscaling' ? 'v2' : 'v1'
      for (const [column, field] of Object.entries(fields)) {
        const list = `${versions}/${version}/${plural}?limit=1&orderBy=${encodeURIComponent(`${field} desc`)}`
        const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
        const { columnDefinitions } = await opened.server.must(list, { headers })
        const names = (columnDefinitions as readonly { readonly name: string }[]).map(({ name }) => name)
        expect(names, resource).toContain(column)
      }
    }
  })

  it('keeps its order and its filter when the query changes', async () => {
    for (const name of ['k1', 'k2', 'l1'])
      await opened.server.must(MAPS, { method: 'POST', body: { metadata: { name, labels: { kept: 'yes' } } } })
    const { page } = await opened.logIn()
    await openKind(page, 'configmaps?namespace=default')
    const sort = page.getByRole('button', { name: 'Name', exact: true })
    await sort.click()
    await sort.click()
    await page.getByLabel('Filter by name').fill('k')
    await page.getByLabel('Labels').fill('kept=yes')
    await page.getByLabel('Labels').press('Enter')
    await expect.poll(() => page.locator('tbody a').allTextContents()).toEqual(['k2', 'k1'])
  })

  it('shows a user with few rights what that user may see, and why there is no more', async () => {
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
    const { page } = await opened.logIn(await newUser(opened.server, 'map-reader', rules))
    await openKind(page, 'configmaps?namespace=default')
    await rowOf(page, 'kube-root-ca.crt').waitFor()
    await page.goto(`${opened.server.url}/console/kinds/secrets?namespace=default`)
    await page.getByRole('alert').getByText('cannot list resource "secrets"').waitFor()
    await page.goto(`${opened.server.url}/console/kinds/configmaps?namespace=kube-system`)
    await page.getByRole('alert').getByText('cannot list resource "configmaps"').waitFor()
    expect(await page.getByRole('row').count()).toBe(0)
    await page.getByLabel('Namespace', { exact: true }).fill('kube-system default')
    await page.getByLabel('Namespace', { exact: true }).press('Enter')
    await rowOf(page, 'kube-root-ca.crt').waitFor()
    expect(new URL(page.url()).search).toBe('?namespace=kube-system%2Cdefault')
    await page.goto(`${opened.server.url}/console/kinds/configmaps`)
    await page.getByRole('alert').getByText('cannot list resource "configmaps"').waitFor()
    await page.getByLabel('Only what I may see').check()
    await rowOf(page, 'kube-root-ca.crt').waitFor()
    expect(new URL(page.url()).search).toBe('?accessible=true')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByLabel('Where').fill('object.date == 1')
    await page.getByLabel('Where').press('Enter')
    await page.getByRole('alert').getByText("where: 1:7: undefined field 'date'").waitFor()
  })

  it('has the columns that the user chooses, also after a reload', async () => {
    const { page, complaints } = await opened.logIn()
    await openKind(page, 'pods')
    const headings = () => page.getByRole('columnheader').allTextContents()
    const usual = ['', 'Namespace↑', 'Name', 'Ready', 'Status', 'Restarts', 'Age']
    expect(await headings()).toEqual(usual)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByLabel('Node', { exact: true }).check()
    await page.getByLabel('Restarts', { exact: true }).uncheck()
    await takeScreenshot(page, 'columns')
    expect(await findAccessFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    const chosen = ['', 'Namespace↑', 'Name', 'Ready', 'Status', 'Age', 'Node']
    await expect.poll(headings).toEqual(chosen)
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
    await expect.poll(headings).toEqual(chosen)
    expect(complaints).toEqual([])
  })

  it('shows the states of objects on a phone', async () => {
    const options = { viewport: { width: 390, height: 780 } }
    const { page } = await opened.logIn(undefined, options)
    await opened.server.must('/api/v1/namespaces/default/pods', {
      method: 'POST',
      body: { metadata: { name: 'web-5d4f8c7b9-x2x8p' }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
    })
    await openKind(page, 'pods')
    const state = rowOf(page, 'web-5d4f8c7b9-x2x8p').getByText('Pending')
    await state.waitFor()
    const { x = 0, width = 0 } = (await state.boundingBox()) ?? {}
    expect(x + width).toBeLessThan(390)
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      '',
      'Name',
      'Status',
      'Ready',
      'Age',
      'Namespace↑',
    ])
    await rowOf(page, 'web-5d4f8c7b9-x2x8p').locator('td.pick').click()
    await page.getByRole('group', { name: 'Selected objects' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    expect(await findAccessFaults(page)).toEqual([])
    await takeScreenshot(page, 'phone-pods')
    await page.getByRole('button', { name: 'Delete …' }).click()
    await page.getByText('The dry run succeeded.').waitFor()
    expect(await findAccessFaults(page)).toEqual([])
    await takeScreenshot(page, 'phone-delete')
  })

  it('is readable on a phone', async () => {
    const { page } = await opened.logIn(undefined, { viewport: { width: 390, height: 780 }, colorScheme: 'dark' })
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'ConfigMap', exact: true }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width).toBeLessThanOrEqual(390)
    expect(await findAccessFaults(page)).toEqual([])
    await takeScreenshot(page, 'phone')
  })
})

interface Listed {
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly object: { readonly metadata: object } }[]
}

/** The list with rows added until there are so many. */
function multiplied(list: Listed, count: number): Listed {
  const [first] = list.rows
  const made = Array.from({ length: count - list.rows.length }, (_, i) => {
    const name = `m-${String(i).padStart(5, '0')}`
    return {
      cells: [name, ...first!.cells.slice(1)],
      object: { metadata: { ...first!.object.metadata, name, uid: name } },
    }
  })
  return { ...list, rows: [...list.rows, ...made] }
}

/** From the first row to the last: how many rows there were at most, and how many were made at most for one step. */
function scrollThrough(page: Page): Promise<{ readonly mostRows: number; readonly mostAdded: number }> {
  return page.evaluate(`(async () => {
    const scroller = document.querySelector('.scroller')
    let [mostRows, mostAdded, added] = [0, 0, 0]
    const isRow = (node) => node instanceof Element && node.matches('tr')
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) added += [...addedNodes].filter(isRow).length
    }).observe(scroller, { childList: true, subtree: true })
    for (let step = 0; step <= 60; step++) {
      added = 0
      scroller.scrollTop = (scroller.scrollHeight * step) / 60
      for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
      mostRows = Math.max(mostRows, scroller.querySelectorAll('tr').length)
      mostAdded = Math.max(mostAdded, added)
    }
    return { mostRows, mostAdded }
  })()`)
}

describe('a table that is open', () => {
  it('shows what kubectl writes within a second, and misses nothing when the server is restarted', {
    timeout: GO_BUILD_LIMIT_MS,
  }, async () => {
    const [binary = ''] = await findKubectls()
    const home = await newHome()
    const port = String(await freePort())
    const start = () => startServerProcess(['--secure-port', port], home)
    const first = await start()
    const kubectl = new Kubectl(binary, { kubeconfig: first.kubeconfigFile, home })
    const { page } = await openPage(opened.browser, first.url)
    await logIn(page, first.adminToken)
    await openKind(page, 'configmaps?namespace=default')
    // A machine may stand still for a moment, but not each time.
    const isShownInTime = async (name: string): Promise<boolean> => {
      await kubectl.run(['create', 'configmap', name])
      const since = performance.now()
      await rowOf(page, name).waitFor()
      return performance.now() - since < 1000
    }
    const names = ['written', 'written-2', 'written-3']
    let shown = names.shift()!
    while (!(await isShownInTime(shown))) {
      await kubectl.run(['delete', 'configmap', shown])
      await rowOf(page, shown).waitFor({ state: 'detached' })
      shown = names.shift() ?? expect.fail('no object was shown within a second')
    }
    await first.stop()
    await page.getByText('Reconnecting').waitFor()
    const second = await start()
    await kubectl.run(['create', 'configmap', 'meanwhile'])
    await kubectl.run(['delete', 'configmap', shown])
    await rowOf(page, 'meanwhile').waitFor()
    await rowOf(page, shown).waitFor({ state: 'detached' })
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.getByRole('row').count()).toBe(3)
    expect(await second.stop()).toMatchObject({ code: 0 })
  })
})
