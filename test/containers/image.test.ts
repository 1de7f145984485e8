// The image, as `make image` builds it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../rigs/free-port.ts'
import { cleanUp } from './clean-up.ts'
import { copyCheckout, docker, make, NAME, needEngine } from './docker.ts'

const CONFINED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges']

beforeAll(async () => {
  await needEngine()
  await cleanUp()
  await copyCheckout(await freePort())
  await make('image')
})

afterAll(cleanUp)

afterEach(async () => {
  await docker('rm', '--force', '--volumes', NAME)
  await docker('volume', 'rm', '--force', NAME)
})

async function started(...args: readonly string[]): Promise<void> {
  await docker('run', '--detach', '--name', NAME, ...CONFINED, ...args)
  await expect.poll(() => docker('logs', NAME)).toContain('is listening on')
}

describe('the image', () => {
  it('is small, and runs as nobody in particular', async () => {
    const [image] = JSON.parse(await docker('image', 'inspect', NAME)) as readonly [
      { readonly Size: number; readonly Config: { readonly User: string } },
    ]
    expect(image.Size).toBeLessThan(200e6)
    expect(image.Config.User).toBe('65532:65532')
  })

  it('serves with a root that cannot be written to and without rights, and ends when it is asked to', async () => {
    await started(NAME)
    await expect.poll(() => docker('exec', NAME, 'quarterdeck', 'healthcheck')).toBe('ok')
    await expect.poll(() => docker('inspect', NAME, '--format', '{{.State.Health.Status}}')).toBe('healthy')
    await docker('stop', NAME)
    expect(await docker('inspect', NAME, '--format', '{{.State.ExitCode}}')).toBe('0')
  })

  it.each(['65532:65532', '1000:1000', '0:0'])('has what Node compiles, for the user %s', async (user) => {
    await started('--user', user, '--env', 'NODE_DEBUG_NATIVE=COMPILE_CACHE', NAME, 'serve', '--in-memory')
    const said = await docker('logs', NAME)
    expect(said).toContain('was accepted')
    expect(said).not.toMatch(/code cache for .* was (rejected|not initialized)/)
  })

  it('serves by several workers', async () => {
    await started(NAME, 'serve', '--workers', '2')
    await expect.poll(() => docker('exec', NAME, 'quarterdeck', 'healthcheck')).toBe('ok')
  })

  describe.each(['4321:4321', '4321', '1000:1000', '65532:65532', '0:0'])('as the user %s', (user) => {
    it.each([
      ['no volume', []],
      ['a volume', ['--volume', `${NAME}:/data`]],
      ['memory for its files', ['--tmpfs', '/data', '--tmpfs', '/tmp']],
    ])('keeps its data and serves, with %s', async (_, place) => {
      for (const command of [[], ['serve', '--workers', '2']]) {
        await started('--user', user, ...place, NAME, ...command)
        await expect.poll(() => docker('exec', NAME, 'quarterdeck', 'healthcheck')).toBe('ok')
        expect(await docker('logs', NAME)).not.toMatch(/EACCES|EPERM|"level":"(warn|error)"/)
        await docker('rm', '--force', '--volumes', NAME)
      }
    })
  })

  it('tells what is in it', async () => {
    const print = 'process.stdout.write(fs.readFileSync("/usr/share/sbom/quarterdeck.cdx.json"))'
    const bill = JSON.parse(await docker('run', '--rm', '--entrypoint', 'node', NAME, '-e', print)) as {
      readonly components: readonly { readonly name: string; readonly purl: string }[]
    }
    expect(bill.components.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['lmdb', 'pino', 'node', 'libc6', 'libstdc++6', 'bash']),
    )
    expect(bill.components.map(({ name }) => name)).not.toContain('vitest')
  })
})
