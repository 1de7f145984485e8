// Reading from a socket without the way through Node's streams. It costs as much as reading the frames does, and a client that
// is sent a long list says thousands of times that it has room: a fifth of the list's cost.
import type { Socket } from 'node:net'

/**
 * As a listener for data, but called by what reads from the socket. Its end is told as always. Where `read` says false, nothing is
 * read any more, but for a little that has come already, until what this gives back is called.
 */
export function readInPlace(socket: Socket, read: (chunk: Buffer) => boolean): () => void {
  const push = socket.push.bind(socket)
  const early = socket.read() as Buffer | null
  socket.push = (chunk: Buffer | null) => (chunk === null ? push(null) : read(chunk))
  socket.resume()
  if (early !== null) read(early)
  return () => {
    if (!socket.destroyed) socket._read(0)
  }
}
