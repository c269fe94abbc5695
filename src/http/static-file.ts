import { sha256 } from '../core/crypto.ts'

/** A file in the form in which it is sent, with its metadata. */
export interface StaticFile {
  readonly body: Buffer
  readonly type: string
  readonly cacheControl: string
  readonly etag: string
  /** The request headers by which the file was chosen. */
  readonly vary?: string
  /** Hashes of the style sheets in a page, for the content policy. */
  readonly styles?: readonly string[]
  /** The referrer policy, if it is not the usual one. Only with this one do browsers name the origin when they post a form. */
  readonly referrerPolicy?: 'same-origin'
  /** True if this server has made and cached the file, so that the build has not compressed it. */
  readonly isWritten?: boolean
  /** The compressed forms. The build or the server has made them. */
  brotli?: Buffer
  gzip?: Buffer
}

/** The tag of a content. It differs for every other content. It is weak, because all codings share it (RFC 9110, section 8.8.3.3). */
export const etagOf = (body: Buffer): string => `W/"${sha256(body).slice(0, 32)}"`

/** A page that was chosen by the language and cookies of the browser. `vary` are further request headers by which it was chosen. */
export const pageFile = (html: string, ...vary: readonly string[]): StaticFile => {
  const body = Buffer.from(html)
  return {
    body,
    type: 'text/html; charset=utf-8',
    cacheControl: 'no-cache',
    vary: [...vary, 'Accept-Encoding', 'Accept-Language', 'Cookie'].join(', '),
    etag: etagOf(body),
    isWritten: true,
  }
}
