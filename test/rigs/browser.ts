// A real browser for the tests of the console, and what they do in it all the time.
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** Screenshots come out of every run: looked at by people, compared by nobody. */
const SCREENSHOTS = path.join(import.meta.dirname, '../../node_modules/.cache/console-screenshots')

export async function openBrowser(): Promise<Browser> {
  const { path: executablePath, env } = await findChromium()
  return chromium.launch({
    executablePath,
    env: { ...(process.env as Record<string, string>), ...env },
    // The tests may run as root in a container, where it has no sandbox and little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  })
}

export interface OpenedPage {
  readonly page: Page
  /** What the page complained of: errors of scripts, and what its policy has forbidden. */
  readonly complaints: readonly string[]
}

/** A page of a visitor who has never been here. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const viewport = { width: 1360, height: 800 }
  const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport, reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text())
    }
  })
  await page.goto(`${url}/console/`)
  return { page, complaints }
}

export async function logIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token', { exact: true }).fill(token)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('button', { name: 'Log out' }).waitFor()
}

/** Of the object that is shown. */
export async function openYaml(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'YAML' }).click()
  await page.getByRole('textbox', { name: 'YAML' }).waitFor()
}

/** Without loading the page anew. */
export async function openKind(page: Page, resource: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/console/kinds/${resource}`)
  await page.getByText('Live', { exact: true }).waitFor()
}

export async function takeScreenshot(page: Page, name: string): Promise<void> {
  mkdirSync(SCREENSHOTS, { recursive: true })
  await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) })
}

/** The faults that axe finds in the page: one line for each part that some people cannot use. `rules`: absent: all. */
export async function findAccessFaults(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // The page's policy refuses scripts from elsewhere, but not those of the browser's own protocol.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source)
  return page.evaluate(async (runOnly) => {
    const { axe: runner } = globalThis as unknown as { readonly axe: typeof axe }
    // What passes, and the selectors of parts, would be worked out for nobody.
    const options = { resultTypes: ['violations' as const], selectors: false }
    const { violations } = await runner.run(runOnly === undefined ? options : { ...options, runOnly: [...runOnly] })
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  }, rules)
}
