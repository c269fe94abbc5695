/** A service for k-anonymous ranges of breached passwords on loopback, and lists of breached passwords. */
import { createHash } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { listen } from './social/listen.ts'

/** The SHA-1 hash of a password in upper case, as lists contain it. */
export const sha1Of = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase()

/** A list of these passwords, each with the number of times it was seen. */
export const listOf = (passwords: Readonly<Record<string, number>>): string =>
  Object.entries(passwords)
    .map(([password, count]) => `${sha1Of(password)}:${count}\r\n`)
    .join('')

export interface RangeService {
  /** The value of `password.breached.url`. */
  readonly url: string
  /** The requests so far, in their order: the prefix and the headers. */
  readonly asked: readonly { readonly prefix: string; readonly headers: Request['headers'] }[]
  /** Replaces the correct answers from now on, if set. */
  answer: ((res: Response) => void) | undefined
  stop(): Promise<void>
}

/**
 * Starts a service that knows these passwords. An entry with the count 0 is padding. Each range has one more entry, because real ranges
 * are never empty.
 */
export const startRangeService = async (passwords: Readonly<Record<string, number>>): Promise<RangeService> => {
  const asked: RangeService['asked'][number][] = []
  const app = express()
  const hashes = Object.entries(passwords).map(([password, count]) => [sha1Of(password), count] as const)
  app.get('/range/:prefix', (req, res) => {
    const { prefix } = req.params
    asked.push({ prefix, headers: req.headers })
    if (service.answer !== undefined) return service.answer(res)
    const known = hashes.filter(([hash]) => hash.startsWith(prefix)).map(([hash, count]) => `${hash.slice(5)}:${count}`)
    return void res.type('text/plain').send([`${'0'.repeat(35)}:3`, ...known].join('\r\n'))
  })
  const { url, stop } = await listen(app)
  const service: RangeService = { url: `${url}/range/`, asked, answer: undefined, stop }
  return service
}
