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

/** The media types of files that are served, by the end of the file name. Other files are not served. */
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
  /** True if there is a page at this path. */
  isPage(path: string): boolean
  /** True if there is a file at this path that pages load. */
  isFile(path: string): boolean
  /** Answers a GET with a built file or page. False if there is none at this path. */
  serve(req: HttpRequest, res: HttpResponse, path: string, search: string): boolean
  /** Answers a GET below `/admin` with the console. False if the console is not built. */
  serveConsole(req: HttpRequest, res: HttpResponse, search: string): boolean
  /** Sends the page for unknown paths. False if the pages are not built. */
  notFound(req: HttpRequest, res: HttpResponse, path: string, search: string): boolean
  /** Sends the page of a refused form, with the errors in it. False if the pages are not built. */
  form(req: HttpRequest, res: HttpResponse, path: string, search: string, refused: RefusedForm): boolean
  /** Sends a page that makes the browser navigate to `url`. False if the pages are not built. */
  leave(req: HttpRequest, res: HttpResponse, search: string, url: string): boolean
  /** Sends a page about a problem. False if the pages are not built. */
  problem(req: HttpRequest, res: HttpResponse, search: string, status: number, problem: Problem): boolean
}

/**
 * A file from the build. If the build has compressed it, only the compressed form stays in memory, because it takes a fifth of the bytes.
 * The other forms and the `ETag` are made from that form when they are needed.
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

/**
 * The compression level for files that are made while the server runs. Compressing blocks the process. With this level it takes 2 ms
 * instead of 40, and the result is only a tenth larger.
 */
const quickly = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** True if the client accepts a compression. A client refuses a compression by the weight 0 (RFC 9110, section 12.5.3). */
const reads = (accepted: string, coding: string): boolean =>
  accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((word) => word.trim()))
    .some(([name, ...parameters]) => name === coding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))

/** Of the forms of a file that the client accepts, the smallest one. */
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

/**
 * The content policy for scripts and style sheets. It matters because a worker may load further scripts. They do not get the longer
 * policy of pages, which would only cost bytes.
 */
const codePolicy = "default-src 'none';script-src 'self';frame-ancestors 'none'"

/** Headers that only documents need. Scripts and style sheets keep `frame-ancestors`, because somebody may open them like a page. */
const documentHeaders = [
  'Origin-Agent-Cluster',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
]

/** Sends a file, compressed if that makes it smaller. If the client already has the file, answers 304. */
export const sendFile = (req: HttpRequest, res: HttpResponse, file: StaticFile, status = 200) => {
  res.setHeader('Content-Type', file.type)
  res.setHeader('Cache-Control', file.cacheControl)
  res.setHeader('ETag', file.etag)
  res.setHeader('Vary', file.vary ?? 'Accept-Encoding')
  // These headers are sent with a 304, too, because they replace the headers that the browser has stored.
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

/** True if a browser opens a URL or posts a form. False for programs, and for scripts of pages. */
export const isNavigation = ({ headers }: HttpRequest): boolean => {
  const mode = headers['sec-fetch-mode']
  // At an address without https, browsers do not send the mode. But only browsers ask for XHTML.
  return acceptsHtml(headers) && (mode === 'navigate' || (mode === undefined && String(headers.accept).includes('xhtml')))
}

export const isGetOrHead = ({ method }: HttpRequest): boolean => method === 'GET' || method === 'HEAD'

/** True for a client that accepts HTML, as a browser does when it loads a page. */
export const acceptsHtml = (headers: IncomingHttpHeaders): boolean => String(headers.accept ?? '').includes('text/html')

/** Applies `change` to a page. The new page is made again only if `change` returns another text. */
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
  /** True if the page that shows the API document is served. */
  readonly hasDocs: boolean
  /** Writes the values of the installation into the HTML of a page. */
  readonly intoPage?: ((html: string, color?: string) => string) | undefined
  /** The settings that are written into hosted pages. When absent: there are no hosted pages. */
  readonly pageSettings?: (() => PageSettings) | undefined
  readonly pageColor?: PageColor | undefined
  /** The texts of pages that the operator has replaced. */
  readonly pageTexts?: OwnPageTexts | undefined
  /** The style sheet of the brand, which is written into hosted pages. */
  readonly brandStyles?: ((color?: string) => string) | undefined
}

/** The pages that the build has made. */
interface BuiltPages {
  readonly files: ReadonlyMap<string, StaticFile>
  readonly painted: PaintFile | undefined
}

/** Reads the built pages from a directory, when they are first needed. Then they are cached. */
export const builtPages = (directory: string): (() => BuiltPages) => {
  let pages: BuiltPages | undefined
  return () => {
    pages ??= { files: new Map(existsSync(directory) ? load(directory, '', false) : []), painted: readPainted(directory) }
    return pages
  }
}

/** Serves the built pages, if they exist. */
export const createStaticFiles = (
  { files, painted }: BuiltPages,
  { hasDocs, intoPage = (html) => html, pageSettings, pageColor, pageTexts, brandStyles }: PageOptions,
): StaticFiles => {
  /** A built page into which the server writes values. Undefined if the build has not made the page. */
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
      // The browser navigates by itself, because a redirect would be subject to the content policy of the form's page, at each step.
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
