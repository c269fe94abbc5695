import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { sha256 } from '../core/crypto.ts'
import type { HttpRequest, HttpResponse } from './response.ts'

export interface StaticFile {
  readonly body: Buffer
  readonly type: string
  readonly cacheControl: string
  readonly etag: string
  gzip?: Buffer
}

/** Only these are served. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Pages of the hosted application. */
const hostedPages = new Set([
  '/sign-in',
  '/sign-up',
  '/two-factor',
  '/mail-sign-in',
  '/forgot-password',
  '/reset-password',
  '/check-email',
  '/confirm-email',
  '/verified',
  '/recover-address',
  '/consent',
  '/choose-organization',
  '/select-account',
  '/error',
  '/setup',
  '/account',
])

/** Some pages are many: everything below the account, and each invitation. */
const isHostedPage = (path: string) => hostedPages.has(path) || path.startsWith('/account/') || /^\/invitation\/[^/]+$/.test(path)

export interface StaticFiles {
  /** True for the address of a page. */
  isPage(path: string): boolean
  /** True for the address of a file that pages load. */
  isFile(path: string): boolean
  /** Sends a built file or a page to a GET; false when it is neither. */
  serve(req: HttpRequest, res: HttpResponse, path: string): boolean
  /** Sends the page for an unknown address. False when the pages are not built. */
  notFound(req: HttpRequest, res: HttpResponse): boolean
}

const load = (directory: string, path: string, immutable: boolean): [string, StaticFile][] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry): [string, StaticFile][] => {
    const file = join(directory, entry.name)
    const address = `${path}/${entry.name}`
    if (entry.isDirectory()) return load(file, address, immutable || entry.name === 'assets')
    const type = types[extname(entry.name)]
    if (type === undefined) return []
    const body = readFileSync(file)
    const cacheControl = immutable ? 'public, max-age=31536000, immutable' : 'no-cache'
    return [[address, { body, type, cacheControl, etag: `"${sha256(body).slice(0, 32)}"` }]]
  })

/** A file that is made when it is first asked for, and never again. */
export const generatedFile = (type: string, make: () => Promise<string>): (() => Promise<StaticFile>) => {
  let file: Promise<StaticFile> | undefined
  const create = async (): Promise<StaticFile> => {
    const body = Buffer.from(await make())
    return { body, type, cacheControl: 'no-cache', etag: `"${sha256(body).slice(0, 32)}"` }
  }
  return () => {
    file ??= create()
    return file
  }
}

/** Sends a file, compressed where that helps; 304 to a client that has it. */
export const sendFile = (req: HttpRequest, res: HttpResponse, file: StaticFile, status = 200) => {
  res.setHeader('Content-Type', file.type)
  res.setHeader('Cache-Control', file.cacheControl)
  res.setHeader('ETag', file.etag)
  res.setHeader('Vary', 'Accept-Encoding')
  if (status === 200 && req.headers['if-none-match'] === file.etag) {
    res.writeHead(304).end()
    return
  }
  const compress =
    file.body.length > 1024 && /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? '')) && !file.type.startsWith('image/png')
  if (compress) {
    file.gzip ??= gzipSync(file.body, { level: 9 })
    res.setHeader('Content-Encoding', 'gzip')
  }
  const body = compress && file.gzip !== undefined ? file.gzip : file.body
  res.setHeader('Content-Length', body.length)
  res.writeHead(status).end(body)
}

export const isGetOrHead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** True for a browser that loads a page, and not for a program. */
export const acceptsHtml = (headers: IncomingHttpHeaders): boolean => String(headers.accept ?? '').includes('text/html')

/** Holds the built pages in memory; a directory that does not exist serves nothing. `hasDocs`: the page that shows the API document is on. */
export const createStaticFiles = (directory: string, { hasDocs }: { readonly hasDocs: boolean }): StaticFiles => {
  const files = new Map(existsSync(directory) ? load(directory, '', false) : [])
  const hosted = files.get('/hosted.html')
  const docs = hasDocs ? files.get('/docs.html') : undefined
  const pageOf = (path: string) => (path === '/docs' ? docs : isHostedPage(path) ? hosted : undefined)
  const assetOf = (path: string) => (path.endsWith('.html') ? undefined : files.get(path))
  return {
    isPage: (path) => pageOf(path) !== undefined,
    isFile: (path) => assetOf(path) !== undefined,
    serve: (req, res, path) => {
      const file = assetOf(path) ?? pageOf(path)
      if (!isGetOrHead(req) || file === undefined) return false
      sendFile(req, res, file)
      return true
    },
    notFound: (req, res) => {
      if (hosted === undefined) return false
      sendFile(req, res, hosted, 404)
      return true
    },
  }
}
