import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { extname, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants, gzipSync } from 'node:zlib'
import { isAmongTags } from '../core/etag.ts'
import type { OwnPageTexts } from '../core/page-texts.ts'
import { waitHeaders } from '../core/web.ts'
import { createConsolePage } from './console-page.ts'
import { createFirstPaint, type PageColor, type PageSettings, type Problem, readPainted } from './first-paint.ts'
import type { RefusedForm } from './page-forms.ts'
import { policyWith } from './page-styles.ts'
import type { PaintFile } from './painted.ts'
import type { HttpRequest, HttpResponse } from './response.ts'
import { etagOf, type StaticFile } from './static-file.ts'

export type { StaticFile }

/** The types of files that are served. No other file is. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

export interface StaticFiles {
  /** True for the address of a page. */
  isPage(path: string): boolean
  /** True for the address of a file that pages load. */
  isFile(path: string): boolean
  /** Sends a built file or page in answer to a GET. False for other addresses. */
  serve(req: HttpRequest, res: HttpResponse, path: string, search: string): boolean
  /** Sends the console in answer to a GET below `/admin`. False if the console is not built. */
  serveConsole(req: HttpRequest, res: HttpResponse, search: string): boolean
  /** Sends the page for unknown addresses. False if the pages are not built. */
  notFound(req: HttpRequest, res: HttpResponse, path: string, search: string): boolean
  /** Sends the page of a refused form, with its errors. False if the pages are not built. */
  form(req: HttpRequest, res: HttpResponse, path: string, search: string, refused: RefusedForm): boolean
  /** Sends a page that leads the browser to an address. False if the pages are not built. */
  leave(req: HttpRequest, res: HttpResponse, search: string, url: string): boolean
  /** Sends the page of a problem. False if the pages are not built. */
  problem(req: HttpRequest, res: HttpResponse, search: string, status: number, problem: Problem): boolean
}

/**
 * A file from the build. If the build has compressed it, only that form stays in memory, which takes a fifth of the bytes. The other
 * forms and the tag are made from it when they are needed.
 */
const builtFile = (file: string, type: string, cacheControl: string): StaticFile => {
  if (!existsSync(`${file}.br`)) {
    const body = readFileSync(file)
    return { body, type, cacheControl, etag: etagOf(body) }
  }
  const brotli = readFileSync(`${file}.br`)
  let etag: string | undefined
  return {
    type,
    cacheControl,
    brotli,
    get body() {
      return brotliDecompressSync(brotli)
    },
    get etag() {
      etag ??= etagOf(this.body)
      return etag
    },
  }
}

const load = (directory: string, path: string, immutable: boolean): [string, StaticFile][] =>
  readdirSync(directory, { withFileTypes: true }).flatMap((entry): [string, StaticFile][] => {
    const file = join(directory, entry.name)
    const address = `${path}/${entry.name}`
    if (entry.isDirectory()) return load(file, address, immutable || entry.name === 'assets')
    const type = types[extname(entry.name)]
    if (type === undefined) return []
    return [[address, builtFile(file, type, immutable ? 'public, max-age=31536000, immutable' : 'no-cache')]]
  })

/** A file that is made for its first request, and then cached. */
export const generatedFile = (type: string, make: () => Promise<string>): (() => Promise<StaticFile>) => {
  let file: Promise<StaticFile> | undefined
  const create = async (): Promise<StaticFile> => {
    const body = Buffer.from(await make())
    return { body, type, cacheControl: 'no-cache', etag: etagOf(body) }
  }
  return () => {
    file ??= create()
    return file
  }
}

/** Compression blocks the process. This level takes 2 ms instead of 40, for a tenth more bytes. */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** True for a coding that the client accepts. A coding with weight 0 is refused (RFC 9110, section 12.5.3). */
const reads = (accepted: string, coding: string): boolean =>
  accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim()))
    .some(([name, ...parameters]) => name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))

/** The smallest form of a file that the client accepts. */
const encode = (file: StaticFile, accepted: string): { readonly encoding?: string; readonly body: Buffer } => {
  if (reads(accepted, 'br')) {
    if (file.isWritten) file.brotli ??= brotliCompressSync(file.body, quickly)
    if (file.brotli !== undefined) return { encoding: 'br', body: file.brotli }
  }
  const { type } = file
  if (file.gzip !== undefined && reads(accepted, 'gzip')) return { encoding: 'gzip', body: file.gzip }
  const { body } = file
  if (body.length <= 1024 || type.startsWith('image/png') || !reads(accepted, 'gzip')) return { body }
  file.gzip = gzipSync(body, { level: 9 })
  return { encoding: 'gzip', body: file.gzip }
}

/** The content policy for scripts and style sheets. A worker may load further scripts. The policy of pages would only add bytes. */
const codePolicy = "default-src 'none';script-src 'self';frame-ancestors 'none'"

/** Headers that only documents need. Scripts and style sheets keep `frame-ancestors`, because they may be opened as a page. */
const documentHeaders = [
  'Origin-Agent-Cluster',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
]

/** Sends a file, compressed if that makes it smaller. Answers 304 to a client that has it already. */
export const sendFile = (req: HttpRequest, res: HttpResponse, file: StaticFile, status = 200) => {
  res.setHeader('Content-Type', file.type)
  res.setHeader('Cache-Control', file.cacheControl)
  res.setHeader('ETag', file.etag)
  res.setHeader('Vary', file.vary ?? 'Accept-Encoding')
  // Sent with a 304, too: its headers replace those that the browser has stored.
  if (file.type.startsWith('text/javascript') || file.type.startsWith('text/css')) {
    res.setHeader('Content-Security-Policy', codePolicy)
    for (const name of documentHeaders) res.removeHeader(name)
  }
  if (file.referrerPolicy !== undefined) res.setHeader('Referrer-Policy', file.referrerPolicy)
  if (file.styles !== undefined)
    res.setHeader('Content-Security-Policy', policyWith(String(res.getHeader('Content-Security-Policy')), file.styles))
  if (status === 200 && isAmongTags(req.headers['if-none-match'], file.etag)) {
    res.writeHead(304).end()
    return
  }
  const { encoding, body } = encode(file, String(req.headers['accept-encoding'] ?? ''))
  if (encoding !== undefined) res.setHeader('Content-Encoding', encoding)
  res.setHeader('Content-Length', body.length)
  res.writeHead(status).end(body)
}

/** True for a browser that opens an address or sends a form. False for a program or script. */
export const isNavigation = ({ headers }: HttpRequest): boolean => {
  const mode = headers['sec-fetch-mode']
  // Outside of secure contexts, browsers do not send the mode. But only browsers ask for XHTML.
  return acceptsHtml(headers) && (mode === 'navigate' || (mode === undefined && String(headers.accept).includes('xhtml')))
}

export const isGetOrHead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** True for a browser that loads a page. */
export const acceptsHtml = (headers: IncomingHttpHeaders): boolean => String(headers.accept ?? '').includes('text/html')

/** A page after `change`. It is made again only when `change` returns another text. */
const changedPage = (page: StaticFile | undefined, change: (html: string) => string): (() => StaticFile | undefined) => {
  if (page === undefined) return () => undefined
  const html = page.body.toString()
  let last = page
  return () => {
    const body = Buffer.from(change(html))
    if (!body.equals(last.body)) last = { ...page, body, etag: etagOf(body) }
    return last
  }
}

interface PageOptions {
  /** True if the page of the API document is served. */
  readonly hasDocs: boolean
  /** Inserts the values of the installation into a page. */
  readonly intoPage?: ((html: string, color?: string) => string) | undefined
  /** The settings in the first byte of hosted pages. When absent: there are no hosted pages. */
  readonly pageSettings?: (() => PageSettings) | undefined
  readonly pageColor?: PageColor | undefined
  /** The operator's own texts for pages. */
  readonly pageTexts?: OwnPageTexts | undefined
  /** The brand's style sheet, which hosted pages contain. */
  readonly brandStyles?: ((color?: string) => string) | undefined
}

/** The build's output for pages. */
interface BuiltPages {
  readonly files: ReadonlyMap<string, StaticFile>
  readonly painted: PaintFile | undefined
}

/** The built pages of a directory. They are read when they are first used, and cached. */
export const builtPages = (directory: string): (() => BuiltPages) => {
  let pages: BuiltPages | undefined
  return () => {
    pages ??= { files: new Map(existsSync(directory) ? load(directory, '', false) : []), painted: readPainted(directory) }
    return pages
  }
}

/** Serves the built pages, if there are any. */
export const createStaticFiles = (
  { files, painted }: BuiltPages,
  { hasDocs, intoPage = (html) => html, pageSettings, pageColor, pageTexts, brandStyles }: PageOptions,
): StaticFiles => {
  /** A built page into which the server writes. Undefined if it does not exist. */
  const writable = (name: string) => {
    const html = files.get(name)?.body.toString()
    if (html === undefined || painted === undefined || pageSettings === undefined) return undefined
    return { painted, html: (color?: string) => intoPage(html, color), settings: pageSettings, pageColor, texts: pageTexts }
  }
  const hosted = writable('/hosted.html')
  const ofEveryPage = /<link rel="stylesheet"[^>]*? href="([^"]+)"/.exec(files.get('/hosted.html')?.body.toString() ?? '')?.[1]
  const styleOf = (address: string, color?: string) =>
    address === '/brand.css'
      ? brandStyles?.(color)
      : address === ofEveryPage
        ? files.get(address)?.body.toString().trim()
        : undefined
  const pages = hosted === undefined ? undefined : createFirstPaint({ ...hosted, styleOf })
  const console = writable('/console.html')
  const consolePage = console === undefined ? undefined : createConsolePage(console)
  const docs = changedPage(hasDocs ? files.get('/docs.html') : undefined, intoPage)
  const isHosted = (path: string) => pages?.isPage(path) === true
  const assetOf = (path: string) => (path.endsWith('.html') ? undefined : files.get(path))
  return {
    isPage: (path) => isHosted(path) || (path === '/docs' && docs() !== undefined),
    isFile: (path) => assetOf(path) !== undefined,
    serve: (req, res, path, search) => {
      if (!isGetOrHead(req)) return false
      const file = assetOf(path) ?? (path === '/docs' ? docs() : isHosted(path) ? pages?.paint(req, path, search) : undefined)
      if (file === undefined) return false
      sendFile(req, res, file)
      return true
    },
    serveConsole: (req, res, search) => {
      if (consolePage === undefined) return false
      sendFile(req, res, consolePage(req, search))
      return true
    },
    notFound: (req, res, path, search) => {
      const page = pages?.paint(req, path, search)
      if (page === undefined) return false
      sendFile(req, res, page, 404)
      return true
    },
    form: (req, res, path, search, refused) => {
      if (pages === undefined) return false
      if (refused.seconds !== undefined) res.setHeaders(new Headers(waitHeaders(refused.seconds)))
      sendFile(req, res, pages.paintForm(req, path, search, refused), refused.status)
      return true
    },
    leave: (req, res, search, url) => {
      if (pages === undefined) return false
      // The browser navigates by itself. With a redirect, the content policy of the form would apply to each address on the way.
      res.setHeader('Refresh', `0;url=${url}`)
      sendFile(req, res, pages.paintLeaving(req, search, url))
      return true
    },
    problem: (req, res, search, status, problem) => {
      if (pages === undefined) return false
      if (problem.seconds !== undefined) res.setHeaders(new Headers(waitHeaders(problem.seconds)))
      sendFile(req, res, pages.paintProblem(req, search, problem), status)
      return true
    },
  }
}
