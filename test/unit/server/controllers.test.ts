import { expect, it } from 'vitest'
import { ALSO_ELSEWHERE, CLUSTER_CONTROLLER_NAMES, CONTROLLER_NAMES } from '../../../src/config/controller-names.ts'
import { FLAGS } from '../../../src/config/flags.ts'
import { loadBuiltInSchema } from '../../../src/schema/schema.ts'
import { type ControllerOptions, openControllers } from '../../../src/server/controllers.ts'
import { ServerMeasures } from '../../../src/server/measures.ts'
import { openWorld } from '../../rigs/api-world.ts'
import { controllerParts } from '../../rigs/running-controller.ts'

/** The names of those that would run; none is begun. */
async function namesWithout(off: readonly string[]): Promise<readonly string[]> {
  const options = {
    authority: '',
    cluster: { served: undefined, hostname: 'here' },
    controllersOff: new Set(off),
    hasReplicas: false,
    measures: new ServerMeasures(),
    schema: loadBuiltInSchema(),
    serverAddress: () => '127.0.0.1:1',
  } as unknown as ControllerOptions
  return openControllers(controllerParts(await openWorld({ flags: ['--emulated-version=1.37'] })), options).map(
    ({ name }) => name,
  )
}

it('every controller that --controllers names is there, and goes when it is switched off', async () => {
  const all = await namesWithout([])
  const inProcess: readonly string[] = CLUSTER_CONTROLLER_NAMES
  expect(all).toEqual(expect.arrayContaining(CONTROLLER_NAMES.filter((name) => !inProcess.includes(name))))
  const left = all.filter((name) => !(CONTROLLER_NAMES as readonly string[]).includes(name))
  expect(await namesWithout(CONTROLLER_NAMES)).toEqual(left)
  expect(left).not.toEqual([])
})

it('the help of --controllers names all of them, and those to switch off next to others', () => {
  const { help = '' } = FLAGS.find(({ name }) => name === 'controllers') ?? {}
  for (const name of CONTROLLER_NAMES) expect(help).toMatch(new RegExp(` ${name}[,.]`))
  for (const name of ALSO_ELSEWHERE) expect(help).toMatch(new RegExp(` -${name}[,.]`))
})
