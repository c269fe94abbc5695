import type { ServerResponse } from 'node:http'

/** The content policy of an answer with a form that goes to this address, by itself or in the end. */
export const allowFormTo = (res: ServerResponse, sources: readonly string[], target: URL) => {
  const policy = String(res.getHeader('content-security-policy') ?? '')
  // A private scheme has no origin.
  const origin = target.origin === 'null' ? target.protocol : target.origin
  res.setHeader('Content-Security-Policy', policy.replace(/form-action [^;]*/, `form-action ${[...sources, origin].join(' ')}`))
}
