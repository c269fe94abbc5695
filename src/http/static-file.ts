import { sha256 } from '../core/crypto.ts'

/** A file in the form that is sent, with its metadata. */
export interface StaticFile {
  readonly body: Buffer
  readonly type: string
  readonly cacheControl: string
  readonly etag: string
  /** Request headers that chose the file. */
  readonly vary?: string
  /** Hashes of the style sheets in a page, for the content policy. */
  readonly styles?: readonly string[]
  /** Referrer policy, if it differs from other answers: browsers name the origin of a posted form only with this one. */
  readonly referrerPolicy?: 'same-origin'
  /** Made and cached by this server: the build has not compressed it. */
  readonly isWritten?: boolean
  /** Compressed forms, from the build or the server. */
  brotli?: Buffer
  gzip?: Buffer
}

/** The tag of a content, different for every other one. Weak, because codings share it (RFC 9110, section 8.8.3.3). */
export const etagOf = (body: Buffer): string => `W/"${sha256(body).slice(0, 32)}"`

/** A page chosen by the language and cookies of the browser; `vary`: further request headers by which it was chosen. */
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
