import type { IncomingMessage } from 'node:http'
import { AppError } from '../../core/errors.ts'
import { hasBody, isOfType, readBody, readForm } from '../../http/body.ts'
import { isStructured, replaceBody, structuredMark } from '../engine/library.ts'

type Request = Parameters<typeof readForm>[0]

/** The client id in a Basic header with an empty secret. Some client libraries send that for public clients. Undefined for every other header. */
export const idWithoutSecret = (req: IncomingMessage): string | undefined => {
  const encoded = /^Basic ([A-Za-z0-9+/]{1,400}={0,2})$/i.exec(req.headers.authorization ?? '')?.[1]
  return encoded === undefined ? undefined : /^([^:]+):$/.exec(Buffer.from(encoded, 'base64').toString())?.[1]
}

/**
 * Moves the id of a public client from the header into the form. If the form names another client, the form stays unchanged, and the
 * library refuses the request.
 */
const nameClient = (req: IncomingMessage, form: URLSearchParams, clientId: string | undefined): void => {
  if (clientId === undefined || form.getAll('client_id').some((id) => id !== clientId)) return
  if (!form.has('client_id')) form.append('client_id', clientId)
  delete req.headers.authorization
}

/** Turns a JSON body into a form. Returns a text about the problem if that is not possible. */
const formOfJson = (body: unknown): URLSearchParams | string => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body must be an object'
  const fields = Object.entries(body).filter(([, value]) => value !== null)
  const wrong = fields.find(([, value]) => typeof value !== 'string')
  return wrong === undefined ? new URLSearchParams(fields as [string, string][]) : `${wrong[0]} must be a string`
}

/**
 * Reads the body for the library, with the usual limits on bodies. With `takesJson` the body may be JSON, which the library does not
 * accept. `looksAtTokens` means that the endpoint receives a token that may be a JWT. `publicId` is the public client from a Basic header
 * without a secret. Returns the form, undefined if there is no body, or a text about the problem.
 */
export const prepareBody = async (
  req: Request,
  takesJson: boolean,
  publicId: string | undefined,
  looksAtTokens: boolean,
): Promise<URLSearchParams | string | undefined> => {
  const isJson = takesJson && isOfType(req, 'json')
  if (!hasBody(req) || !(isJson || isOfType(req, 'form'))) return undefined
  try {
    const form = isJson ? formOfJson(await readBody(req, 'json')) : await readForm(req)
    if (typeof form === 'string') return form
    nameClient(req, form, publicId)
    const tokens = form.getAll('token')
    const [token = ''] = tokens
    // A token that is sent twice is left as it is, and the library refuses the request.
    if (looksAtTokens && tokens.length === 1 && isStructured(token)) form.set('token', structuredMark + token)
    replaceBody(req, form)
    return form
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
