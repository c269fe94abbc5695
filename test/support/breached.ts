/** A k-anonymous range service on loopback, and lists of breached passwords. */
import { createHash } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { listen } from './social/listen.ts'

/** In upper case, as the lists write it. */
export const sha1Of = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase()

/** The list with these passwords, each seen so often. */
export const listOf = (passwords: Readonly<Record<string, number>>): string =>
  Object.entries(passwords)
    .map(([password, count]) => `${sha1Of(password)}:${count}\r\n`)
    .join('')

export interface RangeService {
  /** For `password.breached.url`. */
  readonly url: string
  /** What it was asked, in order: the prefix and what came with it. */
  readonly asked: readonly { readonly prefix: string; readonly headers: Request['headers'] }[]
  /** How it answers from now on, instead of honestly. */
  answer: ((res: Response) => void) | undefined
  stop(): Promise<void>
}

/** Knows these passwords; the count 0 is padding. Each range has one more entry, as real ones are never empty. */
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
