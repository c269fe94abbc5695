import type { IncomingMessage } from 'node:http'
import { AppError } from '../../core/errors.ts'
import { readBody } from '../../http/body.ts'

type Request = Parameters<typeof readBody>[0]
type Response = Parameters<typeof readBody>[1]

export const isJsonBody = (req: IncomingMessage): boolean => /^application\/json\s*(;|$)/i.test(req.headers['content-type'] ?? '')
export const isFormBody = (req: IncomingMessage): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(req.headers['content-type'] ?? '')

/** Gives the library, which reads forms only, a form in place of the JSON that was read. */
const replaceBody = (req: IncomingMessage, form: string): void => {
  const bytes = Buffer.from(form)
  req.headers['content-type'] = 'application/x-www-form-urlencoded'
  req.headers['content-length'] = String(bytes.length)
  delete req.headers['transfer-encoding']
  Object.defineProperties(req, {
    readable: { value: true },
    iterator: {
      value: async function* () {
        yield bytes
      },
    },
  })
}

/** The client_id in a Basic header with an empty secret, as some libraries send it for public clients; undefined for any other header. */
export const idWithoutSecret = (req: IncomingMessage): string | undefined => {
  const encoded = /^Basic ([A-Za-z0-9+/]{1,400}={0,2})$/i.exec(req.headers.authorization ?? '')?.[1]
  return encoded === undefined ? undefined : /^([^:]+):$/.exec(Buffer.from(encoded, 'base64').toString())?.[1]
}

/** Names a public client in the form and no more in the header. A form that names another one is left as it is, to be refused. */
const nameClient = (req: IncomingMessage, form: URLSearchParams, clientId: string | undefined): void => {
  if (clientId === undefined || form.getAll('client_id').some((id) => id !== clientId)) return
  if (!form.has('client_id')) form.append('client_id', clientId)
  delete req.headers.authorization
}

/**
 * Reads a JSON body, or a form, and leaves the form it stands for to the library. `publicId` is the public client that an otherwise useless
 * header names. Returns what is wrong with the body, or undefined.
 */
export const acceptBody = async (req: Request, res: Response, publicId: string | undefined): Promise<string | undefined> => {
  try {
    if (!isJsonBody(req)) {
      const form = new URLSearchParams(String(await readBody(req, res, 'raw', 100_000)))
      nameClient(req, form, publicId)
      replaceBody(req, form.toString())
      return undefined
    }
    const body = await readBody(req, res, 'json')
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body must be an object'
    const fields = Object.entries(body).filter(([, value]) => value !== null)
    const wrong = fields.find(([, value]) => typeof value !== 'string')
    if (wrong !== undefined) return `${wrong[0]} must be a string`
    const form = new URLSearchParams(fields as [string, string][])
    nameClient(req, form, publicId)
    replaceBody(req, form.toString())
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
