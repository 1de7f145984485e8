// `make generate`: writes the compiled form of `proto/api` to `src/schema/gen`. The unit test of the table compiles the same
// files again and fails where what is committed is not current.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { compileProtos, formatCompiled, type ProtoFile } from './compile.ts'

const top = path.join(import.meta.dirname, '../../..')
export const COMPILED_PATH = path.join(top, 'src/schema/gen/built-in-kinds.json')

export function readProtos(): readonly ProtoFile[] {
  const folder = path.join(top, 'proto/api')
  return readdirSync(folder).map((file) => ({
    stem: path.basename(file, '.proto'),
    text: readFileSync(path.join(folder, file), 'utf8'),
  }))
}

if (import.meta.main) writeFileSync(COMPILED_PATH, formatCompiled(compileProtos(readProtos())))
