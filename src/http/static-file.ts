import { sha256 } from '../core/crypto.ts'

/** A file as it is sent, with its headers. */
export interface StaticFile {
  readonly body: Buffer
  readonly type: string
  readonly cacheControl: string
  readonly etag: string
  /** The names of the request headers that the choice of this file depended on. */
  readonly vary?: string
  /** The hashes of the style sheets in a page. The content policy lists them. */
  readonly styles?: readonly string[]
  /** The referrer policy, if it differs from the usual one. With `same-origin`, browsers send the header `Origin` when they post a form. */
  readonly referrerPolicy?: 'same-origin'
  /** True if the server has made the file while running. Then there is no compressed form from the build. */
  readonly isWritten?: boolean
  /** The compressed forms of the file. They come from the build, or are made when they are first needed. */
  brotli?: Buffer
  gzip?: Buffer
}

/**
 * The `ETag` of a content. Different contents have different tags. The tag is weak, because all compressed forms have the same tag (RFC
 * 9110, section 8.8.3.3).
 */
export const etagOf = (body: Buffer): string => `W/"${sha256(body).slice(0, 32)}"`

/** A page that was chosen by the language and cookies of the browser. `vary` names further request headers that the choice depended on. */
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
