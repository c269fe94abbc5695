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

/** Turns a JSON body into the form it stands for; says what is wrong with it, or undefined. */
export const acceptJsonBody = async (req: Request, res: Response): Promise<string | undefined> => {
  try {
    const body = await readBody(req, res, 'json')
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'the body must be an object'
    const fields = Object.entries(body).filter(([, value]) => value !== null)
    const wrong = fields.find(([, value]) => typeof value !== 'string')
    if (wrong !== undefined) return `${wrong[0]} must be a string`
    replaceBody(req, new URLSearchParams(fields as [string, string][]).toString())
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
