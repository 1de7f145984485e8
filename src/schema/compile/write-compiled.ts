// The code of `make generate`. It writes the compiled form of `proto/api` to `src/schema/gen`, the types of the kinds to `src/api/gen` for
// the server and to `src/client/gen` for clients, and the messages of `proto/etcd` to `src/kv/gen`. The unit test of the table compiles the
// same files again and fails if the committed files are outdated.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { formatClientTypes } from './client-types.ts'
import { formatRules } from './compile-rules.ts'
import { formatFieldTypes } from './field-types.ts'
import { compileDescriptions, compileProtos, formatCompiled, type ProtoFile } from './compile.ts'
import { formatRpc } from './rpc-messages.ts'

const top = path.join(import.meta.dirname, '../../..')

/** The texts of the generated files by their paths. */
export function compiledFiles(): ReadonlyMap<string, string> {
  const protos = readProtos()
  const schema = compileProtos(protos)
  const descriptions = compileDescriptions(protos, readFileSync(path.join(top, 'proto/descriptions.txt'), 'utf8'))
  const folder = path.join(top, 'src/schema/gen')
  return new Map([
    [path.join(folder, 'built-in-kinds.json'), formatCompiled(schema)],
    [path.join(folder, 'built-in-rules.json'), formatRules(schema)],
    [path.join(folder, 'built-in-descriptions.json'), `${JSON.stringify(descriptions, null, 1)}\n`],
    [path.join(top, 'src/api/gen/kinds.ts'), formatFieldTypes(schema)],
    [path.join(top, 'src/client/gen/k8s.ts'), formatClientTypes(schema, descriptions)],
    [path.join(top, 'src/kv/gen/rpc.ts'), formatRpc(readFileSync(path.join(top, 'proto/etcd/rpc.proto'), 'utf8'))],
  ])
}

function readProtos(): readonly ProtoFile[] {
  const folder = path.join(top, 'proto/api')
  return readdirSync(folder).map((file) => ({
    stem: path.basename(file, '.proto'),
    text: readFileSync(path.join(folder, file), 'utf8'),
  }))
}

if (import.meta.main) for (const [file, text] of compiledFiles()) writeFileSync(file, text)
