// What the tests of the console share: a browser and a server for all tests of a file, and a tab for each of them.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { findAccessFaults, logIn, openBrowser, type OpenedPage, openPage, takeScreenshot } from './browser.ts'
import { type OpenServer, openServer } from './running-server.ts'

/** A browser for all tests of a file; to be called outside of them. It is there when the first one begins. */
export function useBrowser(): () => Browser {
  return useOpened(openBrowser, (browser) => browser.close())
}

export interface ConsoleInUse {
  readonly browser: Browser
  readonly server: OpenServer
  /** A page of a visitor who has never been here. */
  visit(): Promise<OpenedPage>
  /** The same, logged in; by default as the administrator. */
  logIn(token?: string, options?: BrowserContextOptions): Promise<OpenedPage>
}

/** The same with a server. */
export function useConsole(args: readonly string[] = []): ConsoleInUse {
  const browser = useBrowser()
  const server = useOpened(
    () => openServer(args),
    (opened) => opened[Symbol.asyncDispose](),
  )
  /** By token: what a browser keeps of a login. The form is filled in once for each. */
  const kept = new Map<string, Awaited<ReturnType<BrowserContext['storageState']>>>()
  return {
    get browser() {
      return browser()
    },
    get server() {
      return server()
    },
    visit: () => openPage(browser(), server().url),
    async logIn(token = server().adminToken, options) {
      const storageState = kept.get(token)
      const login = storageState === undefined ? {} : { storageState }
      const tab = await openPage(browser(), server().url, { ...login, ...options })
      const { page } = tab
      const form = page.getByLabel('Token', { exact: true })
      await form.or(page.getByRole('button', { name: 'Log out' })).waitFor()
      if (await form.isVisible()) {
        await logIn(page, token)
        kept.set(token, await page.context().storageState())
      }
      return tab
    },
  }
}

function useOpened<T>(open: () => Promise<T>, close: (opened: T) => PromiseLike<void>): () => T {
  let opened: { readonly it: T } | undefined
  beforeAll(async () => {
    opened = { it: await open() }
  })
  afterAll(async () => {
    if (opened !== undefined) await close(opened.it)
  })
  return () => {
    if (opened === undefined) throw new Error('it is opened before the first test')
    return opened.it
  }
}

export interface AdminTab {
  readonly server: OpenServer
  readonly page: Page
  /** Fails where something keeps people from using the page, or the page has complained. */
  isFaultless(): Promise<void>
  /** Fails where the page has complained. */
  isQuiet(): void
  /** Wide, in the dark and on a phone: fails where something is cut off or inaccessible, and takes pictures. */
  looksRight(name: string): Promise<void>
}

/** `rules`: only these, because the colours of a layout change nothing that the others check. */
const LOOKS: readonly { readonly width: number; readonly colorScheme: 'light' | 'dark'; readonly rules?: string[] }[] =
  [
    { width: 1440, colorScheme: 'light' },
    { width: 1440, colorScheme: 'dark', rules: ['color-contrast'] },
    { width: 390, colorScheme: 'dark' },
  ]

/** The parts that are wider than their place. */
const CUT_OFF = `[...document.querySelectorAll('main, .wide:not(:has(.matrix)), .summary, .page, dialog[open]')]
  .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth)
  .map((part) => part.ariaLabel ?? part.id ?? part.className)`

/** A console, with a tab of the administrator's for each test. */
export function useAdminTab(args: readonly string[] = []): AdminTab & Pick<ConsoleInUse, 'logIn'> {
  const console = useConsole(args)
  let tab: OpenedPage | undefined
  beforeEach(async () => {
    tab = await console.logIn()
  })
  // A page that stays open goes on asking.
  afterEach(async () => {
    for (const context of console.browser.contexts()) await context.close()
  })
  const isQuiet = (): void => expect(tab?.complaints).toEqual([])
  return {
    get server() {
      return console.server
    },
    get page() {
      if (tab === undefined) throw new Error('a tab is opened for each test')
      return tab.page
    },
    logIn: (token, options) => console.logIn(token, options),
    isQuiet,
    async isFaultless() {
      expect(await findAccessFaults(this.page)).toEqual([])
      isQuiet()
    },
    async looksRight(name) {
      const { page } = this
      for (const { width, colorScheme, rules } of LOOKS) {
        await page.setViewportSize({ width, height: width === 390 ? 780 : 900 })
        await page.emulateMedia({ colorScheme })
        await takeScreenshot(page, `${name}-${width}-${colorScheme}`)
        expect(await findAccessFaults(page, rules)).toEqual([])
        expect(await page.evaluate(CUT_OFF)).toEqual([])
      }
      isQuiet()
    },
  }
}
