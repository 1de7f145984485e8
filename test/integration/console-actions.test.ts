// Actions of the console in a real browser: nothing is written before a dry run and a confirmation, and a refusal is shown as the server words it.
import { describe, expect, it } from 'vitest'
import { takeScreenshot } from '../rigs/browser.ts'
import { useAdminTab } from '../rigs/console.ts'
import { newUser } from '../rigs/new-user.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'

const tab = useAdminTab()

const path = (): string => new URL(tab.page.url()).pathname
const dialog = () => tab.page.getByRole('dialog')
const button = (name: string) => dialog().getByRole('button', { name, exact: true })

async function makeDeployment(name: string): Promise<void> {
  const metadata = { labels: { app: name } }
  await tab.server.must(DEPLOYMENTS, {
    method: 'POST',
    body: {
      metadata: { name },
      spec: {
        selector: { matchLabels: { app: name } },
        template: { metadata, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
      },
    },
  })
}

async function openObject(place: string): Promise<void> {
  await tab.page.goto(`${tab.server.url}/console/objects/${place}`)
  await tab.page.getByRole('button', { name: 'Actions' }).waitFor()
}

async function choose(action: string): Promise<void> {
  await tab.page.getByRole('button', { name: 'Actions' }).click()
  await tab.page.getByRole('button', { name: action, exact: true }).click()
}

describe('an action', () => {
  it('is tried, shows the change, and is done when the user confirms', async () => {
    await makeDeployment('scaled')
    await openObject('deployments.apps/default/scaled')
    await tab.page.getByRole('button', { name: 'Actions' }).click()
    await tab.isFaultless()
    await tab.page.keyboard.press('Escape')
    await choose('Scale …')
    await dialog().locator('input:focus').fill('-1')
    await tab.page.keyboard.press('Enter')
    await dialog().getByRole('alert').getByText('The replicas are a number').waitFor()
    await dialog().getByLabel('Replicas').fill('3')
    await tab.page.keyboard.press('Enter')
    await dialog().getByText('spec.replicas: 1 → 3').waitFor()
    await dialog().getByLabel('Replicas').fill('4')
    expect(await button('Scale').count()).toBe(0)
    await dialog().getByLabel('Replicas').fill('3')
    await tab.page.keyboard.press('Enter')
    await dialog().getByText('spec.replicas: 1 → 3').waitFor()
    expect(await tab.server.must(`${DEPLOYMENTS}/scaled`)).toMatchObject({ spec: { replicas: 1 } })
    await tab.isFaultless()
    await button('Scale').click()
    await tab.page.getByRole('status').getByText('Scale Deployment default/scaled: done.').waitFor()
    expect(await tab.server.must(`${DEPLOYMENTS}/scaled`)).toMatchObject({ spec: { replicas: 3 } })
  })

  it('restarts and pauses a deployment, and offers to resume it', async () => {
    await makeDeployment('rolled')
    await openObject('deployments.apps/default/rolled')
    await choose('Restart …')
    await dialog().getByText('restartedAt').waitFor()
    await button('Restart').click()
    await tab.page.getByRole('status').getByText('done.').waitFor()
    await choose('Pause rollout …')
    await button('Pause rollout').click()
    await expect
      .poll(() => tab.server.must(`${DEPLOYMENTS}/rolled`))
      .toMatchObject({
        spec: {
          paused: true,
          template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': expect.any(String) } } },
        },
      })
    await expect
      .poll(async () => {
        await tab.page.keyboard.press('Escape')
        await tab.page.getByRole('button', { name: 'Actions' }).click()
        return tab.page.getByRole('button', { name: 'Resume rollout …' }).count()
      })
      .toBe(1)
    tab.isQuiet()
  })

  it('suspends a cron job and runs it now', async () => {
    const jobs = '/apis/batch/v1/namespaces/default'
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx' }] } }
    const spec = { schedule: '0 0 1 1 *', jobTemplate: { metadata: { labels: { app: 'tidy' } }, spec: { template } } }
    await tab.server.must(`${jobs}/cronjobs`, { method: 'POST', body: { metadata: { name: 'tidy' }, spec } })
    await openObject('cronjobs.batch/default/tidy')
    await choose('Suspend …')
    await dialog().getByText('spec.suspend: false → true').waitFor()
    await button('Suspend').click()
    await tab.page.getByRole('status').getByText('done.').waitFor()
    await choose('Run now …')
    await dialog()
      .getByText(/^creates Job tidy-manual-/)
      .waitFor()
    await button('Run now').click()
    await tab.page.getByRole('status').getByText('Run now CronJob default/tidy: done.').waitFor()
    const { items } = await tab.server.must(`${jobs}/jobs`)
    expect(items).toMatchObject([{ metadata: { labels: { app: 'tidy' }, ownerReferences: [{ name: 'tidy' }] } }])
  })

  it('changes and removes labels', async () => {
    const metadata = { name: 'labelled', labels: { old: 'x', tier: 'db' } }
    await tab.server.must(MAPS, { method: 'POST', body: { metadata } })
    await openObject('configmaps/default/labelled')
    await choose('Label …')
    await dialog().locator('input:focus').fill('tier=web old- new=1')
    await tab.page.keyboard.press('Enter')
    await dialog().getByText('metadata.labels.tier: "db" → "web"').waitFor()
    await dialog().getByText('metadata.labels.old: "x" → none').waitFor()
    await button('Label').click()
    await tab.page.getByRole('status').getByText('done.').waitFor()
    expect(await tab.server.must(`${MAPS}/labelled`)).toMatchObject({ metadata: { labels: { tier: 'web', new: '1' } } })
  })

  it('is refused as the server words it: by admission, and without permission', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'kept' } } })
    await openObject('configmaps/default/kept')
    await choose('Label …')
    await dialog().locator('input:focus').fill('tier=not_valid-')
    await tab.page.keyboard.press('Enter')
    await dialog().getByText('a valid label must be').waitFor()
    expect(await button('Label').count()).toBe(0)
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }]
    const { page } = await tab.logIn(await newUser(tab.server, 'only-reader', rules))
    await page.goto(`${tab.server.url}/console/objects/configmaps/default/kept`)
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Delete …' }).click()
    await page.getByRole('dialog').getByText('cannot delete resource "configmaps"').waitFor()
    expect(await page.getByRole('dialog').getByRole('button').allTextContents()).toEqual(['Cancel'])
  })

  it('deletes only the object that was chosen, not another one of the same name', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'replaced' } } })
    await openObject('configmaps/default/replaced')
    await choose('Delete …')
    await dialog().getByText('default/replaced', { exact: true }).waitFor()
    await button('Delete').waitFor()
    await tab.server.must(`${MAPS}/replaced`, { method: 'DELETE' })
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'replaced' } } })
    await button('Delete').click()
    await dialog().getByText('1 failed, 0 done.').waitFor()
    await dialog()
      .getByText(/uid.*precondition/i)
      .waitFor()
    expect((await tab.server.request(`${MAPS}/replaced`)).status).toBe(200)
  })

  it('copies and downloads', async () => {
    await tab.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'copied' }, data: { colour: 'red' } } })
    await openObject('configmaps/default/copied')
    const copied = () => tab.page.evaluate<string>('navigator.clipboard.readText()')
    await choose('Copy kubectl command')
    await expect.poll(copied).toBe('kubectl get configmaps copied --namespace default --output yaml')
    await choose('Copy YAML')
    await expect.poll(copied).toContain('colour: red')
    await choose('Copy name')
    await expect.poll(copied).toBe('copied')
    const downloading = tab.page.waitForEvent('download')
    await choose('Download YAML')
    const download = await downloading
    expect(download.suggestedFilename()).toBe('configmap-copied.yaml')
    tab.isQuiet()
  })

  it('leads back to the table after a deletion', async () => {
    await tab.server.must(MAPS, { method: 'POST', body: { metadata: { name: 'unwanted' } } })
    await openObject('configmaps/default/unwanted')
    await choose('Delete …')
    await takeScreenshot(tab.page, 'action-delete')
    await button('Delete').click()
    await expect.poll(path).toBe('/console/kinds/configmaps')
    expect((await tab.server.request(`${MAPS}/unwanted`)).status).toBe(404)
  })
})
