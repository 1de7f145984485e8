// The built files of the console. They are compressed, and read once. A file with a digest in its name never changes, so browsers keep it
// forever. The page itself is requested each time.
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../http/http.ts'
import { plainText } from '../http/responses.ts'

const PAGE = 'index.html'
const COMPRESSED = '.br'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Allows nothing from other origins, nothing inline, nothing made by scripts, and no frames. */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'font', 'connect'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export const PAGE_HEADERS: ResponseHeaders = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

interface StaticFile {
  readonly type: string
  readonly tag: string
  readonly compressed: Buffer
}

export class StaticFiles {
  readonly #folder: string
  #files: ReadonlyMap<string, StaticFile> | undefined
  /** Decompressed files, for clients that do not accept Brotli. They are kept, because requests for them need no login. */
  readonly #plain = new Map<StaticFile, Buffer>()

  /** `folder`: the built files. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file of that name. All other paths are the page, which reads its path itself. */
  answer(name: string, request: HttpRequest): HttpResponse {
    this.#files ??= readFiles(this.#folder)
    const isAsset = name.startsWith('assets/')
    const file = this.#files.get(isAsset ? name : PAGE)
    if (file === undefined) {
      const text = isAsset ? '404 page not found\n' : 'The console is not built: npm run build\n'
      return plainText(404, text, PAGE_HEADERS)
    }
    const headers = {
      ...PAGE_HEADERS,
      'content-type': file.type,
      'cache-control': isAsset ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      etag: file.tag,
    }
    const { 'if-none-match': known, 'accept-encoding': encodings = '' } = request.headers
    if (known === file.tag) return { status: 304, headers, body: { kind: 'empty' } }
    if (!/\bbr\b/.test(String(encodings))) {
      const bytes = this.#plain.get(file) ?? brotliDecompressSync(file.compressed)
      this.#plain.set(file, bytes)
      return { status: 200, headers, body: { kind: 'bytes', bytes } }
    }
    const body = { kind: 'bytes', bytes: file.compressed } as const
    return { status: 200, headers: { ...headers, 'content-encoding': 'br' }, body }
  }
}

function readFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>()
  for (const entry of namesIn(folder)) {
    const name = entry.slice(0, -COMPRESSED.length)
    const type = TYPES[path.extname(name)]
    if (!entry.endsWith(COMPRESSED) || type === undefined) continue
    const compressed = readFileSync(path.join(folder, entry))
    const tag = `"${hash('sha256', compressed, 'base64url').slice(0, 22)}"`
    files.set(name.replaceAll(path.sep, '/'), { type, tag, compressed })
  }
  return files
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}
