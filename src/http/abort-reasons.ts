// The reasons for which a request's signal fires. The three lead to different ends: an answer, nothing, a clean stop.

/** The deadline has passed: answered with 504 if nothing was sent yet. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
  override readonly message = 'the request timed out'
}

/** The client has gone, and does not read the answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError'
}

/** The server stops: streams end normally, and requests that have not begun are refused. */
export class ServerClosingError extends Error {
  override readonly name = 'ServerClosingError'
}
