// Resolves what tests import without asking vitest, which would tell its main thread of every import, to know what to run again
// when a file changes; and leaves out the time that it puts behind a test's name, with which no compiled code is found again.
import { registerHooks } from 'node:module'

const TIME = /%3Fvitest=\d+$/
const TYPESCRIPT = { format: 'module-typescript', shortCircuit: true } as const

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (TIME.test(specifier)) return { url: specifier.replace(TIME, ''), ...TYPESCRIPT }
    const isFile = specifier.startsWith('.') && specifier.endsWith('.ts')
    if (!isFile || context.parentURL === undefined) return nextResolve(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, ...TYPESCRIPT }
  },
})
