// Bundles the declarations that the compiler has written into `dist/types`: one file for each entry of the package, and a few that entries share.
// Readers and compilers get what is exported and nothing else. The types of packages that only the server needs are not among it.
//
// `require` gets a copy as `.d.cts`: compilers with `module: node16` refuse the types of an ES module there.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const project = fileURLToPath(new URL('..', import.meta.url))
/** Where `tsconfig.types.json` has the compiler write. */
const declarations = path.join(project, 'node_modules/.cache/types')
const target = path.join(project, 'dist/types')
const entries = ['index', 'client/client', 'define/define', 'library/testing/testing', 'extensions/extensions']
/** `Disposable` is in no library of the compiler's targets before esnext. */
const HEAD = '/// <reference lib="esnext.disposable" />\n'

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((entry) => [path.basename(entry), path.join(declarations, `${entry}.d.ts`)])),
  external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
  plugins: [dts({ dtsInput: true, tsconfig: false })],
})
const { output } = await bundle.generate({ entryFileNames: '[name].d.ts', chunkFileNames: 'shared-[name].d.ts' })
rmSync(target, { recursive: true, force: true })
mkdirSync(target, { recursive: true })
for (const { fileName, code } of output) {
  const text = HEAD + code.replaceAll(/^\/\/ .*\.d\.ts\n/gm, '')
  writeFileSync(path.join(target, fileName), text)
  writeFileSync(path.join(target, fileName.replace('.d.ts', '.d.cts')), text.replaceAll(/(from "\.\/[^"]+)\.js"/g, '$1.cjs"'))
}
