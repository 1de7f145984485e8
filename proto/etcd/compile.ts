// Compiles rpc.proto with protobufjs to the code that the etcd engine loads; `make generate` writes it. Static code, because
// it loads in a few milliseconds and makes no code at run time.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pbjs from 'protobufjs-cli/pbjs.js'

export const GENERATED = join(import.meta.dirname, '../../src/kv/etcd/gen/messages.js')

const FLAGS: readonly string[] = [
  '--target=static-module',
  '--wrap=esm',
  '--root=etcd',
  '--force-number',
  '--no-create',
  '--no-verify',
  '--no-convert',
  '--no-delimited',
  '--no-typeurl',
  '--no-service',
  '--no-comments',
]

export function compile(): Promise<string> {
  return new Promise((resolve, reject) => {
    pbjs.main([...FLAGS, join(import.meta.dirname, 'rpc.proto')], (error, output) => {
      if (error === null && output !== undefined) resolve(withPlainZeros(output))
      else reject(error ?? new Error('pbjs gave nothing'))
    })
  })
}

/** A field that is absent reads as its default, which for 64 bits is an object of the package `long` (truthy!) even here. */
function withPlainZeros(code: string): string {
  return code.replaceAll('$util.Long ? $util.Long.fromBits(0,0,false) : 0', '0')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeFile(GENERATED, await compile())
