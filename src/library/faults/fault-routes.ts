// /debug/faults, for programs in other languages. Needs `--dev` and the right to use the path, which administrators have by default. POST
// takes a fault (`FaultSpec`) and answers with it, its `id` and its `hits`. GET shows all faults, and DELETE removes them. At
// /debug/faults/ID, GET and DELETE show and remove one fault.
import { ApiError } from '../../api/status.ts'
import { methodNotAllowedError } from '../../http/errors.ts'
import type { Handler, HttpRequest, HttpResponse } from '../../http/http.ts'
import type { Route } from '../../http/router.ts'
import { FaultError, type FaultSpec } from './fault-spec.ts'
import { type InjectedFault, reportOf } from './injected-fault.ts'

/** All faults that were not removed. Faults that have ended are among them. */
interface KeptFaults {
  all(): readonly InjectedFault[]
  find(id: string): InjectedFault | undefined
  /** Throws `FaultError`. */
  inject(spec: FaultSpec): InjectedFault
  clear(): void
}

const PATH = '/debug/faults'

export function faultRoutes(faults: KeptFaults): readonly Route[] {
  return [
    { path: PATH, subtree: true, handler: serveOne(faults), listed: () => [] },
    { path: PATH, handler: serveAll(faults) },
  ]
}

function serveAll(faults: KeptFaults): Handler {
  return async (request) => {
    switch (request.method) {
      case 'GET':
        return json(200, { faults: faults.all().map(reportOf) })
      case 'POST':
        return json(201, reportOf(injected(faults, await readJson(request))))
      case 'DELETE':
        faults.clear()
        return json(200, { faults: [] })
      default:
        throw methodNotAllowedError()
    }
  }
}

function serveOne(faults: KeptFaults): Handler {
  return ({ method, path }) => {
    const id = path.slice(PATH.length + 1)
    const fault = faults.find(id)
    if (fault === undefined) throw new ApiError('NotFound', `there is no fault ${JSON.stringify(id)}`)
    if (method !== 'GET' && method !== 'DELETE') throw methodNotAllowedError()
    if (method === 'DELETE') fault.remove()
    return json(200, reportOf(fault))
  }
}

function injected(faults: KeptFaults, spec: unknown): InjectedFault {
  try {
    return faults.inject(spec as FaultSpec)
  } catch (error) {
    throw error instanceof FaultError ? new ApiError('BadRequest', error.message) : error
  }
}

async function readJson({ body }: HttpRequest): Promise<unknown> {
  const bytes = await body.read()
  try {
    return JSON.parse(bytes.toString())
  } catch (error) {
    throw new ApiError('BadRequest', `the body is not JSON: ${(error as Error).message}`)
  }
}

function json(status: number, value: object): HttpResponse {
  const bytes = Buffer.from(`${JSON.stringify(value)}\n`)
  return { status, headers: { 'content-type': 'application/json' }, body: { kind: 'bytes', bytes } }
}
