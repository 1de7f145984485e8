// Chromium for the tests of the console: `CHROME_BIN`, one on PATH, or Debian's package, unpacked into the cache with the libraries that this
// machine lacks. Nothing is installed. The headless shell is Chromium without a desktop: a test takes half of the processor time in it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { librariesIn, unpackMissing } from './debian-package.ts'
import { cacheFile, findOnPath, makeOnce } from './made-once.ts'

const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
] as const
const PACKAGES = ['chromium-headless-shell', 'fonts-inter', 'fonts-jetbrains-mono'] as const
const ADVICE = 'Install it (on Debian: apt-get install chromium), or set CHROME_BIN to a Chromium or Chrome.'

export interface Chromium {
  readonly path: string
  /** To be set beside what is set already. */
  readonly env: Readonly<Record<string, string>>
}

/** Throws and says what to install where there is none and none can be had. */
export async function findChromium(): Promise<Chromium> {
  const { CHROME_BIN: given = '' } = process.env
  if (given !== '') return { path: given, env: {} }
  for (const name of NAMES) {
    const path = await findOnPath(name)
    if (path !== undefined) return { path, env: {} }
  }
  const root = cacheFile('debian', `chromium-headless-shell-${process.arch}`)
  try {
    await makeOnce(root, (folder) => unpackMissing(PACKAGES, folder))
  } catch (error) {
    throw new Error(`no Chromium. ${ADVICE}`, { cause: error })
  }
  return unpackedChromium(root)
}

/** The path of the program. Debian starts it by a script, which looks for files below the system root. */
async function unpackedChromium(root: string): Promise<Chromium> {
  const fonts = join(root, 'fonts.conf')
  await writeFile(fonts, fontsOf(root))
  return {
    path: join(root, 'usr/lib/chromium/chromium-headless-shell'),
    env: { LD_LIBRARY_PATH: librariesIn(root), FONTCONFIG_FILE: fonts },
  }
}

/** What pages get where they ask for the fonts of the system: the same on every machine. */
function fontsOf(root: string): string {
  const alias = (family: string, font: string): string =>
    `<alias binding="same"><family>${family}</family><prefer><family>${font}</family></prefer></alias>`
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${join(root, 'usr/share/fonts')}</dir>
<cachedir>${join(root, 'fonts-cache')}</cachedir>
${['sans-serif', 'system-ui'].map((family) => alias(family, 'Inter')).join('\n')}
${['monospace', 'ui-monospace'].map((family) => alias(family, 'JetBrains Mono')).join('\n')}
</fontconfig>
`
}
