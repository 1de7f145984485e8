// The flags of commands that speak to a running server.
import { Client } from '../client/client.ts'

export const SERVER_FLAGS = {
  kubeconfig: { type: 'string' },
  context: { type: 'string' },
} as const

export interface ServerFlags {
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

/** Found as kubectl finds it. */
export function openClient({ kubeconfig, context }: ServerFlags, userAgent: string): Client {
  return new Client({
    userAgent,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
  })
}
