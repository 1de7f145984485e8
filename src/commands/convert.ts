// `quarterdeck convert`: converts files to files or to standard output. An error is one line, and the other files are still converted.
import path from 'node:path'
import { columnsOf } from '../kinds/kinds.ts'
import { convert, ConvertError, type SourceEncoding, type TargetEncoding } from '../codec/convert.ts'
import { encodingOf } from '../codec/media-type.ts'
import { makeDirectory } from '../lib/make-directory.ts'
import { realPath } from '../lib/real-path.ts'
import { loadBuiltInSchema } from '../schema/schema.ts'
import { directoryPath } from '../config/setting-reader.ts'
import { reasonOf, StartError, usageError } from '../config/start-error.ts'
import { readCommandLine } from './command-flags.ts'
import { inputName, readInput } from './input.ts'
import { checkTarget, writeWhole } from './output-file.ts'
import { complain, inOneLine, printBytes, printDocument } from './output.ts'

/** The endings of file names. */
const ENDINGS: Readonly<Record<TargetEncoding, string>> = {
  json: 'json',
  yaml: 'yaml',
  protobuf: 'pb',
  cbor: 'cbor',
  'cbor-seq': 'cborseq',
  table: 'table.json',
}

const ALIASES: Readonly<Record<string, TargetEncoding>> = {
  pb: 'protobuf',
  yml: 'yaml',
  'application/cbor-seq': 'cbor-seq',
}

interface Options {
  readonly from: SourceEncoding
  readonly to: TargetEncoding
  readonly out: string | undefined
  readonly overwrite: boolean
  readonly files: readonly string[]
}

/** The exit code is 1 if a file could not be converted. */
export async function runConvert(args: readonly string[]): Promise<number> {
  const options = parseOptions(args)
  if (options.out !== undefined) makeFolder(options.out)
  const kinds = loadBuiltInSchema()
  let failed = false
  for (const file of options.files) {
    try {
      const { bytes, problems } = convert(await readBytes(file), { ...options, kinds, columnsOf, now: Date.now() })
      for (const problem of problems) tell(file, problem)
      await writeOutput(bytes, file, options)
    } catch (error) {
      if (!(error instanceof ConvertError)) throw error
      tell(file, error.message)
      failed = true
    }
  }
  return failed ? 1 : 0
}

async function readBytes(file: string): Promise<Buffer> {
  return readInput(file).catch((error: unknown) => {
    throw new ConvertError(`cannot be read: ${reasonOf((error as Error).cause)}`)
  })
}

function tell(file: string, message: string): void {
  complain(`quarterdeck convert: ${inOneLine(`${inputName(file)}: ${message}`)}\n`)
}

function parseOptions(args: readonly string[]): Options {
  const { read, operands } = readCommandLine('convert', args, { most: Infinity })
  const from = typeOf('from', read.text('from'))
  if (from === 'table') throw usageError('--from table: a table cannot be converted back to objects')
  const to = typeOf('to', read.text('to'))
  const files = operands.length === 0 ? ['-'] : operands
  const out = read.optional('out')
  if (isBinary(to) && files.length > 1 && out === undefined) {
    throw usageError(`several files in ${to} cannot be written to standard output; set --out`)
  }
  const [clash] = [...Map.groupBy(files, (file) => targetName(file, to)).values()].filter(({ length }) => length > 1)
  if (clash !== undefined && out !== undefined)
    throw usageError(`convert: ${clash.map(inputName).join(' and ')} have one target, ${targetName(clash[0]!, to)}`)
  return { from, to, out: out && directoryPath(out), overwrite: read.switch('overwrite'), files }
}

function targetName(file: string, to: TargetEncoding): string {
  return `${file === '-' ? 'standard-input' : path.parse(file).name}.${ENDINGS[to]}`
}

/** The encoding with this short name or media type. */
function typeOf(flag: 'from' | 'to', text: string | undefined): TargetEncoding {
  const names = Object.keys(ENDINGS)
    .filter((name) => flag === 'to' || name !== 'table')
    .join(', ')
  if (text === undefined) throw usageError(`convert: --${flag} is required, one of ${names}`)
  const [essence = ''] = text.toLowerCase().split(';', 1)
  const known = Object.hasOwn(ENDINGS, essence)
    ? (essence as TargetEncoding)
    : (ALIASES[essence] ?? encodingOf(essence))
  if (known === undefined) throw usageError(`convert: --${flag} "${text}" is not one of ${names}`)
  return known
}

function makeFolder(folder: string): void {
  try {
    makeDirectory(folder)
  } catch (error) {
    throw usageError(`convert: cannot create the directory ${folder}: ${reasonOf(error)}`)
  }
}

async function writeOutput(bytes: Buffer, file: string, { out, overwrite, to, files }: Options): Promise<void> {
  if (out === undefined) {
    // As in the API, a JSON object ends without a line break. In a terminal or among other objects, it needs a line break.
    const lineBreak = (to === 'json' || to === 'table') && (process.stdout.isTTY || files.length > 1)
    const separator = to === 'yaml' && files[0] !== file ? '---\n' : ''
    const written = Buffer.concat([Buffer.from(separator), bytes, Buffer.from(lineBreak ? '\n' : '')])
    await (isBinary(to) ? printBytes(written) : printDocument(written.toString()))
    return
  }
  const target = path.join(out, targetName(file, to))
  if (file !== '-' && realPath(target) === realPath(file))
    throw new ConvertError('would be overwritten; use another --out')
  try {
    checkTarget(target, overwrite)
    await writeWhole(target, (draft) => draft.appendFile(bytes))
  } catch (error) {
    throw error instanceof StartError ? new ConvertError(error.message) : error
  }
}

function isBinary(to: TargetEncoding): boolean {
  return to !== 'json' && to !== 'yaml' && to !== 'table'
}
