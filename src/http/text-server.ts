import { createServer, type Server } from 'node:http'
import type { Log } from '../core/log.ts'

/** A server on a port of its own. It answers requests for one path with a text, and all others with 404. */
export const createTextServer = (path: string, mediaType: string, read: () => Promise<string>, log: Log): Server =>
  createServer((req, res) => {
    if (!['GET', 'HEAD'].includes(req.method ?? '') || req.url?.split('?', 1)[0] !== path) return res.writeHead(404).end()
    return read().then(
      (text) => res.writeHead(200, { 'Content-Type': mediaType, 'Content-Length': Buffer.byteLength(text) }).end(text),
      (err: unknown) => {
        log.error({ err, path }, 'no response')
        res.writeHead(500).end()
      },
    )
  })
